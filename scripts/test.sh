#!/bin/sh
# Runs the tests of each given marker expression in order, such as "not slow" or slow, on two cores.
# Files run in the order of their names: otherwise xdist leaves files with few, long tests for the end.
set -u
[ $# -gt 0 ] || set -- "not slow" slow

for kind in "$@"; do
    # Slow tests wait for processes and networks: two at a time left a fifth of two cores idle.
    [ "$kind" = slow ] && workers=3 || workers=2
    .venv/bin/python -m pytest -q -m "$kind" -n $workers --dist loadfile --no-loadscope-reorder \
        --durations=10 || exit 1
done
