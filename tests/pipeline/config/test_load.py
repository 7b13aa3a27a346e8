"""Files, overlays and assignments become one validated configuration."""

import shlex
from pathlib import Path

import pytest
from small_config import SMALL, TAXI, load, write

from pipeline.config import load_config
from pipeline.config.load import override
from pipeline.core.errors import ConfigError


def test_later_files_and_assignments_win(tmp_path: Path) -> None:
    base = write(tmp_path, SMALL)
    overlay = write(tmp_path, "training: {epochs: 7, seed: 1}", "overlay.yaml")
    config = load_config([base, overlay], ["training.seed=2", "features.fare.scale=log"])
    assert (config.training.epochs, config.training.seed) == (7, 2)
    assert config.features["fare"].model_dump()["scale"] == "log"


def test_quotes_keep_dots_in_column_names(tmp_path: Path) -> None:
    config = load(tmp_path, 'features."a.b (x)".vocabulary_size=9')
    assert config.features["a.b (x)"].model_dump()["vocabulary_size"] == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "not valid YAML"),
        ("- a", "a mapping of sections"),
        ("", "a mapping of sections"),
        ("name: x\nname: y\n", "my.yaml:2"),
        ("name: !!python/object/apply:os.system [exit]\n", "my.yaml"),
    ],
)
def test_a_file_that_is_not_a_configuration_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, text=text)


@pytest.mark.parametrize(
    "tagged",
    [
        "label: !!python/object/apply:os.system [touch pwned]",
        "label: !!python/object:os.path {column: tips}",
        "label: {column: !!python/name:os.system x}",
        "!!python/object/apply:os.system {label: touch pwned}",
    ],
)
def test_a_yaml_tag_creates_no_object(
    tmp_path: Path, tagged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my.yaml"
    path.write_text(tagged + "\n")
    with pytest.raises(ConfigError, match=r"my\.yaml.*YAML tags such as .*python"):
        load_config([path])
    with pytest.raises(ConfigError, match=r"--set label.*: the value is not valid YAML"):
        load_config([TAXI], [f"label={tagged.removeprefix('label: ')}"])
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("value", ["2021-02-30", "!!int x", "[" * 700 + "]" * 700])
def test_a_value_that_cannot_be_read_is_refused_in_files_and_assignments(
    tmp_path: Path, value: str
) -> None:
    with pytest.raises(ConfigError, match=r"--set name=.*: the value is not valid YAML"):
        load_config([TAXI], [f"name={value}"])
    with pytest.raises(ConfigError, match=r"my\.yaml(:1: not valid YAML|: nested too deeply)"):
        load(tmp_path, text=f"name: {value}\n")


def test_aliases_in_an_assignment_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"--set label\.classes:1: YAML aliases"):
        load_config([TAXI], ["label.classes=[&a [x, x], *a, *a]"])


def test_aliases_are_refused_before_they_expand(tmp_path: Path) -> None:
    layers = ["a0: &a0 [x, x]"]
    layers += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(ConfigError, match=r"my\.yaml:2: YAML aliases"):
        load(tmp_path, text="\n".join(layers))


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nested too deeply|not valid YAML"):
        load(tmp_path, text="a: " + "[" * 700 + "]" * 700)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml: no such file"):
        load_config([tmp_path / "absent.yaml"])


@pytest.mark.parametrize("name", ["my trips.csv", "trips.PARQUET", "trips.csv.zst", "trips.txt"])
def test_a_table_given_as_configuration_gets_the_init_command(tmp_path: Path, name: str) -> None:
    table = tmp_path / name
    table.write_bytes(b"fare,y\n1,2\n" if name.endswith("txt") else b"a: b\n\xff")
    with pytest.raises(ConfigError, match="a mapping of sections") as caught:
        load_config([table])
    init = f"init --data {shlex.quote(str(table))} --label COLUMN --output config.yaml"
    assert init in caught.value.hint


@pytest.mark.parametrize("name", ["taxi", "bike_sharing", "penguins"])
def test_a_compiled_configuration_is_read_back_as_it_was(name: str) -> None:
    config = load_config([Path(f"configs/{name}.yaml")])
    assert override(config.model_dump_json(by_alias=True), ()) == config


def test_assignments_over_a_compiled_configuration_are_checked() -> None:
    compiled = load_config([Path("configs/taxi.yaml")]).model_dump_json(by_alias=True)
    assert override(compiled, ["training.epochs=3"]).training.epochs == 3
    for assignment, message in (
        ("training.epoch=3", "--set training.epoch=3: training.epoch: unknown key"),
        ("training.epochs=three", "--set training.epochs=three"),
        ("training.epochs", "not of the form"),
    ):
        with pytest.raises(ConfigError, match=message):
            override(compiled, [assignment])


def test_an_empty_overlay_changes_nothing(tmp_path: Path) -> None:
    base = write(tmp_path, SMALL)
    overlays = [write(tmp_path, text, f"{n}.yaml") for n, text in enumerate(("", "# none yet\n"))]
    assert load_config([base, *overlays]) == load_config([base])


@pytest.mark.parametrize("overlay", ["features: {fare: null}", "features:\n  fare:\n"])
def test_null_drops_a_feature_of_an_earlier_file(tmp_path: Path, overlay: str) -> None:
    base = write(tmp_path, SMALL)
    assert list(load_config([base]).features) == ["fare", "a.b (x)"]
    config = load_config([base, write(tmp_path, overlay, "overlay.yaml")])
    assert list(config.features) == ["a.b (x)"]


def test_null_in_an_assignment_drops_what_the_user_named(tmp_path: Path) -> None:
    base = write(tmp_path, SMALL + "training: {micro_batch_size: 8}\n")
    assert list(load_config([base], ['features."a.b (x)"=null']).features) == ["fare"]
    dropped = load_config([base], ["data.types.fare=float", "data.types.fare=null"])
    assert dropped.data.types == {}
    # A key of the project takes null as a value.
    assert load_config([base], ["training.micro_batch_size=null"]).training.micro_batch_size is None


def test_the_last_feature_cannot_be_dropped(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="features: must not be empty"):
        load(tmp_path, "features.fare=null", 'features."a.b (x)"=null')


def test_a_merge_key_is_merged_as_yaml_says(tmp_path: Path) -> None:
    base = write(tmp_path, SMALL)
    overlay = write(tmp_path, "training: {<<: {epochs: 3, seed: 4}, seed: 5}", "overlay.yaml")
    config = load_config([base, overlay])
    assert (config.training.epochs, config.training.seed) == (3, 5)


def test_a_mistake_under_a_merge_key_names_the_mapping(tmp_path: Path) -> None:
    base = write(tmp_path, SMALL)
    overlay = write(tmp_path, "training:\n  <<: {epochs: 0}\n", "overlay.yaml")
    with pytest.raises(ConfigError, match=r"overlay\.yaml:2: training\.epochs: must be greater"):
        load_config([base, overlay])


def test_a_directory_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"^{tmp_path}: is a directory$"):
        load_config([tmp_path])
