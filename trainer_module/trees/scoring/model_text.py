"""Takes the texts of LightGBM models apart, and joins the stages of a training into one model.

A text has a header, a block for each tree, the line `end of trees`, and notes that no prediction
needs. LightGBM reads a text without the header's line `tree_sizes` block by block.
"""

from __future__ import annotations

from collections.abc import Sequence

_TREE, _END = "\nTree=", "\nend of trees"
_SIZES, _OUTPUTS = "tree_sizes=", "num_tree_per_iteration="


def split_text(text: str) -> tuple[str, list[str]]:
    """Returns the header and the blocks of the trees, each from its number on."""
    header, *blocks = text.partition(_END)[0].split(_TREE)
    return header, blocks


def join_texts(texts: Sequence[str], iterations: int) -> str:
    """Returns one model with the first `iterations` iterations of several models.

    The score of the model is the sum of the scores of those iterations.
    """
    header, _ = split_text(texts[0])
    lines = header.splitlines()
    outputs = next(int(s.removeprefix(_OUTPUTS)) for s in lines if s.startswith(_OUTPUTS))
    blocks = [block for text in texts for block in split_text(text)[1]][: iterations * outputs]
    trees = (
        f"{_TREE}{number}\n{block.partition(chr(10))[2].strip()}\n\n"
        for number, block in enumerate(blocks)
    )
    kept = "\n".join(line for line in lines if not line.startswith(_SIZES)).rstrip()
    return f"{kept}\n{''.join(trees)}{_END}\n"
