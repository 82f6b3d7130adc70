"""The fleet of the fixtures, and fleets made of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SHOP = Path(__file__).parents[2] / "fixtures" / "fleet"
NAMES = ("api", "billing", "crm", "mailer", "schemas")


def shop_in(folder: Path) -> Path:
    """A copy of the shop's repositories, and the file that lists them."""
    shutil.copytree(SHOP, folder)
    return folder / "fleet.yaml"


def run_fleet(
    listed: Path, *options: str, cache: Path | None = None, timeout: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """The command, as a user types it."""
    kept = ["--no-cache"] if cache is None else ["--cache-dir", str(cache)]
    return subprocess.run(
        [sys.executable, "-m", "contract_scan", "fleet", str(listed), *options, *kept],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
