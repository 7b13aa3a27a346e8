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
    "$coverage" run --rcfile="$rcfile" -m pytest -q -m "$kind" -n 2 --dist loadfile --durations=40 || failed=1
done
"$coverage" combine --quiet --rcfile="$rcfile"
"$coverage" json --quiet --rcfile="$rcfile" -o build/coverage.json
.venv/bin/python - build/coverage.json <<'END' | tee build/coverage.md
import json, sys

totals = json.load(open(sys.argv[1]))["totals"]
covered, branches = totals["covered_branches"], totals["num_branches"]
print(f"{100 * covered / branches:.1f} % of {branches:,} branches (goal: 90 %),",
      f"{100 * totals['covered_lines'] / totals['num_statements']:.1f} % of the lines\n")
END
"$coverage" report --rcfile="$rcfile" --format=markdown --sort=cover >>build/coverage.md
exit $failed
