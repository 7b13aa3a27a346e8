"""Reads the domain of a text column from a schema."""

from __future__ import annotations

from tensorflow_metadata.proto.v0 import schema_pb2


def read_domain(schema: schema_pb2.Schema, feature: schema_pb2.Feature) -> list[str] | None:
    """Returns the domain of a text column, its own or a shared one; None if it has no domain."""
    kind = feature.WhichOneof("domain_info")
    if kind == "string_domain":
        return list(feature.string_domain.value)
    if kind == "domain":
        shared = {domain.name: domain for domain in schema.string_domain}
        return list(shared[feature.domain].value) if feature.domain in shared else None
    return None
