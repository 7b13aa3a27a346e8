import math
from dataclasses import replace

import example_reports as examples
from compiled_chart import compile_chart

from pipeline.report.charts import fit
from pipeline.report.content import BlendPart, Epoch


def test_each_metric_has_one_chart_with_train_and_eval() -> None:
    charts = list(fit.fit_charts(examples.training()))
    assert [c.title for c in charts] == ["loss", "auc", "learning rate", "examples a second"]
    for chart in charts:
        compile_chart(chart)
    assert {row[2] for row in charts[0].rows} == {"train", "eval"}
    assert charts[0].others["kept"] == (("x",), ((9,),))
    assert "epoch 9" in charts[0].reading
    assert charts[0].summary == (
        "Line chart of loss over 14 epochs: train goes from 0.62 to 0.3414; "
        "eval goes from 0.615 to 0.361."
    )


def test_a_metric_of_the_eval_split_alone_has_a_chart() -> None:
    part = examples.training()
    epochs = tuple(Epoch(i, {"eval_auc": 0.5 + i / 10}) for i in (1, 2))
    (chart,) = fit.fit_charts(replace(part, epochs=epochs))
    assert (chart.title, {row[2] for row in chart.rows}) == ("auc", {"eval"})


def test_epochs_without_a_number_are_left_out_and_no_epoch_is_marked_before_the_end() -> None:
    part = replace(examples.training(), best_epoch=None)
    epochs = tuple(Epoch(i, {"loss": v}) for i, v in enumerate((0.5, math.nan, None, 0.4), start=1))
    (chart,) = fit.fit_charts(replace(part, epochs=epochs))
    assert [row[0] for row in chart.rows] == [1, 4]
    assert chart.others == {}
    compile_chart(chart)


def test_a_fit_without_any_number_has_no_charts() -> None:
    part = replace(examples.training(), epochs=(Epoch(1, {"loss": math.nan}),))
    assert list(fit.fit_charts(part)) == []


def test_a_curve_of_trees_has_iterations_and_not_all_of_thousands() -> None:
    epochs = tuple(Epoch(i, {"loss": 1 / i}) for i in range(1, 2001))
    part = replace(examples.training(), epochs=epochs, best_epoch=1203, unit="iteration")
    (chart,) = fit.fit_charts(part)
    numbers = [row[0] for row in chart.rows]
    assert len(numbers) < 410
    assert {1, 5, 10, 1203, 2000} <= set(numbers)
    assert chart.fields["x"] == "Iteration"
    assert "iteration 1203" in chart.reading
    compile_chart(chart)


def test_a_part_of_a_blend_has_a_chart_of_its_loss() -> None:
    epochs = tuple(Epoch(i, {"loss": 1 / i, "eval_loss": 2 / i, "auc": 0.5}) for i in range(1, 9))
    chart = fit.part_chart(BlendPart("trees 2", 0.5, 1, 0.25, "iteration", 8, epochs))
    assert chart.title == "loss of trees 2"
    assert {row[2] for row in chart.rows} == {"train", "eval"}
    assert "Lower is better" in chart.reading
    compile_chart(chart)


def test_each_tick_is_an_epoch() -> None:
    part = examples.training()
    epochs = tuple(Epoch(i, {"loss": 1 / i}) for i in range(1, 42))
    for count, ticks in ((2, [1, 2]), (41, [6, 12, 18, 24, 30, 36])):
        (chart,) = fit.fit_charts(replace(part, epochs=epochs[:count]))
        assert chart.spec["layer"][0]["encoding"]["x"]["axis"]["values"] == ticks
