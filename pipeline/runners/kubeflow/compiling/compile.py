"""The compiled file: TFX's own compiler, then what open-source Kubeflow needs beyond it."""

from __future__ import annotations

import json
from typing import Any

from tfx.orchestration.kubeflow.v2.kubeflow_v2_dag_runner import (
    KubeflowV2DagRunner,
    KubeflowV2DagRunnerConfig,
)

from pipeline.config import Config
from pipeline.dag import Target, create_pipeline
from pipeline.runners.kubeflow.compiling.caching import with_cache_policy
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline, graph_digest
from pipeline.runners.kubeflow.compiling.container import started_by_entrypoint
from pipeline.runners.kubeflow.compiling.execution_properties import (
    constants_of,
    handed_properties,
    with_surroundings,
)
from pipeline.runners.kubeflow.compiling.first_task import (
    with_first_task,
    with_graph,
    with_run_parameters,
)
from pipeline.runners.kubeflow.compiling.parameter_encoding import packed
from pipeline.runners.kubeflow.compiling.platform import platform_spec
from pipeline.runners.kubeflow.compiling.report_outputs import with_reports
from pipeline.runners.kubeflow.compiling.required_settings import image_of, storage_of
from pipeline.runners.kubeflow.compiling.spec import Spec, tasks_of
from pipeline.runners.kubeflow.compiling.spec_checks import (
    bare_spec,
    refuse_other_schema_versions,
    refuse_what_has_no_container,
    without_driver_hooks,
)
from pipeline.runners.kubeflow.compiling.target import make_target
from pipeline.runners.kubeflow.compiling.task_names import in_kebab_case, refuse_illegal_names
from pipeline.runners.kubeflow.compiling.task_pods import (
    with_resources,
    with_retries,
    with_variables,
)


def compile_pipeline(config: Config) -> CompiledPipeline:
    """The pipeline that `config` describes.

    Raises:
      ConfigError: something that Kubeflow needs is missing, or would be refused there.
    """
    return adapt(raw_spec(config, make_target(config)), config)


def raw_spec(config: Config, target: Target) -> Spec:
    """What TFX compiles, by the ids of the nodes: every execution property is a constant in it."""
    pipeline = create_pipeline(config, target)
    refuse_illegal_names(config.name, [node.id for node in pipeline.components])
    settings = KubeflowV2DagRunnerConfig(default_image=image_of(config), use_pipeline_spec_2_1=True)
    raw = bare_spec(KubeflowV2DagRunner(settings).run(pipeline, write_out=False))
    nodes = pipeline.components
    return with_surroundings(raw, {node.id: _surroundings(node, config) for node in nodes})


def adapt(raw: Spec, config: Config) -> CompiledPipeline:
    """What Kubeflow runs of `raw_spec`; of the constants in it, nothing is left."""
    constants_of(raw)  # Refuses what is none.
    spec = refuse_what_has_no_container(refuse_other_schema_versions(raw))
    spec = started_by_entrypoint(without_driver_hooks(spec), image_of(config))
    spec = with_run_parameters(with_reports(handed_properties(spec)))
    spec = with_first_task(spec, image_of(config), packed(config.model_dump_json(by_alias=True)))
    spec = with_cache_policy(spec, config.kubeflow.cache)
    spec = with_resources(spec, config.kubeflow)
    spec = with_variables(spec, config.kubeflow)
    spec = with_retries(spec, config.kubeflow)
    platform = platform_spec(tasks_of(spec), config.kubeflow, storage_of(config))
    spec = in_kebab_case(spec)
    return CompiledPipeline(with_graph(spec, graph_digest(spec, platform)), platform)


def _surroundings(node: Any, config: Config) -> str:
    """What `stamp_code` left in a component's flags, and the variables of its task."""
    code = [flag for flag in node.executor_spec.extra_flags if flag.startswith("--code=")]
    return json.dumps([*code, config.kubeflow.task(node.id).env], sort_keys=True)
