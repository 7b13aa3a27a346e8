#!/bin/sh
# Runs the tests of each given marker expression in order, such as "not slow" or slow, on two cores.
# Files run in the order of their names: otherwise xdist leaves files with few, long tests for the end.
set -u
[ $# -gt 0 ] || set -- "not slow" slow

for kind in "$@"; do
    .venv/bin/python -m pytest -q -m "$kind" -n 2 --dist loadfile --no-loadscope-reorder \
        --durations=10 || exit 1
done
