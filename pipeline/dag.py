"""The DAG. This is the one place that wires components, and it only wires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfx.components import ExampleValidator, SchemaGen, Trainer
from tfx.components.schema_gen.import_schema_gen.component import ImportSchemaGen
from tfx.dsl.components.base.base_node import BaseNode
from tfx.orchestration.pipeline import Pipeline
from tfx.proto import trainer_pb2, transform_pb2

from components.anomaly_gate.component import AnomalyGate, AnomalyReport
from components.distributed_trainer.component import DistributedTrainer
from components.evaluator.component import Evaluator
from components.pusher.component import Pusher
from components.schema_curator.component import SchemaCurator
from components.served_model.served_record import Role
from components.served_model_reader.component import ServedModel
from components.statistics_gen.component import StatisticsGen
from components.transform.component import Transform
from components.tuner.component import Tuner
from components.warm_start.component import WarmStart
from pipeline.config import Config, Section, WorkersConfig
from pipeline.config.sections.beam import RUNNER
from pipeline.core.code_digest import code_digest, stamp_code
from pipeline.eval_config import make_eval_config
from pipeline.keys import (
    PREPROCESSING,
    TRAINER,
    TRIAL,
    data_key,
    run_key,
    trainer_code,
    trial_code,
)
from pipeline.sources import make_example_gen


@dataclass(frozen=True)
class Target:
    """What differs between the runners: where things are, and what is served there."""

    pipeline_root: str
    serving_directory: str
    backup_directory: str
    """Training backups: outside of artifacts, which TFX removes when an execution fails."""
    resolved: Mapping[Role, str]
    """For each role a text that changes with what is served; see ServedModel."""
    beam_args: tuple[str, ...] = ()
    """What the runner adds to Beam's flags."""
    workers: WorkersConfig | None = None
    """The pods of a training on many workers; None where they are processes."""
    answer: str = ""
    """What this run knows the answer of its query by, where the platform does not say so."""
    metadata: Any = None
    """An MLMD ConnectionConfig, or None where the platform has its own."""


def create_pipeline(config: Config, target: Target, until: str | None = None) -> Pipeline:
    """The pipeline that `config` describes, to be run by any runner, up to the node `until`."""
    nodes = _data_nodes(config, target)
    nodes += _model_nodes(config, target, {node.id: node for node in nodes})
    if until is not None:
        nodes = nodes[: [node.id for node in nodes].index(until) + 1]
    for node in nodes:
        stamp_code(node)
        if flags := getattr(config.beam.components, node.id, ()):
            node.with_beam_pipeline_args(flags)
    return Pipeline(
        pipeline_name=config.name,
        pipeline_root=target.pipeline_root,
        components=nodes,
        enable_cache=True,
        metadata_connection_config=target.metadata,
        beam_pipeline_args=[RUNNER, *target.beam_args, *config.beam.args],
    )


def _data_nodes(config: Config, target: Target) -> list[BaseNode]:
    """From the table to a passed gate."""
    example_gen = make_example_gen(config, target.answer).with_id("ExampleGen")
    examples = example_gen.outputs["examples"]
    reference = _served_model("reference", config, target, examples).with_id("Reference")
    statistics_gen = StatisticsGen(examples=examples, categories=config.categories())
    statistics = statistics_gen.outputs["statistics"]
    schema_gen = _schema_gen(config, statistics).with_id("SchemaGen")
    curator = SchemaCurator(
        schema=schema_gen.outputs["schema"],
        statistics=statistics,
        reference=reference.outputs["record"],
        config=config,
    )
    schema = curator.outputs["schema"]
    validator = ExampleValidator(statistics=statistics, schema=schema)
    report = AnomalyReport(
        statistics=statistics,
        schema=schema,
        anomalies=validator.outputs["anomalies"],
        reference=reference.outputs["record"],
        config=config,
    )
    gate = AnomalyGate(findings=report.outputs["findings"])
    return [
        example_gen, reference, statistics_gen, schema_gen, curator, validator, report, gate,
    ]  # fmt: skip


