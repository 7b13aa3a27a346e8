"""Small runs for the tests of a page's parts: events as a run sends them, and its record."""

from __future__ import annotations

from pathlib import Path

from pipeline.config import Config, load_config
from pipeline.core.contracts import Node
from pipeline.core.events import ComponentChanged, Envelope, Event, PipelineStarted
from pipeline.runners.reporting.reading.metadata_view import ArtifactView, NodeView
from pipeline.runners.reporting.reading.record import RunRecord
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.summary import Summary

HOME = Path("/home/user/shop")
OUTPUT = HOME / "out"
RUN = "20261123-061142-993456"
RECORD = RunRecord(
    arguments=("run", "--config", "my.yaml", "--set", "training.epochs=3"),
    directory=str(HOME),
    data_files=(),
    versions={"numpy": "1.26.4"},
    hardware={"cores": "2"},
)
STARTED = PipelineStarted(
    components=(Node.EXAMPLE_GEN, Node.ANOMALY_GATE, Node.TRAINER, Node.PUSHER),
    run_id="2026-11-23T06:11:47.000001",
    upstream={
        Node.EXAMPLE_GEN: [],
        Node.ANOMALY_GATE: [Node.EXAMPLE_GEN],
        Node.TRAINER: [Node.ANOMALY_GATE, Node.EXAMPLE_GEN],
        Node.PUSHER: [Node.TRAINER],
    },
    code={Node.TRAINER: "2b33d04b"},
)


def penguins(*assignments: str) -> Config:
    """Returns the configuration of the sample of penguins."""
    return load_config([Path(__file__).parents[4] / "configs/penguins.yaml"], assignments)


def make_run(
    *events: Event,
    status: str = "pushed",
    exit_code: int | None = 0,
    record: RunRecord | None = RECORD,
    config: Config | None = None,
    started: PipelineStarted | None = STARTED,
) -> RunFiles:
    """Returns a run that sent `started` and these events, one a second."""
    sent = ([started] if started else []) + list(events)
    log = str(OUTPUT / "logs" / RUN / "run.log")
    summary = Summary(name="shop", run=RUN, log=log)
    for event in sent:
        summary.add(event)
    summary.status, summary.exit_code = status, exit_code
    return RunFiles(
        directory=OUTPUT / "logs" / RUN,
        summary=summary,
        envelopes=tuple(Envelope(event, time=100.0 + n) for n, event in enumerate(sent)),
        record=record,
        configuration="name: shop\n" if record else "",
        config=config,
    )


def complete(*names: str) -> list[Event]:
    """Returns the events of components that end after a second."""
    return [
        event
        for name in names
        for event in (ComponentChanged(name, "running"), ComponentChanged(name, "complete", 1.0))
    ]


def node(state: str = "complete", *artifacts: ArtifactView) -> NodeView:
    return NodeView(state=state, upstream=(), outputs={a.key: a for a in artifacts})


def artifact(
    key: str, uri: Path = Path("/gone"), run_id: str | None = None, **properties: object
) -> ArtifactView:
    return ArtifactView(
        id=7,
        key=key,
        type="components.Thing",
        uri=str(uri),
        properties=properties,
        run_id=run_id,
        parents=(1, 2),
    )
