"""The record of a run describes this machine."""

import importlib.metadata
import platform

from pipeline.runners.reporting.reading.machine import read_hardware, read_versions


def test_the_versions_are_those_of_the_installed_packages() -> None:
    versions = read_versions()
    assert versions["python"] == platform.python_version()
    assert versions["numpy"] == importlib.metadata.version("numpy")
    assert list(versions)[1:] == sorted(list(versions)[1:])


def test_the_hardware_is_named_and_counted() -> None:
    hardware = read_hardware()
    assert int(hardware["cores"]) >= 1
    assert float(hardware["memory"].removesuffix(" GiB")) > 0.1
    assert all(hardware.values())
