import re
from itertools import combinations

import example_reports as examples
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.content import ComponentRow
from pipeline.report.dag_layout import BOX, Drawing, draw_dag

HEIGHT = 0.75


def component(name: str, *upstream: str) -> ComponentRow:
    return ComponentRow(name, "complete", 1.0, None, None, upstream)


def edges(drawing: Drawing) -> set[tuple[str, str]]:
    return {(arrow.start, arrow.end) for arrow in drawing.arrows}


def test_the_longest_chain_stands_in_the_first_lane_and_ends_with_the_push() -> None:
    drawing = draw_dag(examples.components(), HEIGHT)
    lanes = {box.component.name: box.lane for box in drawing.boxes}
    assert {name for name, lane in lanes.items() if lane} == {"Reference", "ModelFigures"}
    assert drawing.lanes == 2
    assert drawing.layers == 14


def test_a_node_beside_the_chain_stands_just_above_its_child() -> None:
    drawing = draw_dag(examples.components(), HEIGHT)
    layers = {box.component.name: box.layer for box in drawing.boxes}
    assert layers["Reference"] == layers["SchemaCurator"] - 1


def test_arrows_that_say_nothing_new_are_left_out() -> None:
    drawing = draw_dag([component("a"), component("b", "a"), component("c", "a", "b")], HEIGHT)
    assert edges(drawing) == {("a", "b"), ("b", "c")}


def test_an_arrow_over_several_layers_runs_beside_the_boxes() -> None:
    nodes = [component("a"), component("b", "a"), component("c", "b"), component("s", "a")]
    drawing = draw_dag([*nodes, component("t", "s"), component("z", "c", "t")], HEIGHT)
    assert len(drawing.arrows) == 6
    for arrow in drawing.arrows:
        assert re.fullmatch(r"[MCL\d., e-]+", arrow.path)


def test_names_of_nodes_that_are_not_there_are_ignored() -> None:
    assert edges(draw_dag([component("a", "gone", "a")], HEIGHT)) == set()


def test_no_components_make_an_empty_drawing() -> None:
    assert draw_dag([], HEIGHT) == Drawing(lanes=1, layers=0, boxes=(), arrows=())


@given(st.lists(st.sets(st.integers(0, 11)), min_size=1, max_size=12))
def test_boxes_never_overlap_and_arrows_point_down(parents: list[set[int]]) -> None:
    nodes = [
        component(str(i), *(str(p) for p in sorted(above) if p < i))
        for i, above in enumerate(parents)
    ]
    drawing = draw_dag(nodes, HEIGHT)
    places = {box.component.name: (box.lane, box.layer) for box in drawing.boxes}
    assert len(set(places.values())) == len(nodes)
    assert all(
        lane < drawing.lanes and 0 <= layer < drawing.layers for lane, layer in places.values()
    )
    assert all(places[start][1] < places[end][1] for start, end in edges(drawing))
    for arrow, (lane, layer) in ((a, p) for a in drawing.arrows for p in places.values()):
        for x, low, high in straight_parts(arrow.path):
            crosses = layer < high - 1e-9 and low < layer + HEIGHT - 1e-9
            assert not (crosses and abs(x - lane - 0.5) < BOX / 2 - 1e-9), (arrow, lane, layer)


def straight_parts(path: str) -> list[tuple[float, float, float]]:
    """The vertical lines of a path: x, upper end, lower end."""
    points = [tuple(map(float, p.split(","))) for p in re.findall(r"[\d.e-]+,[\d.e-]+", path)]
    lines = re.findall(r"([\d.e-]+),([\d.e-]+)L([\d.e-]+),([\d.e-]+)", path)
    assert len(points) >= 4
    return [(float(x), float(y), float(end)) for x, y, _, end in lines]


def test_long_arrows_do_not_lie_over_each_other() -> None:
    nodes = [component("a"), component("b", "a"), component("c", "b"), component("d", "c")]
    nodes += [component("s", "a"), component("t", "b"), component("e", "d", "s", "t")]
    drawing = draw_dag(nodes, HEIGHT)
    tracks = [part for arrow in drawing.arrows for part in straight_parts(arrow.path)]
    for (x, low, high), (other, start, end) in combinations(tracks, 2):
        assert x != other or high <= start or end <= low
