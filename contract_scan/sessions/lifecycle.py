"""Sessions are started, waited for, ended and taken up again.

The agent of a session is told its task, what is expected of such a task, its inputs and its scope
contract.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.clients import git_merges, git_worktrees
from contract_scan.clients.git_command import top_of
from contract_scan.clients.process_tree import ProcessMark, mark_of, own_mark
from contract_scan.clients.processes import ProcessError, start_detached
from contract_scan.clients.tmux import Tmux, is_installed
from contract_scan.errors import UsageError
from contract_scan.scopes.contract import ScopeContract
from contract_scan.scopes.markdown_form import write_markdown
from contract_scan.scopes.tasks import HAND_BACK
from contract_scan.scopes.verification import rule_of
from contract_scan.scopes.yaml_form import write_yaml
from contract_scan.sessions.agents import read_agents
from contract_scan.sessions.contract_state import read_state
from contract_scan.sessions.reconciliation import end_sessions, environment_of, reconciled_session
from contract_scan.sessions.session import (
    DEFAULT_TASK_TYPE,
    FOLDER_VARIABLE,
    OPEN_STATES,
    SESSION_VARIABLE,
    Mode,
    Session,
    SessionError,
    TaskType,
    checked_id,
    is_id,
    tmux_name,
)
from contract_scan.sessions.store import INSTRUCTIONS, SCOPE_CONTRACT, Store
from contract_scan.sessions.supervisor import (
    ENVIRONMENT,
    MESSAGE,
    environment_to_hand_on,
    supervisor_command,
)
from contract_scan.sessions.tree import check_order, descendants

NO_TMUX_VARIABLE: Final = "SCOPE_NO_TMUX"
"""Environment variable: sessions run without a terminal, though tmux is there."""

_SHORT: Final = 0.2
"""Seconds between two looks at sessions that are waited for."""
_LONGEST_TASK: Final = 120
"""Characters of the one line that a task is called by."""
_ABORTED: Final = "aborted on request"
_GO_ON: Final = "Go on with your task where you stopped."
"""What an agent is told that takes up its conversation, where nobody says anything else."""

_BY_TYPE: Final[Mapping[TaskType, str]] = {
    "explore": """\
## Task Type: Explore
Your goal is to understand, not modify. Return:
- Key insights about the code structure
- Relevant file paths
- Patterns or conventions observed
Do NOT make changes. Focus on what the caller needs to know.
""",
    "implement": """\
## Task Type: Implement
Write or modify code to accomplish the task. Return:
- Files changed (list)
- Brief summary of approach
- Any assumptions made
""",
    "test": """\
## Task Type: Test
Run and validate. Return:
- Pass/fail status
- Failure details (if any)
- Coverage or confidence notes
""",
    "review": """\
## Task Type: Review
Analyze the code. Return:
- Assessment (good/concerning/needs work)
- Specific concerns or issues
- Suggestions for improvement
Do NOT make changes unless explicitly asked.
""",
    "refactor": """\
