"""Turns a forest into tables of bit masks, from which a row's leaves are found without a walk.

The idea is that of QuickScorer (Lucchese et al. 2015): the test of a node removes the leaves below
the child that the row does not enter. A bit mask says which leaves of the tree stay. The bitwise
AND of the masks of all nodes leaves one bit, that of the row's leaf.

QuickScorer visits the nodes. Here, the masks are combined in advance: LightGBM sorts the values of
a column into at most a few hundred bins, so a column has few distinct outcomes of all its tests. A
table holds the combined masks of all trees for each outcome. A row needs one line of the table for
each column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trainer_module.trees.scoring.forest import Forest, Ints, Tree

WORD_BITS = 32
_MOST_WORDS = 64
"""Words of one line of the table, so the trees of one chunk. Shorter lines need more look-ups,
longer ones a larger table: the columns of more trees have more outcomes."""

Words = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Column:
    """How a column's value becomes a code, and the lines of its codes.

    The code of a number is the count of thresholds below it, that of a category is the category.
    The last code stands for a missing value, or for a category that no node names.
    """

    index: int
    thresholds: npt.NDArray[np.float32]
    """Ascending; empty for a column of categories."""
    is_categorical: bool
    lines: Ints
    """The line of the table for each code and chunk of trees, [codes, chunks]."""

    @property
    def last_code(self) -> int:
        return len(self.lines) - 1


@dataclass(frozen=True)
class Masks:
    """The tables of a forest."""

    columns: tuple[Column, ...]
    """The columns that at least one node tests."""
    table: Words
    """The leaves that stay, [lines, trees of a chunk * words of a tree]."""
    words: int
    """Words of the mask of one tree."""
    trees: int
    """Number of trees, without those that fill the last chunk up."""


def make_masks(forest: Forest) -> Masks:
    """Returns the tables of the forest."""
    words = -(-max(len(tree.values) for tree in forest.trees) // WORD_BITS)
    width = max(1, min(_MOST_WORDS // words, len(forest.trees)))
    chunks = [forest.trees[i : i + width] for i in range(0, len(forest.trees), width)]
    codings = list(_find_codings(forest))
    blocks: list[Words] = []
    lines: list[list[Ints]] = [[] for _ in codings]
    start = 0
    for trees in chunks:
        chunk = _Chunk(trees, width, words)
        for number, coding in enumerate(codings):
            block, of_codes = chunk.combine(coding)
            lines[number].append(of_codes + start)
            blocks.append(block.reshape(len(block), -1))
            start += len(block)
    columns = tuple(
        Column(c.index, c.thresholds, c.is_categorical, np.stack(several, axis=1))
        for c, several in zip(codings, lines, strict=True)
    )
    table = np.concatenate(blocks) if blocks else _Chunk((), width, words).untouched.reshape(1, -1)
    return Masks(columns, table, words, len(forest.trees))


@dataclass(frozen=True)
class _Coding:
    """The codes of a column: see `Column`."""

    index: int
    thresholds: npt.NDArray[np.float32]
    categories: int
    """Number of the categories' codes; 0 for a column of numbers."""

    @property
    def is_categorical(self) -> bool:
        return self.categories > 0

    def goes_left(self, tree: Tree, node: int) -> npt.NDArray[np.bool_]:
        """Returns whether the node sends each code to the left, [codes]."""
        categories = tree.categories[node]
        if categories is not None:
            left = np.zeros(self.categories + 1, bool)
            left[categories] = True
            return left
        below = np.searchsorted(self.thresholds, tree.thresholds[node])
        left = np.less_equal(np.arange(len(self.thresholds) + 2), below)
        left[-1] = tree.missing_left[node]
        return left


def _find_codings(forest: Forest) -> Iterator[_Coding]:
    """Yields the coding of each column that a node tests."""
    thresholds: dict[int, set[float]] = {}
    categories: dict[int, int] = {}
    for tree in forest.trees:
        for node, column in enumerate(tree.columns.tolist()):
            sent_left = tree.categories[node]
            if sent_left is None:
                thresholds.setdefault(column, set()).add(float(tree.thresholds[node]))
            else:
                known = categories.get(column, 1)
                categories[column] = max(known, int(sent_left.max(initial=0)) + 1)
    for column in sorted({*thresholds, *categories}):
        ascending = np.array(sorted(thresholds.get(column, ())), np.float32)
        yield _Coding(column, ascending, categories.get(column, 0))


@dataclass(frozen=True)
class _Node:
    """A node and the masks of the leaves that stay, [words], if a row goes left or right."""

    tree: int
    number: int
    left: Words
    right: Words


class _Chunk:
    """Trees that share the lines of the table, with their nodes by column."""

    def __init__(self, trees: Sequence[Tree], width: int, words: int) -> None:
        self._trees = trees
        self._nodes: dict[int, list[_Node]] = {}
        # A tree without nodes has leaf 0, as have the trees that fill a chunk up.
        self.untouched = np.zeros((width, words), np.uint32)
        self.untouched[:, 0] = 1
        for position, tree in enumerate(trees):
            masks = _find_leaves(tree, words)
            self.untouched[position] = masks[0] if len(masks) else self.untouched[position]
            for node, column in enumerate(tree.columns.tolist()):
                left, right = (self._without(masks, tree, child) for child in tree.children[node])
                kept = _Node(position, node, left=right, right=left)
                self._nodes.setdefault(column, []).append(kept)

    @staticmethod
    def _without(masks: Words, tree: Tree, child: int) -> Words:
        """Returns all leaves of the tree but those below the child."""
        below = masks[child] if child >= 0 else _set_bit(~child, masks.shape[1])
        kept: Words = masks[0] & ~below
        return kept

    def combine(self, coding: _Coding) -> tuple[Words, Ints]:
        """Returns the distinct lines of a column, and the number of the line of each code.

        A line has the shape [width, words].
        """
        nodes = self._nodes.get(coding.index, [])
        codes = coding.categories + 1 if coding.is_categorical else len(coding.thresholds) + 2
        if not nodes:
            return self.untouched[np.newaxis], np.zeros(codes, np.int32)
        left = np.stack([coding.goes_left(self._trees[n.tree], n.number) for n in nodes])
        outcomes, of_codes = _distinct_columns(left)
        block = np.repeat(self.untouched[np.newaxis], outcomes.shape[1], axis=0)
        for node, goes_left in zip(nodes, outcomes, strict=True):
            block[:, node.tree] &= np.where(goes_left[:, np.newaxis], node.left, node.right)
        return block, of_codes


def _distinct_columns(
    matrix: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Returns the distinct columns of a matrix, and the number of each column's one among them."""
    packed = np.ascontiguousarray(np.packbits(matrix, axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return matrix[:, first], number.reshape(-1).astype(np.int32)


def _find_leaves(tree: Tree, words: int) -> Words:
    """Returns the masks of the leaves below each node, [nodes, words]."""
    masks = np.zeros((len(tree.columns), words), np.uint32)
    # A node comes after its parent, so the masks of its children are there already.
    for node in range(len(masks) - 1, -1, -1):
        for child in tree.children[node]:
            masks[node] |= masks[child] if child >= 0 else _set_bit(~child, words)
    return masks


def _set_bit(bit: int, words: int) -> Words:
    mask = np.zeros(words, np.uint32)
    mask[bit // WORD_BITS] = 1 << (bit % WORD_BITS)
    return mask
