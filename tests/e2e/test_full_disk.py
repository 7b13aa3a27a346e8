"""The disk is full in a large component: one sentence says so; with room again, the run goes on."""

from collections.abc import Iterator

import pytest
from accidents import LARGE, Chain, check_end, fill, small_disk, start_chain

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    chain = start_chain(tmp_path_factory.mktemp("full"))
    with small_disk(chain.output, megabytes=32):
        yield chain


@pytest.mark.parametrize("component", LARGE)
def test_a_full_disk_is_told(chain: Chain, component: str) -> None:
    moment = "backup" if component == "Trainer" else "start"
    result = chain.strike(component, moment, fill(chain.output))
    (chain.output / "ballast").unlink()
    assert result.code == 1, result.output
    sentence = f"no space left on the device of {chain.output}"
    assert result.output.count(sentence) == 1, result.output
    assert "Traceback" not in result.output
    chain.check(component)


def test_the_end_is_good(chain: Chain) -> None:
    check_end(chain, resumed=[1, 2])
