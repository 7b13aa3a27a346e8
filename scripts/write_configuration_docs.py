"""Prints docs/configuration.md, made from the help sentences of the configuration's model."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pipeline.config import METRICS, Config
from pipeline.config.sections.features import Feature

HEADER = """\
# Configuration

Written by `make docs` from the model in `pipeline/config/`. Every file given by `--config` has
these keys, later files override earlier ones, and `--set section.key=value` overrides them all; a
column name with dots is quoted: `--set 'features."trip.miles".scale=log'`. Where the keys are
names, as in `features`, null drops an entry of an earlier file: `--set features.trip_miles=null`.
"""


def main() -> None:
    """Prints the page."""
    print(HEADER)
    print("\n".join(_section("", Config)))
    print("## Feature kinds\n")
    print("A feature is written as its kind alone, `fare: numeric`, or with settings.\n")
    for kind in typing.get_args(typing.get_args(Feature)[0]):
        name = kind.model_fields["kind"].default
        print("\n".join(_table(f"### `{name}`", kind, skip=("kind",))))
    print("## Metrics\n\n| metric | tasks | better | meaning |\n| --- | --- | --- | --- |")
    for name, metric in METRICS.items():
        better = {True: "higher", False: "lower", None: "in between"}[metric.higher_is_better]
        per_class = ", of each class" if metric.per_class else ""
        print(f"| `{name}` | {', '.join(metric.tasks)} | {better} | {metric.help}{per_class} |")


def _section(prefix: str, model: type[BaseModel]) -> Iterator[str]:
    nested = {}
    for name, field in model.model_fields.items():
        if inner := _inner_model(field):
            nested[field.alias or name] = inner
    yield from _table(f"## `{prefix}`" if prefix else "", model, skip=())
    for name, inner in nested.items():
        yield from _section(f"{prefix}.{name}".removeprefix("."), inner)


def _table(title: str, model: type[BaseModel], skip: tuple[str, ...]) -> Iterator[str]:
    if title:
        yield from (title, "", (model.__doc__ or "").strip().splitlines()[0], "")
    fields = {f.alias or n: f for n, f in model.model_fields.items() if n not in skip}
    yield from ("| key | type | default | meaning |", "| --- | --- | --- | --- |")
    for name, field in fields.items():
        meaning = " ".join((field.description or "").split())
        yield f"| `{name}` | {_type(field.annotation)} | {_default(field)} | {meaning} |"
    yield ""


def _inner_model(field: FieldInfo) -> type[BaseModel] | None:
    for candidate in (field.annotation, *typing.get_args(field.annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _type(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return ", ".join(f"`{a}`" for a in arguments)
    if origin is tuple:
        return f"list of {_type(arguments[0])}"
    if origin is dict:
        return f"mapping of {_type(arguments[0])} to {_type(arguments[1])}"
    if origin is typing.Annotated:
        return _type(arguments[0]) if isinstance(arguments[0], type) else "feature"
    if arguments:
        return " or ".join(_type(a) for a in arguments if a is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    names = {
        "Any": "anything",
        "str": "text",
        "int": "integer",
        "float": "number",
        "bool": "true or false",
    }
    return names.get(getattr(annotation, "__name__", ""), str(annotation))


def _default(field: FieldInfo) -> str:
    if field.default is PydanticUndefined:
        return "required"
    if field.default is None or field.default in ((), {}) or isinstance(field.default, BaseModel):
        return ""
    default = field.default
    items = default if isinstance(default, tuple) else (default,)
    return ", ".join(f"`{str(item).lower() if isinstance(item, bool) else item}`" for item in items)


if __name__ == "__main__":
    main()
