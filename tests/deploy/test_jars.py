"""The jars of Flink and Spark: only locked ones are used."""

import re
from pathlib import Path

import pytest

from deploy.flink.local.cluster import CLUSTER_JARS
from deploy.jars import JarSet, find_difference, write_lock
from deploy.spark.local.server import SERVER_JARS
from pipeline.core.errors import ConfigError


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    directory = tmp_path / "jars"
    directory.mkdir()
    for name in ("a-1.jar", "b-2.jar"):
        (directory / name).write_bytes(name.encode())
    write_lock(directory, tmp_path / "lock")
    return directory


def test_locked_jars_are_taken(jars: Path, tmp_path: Path) -> None:
    assert find_difference(tmp_path / "lock", jars) is None


def test_a_changed_jar_is_refused(jars: Path, tmp_path: Path) -> None:
    (jars / "b-2.jar").write_bytes(b"other")
    difference = find_difference(tmp_path / "lock", jars)
    assert difference == f"b-2.jar in {jars} has not the checksum of lock"


def test_an_additional_jar_is_refused(jars: Path, tmp_path: Path) -> None:
    (jars / "c-3.jar").write_bytes(b"c")
    assert find_difference(tmp_path / "lock", jars) == f"c-3.jar in {jars} is not in lock"


def test_a_missing_jar_is_named(jars: Path, tmp_path: Path) -> None:
    (jars / "a-1.jar").unlink()
    assert find_difference(tmp_path / "lock", jars) == f"a-1.jar is missing in {jars}"


@pytest.mark.parametrize(
    ("jars", "engine", "names"),
    [
        (CLUSTER_JARS, "flink", ("beam-runners-flink-1.19-{}", "flink-runtime-{}")),
        (SERVER_JARS, "spark", ("beam-runners-spark-3-{}", "spark-core_2.12-{}")),
    ],
)
def test_the_lock_has_the_versions_of_the_pom(
    jars: JarSet, engine: str, names: tuple[str, str]
) -> None:
    pom = (jars.home / "pom.xml").read_text(encoding="utf-8")
    locked = {line.split("  ")[1] for line in jars.lock.read_text(encoding="utf-8").splitlines()}
    versions = [re.findall(rf"<{n}.version>(.+)</{n}.version>", pom)[0] for n in ("beam", engine)]
    assert {f"{name.format(v)}.jar" for name, v in zip(names, versions)} < locked


def test_without_java_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="the Flink cluster needs java and mvn") as caught:
        CLUSTER_JARS.check_tools()
    assert "apt-get install openjdk-17-jre-headless maven" in caught.value.hint
