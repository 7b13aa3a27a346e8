"""Renders a plan as YAML, with the reason beside each guess."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, SingleQuotedScalarString

from pipeline.config.base import Section
from pipeline.core.text import counted, printable
from pipeline.onboarding.choosing.sizing import Size
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.plan import Plan
from pipeline.onboarding.reading.storage import Dialect

# YAML 1.1, which most other tools still read, takes these words for truth values.
_BOOLEAN_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false"))
_LETTER = re.compile(r"[^\W\d_]")
_FEWEST_IN_BLOCK_LIST = 9
"""Classes from which each class stands on its own line; fewer fit on one line."""
_COMMENT_COLUMN = 56
"""Comments are aligned up to this column; longer lines do not push all other comments right."""
_NESTED = "thresholds"
"""The key whose value takes several lines without being a mapping."""
_Entry = tuple[str, Any, str]
"""A key, its value, and the comment beside it."""


def render(plan: Plan) -> str:
    """Returns the text of the configuration file."""
    sections = {
        "data": _render_data(plan),
        "features": _render_features(plan),
        "label": _render_label(plan),
        "model": _render_model(plan.size),
        "training": _render_training(plan.size),
        "evaluation": _render_evaluation(plan),
    }
    root = CommentedMap({"name": plan.name, **sections})
    for section in sections:
        root.yaml_set_comment_before_after_key(section, before="\n")
    root.yaml_set_start_comment("\n".join(_render_header(plan)))
    return _dump(root)


def _render_model(size: Size) -> CommentedMap:
    keys = ("hidden_units", "numeric_bins", "dropout")
    sections: list[_Entry] = []
    if size.has_trees:
        sections = [("blend", _make_map([_make_entry("network", size.network)], 4), "")]
    if size.trees:
        trees = [_make_entry(key, guess) for key, guess in size.trees.items()]
        sections.append(("trees", _make_map(trees, 4), ""))
    return _make_map(
        [
            _make_entry("family", size.family),
            *sections,
            *(_make_entry(key, getattr(size, key)) for key in keys),
        ],
        indent=2,
    )


def _render_training(size: Size) -> CommentedMap:
    return _make_map(
        [
            _make_entry("epochs", size.epochs),
            _make_entry("global_batch_size", size.global_batch_size),
            _make_entry("learning_rate", size.learning_rate),
            ("schedule", _make_map([_make_entry("decay", size.decay)], 4), ""),
            _make_entry("early_stopping_patience", size.patience),
            _make_entry("early_stopping_steps", size.patience_steps),
        ],
        indent=2,
    )


def _render_header(plan: Plan) -> list[str]:
    scan = plan.table.scan
    size = f"{counted(scan.rows, 'row')} and {counted(len(scan.columns), 'column')}"
    lines = [
        f"Proposed by `python -m pipeline init` from {size}.",
        "Each comment gives the reason for a guess: change what you know better.",
        "AUC, accuracy or R² beside a feature: the score of this column alone on held-out rows.",
        "All settings, also those that are not listed here: docs/configuration.md",
    ]
    if scan.sample.num_rows < scan.rows:
        lines.insert(
            1,
            "Classes, types and missing values were counted in all rows, everything else in a "
            f"random sample of {scan.sample.num_rows:,} rows.",
        )
    warnings = [f"  ! {printable(w)}" for w in plan.warnings]
    return [*lines, *(["Please check:", *warnings] if warnings else [])]


def _render_data(plan: Plan) -> CommentedMap:
    table = plan.table
    paths = [_quote_if_needed(p) for p in table.patterns]
    path = paths[0] if len(paths) == 1 else _make_flow_list(paths)
    entries: list[_Entry] = [
        ("source", table.storage.source.value, table.storage.source.why),
        ("path", path, "relative to the working directory of `run`"),
    ]
    types = plan.features.column_types
    if types:
        entries.append(
            ("types", _make_map([_make_entry(n, guess) for n, guess in types.items()], 4), "")
        )
    if table.storage.dialect:
        entries.append(("csv", _render_csv(table.storage.dialect, table.markers.missing), ""))
    return _make_map([*entries, ("split", _render_split(plan), "")], 2)


def _render_csv(dialect: Dialect, missing: Guess[tuple[str, ...]]) -> CommentedMap:
    unusual: dict[str, Guess[Any]] = {
        "thousands": dialect.number_format.thousands,
        "units": dialect.number_format.units,
        "header": dialect.header,
    }
    return _make_map(
        [
            _make_entry("delimiter", dialect.delimiter),
            _make_entry("quote", dialect.quote),
            _make_entry("encoding", dialect.encoding),
            _make_entry("decimal", dialect.number_format.decimal),
            *(_make_entry(name, guess) for name, guess in unusual.items() if guess.why),
            _make_entry("missing", missing),
        ],
        indent=4,
    )


def _render_split(plan: Plan) -> CommentedMap:
    config, rows = plan.split.value, plan.split_counts.rows
    entries: list[_Entry] = [("by", config.by, _explain_split_by_row(plan))]
    if config.by == "key":
        entries = [("by", config.by, "so that all rows with the same key are in one split")]
    elif config.by == "time":
        entries = [("by", config.by, "so that the latest rows are the test split")]
    if config.column:
        entries.append(("column", config.column, plan.division.why))
    about = "about " if plan.split_counts.is_estimate else ""
    shares = [(n, getattr(config, n), f"{about}{counted(rows[n], 'row')}") for n in rows]
    seeds = [("seed", config.seed, _explain_seed(plan))] if config.by != "time" else []
    split = _make_map([*entries, *shares, *seeds], 4)
    _add_comment_above(split, "train", plan.split.why, 4)
    times = [n for n, c in plan.features.chosen.items() if _get_kind(c.feature) == "timestamp"]
    if times and not config.column:
        option = f"--time-column {printable(shlex.quote(times[0]))}"
        hint = f"`init {option}` tests on the latest rows instead"
        _add_comment_above(split, "by", hint, 4)
    return split


def _explain_split_by_row(plan: Plan) -> str:
    if keys := plan.features.possible_keys:
        options = " or ".join(f"`init --key-column {shlex.quote(name)}`" for name in keys)
        return f"rows of new values may score lower: {options} tests on new values, see above"
    return "no column was taken for the key of rows that belong together: --key-column names one"


def _explain_seed(plan: Plan) -> str:
    if plan.split_counts.is_estimate:
        return "any seed does for so many rows"
    has_classes = bool(plan.label.classes.value)
    if plan.split_counts.shortfalls:
        return f"not every split has enough rows{' of every class' if has_classes else ''}"
    if not has_classes:
        return "gives every split enough rows"
    least = counted(int(plan.split_counts.counts.min()), "row")
    return f"gives every split at least {least} of every class"


def _render_features(plan: Plan) -> CommentedMap:
    entries: list[_Entry] = [
        (name, _abbreviate_feature(choice.feature.value), choice.feature.why)
        for name, choice in plan.features.chosen.items()
        if choice.feature
    ]
    features = _make_map(entries, 2)
    left_out = [f"{printable(n)}: left out, {why}" for n, why in plan.features.left_out.items()]
    if left_out:
        _add_comment_above(features, entries[0][0], "\n".join(map(printable, left_out)), 2)
    return features


def _render_label(plan: Plan) -> CommentedMap:
    label = plan.label
    entries: list[_Entry] = [("column", label.column, ""), _make_entry("task", label.task)]
    if label.classes.value:
        classes = CommentedSeq([_quote_if_needed(c) for c in label.classes.value])
        flow = _make_flow_list(list(classes)) if len(classes) < _FEWEST_IN_BLOCK_LIST else classes
        entries.append(("classes", flow, label.classes.why))
    return _make_map([*entries, _make_entry("max_missing", label.max_missing)], 2)


def _render_evaluation(plan: Plan) -> CommentedMap:
    bound, threshold = plan.bound, plan.bound.threshold
    side = "at_least" if threshold.at_least is not None else "at_most"
    entries: list[_Entry] = [
        ("metric", threshold.metric, ""),
        (side, getattr(threshold, side), bound.why_bound),
        ("may_worsen_by", threshold.may_worsen_by, bound.why_may_worsen_by),
    ]
    slices = _make_flow_list(
        [_make_flow_list([_quote_if_needed(c) for c in columns]) for columns in plan.slices.value]
    )
    thresholds = CommentedSeq([_make_map(entries, 6)])
    return _make_map([("thresholds", thresholds, ""), ("slices", slices, plan.slices.why)], 2)


def _make_entry(name: str, guess: Guess[Any]) -> _Entry:
    value = guess.value
    return (
        name,
        _make_flow_list([_quote_if_needed(v) for v in value])
        if isinstance(value, tuple)
        else value,
        guess.why,
    )


def _make_map(entries: Sequence[_Entry], indent: int) -> CommentedMap:
    """Returns a mapping with a comment behind each entry; comments of short lines are aligned."""
    result = CommentedMap(
        {_quote_if_needed(name): _quote_if_needed(value) for name, value, _ in entries}
    )
    column = indent + min(_COMMENT_COLUMN, _measure_widest_line(result)) + 2
    for name, _, why in entries:
        if why:
            result.yaml_add_eol_comment(printable(why), name, column=column)
    return result


def _measure_widest_line(content: CommentedMap) -> int:
    """Returns the width of the longest one-line entry, of those up to the comment column."""
    short = {k: v for k, v in content.items() if not isinstance(v, CommentedMap) and k != _NESTED}
    lines = _dump(CommentedMap(short)).splitlines() if short else []
    return max((len(line) for line in lines if len(line) <= _COMMENT_COLUMN), default=0)


def _abbreviate_feature(feature: Section) -> Any:
    """Returns the feature's kind alone, or a mapping with the settings that are not defaults."""
    settings = {k: v for k, v in feature.model_dump(exclude_defaults=True).items() if k != "kind"}
    kind = _get_kind(feature)
    if not settings:
        return kind
    result = CommentedMap(kind=kind)
    for name, value in settings.items():
        is_list = isinstance(value, tuple)
        result[name] = _make_flow_list([*value]) if is_list else _quote_if_needed(value)
    result.fa.set_flow_style()
    return result


