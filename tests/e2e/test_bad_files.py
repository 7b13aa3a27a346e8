"""Files that are damaged, and cells no table should hold: a clear word, and nothing has changed.

What else the readers refuse, their own tests hold.

All cases share one directory and one repair at the end, since what a case may change is checked
after each.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from support import SHOP_CONFIG, Project, digest_tree, shop_table, with_long, write_csv

pytestmark = pytest.mark.slow

GOOD = shop_table()
LINES = ["price,color,bought"] + [
    f"{p},{c},{b}" for p, c, b in zip(GOOD["price"], GOOD["color"], GOOD["bought"])
]
PARQUET = SHOP_CONFIG.replace("path: shop.csv", "source: parquet\n  path: shop.parquet")
Write = Callable[[Path], object]


def with_line(number: int, line: str) -> Write:
    """shop.csv with another line at this place, the header being line 1."""
    lines = [*LINES[: number - 1], line, *LINES[number:]]
    return lambda folder: (folder / "shop.csv").write_text("\n".join(lines) + "\n")


def separated_by_semicolons(folder: Path) -> None:
    (folder / "shop.csv").write_text("\n".join(LINES).replace(",", ";") + "\n")


def parquet(folder: Path, price: float | None = None) -> Path:
    path = folder / "shop.parquet"
    table = GOOD if price is None else GOOD | {"price": [*GOOD["price"][:-1], price]}
    pq.write_table(pa.table(table), path)
    return path


def broken_page(folder: Path) -> None:
    path = parquet(folder)
    column = pq.ParquetFile(path).metadata.row_group(0).column(0)
    content = bytearray(path.read_bytes())
    middle = column.dictionary_page_offset + column.total_compressed_size // 2
    content[middle : middle + 40] = b"\xff" * 40
    path.write_bytes(content)


def second_file(*lines: str) -> Write:
    def write(folder: Path) -> None:
        write_csv(folder / "shop.csv", GOOD)
        (folder / "shop-2.csv").write_text("\n".join(lines) + "\n")

    return write


def late_text(folder: Path) -> None:
    """A million rows, in which row 900,000 has the word `spare` in a column of numbers."""
    random = np.random.default_rng(0)
    price = random.gamma(2, 10, 1_000_000)
    color = random.integers(100, 160, len(price)).astype(str).astype(object)
    color[899_999] = "spare"
    bought = (price > 20).astype(int)
    table = pa.table({"price": price, "color": pa.array(color, pa.string()), "bought": bought})
    pa_csv.write_csv(table, folder / "shop.csv")


def integer_beyond_64_bits(folder: Path) -> None:
    prices = [*range(399), 10**20]
    write_csv(folder / "shop.csv", GOOD | {"price": prices})


def classes_that_come_late(folder: Path) -> None:
    late = [int(row >= 350) for row in range(400)]
    write_csv(folder / "shop.csv", {"day": range(400), "color": GOOD["color"], "bought": late})


@dataclass
class Case:
    code: int
    words: tuple[str, ...]
    write: Write
    config: str = SHOP_CONFIG


CASES = {
    "a directory": Case(
        2,
        ("data.path", "'shop' is a directory", "shop/*.csv"),
        lambda folder: (folder / "shop").mkdir(),
        SHOP_CONFIG.replace("shop.csv", "shop"),
    ),
    "a pattern without a match": Case(
        2,
        ("data.path", "no file matches 'sho?-*.csv'"),
        lambda folder: None,
        SHOP_CONFIG.replace("shop.csv", "sho?-*.csv"),
    ),
    "another delimiter": Case(
        2,
        ("label.column", "separated by semicolons", "set data.csv.delimiter to ';'"),
        separated_by_semicolons,
    ),
    "files with different types": Case(
        3,
        ("shop-2.csv:3", "'price'", "'cheap'"),
        # The order of the columns may differ.
        second_file("bought,color,price", "1,red,8", "0,red,cheap"),
        SHOP_CONFIG.replace("shop.csv", "shop*.csv"),
    ),
    "a broken page in a Parquet file": Case(3, ("shop.parquet", "damaged"), broken_page, PARQUET),
    "too large for a double": Case(3, ("shop.csv:50", "'1e400'"), with_line(50, "1e400,red,1")),
    "too large for a float": Case(
        3,
        ("shop.parquet: row 400", "'price'", "1e+300", "null"),
        lambda folder: parquet(folder, price=1e300),
        PARQUET,
    ),
    "beyond 64 bits": Case(
        3,
        ("shop.csv:401", "'price'", "'100000000000000000000'", "64 bits"),
        integer_beyond_64_bits,
        SHOP_CONFIG.replace("  path: shop.csv", "  path: shop.csv\n  types: {price: int}"),
    ),
    "a field of 100 MB": Case(
        3, ("shop.csv:8", "longer than 64 MB"), with_line(8, f'5,"{"x" * 100_000_000}",1')
    ),
    "text in row 900,000": Case(
        3,
        ("shop.csv:900001", "'color'", "'spare'", "1 such cells of 1,000,000", "data.types.color"),
        late_text,
    ),
    "a class that is not in the past": Case(
        3,
        ("label 'bought'", "every training row is of class '0'", "'1'"),
        classes_that_come_late,
        SHOP_CONFIG.replace("price: numeric", "day: numeric").replace(
            "split: {", "split: {by: time, column: day, "
        ),
    ),
}


_LONG = {
    "a pattern without a match", "too large for a double", "too large for a float",
    "beyond 64 bits", "a field of 100 MB",
}  # fmt: skip
"""Whose messages the tests of the readers check, too."""


@pytest.fixture(scope="module")
def served(project: Project) -> Project:
    """Returns a project with a served model, which no bad file may change."""
    result = project.run()
    assert result.code == 0, result.output
    return project


@pytest.mark.parametrize("name", with_long(CASES, _LONG))
def test_a_bad_file_is_refused_and_changes_nothing(served: Project, name: str) -> None:
    case = CASES[name]
    live, before = served.live_artifacts(), digest_tree(served.serving)
    case.write(served.directory)
    served.write("bad.yaml", case.config)

    result = served.run(config="bad.yaml")

    assert result.code == case.code, result.output
    for word in case.words:
        assert word in " ".join(result.output.split()), result.output
    assert "Traceback" not in result.output
    assert served.live_artifacts() == live
    assert digest_tree(served.serving) == before
    for extra in ("shop-2.csv", "shop.parquet"):
        (served.directory / extra).unlink(missing_ok=True)


class Appending:
    """Appends good rows to a file, one after another, inside the `with` block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._append)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *unused: object) -> None:
        self._done.set()
        self._thread.join()

    def _append(self) -> None:
        while not self._done.wait(0.005):
            with self._path.open("a") as file:
                file.write("12.5,red,1\n")


