"""Tables as spreadsheets, databases and people write them, each with its true values."""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Table:
    """A file's content, and the values that it stands for."""

    file: str
    label: str
    content: bytes
    truth: dict[str, list[Any]] = field(default_factory=dict)
    """The true values by column; None is a missing value."""

    def write(self, directory: Path) -> None:
        (directory / self.file).write_bytes(self.content)


def as_csv(columns: Columns, header: bool = True, **dialect: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", **dialect)
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def sprinkle(
    random: np.random.Generator, values: Sequence[Any], marks: Sequence[str], share: float
) -> tuple[list[Any], list[Any]]:
    """Returns the values with some replaced by marks, and the true values with None there."""
    gone = random.random(len(values)) < share
    cells = [random.choice(marks) if g else v for g, v in zip(gone, values, strict=True)]
    return cells, [None if g else v for g, v in zip(gone, values, strict=True)]


def german(number: float, digits: int = 2) -> str:
    """1.234,50"""
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def german_invoices(rows: int = 900) -> Table:
    """Semicolons, a byte order mark, 1.234,50 €, blanks before categories, four marks for missing,
    line breaks, quotes and delimiters in cells, and a label that some rows lack."""
    random = np.random.default_rng(1)
    amount = np.exp(random.normal(6.5, 1.2, rows)).round(2)
    region = random.choice(["Nord", "Süd", "West"], rows)
    pieces, known_pieces = sprinkle(
        random, random.integers(1, 90, rows).tolist(), ["NULL", "NA", "?", ""], 0.2
    )
    grade, known_grade = sprinkle(
        random, random.choice(["gut", "mittel"], rows).tolist(), ["NULL", "?", ""], 0.15
    )
    score = 1.2 * (np.log(amount) - 6.5) + (region == "Nord") + random.normal(0, 0.5, rows)
    paid = np.where(score > 0.4, "ja", "nein").tolist()
    label, known_label = sprinkle(random, paid, ["", "NA"], 0.03)
    note = [f'Zeile "eins";\r\n{word}, und\nmehr {i % 7}' for i, word in enumerate(region)]
    columns = {
        "Betrag (brutto)": [f"{german(a)} €" for a in amount],
        "Rabatt": [german(v, 3) for v in random.normal(0, 5, rows)],
        "Region": [f"{' ' * (i % 3)}{r}" for i, r in enumerate(region)],
        "Stück": pieces,
        "Note": grade,
        "Notiz": note,
        "bezahlt": label,
    }
    truth = {
        "Betrag (brutto)": amount.tolist(), "Region": region.tolist(), "Stück": known_pieces,
        "Note": known_grade, "Notiz": note, "bezahlt": known_label,
    }  # fmt: skip
    content = as_csv(columns, delimiter=";").encode("utf-8-sig")
    return Table("rechnungen.csv", "bezahlt", content, truth)


def american_sales(rows: int = 1500) -> Table:
    """Everything quoted: "1,234", "$5.00", "12 %", dates in six forms, names with parentheses and
    one that is empty, and a target with a long tail and a currency."""
    random = np.random.default_rng(2)
    units = random.lognormal(6, 1.3, rows).round()
    discount = random.integers(0, 60, rows)
    price = random.lognormal(1.5, 0.4, rows).round(2)
    day = [datetime(2023, 1, 1) + timedelta(hours=int(h)) for h in random.integers(0, 17_000, rows)]
    noise = random.normal(0, 0.15, rows)
    revenue = np.exp(np.log(units * price) + np.log1p(-discount / 100) + noise).round(2)
    columns = {
        "Units sold (total)": [f"{u:,.0f}" for u in units],
        "": [f"${p:.2f}" for p in price],
        "Discount, in %": [f"{d} %" for d in discount],
        "weight": [f"{v:.1f}" if i % 3 else f"{v:.0f}" for i, v in enumerate(price * 3)],
        "ordered": [d.strftime("%Y-%m-%d") for d in day],
        "paid at": [d.strftime("%m/%d/%Y %I:%M %p") for d in day],
        "shipped": [d.strftime("%d.%m.%Y %H:%M") for d in day],
        "booked": [d.strftime("%Y%m%d") for d in day],
        "due": [d.strftime("%d-%b-%Y") for d in day],
        "seen": [d.strftime(["%Y-%m-%d", "%d/%m/%Y"][i % 2]) for i, d in enumerate(day)],
        "revenue": [f"${r:,.2f}" for r in revenue],
    }
    truth = {
        "Units sold (total)": units.tolist(), "column_2": price.tolist(),
        "Discount, in %": discount.tolist(), "revenue": revenue.tolist(),
    }  # fmt: skip
    content = as_csv(columns, quoting=csv.QUOTE_ALL).encode()
    return Table("sales.csv", "revenue", content, truth)


def frauds(rows: int = 30_000, positives: int = 60) -> Table:
    """Tabs, sorted by class, 0.2 % positives, labels '-1' and '1' in quotes, every tenth row
    twice, the label in disguise, ids, and columns that say nothing."""
    random = np.random.default_rng(3)
    a, b = random.normal(size=(2, rows)).round(3)
    score = a + b + random.normal(0, 0.4, rows)
    is_fraud = score >= np.sort(score)[-positives]
    columns = {
        "id": [str(uuid.UUID(int=int(v), version=4)) for v in random.integers(0, 2**62, rows)],
        "transaction": (np.arange(rows) + 5_000_000).tolist(),
        "a": a.tolist(),
        "b": b.tolist(),
        "chargeback": np.where(is_fraud, "refunded", "none needed").tolist(),
        "currency": ["EUR"] * rows,
        "empty": [""] * rows,
        "channel": random.choice(["web", "shop", "phone"], rows).tolist(),
        "fraud": np.where(is_fraud, "1", "-1").tolist(),
    }
    again = random.random(rows) < 0.1
    order = np.argsort(np.concatenate([is_fraud, is_fraud[again]]), kind="stable")
    twice = {n: np.concatenate([c, np.array(c)[again]])[order].tolist() for n, c in columns.items()}
    content = as_csv(twice, delimiter="\t", quoting=csv.QUOTE_NONNUMERIC).encode()
    return Table("frauds.tsv", "fraud", content, twice)


def flowers(rows: int = 1200) -> Table:
    """A class with five rows, integers among floats, numbers as quoted text, apostrophes as quotes,
    and missing labels."""
    random = np.random.default_rng(4)
    kind = np.array(["rara avis"] * 5 + ["setosa"] * (rows // 2) + ["virginica"] * (rows // 2 - 5))
    center = {"rara avis": 9, "setosa": 0, "virginica": 3}
    length = np.array([center[k] for k in kind]) + random.normal(0, 1, rows)
    label, known = sprinkle(random, kind[5:].tolist(), ["?"], 0.05)
    columns = {
        "petal length, cm": [f"{v:.2f}" if i % 2 else f"{v:.0f}" for i, v in enumerate(length)],
        "leaves": [f"{v}.0" if i % 3 else str(v) for i, v in enumerate(random.poisson(9, rows))],
        "species": ["rara avis"] * 5 + label,
    }
    shuffled = random.permutation(rows)
    cells = {n: [c[i] for i in shuffled] for n, c in columns.items()}
    text = as_csv(cells, quotechar="'", quoting=csv.QUOTE_ALL)
    truth = {
        "petal length, cm": [float(v) for v in cells["petal length, cm"]],
        "leaves": [float(v) for v in cells["leaves"]],
        "species": [(["rara avis"] * 5 + known)[i] for i in shuffled],
    }
    return Table("flowers.csv", "species", text.encode(), truth)


def reviews(rows: int = 22_000, levels: int = 20_000) -> Table:
    """A category of 20,000 levels and free text, in which two words make the difference."""
    random = np.random.default_rng(5)
    seen = np.concatenate([np.arange(levels), random.integers(0, levels, rows - levels)])
    words = np.array([f"word{i}" for i in range(500)] + ["lovely", "broken"])
    drawn = random.integers(0, len(words), (rows, 6))
    score = 2.0 * (drawn == 500).sum(axis=1) - 2.0 * (drawn == 501).sum(axis=1)
    # One of the two words in every second text.
    told = random.random(rows) < 0.5
    good = random.random(rows) < 0.5
    drawn[:, 0] = np.where(told, np.where(good, 500, 501), drawn[:, 0])
    score += np.where(told, np.where(good, 3, -3), 0) + random.normal(0, 1, rows)
    columns = {
        "visitor": [f"v{k:06d}" for k in random.permutation(seen)],
        "review": [" ".join(words[d]).capitalize() + "." for d in drawn],
        "stars": (score > 0).astype(int).tolist(),
    }
    return Table("reviews.csv", "stars", as_csv(columns).encode(), columns)


def headless(rows: int = 200) -> Table:
    """200 rows and no header."""
    random = np.random.default_rng(6)
    x = random.normal(size=rows).round(3)
    color = random.choice(["red", "green", "blue"], rows)
    bought = np.where(x + (color == "red") + random.normal(0, 0.4, rows) > 0.3, "yes", "no")
    columns = {
        "column_1": x.tolist(), "column_2": random.integers(1, 99, rows).tolist(),
        "column_3": color.tolist(), "column_4": bought.tolist(),
    }  # fmt: skip
    return Table("headless.csv", "column_4", as_csv(columns, header=False).encode(), columns)


TABLES: dict[str, Callable[[], Table]] = {
    f.__name__: f for f in (german_invoices, american_sales, frauds, flowers, reviews, headless)
}
