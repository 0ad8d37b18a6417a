#!/usr/bin/env bash
# Pins every Python package of the development environment, with hashes, in requirements-dev.lock.
#
# A requirements file and not uv.lock: that one records where each file was downloaded from, so a lock made
# behind a mirror would send everybody to the mirror. Arguments go to `uv pip compile` (--upgrade).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export UV_SYSTEM_CERTS=1
.venv/bin/uv pip compile pyproject.toml --group dev --universal --python-version 3.10 \
    --generate-hashes --no-emit-index-url --no-emit-find-links --quiet \
    --custom-compile-command 'make lock' --output-file requirements-dev.lock "$@"
