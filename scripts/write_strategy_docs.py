"""Prints docs/training.md with its matrix of strategies made anew from the table of refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.config.sections.strategies import CHOICES, MEANINGS, REFUSALS, Strategy

PAGE = Path(__file__).parents[1] / "docs/training.md"
BEGIN = "<!-- The matrix: written by `make docs` from pipeline/config/sections/strategies.py. -->"
END = "<!-- End of the matrix. -->"


def main() -> None:
    """Prints the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    print("\n".join([before + BEGIN, *_matrix(), END + after]), end="")


def _matrix() -> Iterator[str]:
    columns = ["`training.strategy`", "replicas", *(_code(c.words) for c in CHOICES)]
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join('---' for _ in columns)} |"
    for strategy, meaning in MEANINGS.items():
        cells = [f"`{strategy}`", meaning, *_answers(strategy)]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "`auto` goes with what the strategy it becomes goes with."
    yield ""
    for number, refusal in enumerate(REFUSALS, start=1):
        yield f"{number}. {refusal.reason[0].upper()}{refusal.reason[1:]}; {refusal.instead}."
    yield ""


def _answers(strategy: Strategy) -> Iterator[str]:
    """A cell for each choice: `yes`, or the number of the reason why not."""
    for choice in CHOICES:
        numbers = [
            str(number)
            for number, refusal in enumerate(REFUSALS, start=1)
            if strategy in refusal.strategies and refusal.choice is choice
        ]
        otherwise = "" if strategy == "auto" else "yes"
        yield f"no ({', '.join(numbers)})" if numbers else otherwise


def _code(words: str) -> str:
    return words if " " in words and ":" not in words else f"`{words}`"


if __name__ == "__main__":
    main()
