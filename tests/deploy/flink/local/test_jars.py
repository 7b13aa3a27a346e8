"""The jars of the local Flink cluster: only locked ones are used."""

import re
from pathlib import Path

import pytest

from deploy.flink.local.jars import LOCK, check_tools, find_difference, write_lock
from deploy.flink.local.places import HERE
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


def test_the_lock_has_the_versions_of_the_pom() -> None:
    pom = (HERE / "pom.xml").read_text(encoding="utf-8")
    names = {line.split("  ")[1] for line in LOCK.read_text(encoding="utf-8").splitlines()}
    (beam,) = re.findall(r"<beam.version>(.+)</beam.version>", pom)
    (flink,) = re.findall(r"<flink.version>(.+)</flink.version>", pom)
    assert {f"beam-runners-flink-1.19-{beam}.jar", f"flink-runtime-{flink}.jar"} < names


def test_without_java_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="the Flink cluster needs java and mvn") as caught:
        check_tools()
    assert "apt-get install openjdk-17-jre-headless maven" in caught.value.hint
