import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import example_reports as examples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.events import ExportResult
from pipeline.report.content import Blend, BlendPart
from pipeline.report.page import render_page

ROOT = Path(__file__).parents[3]
VOID = {"meta", "input", "br", "img", "link", "hr", "wbr"}
SVG_ALONE = {"path", "circle"}
MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>", re.DOTALL)
BREAKS = re.compile(r"<wbr>|</?code\b[^>]*>")
"""Elements that a text may have of its own: places to break it, and parts between backticks."""


class Page(HTMLParser):
    """A parsed page; fails if an element is not closed where it was opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SVG_ALONE
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def attributes(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]

    def skeleton(self) -> list[tuple[str, tuple[str, ...]]]:
        """The elements and the names of their attributes: what no text may change."""
        return [(tag, tuple(attrs)) for tag, attrs in self.tags]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    made = {name: render_page(make()) for name, make in examples.ALL.items()}
    return {**made, "wide": render_page(examples.wide())}


NAMES = [*examples.ALL, "wide"]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_each_anchor_leads_to_an_element(
    name: str, pages: dict[str, str]
) -> None:
    page = Page(pages[name])
    ids = page.attributes("id")
    assert len(set(ids)) == len(ids)
    links = page.attributes("href")
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_loads_nothing(name: str, pages: dict[str, str]) -> None:
    page = Page(pages[name])
    assert page.attributes("src") == []
    assert not {"link", "img", "iframe", "object", "base"} & {tag for tag, _ in page.tags}
    policy = next(p for p in page.attributes("content") if "default-src" in p)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]


@pytest.mark.parametrize("name", NAMES)
def test_no_element_has_a_handler(name: str, pages: dict[str, str]) -> None:
    for tag, attributes in Page(pages[name]).tags:
        assert not [key for key in attributes if key.startswith("on")], tag


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_has_words_for_people_who_do_not_see_it(
    name: str, pages: dict[str, str]
) -> None:
    plots = [
        attributes for _, attributes in Page(pages[name]).tags if attributes.get("class") == "plot"
    ]
    assert name == "interrupted" or plots
    assert all(p["role"] == "img" and (p["aria-label"] or "").endswith(".") for p in plots)


@pytest.mark.parametrize(
    ("name", "megabytes"), [("pushed", 3), ("multiclass", 3), ("hostile", 3), ("wide", 8)]
)
def test_the_page_is_small(name: str, megabytes: int, pages: dict[str, str]) -> None:
    assert len(pages[name].encode("utf-8")) < megabytes * 1_000_000


def test_the_library_holds_nothing_that_ends_a_script_element(pages: dict[str, str]) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", pages["pushed"], re.DOTALL)
    assert len(scripts) == 5
    for script in scripts:
        assert "<!--" not in script
        assert "<script" not in script.lower()


def test_the_parts_stand_in_the_order_in_which_people_ask(pages: dict[str, str]) -> None:
    parts = re.findall(r'<section id="(\w+)"', pages["pushed"])
    assert parts == ["verdict", "dag", "data", "training", "quality", "model", "lineage"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pushed", "The model is served as version 1795410356."),
        ("pushed", "more than chance"),
        ("first_run", "a schema made from the same data"),
        ("gate_stop", "The data gate stopped the run before the training."),
        ("gate_stop", "python -m pipeline schema --config configs/taxi.yaml --write"),
        ("gate_stop", "Prcard (812 rows)"),
        ("not_blessed", "The model missed 1 of its thresholds."),
        ("check_failed", "p99 of 1 row is 0.75 ms, at most 0.5 ms is allowed"),
        ("check_failed", "exceeded"),
        ("pushed", "A new process with TensorFlow alone loaded the model and answered 2 requests"),
        ("failed", "Trainer failed before the evaluation."),
        ("failed", "The fit did not end"),
        ("interrupted", "An interruption ended the run before the training."),
        ("two_workers", "worker 1 was killed by signal 9"),
        ("tuned", "the loss became NaN"),
        ("cached", "The cache took the model from run"),
        ("multiclass", "Largest mix-ups"),
        ("regression", "50 % of the rows below"),
    ],
)
def test_the_page_says_what_happened(name: str, words: str, pages: dict[str, str]) -> None:
    assert words in re.sub("<[^>]*>", "", MARKUP.sub("", pages[name]))


def test_hostile_texts_are_text(pages: dict[str, str]) -> None:
    assert "<script>window" not in pages["hostile"]
    assert "img" not in {tag for tag, _ in Page(pages["hostile"]).tags}
    assert "\u202e" not in pages["hostile"]
    assert "{{ 7 * 7 }}" in pages["hostile"]


def skeleton_of(*texts: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page full of the texts; the scripts of the page's own are left out."""
    html = BREAKS.sub("", render_page(examples.hostile(texts)))
    return Page(re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)).skeleton()


