"""Files of artifacts are downloaded when they are needed."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from object_store import Bucket
from outputs import ALL, become_new_machine, keys, run

from pipeline.core.errors import PipelineError
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.fetching import fetch, list_stored
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy


def test_only_the_asked_artifacts_are_downloaded(address: str, caches: Path) -> None:
    recorded = run(address, ALL)
    model, examples = (Path(recorded.uri(recorded.latest(k))) for k in ("Model", "Examples"))
    become_new_machine(caches)
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    assert {str(model), str(examples)} <= list_stored(copy.root)
    fetch(copy.root, [model, "/elsewhere"])
    assert (model / "part-0").stat().st_size == 5000
    assert not any(examples.iterdir())


def test_a_cut_file_is_downloaded_again(address: str) -> None:
    recorded = run(address, ALL)
    part = Path(recorded.uri(recorded.latest("Model"))) / "part-0"
    part.write_bytes(b"cut")
    fetch(recorded.root, [str(part.parent)])
    assert part.stat().st_size == 5000


def test_a_lost_object_is_named(address: str, bucket: Bucket) -> None:
    recorded = run(address, ALL)
    part = Path(recorded.uri(recorded.latest("Model"))) / "part-0"
    part.unlink()
    for key in keys(bucket, "runs/shop/objects/"):
        bucket.client.delete_object(Bucket=bucket.name, Key=f"runs/shop/objects/{key}")
    with pytest.raises(PipelineError, match="runs/shop/objects/"):
        fetch(recorded.root, [str(part.parent)])


def test_two_commands_may_fetch_the_same_artifact_at_once(address: str) -> None:
    recorded = run(address, ALL)
    part = Path(recorded.uri(recorded.latest("Model"))) / "part-0"
    for _ in range(3):
        part.unlink()
        with ThreadPoolExecutor() as pool:
            done = [pool.submit(fetch, recorded.root, [part.parent]) for _ in range(4)]
            assert [one.result() for one in done] == [None] * 4
        assert part.stat().st_size == 5000


def test_a_path_of_another_machine_names_the_same_artifact(address: str) -> None:
    recorded = run(address, ALL)
    part = Path(recorded.uri(recorded.latest("Model"))) / "part-0"
    part.unlink()
    fetch(recorded.root, [f"/home/b/outputs/{part.parent.relative_to(recorded.root)}"])
    assert part.exists()


def test_in_another_directory_nothing_is_done(tmp_path: Path) -> None:
    fetch(tmp_path, [tmp_path / "artifacts/a/b/c/1"])
    assert list_stored(tmp_path) == set()


def test_no_client_is_imported_for_a_directory(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from pipeline.runners.workspace.places import locate_output\n"
        "from pipeline.runners.workspace.on_store.fetching import fetch\n"
        "fetch(locate_output(Path(sys.argv[1]))[0], [])\n"
        "sys.exit('obstore' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)]).returncode == 0
