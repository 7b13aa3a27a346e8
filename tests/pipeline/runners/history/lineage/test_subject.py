"""A user names a version, an artifact, a path or a run; anything else is refused with a hint."""

import json
import os
import shutil
from pathlib import Path

import pytest
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.core.errors import ConfigError
from pipeline.runners.history.graph import Graph, read_graph
from pipeline.runners.history.lineage.subject import Subject, find_subject, list_versions
from pipeline.runners.workspace.database import open_metadata
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.run_ids import match_runs

PUSHED, INTERRUPTED = "20261123-021129-535341", "20261123-021144-107579"
VERSION = "1795399903"


def graph_of(workspace: Workspace) -> Graph:
    store = open_metadata(workspace.metadata)
    assert store is not None
    return read_graph(store)


def find(thing: str, workspace: Workspace) -> Subject:
    graph = graph_of(workspace)
    names = {run_id: name for name, run_id in match_runs(workspace, graph.runs).items()}
    return find_subject(thing, workspace, graph, names)


def types(subject: Subject, workspace: Workspace) -> list[str]:
    artifacts = graph_of(workspace).artifacts
    return [artifacts[a].type for a in subject.artifacts]


def test_a_version_is_found_by_its_number_its_path_and_as_the_served_one(shop: Workspace) -> None:
    version = shop.serving / VERSION
    for thing in (VERSION, str(version), f"{version}/", os.path.relpath(version), "served"):
        subject = find(thing, shop)
        assert types(subject, shop) == ["PushedModel"]
        assert subject.title == f"version {VERSION}, served now"
        assert subject.remarks == ()


def test_an_artifact_is_found_by_its_number_and_by_its_path(shop: Workspace) -> None:
    examples = graph_of(shop).artifacts[1].uri
    file = next(Path(examples).rglob("*.parquet"))
    for thing in ("1", examples, str(file), os.path.relpath(file)):
        assert find(thing, shop).artifacts == (1,)


def test_an_artifact_of_a_moved_workspace_is_found_where_it_lies_now(
    moved_shop: Workspace,
) -> None:
    (examples,) = moved_shop.root.glob("artifacts/*/ExampleGen/examples/*")
    assert find(str(examples), moved_shop).artifacts == (1,)


def test_a_run_is_all_its_artifacts_and_those_it_made_itself(shop: Workspace) -> None:
    whole, interrupted = find(PUSHED, shop), find(INTERRUPTED, shop)
    assert {"Examples", "Model", "PushedModel"} < {*types(whole, shop)}
    assert whole.sources == whole.artifacts
    assert {"Examples", "TransformGraph"} < {*types(interrupted, shop)} < {*types(whole, shop)}
    assert interrupted.sources == ()
    run_id = next(iter(graph_of(shop).runs))
    assert find(run_id, shop).artifacts == whole.artifacts


@pytest.mark.parametrize("thing", ["99", "nothing", "/etc/passwd", "serving", "17953999", "-1", ""])
def test_an_unknown_thing_is_refused_with_what_can_be_named(shop: Workspace, thing: str) -> None:
    with pytest.raises(ConfigError, match="is no version, artifact, run or path") as caught:
        find(thing, shop)
    for known in (VERSION, PUSHED, INTERRUPTED, "1 to "):
        assert known in caught.value.hint


def test_the_nearest_name_is_proposed(shop: Workspace) -> None:
    with pytest.raises(ConfigError) as caught:
        find(PUSHED[:-2], shop)
    assert f"did you mean {PUSHED}?" in caught.value.hint


def test_the_version_of_a_run_that_was_killed_after_its_push_leads_to_its_model(
    own_shop: Workspace,
) -> None:
    forget_push(own_shop)
    assert list_versions(graph_of(own_shop)) == {}
    subject = find(VERSION, own_shop)
    assert types(subject, own_shop) == ["Model"]
    assert "does not know the push" in subject.remarks[0]


def test_a_version_that_the_metadata_does_not_know_is_refused(own_shop: Workspace) -> None:
    (own_shop.serving / "17").mkdir()
    with pytest.raises(ConfigError, match="does not know what made it"):
        find("17", own_shop)
    pointer = own_shop.serving / "served.json"
    record = json.loads(pointer.read_text())
    pointer.write_text(json.dumps({**record, "version": "17", "model": "/elsewhere/model"}))
    with pytest.raises(ConfigError, match="its model was /elsewhere/model"):
        find("served", own_shop)
    pointer.unlink()
    with pytest.raises(ConfigError, match="nothing is served"):
        find("served", own_shop)


def test_a_version_stays_known_when_its_directory_is_gone(own_shop: Workspace) -> None:
    shutil.rmtree(own_shop.serving / VERSION)
    assert types(find(VERSION, own_shop), own_shop) == ["PushedModel"]


def forget_push(workspace: Workspace) -> None:
    """Takes the version from the artifact of the push, as if the Pusher had been killed."""
    from ml_metadata import MetadataStore

    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(workspace.metadata)
    store = MetadataStore(config)
    for artifact in store.get_artifacts_by_type("PushedModel"):
        artifact.custom_properties["pushed_version"].string_value = ""
        store.put_artifacts([artifact])
