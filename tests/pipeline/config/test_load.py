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
        load(tmp_path, text="a: " + "[" * 5000 + "]" * 5000)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml: no such file"):
        load_config([tmp_path / "absent.yaml"])


@pytest.mark.parametrize("name", ["my trips.csv", "trips.PARQUET", "trips.csv.gz", "trips.txt"])
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
