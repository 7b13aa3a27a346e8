"""Every task of the compiled file, executed as Kubeflow Pipelines does it, to a pushed model.

Of the thirteen reasons why what TFX compiles does not run there, these runs cover: 3 (what is
served is read by a component), 4 (names), 5 (empty types), 6 (executor-logs), 7 (staged paths),
8 (the driver of ExampleGen, and the cache), 9 (the end of the process), 11 (retries, volumes) and
12 (parameters with their defaults). The runs follow each other in one directory.
"""

import dataclasses
import json

import pytest
import yaml
from object_store import Bucket, make_bucket
from support import SHOP_CONFIG, Project, shop_table, write_csv
from tasks import Cluster, Outcome

pytestmark = [pytest.mark.slow, pytest.mark.long]

TASKS = {
    "prepare", "example-gen", "reference", "statistics-gen", "schema-gen", "schema-curator",
    "example-validator", "anomaly-report", "data-figures", "anomaly-gate", "transform", "trainer",
    "baseline", "evaluator", "model-figures", "serving-check", "pusher",
    "report",
}  # fmt: skip
ALWAYS = {"prepare", "pusher", "report"}
FROM_TRAINER = {"trainer", "baseline", "evaluator", "model-figures", "serving-check"}
KUBEFLOW = """\
kubeflow:
  image: shop:1
  storage: {{claim: pipeline, path: {storage}}}
  components:
    Trainer: {{retries: {{count: 1, backoff_seconds: 0}}}}
"""
BLEND = """\
model: {family: blend, blend: {network: wide_deep}, trees: {iterations: 40, min_leaf_rows: 5}}
"""
"""What `init` proposes for most tables."""


@pytest.fixture(scope="module")
def shelf(s3_endpoint: str) -> Bucket:
    """Where the table lies: tasks get the address as it is, and the keys from their environment."""
    return make_bucket(s3_endpoint, "shelf")


@pytest.fixture(scope="module")
def cluster(project: Project, shelf: Bucket) -> Cluster:
    """A pipeline that is compiled for a table which is elsewhere in each run."""
    table = shelf.put("shop.csv", (project.directory / "shop.csv").read_bytes())
    overlay = KUBEFLOW.format(storage=project.directory / "volume")
    config = SHOP_CONFIG.replace("path: shop.csv", "path: nowhere.csv")
    config = config.replace("enabled: false", "enabled: true")
    config = config.replace("epochs: 15", "epochs: 15, early_stopping_patience: 0")
    project.write("my.yaml", config + BLEND)
    project.write("kubeflow.yaml", overlay)
    configs = ("--config", "my.yaml", "--config", "kubeflow.yaml")
    result = project.command("compile", *configs, "--output", "shop.yaml")
    assert result.code == 0, result.output
    environment = shelf.environment()
    return Cluster(project, parameters=(f"data-path={table}",), environment=environment)


@pytest.fixture(scope="module")
def first(cluster: Cluster) -> Outcome:
    return cluster.run_and_kill_trainer()


@pytest.fixture(scope="module")
def changed(cluster: Cluster, first: Outcome) -> Outcome:
    """Another model, which waits until a person has promoted it."""
    waits = cluster.run("overrides=training.epochs=12\nserving.mode=manual")
    change_version(cluster, "promote")
    return waits


def change_version(cluster: Cluster, command: str, *options: str) -> None:
    result = cluster.project.command(command, *options, "--output", str(cluster.serving.parent))
    assert result.code == 0, result.output


