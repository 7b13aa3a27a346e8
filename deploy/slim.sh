#!/bin/sh
# Takes out of a virtual environment what nothing reads at run time: sh slim.sh ENVIRONMENT
# Called in the image's layer that installs it, or the layer would keep it. Packages stay whole to
# Python's eyes: every module that is no test can be imported, and their metadata is as it was.
set -eu
cd "$1"/lib/python3.*/site-packages
size() { du -sm "$1" | cut -f 1; }
before=$(size "$1")

# To compile against: headers, static libraries, Cython's and type checkers' declarations.
rm -rf tensorflow/include pyarrow/include
find . -type f \( -name '*.h' -o -name '*.hpp' -o -name '*.cuh' -o -name '*.a' -o -name '*.pxd' \
    -o -name '*.pyx' -o -name '*.pyi' \) -delete
# A compiler's parser, which TensorFlow requires and never loads.
rm -f clang/native/libclang.so

# Tests, their data, and examples.
find . -depth -type d -name tests -exec rm -rf {} +
find apache_beam tfx -name '*_test.py' -delete
rm -rf tfx/components/testdata tfx/examples apache_beam/examples

# What a browser gets of a notebook.
rm -rf "$1/share/jupyter" jupyterlab/static jupyterlab/staging notebook/static widgetsnbextension/static

# Symbols that only a debugger reads; those that libraries find each other by are kept. Libraries in
# *.libs were moved there by a tool that shifts their sections: they are left as they are.
find . -name '*.so*' -type f -size +300k -not -path './*.libs/*' -exec strip --strip-unneeded {} +
echo "$before MB before, $(size "$1") MB after"
