from pipeline.report.charts import chart


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