def _model_nodes(config: Config, target: Target, data: Mapping[str, BaseNode]) -> list[BaseNode]:
    """From passed data to a served model."""
    examples = data["ExampleGen"].outputs["examples"]
    schema = data["SchemaCurator"].outputs["schema"]
    transform = Transform(
        examples=examples,
        schema=schema,
        preprocessing_fn=f"{PREPROCESSING}.preprocessing_fn",
        splits_config=transform_pb2.SplitsConfig(analyze=["train"], transform=["train", "eval"]),
        disable_statistics=True,
        # Nothing would read it: a changed split is analysed anew.
        disable_analyzer_cache=True,
        custom_config=_user_code_config(code_digest(PREPROCESSING), **_feature_sections(config)),
    )
    transform.add_upstream_node(data["AnomalyGate"])
    start = _warm_start(config, target, examples)
    to_train: dict[str, Any] = {
        "examples": transform.outputs["transformed_examples"],
        "transform_graph": transform.outputs["transform_graph"],
        "schema": schema,
        "base_model": start.outputs["model"] if start else None,
        "train_args": trainer_pb2.TrainArgs(splits=["train"]),
        "eval_args": trainer_pb2.EvalArgs(splits=["eval"]),
    }
    tuner = _tuner(config, target, to_train)
    trainer = _trainer_class(config)(
        run_fn=f"{TRAINER}.run_fn",
        hyperparameters=tuner.outputs["best_hyperparameters"] if tuner else None,
        custom_config=_training_config(config, target, trainer_code(config))
        | _pods(config, target),
        **to_train,
    ).with_id("Trainer")
    baseline = _served_model("baseline", config, target, examples).with_id("Baseline")
    # Late, so that a push of another run meanwhile is told before the evaluation.
    baseline.add_upstream_node(trainer)
    evaluator = Evaluator(
        examples=examples,
        model=trainer.outputs["model"],
        schema=schema,
        baseline=baseline.outputs["record"],
        eval_config=make_eval_config(config),
        example_splits=[config.evaluation.split],
        label=config.label,
    )
    pusher = Pusher(
        serving_directory=target.serving_directory,
        keep_versions=config.serving.keep_versions,
        label=config.label,
        data_key=data_key(config),
        run_key=run_key(config),
        examples=examples,
        statistics=data["StatisticsGen"].outputs["statistics"],
        schema=schema,
        model=trainer.outputs["model"],
        evaluation=evaluator.outputs["evaluation"],
        blessing=evaluator.outputs["blessing"],
        reference=data["Reference"].outputs["record"],
        baseline=baseline.outputs["record"],
    )
    before = [node for node in (start, tuner) if node is not None]
    return [transform, *before, trainer, baseline, evaluator, pusher]


def _schema_gen(config: Config, statistics: Any) -> BaseNode:
    if config.schema_.path is not None:
        return ImportSchemaGen(schema_file=config.schema_.path)
    return SchemaGen(statistics=statistics, infer_feature_shape=True)


def _trainer_class(config: Config) -> type[Trainer]:
    return DistributedTrainer if config.training.tasks else Trainer


def _warm_start(config: Config, target: Target, examples: Any) -> WarmStart | None:
    if not config.training.warm_start:
        return None
    return WarmStart(
        examples=examples,
        serving_directory=target.serving_directory,
        key=run_key(config),
        label=config.label,
        resolved=target.resolved["baseline"],
    )


def _tuner(config: Config, target: Target, to_train: Mapping[str, Any]) -> BaseNode | None:
    if config.tuning is None:
        return None
    return Tuner(
        tuner_fn=f"{TRIAL}.train_trial",
        custom_config={
            **_training_config(config, target, trial_code(config)),
            "tuning": config.tuning.to_json(),
        },
        **to_train,
    ).with_id("Tuner")


def _training_config(config: Config, target: Target, code: str) -> dict[str, str]:
    sections = _user_code_config(
        code, **_feature_sections(config), model=config.model, training=config.training
    )
    return sections | {"backup_directory": target.backup_directory}


def _pods(config: Config, target: Target) -> dict[str, str]:
    """The pods of many workers, where the platform has them."""
    if target.workers is None or not config.training.tasks:
        return {}
    return {"workers": target.workers.to_json()}


def _served_model(role: Role, config: Config, target: Target, examples: Any) -> ServedModel:
    return ServedModel(
        role=role,
        examples=examples,
        serving_directory=target.serving_directory,
        key=data_key(config) if role == "reference" else run_key(config),
        resolved=target.resolved[role],
    )


def _feature_sections(config: Config) -> dict[str, Section | str]:
    return {"features": config.features_json(), "label": config.label}


def _user_code_config(code: str, **sections: Section | str) -> dict[str, str]:
    """What user code gets: the sections it reads, as JSON, and the digest of itself."""
    texts = {k: v.to_json() if isinstance(v, Section) else v for k, v in sections.items()}
    return {**texts, "code": code}
