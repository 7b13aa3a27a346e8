"""Reports of all kinds of runs, as the page gets them."""

from __future__ import annotations

from dataclasses import replace

import example_figures as figures

from pipeline.core.contracts import Node
from pipeline.core.events import (
    CheckedRequest,
    Finding,
    Measurement,
    SearchResults,
    ServingCheckResult,
    TrialResult,
)
from pipeline.report.content import (
    ArtifactRow,
    BoundCheck,
    ComponentRow,
    DataFile,
    DataPart,
    Epoch,
    LineagePart,
    MetricRow,
    NextStep,
    QualityPart,
    Report,
    Restart,
    TrainingPart,
    Verdict,
)

HOSTILE = (
    "<script>window.__pwned=1</script>",
    '"><img src=x onerror="window.__pwned=1">',
    "</script><script>window.__pwned=1</script>",
    "<!--<script>window.__pwned=1//",
    "{{ 7 * 7 }}{% raw %}",
    "datum.x || (window.__pwned=1)",
    "javascript:window.__pwned=1",
    "' onfocus='window.__pwned=1' autofocus='",
    "&lt;b&gt; & \u2028 \u2029 \x1b[31m \x00 \ud800",
    "שלום עולם \u202eabc",
    "😀 emoji 👩‍👩‍👧",
    "a" * 10_000,
    "toString",
    "__proto__",
    "a.b[0]\\n'\"",
)
"""Names and cells that a page must show as text."""

_UPSTREAM = {
    Node.EXAMPLE_GEN: (),
    Node.REFERENCE: (Node.EXAMPLE_GEN,),
    Node.STATISTICS_GEN: (Node.EXAMPLE_GEN,),
    Node.SCHEMA_GEN: (Node.STATISTICS_GEN,),
    Node.SCHEMA_CURATOR: (Node.SCHEMA_GEN, Node.STATISTICS_GEN, Node.REFERENCE),
    Node.EXAMPLE_VALIDATOR: (Node.STATISTICS_GEN, Node.SCHEMA_CURATOR),
    Node.ANOMALY_REPORT: (
        Node.STATISTICS_GEN, Node.SCHEMA_CURATOR, Node.EXAMPLE_VALIDATOR, Node.REFERENCE,
    ),
    Node.DATA_FIGURES: (
        Node.EXAMPLE_GEN, Node.STATISTICS_GEN, Node.SCHEMA_CURATOR, Node.ANOMALY_REPORT,
        Node.REFERENCE,
    ),
    Node.ANOMALY_GATE: (Node.ANOMALY_REPORT, Node.DATA_FIGURES),
    Node.TRANSFORM: (Node.EXAMPLE_GEN, Node.SCHEMA_CURATOR, Node.ANOMALY_GATE),
    Node.TRAINER: (Node.TRANSFORM, Node.SCHEMA_CURATOR),
    Node.BASELINE: (Node.EXAMPLE_GEN, Node.TRAINER),
    Node.EVALUATOR: (Node.EXAMPLE_GEN, Node.TRAINER, Node.SCHEMA_CURATOR, Node.BASELINE),
    Node.MODEL_FIGURES: (Node.EVALUATOR, Node.EXAMPLE_GEN, Node.TRAINER, Node.SCHEMA_CURATOR),
    Node.SERVING_CHECK: (Node.EVALUATOR, Node.EXAMPLE_GEN, Node.TRAINER, Node.SCHEMA_CURATOR),
    Node.PUSHER: (
        Node.EVALUATOR, Node.SERVING_CHECK, Node.TRAINER, Node.EXAMPLE_GEN, Node.STATISTICS_GEN,
        Node.REFERENCE, Node.BASELINE, Node.SCHEMA_CURATOR,
    ),
}  # fmt: skip
_SECONDS = (0.9, 0.1, 3.1, 0.2, 0.2, 0.3, 0.4, 1.9, 0.0, 9.8, 41.5, 0.1, 7.2, 3.6, 4.4, 0.5)


def components(stopped_at: str | None = None, state: str = "failed") -> tuple[ComponentRow, ...]:
    """Returns the nodes of a run that stopped at a node, or of a run that went through."""
    rows: list[ComponentRow] = []
    states = {"seen": "complete"}
    for (name, upstream), seconds in zip(_UPSTREAM.items(), _SECONDS, strict=True):
        now = state if name == stopped_at else states["seen"]
        if name == stopped_at:
            states["seen"] = "waiting"
        cached = now == "complete" and name in (Node.SCHEMA_GEN, Node.REFERENCE)
        rows.append(
            ComponentRow(
                name=name,
                state="cached" if cached else now,
                seconds=None if now == "waiting" else seconds,
                rows={"train": 9000, "eval": 3000, "test": 3000} if name == "ExampleGen" else None,
                note="left 12 rows out: they have no label" if name == "ExampleGen" else None,
                upstream=upstream,
                jobs=("http://flink:8081/#/job/running/1f/overview",)
                if name == "Transform"
                else (),
            )
        )
    return tuple(rows)


