#!/bin/sh
# Measures which branches of `components` and `pipeline` the tests reach, processes that they start
# included, and writes build/coverage.md. Called by `make coverage`; takes marker expressions as test.sh.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- "not slow" slow

sh scripts/nightly_env.sh
coverage="build/nightly/bin/coverage"
rcfile=scripts/coverage.ini
rm -f build/coverage/data*
mkdir -p build/coverage
failed=0
for kind in "$@"; do
    "$coverage" run --rcfile="$rcfile" -m pytest -q -m "$kind" || failed=1
done
"$coverage" combine --quiet --rcfile="$rcfile"
"$coverage" report --rcfile="$rcfile" --format=markdown >build/coverage.md
"$coverage" report --rcfile="$rcfile" --skip-covered --sort=cover | tail -n 40
exit $failed
