"""The section `model.trees`: the settings of boosted trees."""

from __future__ import annotations

from pydantic import Field

from pipeline.config.base import Section


class TreesConfig(Section):
    """Boosted trees, for `model.family: trees`; LightGBM's own name of a setting is in brackets."""

    iterations: int = Field(default=10_000, ge=1)
    """The most iterations; each adds one tree, or one tree for each of three or more classes \
(`num_iterations`). Early stopping ends nearly all fits before."""
    early_stopping: int = Field(default=50, ge=0)
    """The number of iterations without a lower eval loss after which training ends; 0 trains all \
iterations. Training on classes also ends as soon as the eval loss is so low that the rows of \
split eval cannot tell it from 0."""
    learning_rate: float = Field(default=0.05, gt=0)
    """The share of each tree's correction that is added to the model (`learning_rate`)."""
    leaves: int = Field(default=31, ge=2, le=1024)
    """The most leaves of a tree (`num_leaves`)."""
    depth: int | None = Field(default=None, ge=1)
    """The most levels of a tree (`max_depth`; default: no limit)."""
    min_leaf_rows: int = Field(default=20, ge=1)
    """The fewest training rows of a leaf (`min_data_in_leaf`)."""
    row_share: float = Field(default=1.0, gt=0, le=1)
    """The share of the rows that each iteration sees, drawn anew each time (`bagging_fraction`)."""
    column_share: float = Field(default=1.0, gt=0, le=1)
    """The share of the columns that each tree may use, drawn for each tree (`feature_fraction`)."""
    l1: float = Field(default=0.0, ge=0)
    """The L1 penalty on the scores of leaves (`lambda_l1`)."""
    l2: float = Field(default=1.0, ge=0)
    """The L2 penalty on the scores of leaves, which keeps leaves with few rows of a class small \
(`lambda_l2`)."""
    bins: int = Field(default=255, ge=2, le=65535)
    """The most bins that the values of a column are sorted into (`max_bin`)."""
    min_category_rows: int | None = Field(default=None, ge=1)
    """The fewest rows of a group of categories in a split (`min_data_per_group`; default: a \
fiftieth of the training rows, at least 10 and at most 100)."""
    category_smoothing: float = Field(default=10.0, ge=0)
    """The weight of the mean of all rows in the order of the categories (`cat_smooth`)."""
    category_l2: float = Field(default=10.0, ge=0)
    """The additional L2 penalty in splits by category (`cat_l2`)."""
    text_tokens: int = Field(default=100, ge=0, le=10_000)
    """The most frequent tokens of a text feature that each become a column, 1 where the text has \
the token; 0 leaves only the number of tokens. With `tfidf_buckets`, the columns are the TF-IDF \
weights of the n-grams that are most related to the label."""
    backup_iterations: int = Field(default=100, ge=1)
    """The iterations between two backups; an interrupted training continues from the last \
backup with the same result."""
