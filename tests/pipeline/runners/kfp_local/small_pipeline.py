"""A compiled pipeline of small Python tasks, written by hand, for tests of the executor."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from pipeline.runners.kfp_local.__main__ import main
from pipeline.runners.kfp_local.runner import Outcome, Runner
from pipeline.runners.kfp_local.spec import read_pipeline
from pipeline.runners.kfp_local.starters import ProcessStarter

_BEGIN = """
import json, os, pathlib, sys
given = json.loads(sys.argv[1])
inputs, outputs = given["inputs"], given["outputs"]
root = os.environ["PIPELINE_STAGING_ROOT"]
def path(artifacts, name):
    return pathlib.Path(artifacts[name]["artifacts"][0]["uri"].replace("s3://", root + "/s3/"))
"""
MAKE = """
folder = path(outputs["artifacts"], "table")
(folder / "empty").mkdir(parents=True)
(folder / "rows.txt").write_text(inputs["parameterValues"]["rows"])
reported = {"artifacts": {"table": {"artifacts": [{"metadata": {"rows": 3, "good": True}}]}}}
pathlib.Path(outputs["outputFile"]).write_text(json.dumps(reported))
pathlib.Path(outputs["parameters"]["size"]["outputFile"]).write_text(" 3\\n")
"""
READ = """
table = inputs["artifacts"]["table"]["artifacts"][0]
assert table["type"] == {"instanceSchema": ""}, table
assert "executor-logs" in outputs["artifacts"]
folder = path(inputs["artifacts"], "table")
print("read", sorted(p.name for p in folder.iterdir()), inputs["parameterValues"]["size"])
print(table["metadata"]["rows"], table["metadata"]["good"])
"""


READ_ROWS = """
for file in sorted(path(inputs["artifacts"], "table").iterdir()):
    print(file.read_text())
"""


def component(code: str, **definitions: Any) -> dict[str, Any]:
    """Returns a component whose container runs `code` in Python."""
    container = {"image": "any", "command": ["python", "-c", _BEGIN + code], "args": ["{{$}}"]}
    return {"container": container, **definitions}


def make(code: str = MAKE) -> dict[str, Any]:
    return component(
        code,
        inputDefinitions={"parameters": {"rows": {"parameterType": "STRING"}}},
        outputDefinitions={
            "artifacts": {"table": {"artifactType": {"schemaTitle": "tfx.Examples"}}},
            "parameters": {"size": {"parameterType": "NUMBER_INTEGER"}},
        },
    )


def read(code: str = READ) -> dict[str, Any]:
    return component(
        code,
        inputDefinitions={
            "artifacts": {"table": {"artifactType": {"schemaTitle": "tfx.Examples"}}},
            "parameters": {"size": {"parameterType": "NUMBER_INTEGER"}},
        },
    )


MAKE_TASK: dict[str, Any] = {
    "inputs": {"parameters": {"rows": {"componentInputParameter": "rows"}}},
    "cachingOptions": {"enableCache": True},
}
READ_TASK: dict[str, Any] = {
    "inputs": {
        "artifacts": {
            "table": {"taskOutputArtifact": {"producerTask": "make", "outputArtifactKey": "table"}}
        },
        "parameters": {
            "size": {"taskOutputParameter": {"producerTask": "make", "outputParameterKey": "size"}}
        },
    },
    "cachingOptions": {"enableCache": True},
}


COMPONENTS = {"make": make(), "read": read()}
TASKS = {"read": READ_TASK, "make": MAKE_TASK}


def spec(components: dict[str, Any], tasks: dict[str, Any]) -> dict[str, Any]:
    return {
        "pipelineInfo": {"name": "small"},
        "schemaVersion": "2.1.0",
        "defaultPipelineRoot": "s3://bucket/runs",
        "components": {
            f"comp-{name}": {
                "executorLabel": f"exec-{name}",
                **{k: v for k, v in part.items() if k != "container"},
            }
            for name, part in components.items()
        },
        "deploymentSpec": {
            "executors": {
                f"exec-{name}": {"container": part["container"]}
                for name, part in components.items()
            }
        },
        "root": {
            "dag": {
                "tasks": {
                    name: {"componentRef": {"name": f"comp-{name}"}, **task}
                    for name, task in tasks.items()
                }
            },
            "inputDefinitions": {
                "parameters": {"rows": {"parameterType": "STRING", "defaultValue": "abc"}}
            },
        },
    }


def write_pipeline(file: Path, components: dict[str, Any], tasks: dict[str, Any]) -> Path:
    """Writes a compiled file; JSON is YAML."""
    file.write_text(json.dumps(spec(components, tasks)))
    return file


def list_arguments(file: Path, *options: object) -> list[str]:
    """Returns the executor's arguments; its directory is `runs` beside the file."""
    return [str(file), "--directory", str(file.parent / "runs"), *map(str, options)]


def run_command(file: Path, *options: object) -> Result:
    return CliRunner().invoke(main, list_arguments(file, *options))


def list_states(outcomes: dict[str, Outcome]) -> dict[str, str]:
    """Returns the state of each task."""
    return {name: outcome.state for name, outcome in outcomes.items()}


def execute(
    directory: Path,
    components: dict[str, Any],
    tasks: dict[str, Any],
    platform: dict[str, Any] | None = None,
    **parameters: str,
) -> dict[str, Outcome]:
    """Executes a pipeline of these tasks; returns the outcome of each task."""
    return run_spec(directory, spec(components, tasks), platform, **parameters)


def run_spec(
    directory: Path,
    document: dict[str, Any],
    platform: dict[str, Any] | None = None,
    **parameters: str,
) -> dict[str, Outcome]:
    """Executes a specification; returns the outcome of each task."""
    file = directory / "pipeline.yaml"
    kubernetes = {"platforms": {"kubernetes": {"deploymentSpec": {"executors": platform or {}}}}}
    # JSON is YAML.
    file.write_text(f"{json.dumps(document)}\n---\n{json.dumps(kubernetes)}\n")
    runner = Runner(directory / "runs", ProcessStarter())
    return {outcome.name: outcome for outcome in runner.run(read_pipeline(file), parameters)}