def pushed() -> Report:
    """Returns a binary run that replaced a served model."""
    return Report(
        format=1,
        pipeline="taxi",
        run="20261123-051200-481516",
        started="2026-11-23T05:12:00+01:00",
        seconds=72.4,
        verdict=Verdict(
            status="pushed",
            exit_code=0,
            headline="The model is served as version 1795410356.",
            reasons=(
                "The model met both thresholds: auc 0.8614 (at least 0.7), log_loss 0.3312 (may "
                "worsen by 0.01).",
                "It is better than served version 1795323956: auc rose by 0.0121, which chance "
                "does not explain.",
            ),
            next_steps=(
                NextStep("Try the served model.", "python -m pipeline serve --config taxi.yaml"),
                NextStep(
                    "Go back to the model before.", "python -m pipeline rollback --config taxi.yaml"
                ),
            ),
        ),
        components=components(),
        data=DataPart("schema.pbtxt", (drift_finding(),), figures.data_figures(served=True)),
        training=training(),
        quality=quality(),
        lineage=lineage(),
    )


_CHECKS = (
    BoundCheck("auc is 0.9331, at least 0.7 was asked for (met by 0.2331)", True, 0.2331),
    BoundCheck("auc may worsen by 0.01: there is no served model to compare with", None, None),
)


def quality(task: str = "binary", served: bool = True) -> QualityPart:
    """Returns the evaluation of a blessed model."""
    model = figures.model_figures(task, served)
    first = model.metrics[0].name
    return QualityPart(
        blessed=True,
        missed=(),
        metrics=tuple(
            MetricRow(
                name=m.name,
                value=m.candidate.value,
                served=m.served.value if m.served else None,
                bound="at least 0.7" if m.name == first else "",
                passed=True if m.name == first else None,
                checks=_CHECKS if m.name == first else (),
            )
            for m in model.metrics
        ),
        figures=model,
        serving_check=serving_check(),
    )


def serving_check(*problems: str) -> ServingCheckResult:
    """Returns a check that found these problems."""
    return ServingCheckResult(
        passed=not problems,
        problems=problems,
        rows=500,
        requests=(
            CheckedRequest("missing values", "serving_default", 15, "answered"),
            CheckedRequest("a wrong type", "serving_default", 1, "refused", "ValueError: text"),
            *(CheckedRequest("no rows", "serving_examples", 0, "failed", p) for p in problems),
        ),
        measurements=(
            Measurement("load", 0.26, "s", 120.0),
            Measurement("p50 of 1 row", 0.54, "ms"),
            Measurement("p99 of 1 row", 0.75, "ms", 0.5 if problems else 2000.0),
        ),
    )


def training() -> TrainingPart:
    """Returns a fit of 14 epochs that stopped early."""
    epochs = tuple(
        Epoch(
            number=number,
            values={
                "loss": 0.32 + 0.3 / number,
                "eval_loss": 0.335 + 0.28 / number + 0.0012 * max(number - 9, 0),
                "auc": 0.87 - 0.14 / number,
                "eval_auc": 0.862 - 0.13 / number,
                "learning_rate": 0.001 * (1 - number / 25),
                "seconds": 2.6,
                "examples_per_second": 28_500 + 900 * (number % 3),
            },
        )
        for number in range(1, 15)
    )
    facts = {
        "workers": "1", "replicas": "2", "global batch size": "512", "parameters": "48,213",
        "strategy": "mirrored", "precision": "float32",
    }  # fmt: skip
    return TrainingPart(None, epochs, 9, 40, facts, (), None, None)


def drift_finding() -> Finding:
    """Returns a finding that warns."""
    return Finding(
        column="company",
        kind="drift",
        severity="warn",
        splits=("train",),
        problem="the distribution moved away from the served model's data",
        expected="an L-infinity distance of at most 0.1",
        found="0.137; the largest change is Flash Cab, from 21 % to 35 % of the rows",
        examples=("Flash Cab", "Taxi Affiliation Services"),
        accept="Set `validation.drift.columns.company` to 0.15.",
        against="the data of served version 1795323956",
    )


def stop_finding() -> Finding:
    """Returns a finding that stops a run."""
    return Finding(
        column="payment_type",
        kind="unexpected_values",
        severity="stop",
        splits=("train", "eval"),
        problem="1,204 of 12,000 rows have a value that the schema does not list",
        expected="one of Cash, Credit Card, No Charge, Unknown",
        found="Prcard (812 rows), Mobile (392 rows)",
        examples=("Prcard", "Mobile"),
        accept="Add both values to `schema/taxi.pbtxt`: python -m pipeline schema --write",
        against="schema/taxi.pbtxt",
    )


