"""The lineage names files, seeds, artifacts with their parents, and the command to repeat."""

from runs_for_pages import OUTPUT, RUN, artifact, make_run, node, penguins

from pipeline.core.contracts import Node
from pipeline.runners.reporting.parts.lineage import describe_lineage

NODES = {
    Node.EXAMPLE_GEN: node("cached", artifact("examples", run_id="a", input_fingerprint="f00")),
    Node.TRAINER: node("complete", artifact("model", run_id="b")),
}


def test_what_the_run_was_made_from_is_named() -> None:
    run = make_run(config=penguins("training.seed=5"))
    lineage = describe_lineage(run, NODES, {"a": "first run"}, OUTPUT)
    assert lineage.fingerprint == "f00"
    assert lineage.seeds == {"data.split.seed": 0, "training.seed": 5}
    assert lineage.code_digests == {"Trainer": "2b33d04b"}
    assert lineage.versions == {"numpy": "1.26.4"}
    examples, model = lineage.artifacts
    assert (examples.type, examples.producer, examples.parents) == ("Thing", "ExampleGen", (1, 2))
    assert (examples.made_by_run, model.made_by_run) == ("first run", None)


def test_the_command_repeats_the_run_with_its_recorded_configuration() -> None:
    command = describe_lineage(make_run(), {}, {}, OUTPUT).command
    assert command.startswith("cd /home/user/shop && ")
    assert f"-m pipeline run --config {OUTPUT}/logs/{RUN}/config.yaml --output {OUTPUT}" in command


def test_a_run_of_an_earlier_version_says_that_it_recorded_nothing() -> None:
    lineage = describe_lineage(make_run(record=None), {}, {}, OUTPUT)
    assert "did not record this" in lineage.configuration
    assert (lineage.versions, lineage.hardware, lineage.seeds) == ({}, {}, {})
    assert lineage.command.endswith(f"-m pipeline run --config shop.yaml --output {OUTPUT}")
