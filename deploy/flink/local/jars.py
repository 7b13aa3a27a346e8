"""Gets the jars of the cluster from Maven's repository, and verifies them before use."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from deploy.flink.local.places import HERE, JARS
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically

LOCK = HERE / "jars.lock"
_OUTPUT_LINES = 10
"""The last lines of Maven's output that an error shows."""


def get_jars() -> Path:
    """Returns the directory with the locked jars; downloads them unless they are there."""
    check_tools()
    if find_difference(LOCK, JARS) is not None:
        download(JARS)
        if difference := find_difference(LOCK, JARS):
            raise ConfigError(
                f"{difference}, so the cluster does not start",
                f"if pom.xml was changed: python -m deploy.flink.local lock; else remove {JARS}",
            )
    return JARS


def check_tools() -> None:
    """Refuses to go on without Java and Maven."""
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing:
        raise ConfigError(
            f"the Flink cluster needs {' and '.join(missing)}",
            "install Java 17 and Maven: apt-get install openjdk-17-jre-headless maven",
        )


def download(jars: Path) -> None:
    """Replaces the directory by the jars that pom.xml asks for."""
    staged = jars.with_name(f"{jars.name}.part")
    shutil.rmtree(staged, ignore_errors=True)
    command = ["mvn", "--quiet", "--batch-mode", "-Dmaven.artifact.threads=10"]
    command += ["dependency:copy-dependencies", f"-DoutputDirectory={staged.absolute()}"]
    command += ["--file", str(HERE / "pom.xml")]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        lines = (result.stdout + result.stderr).strip().splitlines()[-_OUTPUT_LINES:]
        raise ConfigError("Maven did not get the jars of the Flink cluster", "\n".join(lines))
    shutil.rmtree(jars, ignore_errors=True)
    staged.rename(jars)


def write_lock(jars: Path, lock: Path) -> None:
    """Writes the checksum of each jar as `sha256sum` does."""
    lines = [f"{digest}  {name}\n" for name, digest in sorted(_digest_jars(jars).items())]
    write_text_atomically(lock, "".join(lines), durable=False)


def find_difference(lock: Path, jars: Path) -> str | None:
    """Returns a sentence about the first jar that is not as locked, or None."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    locked = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = _digest_jars(jars)
    for name in sorted(locked | found):
        if name not in found:
            return f"{name} is missing in {jars}"
        if name not in locked:
            return f"{name} in {jars} is not in {lock.name}"
        if found[name] != locked[name]:
            return f"{name} in {jars} has not the checksum of {lock.name}"
    return None


def _digest_jars(jars: Path) -> dict[str, str]:
    files = sorted(jars.glob("*.jar"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
