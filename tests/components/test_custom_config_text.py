"""Text survives its way through an execution property."""

from tfx.utils import proto_utils

from components.custom_config_text import pack_text, unpack_text


def test_text_is_unpacked_as_it_was_packed() -> None:
    text = '{"größe": 1, "n": 12345678901234567890}'
    properties = {"custom_config": proto_utils.proto_to_json(pack_text(text))}
    assert unpack_text(properties) == text
