"""The section `serving`."""

import pytest
from small_config import TAXI

from pipeline.config import load_config
from pipeline.core.errors import ConfigError


def test_a_bucket_is_refused_as_serving_directory() -> None:
    with pytest.raises(ConfigError, match=r"serving\.directory: gs://b/models is not a directory"):
        load_config([TAXI], ["serving.directory=gs://b/models"])
