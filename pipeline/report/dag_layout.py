"""Where the drawing of the DAG puts its nodes and arrows.

The longest chain of nodes stands straight below each other in the first lane, since most of the
DAG is this chain. Other nodes stand in lanes to the right, as near to their neighbours as
possible. An arrow over several layers runs beside the boxes, between two lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import count

from pipeline.report.content import ComponentRow

BOX = 0.88
"""The width of a box, in lanes."""
_TRACK = 0.045
"""The distance between two arrows that run beside each other, in lanes."""


@dataclass(frozen=True)
class Box:
    """The place of a node; the drawing's width is `Drawing.lanes`, its height `Drawing.layers`."""

    component: ComponentRow
    lane: int
    layer: int


@dataclass(frozen=True)
class Arrow:
    """An arrow from the bottom of a box to the top of a later one."""

    start: str
    end: str
    path: str
    """The SVG path; x in lanes, y in layers, of which the box takes the upper part."""


@dataclass(frozen=True)
class Drawing:
    """The DAG, drawn from top to bottom."""

    lanes: int
    layers: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def draw_dag(components: Sequence[ComponentRow], box_height: float) -> Drawing:
    """Returns the drawing.

    Arrows that say nothing new are left out: if B waits for A and C for B, C waits for A as well.

    Args:
      box_height: the height of a box, in layers.
    """
    parents = _reduce({c.name: c.upstream for c in components})
    main = _longest_chain(parents)
    layers = _choose_layers(parents, main)
    lanes = _choose_lanes(layers, main)
    boxes = tuple(Box(c, lanes[c.name], layers[c.name]) for c in components)
    tracks: list[_Track] = []
    arrows = tuple(_draw_arrows(parents, boxes, box_height, tracks))
    return Drawing(
        lanes=max([lane + 1 for lane in lanes.values()] + [int(x) for x, *_ in tracks], default=1),
        layers=max(layers.values(), default=-1) + 1,
        boxes=boxes,
        arrows=arrows,
    )


_Parents = Mapping[str, tuple[str, ...]]
_Track = tuple[float, int, int]
"""The x of an arrow between two lanes, and the layers of its ends."""


def _reduce(upstream: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Returns the parents of each node that no other parent has as an ancestor."""
    order = {name: number for number, name in enumerate(upstream)}

    @cache
    def ancestors(name: str) -> frozenset[str]:
        # Only earlier nodes: the order of the run has no circle.
        parents = [p for p in upstream[name] if order.get(p, len(order)) < order[name]]
        return frozenset(parents).union(*map(ancestors, parents))

    def is_direct(parent: str, name: str) -> bool:
        return parent in ancestors(name) and not any(
            parent in ancestors(other) for other in upstream[name] if other in ancestors(name)
        )

    return {
        name: tuple(p for p in dict.fromkeys(parents) if is_direct(p, name))
        for name, parents in upstream.items()
    }


def _choose_layers(parents: _Parents, main: Set[str]) -> dict[str, int]:
    """Returns each node's layer: below its parents; beside the main chain, just above a child."""
    layers: dict[str, int] = {}
    for name, above in parents.items():
        layers[name] = max((layers[parent] + 1 for parent in above), default=0)
    for name in reversed(list(parents)):
        children = [layers[child] for child, above in parents.items() if name in above]
        if name not in main and children:
            layers[name] = min(children) - 1
    return layers


def _choose_lanes(layers: Mapping[str, int], main: Set[str]) -> dict[str, int]:
    taken: set[tuple[int, int]] = set()
    lanes = {}
    for name in layers:
        lane = 0 if name in main else 1
        while (lane, layers[name]) in taken:
            lane += 1
        taken.add((lane, layers[name]))
        lanes[name] = lane
    return lanes


def _longest_chain(parents: _Parents) -> set[str]:
    depth: dict[str, tuple[int, tuple[str, ...]]] = {}
    for name, above in parents.items():
        length, chain = max((depth[p] for p in above), key=lambda d: d[0], default=(0, ()))
        depth[name] = (length + 1, (*chain, name))
    # The last one of equally long chains: it ends with the push.
    return set(max(reversed(list(depth.values())), key=lambda d: d[0], default=(0, ()))[1])


def _draw_arrows(
    parents: _Parents, boxes: Sequence[Box], height: float, tracks: list[_Track]
) -> Iterator[Arrow]:
    places = {box.component.name: box for box in boxes}
    full = {(box.lane, box.layer) for box in boxes}
    for name, above in parents.items():
        for parent in above:
            start, end = places[parent], places[name]
            track = _find_track(start, end, full, tracks)
            yield Arrow(parent, name, _path(start, end, track, height))


def _find_track(start: Box, end: Box, full: set[tuple[int, int]], tracks: list[_Track]) -> float:
    """Returns the x at which an arrow passes the layers between its ends."""
    between = range(start.layer + 1, end.layer)
    for lane in (end.lane, start.lane):
        if not any((lane, layer) in full for layer in between):
            return lane + 0.5
    for x in _tracks_from(max(start.lane, end.lane, 1)):
        if not any(x == other and start.layer < b and end.layer > a for other, a, b in tracks):
            break
    tracks.append((x, start.layer, end.layer))
    return x


def _tracks_from(lane: int) -> Iterator[float]:
    """Yields the tracks between this lane and the one before, and then those further right."""
    for boundary in count(lane):
        yield from (boundary - _TRACK, boundary, boundary + _TRACK)


def _path(start: Box, end: Box, track: float, height: float) -> str:
    x1, x2 = start.lane + 0.5, end.lane + 0.5
    y1, y2 = start.layer + height, float(end.layer)
    if end.layer == start.layer + 1:
        return f"M{x1:g},{y1:g}{_bend(x1, y1, x2, y2)}"
    first, last = start.layer + 1.0, end.layer - 1 + height
    return (
        f"M{x1:g},{y1:g}{_bend(x1, y1, track, first)}L{track:g},{last:g}"
        f"{_bend(track, last, x2, y2)}"
    )


def _bend(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (y1 + y2) / 2
    return f"C{x1:g},{middle:g} {x2:g},{middle:g} {x2:g},{y2:g}"