def _get_kind(feature: Any) -> str:
    return str(getattr(getattr(feature, "value", feature), "kind", ""))


def _make_flow_list(items: list[Any]) -> CommentedSeq:
    result = CommentedSeq(items)
    result.fa.set_flow_style()
    return result


def _quote_if_needed(value: Any) -> Any:
    """Quotes text that YAML readers could take for another type, or people could overlook.

    A question mark is quoted because it begins a key within brackets, and the emitter leaves it
    unquoted there.
    """
    if isinstance(value, str) and not value.isprintable():
        return DoubleQuotedScalarString(value)
    if isinstance(value, str) and (
        value.lower() in _BOOLEAN_WORDS or not _LETTER.search(value) or "?" in value
    ):
        return SingleQuotedScalarString(value)
    return value


def _add_comment_above(target: CommentedMap, key: str, text: str, indent: int) -> None:
    target.yaml_set_comment_before_after_key(key, before=text, indent=indent)


def _dump(content: CommentedMap) -> str:
    yaml = YAML()
    # Comments stand at the end of lines: a folded line would separate a value from its comment.
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    text = io.StringIO()
    yaml.dump(content, text)
    # The emitter leaves invisible characters unescaped, such as marks that turn the text direction.
    return "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in text.getvalue())


def _escape(character: str) -> str:
    """Escapes a character of a double-quoted text; `_quote_if_needed` quotes all such texts."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
