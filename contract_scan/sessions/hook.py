"""`scope-hook EVENT`: what hooks of Claude Code call, with a JSON object on their standard input.

Whatever arrives, it prints nothing and ends with 0: a hook must not get in the way of the agent.
Starts in no time where it has nothing to do: Claude Code waits for it at every use of a tool.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from contract_scan.sessions.session import Session

Change = Mapping[str, str]
"""Fields of the session that an event sets."""

_LARGEST: Final = 20_000_000
"""Bytes of an event. One that is larger is taken for none."""
_LONGEST_TASK: Final = 60
_LONGEST_NOTICE: Final = 80
"""Characters."""
_GOES_ON: Final = ("clear", "resume")
"""Reasons for the end of a conversation after which the program takes up another one."""
_RESUME_SOURCES: Final = ("clear", "compact", "fork", "resume")
"""Sources of a conversation that follows an earlier one."""


def program() -> None:
    """The command. Never fails."""
    try:
        if "SCOPE_SESSION_ID" in os.environ:
            handle(sys.argv[1], sys.stdin.buffer.read())
    except BaseException:  # an interrupt, too
        pass
    sys.exit(0)


def handle(event: str, raw: bytes) -> None:
    """Let the session of this program follow an event of its agent. Does nothing outside of a
    session, for an event that is not known, and for what is no JSON object.

    Raises whatever goes wrong; `program` swallows it.
    """
    from contract_scan.sessions.session import (
        FOLDER_VARIABLE,
        OPEN_STATES,
        SESSION_VARIABLE,
        is_id,
    )
    from contract_scan.sessions.store import Store, found_store

    session_id = os.environ.get(SESSION_VARIABLE, "")
    folder = os.environ.get(FOLDER_VARIABLE)
    store = Store(Path(folder)) if folder else found_store(Path.cwd())
    given = json.loads(raw) if len(raw) <= _LARGEST else None
    if event not in EVENTS or store is None or not is_id(session_id) or type(given) is not dict:
        return
    session = store.load(session_id)
    conversation = _text(given, "session_id")
    if event != "start" and session.agent_session not in ("", conversation):
        return  # an agent that this one has started by itself
    changes = EVENTS[event](given, session)
    if changes:
        store.change(session_id, only_in=OPEN_STATES, **changes)


# What each event says


def _on_start(given: Mapping[str, Any], session: Session) -> Change:
    conversation = _text(given, "session_id")
    is_own = not session.agent_session or _text(given, "source") in _RESUME_SOURCES
    return {"agent_session": conversation} if conversation and is_own else {}


def _tool_used(given: Mapping[str, Any], session: Session) -> Change:
    from contract_scan.sessions.activity import activity_of

    tool, used = _text(given, "tool_name"), given.get("tool_input")
    cwd = _text(given, "cwd") or str(session.cwd)
    activity = activity_of(tool, used if isinstance(used, dict) else {}, cwd)
    return {"activity": activity} if tool else {}


def _on_prompt(given: Mapping[str, Any], session: Session) -> Change:
    """The first message says what the task is, where nobody has said it before."""
    line = " ".join(_text(given, "prompt").split())
    return {"task": line[:_LONGEST_TASK], "activity": ""} if line and not session.task else {}


def _turn_ended(given: Mapping[str, Any], session: Session) -> Change:
    """The agent says nothing more for now, which is not the end of the session."""
    tasks = given.get("background_tasks")
    is_busy = any(
        isinstance(one, dict) and one.get("status") == "running"
        for one in (tasks if isinstance(tasks, list) else ())
    )
    idle = "waiting for you" if session.mode == "interactive" else ""
    last = _text(given, "last_assistant_message")
    activity = "waiting on background tasks" if is_busy else idle
    return {"activity": activity, **({"result": last} if last.strip() else {})}


def _on_notification(given: Mapping[str, Any], _: Session) -> Change:
    notice = " ".join(_text(given, "message").split())[:_LONGEST_NOTICE]
    return {"activity": f"waiting for you: {notice}"} if notice else {}


def _on_end(given: Mapping[str, Any], session: Session) -> Change:
    """The conversation has ended. Where the session's own program runs, the session ends with that,
    which knows how."""
    from contract_scan.clients.process_tree import is_running

    if _text(given, "reason") in _GOES_ON:
        return {}
    if session.process is not None and is_running(session.process):
        return {"activity": ""}
    return {"activity": "", "state": "done"}


EVENTS: Final[Mapping[str, Callable[[Mapping[str, Any], Session], Change]]] = {
    "start": _on_start,
    "activity": _tool_used,
    "task": _on_prompt,
    "stop": _turn_ended,
    "notification": _on_notification,
    "end": _on_end,
}
"""By the word that the command is called with."""


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""
