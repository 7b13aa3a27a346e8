"""The example that the pages show."""

from pathlib import Path

from pipeline.core.date_formats import TimeColumn
from serving.model.example_row import add_usual_values, read_examples
from serving.rows.signature import Signature, Tensor

SIGNATURE = Signature(
    "s",
    (
        Tensor("count", "int64", 2, 1),
        Tensor("größe (cm)", "float32", 2, 1),
        Tensor("payment", "string", 2, 1),
    ),
    (),
)


def test_the_example_is_a_usual_row_without_rare_values(pushed: Path) -> None:
    examples = read_examples(str(pushed / ".reference" / "1" / "statistics"), SIGNATURE)
    assert {name: example.value for name, example in examples.items()} == {
        "count": None,
        "größe (cm)": 1.235,
        "payment": "Cash",
    }
    assert examples["payment"].choices == ("Cash", "Card")


def test_a_frequent_text_that_is_no_time_is_no_example_of_a_time(pushed: Path) -> None:
    day = Tensor("payment", "string", 2, 1, TimeColumn("iso"))
    directory = str(pushed / ".reference" / "1" / "statistics")
    example = read_examples(directory, Signature("s", (day,), ()))["payment"]
    assert (example.value, example.choices) == ("2026-11-20T14:40:00", ())


def test_error_messages_get_the_most_frequent_text(pushed: Path) -> None:
    examples = read_examples(str(pushed / ".reference" / "1" / "statistics"), SIGNATURE)
    signature = add_usual_values(SIGNATURE, examples)
    assert [tensor.usual for tensor in signature.inputs] == ["", "", "Cash"]


def test_a_model_without_statistics_has_an_example_of_missing_values(tmp_path: Path) -> None:
    for content in (None, b"\xff\xff"):
        if content:
            (tmp_path / "Split-train").mkdir()
            (tmp_path / "Split-train" / "FeatureStats.pb").write_bytes(content)
        examples = read_examples(str(tmp_path), SIGNATURE)
        assert [example.value for example in examples.values()] == [None] * 3
