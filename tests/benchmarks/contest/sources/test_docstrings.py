"""The table of docstrings."""

from pathlib import Path

import pytest

from benchmarks.contest.sources import docstrings

CODE = '''
def add_{n}(x):
    """Adds {n}.

    Returns a number.
    """

class Adder{n}:
    """Adds {n} to
    everything."""

    def quiet(self):
        pass
'''


def test_docstrings_of_large_parts_are_read_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docstrings, "PACKAGES", tmp_path)
    for part, count in (("tsa", 30), ("small", 3)):
        (tmp_path / "statsmodels" / part).mkdir(parents=True)
        for n in range(count):
            name = f"{part}{n}"
            path = tmp_path / "statsmodels" / part / f"{name}.py"
            path.write_text(CODE.replace("{n}", name) + CODE.replace("{n}", f"{part}0"))
    found = docstrings.make_docstrings()
    assert set(found["part"]) == {"tsa"}
    assert len(found) == 60
    row = found[found["text"].str.contains("tsa7.", regex=False)].iloc[0]
    assert row.to_list() == ["FunctionDef", "Adds tsa7. Returns a number.", "tsa"]
