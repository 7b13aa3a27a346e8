import math

import pytest
from markupsafe import Markup

from components.model_figures.figures import Estimate
from pipeline.report import words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.nan, "undefined"),
        (0.5, "0.5"),
        (-0.12345, "−0.1235"),
        (15_000.4, "15,000"),
        (0, "0"),
        (0.0000123, "1.23e−05"),
    ],
)
def test_a_number_has_four_digits(value: float | None, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.83, "0.8300"), (0.0121, "0.0121"), (4.1, "4.100"), (0.0, "0"), (2e4, "20,000")],
)
def test_measured_numbers_line_up(value: float, text: str) -> None:
    assert words.precise(value) == text


def test_a_difference_has_a_sign() -> None:
    assert [words.signed(v) for v in (0.5, -0.5, None)] == ["+0.5000", "−0.5000", "–"]


def test_an_interval_needs_both_bounds() -> None:
    assert words.interval(Estimate(1, 0.5, 1.5)) == "0.5000 to 1.500"
    assert words.interval(Estimate(1, None, 1.5)) == ""
    assert words.interval(None) == ""
    assert words.interval(Estimate(1, -0.0003, 1.5), 3) == "0.000 to 1.500"


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [(0.76, 0.84, 3), (0.8612, 0.8618, 5), (12.0, 19.0, 1), (5600, 6100, 0), (1.0, 1.0, None)],
)
def test_a_number_has_the_digits_that_its_interval_supports(
    low: float, high: float, digits: int | None
) -> None:
    assert words.digits_of(Estimate(low, low, high), None) == digits


def test_the_narrowest_interval_decides_on_the_digits() -> None:
    assert words.digits_of(Estimate(0.8, 0.7, 0.9), Estimate(0.01, 0.0098, 0.0102)) == 5
    assert words.digits_of(None, Estimate(1, None, None)) is None


def test_a_fixed_number_lines_up_and_zero_has_no_sign() -> None:
    assert [words.fixed(v, 3) for v in (1234.5, -0.0001, None)] == ["1,234.500", "0.000", "–"]
    assert words.fixed(0.5) == words.precise(0.5)
    assert [words.signed(v, 2) for v in (0.004, -0.5, 12)] == ["0.00", "−0.50", "+12.00"]


def test_code_in_a_sentence_is_code_and_inert() -> None:
    assert words.prose("Set `a.b=1`, <b>") == Markup(
        '<bdi class="cell">Set <code>a.b=<wbr>1</code>, &lt;b&gt;</bdi>'
    )
    assert "<code>" not in words.prose("one ` alone")
    assert "<details" in words.prose("x " * 600)
    assert str(words.prose("`<script>`")).count("<script>") == 0


def test_a_command_breaks_between_its_options_and_copies_as_it_is() -> None:
    text = "cd '/a b' && python -m pipeline run --set a=1 -n 3"
    shown = words.command(text)
    assert shown.striptags() == text
    assert str(shown).count('class="option"') == 5
    assert ' <span class="option">--set a=<wbr>1</span> ' in shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0, "0.0 s"),
        (0.02, "< 0.1 s"),
        (4.94, "4.9 s"),
        (59.96, "1 min 0 s"),
        (65, "1 min 5 s"),
        (7384, "2 h 3 min"),
        (9e5, "10.4 days"),
    ],
)
def test_a_duration_has_units(seconds: float | None, text: str) -> None:
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(None, "–"), (999, "999 bytes"), (1500, "1.5 kB"), (2e12, "2.0 TB"), (10**16, "10,000.0 TB")],
)
def test_a_file_size_has_a_unit(size: float | None, text: str) -> None:
    assert words.file_size(size) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-23T05:12:00+01:00", "23 November 2026, 05:12 UTC+01:00"),
        ("2026-11-23T05:12:00+00:00", "23 November 2026, 05:12 UTC"),
        ("2026-11-23T05:12:00", "23 November 2026, 05:12"),
        ("last week", "last week"),
    ],
)
def test_a_moment_is_written_for_people(text: str, shown: str) -> None:
    assert words.moment(text) == shown


def test_counts_shares_and_settings() -> None:
    assert (words.count(1234567), words.count(None)) == ("1,234,567", "–")
    assert (words.share(0.125), words.share(None), words.share(math.nan)) == ("12 %", "–", "–")
    assert [words.setting(v) for v in (0.1 + 0.2, [64, 32], True, None)] == [
        "0.3", "[64, 32]", "True", "–",
    ]  # fmt: skip


def test_a_name_is_escaped_and_shortened() -> None:
    assert words.name("<b>") == Markup("<bdi>&lt;b&gt;</bdi>")
    long = words.name("a" * 10_000)
    assert len(long) < 700
    assert "…" in long


def test_a_long_cell_can_be_opened_and_a_huge_one_is_cut() -> None:
    assert words.cell("x") == Markup('<bdi class="cell">x</bdi>')
    assert words.cell("a" * 10_000).count("a" * 10_000) == 1
    assert len(words.cell("a" * 1_000_000)) < 25_000


def test_lines_keep_their_breaks_but_no_other_control_character() -> None:
    assert words.lines("a\nb\x1b<") == "a\nb\\x1b&lt;"


def test_only_markup_leaves_a_template_as_it_is() -> None:
    assert words.finalize(Markup("<b>\n")) == "<b>\n"
    assert words.finalize("\u202e") == "\\u202e"
    assert words.finalize(None) is None


def test_names_that_look_the_same_when_shortened_are_numbered() -> None:
    assert words.distinct(["a" * 9, "a" * 8 + "b", "c"], 5) == ["1: aaaa…", "2: aaaa…", "c"]


@pytest.mark.parametrize(
    ("number", "milliseconds", "text"),
    [
        (1.5, None, "1.5"),
        (1358806500.0, 1000, "2013-01-21 22:15"),
        (1358806500123.0, 1, "2013-01-21 22:15"),
        (-3600.0, 1000, "1969-12-31 23:00"),
        (None, 1000, "–"),
        (1e30, 1000, "1e+30"),
    ],
)
def test_a_value_that_counts_time_is_written_as_a_date(
    number: float | None, milliseconds: int | None, text: str
) -> None:
    assert words.value(number, milliseconds) == text
