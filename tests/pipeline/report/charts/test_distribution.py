from dataclasses import replace

import example_figures as figures
import example_reports as examples
from compiled_chart import compile_chart, texts_of

from components.data_figures.figures import ColumnFigures
from pipeline.report.charts import distribution

FIGURES = figures.data_figures(served=True)


def column(name: str) -> ColumnFigures:
    return next(c for c in FIGURES.columns if c.name == name)


def test_samples_stand_in_the_order_of_their_use() -> None:
    assert distribution.samples_of({"served": 1, "more": 1, "test": 1, "train": 1}) == [
        "train", "test", "served", "more",
    ]  # fmt: skip


def test_a_number_is_drawn_as_its_shares_between_edges() -> None:
    chart = distribution.distribution_chart(column("fare"))
    assert chart is not None
    compile_chart(chart)
    assert len(chart.rows) == 24 * 4
    train = [float(row[2] or 0) for row in chart.rows if row[3] == "train"]
    assert abs(sum(train) - 1) < 1e-9
    assert {row[3] for row in chart.rows} == {"train", "eval", "test", "served model's data"}
    assert "Median:" in chart.summary


def test_values_beyond_the_ends_are_drawn_and_counted() -> None:
    found = column("fare")
    assert found.histogram is not None
    samples = found.histogram.shares
    counted = replace(
        found.histogram,
        below={**dict.fromkeys(samples, 0), "test": 2},
        above={**dict.fromkeys(samples, 3), "served": 7},
        values=dict.fromkeys(samples, 1000),
        estimated=("served",),
    )
    chart = distribution.distribution_chart(replace(found, histogram=counted))
    assert chart is not None
    compile_chart(chart)
    last = f"above {counted.edges[-1]:.4g}"
    assert f"below {counted.edges[0]:.4g}: 2 in test" in chart.reading
    assert f"{last}: 3 in train, 3 in eval, 3 in test, about 7 in served model's" in chart.reading
    assert "is estimated from its deciles" in chart.reading
    fields, bars = chart.others["ends"]
    drawn = [dict(zip(fields, bar, strict=True)) for bar in bars]
    assert [bar["text"] for bar in drawn if bar["group"] == "test"] == ["2", "3"]
    assert all(bar["y"] == int(bar["text"]) / 1000 for bar in drawn)
    assert all(
        bar["x"] > counted.edges[-1] for bar in drawn if str(bar["name"]).startswith("above")
    )


def test_a_category_shows_what_its_listed_values_leave() -> None:
    chart = distribution.distribution_chart(column("company"))
    assert chart is not None
    compile_chart(chart)
    assert [row[0] for row in chart.rows if row[2] == "train"][-1] == "all other values"
    assert chart.subject == "company"


def test_a_column_without_values_has_no_chart() -> None:
    assert distribution.distribution_chart(replace(column("fare"), histogram=None)) is None


def test_a_column_that_bars_cannot_show_says_why() -> None:
    company = column("company")
    assert distribution.why_not_drawn(company) is None
    assert company.values is not None
    rare = replace(company, values=replace(company.values, other={"train": 0.99}))
    assert distribution.why_not_drawn(rare) == "nearly all different"
    assert distribution.why_not_drawn(replace(rare, role="other")) == "an identifier"
    time = replace(rare, kind="timestamp")
    assert distribution.why_not_drawn(time) == "times, nearly all different"
    assert distribution.why_not_drawn(replace(rare, values=None)) == "no values"
    assert distribution.distribution_chart(rare) is None


def test_all_columns_of_a_kind_share_a_specification_without_names() -> None:
    specs = {texts_of(c.spec) for c in map(distribution.distribution_chart, FIGURES.columns) if c}
    assert len(specs) < len(FIGURES.columns)
    assert "Flash Cab" not in "".join(specs)


def test_values_that_look_the_same_when_shortened_stay_apart() -> None:
    texts = ("a" * 100, "a" * 99 + "b", "c")
    made = figures.hostile_data(texts).columns[1]
    chart = distribution.distribution_chart(made)
    assert chart is not None
    assert len({row[0] for row in chart.rows}) == 4


def test_the_label_has_a_chart_and_a_table_without_label_has_none() -> None:
    chart = distribution.label_chart(FIGURES.columns)
    assert chart is not None
    assert chart.subject == "tips"
    assert distribution.label_chart([column("fare")]) is None


def test_hostile_names_are_in_no_specification() -> None:
    charts = map(distribution.distribution_chart, figures.hostile_data(examples.HOSTILE).columns)
    for chart in filter(None, charts):
        compile_chart(chart)
        assert "__pwned" not in texts_of(chart.spec)


def test_a_column_that_counts_time_has_an_axis_of_dates() -> None:
    fare = column("fare")
    seconds = {s: replace(n, median=1.4e9) for s, n in fare.numbers.items()}
    made = replace(fare, kind="timestamp", numbers=seconds)
    assert distribution.milliseconds(made) == 1000
    assert distribution.milliseconds(fare) is None
    large = {s: replace(n, median=1.4e12) for s, n in fare.numbers.items()}
    assert distribution.milliseconds(replace(made, numbers=large)) == 1
    chart = distribution.distribution_chart(made)
    assert chart is not None
    compile_chart(chart)
    assert "utcFormat(datum.value * 1000" in texts_of(chart.spec)
    assert "2014-05-13" in chart.summary