def test_a_file_that_grows_while_it_is_read_is_refused(served: Project) -> None:
    live, before = served.live_artifacts(), digest_tree(served.serving)
    csv = served.directory / "shop.csv"
    # Large enough for a row to be added between the first look at it and the last.
    csv.write_text("\n".join([LINES[0], *LINES[1:] * 2000]) + "\n")
    with Appending(csv):
        result = served.run()
    assert result.code == 3, result.output
    assert "the files were changed while they were read" in result.output
    assert served.live_artifacts() == live
    assert digest_tree(served.serving) == before


SIZES_CONFIG = """\
name: shop
data:
  path: sizes.csv
  split: {by: time, column: day, train: 0.6, eval: 0.2, test: 0.2}
features: {price: numeric}
label: {column: size, task: multiclass, classes: [small, medium, big]}
training: {epochs: 1}
evaluation: {thresholds: [{metric: accuracy, at_least: 0.1}]}
"""


@pytest.mark.parametrize(
    ("sizes", "code", "words"),
    [
        pytest.param(
            ["small", "medium"], 0, "no training row is of class 'big'", marks=pytest.mark.long
        ),
        (["small"], 3, "every training row is of class 'small'; 'big' occurs only in"),
    ],
)
def test_a_class_without_training_rows_is_reported(
    tmp_path: Path, sizes: list[str], code: int, words: str
) -> None:
    days = np.arange("2024-01-01", "2024-10-27", dtype="datetime64[D]")
    table = {
        "day": list(days),
        "price": [10 * (i % len(sizes)) + i / 100 for i in range(len(days))],
        "size": ["big" if 200 <= i < 210 else sizes[i % len(sizes)] for i in range(len(days))],
    }
    write_csv(tmp_path / "sizes.csv", table)
    shop = Project(tmp_path)
    shop.write("my.yaml", SIZES_CONFIG)
    result = shop.run()
    assert result.code == code, result.output
    assert words in " ".join(result.output.split()), result.output


def test_the_repaired_table_is_cached_and_the_served_model_unchanged(served: Project) -> None:
    before = digest_tree(served.serving)
    write_csv(served.directory / "shop.csv", GOOD)
    result = served.run()
    assert result.code == 0, result.output
    assert set(result.states().values()) == {"cached"}
    assert digest_tree(served.serving) == before
