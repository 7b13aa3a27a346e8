"""Writes a plan as YAML with the reason beside each guess."""

from __future__ import annotations

import io
import re
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

# YAML 1.1, which most other tools still read, takes these for truth values.
_LOOKS_BOOLEAN = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false"))
_LETTER = re.compile(r"[^\W\d_]")
_BLOCK_FROM = 9
_COMMENT_COLUMN = 56
_NESTED = "thresholds"
_Entry = tuple[str, Any, str]
"""A key, its value, and the comment beside it."""


def render(plan: Plan) -> str:
    """The configuration file's text."""
    sections = {
        "data": _data(plan),
        "features": _features(plan),
        "label": _label(plan),
        "model": _model(plan.size),
        "training": _training(plan.size),
        "evaluation": _evaluation(plan),
    }
    root = CommentedMap({"name": plan.name, **sections})
    for section in sections:
        root.yaml_set_comment_before_after_key(section, before="\n")
    root.yaml_set_start_comment("\n".join(_header(plan)))
    return _dump(root)


def _model(size: Size) -> CommentedMap:
    keys = ("family", "hidden_units", "numeric_bins", "dropout")
    return _map([_entry(key, getattr(size, key)) for key in keys], 2)


def _training(size: Size) -> CommentedMap:
    return _map(
        [
            _entry("epochs", size.epochs),
            _entry("global_batch_size", size.global_batch_size),
            _entry("learning_rate", size.learning_rate),
            ("schedule", _map([_entry("decay", size.decay)], 4), ""),
            _entry("early_stopping_patience", size.patience),
            _entry("early_stopping_steps", size.patience_steps),
        ],
        indent=2,
    )


def _header(plan: Plan) -> list[str]:
    scan = plan.table.scan
    size = f"{counted(scan.rows, 'row')} and {counted(len(scan.columns), 'column')}"
    lines = [
        f"Proposed by `python -m pipeline init` after a look at {size}.",
        "Beside each guess stands its reason: change what you know better.",
        "AUC, accuracy and R² are those of one column alone, on rows held out.",
        "All settings, also those that are not named here: docs/configuration.md",
    ]
    if scan.sample.num_rows < scan.rows:
        lines.insert(
            1,
            f"Classes, types and missing values were counted in all rows, everything "
            f"else in a random sample of {scan.sample.num_rows:,}.",
        )
    warnings = [f"  ! {printable(w)}" for w in plan.warnings]
    return [*lines, *(["Worth a look:", *warnings] if warnings else [])]


def _data(plan: Plan) -> CommentedMap:
    table = plan.table
    paths = [_plain(p) for p in table.patterns]
    path = paths[0] if len(paths) == 1 else _flow(paths)
    entries: list[_Entry] = [
        ("source", table.storage.source.value, table.storage.source.why),
        ("path", path, "relative to the directory that `run` is started in"),
    ]
    types = plan.features.column_types
    if types:
        entries.append(("types", _map([_entry(n, guess) for n, guess in types.items()], 4), ""))
    if table.storage.dialect:
        entries.append(("csv", _csv(table.storage.dialect, table.markers.missing), ""))
    return _map([*entries, ("split", _split(plan), "")], 2)


def _csv(dialect: Dialect, missing: Guess[tuple[str, ...]]) -> CommentedMap:
    unusual: dict[str, Guess[Any]] = {
        "thousands": dialect.numerals.thousands,
        "units": dialect.numerals.units,
        "header": dialect.header,
    }
    return _map(
        [
            _entry("delimiter", dialect.delimiter),
            _entry("quote", dialect.quote),
            _entry("encoding", dialect.encoding),
            _entry("decimal", dialect.numerals.decimal),
            *(_entry(name, guess) for name, guess in unusual.items() if guess.why),
            _entry("missing", missing),
        ],
        indent=4,
    )


def _split(plan: Plan) -> CommentedMap:
    config, rows = plan.split.value, plan.rehearsal.rows
    entries: list[_Entry] = [("by", config.by, "no column says who or what several rows belong to")]
    if config.column:
        key = plan.table.columns[config.column]
        about = f"about {counted(key.distinct, 'value')} in {counted(key.rows, 'row')}"
        entries = [
            ("by", config.by, "so that nobody is in two splits"),
            ("column", config.column, about),
        ]
    shares = [(name, getattr(config, name), counted(rows[name], "row")) for name in rows]
    tried = "the first with which every split has every class" if config.seed else "any will do"
    split = _map([*entries, *shares, ("seed", config.seed, tried)], 4)
    _comment_above(split, "train", plan.split.why, 4)
    times = [n for n, c in plan.features.chosen.items() if _kind(c.feature) == "timestamp"]
    if times and not config.column:
        hint = f"`by: time` with `column: {printable(times[0])}` tests on the latest rows instead"
        _comment_above(split, "by", hint, 4)
    return split


