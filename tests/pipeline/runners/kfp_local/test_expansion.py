"""Variables in command lines, expanded as by Kubernetes."""

from __future__ import annotations

import pytest

from pipeline.runners.kfp_local.expansion import expand_variables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(A)", "$(B)"),
        ("$$(A)", "$(A)"),
        ("$(UNKNOWN) $x $(", "$(UNKNOWN) $x $("),
        ("$$$(A)", "$$(B)"),
    ],
)
def test_a_variable_is_replaced_once_unless_it_is_escaped(text: str, expected: str) -> None:
    assert expand_variables(text, {"A": "$(B)", "B": "b"}) == expected
