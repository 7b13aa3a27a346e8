"""A full disk ends the run with one sentence; after making room, the same command continues."""

import os
from collections.abc import Iterator

import pytest
from accidents import LARGE, Chain, check_end, fill, fill_disk, small_disk, start_chain

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    chain = start_chain(tmp_path_factory.mktemp("full"))
    with small_disk(chain.output, megabytes=32):
        yield chain


@pytest.mark.parametrize("free_bytes", [0, 8 << 10, 64 << 10])
def test_a_disk_without_room_for_the_metadata_is_no_damaged_metadata(
    chain: Chain, free_bytes: int
) -> None:
    ballast = chain.output / "ballast"
    fill_disk(chain.output)
    os.truncate(ballast, ballast.stat().st_size - free_bytes)
    result = chain.project.run()
    ballast.unlink()
    assert result.code == 1, result.output
    assert f"no space left on the device of {chain.output}" in result.output
    assert "move it away" not in result.output
    assert result.summary["status"] == "failed"


@pytest.mark.parametrize("component", LARGE)
def test_a_full_disk_ends_the_run_with_a_message(chain: Chain, component: str) -> None:
    moment = "backup" if component == "Trainer" else "start"
    result = chain.strike(component, moment, fill(chain.output))
    (chain.output / "ballast").unlink()
    assert result.code == 1, result.output
    sentence = f"no space left on the device of {chain.output}"
    assert result.output.count(sentence) == 1, result.output
    assert "Traceback" not in result.output
    chain.check(component)


def test_the_last_run_gives_the_model_of_an_undisturbed_run(chain: Chain) -> None:
    check_end(chain, resumed=[1, 2])
