"""Run parameters as changes of the compiled configuration."""

import pytest
from kubeflow_configs import load_kubeflow_config

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.run_overrides import (
    advise_run_parameters,
    apply_overrides,
    read_assignments,
)


def test_every_set_option_in_backquotes_becomes_a_run_parameter() -> None:
    advice = advise_run_parameters(
        "`--set a=1 --set 'b c=2'` accepts it, or `--set d=3`; see --set x=y"
    )
    assert advice == (
        "`--parameter overrides=a=1 --parameter overrides='b c=2'` accepts it, "
        "or `--parameter overrides=d=3`; see --set x=y"
    )


def test_run_parameters_become_assignments() -> None:
    parameters = {"data-path": "/data/a b.csv", "overrides": "training.epochs=3\n\n  a.b=1 "}
    assert read_assignments(parameters) == [
        'data.path="/data/a b.csv"',
        "training.epochs=3",
        "a.b=1",
    ]
    assert read_assignments({}) == []


def test_overrides_change_the_compiled_configuration() -> None:
    compiled = load_kubeflow_config([], []).model_dump_json(by_alias=True)
    assert apply_overrides(compiled, ["training.epochs=3"]).training.epochs == 3


def test_a_wrong_override_is_named_as_an_override() -> None:
    compiled = load_kubeflow_config([], []).model_dump_json(by_alias=True)
    with pytest.raises(ConfigError, match=r"^overrides: training\.epoch=3: .*unknown key"):
        apply_overrides(compiled, ["training.epoch=3"])
