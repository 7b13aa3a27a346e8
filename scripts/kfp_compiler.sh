#!/bin/sh
# Prints the path of a program that takes compiled files as the API server of Kubeflow Pipelines 2.1
# does. Built from its own Go modules once, kept in KFP_COMPILER or the user's cache; needs Go 1.20.
set -eu
cd "$(dirname "$0")/kfp_compiler"

go=$(command -v go || echo /usr/local/go/bin/go)
if [ ! -x "$go" ]; then
    echo "Error: Go is not installed." >&2
    exit 2
fi
kept=${KFP_COMPILER:-${XDG_CACHE_HOME:-$HOME/.cache}/tfx-production-training/kfp-compiler}
mkdir -p "$kept"
exec 9>"$kept/lock"
flock 9
program=$kept/$({ cat go.mod go.sum main.go; "$go" version; } | cksum | cut -d ' ' -f 1)
if [ ! -x "$program" ]; then
    rm -f "$kept"/[0-9]*
    # The modules are held to go.sum; built aside and renamed, so that what is there is complete.
    GOTOOLCHAIN=local "$go" build -trimpath -mod=readonly -ldflags='-s -w' -o "$kept/building" . >&2
    mv "$kept/building" "$program"
fi
echo "$program"
