#!/bin/sh
# Runs tests on the newer stack: directly if this machine can, else in a Debian trixie root that is
# built once and kept in NEXT. Called by `make test-next`; arguments are passed to scripts/test.sh.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- "not slow and not on_either_stack" both_stacks

if [ "$(sh scripts/stack.sh)" = 3.11 ]; then
    PYTHON=${PYTHON:-python3.11} sh scripts/setup.sh
    exec sh scripts/test.sh "$@"
fi

if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
    echo "Error: this machine's $(getconf GNU_LIBC_VERSION) is older than TFX 1.21 needs, 2.39, and this user may not" >&2
    echo "  mount the Debian root it would run in: sudo make test-next, in a container with --cap-add SYS_ADMIN." >&2
    exit 2
fi

# The root's name holds a checksum of its inputs; the lock prevents two runs at the same time.
next=${NEXT:-${XDG_CACHE_HOME:-$HOME/.cache}/tfx-production-training/next}
mkdir -p "$next"
exec 9>"$next/lock"
flock 9
packages="g++ git make"
root=$next/trixie-$(echo "$packages" | cat - scripts/trixie_root.sh | cksum | cut -d ' ' -f 1)
if [ ! -d "$root" ]; then
    echo "Building a Debian trixie root in $root (5 GB, once) ..."
    rm -rf --one-file-system "$next"/trixie-*
    sh scripts/trixie_root.sh "$root" $packages
fi

# Copies the project as a clone has it, and keeps the environment of the last run.
mkdir -p "$root/project"
find "$root/project" "$root/tmp" -mindepth 1 -maxdepth 1 ! -name .venv -exec rm -rf --one-file-system {} +
git ls-files -z --cached --others --exclude-standard |
    tar --null --files-from=- --ignore-failed-read -cf - | tar -C "$root/project" --no-same-owner -xf -
exec sh scripts/in_root.sh "$root" sh -euc 'git init --quiet; sh scripts/setup.sh; exec sh scripts/test.sh "$@"' sh "$@"
