"""Paths, patterns and folders in the configuration."""

import pytest

from pipeline.config.addresses import check_folder, check_path


def test_paths_are_taken_as_they_are() -> None:
    for path in ("new/*.csv", "/new/{SPAN}", "-", "s3://bucket/new/*.csv"):
        assert check_path(path) == path
    assert check_folder("scored/") == "scored/"
    assert check_folder("az://box/scored/") == "az://box/scored"


def test_addresses_of_other_things_are_refused() -> None:
    for check in (check_path, check_folder):
        with pytest.raises(ValueError, match="http://host/t is no address of an object store"):
            check("http://host/t")
    with pytest.raises(ValueError, match="s3://bucket is a whole bucket; name a folder in it"):
        check_folder("s3://bucket")
