"""URIs in a store, and the paths where the launcher stages the objects."""

from __future__ import annotations

import pytest

from pipeline.runners.kubeflow.in_cluster.uris import map_texts, to_path, to_uri


@pytest.mark.parametrize("root", ["", "/elsewhere"])
def test_uris_become_staged_paths_and_back(monkeypatch: pytest.MonkeyPatch, root: str) -> None:
    """Reason 7: the launcher stages s3:// below /s3, and so on."""
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", root)
    for uri, path in (
        ("s3://b/x", f"{root}/s3/b/x"),
        ("minio://b/x", f"{root}/minio/b/x"),
        ("gs://b/x", f"{root}/gcs/b/x"),
    ):
        assert (to_path(uri), to_uri(path)) == (path, uri)
    for other in ("/data/x", "hdfs://b/x", "/s3x/b", "", "a note about s3://b"):
        assert to_path(other) == to_uri(other) == other


def test_only_texts_in_json_are_mapped() -> None:
    value = {"key": ["a", 1, None, {"deep": "b"}], "flag": True}
    assert map_texts(value, str.upper) == {"key": ["A", 1, None, {"deep": "B"}], "flag": True}
