"""Workers that do not fit the run are refused, each by what differs."""

from pathlib import Path

import pytest
from flink_answers import answering

from components.engine.probe import _compare, describe_worker, probe_engine
from pipeline.config.engine.section import EngineConfig
from pipeline.core.errors import ConfigError

FLINK = EngineConfig(kind="flink", endpoint="localhost:1")


def test_without_the_probe_only_flinks_version_is_checked(tmp_path: Path) -> None:
    with answering({"/overview": {"flink-version": "1.19.0", "slots-total": 2}}) as page:
        engine = FLINK.model_copy(update={"page": page, "probe": False})
        probe_engine(engine, [*engine.flags()], [], str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"unseen": ["/mnt/a/.engine-1"]}, "the worker on there does not see /mnt/a"),
        ({"unseen": ["/mnt/data/*.csv"]}, "the worker on there does not see /mnt/data/*.csv"),
        ({"python": "3.9"}, "has Python 3.9, this machine 3."),
        ({"beam": "2.1.0"}, "has Beam 2.1.0, this machine 2."),
        ({"code": "0"}, "has other code of this project"),
    ],
)
def test_a_worker_that_differs_is_refused(changed: dict[str, object], words: str) -> None:
    view = {**describe_worker(), "host": "there", "unseen": [], **changed}
    with pytest.raises(ConfigError) as refusal:
        _compare(view, describe_worker(), {"/mnt/a/.engine-1": "/mnt/a"}, FLINK)
    assert words in refusal.value.message


def test_a_version_of_flink_that_beam_does_not_know_is_refused(tmp_path: Path) -> None:
    with answering({"/overview": {"flink-version": "1.2.1", "slots-total": 2}}) as page:
        engine = FLINK.model_copy(update={"page": page})
        with pytest.raises(ConfigError, match=r"is Flink 1\.2\.1, and Beam .* works with Flink 1"):
            probe_engine(engine, [*engine.flags()], [], str(tmp_path))
