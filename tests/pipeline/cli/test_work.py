"""The commands that run on this machine, as processes."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_process import ROOT, command

from pipeline.cli.work import _list_arguments
from pipeline.core.contracts import Node


def test_init_proposes_a_configuration(tmp_path: Path) -> None:
    table = ROOT / "data/penguins/penguins.csv"
    output = tmp_path / "my own.yaml"
    arguments = ("init", "--data", str(table), "--label", "species", "--output", str(output))
    code, text = command(*arguments)
    assert code == 0, text
    interpreter, *rest = shlex.split(text.splitlines()[-1])
    assert ROOT / interpreter == Path(sys.executable)
    assert rest == ["-m", "pipeline", "run", "--config", str(output)]
    assert "task: multiclass" in output.read_text()
    code, text = command(*arguments)
    assert code == 2
    assert "--force" in text
    assert command(*arguments, "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run",), "Missing option '--config'"),
        (("run", "--config", "absent.yaml"), "absent.yaml: no such file"),
        (("run", "--config", "configs/taxi.yaml", "--set", "nam=x"), "did you mean 'name'?"),
        (("init", "--data", "absent.csv", "--label", "y", "--output", "x.yaml"), "absent.csv"),
        (
            (
                "init",
                "--data",
                "data/penguins/penguins.csv",
                "--label",
                "species",
                "--output",
                "x.yaml",
                "--key-column",
                "iland",
            ),
            "did you mean 'island'?",
        ),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], words: str) -> None:
    code, output = command(*arguments)
    assert code == 2
    assert words in output
    assert "Traceback" not in output


def test_a_run_that_is_refused_leaves_a_summary_too(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text("of the run before")
    arguments = ("--config", "configs/taxi.yaml", "--set", "training.epoch=3", "--json", str(path))
    code, text = command("run", *arguments)
    assert code == 2, text
    summary = json.loads(path.read_text())
    assert (summary["exit_code"], summary["status"]) == (2, "misconfigured")
    assert "training.epoch" in summary["error"]["message"]


def test_a_summary_cannot_be_a_directory(tmp_path: Path) -> None:
    code, text = command("run", "--config", "configs/taxi.yaml", "--json", str(tmp_path))
    assert code == 2, text
    assert f"--json {tmp_path}: is a directory" in text


def test_init_never_writes_over_the_table(tmp_path: Path) -> None:
    table = tmp_path / "penguins.csv"
    table.write_bytes((ROOT / "data/penguins/penguins.csv").read_bytes())
    before = table.read_bytes()
    arguments = ("--data", str(table), "--label", "species", "--output", str(table), "--force")
    code, text = command("init", *arguments)
    assert code == 2, text
    assert "is the table itself" in text
    assert table.read_bytes() == before


def test_tune_needs_a_search() -> None:
    code, text = command("tune", "--config", "configs/taxi.yaml")
    assert code == 2
    assert "tuning: the section is missing" in text


def test_the_recorded_arguments_repeat_the_command() -> None:
    configs = (Path("my.yaml"), Path("b.yaml"))
    listed = _list_arguments(configs, ("training.epochs=3",), Path("out"), None)
    assert listed == [
        "run", "--config", "my.yaml", "--config", "b.yaml", "--set", "training.epochs=3",
        "--output", "out",
    ]  # fmt: skip
    assert _list_arguments(configs[:1], (), None, Node.TUNER) == ["tune", "--config", "my.yaml"]


ADDRESS = "s3://bucket/x"
WEB = "https://host/x.csv"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--config", "configs/taxi.yaml", "--output", WEB), f"{WEB} is no address of an"),
        (("run", "--config", ADDRESS), "'--config': s3://bucket/x"),
        (("run", "--config", "configs/taxi.yaml", "--json", ADDRESS), "'--json': s3://bucket/x"),
        (("init", "--data", WEB, "--label", "y", "--output", "x.yaml"), f"--data: {WEB} is no"),
        (
            ("compile", "--config", "configs/taxi.yaml", "--output", "x.yaml",
             "--set", f"data.path={WEB}"),
            f"data.path: {WEB} is no address of an object store",
        ),
    ],
)  # fmt: skip
def test_an_address_is_refused_by_name(arguments: tuple[str, ...], words: str) -> None:
    code, output = command(*arguments)
    assert code == 2, output
    assert words in " ".join(output.split())


def test_the_summary_on_standard_output_stands_alone(tmp_path: Path) -> None:
    arguments = ("run", "--config", "configs/taxi.yaml", "--set", "training.epoch=3", "--json", "-")
    process = subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert json.loads(process.stdout)["status"] == "misconfigured"
    assert "training.epoch" in process.stderr
    assert not (ROOT / "-").exists()
