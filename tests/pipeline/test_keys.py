"""Which settings change the keys of a candidate, and which leave them alone."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.keys import (
    digest_trainer_code,
    digest_trial_code,
    make_data_key,
    make_exports_key,
    make_run_key,
)

ROOT = Path(__file__).parents[2]
TAXI = ROOT / "configs/taxi.yaml"
SEARCH = 'tuning.search."training.learning_rate"={min: 0.001, max: 0.1}'


def load(*assignments: str) -> Config:
    return load_config([TAXI], assignments)


@pytest.mark.parametrize(
    ("assignment", "data_changes", "run_changes"),
    [
        ("validation.missing_values_rise=0.5", True, True),
        ("label.max_missing=0.5", True, True),
        ("features.fare=bucketized", True, True),
        ("features.fare.scale=quantile", False, True),
        ("training.epochs=3", False, True),
        ("model.dropout=0.5", False, True),
        (SEARCH, False, True),
        ("evaluation.min_slice_size=9", False, False),
        ("serving.keep_versions=2", False, False),
        ("name=another", False, False),
    ],
)
def test_a_key_changes_with_the_settings_that_it_identifies(
    assignment: str, data_changes: bool, run_changes: bool
) -> None:
    before, after = load(), load(assignment)
    assert (make_data_key(before) != make_data_key(after)) == data_changes
    assert (make_run_key(before) != make_run_key(after)) == run_changes


PRINT_KEYS = """
import sys
from pathlib import Path
from pipeline.config import load_config
from pipeline.custom_config import exporter_config
from pipeline.keys import make_data_key, make_exports_key, make_run_key
config = load_config([Path("configs/taxi.yaml")], sys.argv[1:])
exports = config.exports and (make_exports_key(config), exporter_config(config)["code"])
print(make_data_key(config), make_run_key(config), *exports)
"""


def keys_in(checkout: Path, *assignments: str, search_path: Path | None = None) -> list[str]:
    """Returns data key, run key, and with exports what identifies them, in another checkout."""
    path = os.pathsep.join(map(str, filter(None, (search_path, checkout))))
    process = subprocess.run(
        [sys.executable, "-c", PRINT_KEYS, *assignments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return process.stdout.split()


@functools.cache
def keys_of_copy(checkout: Path, *assignments: str) -> list[str]:
    """Returns `keys_in` of the unedited checkout, which most tests need: a process takes 2 s."""
    return keys_in(checkout, *assignments)


@contextlib.contextmanager
def edit(module: Path) -> Iterator[None]:
    """Adds a line to a module while the context lasts."""
    source = module.read_text(encoding="utf-8")
    module.write_text(source + "\n# edited\n", encoding="utf-8")
    yield
    module.write_text(source, encoding="utf-8")


def upgrade(package: str, directory: Path) -> None:
    """Writes what a directory of installed packages says of a newer version of the package."""
    metadata = directory / f"{package.replace('-', '_')}-99.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 99.0\n")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("checkout")
    for name in ("components", "configs", "pipeline", "trainer_module"):
        shutil.copytree(ROOT / name, directory / name)
    return directory


@pytest.mark.parametrize(
    ("module", "data_changes"),
    [
        ("components/tables/casting.py", True),
        ("components/columnar_example_gen/shards.py", True),
        ("components/anomaly_gate/drift.py", True),
        ("components/transform/materialize.py", False),
        ("components/tuner/search.py", False),
        ("trainer_module/models/network.py", False),
    ],
)
def test_edited_code_of_a_component_changes_the_keys_of_what_the_component_makes(
    checkout: Path, module: str, data_changes: bool
) -> None:
    data_key, run_key = keys_of_copy(checkout)
    with edit(checkout / module):
        edited_data_key, edited_run_key = keys_in(checkout)
    assert (edited_data_key != data_key) == data_changes
    assert edited_run_key != run_key


@pytest.mark.parametrize(("assignments", "run_changes"), [([SEARCH], True), ([], False)])
def test_edited_code_of_a_trial_changes_the_run_key_of_a_search_alone(
    checkout: Path, assignments: list[str], run_changes: bool
) -> None:
    data_key, run_key = keys_of_copy(checkout, *assignments)
    with edit(checkout / "trainer_module/trial.py"):
        edited_data_key, edited_run_key = keys_in(checkout, *assignments)
    assert edited_data_key == data_key
    assert (edited_run_key != run_key) == run_changes


def test_edited_code_of_the_evaluator_leaves_the_keys(checkout: Path) -> None:
    before = keys_of_copy(checkout)
    with edit(checkout / "components/evaluator/results.py"):
        assert keys_in(checkout) == before


@pytest.mark.parametrize(
    ("package", "data_changes"),
    [
        ("tfx", True),
        ("tensorflow-data-validation", True),
        ("pyarrow", True),
        ("tensorflow", False),
        ("tensorflow-transform", False),
        ("tf-keras", False),
    ],
)
def test_another_version_of_a_package_changes_the_keys_of_what_the_package_makes(
    checkout: Path, tmp_path: Path, package: str, data_changes: bool
) -> None:
    data_key, run_key = keys_of_copy(checkout)
    upgrade(package, tmp_path)
    upgraded_data_key, upgraded_run_key = keys_in(checkout, search_path=tmp_path)
    assert (upgraded_data_key != data_key) == data_changes
    assert upgraded_run_key != run_key


@pytest.mark.parametrize(
    ("package", "format_", "exports_change"),
    [
        ("tf2onnx", "onnx", True),
        ("onnxruntime", "onnx", True),
        ("ai_edge_litert", "tflite", True),
        ("tf2onnx", "tflite", False),
    ],
)
def test_another_version_of_a_converter_makes_the_exports_of_its_format_anew(
    checkout: Path, tmp_path: Path, package: str, format_: str, exports_change: bool
) -> None:
    exports = f"exports=[{{format: {format_}}}]"
    before = keys_of_copy(checkout, exports)
    upgrade(package, tmp_path)
    after = keys_in(checkout, exports, search_path=tmp_path)
    changes = [one != other for one, other in zip(before, after, strict=True)]
    assert changes == [False, False, exports_change, exports_change]


def test_an_edited_schema_changes_the_data_key(tmp_path: Path) -> None:
    path = tmp_path / "my.pbtxt"
    path.write_text('feature { name: "fare" type: FLOAT }')
    config = load(f"schema.path={path}")
    before = make_data_key(config)
    path.write_text('feature { name: "fare" type: INT }')
    assert make_data_key(config) != before
    path.write_text("feature {")
    with pytest.raises(ConfigError, match=r"my\.pbtxt"):
        make_data_key(config)
    path.unlink()
    with pytest.raises(ConfigError, match=r"^schema\.path: .*my\.pbtxt cannot be read"):
        make_data_key(config)


def test_exports_have_a_key_of_their_own() -> None:
    plain, onnx = load(), load("exports=[{format: onnx}]")
    assert make_exports_key(plain) == ""
    other = load("exports=[{format: onnx, may_worsen_by: 0.01}]")
    assert len({"", make_exports_key(onnx), make_exports_key(other)}) == 3
    assert make_run_key(onnx) == make_run_key(plain)


def test_the_code_of_a_custom_model_family_is_in_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "mynet_of_keys.py"
    module.write_text("def scores(inputs, head, config): ...\n")
    config = load("model.family=mynet_of_keys.scores")
    before = digest_trainer_code(config)
    assert before != digest_trial_code(config)
    module.write_text("def scores(inputs, head, config): return 1\n")
    assert digest_trainer_code(config) != before
    module.write_text("def other(): ...\n")
    with pytest.raises(
        ConfigError, match=r"^model\.family: mynet_of_keys defines no function scores"
    ):
        digest_trainer_code(config)
    with pytest.raises(ConfigError, match=r"^model\.family: there is no module absent_of_keys"):
        digest_trainer_code(load("model.family=absent_of_keys.scores"))
    blend = load("model.family=blend", "model.blend.network=absent_of_keys.scores")
    with pytest.raises(ConfigError, match=r"^model\.blend\.network: there is no module absent_of"):
        digest_trainer_code(blend)
