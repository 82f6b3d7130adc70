"""The hooks that have Claude Code check its edits: into its settings, and out again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contract_scan.orchestrator.agent_files.claude_settings import (
    LOCAL_SETTINGS,
    merge_settings,
    read_settings,
    remove_settings,
    write_settings,
)

OWN = "contract-scan check: "
"""How the status messages of these hooks begin, by which they are known again. Those of builds
begin otherwise, and stay."""
EDITS = "Edit|MultiEdit|NotebookEdit|Write"
"""The tools that change files."""
TIMEOUT = 120
"""Seconds that Claude Code waits."""


def install(folder: Path) -> tuple[Path, bool]:
    """Write the hooks into the settings of a project, for its user alone: the file, and whether
    they were there. What else is in it stays. Raises SettingsError."""
    return _merge(folder, _hooks())


def uninstall(folder: Path) -> Path | None:
    """Take them away; None where they were not there. Raises SettingsError."""
    file, were_there = _merge(folder, {})
    return file if were_there else None


def _merge(folder: Path, hooks: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[Path, bool]:
    file = folder / LOCAL_SETTINGS
    before = read_settings(file)
    without = merge_settings(before, {}, path=str(file), own=OWN)
    after = merge_settings(before, hooks, path=str(file), own=OWN)
    if before and not after:
        remove_settings(file, project=folder)
    elif after != before:
        write_settings(file, after, project=folder)
    return file, without != before


def _hooks() -> dict[str, list[dict[str, Any]]]:
    return {
        "PostToolUse": [{"matcher": EDITS, "hooks": [_handler("what was edited")]}],
        "Stop": [{"hooks": [_handler("everything that changed")]}],
    }


def _handler(about: str) -> dict[str, Any]:
    python = shlex.quote(sys.executable)
    command = (
        "if command -v contract-scan >/dev/null 2>&1; then exec contract-scan hooks claude; "
        f"else exec {python} -P -m contract_scan hooks claude; fi"
    )
    return {
        "type": "command",
        "command": command,
        "timeout": TIMEOUT,
        "statusMessage": f"{OWN}{about}",
    }
