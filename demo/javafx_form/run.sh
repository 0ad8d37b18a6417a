#!/usr/bin/env bash
# Compiles the order form in JavaFX if need be, and becomes the program: demo/javafx_form/run.sh [--rows N] [--again].
#   OPENJFX   the folder with JavaFX's jars; Debian's by default
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly source=$here/OrderForm.java
readonly classes=$here/../../build/javafx_form
readonly fx=(--module-path "${OPENJFX:-/usr/share/openjfx/lib}" --add-modules javafx.controls)

mkdir -p "${classes%/*}"
(
    flock 9 # who comes second finds it compiled
    if ! cmp -s "$source" "$classes/OrderForm.java"; then
        # Made elsewhere and put in place at once: one that was interrupted leaves nothing half made there.
        new=$(mktemp -d "$classes.XXXX")
        javac "${fx[@]}" -encoding UTF-8 -Xlint:all,-rawtypes -d "$new" "$source"
        cp "$source" "$new"
        rm -rf "$classes"
        mv -T "$new" "$classes"
    fi
) 9>"$classes.lock"
# Software rendering: a virtual screen has no graphics card, and looking for one takes a second.
exec java "${fx[@]}" -Dprism.order=sw -cp "$classes" OrderForm "$@"