def test_a_first_run_pushes_a_model_though_its_trainer_was_killed_once(
    cluster: Cluster, first: Outcome
) -> None:
    assert first.code == 0, first.output
    assert first.ran == TASKS
    attempts = {name: task["attempts"] for name, task in first.tasks.items()}
    assert attempts == {name: 2 if name == "trainer" else 1 for name in TASKS}
    # It went on where it had been: backups are on the volume.
    assert "epoch 1 of 15" not in first.log("trainer")
    assert "epoch 15 of 15" in first.log("trainer")
    [version] = cluster.versions()
    assert (cluster.serving / version / "saved_model.pb").exists()
    assert json.loads((cluster.serving / "served.json").read_text())["version"] == version
    assert cluster.report(first, "evaluator").startswith("# Blessed")
    assert "at least 0.7 |" in cluster.report(first, "evaluator")
    assert cluster.report(first, "serving-check").startswith("# Can be served")
    assert first.tasks["evaluator"]["artifacts"]["metrics"]["metadata"]["auc"] > 0.7
    drawn = first.tasks["model-figures"]["artifacts"]["classification"]["metadata"]
    # Kubeflow's pages look for the values below these keys, which ML Metadata adds.
    assert drawn["confidenceMetrics"]["list"][-1]["recall"] == 1
    assert [len(r["row"]) for r in drawn["confusionMatrix"]["struct"]["rows"]] == [2, 2]
    assert "Nothing is wrong" in cluster.report(first, "anomaly-report")
    page, content = cluster.page(first)
    assert content["verdict"]["status"] == "pushed"
    assert content["verdict"]["headline"] in page
    assert {c["state"] for c in content["components"]} == {"complete"}
    assert content["data"]["figures"]["columns"]
    assert content["quality"]["figures"]["metrics"]
    assert content["quality"]["serving_check"]["passed"]
    # The second attempt of the Trainer continued where the killed one was.
    assert [epoch["number"] for epoch in content["training"]["epochs"]] == [*range(1, 16)]
    assert content["training"]["resumed_from_epoch"] > 0
    logs = [first.log(name) for name in TASKS]
    assert not [log for log in logs if "Traceback" in log or "pure virtual" in log]


def test_a_second_run_is_cached_and_the_same_model_stays_served(
    cluster: Cluster, first: Outcome
) -> None:
    again = cluster.run()
    assert (again.code, again.ran) == (0, ALWAYS), again.output
    _, content = cluster.page(again)
    states = {c["name"]: c["state"] for c in content["components"]}
    assert {name for name, state in states.items() if state != "cached"} == {"Prepare", "Pusher"}
    trained_by = content["training"]["cached_from"]
    assert trained_by == cluster.page(first)[1]["run"] != content["run"]
    assert content["quality"]["blessed"]
    assert len(cluster.versions()) == 1
    # Until then, the Trainer's task could have been tried again.
    assert not list((cluster.serving.parent / "backups").iterdir())


def test_an_override_runs_what_it_touches_and_the_served_model_is_the_baseline(
    cluster: Cluster, changed: Outcome
) -> None:
    assert changed.code == 0, changed.output
    assert changed.ran == ALWAYS | FROM_TRAINER
    assert "Waiting for `promote`: " in changed.log("pusher")
    assert cluster.page(changed)[1]["verdict"]["status"] == "waiting"
    table = cluster.report(changed, "evaluator").splitlines()
    [auc] = [line.split("|") for line in table if line.startswith("| auc |")]
    assert float(auc[3]) > 0.7
    assert len(cluster.versions()) == 2


def test_an_override_of_what_is_compiled_in_is_refused_by_name(
    cluster: Cluster, changed: Outcome
) -> None:
    refused = cluster.run("overrides=training.epochs=12\ntraining.warm_start=true\n")
    assert refused.code == 2
    others = {state for name, state in refused.states.items() if name != "report"}
    assert (others, refused.states["report"]) == ({"failed", "not started"}, "ran")
    assert cluster.page(refused)[1]["verdict"]["status"] == "misconfigured"
    assert "Error: overrides: training.warm_start: changes tasks" in refused.output
    assert "Traceback" not in refused.log("prepare")


def test_a_file_that_other_code_has_compiled_is_refused(cluster: Cluster) -> None:
    path = cluster.project.directory / cluster.file
    spec, platform = yaml.safe_load_all(path.read_text())
    given = spec["components"]["comp-pipeline"]["dag"]["tasks"]["prepare"]["inputs"]["parameters"]
    given["graph"]["runtimeValue"]["constant"] = "of other code"
    cluster.project.write("other.yaml", yaml.safe_dump_all([spec, platform]))
    refused = dataclasses.replace(cluster, file="other.yaml").run()
    assert refused.code == 2
    assert "compiled with other code than this image holds" in refused.output


