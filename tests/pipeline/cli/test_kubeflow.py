"""The commands that lead to Kubeflow, as processes."""

import pytest
from command_process import command


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compile", "--config", "configs/taxi.yaml", "--output", "x.yaml"), "kubeflow.image"),
        (("compile", "--config", "configs/taxi.yaml", "--output", "x.json"), "end in .yaml"),
        (("deploy", "--config", "configs/taxi.yaml"), "--host"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], words: str) -> None:
    code, output = command(*arguments)
    assert code == 2
    assert words in output
    assert "Traceback" not in output
