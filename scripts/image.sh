#!/bin/sh
# Builds the image IMAGE with docker, podman or buildah, whichever is installed. Called by
# `make image`. PYTHON=python3.10 selects the older stack, BUILDER selects the program, and arguments
# are passed to its `build`.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-}
python=${python##*python}
case ${python:=3.11} in
3.10 | 3.11) ;;
*)
    echo "Error: there is no stack for Python $python." >&2
    echo "  make image for Python 3.11 and TFX 1.21, make image PYTHON=python3.10 for TFX 1.16" >&2
    exit 2
    ;;
esac

# docker builds nothing without its daemon.
builds() { command -v "$1" >/dev/null && { [ "$1" != docker ] || docker info >/dev/null 2>&1; }; }
for builder in ${BUILDER:-docker podman buildah}; do
    if builds "$builder"; then break; fi
    builder=
done
if [ -z "$builder" ]; then
    echo "Error: cannot build an image: no working ${BUILDER:-docker, podman or buildah} found." >&2
    echo "  Install one of them; for docker, start its daemon." >&2
    exit 2
fi

# TFX has Linux packages for x86-64 only.
[ "$(uname -m)" = x86_64 ] || set -- --platform linux/amd64 "$@"

lock=requirements/py$(echo "$python" | tr -d .)-run.txt
revision=$(git describe --always --abbrev=40 --exclude '*' --dirty 2>/dev/null || echo unknown)
# Docker needs BuildKit for the mounts during the build.
DOCKER_BUILDKIT=1 "$builder" build --file deploy/Dockerfile --tag "$IMAGE" \
    --build-arg "PYTHON=$python" \
    --build-arg "TFX_VERSION=$(sed -n 's/^tfx==\([^ ]*\).*/\1/p' "$lock")" \
    --build-arg "VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)" \
    --build-arg "REVISION=$revision" "$@" .
echo "Built $IMAGE with $builder."
