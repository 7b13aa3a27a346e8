#!/bin/sh
# Unpacks what `make bench-quality` needs beside the environment: into build/tables the locked packages
# with its tables, of which it only reads files, and into build/rivals the libraries that compete.
# Nothing is installed: the environment stays as its lock says.
set -eu
cd "$(dirname "$0")/.."

unpack() {
    lock=requirements/$1.txt place=build/$1
    [ "$(cat "$place/.ready" 2>/dev/null)" != "$(cksum <"$lock")" ] || return 0
    rm -rf "$place"
    VIRTUAL_ENV=.venv .venv/bin/uv pip install --quiet --no-deps --require-hashes --no-build-isolation \
        --target "$place" -r "$lock"
    cksum <"$lock" >"$place/.ready"
}

unpack tables
unpack rivals
