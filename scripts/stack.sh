#!/bin/sh
# Prints the Python of the newest stack this machine can run: 3.11 (TFX 1.21) or 3.10 (TFX 1.16).
# TFDV and ML Metadata of TFX 1.21 need glibc 2.39 or Apple silicon.
set -eu

case "$(uname -s) $(uname -m)" in
"Darwin arm64") echo 3.11 ;;
"Linux x86_64")
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc=0
    glibc=${glibc#glibc }
    oldest=$(printf '2.39\n%s\n' "$glibc" | sort -V | head -n 1)
    if [ "$oldest" = 2.39 ]; then echo 3.11; else echo 3.10; fi
    ;;
*)
    echo "Error: TFX has no packages for $(uname -s) on $(uname -m)." >&2
    echo "  Use Linux on x86-64, or macOS on Apple silicon." >&2
    exit 2
    ;;
esac
