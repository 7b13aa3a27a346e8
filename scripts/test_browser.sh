#!/bin/sh
# Tests the page of a run in Debian's chromium. Called by `make test-browser`; `--install` installs
# the browser if it is missing.
set -eu
cd "$(dirname "$0")/.."

if ! { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null; then
    if [ "${1:-}" != --install ]; then
        printf 'Error: %s\n  %s\n' "no chromium is installed." \
            "apt-get install chromium, or make test-browser ARGUMENTS=--install" >&2
        exit 2
    fi
    { apt-get update && apt-get install --yes --no-install-recommends chromium; } >/dev/null
fi
PIPELINE_BROWSER=required .venv/bin/python -m pytest -q -m browser --durations=5 \
    $(grep -rl --include='test_*.py' 'mark\.browser' tests | sort)
