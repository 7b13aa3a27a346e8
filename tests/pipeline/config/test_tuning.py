"""A search that could not be carried out is refused when the configuration is loaded."""

import json
from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.config.base import RuleError
from pipeline.config.rules.searchable_keys import check_tuning
from pipeline.config.sections.tuning import OBJECTIVES, TuningConfig, Values
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"
RATE = '"training.learning_rate"'
RANGE = f"tuning.search.{RATE}={{min: 0.0001, max: 0.1, log: true}}"


def load(*assignments: str) -> Config:
    return load_config([TAXI], assignments)


def refusal(*assignments: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(*assignments)
    return f"{caught.value} {caught.value.hint}"


def test_there_is_no_search_by_default() -> None:
    assert load().tuning is None


def test_spaces_of_all_kinds_of_keys_survive_the_way_to_the_workers() -> None:
    config = load(
        RANGE,
        'tuning.search."model.hidden_units"={choice: [[64], [128, 64]]}',
        'tuning.search."model.family"={choice: [wide_deep, dcn_v2]}',
        'tuning.search."model.cross_layers"={min: 1, max: 4}',
        'tuning.search."model.dropout"={min: 0, max: 0.5, step: 0.1}',
        'tuning.search."training.global_batch_size"={min: 64, max: 512, step: 64}',
        'tuning.search."training.jit_compile"={choice: [false, true]}',
        'tuning.search."model.options.width"={choice: [1, 2]}',
    )
    assert config.tuning is not None
    assert config.tuning.trials == 10
    again = Config.model_validate_json(config.model_dump_json(by_alias=True))
    assert again == config
    assert type(again.tuning.search["model.cross_layers"].max) is int  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("key", "space", "words"),
    [
        ("training.lerning_rate", "{choice: [1, 2]}", ("did you mean 'training.learning_rate'?",)),
        ("learning_rate", "{choice: [1, 2]}", ("did you mean 'training.learning_rate'?",)),
        ("evaluation.split", "{choice: [test, eval]}", ("no key of model or training",)),
        ("training", "{choice: [1, 2]}", ("no key of model or training",)),
        ("training.workers", "{choice: [1, 2]}", ("is the same for all trials",)),
        ("training.strategy", "{choice: [none, mirrored]}", ("is the same for all trials",)),
        ("training.learning_rate", "{}", ("needs a choice, or min and max",)),
        ("training.learning_rate", "{min: 0.1}", ("needs a choice, or min and max",)),
        ("training.learning_rate", "{min: 0.1, max: 0.01}", ("min has to be below max",)),
        ("training.learning_rate", "{min: 0, max: 0.1, log: true}", ("log", "above 0")),
        ("training.learning_rate", "{min: 0, max: 0.1}", (".min: ", "greater than 0")),
        ("training.learning_rate", "{min: 1, max: 2, lag: true}", ("did you mean 'log'?",)),
        ("training.learning_rate", "{choice: [0.1, 0.1]}", ("two or more different values",)),
        ("training.learning_rate", "{choice: [0.1, 1], min: 1}", ("a choice has no min",)),
        ("training.learning_rate", "{choice: [0.1, fast]}", (".choice[2nd]: ", "valid number")),
        ("model.dropout", "{min: 0, max: 1}", (".max: ", "less than 1")),
        ("model.cross_layers", "{min: 1, max: 2.5}", (".max: ", "takes whole numbers")),
        ("model.cross_layers", "{min: 1, max: 4, step: 4}", ("beyond max",)),
        ("model.cross_layers", "{min: 0, max: 4}", (".min: ", "greater than or equal to 1")),
        ("model.family", "{min: 0, max: 4}", ("does not take numbers; give a choice",)),
        ("model.hidden_units", "{min: 8, max: 64}", ("does not take numbers; give a choice",)),
        (
            "model.family",
            "{choice: [dnn, wide_dep]}",
            (".choice[2nd]: ", "did you mean 'wide_deep'?"),
        ),
    ],
)
def test_a_space_that_does_not_fit_its_key(key: str, space: str, words: tuple[str, ...]) -> None:
    message = refusal(f'tuning.search."{key}"={space}')
    assert message.startswith("--set tuning.search.")
    assert f'tuning.search."{key}"' in message
    for word in words:
        assert word in message


