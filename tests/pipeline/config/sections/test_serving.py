"""The section `serving`."""

import pytest
from small_config import TAXI

from pipeline.config import load_config
from pipeline.core.errors import ConfigError


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("s3://bucket", "is a whole bucket; name a folder in it: s3://bucket/NAME"),
        ("hdfs://host/models", "is no address of an object store: known are s3://"),
        ("s3://bucket/a//b", "a part of the key is empty"),
    ],
)
def test_an_address_that_cannot_be_a_serving_directory_is_refused(address: str, words: str) -> None:
    with pytest.raises(ConfigError, match=r"serving\.directory: ") as caught:
        load_config([TAXI], [f"serving.directory={address}"])
    assert words in caught.value.message


def test_an_address_of_a_folder_is_a_serving_directory() -> None:
    config = load_config([TAXI], ["serving.directory=gs://bucket/models/taxi/"])
    assert config.serving.directory == "gs://bucket/models/taxi"


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("serving.server.queue_rows=10", "a request of max_rows rows would never fit"),
        ("serving.server.tls_key=key.pem", "tls_certificate and tls_key belong together"),
        ("serving.server.port=70000", "less than or equal to 65535"),
        ("serving.server.worker=2", "did you mean 'workers'?"),
    ],
)
def test_settings_that_cannot_work_are_refused(assignment: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config([TAXI], [assignment])
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_the_server_listens_on_this_machine_alone_unless_told_otherwise() -> None:
    assert load_config([TAXI]).serving.server.host == "127.0.0.1"


def test_predictions_may_lie_on_a_store() -> None:
    section = "prediction={input: ['s3://bucket/new/*.csv', a.csv], output: 'gs://bucket/scored/'}"
    prediction = load_config([TAXI], [section]).prediction
    assert prediction is not None
    assert prediction.input == ("s3://bucket/new/*.csv", "a.csv")
    assert prediction.output == "gs://bucket/scored"


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("{input: 'http://host/a', output: out}", r"prediction\.input.*is no address of an object"),
        ("{input: a, output: 's3://bucket'}", r"prediction\.output.*is a whole bucket"),
    ],
)
def test_an_address_that_predictions_cannot_use_is_refused(section: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_config([TAXI], [f"prediction={section}"])