## Task Type: Refactor
Transform the code while preserving behavior. Return:
- Files changed
- What was preserved (behavior guarantees)
- What was improved (structure, clarity, performance)
""",
}
"""The sentences of the document that describes sessions."""

_COMMITTED: Final = (
    "Where you may not run git, leave that out: what you leave in a working tree of its own is"
    " committed when you end."
)
_RETURN: Final = """\
## Returning
Your last message is the result that whoever started this session reads. Nobody reads the rest.
"""


class SpawnRequest(Struct, frozen=True, kw_only=True):
    """What is asked for when a session is started."""

    task: str
    task_type: TaskType = DEFAULT_TASK_TYPE
    agent: str = ""
    """Empty: the one that tasks of this type go to."""
    model: str = ""
    mode: Mode = "task"
    session_id: str = ""
    """Empty: the next number."""
    after: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    cwd: Path
    contract: ScopeContract | None = None
    since: str = ""
    """The revision at which the scope began."""
    worktrees: Path | None = None
    """The folder in which the session gets a working tree of its own, at a new branch; None: it
    works in `cwd` itself."""
    uses_tmux: bool = True


class SessionOutcome(Struct, frozen=True, kw_only=True):
    """A session as programs are told of it."""

    id: str
    status: str
    activity: str | None
    result: str | None
    reason: str | None
    """Why it was aborted."""
    contract: dict[str, Any] | None
    """What the engine says of its scope contract, once it is done."""


def tmux_of(store: Store) -> Tmux:
    """The server in which the sessions of a project run."""
    name = hashlib.sha256(os.fsencode(store.folder.resolve())).hexdigest()[:12]
    return Tmux(f"scope-{name}")


def has_tmux() -> bool:
    """Whether sessions get a terminal."""
    return is_installed() and not os.environ.get(NO_TMUX_VARIABLE)


def own_session(store: Store) -> str:
    """The session that this program runs in; empty where it runs in none of this project."""
    session_id = os.environ.get(SESSION_VARIABLE, "")
    here = Path(os.environ.get(FOLDER_VARIABLE, ""))
    is_here = here.is_dir() and store.folder.is_dir() and here.samefile(store.folder)
    return session_id if is_here and is_id(session_id) else ""


def spawn(store: Store, request: SpawnRequest) -> Session:
    """Start a session, below the one that this program runs in.

    Raises SessionError for a request that cannot be met, and where the agent cannot be started;
    UsageError where git refuses a working tree.
    """
    request = replace(request, cwd=request.cwd.resolve())
    agent, model = read_agents().route(request.task_type, request.agent, request.model)
    uses_tmux = request.uses_tmux and has_tmux()
    if request.mode == "interactive" and not uses_tmux:
        raise SessionError("a session to talk to needs a terminal: install tmux")
    if request.session_id:
        checked_id(request.session_id)
    for other in request.after:
        checked_id(other)
    inputs = tuple(_checked_input(request.cwd, path) for path in request.inputs)
    since = _commit(request) if request.contract is not None or request.worktrees else ""
    parent = own_session(store)
    if parent:
        _check_place(store, store.load(parent), request.cwd)

    def make(session_id: str) -> Session:
        return Session(
            id=session_id,
            task=_one_line(request.task),
            task_type=request.task_type,
            agent=agent.name,
            mode=request.mode,
            parent=parent,
            after=tuple(dict.fromkeys(request.after)),
            state="pending",
            model=model,
            inputs=inputs,
            cwd=_working_folder(request, session_id),
            created_at=_current_time(),
            tmux_session=tmux_name(session_id) if uses_tmux else "",
            process=own_mark(),
            since=since,
            branch=f"scope/{session_id}" if request.worktrees else "",
        )

    def files(session: Session) -> dict[str, str]:
        texts = {INSTRUCTIONS: _instructions_for(session, request.task, request.contract)}
        if request.contract is not None:
            texts[SCOPE_CONTRACT] = write_yaml([request.contract])
        return texts

    def check(session: Session) -> None:
        if parent and not store.load(parent).is_open:
            raise SessionError(f"session {parent}, which this would belong to, has ended")
        check_order(session, store.load_all())

    session = store.create(make, parent, request.session_id, files, check)
    try:
        if request.worktrees is not None:
            top = Path(top_of(str(request.cwd)) or request.cwd)
            git_worktrees.add_worktree(top, session.cwd, session.branch, since)
        _start(store, session)
        if not session.after:
            store.change(session.id, only_in=("pending",), state="running")
    except (ProcessError, UsageError, OSError) as error:
        reason = f"it could not be started: {error}"
        store.change(session.id, only_in=OPEN_STATES, state="aborted", reason=reason)
        raise SessionError(f"session {session.id} could not be started: {error}") from None
    return store.load(session.id)


def resume(store: Store, session_id: str, message: str = "") -> tuple[Session, bool]:
    """Take up a session that has ended, and say whether the agent goes on with its conversation;
    else it begins anew, and is told the message beside its task. Raises SessionError."""
    session = store.load(session_id)
    agent = read_agents().agent_named(session.agent)
    words = agent.task_resume if session.mode == "task" else agent.interactive_resume
    goes_on = bool(words and session.agent_session)
    if not session.cwd.is_dir():
        raise SessionError(f"its working folder {session.cwd} is gone")
    if session.tmux_session and not has_tmux():
        session_values: dict[str, object] = {"tmux_session": ""}
        if session.mode == "interactive":
            raise SessionError("a session to talk to needs a terminal: install tmux")
    else:
        session_values = {}
    try:
        if goes_on:
            text = f"{message or _GO_ON}\n"
        elif message:
            text = _with_message(store.text_of(session_id, INSTRUCTIONS), message)
        else:
            text = ""
        store.put_text(session_id, MESSAGE, text)
        resumed = store.change(
            session_id,
            only_in=("done", "aborted"),
            state="running",
            reason="",
            contract_state="",
            process=own_mark(),
            **session_values,
        )
        if not resumed:
            raise SessionError(f"session {session_id} has not ended")
        session = store.load(session_id)
        if session.tmux_session:
            # What ran there has ended; tmux may not have noticed yet.
            tmux_of(store).kill_session(session.tmux_session)
        _start(store, session)
    except (ProcessError, OSError) as error:
        reason = f"it could not be started: {error}"
        store.change(session_id, only_in=OPEN_STATES, state="aborted", reason=reason)
        raise SessionError(f"session {session_id} could not be started: {error}") from None
    return store.load(session_id), goes_on


def abort(store: Store, session_id: str) -> list[str]:
    """End a session and all below it, with every process of theirs. Returns the ids of those that
    were open. Raises SessionError where there is no such session."""
    store.load(session_id)
    aborted: dict[str, Session] = {}
    # What is marked starts nothing more; what it had started just before shows in the next round.
    while found := _mark_aborted(store, session_id):
        aborted |= {session.id: session for session in found}
    end_sessions(store, aborted.values())
    terminals = [session.tmux_session for session in aborted.values() if session.tmux_session]
    if terminals and is_installed():
        tmux = tmux_of(store)
        for name in tmux.session_names().intersection(terminals):
            tmux.kill_session(name)
    return list(aborted)


def outcome_of(session: Session) -> SessionOutcome:
    """A session as programs are told of it."""
    state = read_state(session.contract_state)
    contract: dict[str, Any] | None = None
    if state is not None:
        contract = {
            "scope_id": state.scope_id,
            "state": state.verdict,
            "findings": [
                {
                    "rule": rule_of(one)[0],
                    "kind": one.kind,
                    "message": one.message,
                    "line": one.line,
                }
                for one in state.findings
            ],
            "problem": state.problem or None,
        }
    return SessionOutcome(
        id=session.id,
        status=session.state,
        activity=session.activity or None,
        result=session.result or None,
        reason=session.reason or None,
        contract=contract,
    )


def wait(
    store: Store,
    session_ids: Sequence[str],
    timeout: float | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> list[Session]:
    """Wait until sessions have ended, or `timeout` seconds have passed, and return them as they
    are then. Raises SessionError where one is not there, or waits for this program itself."""
    own = own_session(store)
    by_id = {session.id: session for session in store.load_all()}
    for session_id in session_ids:
        store.load(session_id)
        below = [one.id for one in descendants(list(by_id.values()), session_id)]
        if own and own in (session_id, *below):
            raise SessionError(
                f"session {session_id} cannot end before this one, which waits for it"
            )
    if own in by_id:
        store.change(own, only_in=OPEN_STATES, activity="waiting on children")
    end = None if timeout is None else time.monotonic() + timeout
    try:
        while True:
            found = [reconciled_session(store, store.load(one)) for one in session_ids]
            left = _SHORT if end is None else min(_SHORT, end - time.monotonic())
            if left <= 0 or not any(session.is_open for session in found):
                return found
            pause(left)
    finally:
        if own in by_id:
            store.change(own, only_in=OPEN_STATES, activity="")


# Private helpers


def _check_place(store: Store, parent: Session, place: Path) -> None:
    """Raise SessionError where a session that another one starts would work elsewhere than that, in
    the project or in a working tree of it: an agent that may write in its own folder alone must not
    reach further through one that it starts."""
    project = store.folder.parent
    allowed = [project, parent.cwd]
    if top_of(str(project)) is not None:
        allowed += [one.path for one in git_worktrees.worktrees(project)]
    if not any(place.is_relative_to(one.resolve()) for one in allowed):
        raise SessionError(
            f"session {parent.id} may start others in the project and its working trees, not in"
            f" {place}"
        )


def _start(store: Store, session: Session) -> None:
    """Start the program that the session consists of. Raises ProcessError and OSError."""
    store.put_private(session.id, ENVIRONMENT, environment_to_hand_on())
    words = supervisor_command(store, session.id)
    marks = environment_of(store, session.id)
    if session.tmux_session:
        pid = tmux_of(store).create_session(
            session.tmux_session,
            words,
            cwd=session.cwd,
            environment=marks,
            without=(SESSION_VARIABLE, FOLDER_VARIABLE),
        )
    else:
        pid = start_detached(words, cwd=session.cwd, environment=marks)
    # It may have ended already; then it is told from everything that runs.
    mark = mark_of(pid) or ProcessMark(pid, "")
    store.change(session.id, only_in=OPEN_STATES, process=mark)


def _mark_aborted(store: Store, session_id: str) -> list[Session]:
    sessions = store.load_all()
    chosen = [one for one in sessions if one.id == session_id]
    chosen += descendants(sessions, session_id)
    marked: list[Session] = []
    for session in chosen:
        reason = _ABORTED if session.id == session_id else f"aborted with session {session_id}"
        if session.is_open and store.change(
            session.id, only_in=OPEN_STATES, state="aborted", activity="", reason=reason
        ):
            marked.append(store.load(session.id))
    return marked


def _checked_input(cwd: Path, path: str) -> str:
    if not path or len(path.splitlines()) != 1:
        raise SessionError(f"the input {path!r:.80} is no path of one line")
    if not (cwd / path).exists():
        raise SessionError("is not there, so it cannot be an input", path)
    return path


def _commit(request: SpawnRequest) -> str:
    """The commit at which the scope begins."""
    return git_merges.commit_of(request.cwd, request.since or "HEAD")


def _working_folder(request: SpawnRequest, session_id: str) -> Path:
    """Where a session works. Raises SessionError for a place that scans would look into."""
    if request.worktrees is None:
        return request.cwd
    top = top_of(str(request.cwd))
    place = request.worktrees.resolve() / session_id
    if top is not None and place.is_relative_to(Path(top).resolve()):
        raise SessionError(
            "lies in the repository, where scans would look into it", str(request.worktrees)
        )
    if os.path.lexists(place):
        raise SessionError("is there already; choose another folder or id", str(place))
    return place


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TASK else f"{line[: _LONGEST_TASK - 1]}…"


def _current_time() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")


def _instructions_for(session: Session, task: str, contract: ScopeContract | None) -> str:
    """The instructions of a session, as Markdown. `task` is the whole text of its task."""
    parts = [f"# Task\n\n{task.strip() or 'You are told it in the first message.'}\n"]
    parts.append(_BY_TYPE[session.task_type])
    if session.inputs:
        listed = "\n".join(f"- {path}" for path in session.inputs)
        parts.append(f"## Inputs\nLook at these first:\n{listed}\n")
    if contract is not None:
        parts.append(
            f"## Scope Contract\n\n{write_markdown([contract])}\n{HAND_BACK} {_COMMITTED}\n"
        )
    return "\n".join([*parts, _RETURN])


def _with_message(instructions: str, message: str) -> str:
    """The instructions of a session that begins anew, with what is said to it now."""
    return f"{instructions.rstrip()}\n\n## Said Since Then\n\n{message.strip()}\n"
