"""Workers that do not fit the run are refused, each by what differs."""

import importlib
from pathlib import Path

import pytest
from flink_answers import answering
from tfx.dsl.components.base.executor_spec import BeamExecutorSpec

from components.engine.probe import (
    _EXECUTORS,
    _compare,
    describe_worker,
    find_table_error,
    probe_engine,
)
from pipeline.config import DataConfig
from pipeline.config.engine.section import EngineConfig
from pipeline.core.errors import ConfigError

ROOT = Path(__file__).parents[3]
FLINK = EngineConfig(kind="flink", endpoint="localhost:1")


def test_without_the_probe_only_flinks_version_is_checked(tmp_path: Path) -> None:
    with answering({"/overview": {"flink-version": "1.19.0", "slots-total": 2}}) as page:
        engine = FLINK.model_copy(update={"page": page, "probe": False})
        probe_engine(engine, [*engine.flags()], None, str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sees_run": False}, "the worker on there does not see /mnt/a"),
        (
            {"table": ConfigError("data.path: no file matches 'x'").to_json()},
            "the worker on there does not see the table: data.path: no file matches 'x'",
        ),
        ({"python": "3.9"}, "has Python 3.9, this machine 3."),
        ({"beam": "2.1.0"}, "has Beam 2.1.0, this machine 2."),
        ({"code": "0"}, "has other code of this project"),
    ],
)
def test_a_worker_that_differs_is_refused(changed: dict[str, object], words: str) -> None:
    view = {**describe_worker(), "host": "there", "sees_run": True, "table": "", **changed}
    with pytest.raises(ConfigError) as refusal:
        _compare(view, describe_worker(), "/mnt/a", FLINK)
    assert words in refusal.value.message


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("trips.csv", "*.csv"),
        ("trips-0007.csv", "trips-{SPAN:4}.csv"),
        ("7/trips.csv", "{SPAN}/*.csv"),
        ("trips[1].csv", "trips[1].csv"),
        ("a/b/trips.csv", "**/*.csv"),
    ],
)
def test_a_worker_finds_the_files_that_examplegen_finds(
    tmp_path: Path, file: str, path: str
) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).touch()
    assert find_table_error(DataConfig(path=(f"{tmp_path}/{path}",)).model_dump_json()) == ""
    absent = DataConfig(path=(f"{tmp_path}/absent/{path}",)).model_dump_json()
    assert "no file matches" in find_table_error(absent)


def test_the_code_of_a_worker_is_that_of_each_component_with_jobs() -> None:
    specs = [
        value.EXECUTOR_SPEC
        for file in (ROOT / "components").glob("**/component.py")
        for value in vars(
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        ).values()
        if isinstance(getattr(value, "EXECUTOR_SPEC", None), BeamExecutorSpec)
    ]
    executors = {spec.executor_class.__module__ for spec in specs}
    assert {name for name in executors if name.startswith("components.")} == set(_EXECUTORS)


def test_a_version_of_flink_that_beam_does_not_know_is_refused(tmp_path: Path) -> None:
    with answering({"/overview": {"flink-version": "1.2.1", "slots-total": 2}}) as page:
        engine = FLINK.model_copy(update={"page": page})
        with pytest.raises(ConfigError, match=r"is Flink 1\.2\.1, and Beam .* works with Flink 1"):
            probe_engine(engine, [*engine.flags()], None, str(tmp_path))


def test_a_page_that_has_died_since_the_first_check_is_told(tmp_path: Path) -> None:
    with answering({}) as page:
        engine = FLINK.model_copy(update={"page": page})
    with pytest.raises(ConfigError, match="Flink does not answer at"):
        probe_engine(engine, [*engine.flags()], None, str(tmp_path))
