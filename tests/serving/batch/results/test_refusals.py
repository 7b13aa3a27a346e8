"""Errors of workers come back in the order of the work."""

from pathlib import Path

from pipeline.core.errors import DataError, PipelineError
from serving.batch.results.records import RECORDS_DIRECTORY
from serving.batch.results.refusals import Refusals


def test_the_error_of_the_first_work_is_taken_whichever_worker_was_faster(tmp_path: Path) -> None:
    (tmp_path / RECORDS_DIRECTORY).mkdir()
    refusals = Refusals(str(tmp_path))
    assert (refusals.find_first(), refusals.take_first()) == (None, None)
    refusals.write(1000, PipelineError("late"))
    refusals.write(7, DataError("größe", "mend it"))
    refusals.write(7, DataError("größe", "mend it"))
    assert refusals.find_first() == 7
    first = refusals.take_first()
    assert isinstance(first, DataError)
    assert (first.message, first.hint) == ("größe", "mend it")
    assert refusals.take_first() is None
