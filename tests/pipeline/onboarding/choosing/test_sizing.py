"""Model size and training settings by task and number of rows."""

from dataclasses import replace

import pytest

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.onboarding.choosing.sizing import guess_size
from pipeline.onboarding.guess import Guess
from trainer_module.input.batching import Replicas, training_batching


@pytest.mark.parametrize("rows", [6, 100, 2000, 50_000, 10**7])
def test_sizes_grow_with_the_table(rows):
    size, larger = guess_size(rows, "binary"), guess_size(10 * rows, "binary")
    assert 8 <= size.global_batch_size.value <= larger.global_batch_size.value <= 1024
    assert 10 <= min(size.epochs.value, larger.epochs.value) <= 1000
    assert size.patience_steps.value == larger.patience_steps.value
    assert sum(size.hidden_units.value) <= sum(larger.hidden_units.value)


@pytest.mark.parametrize("rows", [132, 400, 2793, 100_000])
def test_named_steps_per_epoch_are_those_of_the_trainer(rows):
    size = guess_size(rows, "regression")
    steps = training_batching(rows, size.global_batch_size.value, Replicas()).steps
    assert size.global_batch_size.why == f"{steps:,} steps per epoch"


@pytest.mark.parametrize("rows", [106, 130, 1000, 20_000, 100_000])
def test_patience_and_not_the_last_epoch_ends_a_fit_of_few_rows(rows):
    size = guess_size(rows, "binary")
    steps = size.epochs.value * (rows // size.global_batch_size.value)
    assert steps == pytest.approx(12_000, rel=0.02)
    assert steps > 10 * size.patience_steps.value


def test_many_rows_get_one_network_and_regression_no_dropout():
    """Several times the seconds are little on few rows, and too much on many."""
    assert guess_size(100_000, "binary").to_model_config().blend.network == "ensemble"
    assert guess_size(1_000_000, "binary").to_model_config().blend.network == "wide_deep"
    assert guess_size(1000, "binary").dropout.value > guess_size(1000, "regression").dropout.value


def test_the_model_of_a_large_table_has_the_limits_of_its_trees():
    size = guess_size(10**7, "regression")
    assert size.to_model_config().trees == TreesConfig()
    limited = replace(size, tree_iterations=Guess(60, ""), tree_learning_rate=Guess(0.3, ""))
    assert limited.to_model_config().trees == TreesConfig(iterations=60, learning_rate=0.3)


def test_the_tokens_of_texts_are_as_many_columns_as_memory_and_serving_allow():
    default = TreesConfig().text_tokens
    assert guess_size(5_000, "multiclass").text_tokens == default
    assert guess_size(5_000, "multiclass", texts=1).text_tokens == 1_000
    assert guess_size(100_000, "multiclass", texts=4).text_tokens == 250
    assert guess_size(10_000_000, "multiclass", texts=1).text_tokens == default
    assert guess_size(5_000, "multiclass", texts=2, outputs=20).text_tokens == 250
    assert guess_size(5_000, "multiclass", texts=1, outputs=200).text_tokens == default


def test_the_comment_on_the_family_claims_nothing_that_was_not_measured():
    why = guess_size(1000, "binary").family.why
    assert "better" not in why
    assert "docs/quality.md" in why


def test_the_epochs_name_no_time_beside_that_of_the_budget():
    """Texts, embeddings and trees take time as well, and only the budget knows of them."""
    assert "minute" not in guess_size(6900, "regression").epochs.why
    assert "minute" not in guess_size(1_000_000, "regression").epochs.why
