"""The pipeline. This is the one place that wires components, and it does nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfx.components import ExampleValidator, SchemaGen, Trainer
from tfx.components.schema_gen.import_schema_gen.component import ImportSchemaGen
from tfx.dsl.components.base.base_node import BaseNode
from tfx.dsl.components.base.executor_spec import BeamExecutorSpec
from tfx.orchestration.pipeline import Pipeline
from tfx.proto import trainer_pb2, transform_pb2

from components.anomaly_gate.component import AnomalyGate, AnomalyReport
from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.batch_predictor.component import BatchPredictor
from components.data_figures.component import DataFigures
from components.distributed_trainer.component import DistributedTrainer
from components.evaluator.component import Evaluator
from components.model_exporter.component import ModelExporter
from components.model_figures.component import ModelFigures
from components.pusher.component import Pusher
from components.schema_curator.component import SchemaCurator
from components.served_model.served_record import Role
from components.served_model_reader.component import ServedModel
from components.serving_check.component import ServingCheck
from components.statistics_gen.component import StatisticsGen
from components.transform.component import Transform
from components.tuner.component import Tuner
from components.warm_start.component import WarmStart
from pipeline.config import Config, SchemaConfig, TrainingConfig, WorkersConfig
from pipeline.config.engine.beam_flags import list_own_flags, list_shared_flags
from pipeline.core.code_digest import stamp_code, unchanged_sources
from pipeline.core.contracts import Node, Split
from pipeline.custom_config import (
    exporter_config,
    trainer_config,
    transform_config,
    tuner_config,
)
from pipeline.eval_config import make_eval_config
from pipeline.keys import (
    EXPORTING,
    PREPROCESSING,
    TRAINER,
    TRIAL,
    make_data_key,
    make_exports_key,
    make_run_key,
)
from pipeline.sources import make_example_gen


@dataclass(frozen=True)
class Target:
    """The settings of the pipeline that depend on the runner."""

    pipeline_root: str
    serving_directory: str
    backup_directory: str
    """Training backups, outside of artifacts: TFX removes artifacts when an execution fails."""
    resolved: Mapping[Role, str]
    """For each role, the text by which the cache sees the served model; see `make_resolution`."""
    withdrawal: str = ""
    """By this text the cache sees that the candidate is withdrawn; see `resolve_withdrawal`."""
    reference_split: str = ""
    """How the rows of the served model were divided; see `resolve_split`."""
    workers: WorkersConfig | None = None
    """The pods of a training on many workers; None where the workers are processes."""
    query_answer_id: str = ""
    """Identifies the answer to `data.query` in this run; empty where the platform does so."""
    run: str = ""
    """Differs from run to run, for components that must not come from the cache; empty where the
    platform knows them."""
    metadata: Any = None
    """An MLMD ConnectionConfig, or None where the platform has its own."""


@unchanged_sources()
def create_pipeline(config: Config, target: Target, until: str | None = None) -> Pipeline:
    """Returns the pipeline that `config` describes, for any runner.

    Args:
      until: the id of the last node; None for the whole pipeline.
    """
    nodes = _wire(config, target)
    if until is not None:
        nodes = nodes[: [node.id for node in nodes].index(until) + 1]
    for node in nodes:
        stamp_code(node)
        if isinstance(node.executor_spec, BeamExecutorSpec):
            node.with_beam_pipeline_args(list_own_flags(config, node.id))
    return Pipeline(
        pipeline_name=config.name,
        pipeline_root=target.pipeline_root,
        components=nodes,
        enable_cache=True,
        metadata_connection_config=target.metadata,
        beam_pipeline_args=[*list_shared_flags(config)],
    )


def _wire(config: Config, target: Target) -> list[BaseNode]:
    """Returns the nodes in the order of the drawing in docs/architecture.md.

    One body, however long: whoever reads it from top to bottom has seen every arrow.
    """
    example_gen = make_example_gen(config, target.query_answer_id, target.reference_split).with_id(
        Node.EXAMPLE_GEN
    )
    examples = example_gen.outputs["examples"]
    served = {"examples": examples, "serving_directory": target.serving_directory}

    reference = ServedModel(
        role="reference",
        key=make_data_key(config),
        resolved=target.resolved["reference"],
        **served,
    ).with_id(Node.REFERENCE)
    statistics_gen = StatisticsGen(examples=examples, categories=config.categories())
    statistics = statistics_gen.outputs["statistics"]
    schema_gen = _schema_gen(config.schema_, statistics).with_id(Node.SCHEMA_GEN)
    curator = SchemaCurator(
        schema=schema_gen.outputs["schema"],
        statistics=statistics,
        reference=reference.outputs["record"],
        kinds=config.kinds_with_weight_column(),
        label=config.label,
        schema_config=config.schema_,
        validation=config.validation,
    )
    schema = curator.outputs["schema"]
    validator = ExampleValidator(statistics=statistics, schema=schema)
    report = AnomalyReport(
        examples=examples,
        statistics=statistics,
        schema=schema,
        anomalies=validator.outputs["anomalies"],
        reference=reference.outputs["record"],
        kinds=config.kinds_with_weight_column(),
        label=config.label,
        schema_config=config.schema_,
        validation=config.validation,
        places=PlaceSettings.of(config.features, config.data.split),
    )
    data_figures = DataFigures(
        examples=examples,
        statistics=statistics,
        schema=schema,
        findings=report.outputs["findings"],
        reference=reference.outputs["record"],
        kinds=config.kinds_with_weight_column(),
        label=config.label,
        schema_config=config.schema_,
        validation=config.validation,
    )
    gate = AnomalyGate(findings=report.outputs["findings"])
    # Otherwise the gate would stop a run before the figures that show why.
    gate.add_upstream_node(data_figures)

    transform = Transform(
        examples=examples,
        schema=schema,
        preprocessing_fn=f"{PREPROCESSING}.preprocessing_fn",
        splits_config=transform_pb2.SplitsConfig(
            analyze=[Split.TRAIN], transform=[Split.TRAIN, Split.EVAL]
        ),
        disable_statistics=True,
        # Nothing would read the analyzer cache: a changed split is analysed anew.
        disable_analyzer_cache=True,
        custom_config=transform_config(config),
    )
    transform.add_upstream_node(gate)
    warm_start = config.training.warm_start and WarmStart(
        key=make_run_key(config), label=config.label, resolved=target.resolved["baseline"], **served
    )
    to_train: dict[str, Any] = {
        "examples": transform.outputs["transformed_examples"],
        "transform_graph": transform.outputs["transform_graph"],
        "schema": schema,
        "base_model": warm_start.outputs["model"] if warm_start else None,
        "train_args": trainer_pb2.TrainArgs(splits=[Split.TRAIN]),
        "eval_args": trainer_pb2.EvalArgs(splits=[Split.EVAL]),
    }
    tuner = config.tuning and Tuner(
        tuner_fn=f"{TRIAL}.train_trial",
        custom_config=tuner_config(config, config.tuning, target.backup_directory),
        **to_train,
    ).with_id(Node.TUNER)
    trainer = _trainer_class(config.training)(
        run_fn=f"{TRAINER}.run_fn",
        hyperparameters=tuner.outputs["best_hyperparameters"] if tuner else None,
        custom_config=trainer_config(config, target.backup_directory, target.workers),
        **to_train,
    ).with_id(Node.TRAINER)

    baseline = ServedModel(
        role="baseline", key=make_run_key(config), resolved=target.resolved["baseline"], **served
    ).with_id(Node.BASELINE)
    # After the training, so that a push by another run meanwhile fails here, before the evaluation.
    baseline.add_upstream_node(trainer)
    evaluator = Evaluator(
        examples=examples,
        model=trainer.outputs["model"],
        schema=schema,
        baseline=baseline.outputs["record"],
        eval_config=make_eval_config(config),
        gaps=config.evaluation.gaps,
        example_splits=[config.evaluation.split],
        label=config.label,
    )
    model_figures = ModelFigures(
        examples=examples,
        model=trainer.outputs["model"],
        schema=schema,
        predictions=evaluator.outputs["predictions"],
        evaluation=evaluator.outputs["evaluation"],
        baseline=baseline.outputs["record"],
        features=config.features,
        label=config.label,
        evaluation_config=config.evaluation,
        report=config.report,
    )
    check = config.serving.check
    serving_check = check.enabled and ServingCheck(
        check=check,
        columns=config.features,
        examples=examples,
        model=trainer.outputs["model"],
        schema=schema,
        predictions=evaluator.outputs["predictions"],
        model_blessing=evaluator.outputs["blessing"],
    )
    model_exporter = bool(config.exports) and ModelExporter(
        exports=config.exports,
        label=config.label,
        evaluation=config.evaluation,
        training_code=EXPORTING,
        custom_config=exporter_config(config),
        hyperparameters=tuner.outputs["best_hyperparameters"] if tuner else None,
        examples=examples,
        transformed_examples=transform.outputs["transformed_examples"],
        transform_graph=transform.outputs["transform_graph"],
        schema=schema,
        model=trainer.outputs["model"],
        predictions=evaluator.outputs["predictions"],
    )
    pusher = Pusher(
        serving_directory=target.serving_directory,
        serving=config.serving,
        pipeline=config.name,
        label=config.label,
        data_key=make_data_key(config),
        run_key=make_run_key(config),
        exports_key=make_exports_key(config),
        withdrawal=target.withdrawal,
        examples=examples,
        statistics=statistics,
        schema=schema,
        model=trainer.outputs["model"],
        evaluation=evaluator.outputs["evaluation"],
        blessing=evaluator.outputs["blessing"],
        infra_blessing=serving_check.outputs["blessing"] if serving_check else None,
        reference=reference.outputs["record"],
        baseline=baseline.outputs["record"],
        exports=model_exporter.outputs["exports"] if model_exporter else None,
    )
    batch_predictor = config.prediction and BatchPredictor(
        pushed_model=pusher.outputs["pushed_model"],
        serving_directory=target.serving_directory,
        prediction=config.prediction,
        data=config.data,
        run=target.run,
    )
    return [
        example_gen, reference, statistics_gen, schema_gen, curator, validator, report,
        data_figures, gate, transform, *filter(None, (warm_start, tuner)), trainer, baseline,
        evaluator, model_figures, *filter(None, (serving_check, model_exporter)), pusher,
        *filter(None, (batch_predictor,)),
    ]  # fmt: skip


def _schema_gen(schema: SchemaConfig, statistics: Any) -> BaseNode:
    if schema.path is not None:
        return ImportSchemaGen(schema_file=schema.path)
    return SchemaGen(statistics=statistics, infer_feature_shape=True)


def _trainer_class(training: TrainingConfig) -> type[Trainer]:
    return DistributedTrainer if training.tasks else Trainer
