from dataclasses import replace

import example_figures as figures
from compiled_chart import compile_chart, texts_of

from components.model_figures.figures import Estimate, Importance
from pipeline.report.charts import model

FIGURES = figures.model_figures("binary", served=False)


def test_importance_has_intervals_and_a_line_at_zero() -> None:
    chart = model.importance_chart(FIGURES.importance, "log loss")
    assert chart is not None
    compile_chart(chart)
    assert chart.others["reference"] == (("x",), ((0,),))
    assert "trip_miles matters most: the log loss rises by 0.11." in chart.summary
    assert "trip_miles" not in texts_of(chart.spec)


def test_columns_without_importance_have_no_chart() -> None:
    unknown = Importance("a", Estimate(None, None, None), None, None)
    assert model.importance_chart([unknown], "log loss") is None


def test_numbers_are_drawn_as_lines_and_categories_as_points() -> None:
    by_name = {d.column: d for d in FIGURES.dependence}
    number = model.dependence_chart(by_name["fare"], "probability")
    category = model.dependence_chart(by_name["company"], "probability")
    for chart in (number, category):
        compile_chart(chart)
    assert (next(iter(number.fields)), next(iter(category.fields))) == ("x", "name")
    assert number.rows[0][0] == 0.0
    assert category.rows[0][0] == "Flash Cab"
    assert number.subject == "fare"


def test_a_part_of_a_time_has_an_axis_of_its_own() -> None:
    number = next(d for d in FIGURES.dependence if d.positions is not None)
    chart = model.dependence_chart(replace(number, part="hour"), "probability")
    compile_chart(chart)
    assert chart.title == "Partial dependence on the hour"
    assert chart.spec["layer"][1]["encoding"]["x"]["title"] == "hour"


def test_several_outputs_have_a_legend() -> None:
    one = FIGURES.dependence[0]
    means = {"a": one.means["big"], "b": one.lows["big"]}
    both = type(one)(one.column, one.values, one.positions, means, means, means)
    chart = model.dependence_chart(both, "probability")
    compile_chart(chart)
    assert {row[4] for row in chart.rows} == {"a", "b"}
    assert "legend" not in chart.spec["layer"][1]["encoding"]["color"]
