from dataclasses import replace

import example_figures as figures
import example_reports as examples
from compiled_chart import compile_chart, texts_of

from components.data_figures.figures import Associations, ColumnFigures
from pipeline.report.charts import data

FIGURES = figures.data_figures(served=True)


def column(name: str) -> ColumnFigures:
    return next(c for c in FIGURES.columns if c.name == name)


def test_samples_stand_in_the_order_of_their_use() -> None:
    assert data.samples_of({"served": 1, "more": 1, "test": 1, "train": 1}) == [
        "train", "test", "served", "more",
    ]  # fmt: skip


def test_a_number_is_drawn_as_its_shares_between_edges() -> None:
    chart = data.distribution_chart(column("fare"))
    assert chart is not None
    compile_chart(chart)
    assert len(chart.rows) == 24 * 4
    train = [float(row[2] or 0) for row in chart.rows if row[3] == "train"]
    assert abs(sum(train) - 1) < 1e-9
    assert {row[3] for row in chart.rows} == {"train", "eval", "test", "served model's data"}
    assert "Median:" in chart.summary


def test_a_category_shows_what_its_listed_values_leave() -> None:
    chart = data.distribution_chart(column("company"))
    assert chart is not None
    compile_chart(chart)
    assert [row[0] for row in chart.rows if row[2] == "train"][-1] == "all other values"
    assert chart.subject == "company"


def test_a_column_without_values_has_no_chart() -> None:
    assert data.distribution_chart(replace(column("fare"), histogram=None)) is None


def test_all_columns_of_a_kind_share_a_specification_without_names() -> None:
    specs = {texts_of(c.spec) for c in map(data.distribution_chart, FIGURES.columns) if c}
    assert len(specs) < len(FIGURES.columns)
    assert "Flash Cab" not in "".join(specs)


def test_values_that_look_the_same_when_shortened_stay_apart() -> None:
    texts = ("a" * 100, "a" * 99 + "b", "c")
    made = figures.hostile_data(texts).columns[1]
    chart = data.distribution_chart(made)
    assert chart is not None
    assert len({row[0] for row in chart.rows}) == 4


def test_the_label_has_a_chart_and_a_table_without_label_has_none() -> None:
    chart = data.label_chart(FIGURES.columns)
    assert chart is not None
    assert chart.subject == "tips"
    assert data.label_chart([column("fare")]) is None


def test_the_heatmap_names_the_strongest_pair() -> None:
    matrix = ((1.0, 0.2, None), (0.2, 1.0, 0.9), (None, 0.9, 1.0))
    chart = data.association_heatmap(Associations(("label", "a", "b"), matrix, 10))
    assert chart is not None
    compile_chart(chart)
    assert len(chart.rows) == 7
    assert "The strongest pair is a and b, with 0.9." in chart.summary


def test_a_table_of_one_column_has_no_heatmap() -> None:
    assert data.association_heatmap(Associations(("label",), ((1.0,),), 10)) is None


def test_features_stand_by_their_association_with_the_label() -> None:
    chart = data.label_association_chart(FIGURES.columns)
    assert chart is not None
    compile_chart(chart)
    values = [float(row[1] or 0) for row in chart.rows]
    assert values == sorted(values, reverse=True)
    assert "tips" not in [row[0] for row in chart.rows]
    assert data.label_association_chart([replace(column("fare"), with_label=None)]) is None


def test_hostile_names_are_in_no_specification() -> None:
    made = figures.hostile_data(examples.HOSTILE)
    assert made.associations is not None
    charts = [data.distribution_chart(c) for c in made.columns]
    charts += [
        data.association_heatmap(made.associations),
        data.label_association_chart(made.columns),
    ]
    for chart in filter(None, charts):
        compile_chart(chart)
        assert "__pwned" not in texts_of(chart.spec)
