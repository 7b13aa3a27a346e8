"""The page of a run is written beside its logs; the newest run's page is copied."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from recorded_runs import Recorded, unpack

from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.report import page as page_module
from pipeline.report.chart_script import chart_script
from pipeline.report.files import read_report
from pipeline.runners.reporting.choose import choose_run
from pipeline.runners.reporting.gather import gather_report
from pipeline.runners.reporting.write import (
    page_prepared_meanwhile,
    try_to_write_page,
    write_page,
)
from pipeline.runners.workspace.deletion import remove_logs


@pytest.fixture
def own(tmp_path: Path) -> Recorded:
    """Recorded runs that a test may change."""
    return unpack(tmp_path)


def test_only_the_newest_run_has_a_copy_of_its_page(own: Recorded) -> None:
    copy = own.workspace.report
    copy.unlink(missing_ok=True)
    older = write_page(own.workspace, own.names["stopped"])
    assert not copy.exists()
    newest = write_page(own.workspace, own.names["pushed again"])
    # The links to the pages of other runs start at another directory.
    written = copy.read_text().replace('href="logs/', 'href="../')
    assert written == newest.read_text() != older.read_text()
    links = re.findall(r'href="(logs/[^"]+)"', copy.read_text())
    assert links == [f"logs/{newest.parent.name}/report.html"] * len(links)
    assert newest.parent.name == own.names["pushed again"]


def test_the_page_of_a_run_at_work_says_of_nothing_that_it_ended(own: Recorded) -> None:
    directory = own.workspace.logs / own.names["pushed again"]
    (directory / RunFile.SUMMARY).unlink()
    events = directory / RunFile.EVENTS
    before, *_ = events.read_text().partition('{"event": "batches"')
    events.write_text(before)
    shutil.rmtree(own.workspace.artifacts)
    with own.workspace.lock():
        page = write_page(own.workspace, directory.name).read_text()
    assert "when this page was written: 10 of 15 components done." in page
    assert "Trainer was running." in page
    for word in ("ended before", "did not end", "had all results", "stopped the run"):
        assert word not in page, word


@pytest.mark.parametrize("kind", ["pushed", "died"])
def test_the_content_beside_a_page_is_the_report(own: Recorded, kind: str) -> None:
    name = own.names[kind]
    page = write_page(own.workspace, name)
    content = read_report(page.with_name(RunFile.REPORT_CONTENT))
    assert content == replace(gather_report(own.workspace, name), written=content.written)


def test_a_page_that_cannot_be_written_costs_one_line(
    own: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    name = own.names["pushed"]
    assert try_to_write_page(own.workspace, name)
    assert capsys.readouterr().err == ""
    own.workspace.metadata.write_bytes(b"no database" * 1000)
    assert not try_to_write_page(own.workspace, name)
    [line] = capsys.readouterr().err.splitlines()
    assert "no page of this run" in line
    assert "not a database" in line
    assert f"-m pipeline report {name} --output" in line


def test_the_preparation_leaves_out_what_stops_the_live_table() -> None:
    """The script of the charts takes a second in native code, in which no other thread runs."""
    chart_script.cache_clear()
    with page_prepared_meanwhile():
        pass
    assert chart_script.cache_info().currsize == 0
    assert page_module._environment().cache, "the template is loaded"


def test_a_failed_preparation_is_told_where_the_page_is_written(
    own: Recorded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError("the template cannot be read")

    monkeypatch.setattr(page_module, "_environment", fail)
    with page_prepared_meanwhile():
        pass
    assert capsys.readouterr().err == ""
    assert not try_to_write_page(own.workspace, own.names["pushed"])
    assert "the template cannot be read" in capsys.readouterr().err


def test_a_run_that_gc_removed_meanwhile_has_no_page(own: Recorded) -> None:
    name = choose_run(own.workspace, own.names["pushed again"])
    remove_logs(own.workspace.logs / name)
    with pytest.raises(ConfigError, match=f"run {name} was removed meanwhile"):
        write_page(own.workspace, name)
