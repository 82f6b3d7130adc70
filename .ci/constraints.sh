#!/usr/bin/env bash
# Writes constraints.txt anew: the newest versions that pyproject.toml allows, of everything that
# the package, its extras for users and its build need. Versions only. Usage: make constraints
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

environment="$(mktemp -d)"
trap 'rm -rf "$environment"' EXIT
"${PYTHON:-python3}" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    '.[fix,lsp,more-languages,validate]' 'hatchling>=1.27,<2'
{
    echo "# What the action and the image install: versions that were tested together."
    echo "# Written by: make constraints"
    "$environment/bin/python" -m pip list --disable-pip-version-check --format=freeze \
        --exclude contract-scan --exclude pip --exclude setuptools
} >constraints.txt
