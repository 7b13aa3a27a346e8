"""What is wrong, where the user wrote it, and what to write instead."""

import shlex
from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.config.base import dotted
from pipeline.core.errors import ConfigError, ConfigMistakesError

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"

CONFIGS = Path(__file__).parents[3] / "configs"

GOOD = """\
name: small
data:
  path: table.csv
features:
  fare: numeric
  "a.b (x)": {kind: categorical, vocabulary_size: 5}
label: {column: y, task: binary, classes: [no, yes]}
evaluation:
  thresholds:
    - {metric: auc, at_least: 0.7}
"""


def write(tmp_path: Path, text: str, name: str = "my.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def load(tmp_path: Path, *assignments: str, text: str = GOOD) -> Config:
    return load_config([write(tmp_path, text)], assignments)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda p: p.stem)
def test_shipped_configurations_are_valid(path: Path) -> None:
    assert load_config([path]).name


def test_classes_are_text_as_in_the_table(tmp_path: Path) -> None:
    # YAML 1.2 keeps no and yes as text; true and 1 are not.
    assert load(tmp_path).label.classes == ("no", "yes")
    assert load(tmp_path, "label.classes=[0, 1]").label.classes == ("0", "1")
    assert load(tmp_path, "label.classes=[false, true]").label.classes == ("false", "true")


def test_numbers_are_read_as_floats_and_classes_as_text(tmp_path: Path) -> None:
    types = load(tmp_path, "data.types.code=string").column_types()
    assert types == {"fare": "float", "y": "string", "code": "string"}


def test_later_files_and_assignments_win(tmp_path: Path) -> None:
    base = write(tmp_path, GOOD)
    overlay = write(tmp_path, "training: {epochs: 7, seed: 1}", "overlay.yaml")
    config = load_config([base, overlay], ["training.seed=2", "features.fare.scale=log"])
    assert (config.training.epochs, config.training.seed) == (7, 2)
    assert config.features["fare"].model_dump()["scale"] == "log"


def test_quotes_keep_dots_in_column_names(tmp_path: Path) -> None:
    config = load(tmp_path, 'features."a.b (x)".vocabulary_size=9')
    assert config.features["a.b (x)"].model_dump()["vocabulary_size"] == 9


