"""kill -9 of the run in a component, Ctrl-C in the large ones; the same command goes on.

One output directory sees it all: the accidents of one component, then those of the next.
"""

import json

import pytest
from accidents import COMPONENTS, LARGE, Chain, check_end, ctrl_c, kill_run, start_chain

pytestmark = pytest.mark.slow

_ALWAYS = (("Trainer", "Ctrl-C"), ("Trainer", "kill -9"), ("Pusher", "kill -9"))
"""The accidents that happen in `make test`, too."""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    return start_chain(tmp_path_factory.mktemp("killed"))


@pytest.mark.parametrize(
    ("component", "accident"),
    [
        pytest.param(
            component, accident, marks=[pytest.mark.long] * ((component, accident) not in _ALWAYS)
        )
        for component in COMPONENTS
        for accident in ("Ctrl-C", "kill -9")
        if accident == "kill -9" or component in LARGE
    ],
)
def test_finished_components_stay_after_an_accident(
    chain: Chain, component: str, accident: str
) -> None:
    if accident == "Ctrl-C":
        moment = "backup" if component == "Trainer" else "start"
        result = chain.strike(component, moment, ctrl_c)
        assert (result.code, result.output.count("interrupted")) == (130, 2), result.output
    else:
        # The outputs are all there, and not published: of the Trainer, the whole training.
        result = chain.strike(component, "end", kill_run)
        assert result.code == -9
    chain.check(component)
    # A worker whose parent is gone ends in order too.
    chain.check_order()


def test_the_last_run_gives_the_model_of_an_undisturbed_run(chain: Chain) -> None:
    # The first was stopped at its second backup; what was trained twice is the epoch after the
    # first. The second finished its training, so the third had nothing to train.
    check_end(chain, resumed=[1, 2])
    listed = chain.project.command("runs", "--output", chain.project.output).output
    assert listed.count("interrupted") == chain.accidents["ctrl_c"]
    assert listed.count("died") == chain.accidents["kill_run"]


def test_an_interrupted_run_has_a_page_and_a_killed_run_gets_one(chain: Chain) -> None:
    logs = chain.project.directory / chain.project.output / "logs"
    ended = {run.name: (run / "summary.json").exists() for run in logs.iterdir()}
    pages = {page.parent.name for page in logs.glob("*/report.html")}
    assert pages == {run for run, has_summary in ended.items() if has_summary}
    killed = max(run for run, has_summary in ended.items() if not has_summary)
    result = chain.project.command("report", killed, "--output", chain.project.output)
    assert result.code == 0, result.output
    report = json.loads((logs / killed / "report.json").read_text(encoding="utf-8"))
    assert (report["verdict"]["status"], report["verdict"]["exit_code"]) == ("died", None)
