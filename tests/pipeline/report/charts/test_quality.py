import example_figures as figures
from compiled_chart import compile_chart

from components.model_figures.figures import Bin, Curve, Estimate
from pipeline.report.charts import quality

MODEL = figures.model_figures("binary", served=True)


def test_slices_keep_their_order_and_show_the_whole_split() -> None:
    chart = quality.slice_chart(MODEL.slices, "auc", MODEL.metrics[0].candidate)
    assert chart is not None
    compile_chart(chart)
    assert chart.rows[0][0] == "company=Flash Cab (40)"
    assert chart.others["reference"] == (("x",), ((0.8614,),))
    assert "company=Flash Cab (40) has 0.7; the whole split has 0.8614." in chart.summary


def test_slices_without_the_metric_have_no_chart() -> None:
    assert quality.slice_chart(MODEL.slices, "rmse", None) is None


def test_slices_without_a_value_of_the_whole_split_have_no_reference() -> None:
    chart = quality.slice_chart(MODEL.slices, "auc", Estimate(None, None, None))
    assert chart is not None
    compile_chart(chart)
    assert chart.others == {}


def test_a_curve_of_the_served_model_is_dashed_and_a_missing_one_is_left_out() -> None:
    curve = Curve((0.0, 1.0), (0.0, 1.0))
    axes = ("false positive rate", "true positive rate")
    both = quality.curve_chart(
        "ROC", axes, "Read.", [("this model", curve), ("served model", curve)]
    )
    one = quality.curve_chart("ROC", axes, "Read.", [("this model", curve), ("served model", None)])
    compile_chart(both)
    compile_chart(one)
    assert len(both.rows) == 4
    assert {row[2] for row in one.rows} == {"this model"}
    line = both.spec["layer"][1]
    assert line["encoding"]["strokeDash"]["scale"]["range"] == [[1, 0], [5, 3]]


def test_classes_have_colours_of_their_own() -> None:
    curve = Curve((0.0, 1.0), (0.0, 1.0))
    chart = quality.curve_chart("ROC", ("a", "b"), "Read.", [("red", curve), ("blue", curve)])
    compile_chart(chart)
    assert chart.spec["encoding"]["color"]["scale"]["range"][0] == "var(--class-1)"
    assert "strokeDash" in chart.spec["encoding"]


def test_calibration_names_the_largest_distance() -> None:
    bins = (Bin(0.2, Estimate(0.25, 0.2, 0.3), 10), Bin(0.8, Estimate(0.5, 0.4, 0.6), 10))
    chart = quality.calibration_chart(bins, "share of positives")
    assert chart is not None
    compile_chart(chart)
    assert "predicted 0.8, observed 0.5" in chart.summary


def test_empty_bins_have_no_chart() -> None:
    bins = (Bin(0.2, Estimate(None, None, None), 0),)
    assert quality.calibration_chart(bins, "share of positives") is None


def test_intervals_have_a_reference_only_where_there_is_one() -> None:
    assert len(quality.interval_spec("auc", 3)["layer"]) == 3
    assert len(quality.interval_spec("auc", 3, has_reference=False)["layer"]) == 2
