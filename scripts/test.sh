#!/bin/sh
# Fast tests first, then whole runs, both on two cores. Called by `make test`.
set -u
python=.venv/bin/python

$python -m pytest -q -m "not slow" -n 2 --dist loadfile || exit 1
exec $python -m pytest -q -m slow -n 2 --dist loadfile --durations=10
