"""Both models' predictions of the rows that both runs evaluated."""

import numpy as np
import pytest
from recorded_runs import Recorded

from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.common_predictions import find_common_predictions
from pipeline.runners.comparing.inputs import NotComparableError, RunInputs
from pipeline.runners.comparing.pair import Pair


def read(recorded: Recorded, *kinds: str) -> Pair[RunInputs]:
    names = Pair(*(recorded.names[kind] for kind in kinds))
    return names.map(lambda name: RunInputs.read(ChosenRun(name, recorded.workspace, name)))


def test_rows_and_labels_of_both_models_are_the_same(recorded: Recorded) -> None:
    common = find_common_predictions(read(recorded, "pushed", "retrained"))
    models = common.models
    assert len(common.rows.after) == len(models.after.rows) == 122
    assert np.array_equal(models.before.labels, models.after.labels)
    assert not np.array_equal(models.before.candidate, models.after.candidate)
    assert len(models.after.slices["color"]) == 122
    assert set(common.cells.column_names) == {"bought", "color", "price"}


def test_too_few_common_rows_are_refused(recorded: Recorded) -> None:
    with pytest.raises(NotComparableError, match="have 11 rows in common"):
        find_common_predictions(read(recorded, "pushed", "pushed again"))


def test_a_run_without_predictions_is_refused(recorded: Recorded) -> None:
    with pytest.raises(NotComparableError, match="no artifact PredictionTable"):
        find_common_predictions(read(recorded, "pushed", "stopped"))
