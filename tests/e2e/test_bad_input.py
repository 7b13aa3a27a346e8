"""Bad input ends with a clear word, changes nothing, and after the repair the run is good.

All cases share one directory and one repair at the end, since what a case may change is checked
after each.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from support import SHOP_CONFIG, Project, digest_tree, shop_table, with_long, write_csv

pytestmark = pytest.mark.slow

GOOD = shop_table()
LINES = ["price,color,bought"] + [
    f"{p},{c},{b}" for p, c, b in zip(GOOD["price"], GOOD["color"], GOOD["bought"], strict=True)
]


def table(edit: Callable[[list[str]], None]) -> str:
    lines = list(LINES)
    edit(lines)
    return "\n".join(lines) + "\n"


def set_line(number: int, text: str) -> Callable[[list[str]], None]:
    """Replaces the line with this number, the header being line 1."""

    def edit(lines: list[str]) -> None:
        lines[number - 1] = text

    return edit


def without_labels(count: int) -> str:
    lines = [LINES[0], *(line[:-1] if i < count else line for i, line in enumerate(LINES[1:]))]
    return "\n".join(lines) + "\n"


@dataclass
class Case:
    code: int
    words: tuple[str, ...]
    csv: str | bytes | None = None
    config: str = SHOP_CONFIG
    remove: bool = False
    arguments: tuple[str, ...] = ()


CASES = {
    "missing file": Case(2, ("data.path", "shop.csv"), remove=True),
    "ragged row": Case(3, ("shop.csv:37", "3", "4"), csv=table(set_line(37, "1,red,0,9"))),
    "bad utf-8": Case(
        3,
        ("shop.csv:12", "utf-8", "data.csv.encoding"),
        csv=table(set_line(12, "3,gr\xfcn,1")).encode("latin-1"),
    ),
    "label column absent": Case(
        2, ("label.column", "'bougt'", "'bought'"), arguments=("--set", "label.column=bougt")
    ),
    "label constant": Case(
        3, ("bought", "label"), csv=table(lambda ls: ls.__setitem__(
            slice(1, None), [line[:-1] + "1" for line in ls[1:]]))
    ),
    "unknown config key": Case(
        2,
        ("my.yaml:9", "training.epoch", "'epochs'"),
        config=SHOP_CONFIG.replace("epochs:", "epoch:"),
    ),
    "threshold of another task": Case(
        2, ("my.yaml:14", "evaluation.thresholds[1st].metric", "rmse"),
        config=SHOP_CONFIG.replace("metric: auc", "metric: rmse"),
    ),
    "output not writable": Case(
        2, ("--output", "cannot be written"), arguments=("--output", "/proc/out")
    ),
    "output that Beam would take for a pattern": Case(
        2, ("--output", "contains [ ]"), arguments=("--output", "out[1]")
    ),
    "text in a number column": Case(
        3, ("shop.csv:50", "'price'", "'cheap'"), csv=table(set_line(50, "cheap,red,1"))
    ),
    "unknown label value": Case(
        3, ("'maybe'", "label.classes"), csv=table(set_line(9, "1,red,maybe"))
    ),
    "too many rows without a label": Case(
        3, ("100", "label.max_missing"), csv=without_labels(100)
    ),
}  # fmt: skip
_LONG = {"output that Beam would take for a pattern", "text in a number column", "label constant"}


@pytest.fixture(scope="module", autouse=True)
def served(project: Project) -> None:
    """Returns a project with a served model, which no bad input may change."""
    result = project.run()
    assert result.code == 0, result.output


@pytest.mark.parametrize("name", with_long(CASES, _LONG))
def test_bad_input_is_refused_and_changes_nothing(project: Project, name: str) -> None:
    case = CASES[name]
    csv = project.directory / "shop.csv"
    write_csv(csv, GOOD)
    live, served = project.live_artifacts(), digest_tree(project.serving)
    if isinstance(case.csv, bytes):
        csv.write_bytes(case.csv)
    elif case.csv is not None:
        csv.write_text(case.csv)
    if case.remove:
        csv.unlink()
    project.write("my.yaml", case.config)

    # An unreadable table is refused even when only its content, not its header, tells.
    result = project.run(*case.arguments)

    assert result.code == case.code, result.output
    for word in case.words:
        assert word in " ".join(result.output.split()), result.output
    assert "Traceback" not in result.output
    assert project.live_artifacts() == live
    assert digest_tree(project.serving) == served


def test_the_repaired_table_is_cached_and_the_served_model_unchanged(project: Project) -> None:
    write_csv(project.directory / "shop.csv", GOOD)
    project.write("my.yaml", SHOP_CONFIG)
    repaired = project.run()
    assert repaired.code == 0, repaired.output
    assert set(repaired.states().values()) == {"cached"}


@pytest.mark.long
def test_rows_without_a_label_are_left_out_and_reported(project: Project) -> None:
    project.write("shop.csv", without_labels(7))
    result = project.run()
    assert result.code == 0, result.output
    rows = next(c["rows"] for c in result.summary["components"] if c["name"] == "ExampleGen")
    assert sum(rows.values()) == 393
    assert "7 rows without a label" in result.output
