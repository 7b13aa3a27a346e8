"""What the user can do after each ending of a run on Kubeflow, with complete commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping

from pipeline.core.events import Finding
from pipeline.report.content import NextStep
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.report import group_by_acceptance

_PACKAGE = "pipeline.yaml"
"""The name of the compiled file in commands; only the user knows the real one."""
_ASSIGNMENT = re.compile(r"`--set ([^`]+)`")
_WHERE_THE_FILE_IS = (
    f"{_PACKAGE} is the compiled file: Kubeflow keeps it as this version of the pipeline"
)

Parameters = Mapping[str, str]
"""The parameters of the run."""


def deploy_again(parameters: Parameters, *overrides: str) -> str:
    """Returns the command that starts the run again, with more overrides."""
    given = [(name, parameters.get(name, "")) for name in ("data-path", "data-fingerprint")]
    lines = [*parameters.get("overrides", "").splitlines(), *overrides]
    given += [("overrides", line.strip()) for line in lines]
    options = [f"--parameter={name}={value}" for name, value in given if value]
    return shlex.join(["python", "-m", "pipeline", "deploy", "--package", _PACKAGE, *options])


def advise_on_kubeflow(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    """Yields the next steps, the most useful one first."""
    yield from _ADVICE.get(run.summary.status, _after_failure)(run, parameters)


def _after_push(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    yield NextStep(f"The model is served from {run.summary.pushed} on the volume", None)


def _after_waiting(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    text = (
        f"The candidate waits in {run.summary.waiting} on the volume. In a pod with the image and "
        "the volume, `promote` serves it: docs/versions.md"
    )
    yield NextStep(text, None)


def _after_withdrawal(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    text = (
        "To serve the version nevertheless, run `promote` in a pod with the image and the volume: "
        "docs/versions.md"
    )
    yield NextStep(text, None)
    text = "A run with other data or other settings makes another model, and pushes it"
    yield NextStep(f"{text}. {_WHERE_THE_FILE_IS}", deploy_again(parameters))


def _after_stop(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    text = "Look at the findings and their examples. If the data is wrong, correct it and run again"
    yield NextStep(f"{text}. {_WHERE_THE_FILE_IS}", deploy_again(parameters))
    findings = run.summary.findings.findings if run.summary.findings else ()
    stopping = [finding for finding in findings if finding.severity == "stop"]
    yield from _accept(stopping, parameters)


def _accept(findings: list[Finding], parameters: Parameters) -> Iterator[NextStep]:
    for accept, names in group_by_acceptance(findings).items():
        option = _ASSIGNMENT.search(accept)
        command = deploy_again(parameters, option[1]) if option else None
        text = f"If the new data of {', '.join(names)} is correct: {advise_run_parameters(accept)}"
        yield NextStep(text, command)


def _after_miss(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    yield NextStep("Look at the worst slices and the most wrong rows", None)
    text = (
        "If the model is good enough for you, change the missed bounds by a line of the parameter "
        f"overrides, such as evaluation.thresholds=[...]: nothing is trained again. "
        f"{_WHERE_THE_FILE_IS}"
    )
    yield NextStep(text, deploy_again(parameters))


def _after_failure(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    if run.summary.error and run.summary.error.hint:
        yield NextStep(run.summary.error.hint, None)
    yield NextStep("Read the log of the task on Kubeflow's page of the run", None)
    text = "Run again after the repair: what is complete comes from the cache"
    yield NextStep(f"{text}. {_WHERE_THE_FILE_IS}", deploy_again(parameters))


def _after_interruption(run: RunFiles, parameters: Parameters) -> Iterator[NextStep]:
    text = (
        "Run again: what is complete comes from the cache, and a training or a search continues "
        "where it was"
    )
    yield NextStep(f"{text}. {_WHERE_THE_FILE_IS}", deploy_again(parameters))


_ADVICE: dict[str, Callable[[RunFiles, Parameters], Iterator[NextStep]]] = {
    "pushed": _after_push,
    "waiting": _after_waiting,
    "withdrawn": _after_withdrawal,
    "stopped by the data gate": _after_stop,
    "not blessed": _after_miss,
    "interrupted": _after_interruption,
}
"""All other endings are failures."""
