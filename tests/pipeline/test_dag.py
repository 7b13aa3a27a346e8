"""The pipeline of each source, compiled to TFX's intermediate representation but not run."""

import json
from pathlib import Path

import pytest
from tfx.dsl.compiler.compiler import Compiler
from tfx.orchestration.metadata import sqlite_metadata_connection_config
from tfx.proto.orchestration.executable_spec_pb2 import (
    BeamExecutableSpec,
    PythonClassExecutableSpec,
)
from tfx.proto.orchestration.pipeline_pb2 import IntermediateDeploymentConfig

from components.custom_config_text import unpack_text
from components.record_splits.settings import RecordSettings
from pipeline import keys
from pipeline.config import Config, WorkersConfig, load_config
from pipeline.config.sections.beam import RUNNER
from pipeline.core.contracts import Node
from pipeline.dag import Target, _wire, create_pipeline

TAXI = Path(__file__).parents[2] / "configs/taxi.yaml"
BIGQUERY = [
    "data={source: bigquery, query: 'SELECT * FROM trips', split: {by: key, column: company}}"
]
SEARCH = 'tuning.search."training.learning_rate"={min: 0.001, max: 0.1}'
EXPORTS = "exports=[{format: onnx}, {format: tflite, quantize: float16}]"
TFRECORD = ["data={source: tfrecord, path: 'trips/*.tfrecord.gz'}"]


PREDICTION = "prediction={input: new/*.csv, output: predictions}"


def compiled(config: Config, tmp_path: Path, resolved: str = "") -> dict[str, object]:
    """The nodes of the compiled pipeline by id."""
    target = Target(
        pipeline_root=str(tmp_path),
        serving_directory=str(tmp_path / "serving"),
        backup_directory=str(tmp_path / "backups"),
        resolved={"reference": resolved, "baseline": resolved},
        metadata=sqlite_metadata_connection_config(str(tmp_path / "metadata.db")),
    )
    ir = Compiler().compile(create_pipeline(config, target))
    return {n.pipeline_node.node_info.id: n.pipeline_node for n in ir.nodes}


def parameters(node: object) -> dict[str, str]:
    return {
        key: value.field_value.string_value or str(value.field_value)
        for key, value in node.parameters.parameters.items()  # type: ignore[attr-defined]
    }


@pytest.mark.parametrize(
    ("assignments", "kind"),
    [
        ([], "ColumnarExampleGen"),
        (BIGQUERY, "QueryExampleGen"),
        (TFRECORD, "RecordExampleGen"),
    ],
)
def test_each_source_has_its_example_gen(tmp_path: Path, assignments: list[str], kind: str) -> None:
    nodes = compiled(load_config([TAXI], assignments), tmp_path)
    assert nodes["ExampleGen"].node_info.type.name.endswith(kind)
    assert list(nodes)[-1] == "Pusher"


def test_the_query_and_the_split_reach_bigquery(tmp_path: Path) -> None:
    given = parameters(compiled(load_config([TAXI], BIGQUERY), tmp_path)["ExampleGen"])
    assert "SELECT * FROM trips" in given["input_config"]
    assert RecordSettings.from_json(unpack_text(given)).split.column == "company"
    split = json.loads(given["output_config"])["split_config"]
    assert [(s["name"], s["hash_buckets"]) for s in split["splits"]] == [
        ("train", 800),
        ("eval", 100),
        ("test", 100),
    ]


def test_the_cache_sees_the_code_of_our_components(tmp_path: Path) -> None:
    target = Target(str(tmp_path), "serving", "backups", {"reference": "", "baseline": ""})
    ir = Compiler().compile(create_pipeline(load_config([TAXI], [SEARCH]), target))
    deployment = IntermediateDeploymentConfig()
    ir.deployment_config.Unpack(deployment)
    flags = {}
    for node, packed in deployment.executor_specs.items():
        for kind in (PythonClassExecutableSpec(), BeamExecutableSpec()):
            if packed.Unpack(kind):
                flags[node] = list(getattr(kind, "python_executor_spec", kind).extra_flags)
    ours = {node for node, given in flags.items() if any(f.startswith("--code=") for f in given)}
    assert ours == {
        "ExampleGen", "Reference", "SchemaCurator", "AnomalyReport", "DataFigures", "AnomalyGate",
        "Baseline", "Evaluator", "ModelFigures", "ServingCheck", "Pusher", "StatisticsGen",
        "Transform", "Tuner",
    }  # fmt: skip


