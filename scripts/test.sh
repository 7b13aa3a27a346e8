#!/bin/sh
# Fast tests first, on both cores; then whole runs, one after another. Called by `make test`.
set -u
python=.venv/bin/python

$python -m pytest -q -m "not slow" -n 2 --dist loadfile || exit 1
exec $python -m pytest -q -m slow --durations=10
