#!/bin/sh
# Fuzzes each target for BUDGET seconds with atheris, guided by the branches that inputs reach. Called by
# `make fuzz-guided`; takes names of targets, by default all.
set -eu
cd "$(dirname "$0")/.."

sh scripts/nightly_env.sh
failed=0
for target in ${*:-csv yaml http compiled}; do
    echo "== $target"
    PYTHONPATH=. build/nightly/bin/python tests/fuzz/guided.py "$target" --seconds "${BUDGET:-60}" \
        || failed=1
done
exit $failed