def test_the_pusher_says_why_nothing_is_pushed(cluster: Cluster, changed: Outcome) -> None:
    bound = "evaluation.thresholds=[{metric: auc, at_least: 0.99999}]"
    missed = cluster.run(f"overrides=training.epochs=12\n{bound}")
    assert "not checked: the model is not blessed" in str(missed.tasks["serving-check"])
    assert (missed.code, missed.states["pusher"]) == (4, "failed"), missed.output
    assert missed.ran == {"prepare", "evaluator", "model-figures", "serving-check", "report"}
    _, content = cluster.page(missed)
    assert content["verdict"]["status"] == "not blessed"
    assert content["quality"]["missed"][0].startswith("auc on the whole split is")
    assert "Error: not blessed, and so not pushed: auc on the whole split is" in missed.output
    assert cluster.report(missed, "evaluator").startswith("# Not blessed")
    assert len(cluster.versions()) == 2


def test_the_pusher_says_why_a_model_cannot_be_served(cluster: Cluster, changed: Outcome) -> None:
    failed = cluster.run("overrides=training.epochs=12\nserving.check.memory_megabytes=1")
    assert (failed.code, failed.states["pusher"]) == (5, "failed"), failed.output
    assert failed.ran == {"prepare", "serving-check", "report"}
    assert "the serving check failed, so nothing is pushed: peak memory is" in failed.output
    assert cluster.report(failed, "serving-check").startswith("# The serving check failed")
    _, content = cluster.page(failed)
    assert content["verdict"]["status"] == "serving check failed"
    assert content["quality"]["serving_check"]["problems"][0].startswith("peak memory is")
    assert len(cluster.versions()) == 2


def test_the_pusher_fails_for_a_model_that_a_rollback_withdrew(
    cluster: Cluster, changed: Outcome
) -> None:
    withdrawn = cluster.versions()[-1]
    change_version(cluster, "rollback", "--reason", "wrong labels")
    refused = cluster.run("overrides=training.epochs=12")
    assert (refused.code, refused.states["pusher"]) == (7, "failed"), refused.output
    assert refused.ran == {"prepare", "report"}
    assert f"not pushed: version {withdrawn}, which is this model" in refused.output
    verdict = cluster.page(refused)[1]["verdict"]
    assert verdict["status"] == "withdrawn"
    assert "because: wrong labels" in verdict["reasons"][0]
    change_version(cluster, "promote", withdrawn)
    assert len(cluster.versions()) == 2


def test_the_page_says_why_there_was_no_baseline(cluster: Cluster, changed: Outcome) -> None:
    [older, _] = cluster.versions()
    hidden = cluster.serving / f".{older}"
    (cluster.serving / older).rename(hidden)
    alone = cluster.run("overrides=training.epochs=12")
    hidden.rename(cluster.serving / older)
    assert (alone.code, alone.ran) == (0, ALWAYS | FROM_TRAINER - {"trainer"}), alone.output
    assert "the served model's baseline is gone" in cluster.report(alone, "evaluator")
    assert len(cluster.versions()) == 2


def test_bad_data_in_the_same_file_stops_at_the_gate_with_a_report(
    cluster: Cluster, shelf: Bucket, first: Outcome
) -> None:
    table = shop_table(seed=1)
    table["color"] = ["violet" if i % 5 == 0 else c for i, c in enumerate(table["color"])]
    write_csv(cluster.project.directory / "shop.csv", table)
    shelf.put("shop.csv", (cluster.project.directory / "shop.csv").read_bytes())
    stopped = cluster.run()
    assert (stopped.code, stopped.states["anomaly-gate"]) == (3, "failed"), stopped.output
    # A changed file is no cache hit, whatever is below it.
    assert {"example-gen", "statistics-gen", "anomaly-report", "data-figures"} <= stopped.ran
    assert stopped.states["transform"] == "not started"
    assert "stop" in stopped.output
    assert "Traceback" not in stopped.log("anomaly-gate")
    page, content = cluster.page(stopped)
    assert content["verdict"]["status"] == "stopped by the data gate"
    assert [f["column"] for f in content["data"]["findings"] if f["severity"] == "stop"] == [
        "color"
    ]
    assert page.index("The data gate stopped the run") < page.index("violet")
    report = cluster.report(stopped, "anomaly-report")
    assert report.startswith("# Data compared with the served model")
    assert "violet" in report