def lineage() -> LineagePart:
    """Returns what a run was made from."""
    types = "Examples ExampleStatistics Schema Schema ExampleAnomalies TransformGraph Model".split()
    makers = (Node.EXAMPLE_GEN, Node.STATISTICS_GEN, Node.SCHEMA_GEN, Node.SCHEMA_CURATOR)
    makers += (Node.EXAMPLE_VALIDATOR, Node.TRANSFORM, Node.TRAINER)
    return LineagePart(
        command="python -m pipeline run --config configs/taxi.yaml --output runs/taxi",
        data_files=(DataFile("data/chicago_taxi/trips.csv", 1_962_113),),
        fingerprint="split:train,num_files:1,total_bytes:1962113,xor_checksum:1795410356",
        configuration="name: taxi\ndata:\n  path: data/chicago_taxi/trips.csv\n  password: '***'\n",
        code_digests={Node.TRANSFORM: "9f31c2", Node.TRAINER: "aa07e1"},
        versions={"tfx": "1.16.0", "tensorflow": "2.16.2", "numpy": "1.26.4"},
        seeds={"training.seed": 0, "data.split.seed": 17},
        hardware={"cores": "2", "memory": "23 GB", "GPUs": "none", "system": "Debian 12"},
        artifacts=tuple(
            ArtifactRow(
                id=number,
                type=kind,
                uri=f"runs/taxi/artifacts/20261123-051200/{maker}/{number}",
                producer=maker,
                made_by_run="20261122-051200-108311" if number == 3 else "20261123-051200-481516",
                parents=tuple(range(max(number - 2, 1), number)),
            )
            for number, (kind, maker) in enumerate(zip(types, makers, strict=True), start=1)
        ),
    )


def first_run() -> Report:
    """Returns a pushed run without a served model before."""
    report = pushed()
    return replace(
        report,
        data=DataPart("itself (first run)", (), figures.data_figures(served=False)),
        quality=quality(served=False),
    )


def gate_stop() -> Report:
    """Returns a run that the data gate stopped."""
    verdict = Verdict(
        status="stopped by the data gate",
        exit_code=3,
        headline="The data gate stopped the run: payment_type has values that the schema does not "
        "list.",
        reasons=("payment_type: 1,204 of 12,000 rows have a value that the schema does not list.",),
        next_steps=(
            NextStep("If the data is wrong, repair the table and run again.", None),
            NextStep(
                "If the data is right, accept it in the schema.",
                "python -m pipeline schema --config configs/taxi.yaml --write",
            ),
        ),
    )
    return replace(
        pushed(),
        verdict=verdict,
        seconds=8.2,
        components=components(Node.ANOMALY_GATE),
        data=DataPart(
            "schema/taxi.pbtxt",
            (stop_finding(), drift_finding()),
            figures.data_figures(served=True, broken="payment_type"),
        ),
        training=None,
        quality=None,
    )


def not_blessed() -> Report:
    """Returns a run whose model missed a threshold."""
    good = quality()
    sentence = "auc is 0.6912, below the bound of at least 0.7, by 0.0088"
    row = replace(good.metrics[0], value=0.6912, passed=False)
    verdict = Verdict(
        status="not blessed",
        exit_code=4,
        headline="The model is not blessed: auc is below its threshold. Version 1795323956 is "
        "still served.",
        reasons=(sentence,),
        next_steps=(NextStep("Look at the worst slices below.", None),),
    )
    return replace(
        pushed(),
        verdict=verdict,
        quality=replace(good, blessed=False, missed=(sentence,), metrics=(row, *good.metrics[1:])),
    )


def check_failed() -> Report:
    """Returns a run whose model met its thresholds and cannot be served."""
    problem = "p99 of 1 row is 0.75 ms, at most 0.5 ms is allowed"
    verdict = Verdict(
        "serving check failed", 5, "The serving check found 1 problem.", (problem,), ()
    )
    return replace(
        pushed(),
        verdict=verdict,
        quality=replace(quality(), serving_check=serving_check(problem)),
    )


def failed() -> Report:
    """Returns a run whose Trainer failed in its third epoch."""
    fit = training()
    verdict = Verdict(
        status="failed",
        exit_code=1,
        headline="Trainer failed: the loss became NaN in epoch 3.",
        reasons=("A NaN loss stops the run: the weights are lost.",),
        next_steps=(
            NextStep(
                "Lower the learning rate.",
                "python -m pipeline run --config taxi.yaml --set training.learning_rate=1e-4",
            ),
        ),
    )
    return replace(
        pushed(),
        verdict=verdict,
        components=components(Node.TRAINER),
        training=replace(fit, epochs=fit.epochs[:2], best_epoch=None),
        quality=None,
    )