def test_values_that_do_not_go_together_are_refused_before_any_is_tried() -> None:
    """By the rules between keys, whatever these are."""
    search = {
        "model.dropout": {"min": 0, "max": 0.5},
        "training.optimizer": {"choice": ["adam", "sgd"]},
    }

    def validate(values: Values) -> None:
        if values.get("model.dropout", 0) > 0 and values.get("training.optimizer") == "sgd":
            raise RuleError(("model", "dropout"), "not with sgd")

    with pytest.raises(RuleError) as caught:
        check_tuning(
            TuningConfig.model_validate({"search": search}), load().label, load().training, validate
        )
    assert caught.value.key == ("tuning", "search", "training.optimizer", "choice", 1)
    assert str(caught.value) == "with model.dropout = 0.5: model.dropout: not with sgd"


def test_the_loss_is_no_measure_of_what_it_counts() -> None:
    weights = 'tuning.search."training.class_weights"={choice: [null, balanced]}'
    assert "take another tuning.objective" in refusal(weights)
    assert load(weights, "tuning.objective=auc").tuning


def test_a_value_that_does_not_go_with_the_rest_of_the_configuration() -> None:
    message = refusal(
        "training.strategy=central_storage",
        'tuning.search."training.jit_compile"={choice: [false, true]}',
    )
    assert "XLA" in message


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        (["objective=rmse"], "tuning.objective: task binary can be tuned by loss, auc, accuracy"),
        (["algorithm=hyperband", "max_trials=5"], "tuning.max_trials: hyperband plans its trials"),
        (["algorithm=bayes"], "'random', 'bayesian' or 'hyperband'"),
        (["parallel=0"], "tuning.parallel"),
        (["max_trails=5"], "did you mean 'max_trials'?"),
        (['search."training.epochs"={choice: [1, 2]}', "epochs=3"], "set by tuning.epochs"),
        (
            ['search."training.epochs"={choice: [1, 2]}', "algorithm=hyperband"],
            "set by algorithm hyperband",
        ),
    ],
)
def test_settings_of_the_search(assignments: list[str], words: str) -> None:
    assert words in refusal(RANGE, *(f"tuning.{assignment}" for assignment in assignments))


def test_hyperband_has_as_many_trials_as_it_plans() -> None:
    config = load(RANGE, "tuning.algorithm=hyperband")
    assert config.tuning is not None
    assert config.tuning.trials is None


def test_values_replace_those_of_the_configuration() -> None:
    values = {"model.hidden_units": [8], "training.recovery.max_restarts": 7, "model.options.x": 1}
    config = load().with_values(values)
    assert config.model.hidden_units == (8,)
    assert config.model.options == {"x": 1}
    assert config.training.recovery.max_restarts == 7
    assert config.training.epochs == load().training.epochs
    assert json.loads(config.to_json())["tuning"] is None


def test_the_modules_of_all_families_that_are_searched_are_known() -> None:
    config = load('tuning.search."model.family"={choice: [dnn, shop.nets.deep, shop.more.wide]}')
    assert [f.rpartition(".")[0] for f in config.own_families()] == ["shop.more", "shop.nets"]


def test_hyperband_needs_epochs_and_values() -> None:
    few = 'tuning.search."training.optimizer"={choice: [adam, sgd, adamw]}'
    told = refusal(few, "tuning.algorithm=hyperband", "training.epochs=9")
    assert "tuning.algorithm: hyperband with trials of 9 epochs needs 34 combinations" in told
    assert "there are 3" in told
    told = refusal(RANGE, "tuning.algorithm=hyperband", "training.epochs=2")
    assert "hyperband needs trials of 3 epochs or more, not 2" in told
    batches = 'tuning.search."training.global_batch_size"={min: 64, max: 1024, step: 64}'
    assert load(few, batches, "tuning.algorithm=hyperband", "training.epochs=9").tuning
    assert load(RANGE, "tuning.algorithm=hyperband", "training.epochs=9").tuning


def test_trials_are_not_longer_than_training() -> None:
    told = refusal(RANGE, "tuning.epochs=30", "training.epochs=9")
    assert "tuning.epochs: training has fewer: training.epochs is 9" in told


def test_the_help_names_what_can_be_tuned_by() -> None:
    told = TuningConfig.model_fields["objective"].description or ""
    assert all(f"`{name}`" in told for names in OBJECTIVES.values() for name in names)
