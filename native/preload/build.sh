#!/bin/sh
# Builds what starts Python in programs written in C or C++: native/preload/build.sh [TARGET.so]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=$(realpath -m "${1:-$here/../../src/deskhand/native/deskhand-preload.so}")

command -v "${CC:-gcc}" >/dev/null || {
    echo "a C compiler is needed to build native/preload; on Debian: apt install gcc libc6-dev" >&2
    exit 1
}
mkdir -p "$(dirname "$target")"
# To a file of its own, then renamed: programs that run have the old one mapped.
"${CC:-gcc}" -std=c11 -O2 -g0 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -Wl,-z,now -Wl,--as-needed \
    -o "$target.new" "$here/preload.c" -ldl -lpthread
mv "$target.new" "$target"
