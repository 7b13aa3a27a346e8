"""Tortures whole runs: `python tests/torture --seeds 0-199`. Called by `make torture`.

Each seed is a round. Rounds that are in the results already are left out, so a range that was
interrupted goes on.
"""

import argparse
import shutil
import signal
import sys
import time
from pathlib import Path

from outcome import Round
from plan import make_plan
from rounds import run_round
from shim import build_shim
from table import append_round, read_rounds, write_table
from yardstick import Bench


def main() -> int:
    """Returns 1 if a round of the range found a fault, 2 for wrong usage, 130 after Ctrl-C."""
    arguments = _parse()
    # After SIGTERM, too, torture ends the run that is at work.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    directory = arguments.directory.resolve()
    try:
        bench = Bench(directory, build_shim(directory))
    except RuntimeError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    results, seeds = directory / "rounds.jsonl", _parse_seeds(arguments.seeds)
    done = set() if arguments.again else {r["plan"]["seed"] for r in read_rounds(results)}
    try:
        _run([seed for seed in seeds if seed not in done], bench, results, arguments.seconds)
    except KeyboardInterrupt:
        return 130
    finally:
        write_table(results, directory / "rounds.md")
    found = [r for r in read_rounds(results) if r["plan"]["seed"] in seeds]
    faulty = [r["plan"]["seed"] for r in found if r["faults"]]
    print(f"{len(found)} rounds, {len(faulty)} with faults{_list(faulty)}. See {results}.")
    return 1 if faulty else 0


def _run(seeds: list[int], bench: Bench, results: Path, seconds: float | None) -> None:
    started = time.monotonic()
    for seed in seeds:
        if seconds is not None and time.monotonic() - started > seconds:
            return
        result = run_round(make_plan(seed), bench)
        _keep_if_faulty(result, bench)
        append_round(results, result)
        _report(result)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-9", help="a seed, or a range such as 0-199")
    parser.add_argument("--directory", type=Path, default=Path("runs/torture"))
    parser.add_argument("--seconds", type=float, help="begin no round after so many seconds")
    parser.add_argument("--again", action="store_true", help="repeat rounds that have a result")
    return parser.parse_args()


def _parse_seeds(text: str) -> range:
    first, _, last = text.partition("-")
    try:
        return range(int(first), int(last or first) + 1)
    except ValueError:
        sys.exit(f"Error: --seeds {text}: give a number, or a range such as 0-199.")


def _keep_if_faulty(result: Round, bench: Bench) -> None:
    """Keeps the directory of a round that found a fault."""
    kept = bench.directory / "faulty" / str(result.plan.seed)
    shutil.rmtree(kept, ignore_errors=True)
    if result.faults:
        shutil.copytree(bench.place, kept, symlinks=True)


def _report(result: Round) -> None:
    verdict = "; ".join(result.faults) or result.skipped or "well"
    where = f"{result.plan.phase}, {result.place or 'the run had ended'}"
    plan = result.plan
    print(
        f"seed {plan.seed} ({plan.variant}, {plan.start}): {plan.injection}; {where}; "
        f"exit {result.code}, then {result.next_code}; {result.seconds:.0f} s: {verdict}",
        flush=True,
    )


def _list(seeds: list[int]) -> str:
    return f" ({', '.join(map(str, seeds))})" if seeds else ""


if __name__ == "__main__":
    sys.exit(main())
