"""Which tasks Kubeflow may take from its cache."""

from __future__ import annotations

from typing import Any

from pipeline.runners.kubeflow.compiling.added_tasks.first_task import add_first_task
from pipeline.runners.kubeflow.compiling.caching import set_cache_policy

Json = dict[str, Any]


def test_only_tasks_that_their_inputs_determine_are_cached(raw: Json) -> None:
    """Reason 8."""

    def cached(cache: bool) -> dict[str, bool]:
        tasks = set_cache_policy(add_first_task(raw, "image", "{}"), cache)["root"]["dag"]
        return {n: t["cachingOptions"]["enableCache"] for n, t in tasks["tasks"].items()}

    assert cached(True) == {"ExampleGen": True, "Pusher": False, "Prepare": False}
    assert set(cached(False).values()) == {False}
