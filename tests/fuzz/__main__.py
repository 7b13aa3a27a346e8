"""Fuzzes what reads bytes of strangers: `python tests/fuzz --seconds 3600`. `make fuzz` calls it.

Inputs that fail go to the corpus as files, which the fast tests try from then on.
"""

import argparse
import sys
from pathlib import Path

from fuzzing import CORPUS, fuzz
from targets import TARGETS


def main() -> int:
    """Returns 1 if a target failed, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--target", choices=[*TARGETS], action="append", help="may be repeated")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    arguments = parser.parse_args()
    names = arguments.target or [*TARGETS]
    failed = False
    for name in names:
        count, faults = fuzz(name, TARGETS[name], arguments.corpus, arguments.seconds / len(names))
        print(f"{name}: {count:,} inputs, {len(faults)} faults", flush=True)
        for fault in faults:
            print(f"  {fault.trace}: {fault.save(arguments.corpus)}", flush=True)
        failed = failed or bool(faults)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
