#!/bin/sh
# Builds the image without a registry or a daemon, and runs its tests. Called by `make test-image`;
# `--install` installs podman, buildah and runc if they are missing.
#
# The base image is a Debian root with this machine's Python, under the name of the official image.
# Images are kept in IMAGES, so that the next build only repeats changed steps.
set -eu
cd "$(dirname "$0")/.."

fail() {
    printf 'Error: %s\n  %s\n' "$1" "$2" >&2
    exit 2
}

[ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null ||
    fail "this user may not mount the image's layers." \
        "sudo make test-image, in a container with --cap-add SYS_ADMIN; or make image with docker or podman."
tools="podman buildah runc"
missing=
for tool in $tools; do
    command -v "$tool" >/dev/null || missing=$tool
done
if [ -n "$missing" ]; then
    [ "${1:-}" = --install ] || fail "$tools are not all installed." "apt-get install $tools, or make test-image ARGUMENTS=--install"
    { apt-get update && apt-get install --yes --no-install-recommends $tools; } >/dev/null
fi

# In a mount namespace, so that all mounts of the build disappear however this script ends.
if [ "${2:-}" != inside ]; then exec unshare --mount sh scripts/test_image.sh "${1:---}" inside; fi

images=${IMAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/tfx-production-training/images}
mkdir -p "$images"
exec 9>"$images/lock"
flock 9
rm -rf --one-file-system "$images/run"
mkdir "$images/run"

# One configuration for buildah and podman, also when the tests and the executor call them.
export CONTAINERS_STORAGE_CONF=$images/storage.conf CONTAINERS_CONF=$images/containers.conf
cat >"$CONTAINERS_STORAGE_CONF" <<EOF
[storage]
driver = "overlay"
graphroot = "$images/storage"
runroot = "$images/run"
EOF
cat >"$CONTAINERS_CONF" <<EOF
[containers]
netns = "host"
default_ulimits = ["nofile=8192:8192", "nproc=8192:8192"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
tmp_dir = "$images/run/libpod"
EOF
# Removes containers of killed builds.
buildah rm --all >/dev/null

base=python:3.11-slim-trixie
made_of=$(cksum <scripts/trixie_root.sh | cut -d ' ' -f 1)
if [ "$(podman image inspect --format '{{index .Labels "made-of"}}' "$base" 2>/dev/null)" != "$made_of" ]; then
    echo "Building $base from Debian's packages ..."
    rm -rf --one-file-system "$images"/root*
    sh scripts/trixie_root.sh "$images/root"
    tar -C "$images/root" -cf - . | podman import --quiet \
        --change ENV=PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin \
        --change "LABEL made-of=$made_of" - "$base"
    rm -rf --one-file-system "$images/root"
fi

# The build uses this machine's certificates, since a proxy may have its own, and its package cache.
bundle=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
cache=${UV_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/uv}
mkdir -p "$cache"
image=localhost/tfx-production-training
# The dependencies get a tag, too: `podman image prune` removes untagged images.
for target in dependencies image; do
    IMAGE=$image:$target BUILDER=buildah PYTHON=python3.11 sh scripts/image.sh --target "$target" \
        --isolation chroot --network host --layers --pull-never --volume "$cache:/var/cache/uv" \
        --volume "$(realpath "$bundle"):/etc/ssl/certs/ca-certificates.crt:ro"
done
podman image prune --force >/dev/null
podman image inspect --format '{{.Size}} bytes' "$image:image"

PIPELINE_IMAGE=$image:image CONTAINERS=podman .venv/bin/python -m pytest -q -n 2 --dist loadgroup --durations=5 tests/kubeflow/test_image.py
