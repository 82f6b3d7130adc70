"""What an agent does, in a few words, by the tool that it uses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

_LONGEST_COMMAND: Final = 40
_LONGEST: Final = 200
"""Characters of an activity as a whole."""

_BY_TOOL: Final = {
    "Read": ("reading", ("file_path",)),
    "NotebookRead": ("reading", ("notebook_path", "file_path")),
    "Edit": ("editing", ("file_path",)),
    "MultiEdit": ("editing", ("file_path",)),
    "Write": ("editing", ("file_path",)),
    "NotebookEdit": ("editing", ("notebook_path", "file_path")),
    "Bash": ("running:", ("command",)),
    "Grep": ("searching:", ("pattern",)),
    "Glob": ("searching:", ("pattern",)),
    "WebFetch": ("fetching", ("url",)),
    "WebSearch": ("searching the web:", ("query",)),
}
"""Tool -> what is done, and the keys of its input that say with what, the first that is there."""
_SPAWNING: Final = ("Agent", "Task")
"""The tool that starts a subagent; before version 2.1 it was called Task."""


def activity_of(tool: str, given: Mapping[str, Any], cwd: str) -> str:
    """What a use of a tool is called: `reading src/app.py`. Paths below `cwd` are relative to it.
    A tool that is not known stands for itself."""
    if tool in _SPAWNING:
        return "spawning subtask"
    verb, keys = _BY_TOOL.get(tool, (tool, ()))
    value = next((text for key in keys if isinstance(text := given.get(key), str) and text), "")
    if tool == "Bash":
        value = " ".join(value.split())[:_LONGEST_COMMAND]
    elif any(key.endswith("_path") for key in keys):
        value = _relative(value, cwd)
    return " ".join(f"{verb} {value}".split())[:_LONGEST]


def _relative(path: str, cwd: str) -> str:
    inside = cwd.rstrip(os.sep) + os.sep
    return path.removeprefix(inside) if cwd else path
