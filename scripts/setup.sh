#!/bin/sh
# Builds the environment from the lock file. Called by `make setup`.
set -eu

if ! "$PYTHON" --version >/dev/null 2>&1; then
    echo "Error: $PYTHON is not installed." >&2
    echo "  Install Python 3.10 (with its venv module), or name another: make setup PYTHON=/path/to/python3.10" >&2
    exit 2
fi
version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$version" != 3.10 ]; then
    echo "Error: $PYTHON is Python $version; this stack needs Python 3.10." >&2
    exit 2
fi

[ -x "$VENV/bin/python" ] || "$PYTHON" -m venv "$VENV"
# uv itself comes from the package index, at the locked version.
uv=$(sed -n 's/^\(uv==[0-9.]*\).*/\1/p' "$LOCK")
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "$uv"
echo "Installing the locked packages into $VENV (3 GB, once) ..."
# Compiled at once: where Python may not write beside its modules, every start would compile them.
VIRTUAL_ENV="$VENV" "$VENV/bin/uv" pip sync --quiet --require-hashes --compile-bytecode "$LOCK"
VIRTUAL_ENV="$VENV" "$VENV/bin/uv" pip install --quiet --no-deps --no-build-isolation --editable .
touch "$VENV/.ready"
