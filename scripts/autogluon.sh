#!/bin/sh
# Builds build/autogluon: an environment with AutoGluon alone (6 GB), by a lock of its own. With it,
# `make bench-quality` compares AutoGluon, too. Called by hand.
set -eu
cd "$(dirname "$0")/.."

lock=requirements/autogluon.txt place=build/autogluon
made_of=$(cksum <"$lock")
[ "$(cat "$place/.ready" 2>/dev/null)" != "$made_of" ] || exit 0
mkdir -p build
.venv/bin/uv venv --quiet --clear --python "${PYTHON:-python3.10}" "$place"
VIRTUAL_ENV=$place .venv/bin/uv pip install --quiet --no-deps --require-hashes -r "$lock"
echo "$made_of" >"$place/.ready"
