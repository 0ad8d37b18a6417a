#!/bin/sh
# Builds the agent for JavaFX programs: native/javafx/build.sh [TARGET.jar]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=$(realpath -m "${1:-$here/../../src/deskhand/native/deskhand-javafx.jar}")
openjfx=${OPENJFX:-/usr/share/openjfx/lib}

if [ -f "$target" ] && [ -z "$(find "$here/src" "$here/manifest.mf" "$0" -newer "$target" -print -quit)" ]; then
    exit 0
fi
for program in javac jar; do
    command -v "$program" >/dev/null || {
        echo "$program is needed to build the agent for JavaFX programs; on Debian: apt install default-jdk-headless" >&2
        exit 1
    }
done
[ -f "$openjfx/javafx.controls.jar" ] || {
    echo "no JavaFX in $openjfx; on Debian: apt install openjfx; elsewhere set OPENJFX to its folder of jars" >&2
    exit 1
}

classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
# One compiler for both parts is quickest; the folders of the sources say what belongs where.
javac --release 11 -encoding UTF-8 -Xlint:all,-options,-processing -Werror -proc:none -g:source,lines \
    -cp "$openjfx/javafx.base.jar:$openjfx/javafx.graphics.jar:$openjfx/javafx.controls.jar:$openjfx/javafx.web.jar" \
    -d "$classes/all" $(find "$here/src" -name '*.java')
mkdir -p "$classes/jar/fx/deskhand" "$classes/jar/deskhand" "$(dirname "$target")"
mv "$classes/all/deskhand/javafx" "$classes/jar/deskhand/javafx"
mv "$classes/all/deskhand/fx" "$classes/jar/fx/deskhand/fx"
# The same sources make the same bytes: one order of the files, and one date, which jar can set since Java 17.
date=
if jar --help | grep -q -- --date; then date=--date=2000-01-01T00:00:00Z; fi
cd "$classes/jar"
find . -type f | sed 's|^\./||' | LC_ALL=C sort >"$classes/files"
jar --create --file "$classes/agent.jar" --manifest "$here/manifest.mf" $date "@$classes/files"
# Renamed into its place, so that no program loads half a jar.
cp "$classes/agent.jar" "$target.new"
mv "$target.new" "$target"
