#!/bin/sh
# Builds build/nightly: an environment with the tools of the nightly jobs over the packages of .venv,
# which stays as it is. Called by coverage.sh and mutation.sh.
set -eu
cd "$(dirname "$0")/.."

lock=requirements/nightly.txt
version=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$version" != 3.10 ]; then
    echo "Error: $lock is for Python 3.10, and .venv has Python $version." >&2
    echo "  Run make setup PYTHON=python3.10 first." >&2
    exit 2
fi
made_of=$(cat "$lock" scripts/nightly_env.sh .venv/.ready 2>/dev/null | cksum)
[ "$(cat build/nightly/.ready 2>/dev/null)" != "$made_of" ] || exit 0

.venv/bin/python -m venv --clear --without-pip build/nightly
VIRTUAL_ENV=build/nightly .venv/bin/uv pip install --quiet --no-deps --require-hashes -r "$lock"
packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# A line that imports is executed: so the .pth files of .venv count, too.
echo "import site; site.addsitedir('$packages')" >"build/nightly/lib/python$version/site-packages/venv.pth"
echo "$made_of" >build/nightly/.ready