@pytest.mark.parametrize(
    ("assignment", "message", "hint"),
    [
        ("training.epoch=3", "training.epoch: unknown key", "did you mean 'epochs'?"),
        ("nam=x", "nam: unknown key", "did you mean 'name'?"),
        ("features.fare.scal=log", "features.fare.scal: unknown key", "did you mean 'scale'?"),
        ("evaluation.thresholds=[{metrc: auc}]", "evaluation.thresholds[1st].metrc", "'metric'"),
        ("training.epochs=many", "training.epochs: should be a valid integer", ""),
        ("features.fare.scale=logg", "'standard', 'log' or 'quantile', not 'logg'", ""),
        ("features.fare=numerical", "fare: there is no kind 'numerical'", "mean 'numeric'?"),
        ("features.fare={kind: number}", "there are numeric, bucketized, categorical", "numeric"),
        ("features={}", "features: should not be empty", ""),
        ("data.csv.delimiter=;;", "delimiter: should have at most 1 character, not ';;'", ""),
        ("name=My Table", "name: should be at most 63 lower-case letters", ""),
        ("kubeflow.defaults.resources.cpu=four", "such as 4, or thousandths of one", ""),
        ("features.y=numeric", "features.y: the label cannot be a feature", ""),
        ("features.self=numeric", "features.self: clients of the served model could not tell", ""),
        ("features.m²=numeric", "features.m²: TensorFlow could not load the model", ""),
        ("label.column=m²", "label.column: TensorFlow could not load the model", ""),
        ("label.weight_column=y", "label.weight_column: the label cannot weigh its own rows", ""),
        ("label.classes=[a]", "needs two classes, not 1", ""),
        ("data.split.by=key", "a split by key needs a column", ""),
        ("data.split.train=0.5", "must add up to 1", ""),
        ("data.source=tfrecord", None, ""),
        ("evaluation.thresholds=[]", "evaluation.thresholds: should not be empty", ""),
        ("evaluation.thresholds=[{metric: auc, may_worsen_by: 0.1}]", "at_least or at_most", ""),
        ("evaluation.thresholds=[{metric: rmse, at_most: 1}]", "has no metric 'rmse'", ""),
        ("evaluation.thresholds=[{metric: f1, at_least: 1, class_name: yes}]", "class_name", ""),
        (
            "evaluation.thresholds=[{metric: auc, at_least: 1.3}]",
            "at_least: auc is never above",
            "",
        ),
        ("evaluation.thresholds=[{metric: f1, at_most: -1}]", "at_most: f1 is never below 0", ""),
        ("training.learning_rate=.nan", "should be a finite number", ""),
        (
            "evaluation.thresholds=[{metric: auc, at_least: 0.7}, {metric: auc, at_least: 0.8}]",
            "--set",
            "",
        ),
        ("features.a.b.scale=log", "features.a: a feature needs a kind", "double quotes"),
        ("training.epochs", "not of the form section.key=value", ""),
        ("training={", "not valid YAML", ""),
    ],
)
def test_a_wrong_assignment_is_named(
    tmp_path: Path, assignment: str, message: str | None, hint: str
) -> None:
    if message is None:
        assert load(tmp_path, assignment)
        return
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, assignment)
    assert message in str(caught.value)
    assert f"--set {assignment}" in str(caught.value) or "my.yaml" in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("wrong", "line", "key"),
    [
        (GOOD.replace("vocabulary_size", "vocabulary_siz"), 6, 'features."a.b (x)".vocabulary_siz'),
        (GOOD.replace("metric: auc", "metric: ac"), 10, "evaluation.thresholds[1st].metric"),
        (GOOD.replace("name: small", "name: Not Small"), 1, "name"),
        (GOOD + "training: {epochs: 0}\n", 11, "training.epochs"),
    ],
)
def test_file_line_and_key_are_named(tmp_path: Path, wrong: str, line: int, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text=wrong)
    assert f"my.yaml:{line}: {key}: " in str(caught.value)


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
def test_what_is_no_configuration_is_refused(tmp_path: Path, text: str, message: str) -> None:
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
def test_a_tag_makes_no_object(
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


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nested too deeply|not valid YAML"):
        load(tmp_path, text="a: " + "[" * 5000 + "]" * 5000)


@pytest.mark.parametrize("name", ["trip.miles", 'so "called"', '"', '"."', 'a"b.c"'])
def test_a_strange_name_is_typed_as_it_is_told(tmp_path: Path, name: str) -> None:
    key = dotted(("features", name))
    assert load(tmp_path, f"{key}=numeric").features[name].kind == "numeric"


def test_a_split_by_time_reads_dates_as_the_feature_does(tmp_path: Path) -> None:
    by_time = "data.split={by: time, column: fare, train: 0.6, eval: 0.2, test: 0.2}"
    config = load(tmp_path, by_time, "features.fare={kind: timestamp, format: day_first}")
    assert config.ingested().split.time_format == "day_first"
    assert load(tmp_path, by_time).ingested().split.time_format is None


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml: no such file"):
        load_config([tmp_path / "absent.yaml"])


@pytest.mark.parametrize("name", ["my trips.csv", "trips.PARQUET", "trips.csv.gz", "trips.txt"])
def test_who_gives_a_table_for_a_configuration_is_told_of_init(tmp_path: Path, name: str) -> None:
    table = tmp_path / name
    table.write_bytes(b"fare,y\n1,2\n" if name.endswith("txt") else b"a: b\n\xff")
    with pytest.raises(ConfigError, match="a mapping of sections") as caught:
        load_config([table])
    init = f"init --data {shlex.quote(str(table))} --label COLUMN --output config.yaml"
    assert init in caught.value.hint


def test_all_independent_mistakes_are_told_at_once(tmp_path: Path) -> None:
    wrong = GOOD.replace("vocabulary_size", "vocabulary_siz") + "training: {epochs: 0, sed: 1}\n"
    wrong = wrong.replace("task: binary, ", "")
    with pytest.raises(ConfigMistakesError) as caught:
        load(tmp_path, "data.csv.units=[$, 'x1']", text=wrong)
    keys = {part.message.rpartition("/")[2].split(": ")[1] for part in caught.value.parts}
    assert keys == {
        'features."a.b (x)".vocabulary_siz',
        "training.sed",
        "training.epochs",
        "label.task",
        "data.csv.units",
    }
    hints = {part.hint for part in caught.value.parts}
    assert hints == {"did you mean 'vocabulary_size'?", "did you mean 'seed'?", ""}


@pytest.mark.parametrize(
    "bound",
    ["{metric: auc, at_last: 0.7}", "{metric: auc, at_least: high}", "{metric: auc}"],
)
def test_a_list_of_one_mistake_is_not_said_to_be_empty(tmp_path: Path, bound: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"evaluation.thresholds=[{bound}]")
    [mistake] = caught.value.parts
    assert "thresholds[1st]" in mistake.message


def test_workers_beyond_the_batch_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="workers is 300, and global_batch_size 256"):
        load(tmp_path, "training.workers=300")
    servers = ("training.strategy=parameter_server", "training.global_batch_size=1")
    assert load(tmp_path, "training.workers=2", *servers).training.workers == 2


