"""The feature kind of a column, by its values and, where they leave it open, by its name."""

import datetime

import numpy as np
import pytest

from pipeline.config.sections.features import Timestamp

RANDOM = np.random.default_rng(7)
ROWS = 400
MOMENTS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=50 * i) for i in range(ROWS)]


def feature_of(propose, signal, name, values, **dialect):
    """The feature proposed for a column of these values, beside one that predicts the label."""
    config = propose({**signal(), name: list(values)}, **dialect).config
    return config.features.get(name)


def codes(count, digits=0):
    return [f"{i % count:0{digits}d}" for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("height", RANDOM.normal(170, 10, ROWS).round(1), "numeric"),
        ("height", [f" {v:.1f} " for v in RANDOM.normal(170, 10, ROWS)], "numeric"),
        ("height", RANDOM.normal(170, 10, ROWS).round(0), "numeric"),
        ("area", RANDOM.integers(40, 4000, ROWS), "numeric"),
        ("community_area", codes(77), "categorical"),
        ("rooms", codes(6), "categorical"),
        ("age", codes(60), "numeric"),
        ("year", [str(2000 + i % 3) for i in range(ROWS)], "numeric"),
        ("month", codes(12), "categorical"),
        ("dayofweek", codes(7), "categorical"),
        ("product_code", codes(150), "categorical"),
        ("zip", codes(90, digits=5), "categorical"),
        ("latitude", RANDOM.normal(41.8, 0.1, ROWS), "bucketized"),
        ("lng", RANDOM.normal(-87.6, 0.1, ROWS), "bucketized"),
        ("latitude", RANDOM.normal(4180, 1, ROWS), "numeric"),
        ("smoker", ["yes", "no"] * 200, "boolean"),
        ("smoker", ["TRUE", "FALSE", "NA", "TRUE"] * 100, "boolean"),
        ("smoker", codes(2), "boolean"),
        ("smoker", ["0.0", "1.0"] * 200, "boolean"),
        ("sex", ["male", "female"] * 200, "categorical"),
        ("sex", codes(2).__class__(["1", "2"] * 200), "categorical"),
        ("city", [f"city {i % 40}" for i in range(ROWS)], "categorical"),
        ("flag", ["x", ""] * 200, "categorical"),
        ("note", [f"the quick brown fox number {i} jumps" for i in range(ROWS)], "text"),
        ("when", [m.isoformat() for m in MOMENTS], "timestamp"),
    ],
)
def test_kind(propose, signal, name, values, kind):
    assert feature_of(propose, signal, name, values).kind == kind


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [str(10_000 + 3 * i) for i in range(ROWS)]),
        ("PassengerId", range(ROWS)),
        ("order_no", RANDOM.permutation(10 * ROWS)[:ROWS]),
        ("row", range(1, ROWS + 1)),
        ("shuffled", RANDOM.permutation(ROWS)),
        ("uuid", [f"{i:032x}" for i in RANDOM.permutation(10**6)[:ROWS]]),
        ("name", [f"Nobody{i}" for i in range(ROWS)]),
        ("constant", [3] * ROWS),
        ("empty", [""] * ROWS),
        ("rare", ["1.5" if i == 9 else "" for i in range(ROWS)]),
    ],
)
def test_left_out(propose, signal, name, values):
    assert feature_of(propose, signal, name, values) is None


def test_words_among_numbers_make_categories_or_are_left_out(propose, signal):
    rooms = ["many" if i % 9 == 0 else str(i % 5) for i in range(ROWS)]
    copy = ["no" if i % 80 == 0 and not y else f"{y}" for i, y in enumerate(signal()["y"])]
    config = propose({**signal(), "rooms": rooms, "copy": copy}).config
    assert set(config.features) == {"x", "c", "rooms"}
    assert config.features["rooms"].kind == "categorical"
    assert config.data.types == {"rooms": "string", "copy": "string"}


def test_an_identifier_in_rows_that_are_repeated(propose, signal):
    table = {**signal(), "uuid": [f"{i:032x}" for i in RANDOM.permutation(10**6)[:ROWS]]}
    twice = {name: [*values, *values[::3]] for name, values in table.items()}
    assert set(propose(twice).config.features) == {"x", "c"}


