"""A search that could not be carried out is refused when the configuration is loaded."""

from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.config.base import RuleError
from pipeline.config.rules.searchable_keys import check_tuning
from pipeline.config.sections.tuning import TuningConfig, Values
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"
RATE = '"training.learning_rate"'
RANGE = f"tuning.search.{RATE}={{min: 0.0001, max: 0.1, log: true}}"


def load(*assignments: str) -> Config:
    return load_config([TAXI], assignments)


def refusal(*assignments: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(*assignments)
    return f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("key", "space", "words"),
    [
        ("training.lerning_rate", "{choice: [1, 2]}", ("did you mean 'training.learning_rate'?",)),
        ("learning_rate", "{choice: [1, 2]}", ("did you mean 'training.learning_rate'?",)),
        ("evaluation.split", "{choice: [test, eval]}", ("is not a key of model or training",)),
        ("training", "{choice: [1, 2]}", ("is not a key of model or training",)),
        ("training.workers", "{choice: [1, 2]}", ("is the same for all trials",)),
        ("training.strategy", "{choice: [none, mirrored]}", ("is the same for all trials",)),
        ("training.learning_rate", "{}", ("needs a choice, or min and max",)),
        ("training.learning_rate", "{min: 0.1}", ("needs a choice, or min and max",)),
        ("training.learning_rate", "{min: 0.1, max: 0.01}", ("min must be below max",)),
        ("training.learning_rate", "{min: 0, max: 0.1, log: true}", ("log", "above 0")),
        ("training.learning_rate", "{min: 0, max: 0.1}", (".min: ", "greater than 0")),
        ("training.learning_rate", "{min: 1, max: 2, lag: true}", ("did you mean 'log'?",)),
        ("training.learning_rate", "{choice: [0.1, 0.1]}", ("two or more different values",)),
        (
            "training.learning_rate",
            "{choice: [0.1, 1], min: 1}",
            ("a choice cannot be combined with min",),
        ),
        ("training.learning_rate", "{choice: [0.1, fast]}", (".choice[2nd]: must be a number",)),
        ("model.dropout", "{min: 0, max: 1}", (".max: ", "less than 1")),
        ("model.cross_layers", "{min: 1, max: 2.5}", (".max: ", "takes whole numbers")),
        ("model.cross_layers", "{min: 1, max: 4, step: 4}", ("larger than max - min",)),
        ("model.cross_layers", "{min: 0, max: 4}", (".min: ", "greater than or equal to 1")),
        ("model.family", "{min: 0, max: 4}", ("is not a number; give a choice",)),
        ("model.hidden_units", "{min: 8, max: 64}", ("is not a number; give a choice",)),
        (
            "model.family",
            "{choice: [dnn, wide_dep]}",
            (".choice[2nd]: ", "did you mean 'wide_deep'?"),
        ),
    ],
)
def test_a_space_that_does_not_fit_its_key_is_refused(
    key: str, space: str, words: tuple[str, ...]
) -> None:
    message = refusal(f'tuning.search."{key}"={space}')
    assert message.startswith("--set tuning.search.")
    assert f'tuning.search."{key}"' in message
    for word in words:
        assert word in message


def test_a_pair_of_values_that_breaks_a_rule_is_refused() -> None:
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


def test_class_weights_cannot_be_searched_by_the_loss() -> None:
    weights = 'tuning.search."training.class_weights"={choice: [null, balanced]}'
    assert "choose another tuning.objective" in refusal(weights)
    assert load(weights, "tuning.objective=auc").tuning


def test_a_value_that_breaks_a_rule_of_the_configuration_is_refused() -> None:
    message = refusal(
        "training.strategy=central_storage",
        'tuning.search."training.jit_compile"={choice: [false, true]}',
    )
    assert "XLA" in message


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        (["objective=rmse"], "tuning.objective: task binary can be tuned by loss, auc, accuracy"),
        (
            ["algorithm=hyperband", "max_trials=5"],
            "tuning.max_trials: hyperband plans the number of trials",
        ),
        (["algorithm=bayes"], "'random', 'bayesian' or 'hyperband'"),
        (["parallel=0"], "tuning.parallel"),
        (["max_trails=5"], "did you mean 'max_trials'?"),
        (
            ['search."training.epochs"={choice: [1, 2]}', "epochs=3"],
            "tuning.epochs sets the epochs",
        ),
        (
            ['search."training.epochs"={choice: [1, 2]}', "algorithm=hyperband"],
            "algorithm hyperband sets the epochs",
        ),
    ],
)
def test_a_wrong_setting_of_the_search_is_refused(assignments: list[str], words: str) -> None:
    assert words in refusal(RANGE, *(f"tuning.{assignment}" for assignment in assignments))


def test_hyperband_with_too_few_epochs_or_values_is_refused() -> None:
    few = 'tuning.search."training.optimizer"={choice: [adam, sgd, adamw]}'
    message = refusal(few, "tuning.algorithm=hyperband", "training.epochs=9")
    assert "tuning.algorithm: hyperband with trials of 9 epochs needs 34 combinations" in message
    assert "there are 3" in message
    message = refusal(RANGE, "tuning.algorithm=hyperband", "training.epochs=2")
    assert "hyperband needs trials of 3 epochs or more, not 2" in message
    batches = 'tuning.search."training.global_batch_size"={min: 64, max: 1024, step: 64}'
    assert load(few, batches, "tuning.algorithm=hyperband", "training.epochs=9").tuning
    assert load(RANGE, "tuning.algorithm=hyperband", "training.epochs=9").tuning


def test_trials_longer_than_training_are_refused() -> None:
    message = refusal(RANGE, "tuning.epochs=30", "training.epochs=9")
    assert "tuning.epochs: must not be more than training.epochs, which is 9" in message
