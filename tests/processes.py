"""What tests ask of processes that they did not start themselves."""

from __future__ import annotations

from pathlib import Path


def is_running(process: int) -> bool:
    """Whether a process of that number runs; one that has ended and waits for its parent does not.

    It can end between the opening and the reading of its file: `ProcessLookupError`.
    """
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] not in ("Z", "X")