def test_beam_flags_of_a_component_come_after_the_flags_of_all_components(tmp_path: Path) -> None:
    assignments = ["beam.args=[--label=a=1]", "beam.components.Transform=[--label=a=2]"]
    target = Target(str(tmp_path), "serving", "backups", {"reference": "", "baseline": ""})
    ir = Compiler().compile(create_pipeline(load_config([TAXI], assignments), target))
    deployment = IntermediateDeploymentConfig()
    ir.deployment_config.Unpack(deployment)
    flags = {}
    for node, packed in deployment.executor_specs.items():
        if packed.Unpack(spec := BeamExecutableSpec()):
            flags[node] = list(spec.beam_pipeline_args)
    assert flags["Evaluator"] == [RUNNER, "--sdk_container_image=none", "--label=a=1"]
    assert flags["Transform"] == [*flags["Evaluator"], "--label=a=2"]


def test_only_a_trainer_on_many_workers_receives_pods(tmp_path: Path) -> None:
    pods = WorkersConfig()
    target = Target(
        str(tmp_path), "serving", "backups", {"reference": "", "baseline": ""}, workers=pods
    )
    for assignments, told in (([], None), (["training.workers=2", SEARCH], pods.to_json())):
        ir = Compiler().compile(create_pipeline(load_config([TAXI], assignments), target))
        nodes = {n.pipeline_node.node_info.id: n.pipeline_node for n in ir.nodes}
        for name in {"Trainer", "Tuner"} & set(nodes):
            given = json.loads(parameters(nodes[name])["custom_config"])
            assert given.get("workers") == (told if name == "Trainer" else None)


def test_the_dag_wires_the_nodes_of_the_contracts_in_their_order(tmp_path: Path) -> None:
    target = Target(str(tmp_path), "serving", "backups", {"reference": "", "baseline": ""})
    settings = [SEARCH, "training.warm_start=true", EXPORTS, PREDICTION]
    everything = load_config([TAXI], settings)
    assert [node.id for node in _wire(everything, target)] == [*Node.ALL]
    search = create_pipeline(everything, target, until=Node.TUNER)
    assert {node.id for node in search.components} == set(
        Node.ALL[: Node.ALL.index(Node.TUNER) + 1]
    )


def test_transform_waits_for_the_gate(tmp_path: Path) -> None:
    nodes = compiled(load_config([TAXI]), tmp_path)
    assert "AnomalyGate" in nodes["Transform"].upstream_nodes


def test_the_figures_of_the_data_are_made_before_the_gate_may_stop_the_run(tmp_path: Path) -> None:
    nodes = compiled(load_config([TAXI]), tmp_path)
    assert "DataFigures" in nodes["AnomalyGate"].upstream_nodes
    assert list(nodes).index("DataFigures") < list(nodes).index("AnomalyGate")


def test_a_push_does_not_wait_for_the_figures_of_the_model(tmp_path: Path) -> None:
    nodes = compiled(load_config([TAXI]), tmp_path)
    assert "Evaluator" in nodes["ModelFigures"].upstream_nodes
    assert "ModelFigures" not in nodes["Pusher"].upstream_nodes


def test_a_push_waits_for_the_serving_check_unless_it_is_switched_off(tmp_path: Path) -> None:
    nodes = compiled(load_config([TAXI]), tmp_path)
    assert "Evaluator" in nodes["ServingCheck"].upstream_nodes
    assert "ServingCheck" in nodes["Pusher"].upstream_nodes
    without = compiled(load_config([TAXI], ["serving.check.enabled=false"]), tmp_path)
    assert set(nodes) - set(without) == {"ServingCheck"}
    assert "infra_blessing" not in without["Pusher"].inputs.inputs
    assert {n for n in without if parameters(nodes[n]) != parameters(without[n])} == set()


@pytest.mark.parametrize(
    ("assignment", "changed"),
    [
        ("training.epochs=3", {"Trainer", "Baseline", "Pusher"}),
        ("evaluation.min_slice_size=9", {"Evaluator", "ModelFigures"}),
        ("report.rows=false", {"ModelFigures"}),
        ("features.fare.scale=quantile", {"Transform", "Trainer", "Baseline", "Pusher"}),
        ("serving.keep_versions=2", {"Pusher"}),
        ("serving.check.load_seconds=9", {"ServingCheck"}),
    ],
)
def test_a_component_sees_only_the_sections_it_reads(
    tmp_path: Path, assignment: str, changed: set[str]
) -> None:
    before = compiled(load_config([TAXI]), tmp_path)
    after = compiled(load_config([TAXI], [assignment]), tmp_path)
    assert {n for n in before if parameters(before[n]) != parameters(after[n])} == changed


