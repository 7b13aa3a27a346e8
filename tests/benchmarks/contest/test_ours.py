"""The configurations of a match."""

from pathlib import Path

import pytest

from benchmarks.contest.ours import _list_parts, make_setup

CONFIG = Path(__file__).parents[3] / "configs/penguins.yaml"


def test_every_seed_but_the_first_splits_the_rows_anew(tmp_path: Path) -> None:
    first, second = (make_setup(CONFIG, seed, (), tmp_path).load() for seed in (0, 2))
    assert second.data.split.seed == first.data.split.seed + 2
    assert second.training.seed == 2


def test_assignments_win_over_the_file_and_over_the_seed(tmp_path: Path) -> None:
    setup = make_setup(CONFIG, 1, ["training.seed=7", "training.epochs=3"], tmp_path)
    assert (setup.load().training.seed, setup.load().training.epochs) == (7, 3)


@pytest.mark.parametrize(
    ("family", "parts"),
    [("blend", {"our network": "wide_deep", "our trees": "trees"}), ("trees", {})],
)
def test_the_parts_of_a_blend_are_trained_alone(
    family: str, parts: dict[str, str], tmp_path: Path
) -> None:
    setup = make_setup(CONFIG, 0, ["model.blend.network=wide_deep"], tmp_path).with_family(family)
    found = _list_parts(setup.load())
    assert found == parts
    for name in found.values():
        assert setup.with_family(name).load().model.family == name
