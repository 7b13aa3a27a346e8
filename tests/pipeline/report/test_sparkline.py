from dataclasses import replace
from xml.etree import ElementTree

import example_figures as figures

from pipeline.report.sparkline import sparkline


def test_each_sample_is_a_path_within_the_drawing() -> None:
    for column in figures.data_figures(served=True).columns:
        svg = ElementTree.fromstring(str(sparkline(column)))
        assert [path.get("class") for path in svg] == ["train", "eval", "test", "served"]
        for path in svg:
            d = (path.get("d") or "").replace("M", "H").replace(",", "V")
            xs = [float(part.partition("V")[0]) for part in d.split("H")[1:]]
            ys = [float(part.partition("H")[0]) for part in d.split("V")[1:]]
            assert xs == sorted(xs)
            assert (xs[0], xs[-1]) == (0, 120)
            assert 0 <= min(ys) <= max(ys) <= 28


def test_a_column_without_values_has_no_drawing() -> None:
    column = figures.data_figures(served=False).columns[0]
    assert sparkline(replace(column, histogram=None, values=None)) == ""


def test_a_column_whose_values_all_differ_has_no_drawing() -> None:
    column = figures.hostile_data(("a",)).columns[0]
    assert column.values is not None
    rare = replace(column.values, other={"train": 0.99, "eval": 1.0})
    assert sparkline(replace(column, values=rare)) == ""


def test_a_sample_of_an_unknown_name_becomes_no_class() -> None:
    column = figures.hostile_data(('"><script>',)).columns[0]
    assert column.values is not None
    shares = {'"><script>': column.values.shares["train"]}
    drawing = sparkline(replace(column, values=replace(column.values, shares=shares)))
    assert 'class="other"' in drawing
    assert "script" not in drawing
