"""Accidents that happen to a run while it is in one component, and what must hold afterwards."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ml_metadata.proto import metadata_store_pb2 as mlmd
from support import Project, Result, digest_tree, shop_table, slow_environment, write_csv

from components.served_model.same_model import is_same_saved_model
from pipeline.core.events import ComponentChanged, Event, EventReader, TrainingProgress

COMPONENTS = (
    "ExampleGen Reference StatisticsGen SchemaGen SchemaCurator ExampleValidator AnomalyReport "
    "DataFigures AnomalyGate Transform Trainer Baseline Evaluator ModelFigures Pusher"
).split()

LARGE = ("ExampleGen", "Transform", "Trainer", "Evaluator", "Pusher")
"""Those that leave more than one small file, and so more that can be half done."""

EPOCHS = 8
CONFIG = f"""\
name: shop
data:
  path: shop.csv
  split: {{train: 0.6, eval: 0.2, test: 0.2}}
features:
  price: numeric
  color: categorical
label: {{column: bought, task: binary, classes: [0, 1]}}
training: {{epochs: {EPOCHS}, early_stopping_patience: 0, global_batch_size: 16}}
serving: {{check: {{enabled: false}}}}
evaluation:
  thresholds:
    - {{metric: auc, at_least: 0.7}}
"""

_CLONE_NEWNS = 0x00020000


@dataclass
class Running:
    """A run that is stopped in the middle of a component."""

    parent: "subprocess.Popen[str]"
    worker: int
    release: Callable[[], None]


Accident = Callable[[Running], None]


def ctrl_c(run: Running) -> None:
    """Sends SIGINT to every process of the foreground group, as a terminal does on Ctrl-C."""
    os.killpg(run.parent.pid, signal.SIGINT)


def terminate(run: Running) -> None:
    run.parent.terminate()


def kill_run(run: Running) -> None:
    run.parent.kill()


def kill_worker(run: Running) -> None:
    os.kill(run.worker, signal.SIGKILL)


@dataclass
class Chain:
    """One output directory with a chain of accidents, each in a later component than the last."""

    project: Project
    done: set[str] = field(default_factory=set)
    digests: dict[int, dict[str, str]] = field(default_factory=dict)
    accidents: Counter[str] = field(default_factory=Counter)
    """How often each accident happened, by the name of its function."""

    @property
    def output(self) -> Path:
        return self.project.directory / self.project.output

    @property
    def temporary(self) -> Path:
        return self.project.directory / "tmp"

    def strike(self, component: str, moment: str, accident: Accident, *arguments: str) -> Result:
        """Runs until a moment of a component, and causes the accident there."""
        self.accidents[accident.__name__] += 1
        place = self.project.directory / "slow"
        slow = slow_environment(self.project, component, moment, place)
        command = ("run", "--config", "my.yaml", "--output", self.project.output)
        with subprocess.Popen(
            [sys.executable, "-m", "pipeline", *command, *arguments],
            cwd=self.project.directory,
            env={**os.environ, **slow, "COLUMNS": "200", "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A job in the background is started with Ctrl-C ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as parent:
            try:
                while not place.exists() and parent.poll() is None:
                    time.sleep(0.02)
                if not place.exists():
                    raise AssertionError(f"never came to {component}: {parent.communicate()[0]}")
                accident(Running(parent, int(place.read_text()), place.unlink))
                output, _ = parent.communicate(timeout=180)
            finally:
                parent.kill()
        self.wait_for_the_end()
        place.unlink(missing_ok=True)
        return Result(parent.returncode, output)

    def wait_for_the_end(self) -> None:
        """Asserts that no process of the run and no temporary file is left."""
        for _ in range(600):
            if not self.working_processes():
                break
            time.sleep(0.1)
        assert not self.working_processes()
        assert not list(self.temporary.iterdir())

    def check(self, component: str) -> None:
        """Asserts what must hold after any accident in `component`."""
        states = self.states()
        before = COMPONENTS[: COMPONENTS.index(component)]
        assert {name: states[name] for name in before} == {
            name: "cached" if name in self.done else "complete" for name in before
        }
        assert list(states) == [*before, component]
        self.done |= set(before)
        self.check_artifacts()
        self.check_serving()

    def check_artifacts(self) -> None:
        """Asserts that no file of a published artifact has changed."""
        artifacts = self.project.store().get_artifacts()
        for artifact in artifacts:
            assert artifact.state == mlmd.Artifact.LIVE
            found = digest_tree(Path(artifact.uri))
            assert self.digests.setdefault(artifact.id, found) == found

    def check_serving(self) -> None:
        """Asserts that the pointer, if there is one, names a complete version."""
        pointer = self.project.serving / "served.json"
        if pointer.exists():
            served = json.loads(pointer.read_text())
            model, pushed = Path(served["model"]), self.project.serving / served["version"]
            # A repeated training gives equal weights, and other numbers of the graph's functions.
            saved = str(model / "Format-Serving")
            assert is_same_saved_model(saved, str(pushed), same_key=True)

    def check_order(self) -> None:
        """Asserts that no execution is running, and that every file belongs to an artifact.

        No live artifact is the output of a failed execution, either.
        """
        assert self.project.unfinished() == []
        store = self.project.store()
        failed = {e.id for e in store.get_executions() if e.last_known_state == e.FAILED}
        live = [a.id for a in store.get_artifacts() if a.state == a.LIVE]
        made = [e for e in store.get_events_by_artifact_ids(live) if e.type == e.OUTPUT]
        wrong = [e.artifact_id for e in made if e.execution_id in failed]
        assert not wrong, f"artifacts {wrong} are outputs of failed executions"
        owned = {Path(a.uri).relative_to(self.output) for a in store.get_artifacts()}
        for path in (p.relative_to(self.output) for p in self.output.rglob("*") if p.is_file()):
            known = path.parts[0] in ("logs", "backups", "locks", "serving", "metadata.db")
            known |= path.name in (".lock", ".artifacts", "report.html")
            assert known or owned & set(path.parents), path
            assert not path.name.endswith(".part"), path
        leftovers = {p.name for p in self.project.serving.iterdir() if not p.name.isdigit()}
        own = {".lock", ".push.lock", ".push_history.json", ".reference", "models.config"}
        own |= {"served.json"}
        assert leftovers <= own, leftovers - own

    def states(self) -> dict[str, str]:
        """Returns the states of the last run's components."""
        changes = [e for e in self._events()[-1] if isinstance(e, ComponentChanged)]
        return {event.name: event.state for event in changes}

    def first_epochs(self) -> list[int]:
        """Returns the first epoch of each run that trained."""
        runs = self._events()
        epochs = ([e.epoch for e in run if isinstance(e, TrainingProgress)] for run in runs)
        return [of_run[0] for of_run in epochs if of_run]

    def _events(self) -> list[list[Event]]:
        paths = sorted(self.output.glob("logs/*/events.jsonl"))
        return [[envelope.event for envelope in EventReader(path).read()] for path in paths]

    def working_processes(self) -> list[str]:
        """Returns the processes whose log is an open file of the output directory."""
        found = []
        for link in Path("/proc").glob("[0-9]*/fd/1"):
            with contextlib.suppress(OSError):  # It has ended meanwhile.
                if os.readlink(link).startswith(f"{self.output}/"):
                    found.append(str(link))
        return found


