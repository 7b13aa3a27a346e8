"""What a configuration must not hold is refused before it is recorded, and never repeated."""

from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.config.secrets import MASK, mask_assignments, mask_secrets
from pipeline.core.errors import ConfigError

ROOT = Path(__file__).parents[3]
TAXI = ROOT / "configs/taxi.yaml"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("data.path", "s3://AKEY:canary@bucket/trips.csv"),
        ("data.path", "[a.csv, 'https://user:canary@host/trips.csv']"),
        ("data.path", "https://host/trips.csv?X-Amz-Signature=canary"),
        ("data.path", "https://host/trips.csv?sv=1&sig=canary"),
        ("data.query", "SELECT * FROM f('postgres://me:canary@host/db')"),
        ("data.query", "'SELECT canary -- -----BEGIN RSA PRIVATE KEY-----'"),
        ("schema.path", "s3://a:canary@bucket/schema.pbtxt"),
        ("serving.directory", "s3://a:canary@bucket/serving"),
        ("beam.args", "[--runner=DirectRunner, --s3_secret_access_key=canary]"),
        ("beam.args", "[--runner=DirectRunner, --azure_connection_string, canary]"),
        ("beam.args", "[--s3_session_token=canary]"),
        ("beam.args", "[--db_pass=canary]"),
    ],
)
def test_a_secret_is_refused_and_not_repeated(tmp_path: Path, key: str, value: str) -> None:
    section, name = key.split(".")
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(f"{section}:\n  {name}: {value}\n", encoding="utf-8")
    for load in (
        lambda: load_config([TAXI, overlay]),
        lambda: load_config([TAXI], [f"{key}={value}"]),
    ):
        with pytest.raises(ConfigError, match=key) as caught:
            load()
        assert "canary" not in caught.value.message + caught.value.hint
        assert "environment" in caught.value.hint


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("data.path", "bucket/user@example.com/trips:2024.csv"),
        ("data.path", "data/token=1/trips.csv"),
        ("beam.args", "[--runner=DirectRunner, '--s3_endpoint_url=https://minio:9000']"),
        ("features.payment_type", "{kind: boolean, true_values: ['https://a:b@host?token=1']}"),
    ],
)
def test_text_that_only_resembles_a_secret_is_accepted(key: str, value: str) -> None:
    load_config([TAXI], [f"{key}={value}"])


def test_secrets_are_masked_outside_of_names_and_values_of_columns() -> None:
    content = {
        "name": "taxi",
        "data": {"types": {"password_hash": "string"}},
        "features": {"api_key": {"kind": "categorical", "missing": ["s3://a:b@host"]}},
        "model": {
            "options": {
                "api_key": "canary",
                "url": "s3://me:canary@host",
                "size": 3,
                "max_tokens": 128,
                "credentials": {"user": "canary", "value": ["canary"]},
                "password": 77661234,
                "note": "Bearer canary123",
            }
        },
        "kubeflow": {"env": [{"name": "X", "token": ["canary"]}]},
    }
    masked = mask_secrets(content)
    assert "canary" not in str(masked)
    options = masked["model"]["options"]
    assert (options["size"], options["max_tokens"], options["password"]) == (3, 128, MASK)
    for section in ("name", "data", "features"):
        assert masked[section] == content[section]


def test_secrets_in_the_arguments_of_a_command_are_masked() -> None:
    arguments = [
        "run", "--set", "model.options.auth_token=canary=1", "--set=model.options.password=canary",
        "--parameter=overrides=model.options={api_key: canary}", "model.options.note=Bearer canary",
    ]  # fmt: skip
    masked = mask_assignments(arguments)
    assert "canary" not in str(masked)
    assert masked[:4] == (
        "run",
        "--set",
        f"model.options.auth_token={MASK}",
        f"--set=model.options.password={MASK}",
    )
    harmless = ("run", "--config", "my.yaml", "features.api_key=text", "training.epochs=3")
    assert mask_assignments(harmless) == harmless


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.name)
def test_the_shipped_configurations_pass(path: Path) -> None:
    load_config([path])
