"""The section `tuning`."""

from small_config import TAXI

from pipeline.config import Config, ModelConfig, load_config
from pipeline.config.sections.families.trees import TreesConfig
from pipeline.config.sections.tuning import OBJECTIVES, TuningConfig, with_values

RANGE = 'tuning.search."training.learning_rate"={min: 0.0001, max: 0.1, log: true}'


def test_there_is_no_search_by_default() -> None:
    assert load_config([TAXI]).tuning is None


def test_spaces_of_all_kinds_survive_json() -> None:
    config = load_config(
        [TAXI],
        [
            RANGE,
            'tuning.search."model.hidden_units"={choice: [[64], [128, 64]]}',
            'tuning.search."model.family"={choice: [wide_deep, dcn_v2]}',
            'tuning.search."model.cross_layers"={min: 1, max: 4}',
            'tuning.search."model.dropout"={min: 0, max: 0.5, step: 0.1}',
            'tuning.search."training.global_batch_size"={min: 64, max: 512, step: 64}',
            'tuning.search."training.jit_compile"={choice: [false, true]}',
            'tuning.search."model.options.width"={choice: [1, 2]}',
        ],
    )
    assert config.tuning is not None
    assert config.tuning.trials == 10
    again = Config.model_validate_json(config.model_dump_json(by_alias=True))
    assert again == config
    assert type(again.tuning.search["model.cross_layers"].max) is int  # type: ignore[union-attr]


def test_a_value_replaces_a_key_of_a_section_that_has_its_defaults() -> None:
    model = with_values("model", ModelConfig(), {"model.trees.learning_rate": 0.3})
    assert model.trees == TreesConfig(learning_rate=0.3)


def test_hyperband_has_no_maximum_of_trials() -> None:
    config = load_config([TAXI], [RANGE, "tuning.algorithm=hyperband"])
    assert config.tuning is not None
    assert config.tuning.trials is None


def test_the_help_of_objective_names_every_measure() -> None:
    told = TuningConfig.model_fields["objective"].description or ""
    assert all(f"`{name}`" in told for names in OBJECTIVES.values() for name in names)
