"""Lets signatures take inputs under names that TensorFlow cannot trace a function with.

A column may be called `größe (cm)`. TensorFlow makes graph nodes and Python parameters of input
names when it exports a signature, and refuses or alters such a name on the way. So a signature is
traced and saved with plain names, and the columns' own are written into the saved model
afterwards: in the signature definition, which TensorFlow Serving reads, and beside the function,
where `tf.saved_model.load` and with it TensorFlow Model Analysis look.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2, saved_object_graph_pb2

from pipeline.config.rules.column_names import signature_parameter

_MODEL_FILE = "saved_model.pb"
_FINGERPRINT_FILE = "fingerprint.pb"

Names = Mapping[str, str]
"""From the plain name an input is traced with to its own."""


def plain_names(columns: Iterable[str]) -> dict[str, str]:
    """A plain name for each column, by column.

    A loaded function takes its inputs in the order of its parameters' names, which TensorFlow
    derives from the columns' own. The plain names have to sort as those do.
    """
    ordered = sorted(columns, key=signature_parameter)
    return {column: f"input_{index:05d}" for index, column in enumerate(ordered)}


def rename_inputs(directory: str, renames: Mapping[str, Names]) -> None:
    """Renames the inputs of the saved model's signatures; `renames` is by signature."""
    path = os.path.join(directory, _MODEL_FILE)
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
    # It describes the file as it was before, and nothing needs it.
    tf.io.gfile.remove(os.path.join(directory, _FINGERPRINT_FILE))


def _signature_nodes(
    graph: saved_object_graph_pb2.SavedObjectGraph,
) -> Iterator[tuple[str, saved_object_graph_pb2.SavedObject]]:
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
