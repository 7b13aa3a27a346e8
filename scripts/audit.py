"""Checks the locked packages against published advisories; `make audit` calls it.

pip-audit skips a package that its service does not know or does not answer for. Here a skipped
package is a failure, since nothing is known about it. Arguments are passed to pip-audit, such as
`-s osv`, or `--osv-url URL` for a mirror.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

REQUIREMENTS = Path("requirements")
ACCEPTED = REQUIREMENTS / "accepted-advisories.yaml"


@dataclass
class Audit:
    """The advisories for all locks."""

    packages: int = 0
    unanswered: set[str] = field(default_factory=set)
    """The packages that the service knows nothing about."""
    open: list[str] = field(default_factory=list)
    """A line for each advisory that is not accepted."""
    applied: set[str] = field(default_factory=set)
    """The accepted advisories that apply to a locked package."""

    def add(self, lock: str, dependencies: Iterable[dict[str, Any]], accepted: set[str]) -> None:
        """Adds pip-audit's report on one lock file."""
        for package in dependencies:
            self.packages += 1
            if "skip_reason" in package:
                self.unanswered.add(package["name"])
            for advisory in package.get("vulns", []):
                names = {advisory["id"], *advisory["aliases"]}
                self.applied |= names & accepted
                if not names & accepted:
                    fixed = ", ".join(advisory["fix_versions"]) or "no version"
                    about = f"{package['name']} {package['version']} ({lock})"
                    self.open.append(f"{about}: {advisory['id']}, fixed in {fixed}")


def main(arguments: Sequence[str]) -> int:
    """Audits every lock file, and returns the exit code.

    The exit code is 0 if every advisory that applies is accepted, and every accepted one applies.
    """
    entries = YAML(typ="safe").load(ACCEPTED.read_text(encoding="utf-8"))
    accepted = {entry["id"] for entry in entries}
    audit = Audit()
    # The locks for the image (*-run.txt) are subsets of the others.
    for lock in sorted({*REQUIREMENTS.glob("*.txt")} - {*REQUIREMENTS.glob("*-run.txt")}):
        audit.add(lock.name, _run_pip_audit(lock, arguments), accepted)
    if audit.unanswered:
        print(
            f"Error: the advisory service answered for {audit.packages - len(audit.unanswered)} of "
            f"{audit.packages} packages: nothing is known about the others. The service must be "
            "reachable: the package index with its JSON API, or OSV with ARGUMENTS='-s osv'.",
            file=sys.stderr,
        )
        return 1
    unused = sorted(accepted - audit.applied)
    for line in [*audit.open, *(f"{name}: accepted, but does not apply" for name in unused)]:
        print(line)
    print(f"{audit.packages} packages, {len(audit.open)} open, {len(audit.applied)} accepted")
    return 1 if audit.open or unused else 0


def _run_pip_audit(lock: Path, arguments: Sequence[str]) -> list[dict[str, Any]]:
    """Returns pip-audit's entry for each package of the lock file."""
    command = [str(Path(sys.executable).with_name("pip-audit")), "--requirement", str(lock)]
    options = ["--disable-pip", "--progress-spinner=off", "--format=json", *arguments]
    # The exit code is 1 for findings and for failures; only findings come with a report.
    answer = subprocess.run([*command, *options], capture_output=True, text=True)
    if not answer.stdout.startswith("{"):
        cause = (answer.stderr.strip().splitlines() or ["no answer"])[-1]
        sys.exit(f"Error: pip-audit failed for {lock}: {cause}")
    return list(json.loads(answer.stdout)["dependencies"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
