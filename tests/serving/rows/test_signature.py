"""Signatures and their groups of inputs."""

from serving.rows.signature import Signature, Tensor


def test_inputs_of_a_type_form_a_group_in_the_order_of_their_names() -> None:
    names = {"a": "string", "b": "float32", "c": "float32"}
    inputs = (*(Tensor(n, t, 2, 1) for n, t in names.items()), Tensor("examples", "string", 1))
    groups = Signature("s", inputs, ()).groups
    found = [(g.dtype, g.is_column, [t.name for t in g.inputs]) for g in groups]
    assert found == [
        ("float32", True, ["b", "c"]),
        ("string", False, ["examples"]),
        ("string", True, ["a"]),
    ]
