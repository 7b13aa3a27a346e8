"""TF_CONFIG and the names of tasks."""

from components.supervision.cluster import Cluster, Task, make_local_cluster

_SERVERS = Cluster({"chief": ["c:1"], "worker": ["w:1", "w:2"], "ps": ["p:1"]})


def test_tf_config_names_all_addresses_and_the_own_task() -> None:
    task = Task("worker", 1)
    assert Cluster.from_tf_config(_SERVERS.to_tf_config(task)) == (_SERVERS, task)


def test_only_the_chief_has_a_name_without_an_index() -> None:
    assert [task.name for task in _SERVERS.tasks] == ["chief", "worker 0", "worker 1", "ps 0"]


def test_workers_are_servers_only_beside_parameter_servers() -> None:
    servers = [task.name for task in _SERVERS.tasks if _SERVERS.is_server(task)]
    assert servers == ["worker 0", "worker 1", "ps 0"]
    assert not Cluster({"worker": ["w:1", "w:2"]}).is_server(Task("worker", 1))


def test_a_local_cluster_has_a_different_port_for_each_task() -> None:
    cluster = make_local_cluster({"chief": 1, "worker": 20})
    addresses = [*cluster.addresses["chief"], *cluster.addresses["worker"]]
    assert len(set(addresses)) == len(cluster.tasks) == 21
    assert all(address.startswith("localhost:") for address in addresses)
