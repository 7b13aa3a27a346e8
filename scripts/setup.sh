#!/bin/sh
# Builds the environment .venv from the lock file for PYTHON, by default for the newest stack that this
# machine can run. Called by `make setup`; does nothing if the environment is up to date.
set -eu
cd "$(dirname "$0")/.."

newest=$(sh scripts/stack.sh)
python=${PYTHON:-python$newest}
if ! version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
    echo "Error: $python is not installed." >&2
    echo "  Install Python $newest (with its venv module), or name another: make setup PYTHON=/path/to/python" >&2
    exit 2
fi
case $version in
3.10 | "$newest") lock=requirements/py${version%%.*}${version#*.}.txt ;;
3.11)
    echo "Error: $python is Python 3.11, whose TFX 1.21 needs glibc 2.39; this machine has $(getconf GNU_LIBC_VERSION)." >&2
    echo "  Use Python 3.10 here. \`make test-next\` runs the other stack's tests in a Debian trixie root." >&2
    exit 2
    ;;
*)
    echo "Error: $python is Python $version; TFX needs Python 3.10 or 3.11." >&2
    echo "  On this machine: make setup PYTHON=python$newest" >&2
    exit 2
    ;;
esac

made_of=$(echo "$version" | cat - "$lock" pyproject.toml scripts/setup.sh | cksum)
[ "$(cat .venv/.ready 2>/dev/null)" != "$made_of" ] || exit 0

# A complete environment of this Python is kept: uv then only applies the changes of the lock.
if [ ! -f .venv/.ready ] || ! .venv/bin/python$version -c '' 2>/dev/null; then
    "$python" -m venv --clear .venv
fi
rm -f .venv/.ready
# pip installs uv, and uv installs the rest; the lock's hashes apply to both.
sed -n '/^uv==/,/[^\\]$/p' "$lock" >.venv/uv.txt
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt
echo "Installing the locked packages of Python $version into .venv (4 GB, once) ..."
# A terminal shows uv's progress: this takes minutes.
[ -t 2 ] && quiet= || quiet=--quiet
# Compiled now: if Python cannot write beside the modules later, every start would compile them.
VIRTUAL_ENV=.venv .venv/bin/uv pip sync $quiet --require-hashes --compile-bytecode "$lock"
VIRTUAL_ENV=.venv .venv/bin/uv pip install --quiet --no-deps --no-build-isolation --editable .
echo "$made_of" >.venv/.ready
