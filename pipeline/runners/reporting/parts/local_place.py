"""The next steps after a run on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from components.model_figures.figures import ModelFigures
from components.predictions.estimates import Estimate
from pipeline.config.sections.evaluation import Threshold
from pipeline.config.sections.metrics import metric_name
from pipeline.report.content import NextStep, ServedVersion
from pipeline.runners.reporting.parts import commands
from pipeline.runners.reporting.reading.run_files import RunFiles


@dataclass(frozen=True)
class LocalPlace:
    """A Place; see next_steps.py."""

    run: RunFiles
    root: Path
    """The output directory."""
    served: ServedVersion | None
    """What is served now."""
    figures: ModelFigures | None = None
    """Of the model of this run."""

    def run_again(self, *settings: str) -> str:
        options = (option for setting in settings for option in ("--set", setting))
        return commands.run_again(self.run, self.root, *options)

    def remark(self, text: str) -> str:
        return text

    def adapt(self, text: str) -> str:
        return text

    def read_log(self) -> NextStep:
        return NextStep("Read the log", commands.read_log(self.run))

    def after_push(self) -> Iterator[NextStep]:
        version = Path(self.run.summary.pushed or "")
        # Another run or `rollback` may have been here since.
        served = self.served if self.served and self.served.version == version.name else None
        if served:
            yield NextStep("Answer requests with the model", commands.serve(self.run, self.root))
        text = "See the inputs and outputs of the model"
        yield NextStep(text, commands.inspect_model(self.run, version))
        if served and served.baseline:
            command = commands.compare_runs(self.run, self.root, served.baseline, version.name)
            yield NextStep("Compare with the model that was served before", command)
        if served and served.earlier:
            text = "If the new model turns out to be wrong, go back to the model before it"
            yield NextStep(text, commands.roll_back(self.run, self.root, served.earlier))
        elif served and (bounds := _stricter_bounds(self.run, self.figures)):
            yield NextStep(
                "A worse model than this one replaces it, as long as it meets the same bounds. "
                "Tighten evaluation.thresholds to the worse end of this model's 95 % interval, "
                f"such as {', '.join(f'`{{{bound}}}`' for bound in bounds)}. A bound at the "
                "model's own value would refuse about half of all models that are as good, by "
                "chance",
                None,
            )

    def after_waiting(self) -> Iterator[NextStep]:
        number = Path(self.run.summary.waiting or "").name
        text = "Look at the worst slices and the most wrong rows, then serve the model"
        yield NextStep(text, commands.promote(self.run, self.root, number))
        yield from self._compare()

    def after_withdrawal(self) -> Iterator[NextStep]:
        text = "See what is served and what is withdrawn, by whom and why"
        yield NextStep(text, commands.list_versions(self.run, self.root))
        text = "Change data or settings and run again: the run then makes another model"
        yield NextStep(text, self.run_again())
        if withdrawn := self.run.summary.withdrawn:
            text = "If the model was withdrawn by mistake, serve it again"
            yield NextStep(text, commands.promote(self.run, self.root, withdrawn.version))

    def after_miss(self) -> Iterator[NextStep]:
        text = "Look at the worst slices and the most wrong rows in the part about the quality"
        yield NextStep(text, None)
        yield from self._compare()
        if self.run.config and self.run.config.tuning is None:
            text = "Search for better settings: docs/tuning.md has an example of the section tuning"
            yield NextStep(text, None)

    def after_search(self) -> Iterator[NextStep]:
        command = commands.train_after_search(self.run, self.root)
        yield NextStep("Train with the best values", command)

    def while_at_work(self) -> Iterator[NextStep]:
        command = commands.report_again(self.run, self.root)
        yield NextStep("Write this page again later", command)

    def _compare(self) -> Iterator[NextStep]:
        if self.run.summary.baseline_metrics:
            name = self.run.directory.name
            command = commands.compare_runs(self.run, self.root, "served", name)
            yield NextStep("Compare with the served model", command)


def _stricter_bounds(run: RunFiles, figures: ModelFigures | None) -> list[str]:
    """Returns the bounds on the whole split that the model exceeds beyond chance, tightened."""
    if run.config is None or figures is None:
        return []
    metrics = {metric.name: metric.candidate for metric in figures.metrics}
    names = run.config.label.classes
    return [
        bound
        for threshold in run.config.evaluation.thresholds
        if not threshold.slice_by and threshold.classes(names) == (None,)
        if (found := metrics.get(metric_name(threshold.metric, None))) is not None
        if (bound := _tighten(threshold, found))
    ]


def _tighten(threshold: Threshold, found: Estimate) -> str:
    """Returns a stricter bound; empty if the interval holds or nearly holds the present bound."""
    low, high = _round(found.low, math.floor), _round(found.high, math.ceil)
    if threshold.at_least is not None and low > threshold.at_least:
        return f"metric: {threshold.metric}, at_least: {low:.2g}"
    if threshold.at_most is not None and high < threshold.at_most:
        return f"metric: {threshold.metric}, at_most: {high:.2g}"
    return ""


def _round(value: float | None, whole: Callable[[float], int]) -> float:
    """Returns the value with two digits; NaN, which is no bound, if it is 0 or unknown."""
    if value is None or not math.isfinite(value) or value == 0:
        return math.nan
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return whole(value / unit) * unit
