"""Small tables with every kind of feature under difficult names, and models trained on them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attr
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
import tf_keras
from fit_alone import fit_alone
from made_once import make_once
from tfx.components.trainer.fn_args_utils import FnArgs
from tiny_run import Table, column_type, custom_config, transform

from pipeline.config import ModelConfig
from trainer_module.heads import Head, make_head
from trainer_module.input.examples import Examples, open_examples
from trainer_module.models import build_model
from trainer_module.models.piecewise import find_bin_edges
from trainer_module.names import LABEL_KEY
from trainer_module.run import run_fn
from trainer_module.sections import Sections

ROWS = 240
SPECIAL_FEATURES = {
    "trip miles (km)": "numeric",
    "größe/breite.cm": {"kind": "numeric", "scale": "quantile"},
    "a%b": "categorical",
    "Fare": {"kind": "numeric", "scale": "log"},
    "fare": {"kind": "bucketized", "buckets": 4},
    '_it\'s "quoted"': "boolean",
    "日本": {"kind": "text", "max_tokens": 4},
    "note?": {
        "kind": "text",
        "max_tokens": 2,
        "tfidf_buckets": 64,
        "character_ngrams": 3,
        "max_ngrams": 6,
    },
    "1st": {"kind": "hashed", "buckets": 16},
    "when?": {"kind": "timestamp", "parts": ["hour", "weekday", "day", "month", "year", "date"]},
    "dense": {"kind": "categorical", "ordered": True},
    "wide": "numeric",
}


@dataclass(frozen=True)
class Trained:
    """The inputs and outputs of a run of the trainer."""

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
    """A table with every kind of feature; a third of the values is missing."""
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
        "dense": random.integers(0, 5, rows).tolist(),
        "wide": random.normal(size=rows).tolist(),
        "unused": random.normal(size=rows).tolist(),
    }
    table["note?"] = [f"{word} / {word}" for word in table["日本"]]
    for name in table:
        table[name] = [None if random.random() < 0.3 else value for value in table[name]]
    paid = [value == "Credit Card" for value in table["a%b"]]
    table["label?"] = [_label(label, *pair) for pair in zip(paid, miles, strict=True)]
    return table


def _label(task: str, paid: bool, miles: float) -> Any:
    if task == "binary":
        return "yes" if paid or miles > 5 else "no"
    if task == "multiclass":
        return "c" if miles > 5 else "ab"[int(paid)]
    return 1000.0 + 50.0 * math.log(miles) + 100.0 * paid


LABELS: dict[str, dict[str, Any]] = {
    "binary": {"column": "label?", "task": "binary", "classes": ["no", "yes"]},
    "multiclass": {"column": "label?", "task": "multiclass", "classes": ["a", "b", "c"]},
    "regression": {"column": "label?", "task": "regression"},
}


def train(root: Path, task: str, parquet: bool = True, **config: Any) -> Trained:
    splits = {name: special_table(ROWS, seed, task) for seed, name in enumerate(("train", "eval"))}
    types = {name: column_type(values) for name, values in splits["train"].items()}
    settings = custom_config(SPECIAL_FEATURES, LABELS[task], **config)
    fn_args = transform(root, splits, settings, types, parquet)
    run_fn(fn_args)
    return Trained(fn_args, splits, types, LABELS[task], root / "events.jsonl")


def train_once(factory: pytest.TempPathFactory, name: str, task: str, **config: Any) -> Trained:
    """Returns a model that is trained once for all processes of xdist; its events are kept."""

    def make(root: Path) -> Trained:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PIPELINE_EVENTS", str(root / "events.jsonl"))
            return train(root, task, **config)

    return make_once(factory, name, make)


def rerun(
    trained: Trained, folder: Path, dropout: float = 0.0, **training: Any
) -> tuple[dict[str, Any], str]:
    """Trains again with other settings; returns the history and the directory of the model."""
    fn_args = _change(trained, folder, dropout, training)
    run_fn(fn_args)
    return read_history(fn_args), fn_args.serving_model_dir


def refit(trained: Trained, folder: Path, dropout: float = 0.0, **training: Any) -> dict[str, Any]:
    """Trains again with other settings as `run_fn` does, without an export; returns the history."""
    fn_args = _change(trained, folder, dropout, training)
    fit_alone(fn_args)
    return read_history(fn_args)


def read_history(fn_args: FnArgs) -> dict[str, Any]:
    history: dict[str, Any] = json.loads(Path(fn_args.model_run_dir, "history.json").read_text())
    return history


def _change(trained: Trained, folder: Path, dropout: float, training: Mapping[str, Any]) -> FnArgs:
    """Returns the arguments with other settings, and outputs below `folder`."""
    config = dict(trained.fn_args.custom_config)
    config["training"] = json.dumps({**json.loads(config["training"]), **training})
    config["model"] = json.dumps({**json.loads(config["model"]), "dropout": dropout})
    config["backup_directory"] = str(folder / "backup")
    return attr.evolve(
        trained.fn_args,
        custom_config=config,
        serving_model_dir=str(folder / "model"),
        model_run_dir=str(folder / "run"),
    )


def build_untrained(trained: Trained, config: ModelConfig) -> tuple[tf_keras.Model, Head, Examples]:
    sections = Sections(trained.fn_args.custom_config)
    output = tft.TFTransformOutput(trained.fn_args.transform_graph_path)
    spec = output.transformed_feature_spec()
    train = open_examples(trained.fn_args.train_files, spec)
    head = make_head(sections.label, train.labels)
    tf_keras.utils.set_random_seed(1)
    edges = find_bin_edges(sections.encoded_features, config, train)
    return build_model(sections.encoded_features, output, head, config, edges), head, train


def read_all_rows(examples: Examples) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
    """The features and the labels of all examples, as tensors."""
    columns = examples.layout.views(examples.load(0, examples.row_count))
    tensors = {name: tf.constant(values) for name, values in columns.items()}
    labels = tensors.pop(LABEL_KEY)
    return tensors, labels
