"""What the user can do after a run on Kubeflow, with complete commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipeline.config.secrets import mask_assignments
from pipeline.report.content import NextStep
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters
from pipeline.runners.reporting.reading.run_files import RunFiles

_PACKAGE = "pipeline.yaml"
"""The name of the compiled file in commands; only the user knows the real one."""
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
    command = ["python", "-m", "pipeline", "deploy", "--package", _PACKAGE]
    return shlex.join([*command, *mask_assignments(options)])


@dataclass(frozen=True)
class KubeflowPlace:
    """A Place; see pipeline/runners/reporting/parts/next_steps.py."""

    run: RunFiles
    parameters: Parameters

    def run_again(self, *settings: str) -> str:
        return deploy_again(self.parameters, *settings)

    def remark(self, text: str) -> str:
        return f"{text}. {_WHERE_THE_FILE_IS}"

    def adapt(self, text: str) -> str:
        return advise_run_parameters(text)

    def read_log(self) -> NextStep:
        return NextStep("Read the log of the task on Kubeflow's page of the run", None)

    def after_push(self) -> Iterator[NextStep]:
        text = f"The model lies in {self.run.summary.pushed} on the volume: docs/serving.md"
        yield NextStep(text, None)

    def after_waiting(self) -> Iterator[NextStep]:
        text = (
            f"The candidate waits in {self.run.summary.waiting} on the volume. In a pod with the "
            "image and the volume, `promote` serves it: docs/versions.md"
        )
        yield NextStep(text, None)

    def after_withdrawal(self) -> Iterator[NextStep]:
        text = (
            "To serve the version nevertheless, run `promote` in a pod with the image and the "
            "volume: docs/versions.md"
        )
        yield NextStep(text, None)
        text = "A run with other data or other settings makes another model, and pushes it"
        yield NextStep(self.remark(text), self.run_again())

    def after_miss(self) -> Iterator[NextStep]:
        yield NextStep("Look at the worst slices and the most wrong rows", None)

    def after_search(self) -> Iterator[NextStep]:
        yield from ()

    def while_at_work(self) -> Iterator[NextStep]:
        yield from ()
