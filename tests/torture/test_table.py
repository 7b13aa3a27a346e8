import json
from pathlib import Path

from outcome import Round
from plan import Plan
from table import append_round, make_table, read_rounds, write_table

KILL = Plan(3, "one process", "empty", "signal", "Pusher", 0.5, "parent", "SIGKILL")
CLOCK = Plan(4, "one process", "empty", "clock", "Pusher", 0.5, amount=60)


def test_a_repeated_round_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    append_round(path, Round(KILL, faults=["rows: 3 rows are lost"]))
    append_round(path, Round(CLOCK, code=0))
    append_round(path, Round(KILL, code=-9))
    assert [(r["plan"]["seed"], r["code"], r["faults"]) for r in read_rounds(path)] == [
        (3, -9, []),
        (4, 0, []),
    ]


def test_a_torn_line_is_a_round_that_was_not_run(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    append_round(path, Round(CLOCK, code=0))
    with path.open("a") as file:
        file.write(json.dumps(Round(KILL).to_json())[:40])
    assert [r["plan"]["seed"] for r in read_rounds(path)] == [4]


def test_the_table_counts_rounds_hits_codes_and_faults(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    append_round(path, Round(KILL, place="rename to served.json", code=-9, next_code=0))
    other = Plan(**{**KILL.__dict__, "seed": 5})
    append_round(path, Round(other, code=0, next_code=1, faults=["the next run ends with 1"]))
    skipped = Plan(6, "one process", "empty", "full disk", "Pusher", 0.5)
    append_round(path, Round(skipped, skipped="only root may mount a small disk"))
    write_table(path, tmp_path / "rounds.md")
    text = (tmp_path / "rounds.md").read_text()
    assert "| SIGKILL to the parent | 2 | 1 | -9 (1), 0 (1) | 1 | 1 |" in text
    assert "full disk" not in text
    assert make_table([]).count("\n") == 2