def test_left_out_columns_stand_as_comments(propose, signal, tmp_path):
    propose({**signal(), "passenger_id": range(ROWS), "k": ["same"] * ROWS})
    lines = (tmp_path / "config.yaml").read_text().splitlines()
    assert "  # passenger_id: left out, all values differ" in lines
    assert "  # k: left out, constant, always 'same'" in lines


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (RANDOM.normal(size=ROWS), "standard"),
        (RANDOM.uniform(0, 1e9, ROWS), "standard"),
        (RANDOM.lognormal(3, 1.5, ROWS), "log"),
        (np.where(RANDOM.random(ROWS) < 0.05, 1e6 * RANDOM.random(ROWS), -1.0), "standard"),
    ],
)
def test_scale(propose, signal, values, scale):
    assert feature_of(propose, signal, "amount", values).scale == scale


@pytest.mark.parametrize(
    ("usual", "odd", "share", "remark"),
    [
        (RANDOM.integers(1, 41, ROWS), 999, 0.1, "999 in 10 % of the values"),
        (RANDOM.integers(1920, 2023, ROWS), 0, 0.05, "0 in 5 % of the values"),
        (RANDOM.normal(50, 9, ROWS).round(2), -999.0, 0.2, "-999.0 in 20 % of the values"),
        (RANDOM.integers(1, 41, ROWS), 999, 0.01, ""),
        (RANDOM.integers(1, 41, ROWS), 60, 0.1, ""),
        (RANDOM.integers(1, 1000, ROWS), 0, 0.5, ""),
        (RANDOM.integers(0, 9, ROWS), 99, 0.1, ""),
        (RANDOM.lognormal(3, 1.5, ROWS).round(2), 0, 0.3, ""),
    ],
)
def test_numbers_that_may_mean_missing_are_remarked(
    propose, signal, tmp_path, usual, odd, share, remark
):
    values = [odd if i % (1 / share) < 1 else v for i, v in enumerate(usual)]
    proposal = propose({**signal(), "amount": values})
    line = next(
        line for line in (tmp_path / "config.yaml").read_text().splitlines() if "amount:" in line
    )
    advice = f"{remark}, far from all others: if it means missing, add it to data.csv.missing"
    assert (advice in line) == ("data.csv.missing" in line) == bool(remark)
    assert proposal.config.data.csv.missing == ("",)


@pytest.mark.parametrize(
    ("written", "date_format"),
    [
        ("%Y-%m-%d", "iso"),
        ("%Y-%m-%d %H:%M:%S", "iso"),
        ("%Y-%m-%dT%H:%M:%S.000Z", "iso"),
        ("%Y%m%d", "iso"),
        ("%m/%d/%Y %I:%M:%S %p", "month_first"),
        ("%d.%m.%Y %H:%M", "day_first"),
        ("%d/%m/%y", "day_first"),
        ("%s", "epoch_seconds"),
        ("%s000", "epoch_milliseconds"),
    ],
)
def test_timestamp_format(propose, signal, written, date_format):
    values = [
        written.replace("%s", str(int(m.replace(tzinfo=datetime.timezone.utc).timestamp())))
        if "%s" in written
        else m.strftime(written)
        for m in MOMENTS
    ]
    feature = feature_of(propose, signal, "start_time", values)
    assert isinstance(feature, Timestamp)
    assert feature.format == date_format
    assert ("hour" in feature.parts) == any(mark in written for mark in ("%H", "%I", "%s"))
    assert {"day", "month", "year"} <= set(feature.parts)


def test_a_clock_of_24_hours_that_says_pm_is_read(propose, signal):
    values = [m.strftime("%m/%d/%Y %H:%M %p") for m in MOMENTS]
    assert feature_of(propose, signal, "start", values).format == "month_first"


@pytest.mark.parametrize(
    "odd", ["2021-02-30", "2021-04-31 10:00", "2021-04-30 10:60", "2021-04-30 13:05 AM"]
)
def test_what_transform_would_refuse_is_not_proposed(propose, signal, odd):
    values = [odd if i % 12 == 0 else m.isoformat() for i, m in enumerate(MOMENTS)]
    proposal = propose({**signal(), "start": values})
    assert "start" not in proposal.config.features


