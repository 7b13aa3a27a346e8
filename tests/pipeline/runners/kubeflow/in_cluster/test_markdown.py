"""Markdown reports: tables stay whole whatever text a cell holds."""

import dataclasses

from components.findings.findings import Findings
from pipeline.core.events import (
    CheckedRequest,
    ExportResult,
    Finding,
    Measurement,
    ServingCheckResult,
)
from pipeline.runners.kubeflow.in_cluster.markdown import (
    describe_evaluation,
    describe_exports,
    describe_findings,
    describe_serving_check,
    to_plain_text,
)

FINDING = Finding(
    column="a|b",
    kind="new_category",
    severity="stop",
    splits=("train",),
    problem="new <script>",
    expected="red",
    found="2 %",
    examples=("vio\nlet",),
    accept="add it, or `--set a.b=1`",
    against="itself",
)


def test_text_in_cells_is_escaped() -> None:
    text = describe_findings(Findings("the served model", (FINDING,)))
    assert "| stop | a\\|b | new &lt;script&gt; | red | 2 %, vio\\\\nlet |" in text.splitlines()
    assert "- a\\|b: add it, or `--parameter overrides=a.b=1`" in text.splitlines()
    assert "Nothing is wrong" in describe_findings(Findings("itself", ()))


def test_text_makes_no_link_image_or_emphasis() -> None:
    hostile = dataclasses.replace(
        FINDING,
        column="[log in](http://x)",
        problem="![p](https://x/p.png) www.x.org",
        found="`*a*` __b__ _c_ d_e_f",
        accept="widen `--set a.b[0]=1`",
    )
    text = describe_findings(Findings("[it](http://x)", (hostile,)))
    assert text.startswith("# Data compared with \\[it\\](http:\\//x)\n")
    assert "!\\[p\\](https:\\//x/p.png) www\\.x.org" in text
    assert "\\`\\*a\\*\\` \\_\\_b\\_\\_ \\_c\\_ d\\_e\\_f" in text
    assert "- \\[log in\\](http:\\//x): widen `--parameter overrides=a.b[0]=1`" in text
    broken = dataclasses.replace(hostile, accept="take `a` and `[x](http://y)")
    assert "\\[x\\](http:\\//y)" in describe_findings(Findings("it", (broken,)))


def test_the_log_shows_the_text_without_escapes() -> None:
    texts = ("__b__ [x](http://y)", "a\\b `c` *d* ~e~ f|g", "<h> & www.x.org")
    found = ", ".join(texts)
    text = describe_findings(Findings("it", (dataclasses.replace(FINDING, found=found),)))
    assert found in to_plain_text(text)
    assert "- a|b: add it, or `--parameter overrides=a.b=1`" in to_plain_text(text)


def test_evaluation_begins_with_the_verdict_and_compares_with_the_served_model() -> None:
    metrics = {"": {"auc": 0.75, "precision": float("nan")}, "color=red": {"precision": 0.5}}
    text = describe_evaluation(
        metrics, {"auc": 0.5}, {"auc": "at least 0.8"}, ["auc is too low"], ""
    )
    assert text.startswith("# Not blessed\n\n- auc is too low\n")
    assert "| auc | 0.75 | 0.5 | at least 0.8 |\n| precision | undefined |  |  |" in text
    assert "| color=red |  | 0.5 |" in text
    assert describe_evaluation(metrics, {}, {}, [], "").startswith(
        "# Blessed\n\n\nNot compared with a served model"
    )


def test_evaluation_without_a_baseline_says_why() -> None:
    note = "evaluated without a baseline: the served model reads 'a|b'"
    text = describe_evaluation({"": {"auc": 0.75}}, {}, {}, [], note)
    said = "evaluated without a baseline: the served model reads 'a\\|b'"
    assert text.startswith(f"# Blessed\n\n\n{said}\n\n| metric")


def test_the_serving_check_shows_its_verdict_its_measurements_and_its_requests() -> None:
    result = ServingCheckResult(
        passed=False,
        problems=("load is 9 s | <b>",),
        rows=5,
        requests=(CheckedRequest("no rows", "serving_default", 0, "answered"),),
        measurements=(
            Measurement("load", 9.0, "s", 2.0),
            Measurement("peak memory", 533.2, "MB", 16_000.0),
        ),
    )
    text = describe_serving_check(result)
    assert text.startswith("# The serving check failed\n\n- load is 9 s ")
    assert "<b>" not in text
    assert "| load | 9 s | 2 s |" in text
    assert "| peak memory | 533 MB | 16,000 MB |" in text
    assert "| no rows | serving\\_default | 0 | answered |" in text
    assert describe_serving_check(None).startswith("# Not checked")


def test_exports_are_a_table_with_the_reasons_of_failures_below() -> None:
    exports = [
        ExportResult("model", "model", metrics={"auc": 0.93}, bytes=70_000),
        ExportResult("onnx", "export", False, ("auc | fell",), {"auc": None}, bytes=50_000),
    ]
    lines = describe_exports(exports).splitlines()
    assert lines[0] == "# Exports"
    assert "| model |  | 70,000 |" in lines[4]
    assert lines[4].endswith("| 0.93 |")
    assert "| onnx | failed | 50,000 |" in lines[5]
    assert lines[7] == "- onnx: auc \\| fell"
