"""A table that is an attack, in front of a real terminal: what is in it stays text everywhere.

The same runs show the live table at work, and that secrets of the environment are not recorded.
"""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support import Project
from terminals import Session, in_terminal

from pipeline.config import load_config

pytestmark = pytest.mark.slow

LABEL = "the\x1b]0;title\x07label"
NEGATIVE, POSITIVE = "<b>no</b>", "\x1b[31myes"
NAMES = [
    "../../outside", "/etc/cron.d/job", "..", "x" * 300, "=cmd|'/C calc'!A0",
    "a\x1b[2J\x9b31m\u202e[red]<script>alert(1)</script>\nb",
]  # fmt: skip
VALUES = [
    "\x1b[2J\x1b[Hgone", "\x1b]0;title\x07", '=HYPERLINK("http://x")', "-1+1|cmd", "@SUM(1+1)",
    "<img src=x onerror=alert(1)>", "../../../etc/passwd", "\u202egnp.exe", "[bold]x[/bold]",
    "$(touch pwned)", "`touch pwned`", "!!python/object/apply:os.system ['touch pwned']", "*alias",
    "\r\nPushed: forged", "# comment", "{{7*7}}", "%s%n",
]  # fmt: skip
CANARY = "canary-4711"
SECRETS = {
    "AWS_SECRET_ACCESS_KEY": CANARY, "HF_TOKEN": CANARY, "PGPASSWORD": CANARY,
    "GOOGLE_APPLICATION_CREDENTIALS": f"/nowhere/{CANARY}.json", "WANDB_API_KEY": CANARY,
}  # fmt: skip
COMPONENTS = [
    "ExampleGen", "Reference", "StatisticsGen", "SchemaGen", "SchemaCurator", "ExampleValidator",
    "AnomalyReport", "DataFigures", "AnomalyGate", "Transform", "Trainer", "Baseline", "Evaluator",
    "ModelFigures", "ServingCheck", "Pusher",
]  # fmt: skip


