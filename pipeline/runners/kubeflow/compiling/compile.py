"""Compiles a configuration with TFX's compiler, then adapts the result to open-source Kubeflow."""

from __future__ import annotations

import json
from typing import Any

from tfx.orchestration.kubeflow.v2.kubeflow_v2_dag_runner import (
    KubeflowV2DagRunner,
    KubeflowV2DagRunnerConfig,
)

from pipeline.config import Config
from pipeline.dag import Target, create_pipeline
from pipeline.runners.kubeflow.compiling.added_tasks.exit_task import (
    add_exit_task,
    move_into_sub_dag,
    name_records,
)
from pipeline.runners.kubeflow.compiling.added_tasks.first_task import (
    add_first_task,
    add_run_parameters,
    set_graph_digest,
)
from pipeline.runners.kubeflow.compiling.caching import set_cache_policy
from pipeline.runners.kubeflow.compiling.compiled_pipeline import (
    CompiledPipeline,
    compute_graph_digest,
)
from pipeline.runners.kubeflow.compiling.container import set_entrypoint
from pipeline.runners.kubeflow.compiling.execution_properties import (
    add_code_and_variables,
    read_constants,
    take_properties_from_first_task,
)
from pipeline.runners.kubeflow.compiling.parameter_encoding import encode_parameter
from pipeline.runners.kubeflow.compiling.platform import make_platform_spec
from pipeline.runners.kubeflow.compiling.report_outputs import add_report_outputs
from pipeline.runners.kubeflow.compiling.required_settings import require_image, require_storage
from pipeline.runners.kubeflow.compiling.spec import Spec, tasks_of
from pipeline.runners.kubeflow.compiling.spec_checks import (
    check_schema_version,
    drop_driver_hooks,
    refuse_nodes_without_container,
    unwrap_pipeline_spec,
)
from pipeline.runners.kubeflow.compiling.target import make_records_directory, make_target
from pipeline.runners.kubeflow.compiling.task_names import (
    refuse_illegal_names,
    rename_to_kebab_case,
)
from pipeline.runners.kubeflow.compiling.task_pods import (
    set_resources,
    set_retries,
    set_variables,
)


def compile_pipeline(config: Config) -> CompiledPipeline:
    """Returns the pipeline of `config` in the form that Kubeflow runs.

    Raises:
      ConfigError: a setting that Kubeflow needs is missing, or Kubeflow would refuse the pipeline.
    """
    return adapt_to_kubeflow(compile_with_tfx(config, make_target(config)), config)


def compile_with_tfx(config: Config, target: Target) -> Spec:
    """Returns the output of TFX's compiler; its tasks are named by node id.

    Every execution property is a constant in the specification.
    """
    pipeline = create_pipeline(config, target)
    refuse_illegal_names(config.name, [node.id for node in pipeline.components])
    settings = KubeflowV2DagRunnerConfig(
        default_image=require_image(config), use_pipeline_spec_2_1=True
    )
    raw = unwrap_pipeline_spec(KubeflowV2DagRunner(settings).run(pipeline, write_out=False))
    nodes = pipeline.components
    return add_code_and_variables(
        raw, {node.id: _describe_code_and_variables(node, config) for node in nodes}
    )


def adapt_to_kubeflow(raw: Spec, config: Config) -> CompiledPipeline:
    """Returns `raw`, the output of `compile_with_tfx`, in the form that Kubeflow runs.

    The execution properties are no longer constants: the first task computes them in the cluster.

    Raises:
      ConfigError: Kubeflow cannot run the pipeline.
    """
    read_constants(raw)  # Raises unless every property is constant.
    spec = refuse_nodes_without_container(check_schema_version(raw))
    spec = set_entrypoint(drop_driver_hooks(spec), require_image(config))
    spec = take_properties_from_first_task(spec)
    spec = add_run_parameters(add_report_outputs(spec, config.label.task != "regression"))
    config_json = encode_parameter(config.model_dump_json(by_alias=True))
    spec = add_first_task(spec, require_image(config), config_json)
    if config.kubeflow.report:
        spec = add_exit_task(spec, require_image(config), config_json)
    spec = set_cache_policy(spec, config.kubeflow.cache)
    spec = set_resources(spec, config.kubeflow)
    spec = set_variables(spec, config.kubeflow)
    spec = set_retries(spec, config.kubeflow)
    if config.kubeflow.platform == "vertex":
        spec = {**spec, "defaultPipelineRoot": config.kubeflow.pipeline_root}
    platform = make_platform_spec(tasks_of(spec), config.kubeflow, require_storage(config))
    spec = rename_to_kebab_case(spec)
    if config.kubeflow.report:
        spec = move_into_sub_dag(name_records(spec, make_records_directory(config)))
    return CompiledPipeline(set_graph_digest(spec, compute_graph_digest(spec, platform)), platform)


def _describe_code_and_variables(node: Any, config: Config) -> str:
    """Returns, as JSON, the component's code digest (a flag set by `stamp_code`) and the variables
    of its task."""
    code = [flag for flag in node.executor_spec.extra_flags if flag.startswith("--code=")]
    return json.dumps([*code, config.kubeflow.task(node.id).env], sort_keys=True)
