"""Loads a pushed taxi model and queries it through both signatures, knowing nothing of the project.

Run as `python -I serving_client.py VERSION_DIRECTORY`; prints two lists of probabilities.
"""

import json
import sys

import tensorflow as tf

MISSING = {tf.float32: float("nan"), tf.int64: -(2**63), tf.string: b"__MISSING__"}
TRIPS = [
    {"fare": 12.5, "trip_miles": 3.0, "payment_type": b"Credit Card"},
    {"fare": 7.25, "trip_seconds": 600.0, "payment_type": b"Cash", "company": b"Never Seen"},
    {},
]


def by_name(signature, trip):
    inputs = signature.structured_input_signature[1]
    tensors = {
        name: tf.constant([[trip.get(name, MISSING[spec.dtype])]], spec.dtype)
        for name, spec in inputs.items()
    }
    return float(signature(**tensors)["probability"][0])


def by_example(signature, trip):
    example = tf.train.Example()
    for name, value in trip.items():
        if isinstance(value, bytes):
            example.features.feature[name].bytes_list.value.append(value)
        else:
            example.features.feature[name].float_list.value.append(value)
    return float(signature(examples=tf.constant([example.SerializeToString()]))["probability"][0])


model = tf.saved_model.load(sys.argv[1])
assert "big_tipper" not in model.signatures["serving_default"].structured_input_signature[1]
print(
    json.dumps(
        [
            [by_name(model.signatures["serving_default"], trip) for trip in TRIPS],
            [by_example(model.signatures["serving_examples"], trip) for trip in TRIPS],
        ]
    )
)
