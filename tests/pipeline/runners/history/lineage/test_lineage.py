"""A lineage reaches from the data to the push, and says what is gone."""

import json
import shutil

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.core.errors import ConfigError
from pipeline.core.events import to_json
from pipeline.core.text import readable_json
from pipeline.runners.history.lineage.lineage import Lineage, trace
from pipeline.runners.workspace.places import Workspace

PUSHED, INTERRUPTED = "20261123-021129-535341", "20261123-021144-107579"


def types(lineage: Lineage, ids: tuple[int, ...]) -> set[str]:
    return {lineage.artifacts[a].type for a in ids}


def test_a_served_model_is_traced_to_the_file_of_its_data(shop: Workspace) -> None:
    lineage = trace("served", shop)
    assert {"Examples", "Schema", "Model", "ModelBlessing"} < types(lineage, lineage.ancestors)
    assert lineage.descendants == ()
    (source,) = (e.data for e in lineage.executions.values() if e.data)
    assert source.files == ("orders.csv",)
    assert source.fingerprint is not None
    trainer = next(e for e in lineage.executions.values() if e.component == "Trainer")
    assert (trainer.run, trainer.state, trainer.facts["family"]) == (
        PUSHED,
        "complete",
        "ensemble",
    )


def test_data_is_traced_to_the_push_and_to_a_failed_training(shop: Workspace) -> None:
    lineage = trace("1", shop)
    assert lineage.ancestors == ()
    assert {"Model", "PushedModel"} < types(lineage, lineage.descendants)
    readers = {(e.component, e.state) for e in lineage.executions.values()}
    assert {("Trainer", "complete"), ("Trainer", "failed"), ("AnomalyGate", "complete")} < readers


def test_paths_are_relative_to_the_workspace_and_deletions_are_said(own_shop: Workspace) -> None:
    examples = trace("1", own_shop).artifacts[1]
    assert examples.path is not None
    assert examples.state == "live"
    shutil.rmtree(own_shop.root / examples.path)
    assert trace("1", own_shop).artifacts[1].state == "missing"
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(own_shop.metadata)
    store = MetadataStore(config)
    (artifact,) = store.get_artifacts_by_id([1])
    artifact.state = mlmd.Artifact.DELETED
    store.put_artifacts([artifact])
    assert trace("1", own_shop).artifacts[1].state == "deleted"


def test_a_moved_workspace_is_said_and_has_its_own_paths(moved_shop: Workspace) -> None:
    lineage = trace("served", moved_shop)
    assert "/home/user/shop" in lineage.remarks[0]
    assert "is a copy, or was moved" in lineage.remarks[0]
    assert {a.state for a in lineage.artifacts.values()} == {"live"}
    assert all(
        (moved_shop.root / (a.path or "absent")).is_dir() for a in lineage.artifacts.values()
    )


def test_a_run_whose_logs_are_gone_keeps_its_id(own_shop: Workspace) -> None:
    shutil.rmtree(own_shop.logs / PUSHED)
    runs = {e.run for e in trace("served", own_shop).executions.values()}
    assert runs == {"2026-11-23T02:11:34.052185"}


def test_a_lineage_is_json_as_documented(shop: Workspace) -> None:
    content = json.loads(readable_json(to_json(trace(INTERRUPTED, shop))))
    assert content["format"] == 1
    assert content["subject"] == f"run {INTERRUPTED}"
    assert {"id", "type", "uri", "path", "state", "created", "made_by", "facts"} == {
        *content["artifacts"]["1"]
    }
    assert content["executions"]["1"]["data"]["files"] == ["orders.csv"]


def test_without_metadata_nothing_can_be_traced(own_shop: Workspace) -> None:
    own_shop.metadata.unlink()
    with pytest.raises(ConfigError, match="nobody knows what made served"):
        trace("served", own_shop)