def test_a_class_is_no_list(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"label\.classes\[1st\]: should be a valid string"):
        load(tmp_path, "label.classes=[[1], 2]")


def test_all_broken_rules_are_told_at_once(tmp_path: Path) -> None:
    wrong = GOOD.replace("at_least: 0.7}", "at_least: 1.3}\n    - {metric: rmse, at_most: 1}")
    wrong = wrong.replace("fare: numeric", "y: numeric")
    with pytest.raises(ConfigMistakesError) as caught:
        load(tmp_path, text=wrong + "training:\n  class_weights: {maybe: 2, never: 1}\n")
    told = [part.message.rpartition("/")[2].rpartition(": ")[0] for part in caught.value.parts]
    assert told == [
        "my.yaml:5: features.y",
        "my.yaml:13: training.class_weights.maybe",
        "my.yaml:13: training.class_weights.never",
        "my.yaml:10: evaluation.thresholds[1st].at_least",
        "my.yaml:11: evaluation.thresholds[2nd].metric",
    ]


def test_of_a_union_one_mistake_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"data\.path: ") as caught:
        load(tmp_path, "data.path=3")
    assert len(caught.value.parts) == 1
    assert caught.value.message.count("data.path: ") == 1


def test_who_brings_another_file_is_not_told_everything(tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakesError) as caught:
        load(tmp_path, text="\n".join(f"key_{n}: {n}" for n in range(30)))
    assert [part.message for part in caught.value.parts[-1:]] == ["20 more mistakes"]


def test_weights_of_rows_are_no_text(tmp_path: Path) -> None:
    weighted = GOOD.replace("label: {", "label: {weight_column: w, ")
    assert load(tmp_path, text=weighted).column_types()["w"] == "float"
    with pytest.raises(ConfigError, match=r"data\.types\.w: label\.weight_column holds numbers"):
        load(tmp_path, "data.types.w=string", text=weighted)


def test_a_bucket_is_no_serving_directory() -> None:
    with pytest.raises(ConfigError, match=r"serving\.directory: gs://b/models is no directory"):
        load_config([TAXI], ["serving.directory=gs://b/models"])