def interrupted() -> Report:
    """Returns a run whose command was killed before the gate."""
    verdict = Verdict("interrupted", None, "The command was killed in StatisticsGen.", (), ())
    return replace(
        pushed(),
        verdict=verdict,
        seconds=None,
        components=components(Node.STATISTICS_GEN, "interrupted"),
        data=DataPart(None, (), None),
        training=None,
        quality=None,
    )


def multiclass(classes: int = 40) -> Report:
    """Returns a run with many classes."""
    model = figures.model_figures("multiclass", False, classes)
    return replace(first_run(), pipeline="letters", quality=replace(quality(), figures=model))


def regression() -> Report:
    """Returns a run that predicts a number."""
    return replace(pushed(), pipeline="fares", quality=quality("regression"))


def wide(columns: int = 500) -> Report:
    """Returns a run on a wide table."""
    data = figures.data_figures(served=True, columns=columns)
    return replace(pushed(), pipeline="wide", data=DataPart("schema.pbtxt", (), data))


def two_workers() -> Report:
    """Returns a run on two workers, one of which was lost."""
    facts = {"workers": "2", "strategy": "multi_worker_mirrored", "global batch size": "1,024"}
    restart = Restart(31.2, "worker 1 was killed by signal 9; all workers went on from step 120")
    return replace(
        pushed(),
        training=replace(training(), facts=facts, restarts=(restart,), resumed_from_epoch=4),
    )


def cached() -> Report:
    """Returns a second run that took all from the cache."""
    rows = tuple(replace(row, state="cached", seconds=0.1) for row in components())
    fit = replace(training(), cached_from="20261122-051200-108311")
    return replace(pushed(), components=rows, training=fit, seconds=3.9)


def tuned() -> Report:
    """Returns a run with a search of twelve trials, one of which failed."""
    trials = tuple(
        TrialResult(
            trial=str(number),
            values={
                "training.learning_rate": 10 ** -(1.5 + number % 5 / 2),
                "model.hidden": [64, 32] if number % 2 else [128],
                "model.dropout": 0.1 * (number % 4),
                "training.batch_size": 2 ** (6 + number % 3),
            },
            status="done" if number != 7 else "failed",
            objective=0.33 + 0.01 * ((number * 7) % 12) if number != 7 else None,
            measures={"eval_loss": 0.33},
            seconds=12.0 + number,
            runs=1 + (number == 3),
            message="the loss became NaN" if number == 7 else "",
        )
        for number in range(1, 13)
    )
    search = SearchResults("eval_loss", trials, "12", "search-1", trials[-1].values)
    return replace(pushed(), training=replace(training(), search=search))


def hostile(texts: tuple[str, ...] = HOSTILE) -> Report:
    """Returns a run whose names and cells are the texts, wherever a run can have its own."""
    report = tuned()
    text = texts[0]
    finding = replace(
        stop_finding(), column=text, problem=text, found=text, examples=texts, accept=text
    )
    assert report.quality is not None
    assert report.training is not None
    assert report.training.search is not None
    trial = replace(report.training.search.trials[0], values={text: texts[-1]}, message=text)
    search = replace(report.training.search, trials=(trial, *report.training.search.trials[1:]))
    return replace(
        report,
        pipeline=text,
        run=text,
        verdict=Verdict("failed", 1, text, texts, (NextStep(text, text),), texts),
        components=(
            *report.components,
            ComponentRow(text, "failed", 1.0, {text: 1}, text, (), (text,)),
        ),
        data=DataPart(text, (finding,), figures.hostile_data(texts)),
        training=replace(
            report.training,
            facts=dict.fromkeys(texts, text),
            search=search,
            restarts=(Restart(1.0, text),),
        ),
        quality=replace(
            report.quality,
            missed=texts,
            metrics=(
                MetricRow(f"f1[{text}]", 0.5, 0.4, text, False, (BoundCheck(text, False, -0.1),)),
            ),
            figures=figures.hostile_model(texts),
            serving_check=serving_check(text),
        ),
        lineage=replace(
            report.lineage,
            command=text,
            configuration="\n".join(texts),
            fingerprint=text,
            data_files=tuple(DataFile(t, 1) for t in texts),
            versions=dict.fromkeys(texts, text),
            artifacts=(ArtifactRow(1, text, text, text, text, (1, 99)),),
        ),
    )


ALL = {
    f.__name__: f
    for f in (
        pushed, first_run, cached, gate_stop, not_blessed, check_failed, failed, interrupted,
        multiclass, regression, two_workers, tuned, hostile,
    )
}  # fmt: skip
"""The makers of all reports of ordinary size, by name."""
