#!/bin/sh
# Runs the tests of each given marker expression in order, on two cores: by default all but the long
# ones. Files run in the order of their names: otherwise xdist leaves files with few, long tests for
# the end.
set -u
[ $# -gt 0 ] || set -- "not slow" "slow and not long"

for kind in "$@"; do
    # Tests wait for processes and networks: two at a time left a third of two cores idle.
    case $kind in
    slow* | long) marker=slow ;;
    *) marker=$kind ;;
    esac
    # Each process would import all files to find those few with the marker.
    case $kind in
    not*) files=tests ;;
    *) files=$(grep -rl --include='test_*.py' "mark\.$marker" tests | sort) ;;
    esac
    # pytest names failures at its end, and so the third failure ends it: CI may not wait for more.
    # shellcheck disable=SC2086  # Names of tests have no spaces.
    .venv/bin/python -m pytest -q -m "$kind" -n 3 --dist loadfile --no-loadscope-reorder \
        --durations=10 --maxfail=3 $files || exit 1
done
