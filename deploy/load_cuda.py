"""Loads NVIDIA's libraries in the GPU image, on a machine without a GPU.

No job has a GPU. But a library that is missing, or that misses another library, cannot be loaded
here either, and TensorFlow would train on the CPU without an error. Usage, with the image of
`make image IMAGE=pipeline:gpu ARGUMENTS="--target gpu"`:
    docker run --rm --interactive pipeline:gpu python - < deploy/load_cuda.py
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from pathlib import Path

NEEDED = ("cublas", "cuda_runtime", "cudnn", "cufft", "cusolver", "cusparse", "nccl")
"""The packages whose libraries TensorFlow opens."""


def main(packages: Path) -> int:
    """Returns 1 if a library below `packages` is missing or cannot be loaded.

    TensorFlow looks for the libraries in the directory `nvidia` beside itself.
    """
    left = sorted((packages / "nvidia").glob("*/lib/*.so.*"))
    missing = {*NEEDED} - {path.parent.parent.name for path in left}
    problems = [f"{name}: no library in {packages / 'nvidia'}" for name in sorted(missing)]
    loaded, failures = 0, load(left)
    # A library may need one that comes later in the alphabet.
    while failures and len(failures) < len(left):
        loaded, left = loaded + len(left) - len(failures), [*failures]
        failures = load(left)
    problems += [f"{path}: {why}" for path, why in failures.items()]
    print("\n".join(problems) or f"Loaded {loaded + len(left)} libraries.")
    return 1 if problems else 0


def load(paths: list[Path]) -> dict[Path, str]:
    """Loads the libraries, and returns the reasons of those that cannot be loaded."""
    failures = {}
    for path in paths:
        try:
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
        except OSError as error:
            failures[path] = str(error)
    return failures


if __name__ == "__main__":
    sys.exit(main(Path(sysconfig.get_path("purelib"))))
