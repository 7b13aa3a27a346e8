from dataclasses import replace

import example_figures as figures
import example_reports as examples
from compiled_chart import compile_chart, texts_of

from components.data_figures.figures import Associations, ColumnFigures
from pipeline.report.charts import association

FIGURES = figures.data_figures(served=True)


def column(name: str) -> ColumnFigures:
    return next(c for c in FIGURES.columns if c.name == name)


def test_the_heatmap_names_the_strongest_pair() -> None:
    matrix = ((1.0, 0.2, None), (0.2, 1.0, 0.9), (None, 0.9, 1.0))
    chart = association.association_heatmap(Associations(("label", "a", "b"), matrix, 10))
    assert chart is not None
    compile_chart(chart)
    assert len(chart.rows) == 7
    assert "The strongest pair is a and b, with 0.9." in chart.summary


def test_a_table_of_one_column_has_no_heatmap() -> None:
    assert association.association_heatmap(Associations(("label",), ((1.0,),), 10)) is None


def test_features_stand_by_their_association_with_the_label() -> None:
    chart = association.label_association_chart(FIGURES.columns)
    assert chart is not None
    compile_chart(chart)
    values = [float(row[1] or 0) for row in chart.rows]
    assert values == sorted(values, reverse=True)
    assert "tips" not in [row[0] for row in chart.rows]
    assert association.label_association_chart([replace(column("fare"), with_label=None)]) is None


def test_hostile_names_are_in_no_specification() -> None:
    made = figures.hostile_data(examples.HOSTILE)
    assert made.associations is not None
    charts = (
        association.association_heatmap(made.associations),
        association.label_association_chart(made.columns),
    )
    for chart in filter(None, charts):
        compile_chart(chart)
        assert "__pwned" not in texts_of(chart.spec)
