"""The schema of a table with one column of whole numbers, -7 where the number is missing."""

from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

_TEXT = """
feature { name: "area" type: INT }
tensor_representation_group {
  key: ""
  value {
    tensor_representation {
      key: "area"
      value {
        dense_tensor {
          column_name: "area"
          shape { dim { size: 1 } }
          default_value { int_value: -7 }
        }
      }
    }
  }
}
"""


def make_schema() -> schema_pb2.Schema:
    return text_format.Parse(_TEXT, schema_pb2.Schema())
