"""Libraries of the GPU image that are missing or broken are named."""

import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.load_cuda import NEEDED, main


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A package of each name with a library; that of cublas needs that of nccl, which is later."""
    for name in NEEDED:
        directory = tmp_path / "nvidia" / name / "lib"
        directory.mkdir(parents=True)
        build(directory / f"lib{name}.so.1", f"int {name}_one() {{ return 1; }}")
    nccl = tmp_path / "nvidia/nccl/lib/libnccl.so.1"
    build(
        tmp_path / "nvidia/cublas/lib/libcublas.so.1",
        "int nccl_one(); int two() { return 2 * nccl_one(); }",
        str(nccl),
    )
    return tmp_path


def build(library: Path, code: str, *needed: str) -> None:
    command = [
        "cc",
        "-shared",
        "-fPIC",
        f"-Wl,-soname,{library.name}",
        "-x",
        "c",
        "-",
        "-x",
        "none",
    ]
    subprocess.run([*command, *needed, "-o", library], input=code, text=True, check=True)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_whole_libraries_are_loaded_in_any_order(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(packages) == 0
    assert capsys.readouterr().out == f"Loaded {len(NEEDED)} libraries.\n"


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_missing_and_broken_libraries_are_named(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (packages / "nvidia/cudnn/lib/libcudnn.so.1").unlink()
    (packages / "nvidia/cufft/lib/libcufft.so.1").write_bytes(b"cut")
    assert main(packages) == 1
    missing, broken = capsys.readouterr().out.splitlines()
    assert missing == f"cudnn: no library in {packages / 'nvidia'}"
    assert broken.startswith(f"{packages / 'nvidia/cufft/lib/libcufft.so.1'}: ")
