import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from plan import COMPONENTS, PHASES, SERVING_CHECK, VARIANTS, make_plan

PLANS = [make_plan(seed) for seed in range(400)]


def test_a_seed_gives_the_same_plan_each_time() -> None:
    assert [make_plan(seed) for seed in range(400)] == PLANS


def test_a_seed_means_what_it_meant_when_its_round_was_recorded() -> None:
    recorded = Path(__file__).parents[2] / "docs/reliability/rounds.jsonl"
    plans = [json.loads(line)["plan"] for line in recorded.read_text().splitlines()]
    assert len(plans) > 50
    assert [asdict(make_plan(plan["seed"])) for plan in plans] == plans


def test_later_seeds_strike_a_serving_check_and_the_earlier_ones_none() -> None:
    checked = [plan for plan in PLANS if plan.variant == "serving check"]
    assert {plan.phase for plan in checked} == {SERVING_CHECK}
    assert {plan.kind for plan in checked} >= {"signal", "power cut"}
    assert min(plan.seed for plan in checked) >= 200
    assert 5 <= len(checked) <= 30


def test_four_hundred_seeds_hold_every_accident_and_every_phase() -> None:
    assert {plan.kind for plan in PLANS} == {
        "signal", "power cut", "full disk", "slow disk", "clock",
    }  # fmt: skip
    assert {plan.phase for plan in PLANS} == {*PHASES, SERVING_CHECK}
    assert {plan.variant for plan in PLANS} == {*VARIANTS, "serving check"}
    struck = {(plan.target, plan.signal) for plan in PLANS if plan.kind == "signal"}
    for target in ("parent", "DAG process", "chief", "worker"):
        assert {(target, name) for name in ("SIGKILL", "SIGTERM", "SIGSTOP")} <= struck
    assert ("Beam worker", "SIGKILL") in struck
    assert {target for target, name in struck if name == "SIGINT"} == {"parent"}


def test_a_worker_is_struck_while_its_component_runs() -> None:
    phases = {plan.target: set() for plan in PLANS}
    for plan in PLANS:
        phases[plan.target].add(plan.phase)
    assert phases["chief"] == phases["worker"] == phases["writer"] == {"Trainer"}
    assert phases["Beam worker"] <= {"StatisticsGen", "Transform"}


def test_the_push_is_hit_more_often_than_any_other_component() -> None:
    hit = Counter(plan.phase for plan in PLANS if plan.kind == "power cut")
    assert all(hit["Pusher"] > hit[name] for name in COMPONENTS if name != "Pusher")


def test_the_injection_says_what_happens() -> None:
    told = {plan.injection for plan in PLANS}
    assert "SIGKILL to the parent" in told
    assert any(words.startswith("disk full, 65536 bytes left") for words in told)
    assert any(words.startswith("clock jumps by -86400 s") for words in told)
