"""The resolutions of the served model change with the data, and with what is served."""

from pathlib import Path

from pipeline.config import load_config
from pipeline.runners.served_resolution import resolve_served_model

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
