"""Writes and parses a schema as text, which a person reviews in git."""

from __future__ import annotations

from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.schema_defaults import drop_default_representations
from pipeline.core.commands import pipeline_command
from pipeline.core.errors import ConfigError

_HEADER = """\
# The schema that new data is validated against (`schema: {path: ...}` in the configuration).
# `python -m pipeline schema --write` writes this file; changes by hand are kept.
#   presence { min_fraction }                     the share of rows that have a value
#   string_domain { value }                       the known values of a text column
#   distribution_constraints { min_domain_mass }  the share of values that are known ones
#   float_domain { min max }, int_domain          a range; none is set unless written here
"""


def render_schema(schema: schema_pb2.Schema) -> str:
    """Returns the schema in text format, for review; equal schemas give equal text.

    The text leaves out the dense representations that the curator adds to every column.
    """
    shown = schema_pb2.Schema()
    shown.CopyFrom(schema)
    drop_default_representations(shown)
    return f"{_HEADER}\n{text_format.MessageToString(shown, as_utf8=True)}"


def parse_schema(text: str, path: str) -> schema_pb2.Schema:
    """Returns the schema in `text`, which was read from `path`.

    Raises:
      ConfigError: the text is not a Schema proto. The message has the line of the first mistake.
    """
    try:
        return text_format.Parse(text, schema_pb2.Schema())
    except text_format.ParseError as error:
        line = error.GetLine()
        place = f"{path}:{line}" if line else path
        reason = str(error).partition(" : ")[2] or str(error)
        raise ConfigError(
            f"schema.path: {place}: not a Schema proto in text format: {reason}",
            f"`{pipeline_command('schema', '--write')}` writes one",
        ) from None
