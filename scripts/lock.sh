#!/bin/sh
# Resolves the dependencies of both stacks again, with hashes. Called by `make lock`.
# The lock for Python 3.11 is for macOS too: same versions, but two packages that macOS does not need.
set -eu

compile() {
    .venv/bin/uv pip compile --generate-hashes --no-annotate --quiet --custom-compile-command "make lock" "$@"
}

# Writes three locks for a stack: all packages for development, the subset to run the pipeline, and
# NVIDIA's libraries in the versions that TensorFlow's extra `and-cuda` names.
lock() {
    name=requirements/py${1%%.*}${1#*.}
    compile pyproject.toml --python-version "$1" --python-platform "$2" \
        --extra export --group dev --upgrade --output-file "$name.txt"
    compile pyproject.toml --python-version "$1" --python-platform "$2" \
        --extra export --constraint "$name.txt" --upgrade --output-file "$name-run.txt"
    echo 'tensorflow[and-cuda]' | compile - --python-version "$1" --python-platform "$2" \
        --constraint "$name-run.txt" >"$name-cuda.all"
    sed -n '/^#/p; /^nvidia-/,/[^\\]$/p' "$name-cuda.all" >"$name-cuda.txt"
    rm "$name-cuda.all"
}

lock 3.10 x86_64-manylinux_2_28
lock 3.11 x86_64-manylinux_2_40

# What writes the bill of materials in the image, apart from the environment that it describes.
compile requirements/sbom.in --constraint requirements/py310.txt --upgrade --python-version 3.10 \
    --output-file requirements/sbom.txt

# The packages whose tables `make bench-quality` reads; their files are the same on both stacks.
compile requirements/tables.in --no-deps --upgrade --python-version 3.10 --output-file requirements/tables.txt
# Its rivals that this project does not use. What they need is in the locks above.
compile requirements/rivals.in --no-deps --upgrade --python-version 3.10 --output-file requirements/rivals.txt
# The rival with an environment of its own.
compile requirements/autogluon.in --upgrade --python-version 3.10 --python-platform x86_64-manylinux_2_28 \
    --output-file requirements/autogluon.txt

# The tools of the nightly workflow, which runs them on the older stack.
compile requirements/nightly.in --constraint requirements/py310.txt --upgrade --python-version 3.10 \
    --output-file requirements/nightly.txt
