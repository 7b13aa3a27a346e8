"""Every mistake is reported where the user wrote it, with its key, its problem and a hint."""

from pathlib import Path

import pytest
from small_config import SMALL, load

from pipeline.core.errors import ConfigError, ConfigMistakesError


@pytest.mark.parametrize(
    ("assignment", "message", "hint"),
    [
        ("training.epoch=3", "training.epoch: unknown key", "did you mean 'epochs'?"),
        ("nam=x", "nam: unknown key", "did you mean 'name'?"),
        ("features.fare.scal=log", "features.fare.scal: unknown key", "did you mean 'scale'?"),
        ("evaluation.thresholds=[{metrc: auc}]", "evaluation.thresholds[1st].metrc", "'metric'"),
        ("training.epochs=many", "training.epochs: must be a whole number, not 'many'", ""),
        ("features.fare.scale=logg", "'standard', 'log' or 'quantile', not 'logg'", ""),
        ("features.fare=numerical", "fare: there is no kind 'numerical'", "mean 'numeric'?"),
        ("features.fare={kind: number}", "known are numeric, bucketized, categorical", "numeric"),
        ("features={}", "features: must not be empty", ""),
        ("data.csv.delimiter=;;", "delimiter: must be a single ASCII character, not ';;'", ""),
        ("data.csv.delimiter=\\t", "not '\\\\t'; write a tab as \"\\t\"", ""),
        ("data.csv.quote=ß", "quote: must be a single ASCII character", ""),
        ("data.csv.quote=','", "delimiter and quote are the same character", ""),
        ("data.csv.delimiter=||", "not valid YAML", 'data.csv.delimiter="..."'),
        ("data.path=hdfs://b/t.csv", "hdfs://b/t.csv is no address of an object store: known", ""),
        ("data.path=s3://", "data.path: s3:// names no bucket: write s3://bucket/folder", ""),
        (
            "features.far=null",
            "features.far: has no value; null drops a key of an earlier file",
            "",
        ),
        ("training.threads.intra_op=100000", "must be less than or equal to 1024", ""),
        ("name=My Table", "name: must be at most 63 lower-case letters", ""),
        ("kubeflow.defaults.resources.cpu=four", "such as 4, or thousandths of a core", ""),
        ("features.y=numeric", "features.y: the label cannot be a feature", ""),
        ("features.self=numeric", "features.self: clients of the served model could not tell", ""),
        ("features.m²=numeric", "features.m²: TensorFlow could not load the model", ""),
        ("label.column=m²", "label.column: TensorFlow could not load the model", ""),
        (
            "label.weight_column=y",
            "label.weight_column: the label cannot be the weight of its own rows",
            "",
        ),
        ("label.classes=[a]", "needs two classes, not 1", ""),
        ("data.split.by=key", "a split by key needs a column", ""),
        ("data.split.train=0.5", "must add up to 1", ""),
        ("data.source=tfrecord", None, ""),
        ("evaluation.thresholds=[]", "evaluation.thresholds: must not be empty", ""),
        ("evaluation.thresholds=[{metric: auc, may_worsen_by: 0.1}]", "at_least or at_most", ""),
        ("evaluation.thresholds=[{metric: rmse, at_most: 1}]", "has no metric 'rmse'", ""),
        ("evaluation.thresholds=[{metric: f1, at_least: 1, class_name: yes}]", "class_name", ""),
        (
            "evaluation.thresholds=[{metric: auc, at_least: 1.3}]",
            "at_least: auc is never above",
            "",
        ),
        ("evaluation.thresholds=[{metric: f1, at_most: -1}]", "at_most: f1 is never below 0", ""),
        (
            "evaluation.gaps=[{metric: auc, at_most: 0.1}]",
            "evaluation.gaps[1st].slice_by: is required",
            "",
        ),
        ("training.learning_rate=.nan", "must be a finite number", ""),
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
def test_a_mistake_names_its_key_its_problem_and_a_hint(
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
        (
            SMALL.replace("vocabulary_size", "vocabulary_siz"),
            6,
            'features."a.b (x)".vocabulary_siz',
        ),
        (SMALL.replace("metric: auc", "metric: ac"), 10, "evaluation.thresholds[1st].metric"),
        (SMALL.replace("name: small", "name: Not Small"), 1, "name"),
        (SMALL + "training: {epochs: 0}\n", 11, "training.epochs"),
    ],
)
def test_a_mistake_names_file_line_and_key(tmp_path: Path, wrong: str, line: int, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text=wrong)
    assert f"my.yaml:{line}: {key}: " in str(caught.value)


def test_all_independent_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    wrong = SMALL.replace("vocabulary_size", "vocabulary_siz") + "training: {epochs: 0, sed: 1}\n"
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
def test_a_list_with_one_invalid_item_is_not_reported_as_empty(tmp_path: Path, bound: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"evaluation.thresholds=[{bound}]")
    [mistake] = caught.value.parts
    assert "thresholds[1st]" in mistake.message


def test_a_list_is_refused_as_a_class(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"label\.classes\[1st\]: must be text"):
        load(tmp_path, "label.classes=[[1], 2]")


def test_a_wrong_value_of_a_union_is_reported_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"data\.path: ") as caught:
        load(tmp_path, "data.path=3")
    assert len(caught.value.parts) == 1
    assert caught.value.message.count("data.path: ") == 1


def test_only_ten_mistakes_of_a_foreign_file_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakesError) as caught:
        load(tmp_path, text="\n".join(f"key_{n}: {n}" for n in range(30)))
    assert [part.message for part in caught.value.parts[-1:]] == ["20 more mistakes"]
