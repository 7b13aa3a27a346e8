import math
from dataclasses import replace

import example_reports as examples
import pytest
from compiled_chart import compile_chart, texts_of

from pipeline.core.events import SearchResults, TrialResult
from pipeline.report.charts import training
from pipeline.report.content import Epoch


def search_of(*objectives: float | None, best: str = "1") -> SearchResults:
    trials = tuple(
        TrialResult(str(i), {"rate": 10.0**-i, "layers": [i]}, "done", value)
        for i, value in enumerate(objectives, start=1)
    )
    return SearchResults("eval_loss", trials, best, "s", {})


def test_each_metric_has_one_chart_with_train_and_eval() -> None:
    charts = list(training.fit_charts(examples.training()))
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
    fit = examples.training()
    epochs = tuple(Epoch(i, {"eval_auc": 0.5 + i / 10}) for i in (1, 2))
    (chart,) = training.fit_charts(replace(fit, epochs=epochs))
    assert (chart.title, {row[2] for row in chart.rows}) == ("auc", {"eval"})


def test_epochs_without_a_number_are_left_out_and_no_epoch_is_marked_before_the_end() -> None:
    fit = replace(examples.training(), best_epoch=None)
    epochs = tuple(Epoch(i, {"loss": v}) for i, v in enumerate((0.5, math.nan, None, 0.4), start=1))
    (chart,) = training.fit_charts(replace(fit, epochs=epochs))
    assert [row[0] for row in chart.rows] == [1, 4]
    assert chart.others == {}
    compile_chart(chart)


def test_a_fit_without_any_number_has_no_charts() -> None:
    fit = replace(examples.training(), epochs=(Epoch(1, {"loss": math.nan}),))
    assert list(training.fit_charts(fit)) == []


def test_each_finished_trial_is_a_line_over_all_keys() -> None:
    fit = examples.tuned().training
    assert fit is not None
    assert fit.search is not None
    chart = training.search_chart(fit.search)
    assert chart is not None
    compile_chart(chart)
    assert len(chart.rows) == 11 * 5
    assert {row[4] for row in chart.rows if row[0] == "12"} == {"yes"}
    assert all(0 <= float(row[3] or 0) <= 1 for row in chart.rows)
    assert "learning_rate" not in texts_of(chart.spec)


@pytest.mark.parametrize("objectives", [(), (0.5,), (0.5, None), (0.5, math.nan)])
def test_fewer_than_two_finished_trials_have_no_chart(objectives: tuple[float | None, ...]) -> None:
    assert training.search_chart(search_of(*objectives)) is None


def test_equal_values_stand_in_the_middle_and_a_wide_range_is_logarithmic() -> None:
    chart = training.search_chart(search_of(0.5, 0.5, 0.5))
    assert chart is not None
    rate = [row[3] for row in chart.rows if row[1] == "rate"]
    assert rate == pytest.approx([1, 0.5, 0])
    assert [row[3] for row in chart.rows if row[1] == "eval_loss"] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("objectives", "best", "order"),
    [((0.3, 0.5, None, 0.4), "1", "1423"), ((0.3, 0.5, None, 0.4), "2", "2413")],
)
def test_the_best_trial_stands_first_and_failed_ones_last(
    objectives: tuple[float | None, ...], best: str, order: str
) -> None:
    trials = training.sorted_trials(search_of(*objectives, best=best))
    assert "".join(trial.trial for trial in trials) == order


def test_all_keys_of_the_search_are_listed() -> None:
    assert training.searched_keys(search_of(0.5, 0.6)) == ["rate", "layers"]
