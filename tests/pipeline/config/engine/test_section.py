"""The section `engine`: its flags are Beam's, and each kind has keys of its own."""

from pathlib import Path

import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from components.engine.runner import EngineOptions
from pipeline.config import load_config
from pipeline.config.engine.section import EngineConfig, make_job_name
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"
DATAFLOW = {
    "kind": "dataflow",
    "project": "my-project",
    "region": "europe-west1",
    "temp_location": "gs://bucket/temp",
    "image": "europe-docker.pkg.dev/my-project/images/pipeline@sha256:1",
}


def parse(config: EngineConfig) -> dict[str, object]:
    """Returns what Beam reads from the flags; Beam must know each of them."""
    # Beam knows the options of a class that was imported.
    options = PipelineOptions([*config.flags()]).view_as(EngineOptions)
    known: set[str] = set()
    parsed: dict[str, object] = options.get_all_options(
        drop_default=True,
        add_extra_args_fn=lambda parser: known.update(parser._option_string_actions),
    )
    assert {flag.partition("=")[0] for flag in config.flags()} <= known
    return parsed


def test_this_machine_needs_no_flags() -> None:
    assert EngineConfig().flags() == ()
    assert EngineConfig(endpoint="localhost:8099", parallelism=4).flags() == ()


def test_flink_uses_the_pool_beside_each_worker_and_keeps_its_processes() -> None:
    config = EngineConfig(kind="flink", endpoint="jobserver:8099", parallelism=3)
    parsed = parse(config)
    assert parsed.pop("runner") == "components.engine.runner.EngineRunner"
    assert parsed == {
        "engine_kind": "flink",
        "job_endpoint": "jobserver:8099",
        "environment_type": "EXTERNAL",
        "environment_config": "localhost:50000",
        "environment_cache_millis": "60000",
        "sdk_worker_parallelism": "1",
        "sdk_container_image": "none",
        "parallelism": 3,
    }


def test_an_image_replaces_the_worker_pool() -> None:
    parsed = parse(EngineConfig(kind="spark", endpoint="jobserver:8099", image="pipeline:1"))
    assert parsed["environment_type"] == "DOCKER"
    assert parsed["environment_config"] == "pipeline:1"
    assert "parallelism" not in parsed


def test_dataflow_takes_the_workers_from_the_image() -> None:
    assert parse(EngineConfig.model_validate(DATAFLOW)) == {
        "runner": "DataflowRunner",
        "project": "my-project",
        "region": "europe-west1",
        "temp_location": "gs://bucket/temp",
        "staging_location": "gs://bucket/temp",
        "sdk_container_image": DATAFLOW["image"],
        "sdk_location": "container",
    }


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        (["engine.kind=flink"], "engine.endpoint: is required for kind flink"),
        (["engine.kind=dataflow"], "engine.project: is required for kind dataflow"),
        (["engine.kind=spark", "engine.endpoint=h"], "must be a host and a port"),
        (["engine.kind=spark", "engine.endpoint=h:99999"], "no valid port"),
        (["engine.kind=flink", "engine.endpoint=http://h:1"], "must be a host and a port"),
        (
            ["engine.kind=spark", "engine.endpoint=h:1", "engine.parallelism=2"],
            "engine.parallelism: kind spark does not read it, only flink",
        ),
        (
            [
                "engine.kind=flink",
                "engine.endpoint=h:1",
                "engine.image=a",
                "engine.worker_pool=h:2",
            ],
            "leave out worker_pool or image",
        ),
        (
            [*(f"engine.{key}={value}" for key, value in DATAFLOW.items()), "engine.probe=false"],
            "engine.probe: kind dataflow does not read it, only flink and spark",
        ),
        (["engine.page=localhost:8081"], "an address http://HOST:PORT"),
        (["engine.page=http://user:word@h:8081"], "engine.page"),
        (["engine.kind=beam"], "engine.kind"),
        (["engine.parallelism=0"], "engine.parallelism"),
    ],
)
def test_wrong_settings_are_refused_by_their_key(assignments: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load_config([TAXI], [*assignments, "data.path=/mnt/data/*.csv"])
    assert words in refusal.value.message


def test_the_name_of_a_job_has_only_letters_that_every_engine_accepts() -> None:
    assert make_job_name("taxi-2", "StatisticsGen") == "taxi-2-statisticsgen"
