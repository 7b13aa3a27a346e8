"""Fuzzes one target with atheris: `python tests/fuzz/guided.py csv --seconds 600`.

libFuzzer changes inputs towards branches that no input has reached yet, which hypothesis does not.
`make fuzz-guided` calls it for each target, because libFuzzer ends the process. An input that fails
goes to the corpus as a file, which the fast tests try from then on.
"""

import argparse
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["components", "pipeline", "serving"]):
    from fuzzing import CORPUS, list_corpus
    from targets import TARGETS, try_target

_REACHED = Path("build/fuzz")
"""Inputs that reached new branches: the next session begins with them."""
_LONGEST_INPUT = 1 << 14
_HANG_SECONDS = 30


def main() -> None:
    """Ends the process: with 0 after so many seconds, else with libFuzzer's code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=[*TARGETS])
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    name = arguments.target
    reached = _REACHED / name
    reached.mkdir(parents=True, exist_ok=True)
    for path in list_corpus(name):
        (reached / path.name).write_bytes(path.read_bytes())
    atheris.Setup(
        [
            sys.argv[0],
            str(reached),
            f"-max_total_time={arguments.seconds}",
            f"-timeout={_HANG_SECONDS}",
            f"-max_len={_LONGEST_INPUT}",
            f"-artifact_prefix={CORPUS / name}/found-",
            "-print_final_stats=1",
        ],
        lambda content: try_target(TARGETS[name], content),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
