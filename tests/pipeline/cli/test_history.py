"""The commands about past runs, as processes."""

from command_process import command


def test_past_runs_need_a_place() -> None:
    code, output = command("runs")
    assert code == 2
    assert "--output" in output
