"""The local cluster itself."""

import pytest
from flink import POOL, TASKMANAGER, ask, find_processes

from deploy.flink.local.cluster import up
from deploy.flink.local.networks import PODS
from deploy.flink.local.places import STATE
from deploy.sessions import read_state

pytestmark = pytest.mark.engine


def test_a_second_start_starts_nothing() -> None:
    before = read_state(STATE)
    up()
    assert read_state(STATE) == before


def test_each_pod_has_a_taskmanager_and_a_pool_of_its_own() -> None:
    for pod in PODS:
        assert [len(find_processes(pod, part)) for part in (TASKMANAGER, POOL)] == [1, 1]


def test_nobody_can_upload_programs() -> None:
    assert ask("/config")["features"]["web-submit"] is False
