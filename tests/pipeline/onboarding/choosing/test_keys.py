"""The column that the rows are divided by."""

import numpy as np
import pytest

from pipeline.onboarding.choosing.keys import find_split_key, hint_at_keys

RANDOM = np.random.default_rng(11)
ROWS = 3000
OWNERS = RANDOM.integers(0, 697, ROWS)


def find_key(to_columns, **columns):
    label = columns.pop("y", RANDOM.integers(0, 2, ROWS))
    table = {"y": label, **columns}
    texts = {n: [None if v is None else str(v) for v in values] for n, values in table.items()}
    found = find_split_key(to_columns(texts), "y")
    return found and found.value


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("CustomerID", OWNERS + 10_000),
        ("id", OWNERS),
        ("customer", OWNERS),
        ("user", [f"u{v}" for v in OWNERS]),
        ("patient", OWNERS),
        ("device", [f"{v:06x}" for v in OWNERS]),
        ("Kunden-Nr", OWNERS),
        ("email", [f"{v}@mail.example" for v in OWNERS]),
        ("contact", [f"{v}@mail.example" for v in OWNERS]),
        ("token", [f"00000000-0000-0000-0000-{v:012x}" for v in OWNERS]),
    ],
)
def test_whoever_owns_several_rows_is_a_key(to_columns, name, values):
    assert find_key(to_columns, **{name: values}) == name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("store_id", RANDOM.integers(0, 10, ROWS)),
        ("customer_id", RANDOM.integers(0, 10, ROWS)),
        ("customer_id", np.arange(ROWS)),
        ("customer_age", RANDOM.integers(18, 400, ROWS)),
        ("customers", RANDOM.integers(0, 500, ROWS)),
        ("product_id", OWNERS),
        ("town", [f"town {v}" for v in OWNERS]),
    ],
)
def test_column_without_many_recurring_owners_is_no_key(to_columns, name, values):
    assert find_key(to_columns, **{name: values}) is None


def test_a_key_that_only_some_rows_share_is_found(to_columns):
    """1.3 rows a subject, as in a study: a third of the rows belongs to subjects with several."""
    subjects = np.concatenate([np.arange(2000), 2000 + np.arange(1000) // 5])
    assert find_key(to_columns, subject_id=subjects) == "subject_id"
    assert find_key(to_columns, subject_id=np.maximum(subjects, 300)) is None


def test_rows_without_a_key_are_told(to_columns):
    customers = [None if i % 20 == 0 else v for i, v in enumerate(OWNERS)]
    texts = {"y": ["0", "1"] * (ROWS // 2), "customer_id": customers}
    columns = to_columns({n: [None if v is None else str(v) for v in c] for n, c in texts.items()})
    found = find_split_key(columns, "y")
    assert found.value == "customer_id"
    assert "in 3,000 rows, of which 5 % have none and go to train: someone" in found.why
    mostly_missing = [v if i % 8 else None for i, v in enumerate(OWNERS)]
    assert find_key(to_columns, customer_id=mostly_missing) is None


def test_names_with_like_labels_earn_a_hint(to_columns):
    labels = RANDOM.normal(size=697)[OWNERS] + 2 * RANDOM.normal(size=ROWS)
    names = [
        f"The {'abcdefghij'[v % 10]} and {chr(97 + v % 26)}{chr(97 + v // 26)}" for v in OWNERS
    ]
    columns = to_columns({"y": [f"{v:.4f}" for v in labels], "shop_name": names, "town": names})
    assert list(hint_at_keys(columns, "y", ["shop_name", "town"])) == ["shop_name"]


def test_number_whose_rows_have_like_labels_is_a_key(to_columns):
    labels = RANDOM.integers(0, 2, 697)[OWNERS]
    flipped = np.where(RANDOM.random(ROWS) < 0.1, 1 - labels, labels)
    assert find_key(to_columns, y=flipped, order_no=OWNERS) == "order_no"


def test_household_is_the_key_of_its_members(to_columns):
    members = {"member_id": OWNERS, "household_id": OWNERS // 3, "user_id": (OWNERS * 7) % 451}
    assert find_key(to_columns, **members) == "household_id"


def test_codes_with_like_labels_earn_a_hint(to_columns):
    labels = RANDOM.normal(size=697)[OWNERS] + 2 * RANDOM.normal(size=ROWS)
    planes = [f"N{v}AA" for v in OWNERS]
    shuffled = RANDOM.permutation(planes).tolist()
    columns = to_columns({"y": [f"{v:.4f}" for v in labels], "plane": planes, "other": shuffled})
    (hint,) = hint_at_keys(columns, "y", ["plane", "other"]).values()
    assert hint.startswith("plane: 681 different values in 3,000 rows")
    assert "`--key-column plane`" in hint
