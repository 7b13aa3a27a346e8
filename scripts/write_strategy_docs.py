"""Prints docs/training.md with its matrix of strategies made from the table of restrictions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.config.sections.strategies import MEANINGS, RESTRICTIONS, SETTINGS, Strategy

PAGE = Path(__file__).parents[1] / "docs/training.md"
BEGIN = "<!-- The matrix: written by `make docs` from pipeline/config/sections/strategies.py. -->"
END = "<!-- End of the matrix. -->"


def main() -> None:
    """Prints the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    print("\n".join([before + BEGIN, *_matrix(), END + after]), end="")


def _matrix() -> Iterator[str]:
    columns = ["`training.strategy`", "replicas", *(_code(s.words) for s in SETTINGS)]
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join('---' for _ in columns)} |"
    for strategy, meaning in MEANINGS.items():
        cells = [f"`{strategy}`", meaning, *_answers(strategy)]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "`auto` supports what the strategy that it becomes supports."
    yield ""
    for number, restriction in enumerate(RESTRICTIONS, start=1):
        reason = restriction.reason[0].upper() + restriction.reason[1:]
        yield f"{number}. {reason}; {restriction.instead}."
    yield ""


def _answers(strategy: Strategy) -> Iterator[str]:
    """Yields a cell for each setting: `yes`, or the numbers of the reasons against it."""
    for setting in SETTINGS:
        numbers = [
            str(number)
            for number, restriction in enumerate(RESTRICTIONS, start=1)
            if strategy in restriction.strategies and restriction.setting is setting
        ]
        otherwise = "" if strategy == "auto" else "yes"
        yield f"no ({', '.join(numbers)})" if numbers else otherwise


def _code(words: str) -> str:
    return words if " " in words and ":" not in words else f"`{words}`"


if __name__ == "__main__":
    main()
