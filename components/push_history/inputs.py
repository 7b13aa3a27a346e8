"""Tells whether the clients of the served model have to send other columns to a new model."""

from __future__ import annotations

from pathlib import Path

from components.served_model.served_record import ServedRecord
from pipeline.core.contracts import ArtifactFile, Signature
from pipeline.core.text import counted

_MOST_NAMED = 5
"""Columns that the sentence names; it counts the others."""


def list_input_changes(model: str, served: ServedRecord | None) -> list[str]:
    """Returns a sentence if the model reads other columns than the served one.

    Args:
      model: the directory of the new SavedModel.
      served: the record of the served model that the new one was compared with.
    """
    if served is None:
        return []
    known, wanted = _read_inputs(served.served_model), _read_inputs(model)
    if not known or not wanted or known == wanted:
        return []
    changes = [
        f"{word} {_name(columns)}"
        for word, columns in (("needs", wanted - known), ("no longer takes", known - wanted))
        if columns
    ]
    return [
        f"the clients of version {served.version} have to change their requests: the new model "
        f"{' and '.join(changes)}. With serving.mode: manual, the model waits for `promote`"
    ]


def _read_inputs(model: str) -> set[str]:
    """Returns the columns that a SavedModel takes; nothing if its files are gone or damaged."""
    # Imported late: the package imports TensorFlow, which the processes that call this have loaded.
    from google.protobuf.message import DecodeError
    from tensorflow.core.protobuf import saved_model_pb2

    saved = saved_model_pb2.SavedModel()
    try:
        saved.ParseFromString(Path(model, ArtifactFile.SAVED_MODEL).read_bytes())
    except (OSError, DecodeError):
        return set()
    signatures = (graph.signature_def.get(Signature.SERVING_DEFAULT) for graph in saved.meta_graphs)
    return {name for signature in signatures if signature for name in signature.inputs}


def _name(columns: set[str]) -> str:
    ordered = sorted(columns)
    named = ", ".join(f"'{name}'" for name in ordered[:_MOST_NAMED])
    others = len(ordered) - _MOST_NAMED
    return f"{named} and {counted(others, 'more column')}" if others > 0 else named
