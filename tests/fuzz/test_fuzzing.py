"""Past failures stay mended, and the fuzzer finds what is broken."""

from pathlib import Path

import pytest
from fuzzing import CORPUS, fuzz, list_corpus
from targets import TARGETS, try_target


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param(name, path, id=f"{name}-{path.name}")
        for name in TARGETS
        for path in list_corpus(name)
    ],
)
def test_each_input_of_the_corpus_is_taken_or_refused_in_words(name: str, path: Path) -> None:
    try_target(TARGETS[name], path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_takes_the_good_inputs_of_its_corpus(name: str) -> None:
    good = [path for path in (CORPUS / name).iterdir() if path.name.startswith("good-")]
    assert good
    for path in good:
        TARGETS[name](path.read_bytes())


def test_a_broken_target_is_found_and_its_shortest_input_kept(tmp_path: Path) -> None:
    (tmp_path / "http").mkdir()
    (tmp_path / "http" / "good").write_bytes(b'{"instances": [1, 2, 3]}')

    def break_on_a_bracket(content: bytes) -> None:
        if b"[" in content:
            raise KeyError(content)

    count, [fault] = fuzz("http", break_on_a_bracket, tmp_path, seconds=0)
    assert count > 1
    assert fault.trace.startswith("KeyError in break_on_a_bracket")
    assert b"[" in fault.content
    path = fault.save(tmp_path)
    assert path.parent == tmp_path / "http"
    assert path.read_bytes() == fault.content
    assert path in list_corpus("http", tmp_path)


def test_a_target_that_refuses_in_words_has_no_faults(tmp_path: Path) -> None:
    count, faults = fuzz("http", TARGETS["http"], CORPUS, seconds=0)
    assert count >= 100
    assert faults == []
