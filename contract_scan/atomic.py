"""A file gets another text whole, or stays as it is."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

_LONGEST_PREFIX = 100
"""Of the name beside it: together with what makes it unique it must still be a name."""


def replace_file(file: Path, raw: bytes, *, mode: int | None = None) -> None:
    """Put bytes in the place of a file's, or make the file. Where a link leads to it, the link
    stays. Its mode stays too, unless another is given.

    Raises OSError; the file is then as it was, and nothing is left beside it.
    """
    import tempfile  # costs more than the rest of a start

    place = Path(os.path.realpath(file))
    prefix = f".{place.name[:_LONGEST_PREFIX]}."
    handle, name = tempfile.mkstemp(prefix=prefix, dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(raw)
            opened.flush()
            os.fsync(opened.fileno())
        Path(name).chmod(_mode(place) if mode is None else mode)
        Path(name).replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _mode(file: Path) -> int:
    """The mode of a file; of one that is not there yet, the mode that a new one gets."""
    try:
        return stat.S_IMODE(file.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