def test_a_changed_served_model_invalidates_only_the_components_that_read_it(
    tmp_path: Path,
) -> None:
    before = compiled(load_config([TAXI]), tmp_path)
    after = compiled(load_config([TAXI]), tmp_path, resolved="another")
    changed = {n for n in before if parameters(before[n]) != parameters(after[n])}
    assert changed == {"Reference", "Baseline"}


def test_exports_change_only_the_exporter_and_the_pusher(tmp_path: Path) -> None:
    nodes = compiled(load_config([TAXI], [EXPORTS, SEARCH]), tmp_path)
    without = compiled(load_config([TAXI], [SEARCH]), tmp_path)
    assert set(nodes) - set(without) == {"ModelExporter"}
    assert "ModelExporter" in nodes["Pusher"].upstream_nodes
    assert set(nodes["ModelExporter"].upstream_nodes) == {
        "ExampleGen", "Evaluator", "SchemaCurator", "Trainer", "Transform", "Tuner"
    }  # fmt: skip
    changed = {n for n in without if parameters(nodes[n]) != parameters(without[n])}
    assert changed == {"Pusher"}, "the keys of the model and of the data stay as they were"


def test_the_tuner_runs_between_transform_and_the_trainer(tmp_path: Path) -> None:
    without = compiled(load_config([TAXI]), tmp_path)
    nodes = compiled(load_config([TAXI], [SEARCH]), tmp_path)
    assert set(nodes) - set(without) == {"Tuner"}
    assert "Transform" in nodes["Tuner"].upstream_nodes
    assert "Tuner" in nodes["Trainer"].upstream_nodes
    changed = {n for n in without if parameters(without[n]) != parameters(nodes[n])}
    assert changed == {"Baseline", "Pusher"}, "the others stay cached"


def test_the_predictor_runs_after_the_pusher_and_never_comes_from_the_cache(
    tmp_path: Path,
) -> None:
    config = load_config([TAXI], [PREDICTION])
    without, nodes = compiled(load_config([TAXI]), tmp_path), compiled(config, tmp_path)
    assert set(nodes) - set(without) == {"BatchPredictor"}
    assert "Pusher" in nodes["BatchPredictor"].upstream_nodes
    assert {n for n in without if parameters(without[n]) != parameters(nodes[n])} == set()
    roles = {"reference": "", "baseline": ""}
    runs = [
        create_pipeline(config, Target(str(tmp_path), "serving", "backups", roles, run=run))
        for run in ("1", "2")
    ]
    first, second = ({n.id: n.exec_properties for n in p.components} for p in runs)
    assert {name for name in first if first[name] != second[name]} == {"BatchPredictor"}


def test_a_changed_search_changes_only_the_tuner_and_the_nodes_that_hold_the_run_key(
    tmp_path: Path,
) -> None:
    before = compiled(load_config([TAXI], [SEARCH]), tmp_path)
    after = compiled(load_config([TAXI], [SEARCH, "tuning.seed=1"]), tmp_path)
    changed = {n for n in before if parameters(before[n]) != parameters(after[n])}
    assert changed == {"Tuner", "Baseline", "Pusher"}


@pytest.mark.parametrize("source", [[], BIGQUERY, TFRECORD], ids=["csv", "bigquery", "tfrecord"])
def test_the_keys_cover_every_executor_of_the_project_before_the_evaluation(
    tmp_path: Path, source: list[str]
) -> None:
    """Another version of an executor makes other data or another model; see pipeline/keys.py."""
    config = load_config(
        [TAXI], [*source, SEARCH, "training.workers=2", "training.warm_start=true"]
    )
    target = Target(
        pipeline_root=str(tmp_path),
        serving_directory=str(tmp_path / "serving"),
        backup_directory=str(tmp_path / "backups"),
        resolved={"reference": "", "baseline": ""},
    )
    nodes = create_pipeline(config, target, until=Node.TRAINER).components
    executors = {node.executor_spec.executor_class.__module__ for node in nodes}
    ours = {module for module in executors if module.startswith("components.")}
    # The first two copy what is served: the model that they copy has a key of its own. The third
    # one makes nothing that the model is made from.
    ours -= {
        "components.served_model_reader.component",
        "components.warm_start.component",
        "components.data_figures.executor",
    }
    assert ours <= {
        keys._example_gen_executor(config.data),
        *keys._DATA_EXECUTORS,
        *keys._MODEL_EXECUTORS,
    }
