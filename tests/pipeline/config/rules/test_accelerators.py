"""Whether this machine has the GPUs or the TPU that a training asks for."""

import pytest

from pipeline.config.rules.accelerators import find_tpu, require_gpu, require_tpu
from pipeline.core.errors import ConfigError


def test_a_named_tpu_comes_before_the_one_of_this_machine() -> None:
    assert find_tpu({"TPU_NAME": "remote", "TPU_WORKER_ID": "0"}) == "remote"
    assert find_tpu({"TPU_WORKER_ID": "0"}) == "local"
    assert find_tpu({"TPU_NAME": ""}) is None


def test_a_missing_tpu_is_an_error_that_names_the_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "TPU_NAME",
        "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS",
        "TPU_WORKER_ID",
        "TPU_WORKER_HOSTNAMES",
        "TPU_ACCELERATOR_TYPE",
    ):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match="none of TPU_NAME"):
        require_tpu()
    monkeypatch.setenv("TPU_NAME", "mine")
    assert require_tpu() == "mine"


def test_gpus_are_counted_from_0() -> None:
    require_gpu(1, count=2)
    with pytest.raises(ConfigError, match="there is no GPU 2; this machine has 2, counted from 0"):
        require_gpu(2, count=2)
    with pytest.raises(ConfigError, match="this machine has none"):
        require_gpu(0, count=0)


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"TPU_NAME": "mine"}, "mine"),
        ({"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS": "grpc://10.0.0.2:8470"}, "grpc://10.0.0.2:8470"),
        ({"TPU_WORKER_ID": "0"}, "local"),
        ({"TPU_ACCELERATOR_TYPE": "v4-8", "TPU_NAME": "mine"}, "mine"),
        ({"TPU_NAME": ""}, None),
        ({}, None),
    ],
)
def test_the_environment_names_the_tpu(environment: dict[str, str], name: str | None) -> None:
    assert find_tpu(environment) == name
