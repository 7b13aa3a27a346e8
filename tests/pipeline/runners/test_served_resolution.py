"""The resolutions of the served model change with the data, and with what is served."""

from pathlib import Path

import pytest

from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord
from components.tables.splitting.split_record import SplitRecord, plan_split
from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.runners.served_resolution import resolve_served_model, resolve_split

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


def test_each_role_has_a_resolution_of_its_own_for_each_data(tmp_path: Path) -> None:
    config = load_config([TAXI])
    resolved = resolve_served_model(config, str(tmp_path), "fingerprint")
    assert sorted(resolved) == ["baseline", "reference"]
    assert resolve_served_model(config, str(tmp_path), "fingerprint") == resolved
    other_data = resolve_served_model(config, str(tmp_path), "other")
    assert all(other_data[role] != resolved[role] for role in resolved)


def test_settings_of_training_change_the_baseline_only(tmp_path: Path) -> None:
    resolved = resolve_served_model(load_config([TAXI]), str(tmp_path), "fingerprint")
    config = load_config([TAXI], ["training.epochs=3"])
    longer = resolve_served_model(config, str(tmp_path), "fingerprint")
    assert longer["reference"] == resolved["reference"]
    assert longer["baseline"] != resolved["baseline"]


def serve(config: Config, serving: Path, split: str) -> None:
    """Puts a served model with a schema there, as the Pusher lays them out."""
    record = ServedRecord(
        "1", "m", "e", "s", "c", "{}", "d", "r", split=split, directory=str(serving)
    )
    for place in (record.served_model, record.served_schema, record.served_statistics):
        Path(place).mkdir(parents=True)
    schema = "".join(f'feature {{ name: "{name}" }}\n' for name in ("a", config.label.column))
    (Path(record.served_schema) / "schema.pbtxt").write_text(schema)
    write_pointer(str(serving), record)


def test_a_run_that_would_be_compared_with_a_lost_version_is_refused(tmp_path: Path) -> None:
    config = load_config([TAXI])
    serve(config, tmp_path, "")
    resolve_served_model(config, str(tmp_path), "fingerprint")
    (tmp_path / "1").rmdir()
    with pytest.raises(ConfigError, match=r"version 1 is served, but .* is not there"):
        resolve_served_model(config, str(tmp_path), "fingerprint")


def test_the_split_of_the_served_model_is_passed_on_where_it_differs(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,tips\n1,0\n")
    config = load_config([TAXI], [f"data.path={table}", "label.column=tips", "data.split.by=row"])
    assert resolve_split(config, str(tmp_path / "none"), "f") == ""
    plan = plan_split(config.data.split, ["a"], "tips", None, config.data.csv)
    serve(config, tmp_path / "same", plan.to_json())
    assert resolve_split(config, str(tmp_path / "same"), "f") == ""
    other = load_config(
        [TAXI],
        [f"data.path={table}", "label.column=tips", "data.split.by=row", "data.csv.missing=[]"],
    )
    assert resolve_split(other, str(tmp_path / "same"), "f") == plan.to_json()
    table.write_text("a,b,tips\n1,2,0\n")
    assert resolve_split(config, str(tmp_path / "same"), "f") == plan.to_json()


def test_the_split_of_a_model_of_an_earlier_version_comes_from_its_schema(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,tips\n1,0\n")
    config = load_config([TAXI], [f"data.path={table}", "label.column=tips"])
    serve(config, tmp_path / "serving", "")
    found = SplitRecord.from_json(resolve_split(config, str(tmp_path / "serving"), "f"))
    assert found == SplitRecord.from_columns(["a"])
