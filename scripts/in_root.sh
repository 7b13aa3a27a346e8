#!/bin/sh
# Runs a command in the directory /project of a root filesystem: sh scripts/in_root.sh ROOT COMMAND ...
# The command sees this machine's network, certificates and package cache, but no other files of it.
# The mounts belong to the command's own namespace: the kernel removes them when the command ends.
set -eu
root=$1
shift

cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
# If a proxy signs connections, this machine's bundle holds its certificate.
bundle=${SSL_CERT_FILE:-${PIP_CERT:-${REQUESTS_CA_BUNDLE:-/etc/ssl/certs/ca-certificates.crt}}}
inside=/etc/ssl/certs/ca-certificates.crt
if [ -f "$bundle" ]; then
    cp -L "$bundle" "$root$inside"
    export SSL_CERT_FILE=$inside PIP_CERT=$inside REQUESTS_CA_BUNDLE=$inside CURL_CA_BUNDLE=$inside
    export SSL_CERT_DIR=/etc/ssl/certs
fi

cache=${UV_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/uv}
mkdir -p "$cache" "$root/var/cache/uv" "$root/project"
# Copies, since hard links do not work across mounts.
export UV_CACHE_DIR=/var/cache/uv UV_LINK_MODE=copy
export HOME=/home LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unset LC_ALL PYTHON PYTHONHOME PYTHONPATH TMPDIR VIRTUAL_ENV XDG_CACHE_HOME XDG_RUNTIME_DIR

# No `exec` inside: the shell stays as process 1, to reap orphaned children of the command.
exec unshare --mount --pid --fork --kill-child --propagation private sh -euc '
    root=$1 cache=$2
    shift 2
    mount --bind "$root" "$root"  # so that tests can change how "/" is mounted
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$cache" "$root/var/cache/uv"
    chroot "$root" env --chdir=/project "$@" || exit $?
' sh "$root" "$cache" "$@"
