"""The fleet of the fixtures, and fleets made of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.forked import forked_python

SHOP = Path(__file__).parents[2] / "fixtures" / "fleet"
NAMES = ("api", "billing", "crm", "mailer", "schemas")

OBEYS_PERMISSIONS: Final = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    if hasattr(os, "geteuid") and os.geteuid() == 0
    else ()
)
"""What a command begins with that may not read what nobody may: root may, unless that is taken."""


def shop_in(folder: Path) -> Path:
    """A copy of the shop's repositories, and the file that lists them."""
    shutil.copytree(SHOP, folder)
    return folder / "fleet.yaml"


def run_fleet(
    listed: Path,
    *options: str,
    cache: Path | None = None,
    timeout: float = 120.0,
    before: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """The command, as a user types it; `before` stands in front of it."""
    python = (*before, sys.executable) if before else (forked_python(),)
    kept = ["--no-cache"] if cache is None else ["--cache-dir", str(cache)]
    return subprocess.run(
        [*python, "-m", "contract_scan", "fleet", str(listed), *options, *kept],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
