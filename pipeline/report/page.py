"""The page of a run: one HTML file that asks nothing of the network.

A content security policy forbids requests, and scripts other than the page's own: their hashes
are in the policy. The policy holds if a name or a cell of the data should ever become markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources

import jinja2
from markupsafe import Markup

from components.data_figures.figures import overall_missing
from components.statistics_view.distributions.wording import format_distance, format_share
from pipeline.core.contracts import Node
from pipeline.report import answers, data_facts, quality_facts, run_facts, words
from pipeline.report.chart_script import chart_script
from pipeline.report.charts import (
    association,
    binary,
    distribution,
    fit,
    model,
    multiclass,
    quality,
    regression,
    search,
)
from pipeline.report.comparison import Comparison
from pipeline.report.content import Report
from pipeline.report.dag_layout import BOX, draw_dag
from pipeline.report.figures import Figures
from pipeline.report.sparkline import sparkline

_TEMPLATES = "templates"
_PAGE = "page.html.j2"
_BOX_HEIGHT = 0.74
"""The height of a box of the DAG, in layers."""
_PARTS = {
    "data": (
        Node.EXAMPLE_GEN, Node.REFERENCE, Node.STATISTICS_GEN, Node.SCHEMA_GEN,
        Node.SCHEMA_CURATOR, Node.EXAMPLE_VALIDATOR, Node.ANOMALY_REPORT, Node.DATA_FIGURES,
        Node.ANOMALY_GATE,
    ),
    "training": (Node.TRANSFORM, Node.WARM_START, Node.TUNER, Node.TRAINER),
    "quality": (Node.BASELINE, Node.EVALUATOR, Node.SERVING_CHECK, Node.MODEL_EXPORTER),
    "model": (Node.MODEL_FIGURES,),
}  # fmt: skip
"""The part of the page that a node links to; the lineage for all others."""
_PART_OF_NODE = {node: part for part, nodes in _PARTS.items() for node in nodes}
_MODULES = (
    answers, run_facts, data_facts, quality_facts, association, binary, distribution, fit, model,
    multiclass, quality, regression, search,
)  # fmt: skip
"""The modules whose functions the templates call."""


def render_page(report: Report) -> str:
    """Returns the page as HTML: all names and cells of the data are inert text."""
    return _render(_PAGE, report=report, drawing=draw_dag(report.components, _BOX_HEIGHT))


def prepare_rendering() -> None:
    """Loads the template of all pages of runs, so that the first page is there sooner.

    The script of the charts is left out: making it stops all threads of this process for seconds,
    and with them the live table of the run.
    """
    _environment().get_template(_PAGE)


def render_comparison(comparison: Comparison) -> str:
    """Returns the page of two runs side by side; see `render_page`."""
    return _render("comparison.html.j2", comparison=comparison)


def _render(template: str, **content: object) -> str:
    scripts = [chart_script(), *map(_file, ("charts.js", "tables.js", "page.js"))]
    return (
        _environment()
        .get_template(template)
        .render(
            **content,
            figures=Figures(),
            css=Markup(_file("page.css")),
            first_script=Markup(_file("theme.js")),
            scripts=[Markup(script) for script in scripts],
            policy=_policy([_file("theme.js"), *scripts]),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=words.finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        words.number, words.precise, words.fixed, words.setting, words.signed, words.count,
        words.share, words.interval, words.duration, words.file_size, words.moment, words.short,
        words.name, words.cell, words.prose, words.command, words.lines, words.value, sparkline,
    )  # fmt: skip
    environment.filters.update({f.__name__: f for f in filters})
    environment.filters.update(distance=format_distance, gate_share=format_share)
    environment.globals.update({m.__name__.rpartition(".")[2]: m for m in _MODULES})
    environment.globals.update(
        signed=words.signed,
        digits_of=words.digits_of,
        overall_missing=overall_missing,
        BOX=BOX,
        BOX_HEIGHT=_BOX_HEIGHT,
        part_of=lambda node: _PART_OF_NODE.get(node, "lineage"),
    )
    return environment


@cache
def _file(name: str) -> str:
    place = resources.files("pipeline.report") / _TEMPLATES / name
    return place.read_text(encoding="utf-8")


def _policy(scripts: Iterable[str]) -> str:
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
