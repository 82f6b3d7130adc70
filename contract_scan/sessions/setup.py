"""`scope setup`: hooks that tell a session what its agent does, and a section of CLAUDE.md that
says when to start a session. Both can be taken away again.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from contract_scan.clients.agents.claude_folders import configuration_folder
from contract_scan.orchestrator.agent_files.claude_md import put_section
from contract_scan.orchestrator.agent_files.claude_settings import (
    LOCAL_SETTINGS,
    merge_settings,
    read_settings,
    write_settings,
)

OWN: Final = "scope: "
"""How the status messages of these hooks begin, by which they are known again."""
SECTION: Final = "SCOPE-SESSIONS"

_TIMEOUT: Final = 5
"""Seconds."""
_EVENTS: Final = {
    "SessionStart": ("start", "noting the conversation"),
    "PreToolUse": ("activity", "noting the activity"),
    "UserPromptSubmit": ("task", "noting the task"),
    "Notification": ("notification", "noting what is waited for"),
    "Stop": ("stop", "noting the last message"),
    "SessionEnd": ("end", "noting the end"),
}
"""Event of Claude Code -> the word for `scope-hook`, and what is shown meanwhile."""
_WITH_MATCHER: Final = ("PreToolUse",)
"""Events that hooks choose tools for; a matcher of another event would be ignored."""

HEURISTICS: Final = """\
## When to Spawn a Subagent

Spawn when:
- Task would consume significant context (>30% of window)
- Task is parallelizable with other work
- Task has clear inputs/outputs you can specify
- Task is self-contained (doesn't need your running state)

Don't spawn when:
- Quick lookup or small edit (just do it)
- Task requires back-and-forth dialogue
- You need to see intermediate steps
- Task is tightly coupled to your current work

Remember: spawning preserves YOUR context. The subagent pays the context cost, you get back a
concise result.

How: `scope spawn "TASK" --type explore` prints an id, `scope wait ID` prints the result as JSON.
Types are explore, implement, test, review, refactor; `--input PATH` names what to look at first.
"""
"""The sentences of the document that describes sessions, and how to do it."""


def install(project: Path, *, is_global: bool) -> list[Path]:
    """Write hooks and the section, into a project for its user alone or into the user's own folder.
    Returns the files that hold them. What else is in them stays.

    Raises SettingsError or ClaudeMdError where a file cannot be changed; that file is as it was.
    """
    return _write(project, is_global, _hooks(), HEURISTICS)


def uninstall(project: Path, *, is_global: bool) -> list[Path]:
    """Take both away. Raises as `install` does."""
    return _write(project, is_global, {}, "")


def hook_command(event: str) -> str:
    """The command line for an event. It names the program by its place, since an agent may have
    another PATH."""
    beside = Path(sys.executable).with_name("scope-hook")
    found = str(beside) if beside.is_file() else shutil.which("scope-hook")
    return f"{shlex.quote(found or 'scope-hook')} {event}"


# Private helpers


def _hooks() -> dict[str, list[dict[str, Any]]]:
    return {event: [_group(event, word, text)] for event, (word, text) in _EVENTS.items()}


def _group(event: str, word: str, text: str) -> dict[str, Any]:
    handler = {
        "type": "command",
        "command": hook_command(word),
        "timeout": _TIMEOUT,
        "statusMessage": f"{OWN}{text}",
    }
    matcher = {"matcher": "*"} if event in _WITH_MATCHER else {}
    return {**matcher, "hooks": [handler]}


def _write(
    project: Path, is_global: bool, hooks: dict[str, list[dict[str, Any]]], section: str
) -> list[Path]:
    folder = configuration_folder()
    settings_file = folder / "settings.json" if is_global else project / LOCAL_SETTINGS
    document = folder / "CLAUDE.md" if is_global else project / ".claude" / "CLAUDE.md"
    before = read_settings(settings_file)
    after = merge_settings(before, hooks, path=str(settings_file), own=OWN)
    root = folder if is_global else project
    put_section(document, SECTION, section, root)
    if after != before:
        write_settings(settings_file, after, project=None if is_global else project)
    return [settings_file, document]
