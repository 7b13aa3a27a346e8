import re
from importlib import resources
from itertools import combinations

import numpy as np
import pytest

from pipeline.report.charts import chart

STYLE = (resources.files("pipeline.report") / "templates/page.css").read_text(encoding="utf-8")
LIGHT, DARK = re.findall(r"^:root.*?^}", STYLE, re.MULTILINE | re.DOTALL)
SIGHTS = {
    "all cones": np.eye(3),
    # Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip


def linear(theme: str, name: str) -> np.ndarray:
    """Returns a colour of the style sheet as linear RGB."""
    [code] = re.findall(rf"--{name}: #(\w{{6}})", theme)
    value = np.array([int(code[i : i + 2], 16) for i in (0, 2, 4)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(colour: np.ndarray) -> np.ndarray:
    """Returns linear RGB in CIE L*a*b*, in which a distance is what eyes see."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ colour.clip(0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_classes_differ_by_colour_or_dashes_also_for_the_colour_blind(
    theme: str, sight: str
) -> None:
    seen = [lab(SIGHTS[sight] @ linear(theme, c[6:-1])) for c in chart.CLASS_COLOURS]
    for (a, one), (b, other) in combinations(enumerate(seen), 2):
        if chart.CLASS_DASHES[a] == chart.CLASS_DASHES[b]:
            assert np.linalg.norm(one - other) > 10, (a + 1, b + 1)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_classes_stand_out_from_the_paper_and_are_no_colour_of_a_sample(theme: str) -> None:
    def luminance(name: str) -> float:
        return float(linear(theme, name) @ [0.2126, 0.7152, 0.0722])

    samples = [linear(theme, colour[6:-1]).tolist() for colour in chart.SAMPLE_COLOURS.values()]
    for colour in chart.CLASS_COLOURS:
        low, high = sorted((luminance(colour[6:-1]), luminance("paper")))
        assert (high + 0.05) / (low + 0.05) >= 3, colour
        assert linear(theme, colour[6:-1]).tolist() not in samples


def test_a_single_layer_stands_in_the_specification_itself() -> None:
    mark = {"mark": "bar"}
    assert chart.plot(100, mark) == {"width": "container", "height": 100, "mark": "bar"}
    assert chart.plot(100, mark, mark)["layer"] == [mark, mark]


def test_rows_of_names_make_the_height() -> None:
    assert [chart.rows_high(n) for n in (0, 1, 10)] == [22, 22, 220]


def test_channels_have_fixed_fields_and_keep_the_order_of_the_data() -> None:
    assert chart.x("epoch") == {"field": "x", "type": "quantitative", "title": "epoch"}
    assert chart.y("share", field="low")["field"] == "low"
    assert chart.names("group", "title", labelAngle=-20)["sort"] is None
    colours = chart.colour(["var(--train)"], legend=False)
    assert (colours["field"], colours["sort"], colours["legend"]) == ("group", None, None)
    assert "domain" not in colours["scale"]


def test_tooltips_write_numbers_short_and_names_as_they_are() -> None:
    name, number = chart.tips(name="Column", x="Value")
    assert name == {"field": "name", "title": "Column", "type": "nominal"}
    assert number["type"] == "quantitative"


def test_a_layer_can_keep_some_rows() -> None:
    layer = chart.only("group", "train")
    assert layer == {"transform": [{"filter": {"field": "group", "equal": "train"}}]}


def test_histograms_over_each_other_start_at_zero() -> None:
    spec = chart.overlaid_bars("value", "rows", {"format": ",d"})
    assert spec["encoding"]["y2"] == {"datum": 0}
    assert spec["encoding"]["y"]["stack"] is None


def test_dashes_share_the_legend_of_the_colours() -> None:
    """Legends of one field are one legend only if they have the same title."""
    dashes, colours = chart.dashes([(1, 0), (5, 3)]), chart.colour(["var(--train)"])
    assert (dashes["field"], dashes["title"]) == (colours["field"], colours["title"])


def test_dates_stand_on_an_axis_of_their_own() -> None:
    assert chart.value_x(None)["title"] == "value"
    assert chart.value_x(1000)["title"] == "date (UTC)"
