#!/bin/sh
# Removes files from a virtual environment that nothing reads at run time: sh slim.sh ENVIRONMENT
# The image calls it in the layer that installs the packages; a later layer would not free any space.
# Every module except tests can still be imported, and the packages' metadata stays unchanged.
set -eu
cd "$1"/lib/python3.*/site-packages
size() { du -sm "$1" | cut -f 1; }
before=$(size "$1")

# Files for compilers and type checkers: headers, static libraries, declarations.
rm -rf tensorflow/include pyarrow/include
find . -type f \( -name '*.h' -o -name '*.hpp' -o -name '*.cuh' -o -name '*.a' -o -name '*.pxd' \
    -o -name '*.pyx' -o -name '*.pyi' \) -delete
# A compiler's parser, which TensorFlow requires and never loads.
rm -f clang/native/libclang.so

# Tests, their data, and examples.
find . -depth -type d -name tests -exec rm -rf {} +
find apache_beam tfx -name '*_test.py' -delete
rm -rf tfx/components/testdata tfx/examples apache_beam/examples

# Files of notebooks for the browser.
rm -rf "$1/share/jupyter" jupyterlab/static jupyterlab/staging notebook/static widgetsnbextension/static

# Debug symbols; dynamic symbols stay. Libraries in *.libs stay unchanged: auditwheel has shifted their
# sections, and strip would damage them.
find . -name '*.so*' -type f -size +300k -not -path './*.libs/*' -exec strip --strip-unneeded {} +
echo "$before MB before, $(size "$1") MB after"
