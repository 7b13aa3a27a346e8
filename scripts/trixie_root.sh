#!/bin/sh
# Builds ROOT, a Debian trixie root filesystem with this machine's Python 3.11 in /usr/local:
#     sudo sh scripts/trixie_root.sh ROOT [DEBIAN-PACKAGE ...]
# Trixie has the glibc that TFX 1.21 needs, but no Python 3.11. MIRROR names another Debian mirror.
set -eu
root=$1
shift
python=${PYTHON:-python3.11}

fail() {
    printf 'Error: %s\n  %s\n' "$1" "$2" >&2
    exit 2
}

[ "$(id -u)" = 0 ] || fail "a root filesystem can only be built by root." "Run it with sudo."
[ ! -e "$root" ] || fail "$root is there already." "Remove it first, or name another directory."
"$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null ||
    fail "$python is not Python 3.11." "Install it, or name it: PYTHON=/path/to/python3.11"
if ! command -v debootstrap >/dev/null; then
    { apt-get update && apt-get install --yes --no-install-recommends debootstrap; } >/dev/null ||
        fail "debootstrap is not installed." "Install it with this system's package manager."
fi

# Built aside and renamed: what bears the name is complete.
building=$root.building
rm -rf --one-file-system "$building"
mkdir -p "$building"

# What a Python 3.11 is linked with, and what the caller asks for.
packages=ca-certificates,libbz2-1.0,libexpat1,libffi8,liblzma5,libreadline8t64,libsqlite3-0,libssl3t64,libuuid1
for package in "$@"; do packages=$packages,$package; done
# In a mount namespace of its own: what debootstrap mounts is gone when it ends, however it ends.
unshare --mount debootstrap --variant=minbase --include="$packages" trixie "$building" ${MIRROR:-} \
    >"$building.log" || fail "debootstrap failed." "See $building.log."
rm -rf "$building"/var/cache/apt/archives/*.deb "$building"/var/lib/apt/lists/*

# The interpreter without the packages of this machine: it finds its library from where it lies.
path() { "$python" -c "import sys, sysconfig; print($1)"; }
local=$building/usr/local
mkdir -p "$local/lib/python3.11/site-packages" "$local/include"
cp "$(path sys._base_executable)" "$local/bin/python3.11"
cp -RL "$(path 'sysconfig.get_path("include")')" "$local/include/python3.11"
tar -C "$(path 'sysconfig.get_path("stdlib")')" --exclude=./site-packages --exclude=./dist-packages \
    --exclude=./test --exclude='./config-*' -cf - . | tar -C "$local/lib/python3.11" --no-same-owner -xf -
library=$(path 'sysconfig.get_config_var("LIBDIR") + "/" + sysconfig.get_config_var("INSTSONAME")')
case $library in *.so*) [ ! -f "$library" ] || cp "$library" "$local/lib/" ;; esac
chroot "$building" ldconfig
chroot "$building" /usr/local/bin/python3.11 -c 'import bz2, ctypes, lzma, readline, sqlite3, ssl, venv, zlib' ||
    fail "$python does not run on Debian trixie." "It was built for other libraries: use another Python 3.11."

rm -f "$building.log"
mv "$building" "$root"
