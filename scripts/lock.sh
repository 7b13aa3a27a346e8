#!/bin/sh
# Resolves the dependencies of both stacks anew, with hashes. Called by `make lock`.
# The lock for Python 3.11 serves macOS too: two packages more than it needs, the same versions.
set -eu

lock() {
    .venv/bin/uv pip compile pyproject.toml --group dev --generate-hashes --no-annotate --upgrade --quiet \
        --custom-compile-command "make lock" --python-version "$1" --python-platform "$2" \
        --output-file "requirements/py${1%%.*}${1#*.}.txt"
}

lock 3.10 x86_64-manylinux2014
lock 3.11 x86_64-manylinux_2_40

# The packages whose tables `make bench-quality` reads: their files are the same for all stacks.
.venv/bin/uv pip compile requirements/tables.in --no-deps --generate-hashes --no-annotate --upgrade --quiet \
    --custom-compile-command "make lock" --python-version 3.10 --output-file requirements/tables.txt
