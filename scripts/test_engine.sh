#!/bin/sh
# Runs pipelines on a real Flink cluster of this machine, which it starts and ends; a cluster that
# runs already is left alone, or with `--nightly` started anew. Called by `make test-engine`;
# `--install` installs Java and Maven if they are missing, `--nightly` runs the long tests too.
set -eu
cd "$(dirname "$0")/.."

marks="engine and not nightly"
for argument; do
    case "$argument" in
    --install)
        if ! { command -v java && command -v mvn; } >/dev/null; then
            { apt-get update && apt-get install --yes --no-install-recommends \
                openjdk-17-jre-headless iproute2 maven; } >/dev/null
        fi
        ;;
    --nightly) marks=engine ;;
    *)
        echo "Error: $argument: give --install, --nightly, both, or nothing." >&2
        exit 2
        ;;
    esac
done

cluster=".venv/bin/python -m deploy.flink.local"
if ! $cluster is-up; then
    # Ctrl-C and SIGTERM end the cluster, too.
    trap '$cluster down' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    $cluster up
fi
PIPELINE_ENGINE=flink .venv/bin/python -m pytest -q -m "$marks" --durations=5 tests/engine
