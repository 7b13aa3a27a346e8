#!/bin/sh
# Runs kinds of tests on two cores, in the order given: fast ones, whole runs.
set -u
[ $# -gt 0 ] || set -- fast whole

for kind in "$@"; do
    case $kind in
    fast) .venv/bin/python -m pytest -q -m "not slow" -n 2 --dist loadfile || exit 1 ;;
    whole) .venv/bin/python -m pytest -q -m slow -n 2 --dist loadfile --durations=10 || exit 1 ;;
    esac
done
