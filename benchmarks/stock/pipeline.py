"""The stock DAG: TFX's components with their defaults, but for what makes it the same work."""

from __future__ import annotations

import math
import os
from typing import Any

from tfx import v1 as tfx

from benchmarks.stock.job import EVALUATION_BATCH, Job
from benchmarks.stock.metrics import with_tfma_metrics
from pipeline.config import Config
from pipeline.config.sections.beam import RUNNER
from pipeline.core.contracts import Split
from pipeline.eval_config import make_eval_config


def create_stock_pipeline(config: Config, job: Job) -> Any:
    """The pipeline from the splits' CSV files to the pushed model."""
    data = _data_nodes(job)
    return tfx.dsl.Pipeline(
        pipeline_name="stock",
        pipeline_root=os.path.join(job.directory, "artifacts"),
        components=[*data.values(), *_model_nodes(config, job, data)],
        enable_cache=True,
        metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(
            os.path.join(job.directory, "metadata.db")
        ),
        beam_pipeline_args=beam_args(),
    )


def beam_args() -> list[str]:
    """None, as TFX's default; where Beam would first try to download a runner, the one it had."""
    import apache_beam

    if tuple(int(part) for part in apache_beam.__version__.split(".")[:2]) < (2, 68):
        return []
    return [RUNNER, "--sdk_container_image=none"]


def _data_nodes(job: Job) -> dict[str, Any]:
    splits = [tfx.proto.Input.Split(name=name, pattern=f"{name}.csv") for name in Split.ALL]
    example_gen = tfx.components.CsvExampleGen(
        input_base=job.splits, input_config=tfx.proto.Input(splits=splits)
    ).with_id("ExampleGen")
    statistics_gen = tfx.components.StatisticsGen(examples=example_gen.outputs["examples"])
    statistics = statistics_gen.outputs["statistics"]
    schema_gen = tfx.components.SchemaGen(statistics=statistics)
    validator = tfx.components.ExampleValidator(
        statistics=statistics, schema=schema_gen.outputs["schema"]
    )
    nodes = (example_gen, statistics_gen, schema_gen, validator)
    return {node.id: node for node in nodes}


def _model_nodes(config: Config, job: Job, data: dict[str, Any]) -> list[Any]:
    examples = data["ExampleGen"].outputs["examples"]
    schema = data["SchemaGen"].outputs["schema"]
    sections = {"features": config.features_json(), "label": config.label.to_json()}
    transform = tfx.components.Transform(
        examples=examples,
        schema=schema,
        preprocessing_fn="benchmarks.stock.preprocessing.preprocessing_fn",
        custom_config=sections,
    )
    trainer = tfx.components.Trainer(
        run_fn="benchmarks.stock.trainer.run_fn",
        examples=transform.outputs["transformed_examples"],
        transform_graph=transform.outputs["transform_graph"],
        schema=schema,
        train_args=tfx.proto.TrainArgs(num_steps=_train_steps(config, job)),
        eval_args=tfx.proto.EvalArgs(num_steps=math.ceil(job.rows["eval"] / EVALUATION_BATCH)),
        custom_config={
            **sections,
            "model": config.model.to_json(),
            "training": config.training.to_json(),
            "label_counts": str(job.label_counts),
        },
    )
    evaluator = tfx.components.Evaluator(
        examples=examples,
        model=trainer.outputs["model"],
        eval_config=with_tfma_metrics(make_eval_config(config), config.label.task),
        example_splits=[config.evaluation.split],
    )
    pusher = tfx.components.Pusher(
        model=trainer.outputs["model"],
        model_blessing=evaluator.outputs["blessing"],
        push_destination=tfx.proto.PushDestination(
            filesystem=tfx.proto.PushDestination.Filesystem(
                base_directory=os.path.join(job.directory, "serving")
            )
        ),
    )
    return [transform, trainer, evaluator, pusher]


def _train_steps(config: Config, job: Job) -> int:
    return math.ceil(job.rows["train"] / config.training.global_batch_size)