HARMLESS = cache(lambda: skeleton_of("a", "b", "c"))


@settings(max_examples=25)
@given(st.text(st.sampled_from("<>\"'&/`={}%!-#\\\0\n\u202e\u2028שa"), min_size=1, max_size=3))
def test_no_text_changes_the_elements_of_the_page(text: str) -> None:
    assert skeleton_of(text, f"{text}2", f"3{text}") == HARMLESS()


def test_rendering_imports_nothing_heavy() -> None:
    code = "import sys, pipeline.report.files; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"tensorflow", "tfx", "apache_beam", "pandas", "vl_convert"} & set(loaded)


def render_blend(temperature: float = 1.0) -> str:
    report = examples.pushed()
    assert report.training is not None
    fit = report.training.epochs
    blend = Blend(
        (
            BlendPart("network 1", 0.75, 1, 0.41, "epoch", 9, fit, temperature),
            BlendPart("trees 1", 0.25, 1, 0.43, "iteration", 8, fit),
        ),
        0.4,
    )
    shares = {"trip_miles": 1.0}
    importance = {"gain": shares, "split": shares}
    training = replace(report.training, blend=blend, importance=importance)
    return render_page(replace(report, training=training))


def test_the_page_of_a_blend_names_the_part_that_each_sentence_is_about() -> None:
    html = render_blend()
    training = html.partition('id="training"')[2].partition('id="quality"')[0]
    assert "The model is a blend of 2 parts. Network 1 keeps the weights of epoch 9;" in training
    assert "The model keeps" not in training
    headings = re.findall(r"<h3>([^<]*)", training)
    assert headings[:2] == ["Parts of the blend", "Curves of the parts"]
    assert headings[2] == "Importance of the columns in the trees"
    assert "About trees 1 (weight 25 %) alone. Gain" in training
    assert "Importance of the columns to the whole model, by shuffling" in html


@pytest.mark.parametrize("temperature", [1.0, 1.25])
def test_the_parts_of_a_blend_have_their_temperatures_if_any_has_one(temperature: float) -> None:
    html = render_blend(temperature)
    text = html.partition("<h3>Parts of the blend</h3>")[2].partition("</table>")[0]
    cells = re.findall(r"<t[dh]\b[^>]*>([^<]*)", text)
    assert ("Temperature" in cells) == ("1.25" in cells) == (temperature != 1)
    assert len(cells) == 3 * (6 if temperature != 1 else 5)


def test_exports_are_a_table_with_the_reasons_of_failures_as_inert_text() -> None:
    report = examples.pushed()
    assert report.quality is not None
    exports = (
        ExportResult("model", "model", metrics={"auc": 0.93}, bytes=70_000, gzip_bytes=40_000),
        ExportResult("onnx", "export", True, metrics={"auc": 0.93}, milliseconds={"1": 0.5}),
        ExportResult("tflite-int8", "export", False, ("<script>alert(1)</script> fell",)),
    )
    html = render_page(replace(report, quality=replace(report.quality, exports=exports)))
    Page(html)
    text = html.partition("<h3>Exports</h3>")[2].partition("<h3>")[0]
    assert "70.0 kB" in text
    assert "0.5 ms" in text
    assert text.count(">passed<") == text.count(">failed<") == 1
    assert "&lt;script&gt;alert(1)" in text
    assert "<h3>Exports</h3>" not in render_page(report)
