#!/bin/sh
# Changes the code that decides (`tool.mutmut` in pyproject.toml) in thousands of small ways, runs its
# tests on each, and writes build/mutation.md: the changes that no test noticed. Called by
# `make mutation`; an interrupted run goes on where it was. Takes names of mutants, such as
# "components.pusher.*". BUDGET seconds end the run, 0 does not; what is finished is then reported.
set -eu
# The names are patterns of mutants, and not of files.
set -f
cd "$(dirname "$0")/.."

sh scripts/nightly_env.sh
mutmut=build/nightly/bin/mutmut
mkdir -p build
# The tests import the changed copy, and not the tree here.
unset PYTHONPATH
failed=0
timeout --signal=INT --kill-after=60 "${BUDGET:-0}" "$mutmut" run "$@" >build/mutation.log 2>&1 || failed=$?
"$mutmut" results --all true >build/mutation.txt
{
    echo "| mutants | |"
    echo "| --- | --- |"
    sed -n 's/.*: //p' build/mutation.txt | sort | uniq -c | awk '{n = $1; $1 = ""; print "|" $0 " | " n " |"}'
    sed -n 's/^ *\(.*\): survived$/\1/p' build/mutation.txt | while read -r mutant; do
        printf '\n`%s`\n\n```diff\n' "$mutant"
        "$mutmut" show "$mutant" | grep '^[+-]' | grep -v '^\(+++\|---\)'
        echo '```'
    done
} >build/mutation.md
sed '/^$/q' build/mutation.md
if [ "$failed" = 124 ]; then
    echo "Error: not finished after $BUDGET s; build/mutation.md has what was finished." >&2
    echo "  Repeat the command to go on, or raise BUDGET." >&2
    exit 124
fi
# A failed run measured nothing.
[ "$failed" = 0 ] || { tail -n 20 build/mutation.log; exit "$failed"; }
