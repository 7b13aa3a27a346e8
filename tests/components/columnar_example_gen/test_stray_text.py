"""A few words among numbers are refused; a column of text is not."""

import pytest

from components.columnar_example_gen.stray_text import find_number_columns, refuse_stray_text
from components.tables.readers import iter_blocks
from pipeline.config import DataConfig
from pipeline.core.errors import DataError


def test_columns_with_hardly_any_word_in_the_first_block_count_as_numbers(write):
    rows = [f"{i},{i},007,x{i}" for i in range(199)]
    path = write("t.csv", "\n".join(["number,few,code,text", *rows, "5,none,008,y", ""]))
    block = next(iter_blocks([path], DataConfig(path=(str(path),))))
    names = ["number", "few", "code", "text"]
    assert find_number_columns(block, names) == {"number", "few", "code"}


def test_one_word_among_a_thousand_numbers_is_refused_with_its_line(write):
    path = write("t.csv", "n\n" + "1\n" * 998 + "none\n" + "1\n")
    data = DataConfig(path=(str(path),))
    with pytest.raises(DataError, match=r"t\.csv:1000: column 'n': 'none' stands among numbers"):
        refuse_stray_text([path], data, ["n"])


def test_two_words_among_a_thousand_numbers_make_the_column_text(write):
    path = write("t.csv", "n\n" + "1\n" * 998 + "none\n" * 2)
    refuse_stray_text([path], DataConfig(path=(str(path),)), ["n"])
