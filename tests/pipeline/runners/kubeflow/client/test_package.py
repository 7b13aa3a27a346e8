"""Compiled files: `compile` writes them, `deploy --package` reads them back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import yaml
from deploy_command import IMAGE, deploy, load_taxi_config

from pipeline.runners.kubeflow.client.package import read_package
from pipeline.runners.kubeflow.compiling.spec import tasks_of


def test_a_package_is_read_back_as_it_was_compiled(package: Path, tmp_path: Path) -> None:
    read = read_package(package)
    assert read.config == load_taxi_config()
    assert read.to_yaml() == package.read_text()
    assert replace(read, spec=read.with_image("other").spec).image == "other"


def replace_config(text: str, constant: object) -> bytes:
    spec, platform = yaml.safe_load_all(text)
    given = tasks_of(spec)["prepare"]["inputs"]["parameters"]["config"]
    given["runtimeValue"]["constant"] = constant
    return yaml.safe_dump_all([spec, platform]).encode()


def damage(text: str) -> dict[str, bytes]:
    """Returns damaged or edited packages, and files that are not packages, by what is wrong."""
    spec, separator, platform = text.partition("\n---\n")
    return {
        "no platform": spec.encode(),
        "an empty platform": f"{spec}{separator}{{}}\n".encode(),
        "half a platform": text[: -len(platform) // 2].rpartition("\n")[0].encode(),
        "another mount": text.replace("mountPath: /mnt", "mountPath: /tmp", 1).encode(),
        "another command": text.replace("- python\n", "- sh\n", 1).encode(),
        "no tasks": spec.replace("tasks:", "jobs:").encode() + b"\n---\n" + platform.encode(),
        "a damage configuration": replace_config(text, "zlib:abcd"),
        "a number for a configuration": replace_config(text, 1),
        "deep": b"[" * 100_000,
        "not text": b"\xff\xfe",
        "empty": b"",
        "a list": b"[]\n---\n[]\n",
    }


def test_a_damaged_or_edited_package_is_refused(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "damaged.yaml"
    for name, content in damage(package.read_text()).items():
        assert content != package.read_bytes(), name
        file.write_bytes(content)
        done = deploy("--package", file, "--host", "http://x", "--image", IMAGE)
        assert done.exit_code == 2, (name, done.exception)
        assert f"--package {file}: " in done.stderr.replace("\n", " "), name
        assert "write it again with `compile`" in done.stderr.replace("\n", " "), name


def test_a_directory_is_refused_as_a_package(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    done = deploy("--package", tmp_path / "folder.yaml", "--host", "http://x", "--image", IMAGE)
    assert (done.exit_code, "Is a directory" in done.stderr) == (2, True)
