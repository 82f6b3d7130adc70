"""Runs the command as somebody whom the permissions of files bind, root or not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.forked import forked_python

ROOT = Path(__file__).parents[2]
_BINDING = "-dac_override,-dac_read_search"
"""The capabilities by which root reads what nobody may read."""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a folder, bound by permissions."""
    before: list[str] = []
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("needs setpriv (util-linux), since root reads everything")
        before = [setpriv, f"--bounding-set={_BINDING}", f"--inh-caps={_BINDING}"]
    return subprocess.run(
        [forked_python(*before), "-m", "contract_scan", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