def test_days_that_could_be_months_are_told_by_the_mark(propose, signal):
    values = [f"{1 + i % 12:02d}.{1 + i % 11:02d}.2020" for i in range(ROWS)]
    assert feature_of(propose, signal, "d", values).format == "day_first"
    values = [v.replace(".", "/") for v in values]
    assert feature_of(propose, signal, "d", values).format == "month_first"


def test_ten_digits_are_no_time_under_another_name(propose, signal):
    values = [str(1_400_000_000 + 991 * i) for i in range(ROWS)]
    assert feature_of(propose, signal, "phone", values).kind == "numeric"


def test_high_cardinality_is_hashed(propose, signal):
    table = signal(40_000)
    table["user"] = [f"user {i}" for i in RANDOM.integers(0, 15_000, 40_000)]
    assert propose(table).config.features["user"].kind == "hashed"


def test_many_rare_categories_share_a_bucket(propose, signal):
    """Below a three-hundredth of the rows; where that is nearly all of them, the rarest."""
    table = signal(3000)
    table["town"] = [f"T{i}" for i in (*range(20),) * 120 + tuple(20 + i // 2 for i in range(600))]
    town = propose(table).config.features["town"]
    assert (town.min_count, town.embedding_dimension) == (10, None)
    table["town"] = [f"T{i}" for i in RANDOM.integers(0, 700, 3000)]
    town = propose(table).config.features["town"]
    assert (town.min_count, town.embedding_dimension) == (5, 1)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        pytest.param("zip", codes(90, digits=5), id="leading zeros"),
        pytest.param("code", ["" if i % 7 == 0 else str(i % 5) for i in range(ROWS)], id="gaps"),
        pytest.param("code", [f"{i % 5}.0" for i in range(ROWS)], id="floats"),
    ],
)
def test_codes_that_inference_could_spoil_are_read_as_text(propose, signal, name, values):
    config = propose({**signal(), name: values}).config
    assert config.features[name].kind == "categorical"
    assert config.data.types == {name: "string"}


def test_codes_without_a_gap_need_no_type(propose, signal):
    assert propose({**signal(), "code": codes(5)}).config.data.types == {}


@pytest.mark.parametrize("written", ["({:,.2f})", "{:.1f} km"])
def test_numbers_in_disguise(propose, signal, written):
    values = [written.format(v) for v in RANDOM.uniform(1000, 1e6, ROWS)]
    assert "price" not in propose({**signal(), "price": values}).config.features


def test_nothing_to_learn_from(propose):
    with pytest.raises(Exception, match="no column to learn from") as caught:
        propose({"id": range(50), "y": [0, 1] * 25})
    assert caught.value.hint == "id: all values differ"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (["%d-%b-%Y"], "names of months"),
        (["%b %d, %Y"], "names of months"),
        (["%a, %d %B %Y %H:%M:%S"], "names of months"),
        (["%Y-%m-%d", "%d.%m.%Y"], "several formats"),
        (["%Y-%m-%d", "%d %b %y"], "several formats"),
    ],
)
def test_dates_that_are_not_read(propose, signal, written, reason):
    values = [m.strftime(written[i % len(written)]) for i, m in enumerate(MOMENTS)]
    proposal = propose({**signal(), "when": values})
    assert "when" not in proposal.config.features
    assert any(w.startswith("when: left out, dates") and reason in w for w in proposal.warnings)


def test_dates_that_no_calendar_or_century_has(propose, signal):
    values = ["9999-12-31" if i % 2 else f"2024-02-{1 + i % 28:02}" for i in range(len(MOMENTS))]
    proposal = propose({**signal(), "until": values})
    assert "until" not in proposal.config.features
    [told] = [w for w in proposal.warnings if w.startswith("until: ")]
    assert "not in 1800 to 2200; empty those cells" in told


def test_large_row_numbers_are_not_told_rounded(propose, signal):
    rows = len(next(iter(signal().values())))
    proposal = propose({**signal(), "n": [2**63 - 1 - i for i in range(rows)]})
    assert "n" not in proposal.config.features
    assert "consecutive numbers" in proposal.path.read_text()
