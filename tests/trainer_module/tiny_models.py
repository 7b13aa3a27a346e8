"""Small tables with every kind of feature under troublesome names, and models trained on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tfx.components.trainer.fn_args_utils import FnArgs
from tiny_run import Table, column_type, custom_config, transform

from trainer_module.run import run_fn

ROWS = 240
SPECIAL_FEATURES = {
    "trip miles (km)": "numeric",
    "größe/breite.cm": {"kind": "numeric", "scale": "quantile"},
    "a%b": "categorical",
    "Fare": {"kind": "numeric", "scale": "log"},
    "fare": {"kind": "bucketized", "buckets": 4},
    '_it\'s "quoted"': "boolean",
    "日本": {"kind": "text", "max_tokens": 4},
    "1st": {"kind": "hashed", "buckets": 16},
    "when?": "timestamp",
    "count": "categorical",
}


@dataclass(frozen=True)
class Trained:
    """What a run of the trainer got and left behind."""

    fn_args: FnArgs
    splits: Mapping[str, Table]
    types: Mapping[str, str]
    label: Mapping[str, Any]
    events: Path

    @property
    def model(self) -> str:
        return str(self.fn_args.serving_model_dir)

    @property
    def features(self) -> list[str]:
        return [name for name in self.types if name not in (self.label["column"], "unused")]


def special_table(rows: int, seed: int, label: str) -> dict[str, list[Any]]:
    """Every feature kind under a name that gives trouble, a third of the values missing."""
    random = np.random.default_rng(seed)
    miles = random.lognormal(1.0, 1.0, rows)
    table: dict[str, list[Any]] = {
        "trip miles (km)": miles.tolist(),
        "größe/breite.cm": random.normal(size=rows).tolist(),
        "a%b": random.choice(["Credit Card", "Cash", "für später"], rows).tolist(),
        "Fare": (miles * 2.5).tolist(),
        "fare": random.normal(size=rows).tolist(),
        '_it\'s "quoted"': random.choice(["True", "no"], rows).tolist(),
        "日本": random.choice(["late again", "never LATE", "", "größer als"], rows).tolist(),
        "1st": [f"id {i}" for i in random.integers(0, 40, rows)],
        "when?": [f"2026-{i:02}-{j:02} 08:30" for i, j in random.integers(1, 13, (rows, 2))],
        "count": random.integers(0, 5, rows).tolist(),
        "unused": random.normal(size=rows).tolist(),
    }
    for name in table:
        table[name] = [None if random.random() < 0.3 else value for value in table[name]]
    paid = [value == "Credit Card" for value in table["a%b"]]
    if label == "binary":
        table["label?"] = ["yes" if p or m > 5 else "no" for p, m in zip(paid, miles)]
    elif label == "multiclass":
        table["label?"] = ["ab"[int(p)] if m < 5 else "c" for p, m in zip(paid, miles)]
    else:
        table["label?"] = [1000.0 + 50.0 * math.log(m) + 100.0 * p for p, m in zip(paid, miles)]
    return table


LABELS: dict[str, dict[str, Any]] = {
    "binary": {"column": "label?", "task": "binary", "classes": ["no", "yes"]},
    "multiclass": {"column": "label?", "task": "multiclass", "classes": ["a", "b", "c"]},
    "regression": {"column": "label?", "task": "regression"},
}


def train(root: Path, task: str, **config: Any) -> Trained:
    splits = {name: special_table(ROWS, seed, task) for seed, name in enumerate(("train", "eval"))}
    types = {name: column_type(values) for name, values in splits["train"].items()}
    settings = custom_config(SPECIAL_FEATURES, LABELS[task], **config)
    fn_args = transform(root, splits, settings, types)
    run_fn(fn_args)
    return Trained(fn_args, splits, types, LABELS[task], root / "events.jsonl")
