"""What came of a run, gathered from its events: the content of `--json` and of `runs`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.core.errors import PipelineError
from pipeline.core.files import write_text_atomically
from pipeline.core.text import readable_json

STATUS = {
    0: "pushed",
    1: "failed",
    2: "misconfigured",
    3: "stopped by the data gate",
    4: "not blessed",
    5: "serving check failed",
    130: "interrupted",
}


@dataclass
class Component:
    """One component of a run."""

    name: str
    state: str
    """running, complete, cached, failed or interrupted."""
    cached: bool = False
    seconds: float | None = None
    rows: dict[str, int] | None = None
    note: str | None = None


@dataclass
class Summary:
    """One run."""

    name: str
    run: str
    log: str
    exit_code: int | None = None
    status: str = "running"
    blessed: bool | None = None
    pushed: str | None = None
    """The directory of the served version."""
    schema: str | None = None
    """The curated schema's file."""
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)
    """By slice; the whole split is the empty name."""
    baseline_metrics: dict[str, float] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    """A sentence for each threshold that was missed."""
    tuning: dict[str, Any] = field(default_factory=dict)
    """The table of the search: objective, trials, best, best_values."""
    findings: dict[str, Any] = field(default_factory=dict)
    error: dict[str, str] | None = None
    components: list[Component] = field(default_factory=list)

    def add(self, event: dict[str, Any]) -> None:
        """Takes one event of the working process."""
        fields = {key: value for key, value in event.items() if key != "event"}
        if event["event"] == "component":
            self._component(fields)
        elif event["event"] == "findings":
            self.findings = fields
        elif event["event"] == "end":
            for key, value in fields.items():
                setattr(self, key, value)

    @classmethod
    def refused(cls, error: PipelineError) -> Summary:
        """Of a run that was refused before it began."""
        told = {"message": error.message, "hint": error.hint}
        code = error.exit_code
        return cls(name="", run="", log="", exit_code=code, status=STATUS[code], error=told)

    def finish(self, return_code: int) -> None:
        """Settles the exit code; a process that died without a word has failed."""
        if self.exit_code is None:
            self.exit_code = 1
            how = f"by signal {-return_code}" if return_code < 0 else f"with code {return_code}"
            killed = "was the machine short of memory? The same command goes on from here"
            hint = killed if return_code == -9 else ""
            self.error = {"message": f"the working process ended {how}", "hint": hint}
        if self.exit_code == 0 and self.blessed is None:
            self.status = "tuned" if self.tuning else "schema"
        else:
            self.status = STATUS[self.exit_code]

    def write(self, path: Path) -> None:
        """Writes the summary as JSON."""
        write_text_atomically(path, self.to_json(), durable=True)

    def to_json(self) -> str:
        return readable_json(dataclasses.asdict(self))

    def _component(self, fields: dict[str, Any]) -> None:
        component = Component(**fields, cached=fields["state"] == "cached")
        names = [c.name for c in self.components]
        if component.name in names:
            self.components[names.index(component.name)] = component
        else:
            self.components.append(component)
