import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.charts.chart import Chart, plot
from pipeline.report.figures import Figures, inert_json


def chart(rows: list[tuple[Any, ...]], height: int = 100) -> Chart:
    return Chart("title", "reading", "summary", {"x": "X", "group": "G"}, rows, plot(height, {}))


def test_charts_of_the_same_kind_share_a_specification() -> None:
    figures = Figures()
    added = [figures.add(chart([(i, "a")], height=100 + i // 2)) for i in range(4)]
    assert [figure.number for figure in added] == [1, 2, 3, 4]
    assert [json.loads(str(f.data))["spec"] for f in added] == [0, 0, 1, 1]
    assert len(json.loads(str(figures.specs))) == 2


def test_numbers_are_short_and_those_without_a_value_are_null() -> None:
    figure = Figures().add(chart([(1 / 3, "a"), (math.nan, None), (12345678, "b")]))
    assert json.loads(str(figure.data))["rows"] == [[0.333333, "a"], [None, None], [12345678, "b"]]


@given(st.lists(st.text(), max_size=5))
def test_no_text_ends_the_script_element(texts: list[str]) -> None:
    json_text = str(inert_json(texts))
    assert not set("<>&'\u2028\u2029") & set(json_text)
    assert json.loads(json_text) == texts


def test_hidden_characters_of_a_cell_are_written_out() -> None:
    figure = Figures().add(chart([(1, "\u202e\x00\ud800")]))
    assert json.loads(str(figure.data))["rows"] == [[1, "\\u202e\\x00\\ud800"]]