def _features(plan: Plan) -> CommentedMap:
    entries: list[_Entry] = [
        (name, _shorthand(choice.feature.value), choice.feature.why)
        for name, choice in plan.features.chosen.items()
        if choice.feature
    ]
    features = _map(entries, 2)
    left_out = [f"{printable(n)}: left out, {why}" for n, why in plan.features.left_out.items()]
    if left_out:
        _comment_above(features, entries[0][0], "\n".join(map(printable, left_out)), 2)
    return features


def _label(plan: Plan) -> CommentedMap:
    label = plan.label
    entries: list[_Entry] = [("column", label.column, ""), _entry("task", label.task)]
    if label.classes.value:
        classes = CommentedSeq([_plain(c) for c in label.classes.value])
        flow = _flow(list(classes)) if len(classes) < _BLOCK_FROM else classes
        entries.append(("classes", flow, label.classes.why))
    return _map([*entries, _entry("max_missing", label.max_missing)], 2)


def _evaluation(plan: Plan) -> CommentedMap:
    bound, threshold = plan.bound, plan.bound.threshold
    side = "at_least" if threshold.at_least is not None else "at_most"
    entries: list[_Entry] = [
        ("metric", threshold.metric, ""),
        (side, getattr(threshold, side), bound.why_bound),
        ("may_worsen_by", threshold.may_worsen_by, bound.why_may_worsen_by),
    ]
    slices = _flow([_flow([_plain(c) for c in columns]) for columns in plan.slices.value])
    thresholds = CommentedSeq([_map(entries, 6)])
    return _map([("thresholds", thresholds, ""), ("slices", slices, plan.slices.why)], 2)


def _entry(name: str, guess: Guess[Any]) -> _Entry:
    value = guess.value
    return name, _flow([_plain(v) for v in value]) if isinstance(value, tuple) else value, guess.why


def _map(entries: Sequence[_Entry], indent: int) -> CommentedMap:
    """A mapping with a comment behind each entry, in one column as far as lines are short."""
    result = CommentedMap({_plain(name): _plain(value) for name, value, _ in entries})
    column = indent + min(_COMMENT_COLUMN, _widest(result)) + 2
    for name, _, why in entries:
        if why:
            result.yaml_add_eol_comment(printable(why), name, column=column)
    return result


def _widest(content: CommentedMap) -> int:
    """The longest line that the entries of one line each take."""
    short = {k: v for k, v in content.items() if not isinstance(v, CommentedMap) and k != _NESTED}
    lines = _dump(CommentedMap(short)).splitlines() if short else []
    return max((len(line) for line in lines if len(line) <= _COMMENT_COLUMN), default=0)


def _shorthand(feature: Section) -> Any:
    """The feature's kind alone, or with the settings that are not the default."""
    settings = {k: v for k, v in feature.model_dump(exclude_defaults=True).items() if k != "kind"}
    kind = _kind(feature)
    if not settings:
        return kind
    result = CommentedMap(kind=kind)
    for name, value in settings.items():
        result[name] = _flow(list(value)) if isinstance(value, tuple) else value
    result.fa.set_flow_style()
    return result


def _kind(feature: Any) -> str:
    return str(getattr(getattr(feature, "value", feature), "kind", ""))


def _flow(items: list[Any]) -> CommentedSeq:
    result = CommentedSeq(items)
    result.fa.set_flow_style()
    return result


def _plain(value: Any) -> Any:
    """Text that other YAML readers take for a truth value or a key, or people for none, is quoted.

    A question mark is a key's only within brackets, where the emitter leaves it unquoted.
    """
    if isinstance(value, str) and not value.isprintable():
        return DoubleQuotedScalarString(value)
    if isinstance(value, str) and (
        value.lower() in _LOOKS_BOOLEAN or not _LETTER.search(value) or "?" in value
    ):
        return SingleQuotedScalarString(value)
    return value


def _comment_above(target: CommentedMap, key: str, text: str, indent: int) -> None:
    target.yaml_set_comment_before_after_key(key, before=text, indent=indent)


def _dump(content: CommentedMap) -> str:
    yaml = YAML()
    # Comments stand at the end of lines, so no line may be folded.
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    text = io.StringIO()
    yaml.dump(content, text)
    # The emitter leaves what is invisible as it is, such as marks that turn the reading direction.
    return "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in text.getvalue())


def _escape(character: str) -> str:
    """As in double quotes, where `_plain` has put all text with such a character."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
