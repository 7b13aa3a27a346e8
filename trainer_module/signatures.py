"""Gives a SavedModel's signatures input names that TensorFlow cannot trace a function with.

A column may be called `größe (cm)`. When TensorFlow exports a signature, it turns input names into
graph nodes and Python parameters, and refuses or alters such a name. So the exporter traces and
saves a signature with plain names. `rename_inputs` then writes the columns' names into the
SavedModel in two places: into the signature definition, which TensorFlow Serving reads, and beside
the function, where `tf.saved_model.load` and TensorFlow Model Analysis read them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2, saved_object_graph_pb2

from pipeline.config.rules.column_names import signature_parameter
from pipeline.core.contracts import ArtifactFile

_FINGERPRINT_FILE = "fingerprint.pb"

Names = Mapping[str, str]
"""An input's own name by the plain name it was traced with."""


def plain_names(columns: Iterable[str]) -> dict[str, str]:
    """Returns a plain input name for each column, by column.

    A loaded function orders its inputs by its parameters' names, which TensorFlow derives from the
    columns' names. The plain names have to sort in the same order.
    """
    ordered = sorted(columns, key=signature_parameter)
    return {column: f"input_{index:05d}" for index, column in enumerate(ordered)}


def by_plain_name(
    function: Callable[[Mapping[str, tf.Tensor]], dict[str, tf.Tensor]],
    dtypes: Mapping[str, tf.DType],
) -> Any:
    """Returns `function` as a tf.function whose inputs have the columns' plain names."""
    plain = plain_names(dtypes)

    def called(inputs: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        return function({column: inputs[plain[column]] for column in dtypes})

    spec = {
        plain[column]: tf.TensorSpec([None, 1], dtype, plain[column])
        for column, dtype in dtypes.items()
    }
    return tf.function(called, input_signature=[spec], autograph=False)


def rename_inputs(directory: str, renames: Mapping[str, Names]) -> None:
    """Renames the inputs of the SavedModel in `directory`; `renames` holds names by signature."""
    path = os.path.join(directory, ArtifactFile.SAVED_MODEL)
    saved = saved_model_pb2.SavedModel()
    with tf.io.gfile.GFile(path, "rb") as file:
        saved.ParseFromString(file.read())
    graph = saved.meta_graphs[0]
    for signature, names in renames.items():
        inputs = graph.signature_def[signature].inputs
        for plain, name in names.items():
            inputs[name].CopyFrom(inputs[plain])
            del inputs[plain]
    for signature, node in _signature_nodes(graph.object_graph_def):
        if signature in renames:
            _rename_arguments(graph.object_graph_def, node, renames[signature])
    with tf.io.gfile.GFile(path, "wb") as file:
        file.write(saved.SerializeToString(deterministic=True))
    # The fingerprint is that of the file before the renaming, and loading a model does not need it.
    tf.io.gfile.remove(os.path.join(directory, _FINGERPRINT_FILE))


def _signature_nodes(
    graph: saved_object_graph_pb2.SavedObjectGraph,
) -> Iterator[tuple[str, saved_object_graph_pb2.SavedObject]]:
    """Yields the name and the function node of each signature."""
    for child in graph.nodes[0].children:
        if child.local_name == "signatures":
            for signature in graph.nodes[child.node_id].children:
                yield signature.local_name, graph.nodes[signature.node_id]


def _rename_arguments(
    graph: saved_object_graph_pb2.SavedObjectGraph,
    node: saved_object_graph_pb2.SavedObject,
    names: Names,
) -> None:
    function = node.bare_concrete_function
    function.argument_keywords[:] = [names[plain] for plain in function.argument_keywords]
    arguments = function.function_spec.fullargspec.named_tuple_value.values
    keyword_only = next(pair.value for pair in arguments if pair.key == "kwonlyargs")
    for argument in keyword_only.list_value.values:
        argument.string_value = names[argument.string_value]
    concrete = graph.concrete_functions[function.concrete_function_name]
    _, keywords = concrete.canonicalized_input_signature.tuple_value.values
    fields = keywords.dict_value.fields
    for plain, name in names.items():
        fields[name].CopyFrom(fields[plain])
        fields[name].tensor_spec_value.name = name
        del fields[plain]
