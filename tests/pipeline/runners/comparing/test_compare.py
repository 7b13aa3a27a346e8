"""Real runs side by side: the same rows, other rows, and runs that did not end."""

import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from recorded_runs import Recorded, unpack

from pipeline.core.contracts import ArtifactType, Node
from pipeline.report.comparison import Change, Comparison
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.compare import compare
from pipeline.runners.comparing.inputs import RunInputs

ROOT = Path(__file__).parents[4]


def compare_kinds(recorded: Recorded, before: str, after: str) -> Comparison:
    names = [recorded.names[kind] for kind in (before, after)]
    return compare(*(ChosenRun(name, recorded.workspace, name) for name in names))


def test_a_retrained_model_is_compared_on_all_rows(recorded: Recorded) -> None:
    found = compare_kinds(recorded, "pushed", "retrained")
    assert found.configuration == (Change("training.seed", "0", "5"),)
    assert (found.code, found.versions, found.data, found.notes) == ((), (), (), ())
    assert all(c.distance and c.distance.value == 0 for c in found.columns)
    assert found.paired
    assert found.rows
    assert found.rows.common == found.rows.rows_before == found.rows.rows_after == 122
    assert (found.rows.columns, found.rows.relabelled) == (("color", "price"), 0)
    assert found.rows.changed == len(found.rows.changed_rows)
    assert all(row.row_before == row.row_after for row in found.rows.changed_rows)
    assert found.metric == "auc"
    assert found.headline.startswith("auc ")
    assert {s.name for s in found.slices} == {"color=red", "color=green"}


def test_a_run_is_equal_to_itself(recorded: Recorded) -> None:
    found = compare_kinds(recorded, "pushed", "cached")
    assert found.headline == "auc is the same."
    assert found.rows
    assert found.rows.changed == 0
    assert all(change.difference.value == 0 for change in found.metrics)


def test_other_rows_are_compared_without_pairs(recorded: Recorded) -> None:
    found = compare_kinds(recorded, "pushed", "pushed again")
    assert not found.paired
    assert found.rows is None
    assert found.metrics
    assert "rows in common" in found.notes[0]
    assert {change.key for change in found.data} >= {"fingerprint", "rows of test"}


def test_a_run_that_stopped_is_compared_by_its_data(recorded: Recorded) -> None:
    found = compare_kinds(recorded, "retrained", "stopped")
    assert found.columns[0].name == "price"
    assert found.metrics == ()
    assert found.headline == "The runs have no metric in common."
    assert "no artifact PredictionTable of the Evaluator" in found.notes[0]


def test_what_was_removed_is_named(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    for node in ("StatisticsGen", "Evaluator"):
        for place in (own.workspace.root / "artifacts").glob(f"*/{node}"):
            shutil.rmtree(place)
    (own.workspace.logs / own.names["pushed"] / "config.yaml").unlink()
    found = compare_kinds(own, "pushed", "retrained")
    assert len(found.notes) == 3
    assert (found.columns, found.rows, found.configuration) == ((), None, ())
    # The figures still hold the metrics with their intervals.
    assert found.metrics


def change_label(own: Recorded, kind: str, old: str, new: str) -> None:
    """Changes a key of the recorded configuration's section `label`."""
    path = own.workspace.logs / own.names[kind] / "config.yaml"
    path.write_text(path.read_text().replace(old, new, 1))


def test_runs_of_different_labels_get_no_verdict(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    change_label(own, "retrained", "column: bought", "column: returned")
    found = compare_kinds(own, "pushed", "retrained")
    assert found.headline == "The runs predict different columns: 'bought' and 'returned'."
    assert (found.metrics, found.slices, found.rows, found.paired) == ((), (), None, False)
    assert any("predict different columns" in note for note in found.notes)
    assert found.columns


def test_rows_with_another_label_are_counted_and_told(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    run = RunInputs.read(ChosenRun("", own.workspace, own.names["pushed"]))
    # The labels that are compared are those of the table of predictions.
    [part] = Path(run.require(Node.EVALUATOR, ArtifactType.PREDICTIONS)).iterdir()
    table = pq.read_table(part)
    labels = table["label"].to_pylist()
    labels[0], labels[5] = ("1" if labels[i] == "0" else "0" for i in (0, 5))
    place = table.column_names.index("label")
    pq.write_table(table.set_column(place, "label", pa.array(labels)), part)
    found = compare_kinds(own, "pushed", "retrained")
    assert found.rows
    assert (found.rows.common, found.rows.relabelled) == (122, 2)
    assert found.notes == (
        "2 common rows differ only in the label. The later run's label judges both models.",
    )


def test_a_run_that_did_not_record_its_code_has_no_changes_of_code(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    path = own.workspace.logs / own.names["pushed"] / "events.jsonl"
    path.write_text(path.read_text().replace('"code": {', '"earlier": {', 1))
    found = compare_kinds(own, "pushed", "retrained")
    assert found.code == ()
    assert "one of the runs did not record its code" in found.notes[0]


COMPARE = """
import sys
from pathlib import Path
from pipeline.runners.comparing.choose import choose_side
from pipeline.runners.comparing.compare import compare
from pipeline.runners.history.past_runs import find_serving_directory
from pipeline.runners.workspace.places import Workspace
workspace = Workspace(Path(sys.argv[1]), find_serving_directory(Path(sys.argv[1])))
compare(*(choose_side(workspace, name) for name in sys.argv[2:]))
print({"tensorflow", "tfx", "apache_beam"} & {name.partition(".")[0] for name in sys.modules})
"""


def test_a_comparison_imports_no_tensorflow(recorded: Recorded) -> None:
    names = (recorded.names["pushed"], recorded.names["retrained"])
    command = [sys.executable, "-c", COMPARE, recorded.workspace.root, *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