def write_table(path: Path, values: list[str], unknown_labels: int = 0) -> None:
    random = np.random.default_rng(0)
    price = random.gamma(2, 10, 400).round(2)
    cells = [[values[i] for i in random.integers(0, len(values), 400)] for _ in NAMES]
    labels = [POSITIVE if p > 18 else NEGATIVE for p in price + random.normal(0, 4, 400)]
    labels[:unknown_labels] = ["\x1b[2Jmaybe"] * unknown_labels
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, "price", LABEL])
        writer.writerows(zip(*cells, price, labels))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A directory below one of its own, so that a way out of it would be seen."""
    directory = tmp_path_factory.mktemp("outer") / "one" / "two"
    directory.mkdir(parents=True)
    write_table(directory / "table.csv", VALUES)
    return Project(directory)


@pytest.fixture(scope="module")
def first(project: Project) -> Session:
    """`init`, then `run` in a terminal, with secrets in the environment."""
    proposed = in_terminal(
        project, "init", "--data", "table.csv", "--label", LABEL, "--output", "my.yaml", columns=80
    )
    assert proposed.code == 0, proposed.raw
    assert_inert(proposed)
    return run(project, columns=80, **SECRETS)


def run(project: Project, *arguments: str, columns: int, **environment: str) -> Session:
    few = ("--set", "training.epochs=3", "--set", "training.early_stopping_patience=3")
    command = ("run", "--config", "my.yaml", "--output", "out", *few, *arguments)
    return in_terminal(project, *command, columns=columns, **environment)


def assert_inert(session: Session) -> None:
    """Of escape sequences there are only those of colours, of the cursor and of lines."""
    ours = r"\x1b\[(?:[0-9;]*m|\?25[lh]|[0-9]*A|2K)"
    rest = re.sub(ours, "", session.raw)
    assert [c for c in rest if not c.isprintable() and c not in "\r\n"] == []
    assert session.title == ""
    assert not session.cursor_hidden


def test_the_live_table_shows_each_component_waiting_running_and_done(first: Session) -> None:
    assert first.code == 0, "\n".join(first.lines)
    assert any(moment.startswith("loading TensorFlow ... 2 s") for moment in first.moments)
    state = re.compile(r"^(\w+) +(waiting|running|done)\b", re.MULTILINE)
    states = [dict(state.findall(moment)) for moment in first.moments]
    # What comes before StatisticsGen may end between two looks at the screen.
    for component in ("Transform", "Trainer", "Evaluator"):
        seen = [shown[component] for shown in states if component in shown]
        assert list(dict.fromkeys(seen)) == ["waiting", "running", "done"]
    # The seconds go on; on a quick machine, not every component takes as many.
    tick = re.compile(r"^(Transform|Trainer) +running +(\d+) s", re.MULTILINE)
    ticks = {shown for moment in first.moments for shown in tick.findall(moment)}
    assert max(Counter(component for component, _ in ticks).values()) > 2
    assert any(re.search(r"^Trainer +running .* epoch 3 of 3", m, re.M) for m in first.moments)


def test_the_final_screen_shows_each_component_once_and_hostile_text_inert(first: Session) -> None:
    assert_inert(first)
    rows = [line for line in first.lines if re.match(r"\w+ +(done|running|waiting)\b", line)]
    assert [re.split(" {2,}", row)[0] for row in rows] == COMPONENTS
    assert any(line.startswith("Pushed: ") for line in first.lines)
    assert not any(line.startswith("Pushed: forged") for line in first.lines)
    assert not any("WARNING" in line for line in first.lines)


def test_all_files_are_readable_and_inside_the_directory(project: Project, first: Session) -> None:
    config = load_config([project.directory / "my.yaml"])
    assert list(config.features) == [*NAMES, "price"]
    assert config.label.column == LABEL
    assert set(config.label.classes) == {NEGATIVE, POSITIVE}
    outer = project.directory.parents[1]
    names = [str(path.relative_to(outer)) for path in outer.rglob("*")]
    assert not any("pwned" in name or Path(name).name == "outside" for name in names)
    assert {n.split("/")[2] for n in names if n.count("/") > 1} == {"my.yaml", "out", "table.csv"}
    assert {n for n in names if not re.fullmatch(r"[\w./-]+", n)} == set()


def test_files_for_people_hold_no_active_content(project: Project, first: Session) -> None:
    out = project.directory / "out"
    [log] = out.glob("logs/*/run.log")
    texts = [log, *out.glob("logs/*/*.json*"), *out.glob("logs/*/*.yaml")]
    texts += out.rglob("findings.json")
    texts += [*out.rglob("served.json"), project.directory / "my.yaml"]
    for path in texts:
        lines = path.read_text(encoding="utf-8").split("\n")
        assert [line for line in lines if not line.isprintable()] == [], path
    assert r"\x1b" in log.read_text(encoding="utf-8")


def test_no_secret_of_the_environment_is_recorded(project: Project, first: Session) -> None:
    files = [path for path in (project.directory / "out").rglob("*") if path.is_file()]
    assert any(path.name == "metadata.db" for path in files)
    assert [path for path in files if CANARY.encode() in path.read_bytes()] == []
    assert CANARY not in first.raw


@pytest.mark.long
def test_a_narrow_terminal_without_colors_shows_all_components(
    project: Project, first: Session
) -> None:
    again = run(project, columns=40, NO_COLOR="1")
    assert again.code == 0, "\n".join(again.lines)
    rows = [line for line in again.lines if re.match(r"\w+ +cached +[\d.]+ s$", line)]
    assert [row.split()[0] for row in rows] == COMPONENTS
    assert not re.search(r"\x1b\[[0-9;]*3[0-7][0-9;]*m", again.raw)
    assert_inert(again)


@pytest.mark.long
def test_the_gate_prints_plain_lines_in_ci(project: Project, first: Session) -> None:
    write_table(project.directory / "table.csv", [f"{value}\x1b[31m!" for value in VALUES])
    stopped = run(project, columns=200, CI="true")
    assert stopped.code == 3, "\n".join(stopped.lines)
    assert_inert(stopped)
    assert "\x1b[?25l" not in stopped.raw, "no live table"
    text = "\n".join(stopped.lines)
    assert re.search(r"^AnomalyGate +failed", text, re.M)
    assert r"\x1b[31m!" in text
    assert not any(line.startswith("Pushed: forged") for line in stopped.lines)


@pytest.mark.long
def test_an_unknown_label_is_shown_escaped(project: Project, first: Session) -> None:
    write_table(project.directory / "table.csv", VALUES, unknown_labels=3)
    stopped = run(project, columns=80)
    assert stopped.code == 3, "\n".join(stopped.lines)
    assert_inert(stopped)
    text = "".join(stopped.lines)
    assert r"\x1b[2Jmaybe" in text
    assert re.search(r"ExampleGen +failed", text)
    summary = max((project.directory / "out/logs").glob("*/summary.json"))
    assert LABEL in json.loads(summary.read_text())["error"]["message"]


def test_a_ragged_row_is_shown_escaped(project: Project, first: Session) -> None:
    write_table(project.directory / "ragged.csv", VALUES)
    with (project.directory / "ragged.csv").open("a", encoding="utf-8") as file:
        file.write("\x1b[2J,\x9b,too short\n")
    arguments = ("--data", "ragged.csv", "--label", LABEL, "--output", "ragged.yaml")
    refused = in_terminal(project, "init", *arguments, columns=80)
    assert refused.code == 3, refused.raw
    assert "ragged.csv:" in refused.raw
    assert_inert(refused)
