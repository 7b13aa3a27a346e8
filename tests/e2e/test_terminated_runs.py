"""kill -9 of the working process alone, and SIGTERM, in each component; then the same command."""

import pytest
from accidents import COMPONENTS, Chain, check_end, kill_worker, start_chain, terminate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    return start_chain(tmp_path_factory.mktemp("terminated"))


@pytest.mark.parametrize("accident", ["kill -9", "SIGTERM"])
@pytest.mark.parametrize("component", COMPONENTS)
def test_the_finished_parts_stay(chain: Chain, component: str, accident: str) -> None:
    training = component == "Trainer"
    if accident == "kill -9":
        result = chain.strike(component, "backup" if training else "start", kill_worker)
        assert result.code == 1, result.output
        assert "the working process ended by signal 9" in result.output
    else:
        result = chain.strike(component, "backup" if training else "end", terminate)
        assert result.code == 130, result.output
        chain.check_order()
    chain.check(component)


def test_the_end_is_good(chain: Chain) -> None:
    check_end(chain, resumed=[1, 2, 3])
