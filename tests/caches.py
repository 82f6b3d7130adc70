"""Where the cache of a scanned folder lies, and the time that it needs to trust a file."""

from __future__ import annotations

import os
import time
from pathlib import Path

from contract_scan.cache import base_folder, folder_name
from contract_scan.parsers.source.dependency_snapshot import SETTLED


def cache_folder(root: Path) -> Path:
    """The folder of a root's cache, which need not be there."""
    return Path(base_folder()) / folder_name(os.path.realpath(root))


def entries(root: Path, kind: str) -> list[Path]:
    """The files of one kind in a root's cache, sorted."""
    return sorted(cache_folder(root).glob(f"{kind}-*"))


def rest() -> None:
    """Wait until the times of all that was written tell of whatever is written from now on."""
    time.sleep(1.2 * SETTLED / 1e9)
