"""A run pushes to an object store, and other machines serve, predict and list from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from object_store import Bucket
from running_server import RunningServer
from support import SHOP_CONFIG, Project, shop_table, write_csv

pytestmark = pytest.mark.slow


def test_a_model_that_one_machine_pushes_is_used_by_another_one(
    tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    address = bucket.url("models/shop")
    one, two = (Project(tmp_path, output=name, warm=False) for name in ("one", "two"))
    write_csv(tmp_path / "shop.csv", shop_table())
    one.write("my.yaml", SHOP_CONFIG.replace("{check:", f"{{directory: '{address}', check:"))
    pushed = one.run()
    assert pushed.summary["status"] == "pushed", pushed.output
    version = Path(pushed.summary["pushed"]).name

    listed = two.command("versions", "--config", "my.yaml", "--output", two.output, "--json")
    assert [(v["version"], v["state"]) for v in json.loads(listed.output)] == [(version, "served")]
    scored = two.command(
        "predict", "--config", "my.yaml", "--workspace", two.output,
        "--input", bucket.put("new/shop.csv", (tmp_path / "shop.csv").read_bytes()),
        "--output", bucket.url("scored"),
    )  # fmt: skip
    assert scored.code == 0, scored.output
    found = bucket.client.get_object(Bucket=bucket.name, Key="scored/manifest.json")
    manifest = json.loads(found["Body"].read())
    assert (manifest["version"], manifest["rows"]) == (version, 400)
    with RunningServer("--model", address) as server:
        assert f"Serving shop, version {version}" in server.output
        row = {"price": 3.0, "color": "red"}
        answer = server.post("/v1/models/shop:predict", json={"instances": [row]})
        assert answer.status_code == 200, answer.text

    again = one.run()
    assert again.states()["Pusher"] == "cached", again.output
