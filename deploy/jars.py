"""Gets the jars of Flink or Spark from Maven's repository, and verifies them before use."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically

_OUTPUT_LINES = 10
"""The last lines of Maven's output that an error shows."""


@dataclass(frozen=True)
class JarSet:
    """The jars of one program."""

    program: str
    """Its name in messages, such as "the Flink cluster"."""
    home: Path
    """The directory of `pom.xml`, which asks for the jars, and of `jars.lock`."""
    directory: Path
    """Where the jars are."""
    lock_command: str

    @property
    def lock(self) -> Path:
        """The file with the checksums."""
        return self.home / "jars.lock"

    def get(self) -> None:
        """Downloads the jars unless the locked ones are there."""
        self.check_tools()
        if find_difference(self.lock, self.directory) is not None:
            self.download()
            if difference := find_difference(self.lock, self.directory):
                raise ConfigError(
                    f"{difference}, so {self.program} does not start",
                    f"if pom.xml was changed: {self.lock_command}; else remove {self.directory}",
                )

    def lock_again(self) -> None:
        """Resolves pom.xml again, and locks the checksums of its jars."""
        self.check_tools()
        self.download()
        write_lock(self.directory, self.lock)

    def check_tools(self) -> None:
        """Refuses to go on without Java and Maven."""
        missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
        if missing:
            raise ConfigError(
                f"{self.program} needs {' and '.join(missing)}",
                "install Java 17 and Maven: apt-get install openjdk-17-jre-headless maven",
            )

    def download(self) -> None:
        """Replaces the directory by the jars that pom.xml asks for."""
        staged = self.directory.with_name(f"{self.directory.name}.part")
        shutil.rmtree(staged, ignore_errors=True)
        command = ["mvn", "--quiet", "--batch-mode", "-Dmaven.artifact.threads=10"]
        command += ["dependency:copy-dependencies", f"-DoutputDirectory={staged.absolute()}"]
        command += ["--file", str(self.home / "pom.xml")]
        result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if result.returncode != 0:
            lines = (result.stdout + result.stderr).strip().splitlines()[-_OUTPUT_LINES:]
            raise ConfigError(f"Maven did not get the jars of {self.program}", "\n".join(lines))
        shutil.rmtree(self.directory, ignore_errors=True)
        staged.rename(self.directory)


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
