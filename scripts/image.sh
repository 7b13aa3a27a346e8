#!/bin/sh
# Builds the image IMAGE with what is there: docker, podman or buildah. Called by `make image`;
# PYTHON=python3.10 chooses the older stack, BUILDER the program, arguments go to its `build`.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-}
python=${python##*python}
case ${python:=3.11} in
3.10) debian=bookworm ;;
3.11) debian=trixie ;;
*)
    echo "Error: there is no stack for Python $python." >&2
    echo "  make image for Python 3.11 and TFX 1.21, make image PYTHON=python3.10 for TFX 1.16" >&2
    exit 2
    ;;
esac

# A docker without its daemon can build nothing.
builds() { command -v "$1" >/dev/null && { [ "$1" != docker ] || docker info >/dev/null 2>&1; }; }
for builder in ${BUILDER:-docker podman buildah}; do
    if builds "$builder"; then break; fi
    builder=
done
if [ -z "$builder" ]; then
    echo "Error: no ${BUILDER:-docker, podman or buildah} is at work here to build an image with." >&2
    echo "  Install one of them; for docker, start its daemon." >&2
    exit 2
fi

# TFX has no packages for Linux on other processors.
[ "$(uname -m)" = x86_64 ] || set -- --platform linux/amd64 "$@"

lock=requirements/py$(echo "$python" | tr -d .)-run.txt
revision=$(git describe --always --abbrev=40 --exclude '*' --dirty 2>/dev/null || echo unknown)
# Docker needs BuildKit for what is mounted while it builds.
DOCKER_BUILDKIT=1 "$builder" build --file deploy/Dockerfile --tag "$IMAGE" \
    --build-arg "PYTHON=$python" --build-arg "DEBIAN=$debian" \
    --build-arg "TFX_VERSION=$(sed -n 's/^tfx==\([^ ]*\).*/\1/p' "$lock")" \
    --build-arg "VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)" \
    --build-arg "REVISION=$revision" "$@" .
echo "Built $IMAGE with $builder."
