"""Several Pushers that push to the same serving directory, each in its own process."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from datetime import datetime, timezone
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from tfx.types import Artifact, standard_artifacts

from components.model_exports.artifacts import ModelExports
from components.model_exports.results import PUSHED
from components.pusher.executor import Executor
from components.pusher.versions import list_versions
from components.served_model.artifacts import ServedModelRecord
from components.served_model.changes import read_changes
from components.served_model.keys import add_fingerprint, make_push_key
from components.served_model.lock import lock_serving
from components.served_model.pointer import find_record, read_pointer, resolve_withdrawal
from components.served_model.served_record import ServedRecord, read_record_artifact
from components.served_model.waiting import find_waiting, list_waiting
from pipeline.core.contracts import EXPORTS_DIRECTORY, TIMES_FILE, ArtifactFile, Property
from pipeline.core.errors import ConfigError
from pipeline.runners.versions.promote import promote
from pipeline.runners.versions.rollback import roll_back
from pipeline.runners.workspace.places import Workspace

# A forked child already has the modules of this process; importing them takes seconds.
_PROCESSES = multiprocessing.get_context("fork")

KINDS: dict[str, type[Artifact]] = {
    "examples": standard_artifacts.Examples,
    "statistics": standard_artifacts.ExampleStatistics,
    "schema": standard_artifacts.Schema,
    "model": standard_artifacts.Model,
    "evaluation": standard_artifacts.ModelEvaluation,
    "blessing": standard_artifacts.ModelBlessing,
    "reference": ServedModelRecord,
    "baseline": ServedModelRecord,
}


class Run:
    """The artifacts of one run before its Pusher; the content of its model is `name`."""

    def __init__(self, directory: Path, name: str, run_key: str = "") -> None:
        self.directory, self.name, self.run_key = directory / name, name, run_key or name
        self.serving = str(directory / "serving")
        self.mode, self.withdrawal, self.exports_key = "automatic", "", ""
        for kind in KINDS:
            (self.directory / kind).mkdir(parents=True)
        model = "model/Format-Serving"
        for file in (f"{model}/saved_model.pb", f"{model}/{TIMES_FILE}", "schema/schema.pbtxt"):
            (self.directory / file).parent.mkdir(exist_ok=True)
            (self.directory / file).write_text(name)
        self.begin()

    def begin(self) -> Run:
        """Writes the record of the model that the candidate is compared with, as Baseline does."""
        record = self.compared_with()
        self.withdrawal = resolve_withdrawal(
            self.serving, make_push_key(self.key, self.exports_key)
        )
        for role in ("reference", "baseline"):
            text = record.to_json() if record else "{}"
            (self.directory / role / ArtifactFile.SERVED_RECORD).write_text(text)
        return self

    @property
    def key(self) -> str:
        return add_fingerprint(self.run_key, "rows")

    def compared_with(self) -> ServedRecord | None:
        return find_record(self.serving, "baseline", self.key)

    def push(
        self, blessed: bool = True, passed: bool | None = None, exports: str | None = None
    ) -> Artifact:
        """Pushes; `passed` is the verdict of ServingCheck, None without that component."""
        inputs = {key: [self._artifact(key, kind)] for key, kind in KINDS.items()}
        inputs["examples"][0].set_string_custom_property(Property.INPUT_FINGERPRINT, "rows")
        inputs["examples"][0].set_string_custom_property(Property.SPLIT, f"split of {self.name}")
        inputs["blessing"][0].set_int_custom_property(Property.BLESSED, int(blessed))
        if passed is not None:
            inputs["infra_blessing"] = [standard_artifacts.InfraBlessing()]
            inputs["infra_blessing"][0].set_int_custom_property(Property.BLESSED, int(passed))
        if exports is not None:
            inputs["exports"] = [self._write_exports(exports)]
        pushed = self._artifact("pushed_model", standard_artifacts.PushedModel)
        Path(pushed.uri).mkdir(exist_ok=True)
        properties: dict[str, Any] = {
            "serving_directory": self.serving,
            "keep_versions": 1,
            "label": "{}",
            "data_key": "data",
            "run_key": self.run_key,
            "mode": self.mode,
            "pipeline": "shop",
            "exports_key": self.exports_key,
            "withdrawal": self.withdrawal,
        }
        Executor().Do(inputs, {"pushed_model": [pushed]}, properties)
        return pushed

    def _write_exports(self, content: str) -> Artifact:
        """Writes exports of which one passed; none passed if `content` is empty."""
        artifact = self._artifact("exports", ModelExports)
        pushed = Path(artifact.uri, PUSHED)
        (pushed / "transform").mkdir(parents=True, exist_ok=True)
        (pushed / "onnx.onnx").write_text(content)
        if content:
            (pushed / ArtifactFile.EXPORT_MANIFEST).write_text(content)
        return artifact

    def _artifact(self, key: str, kind: type[Artifact]) -> Artifact:
        artifact = kind()
        artifact.uri = str(self.directory / key)
        return artifact

    def start_push(self) -> BaseProcess:
        """Pushes in a new process, which writes its refusal, if any, to the file `refused`."""
        process = _PROCESSES.Process(
            target=_push_and_note_refusal, args=(self.push, self.directory)
        )
        process.start()
        return process

    def refusal(self) -> str:
        path = self.directory / "refused"
        return path.read_text() if path.exists() else ""


def _push_and_note_refusal(push: Callable[[], Artifact], directory: Path) -> None:
    try:
        push()
    except ConfigError as error:
        (directory / "refused").write_text(f"{error.message}; {error.hint}")


def served(run: Run) -> str:
    """Returns the content of the served model."""
    record = read_pointer(run.serving)
    return (Path(record.served_model) / "saved_model.pb").read_text() if record else ""


def assert_is_consistent(run: Run) -> None:
    """Checks that the pointer names a version with its reference, and that no leftovers exist."""
    record = read_pointer(run.serving)
    assert record is not None
    assert Path(record.served_schema, "schema.pbtxt").read_text() == served(run)
    references = Path(run.serving, ".reference")
    assert sorted(p.name for p in references.iterdir()) == list_versions(run.serving)
    others = {p.name for p in Path(run.serving).iterdir() if not p.name.isdigit()}
    assert others == {ArtifactFile.SERVED_RECORD, ".reference", ".push.lock", "models.config"}


def test_of_runs_compared_with_the_same_baseline_only_one_pushes(tmp_path: Path) -> None:
    first = Run(tmp_path, "first")
    first.push()
    runs = [Run(tmp_path, f"model-{i}") for i in range(6)]
    for process in [run.start_push() for run in runs]:
        process.join()
        assert process.exitcode == 0
    [winner] = [run for run in runs if not run.refusal()]
    assert served(first) == winner.name
    record = read_pointer(first.serving)
    assert record is not None
    for run in runs:
        if run is not winner:
            assert f"another run pushed {record.version} meanwhile" in run.refusal()
            assert "; run again: the model is compared with what is served now" in run.refusal()
    assert len(list_versions(first.serving)) == 2
    assert_is_consistent(first)


def test_a_pusher_waits_for_the_lock_of_the_directory(tmp_path: Path) -> None:
    run = Run(tmp_path, "only")
    with lock_serving(run.serving):
        process = run.start_push()
        process.join(1)
        assert process.is_alive()
        assert [p.name for p in Path(run.serving).iterdir()] == [".push.lock"]
    process.join()
    assert served(run) == "only"


def test_a_killed_pusher_releases_the_lock_and_the_next_removes_its_leftovers(
    tmp_path: Path,
) -> None:
    stuck, run = Run(tmp_path, "stuck"), Run(tmp_path, "run")
    # Copying a named pipe blocks, because nothing writes to it.
    model = stuck.directory / "model/Format-Serving/saved_model.pb"
    model.unlink()
    os.mkfifo(model)
    killed = stuck.start_push()
    while not list(Path(stuck.serving).glob(".staged-*")):
        assert killed.is_alive()
        time.sleep(0.01)
    waiting = run.start_push()
    waiting.join(0.5)
    assert waiting.is_alive()
    assert list(Path(stuck.serving).glob(".reference/*/schema")), "removed while it was copied"
    assert killed.pid is not None
    os.kill(killed.pid, signal.SIGKILL)
    waiting.join()
    killed.join()
    assert served(run) == "run"
    assert_is_consistent(run)


def test_a_repeated_training_never_replaces_the_served_model(tmp_path: Path) -> None:
    """By its key, it was compared with what the served model was compared with: here nothing."""
    one = Run(tmp_path, "one", run_key="same")
    one.push()
    [version] = list_versions(one.serving)
    other = Run(tmp_path, "other", run_key="same")
    pushed = other.push()
    assert (served(one), list_versions(one.serving)) == ("one", [version])
    assert pushed.get_int_custom_property(Property.PUSHED) == 0
    assert pushed.get_string_custom_property(Property.PUSHED_VERSION) == version
    note = pushed.get_string_custom_property(Property.NOTE)
    assert f"version {version} stays served: this run repeated" in note
    record = read_pointer(one.serving)
    assert record is not None
    assert record.model == str(one.directory / "model"), "the record describes what is served"
    assert_is_consistent(one)


def test_of_two_equal_runs_at_once_only_the_first_pushes(tmp_path: Path) -> None:
    Run(tmp_path, "first").push()
    one, other = (Run(tmp_path, name, run_key="same") for name in ("one", "other"))
    for mode in ("automatic", "manual"):
        for run in (one, other):
            run.mode = mode
            run.push()
    assert served(one) == "one"
    assert list_waiting(one.serving) == []
    assert_is_consistent(one)


def test_a_repeated_training_does_not_bring_other_exports(tmp_path: Path) -> None:
    Run(tmp_path, "one", run_key="same").push()
    other = Run(tmp_path, "other", run_key="same")
    other.exports_key = "onnx"
    for mode in ("automatic", "manual"):
        other.mode = mode
        with pytest.raises(ConfigError, match="repeated its training") as error:
            other.begin().push(exports="onnx")
        assert "training.seed" in error.value.hint
    assert (served(other), list_waiting(other.serving)) == ("one", [])


def test_the_served_model_is_not_copied_again_when_it_was_rebuilt(tmp_path: Path) -> None:
    """`gc` may have removed its artifact: an equal training can give equal files elsewhere."""
    one = Run(tmp_path, "one", run_key="same")
    one.push()
    other = Run(tmp_path, "other", run_key="same")
    for path in (one.directory / "model").rglob("*"):
        if path.is_file():
            (other.directory / path.relative_to(one.directory)).write_bytes(path.read_bytes())
    pushed = other.push()
    assert len(list_versions(one.serving)) == 1
    assert pushed.get_string_custom_property(Property.NOTE) == ""
    record = read_pointer(one.serving)
    assert record is not None
    assert record.model == str(other.directory / "model")


def test_an_equal_model_with_another_numbering_of_its_graph_is_the_served_model(
    tmp_path: Path,
) -> None:
    runs = [Run(tmp_path, name, run_key="same") for name in ("one", "eno")]
    for run in runs:
        for name in ("weights", TIMES_FILE):
            (run.directory / "model/Format-Serving" / name).write_text("equal")
        pushed = run.push()
        assert pushed.get_string_custom_property(Property.NOTE) == ""
    assert len(list_versions(runs[0].serving)) == 1


def test_the_record_of_a_push_tells_split_reference_and_baseline(tmp_path: Path) -> None:
    first, second = Run(tmp_path, "first"), Run(tmp_path, "second")
    first.push()
    pushed = second.begin().push()
    record = read_pointer(second.serving)
    assert record is not None
    assert record.split == "split of second"
    assert datetime.fromisoformat(read_changes(second.serving).entries[-1].at).tzinfo
    assert 'name: "shop"' in Path(second.serving, "models.config").read_text()
    for compared in (record.reference, record.baseline):
        assert compared is not None
        assert compared.run_key == first.key
    published = read_record_artifact(pushed.uri)
    assert published is not None
    assert published.version == record.version


def test_another_model_at_the_path_of_the_served_one_is_pushed(tmp_path: Path) -> None:
    """A new metadata file counts executions, and so paths, from one again."""
    run = Run(tmp_path, "one")
    run.push()
    (run.directory / "model/Format-Serving/saved_model.pb").write_text("two")
    run.run_key = "two"
    run.begin().push()
    assert served(run) == "two"


def test_push_is_refused_when_the_pointer_was_rolled_back_or_removed_meanwhile(
    tmp_path: Path,
) -> None:
    first, second = Run(tmp_path, "first"), Run(tmp_path, "second")
    first.push()
    pointer = Path(first.serving, ArtifactFile.SERVED_RECORD)
    before = pointer.read_text()
    second.begin().push()
    third = Run(tmp_path, "third")
    pointer.write_text(before)
    version = json.loads(before)["version"]
    with pytest.raises(ConfigError, match=rf"another run pushed {version}"):
        third.push()
    assert served(first) == "first"
    pointer.unlink()
    for run in (third, third.begin()):
        with pytest.raises(ConfigError, match=r"served\.json is gone"):
            run.push()
    promote(Workspace(tmp_path, Path(first.serving)), version)
    third.begin().push()
    assert served(first) == "third"


def test_a_push_is_refused_where_the_served_version_is_lost_unless_it_makes_it_anew(
    tmp_path: Path,
) -> None:
    first = Run(tmp_path, "first")
    first.push()
    other = Run(tmp_path, "other")
    record = read_pointer(first.serving)
    assert record is not None
    Path(record.served_model, "saved_model.pb").unlink()
    for run in (other, other.begin()):
        with pytest.raises(ConfigError, match=f"version {record.version} is served, but"):
            run.push()
    first.begin().push()
    assert served(first) == "first"
    other.begin().push()
    assert served(first) == "other"


def test_versions_that_earlier_runs_still_read_are_kept(tmp_path: Path) -> None:
    """`keep_versions` is 1 here, so all other older versions are removed."""
    oldest, second, third = (Run(tmp_path, name) for name in ("oldest", "second", "third"))
    oldest.push()
    second.begin().push()
    second_again = second.compared_with()
    assert second_again is not None
    third.begin().push()
    assert Path(second_again.served_model).exists()
    third.begin().push()
    assert not Path(second_again.served_model).exists()


@pytest.mark.parametrize(("passed", "versions"), [(True, 1), (False, 0)])
def test_a_model_that_failed_the_serving_check_is_not_pushed(
    tmp_path: Path, passed: bool, versions: int
) -> None:
    run = Run(tmp_path, "only")
    pushed = run.push(passed=passed)
    assert pushed.get_int_custom_property(Property.PUSHED) == int(passed)
    assert len(list_versions(run.serving)) == versions


def test_a_blessed_model_waits_where_a_person_promotes(tmp_path: Path) -> None:
    run = Run(tmp_path, "first")
    run.mode = "manual"
    pushed = run.push()
    assert list_versions(run.serving) == []
    [candidate] = list_waiting(run.serving)
    number = pushed.get_string_custom_property(Property.PUSHED_VERSION)
    assert (candidate.number, candidate.record.run_key) == (number, run.key)
    assert (candidate.pipeline, candidate.keep_versions, candidate.run) == ("shop", 1, "")
    assert datetime.fromisoformat(candidate.since).tzinfo == timezone.utc
    assert pushed.get_int_custom_property(Property.PUSHED) == 0
    assert Path(candidate.place("model"), "saved_model.pb").read_text() == "first"
    assert find_waiting(str(Path(run.serving, number))) == candidate.directory
    # A run with other thresholds evaluates the same model again.
    run.push()
    assert len(list_waiting(run.serving)) == 1
    # Once the model is served, nothing waits.
    run.mode = "automatic"
    run.push()
    assert (served(run), list_waiting(run.serving)) == ("first", [])
    run.mode = "manual"
    run.begin().push()
    assert list_waiting(run.serving) == []


def test_a_withdrawn_model_is_not_pushed_until_it_is_promoted(tmp_path: Path) -> None:
    first, second = Run(tmp_path, "first"), Run(tmp_path, "second")
    first.push()
    second.begin().push()
    workspace = Workspace(tmp_path, Path(second.serving))
    version = roll_back(workspace, None, "wrong labels").before
    refused = second.begin().push()
    assert refused.get_int_custom_property(Property.PUSHED) == 0
    assert refused.get_string_custom_property(Property.WITHDRAWN_VERSION) == version
    assert "wrong labels" in refused.get_string_custom_property(Property.WITHDRAWN)
    assert served(second) == "first"
    promote(workspace, version)
    assert second.begin().push().get_int_custom_property(Property.PUSHED) == 1
    assert served(second) == "second"


def test_a_push_is_refused_if_a_rollback_withdrew_the_model_meanwhile(tmp_path: Path) -> None:
    """Otherwise the cache would keep `withdrawn` for a run that began when it was not."""
    first, second = Run(tmp_path, "first"), Run(tmp_path, "second")
    first.push()
    second.begin().push()
    roll_back(Workspace(tmp_path, Path(second.serving)), None)
    # Compared with "first" all along: only the withdrawal has changed.
    with pytest.raises(ConfigError, match="or rolled back to it"):
        second.push()


def test_each_push_is_on_record_with_its_key_and_the_version_before(tmp_path: Path) -> None:
    first, second = Run(tmp_path, "first"), Run(tmp_path, "second")
    first.push()
    second.begin().push()
    one, other = read_changes(first.serving).entries
    assert [(c.action, c.run_key, c.run) for c in (one, other)] == [
        ("push", first.key, ""),
        ("push", second.key, ""),
    ]
    assert (one.before, other.before) == ("", one.version)
    record = read_pointer(first.serving)
    assert record is not None
    assert (record.version, record.model) == (other.version, str(second.directory / "model"))
    assert record.evaluation == str(second.directory / "evaluation")
    assert (record.data_key, record.label) == (add_fingerprint("data", "rows"), "{}")


def test_a_model_that_is_not_blessed_is_not_pushed(tmp_path: Path) -> None:
    run = Run(tmp_path, "only")
    pushed = run.push(blessed=False)
    assert pushed.get_int_custom_property(Property.PUSHED) == 0
    assert not Path(run.serving).exists()
    pushed = run.push()
    [version] = list_versions(run.serving)
    assert pushed.get_int_custom_property(Property.PUSHED) == 1
    assert pushed.get_string_custom_property(Property.PUSHED_VERSION) == version
    destination = pushed.get_string_custom_property(Property.PUSHED_DESTINATION)
    assert destination == str(Path(run.serving, version))


def test_exports_that_passed_are_pushed_with_the_model_and_sealed(tmp_path: Path) -> None:
    run = Run(tmp_path, "only")
    run.push(exports="onnx")
    record = read_pointer(run.serving)
    assert record is not None
    exports = Path(record.served_model, EXPORTS_DIRECTORY)
    assert sorted(path.name for path in exports.iterdir()) == [
        "manifest.json",
        "onnx.onnx",
        "transform",
    ]
    assert {f"{EXPORTS_DIRECTORY}/onnx.onnx", TIMES_FILE} <= set(record.files)
    assert_is_consistent(run)


def test_a_model_without_a_passed_export_is_pushed_alone(tmp_path: Path) -> None:
    run = Run(tmp_path, "only")
    run.push(exports="")
    [version] = list_versions(run.serving)
    assert not Path(run.serving, version, EXPORTS_DIRECTORY).exists()


def test_other_exports_of_the_served_model_make_a_new_version(tmp_path: Path) -> None:
    run = Run(tmp_path, "only")
    run.push()
    [first] = list_versions(run.serving)
    run.exports_key = "onnx"
    run.begin().push(exports="onnx")
    second = list_versions(run.serving)[-1]
    assert second != first
    assert Path(run.serving, second, EXPORTS_DIRECTORY, "onnx.onnx").exists()
    run.begin().push(exports="onnx")
    assert list_versions(run.serving)[-1] == second, "nothing changed"


def test_other_exports_of_the_served_model_wait_for_a_person_and_are_withdrawn_alone(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path, "only")
    run.push()
    run.mode, run.exports_key = "manual", "onnx"
    run.begin().push(exports="onnx")
    [candidate] = list_waiting(run.serving)
    assert Path(candidate.place("model"), EXPORTS_DIRECTORY, "onnx.onnx").exists()
    workspace = Workspace(tmp_path, Path(run.serving))
    promoted = promote(workspace, None).version
    assert Path(run.serving, promoted, EXPORTS_DIRECTORY, "onnx.onnx").exists()
    assert list_waiting(run.serving) == []
    roll_back(workspace, None)
    refused = run.begin().push(exports="onnx")
    assert refused.get_string_custom_property(Property.WITHDRAWN_VERSION) == promoted
    run.exports_key = ""
    assert run.begin().push().get_int_custom_property(Property.PUSHED) == 1
