"""A split as the matrix that LightGBM takes."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
from tiny_models import Trained

from trainer_module.heads import make_head
from trainer_module.input.examples import Examples, open_examples
from trainer_module.input.row_weights import EQUAL, RowWeights
from trainer_module.names import LABEL_KEY
from trainer_module.sections import Sections
from trainer_module.trees.inputs import TreeInputs
from trainer_module.trees.table import read_table

pytestmark = pytest.mark.slow


def open_all(trained: Trained) -> tuple[Sections, TreeInputs, Examples]:
    sections = Sections(trained.fn_args.custom_config)
    output = tft.TFTransformOutput(trained.fn_args.transform_graph_path)
    examples = open_examples(trained.fn_args.train_files, output.transformed_feature_spec())
    return sections, TreeInputs(sections.encoded_features, output, 3), examples


def test_the_rows_are_those_that_the_served_model_computes(multiclass_trees: Trained) -> None:
    sections, inputs, examples = open_all(multiclass_trees)
    head = make_head(sections.label, examples.labels)
    table = read_table(examples, inputs, head, RowWeights(by_class=(1.0, 2.0, 3.0)))
    columns = examples.layout.views(examples.load(0, examples.row_count))
    labels = columns.pop(LABEL_KEY)[:, 0]
    rows = inputs({name: tf.constant(values) for name, values in columns.items()}).numpy()
    np.testing.assert_array_equal(table.rows, rows)
    np.testing.assert_array_equal(table.targets, labels)
    np.testing.assert_array_equal(table.weights, labels + 1.0)


def test_rows_without_a_known_label_are_left_out(
    multiclass_trees: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections, inputs, examples = open_all(multiclass_trees)
    head = make_head(sections.label, examples.labels)
    labels = examples.labels.copy()
    labels[3] = -1
    monkeypatch.setattr(examples, "labels", labels)
    whole = open_all(multiclass_trees)[2]
    wanted = np.delete(read_table(whole, inputs, head, EQUAL).rows, 3, axis=0)
    table = read_table(examples, inputs, head, EQUAL)
    np.testing.assert_array_equal(table.rows, wanted)
    assert len(table.targets) == examples.row_count - 1
    assert table.weights is None


def test_labels_of_a_regression_are_standardized(regression_trees: Trained) -> None:
    sections, inputs, examples = open_all(regression_trees)
    head = make_head(sections.label, examples.labels)
    targets = read_table(examples, inputs, head, EQUAL).targets
    assert targets.mean() == pytest.approx(0, abs=1e-5)
    assert targets.std() == pytest.approx(1, abs=1e-5)
