#!/bin/sh
# Runs kinds of tests on two cores, in the order given: "not slow", slow or another marker of theirs.
# Files in the order of their names: those with few tests and long ones are not left for the end.
set -u
[ $# -gt 0 ] || set -- "not slow" slow

for kind in "$@"; do
    .venv/bin/python -m pytest -q -m "$kind" -n 2 --dist loadfile --no-loadscope-reorder \
        --durations=10 || exit 1
done
