"""The commands of a page are complete and safe to paste into a shell."""

import dataclasses
from pathlib import Path

from runs_for_pages import HOME, OUTPUT, RECORD, RUN, make_run

from pipeline.runners.reporting.parts import commands


def test_a_run_is_repeated_as_it_was_typed() -> None:
    command = commands.run_again(make_run(), OUTPUT, "--set", "a=b c")
    assert command.endswith(
        "-m pipeline run --config my.yaml --set training.epochs=3 --set 'a=b c'"
    )


def test_a_search_is_repeated_as_a_search_and_followed_by_a_run() -> None:
    record = dataclasses.replace(RECORD, arguments=("tune", "--config", "my.yaml"))
    run = make_run(record=record)
    assert " -m pipeline tune --config " in commands.repeat_run(run, OUTPUT)
    assert commands.train_after_search(run, OUTPUT).endswith("-m pipeline run --config my.yaml")


def test_paths_below_the_working_directory_are_short() -> None:
    run = make_run()
    assert commands.compare_runs(run, OUTPUT, "3", "4").endswith("--compare 3 4 --output out")
    assert commands.report_again(run, OUTPUT).endswith(f"report {RUN} --output out")
    assert commands.read_log(run).endswith(f" out/logs/{RUN}/run.log")
    assert commands.inspect_model(run, Path("/srv/my models/4")).endswith(
        "--dir '/srv/my models/4'"
    )
    assert commands.inspect_model(run, HOME / "serving/4").endswith("--dir serving/4")