def start_chain(directory: Path) -> Chain:
    """Returns a chain without accidents so far."""
    write_csv(directory / "shop.csv", shop_table())
    (directory / "my.yaml").write_text(CONFIG)
    chain = Chain(Project(directory))
    chain.temporary.mkdir()
    return chain


def check_end(chain: Chain, resumed: list[int]) -> None:
    """The last run is good, and its model the one of a run that nothing happened to.

    `resumed` are the epochs that the runs of the Trainer began with.
    """
    result = chain.project.run()
    assert result.code == 0, result.output
    chain.check_serving()
    chain.check_order()
    assert list((chain.output / "backups").iterdir()) == []
    assert chain.first_epochs() == resumed

    calm = Chain(Project(chain.project.directory, output="calm"))
    undisturbed = calm.project.run()
    assert undisturbed.code == 0, undisturbed.output
    metrics = result.summary["metrics"][""]
    assert metrics == pytest.approx(undisturbed.summary["metrics"][""], abs=1e-4)
    assert len(history(chain)) == EPOCHS
    for epoch, expected in zip(history(chain), history(calm)):
        assert epoch == pytest.approx(expected, abs=1e-4)


def history(chain: Chain) -> list[dict[str, float]]:
    """Returns the results of each epoch of the published training, without their seconds."""
    (path,) = chain.output.glob("artifacts/*/Trainer/model_run/*/history.json")
    epochs = json.loads(path.read_text())["epochs"]
    return [{k: v for k, v in epoch.items() if k != "seconds"} for epoch in epochs]


@contextlib.contextmanager
def small_disk(directory: Path, megabytes: int) -> Iterator[None]:
    """Mounts a file system at `directory`, which only this process and its children see."""
    _own_mounts()
    directory.mkdir(exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(directory))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextlib.contextmanager
def read_only(directory: Path) -> Iterator[None]:
    """Makes a directory read-only; for root, which ignores file modes, by a mount."""
    if os.geteuid() != 0:
        mode = directory.stat().st_mode
        directory.chmod(0o555)
        yield
        directory.chmod(mode)
        return
    _own_mounts()
    _mount("--bind", str(directory), str(directory))
    _mount("-o", "remount,bind,ro", str(directory))
    yield
    subprocess.run(["umount", "--lazy", str(directory)], check=True)


def _own_mounts() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    if ctypes.CDLL(None).unshare(_CLONE_NEWNS) != 0:
        pytest.skip("no mount namespace of its own is given to this process")
    _mount("--make-rprivate", "/")


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def fill(directory: Path) -> Accident:
    """Fills the disk to its last byte while the run is stopped, then continues the run."""

    def accident(run: Running) -> None:
        fill_disk(directory)
        run.release()

    return accident


def fill_disk(directory: Path) -> None:
    """Writes a file `ballast` that leaves the disk of `directory` no free byte."""
    with (directory / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
