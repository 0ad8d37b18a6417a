#!/usr/bin/env bash
# Pins every Python package of the development environment, with hashes, in requirements-dev.lock; and those that
# only the documentation site needs in requirements-docs.lock.
#
# A requirements file and not uv.lock: that one records where each file was downloaded from, so a lock made
# behind a mirror would send all developers to the mirror. Arguments go to `uv pip compile` (--upgrade).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export UV_SYSTEM_CERTS=1
compile() {
    .venv/bin/uv pip compile --universal --generate-hashes --no-emit-index-url --no-emit-find-links --quiet \
        --custom-compile-command 'make lock' "$@"
}

compile pyproject.toml --group dev --python-version 3.10 --output-file requirements-dev.lock "$@"
compile --group docs --python-version 3.11 --constraints requirements-dev.lock --output-file requirements-docs.lock "$@"
