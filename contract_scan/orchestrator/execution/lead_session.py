"""How a lead is talked to: in the print mode of Claude Code, or in a terminal.

In print mode lines of JSON go both ways, and no team is formed. In a terminal a team is formed, but
what can be told is what can be typed, and what the lead does is told by hooks.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from contract_scan.clients.agents import (
    CLAUDE_IN_TERMINAL,
    CLAUDE_WITH_LINES,
    AgentReady,
    Event,
    PromptTaken,
    RequestAnswered,
    recording_settings,
)
from contract_scan.clients.agents.claude_folders import (
    Team,
    configuration_folder,
    team_of_process,
    team_of_session,
)
from contract_scan.clients.process_group import ProcessGroup
from contract_scan.clients.processes import ProcessError
from contract_scan.orchestrator.execution.lead_prompt import stop_prompt
from contract_scan.orchestrator.execution.tasks import BackendError
from contract_scan.orchestrator.execution.workplace import Workplace

_ANSWER_TIMEOUT: Final = 60.0
"""Seconds that the program gets to answer a question about itself, or to open a session."""

_LOOK_SECONDS: Final = 0.1
"""Between two looks at what hooks have written down."""

_TYPING_SECONDS: Final = 0.3
"""Between what is typed and the key that sends it: at once they count as pasted text."""

_SETTLING_SECONDS: Final = 0.5
"""That Claude Code gets to take in what the last server has told."""

_SEND_AGAIN_SECONDS: Final = 3.0
_SEND_AGAIN_TIMES: Final = 3
_LEAD: Final = "build-lead"
_LEAD_AGENT: Final = {
    "description": "Leads workers through tasks",
    "prompt": "You lead workers. You write no files and run no commands yourself.",
}

_SEARCH: Final = "ToolSearch"
"""Finds tools that are not shown from the start."""

_ENTER: Final = b"\r"
_ESCAPE: Final = b"\x1b"


class LeadSession(Protocol):
    """A lead that runs: what it can be told, and what it tells.

    Sessions are started with the words of the command, variables that are set besides, a name for
    the files of the run, and the tools that the lead may use (none named: all).
    """

    async def open(self) -> None:
        """Wait until it can be told something. Raises BackendError."""
        ...

    def tell(self, text: str) -> None:
        """Tell it something."""
        ...

    def stop_worker(self, worker: str, name: str) -> None:
        """Have one of its workers ended, by the worker's id or name."""
        ...

    def interrupt(self) -> None:
        """Have it leave what it is at."""
        ...

    def events(self) -> AsyncIterator[Event]:
        """What it does, until its process has ended."""
        ...

    def team(self) -> Team | None:
        """The team that it has formed."""
        ...

    def give_up(self, why: str) -> None:
        """Nothing more will come: nobody has to wait any longer."""
        ...

    async def why_ended(self) -> str:
        """Wait until its process has ended, and say what that said last."""
        ...

    async def end(self, patience: float) -> None:
        """End the process with all that it started."""
        ...


class PrintedSession:
    """A lead in print mode."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        workplace: Workplace,
        name: str,
        lead_tools: Sequence[str] = (),
    ) -> None:
        if lead_tools:
            lead = {**_LEAD_AGENT, "tools": [*lead_tools]}
            words = [*words, "--agents", json.dumps({_LEAD: lead}), "--agent", _LEAD]
        try:
            self._process = ProcessGroup.start(
                words,
                cwd=workplace.project_dir,
                environment=environment,
                without=CLAUDE_WITH_LINES.without,
            )
        except ProcessError as error:
            raise BackendError(str(error)) from None
        self._workplace = workplace
        self._name = name
        self._pid = 0
        """As it tells itself."""
        self._answers: dict[str, asyncio.Future[RequestAnswered]] = {}
        self._numbers = itertools.count(1)

    async def open(self) -> None:
        identifier = self._request("initialize", hooks=None)
        try:
            async with asyncio.timeout(_ANSWER_TIMEOUT):
                answered = await self._answers[identifier]
        except TimeoutError:
            raise BackendError("the lead does not answer `initialize`") from None
        if answered.error:
            raise BackendError(f"the lead refuses `initialize`: {answered.error}")
        pid = answered.answer.get("pid")
        self._pid = pid if isinstance(pid, int) else 0

    def tell(self, text: str) -> None:
        message = {"role": "user", "content": text}
        self._write({"type": "user", "message": message, "parent_tool_use_id": None})

    def stop_worker(self, worker: str, name: str) -> None:
        if worker:
            self._request("stop_task", task_id=worker)

    def interrupt(self) -> None:
        self._request("interrupt")

    async def events(self) -> AsyncIterator[Event]:
        reader = CLAUDE_WITH_LINES.reader()
        with self._workplace.line_log(self._name) as keep:
            async for line in self._process.lines():
                keep(line)
                for event in reader.read(line):
                    if isinstance(event, RequestAnswered):
                        self._answer(event)
                    yield event

    def team(self) -> Team | None:
        return team_of_process(configuration_folder(), self._pid)

    def give_up(self, why: str) -> None:
        for identifier in self._answers:
            self._answer(RequestAnswered(identifier, {}, why))

    async def why_ended(self) -> str:
        return await _why_ended(self._process)

    async def end(self, patience: float) -> None:
        await self._process.end(patience)

    def _answer(self, event: RequestAnswered) -> None:
        waiting = self._answers.get(event.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(event)

    def _request(self, subtype: str, **more: object) -> str:
        """Ask the program for something. Gives the id of the request."""
        identifier = f"req_{next(self._numbers)}"
        self._answers[identifier] = asyncio.get_running_loop().create_future()
        request = {"subtype": subtype, **more}
        self._write({"type": "control_request", "request_id": identifier, "request": request})
        return identifier

    def _write(self, message: Mapping[str, object]) -> None:
        self._process.write(json.dumps(message).encode() + b"\n")


def server_log_file(workplace: Workplace, name: str) -> Path:
    """Where relays write which MCP servers have told a lead in a terminal their tools."""
    return workplace.file_of(name, ".servers.jsonl")


class TerminalSession:
    """A lead in a terminal of its own."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        workplace: Workplace,
        name: str,
        lead_tools: Sequence[str] = (),
    ) -> None:
        self._id = str(uuid.uuid4())
        self._workplace = workplace
        self._name = name
        self._hooks = workplace.write_file(name, ".hooks.jsonl", b"")
        self._server_log = workplace.write_file(name, ".servers.jsonl", b"")
        # Teammates have no other tools than an agent of its own that leads them, so that a lead
        # in a terminal is none: hooks keep it from using others.
        may_use = (*lead_tools, _SEARCH) if lead_tools else ()
        settings = recording_settings(self._hooks.absolute(), may_use)
        settings_file = workplace.write_file(
            name, ".settings.json", json.dumps(settings, indent=2).encode()
        )
        try:
            self._process = ProcessGroup.start_in_terminal(
                [*words, "--session-id", self._id, "--settings", str(settings_file.absolute())],
                cwd=workplace.project_dir,
                environment=environment,
                without=CLAUDE_IN_TERMINAL.without,
            )
        except ProcessError as error:
            raise BackendError(str(error)) from None
        self._opened = asyncio.Event()
        self._why_not = ""
        self._pending_files: asyncio.Queue[Path] = asyncio.Queue()
        self._taken = asyncio.Event()
        self._numbers = itertools.count(1)

    async def open(self) -> None:
        try:
            async with asyncio.timeout(_ANSWER_TIMEOUT):
                await self._opened.wait()
        except TimeoutError:
            self._why_not = f"it has told nothing for {_ANSWER_TIMEOUT:.0f} seconds"
        if self._why_not:
            raise BackendError(
                f"the lead opens no session ({self._why_not}); start it once in the folder of the"
                " project yourself, and answer what it asks"
            )

    def tell(self, text: str) -> None:
        number = next(self._numbers)
        file = self._workplace.write_file(f"{self._name}-{number}", ".lead.md", text.encode())
        self._pending_files.put_nowait(file.relative_to(self._workplace.project_dir))

    def stop_worker(self, worker: str, name: str) -> None:
        self.tell(stop_prompt(name))

    def interrupt(self) -> None:
        self._process.write(_ESCAPE)

    async def events(self) -> AsyncIterator[Event]:
        reader = CLAUDE_IN_TERMINAL.reader()
        typing = asyncio.create_task(self._type())
        try:
            async for line in self._lines():
                for event in reader.read(line):
                    if isinstance(event, AgentReady):
                        self._opened.set()
                    elif isinstance(event, PromptTaken):
                        self._taken.set()
                    yield event
        finally:
            typing.cancel()

    def team(self) -> Team | None:
        return team_of_session(configuration_folder(), self._id)

    def give_up(self, why: str) -> None:
        if not self._opened.is_set():
            self._why_not = why
            self._opened.set()

    async def why_ended(self) -> str:
        return await _why_ended(self._process)

    async def end(self, patience: float) -> None:
        await self._process.end(patience)

    async def _lines(self) -> AsyncIterator[bytes]:
        """What hooks have written down, until the process has ended."""
        rest = b""
        with self._hooks.open("rb") as file:
            has_ended = False
            while not has_ended:
                has_ended = self._process.status is not None
                *lines, rest = (rest + file.read()).split(b"\n")
                for line in lines:
                    yield line
                await asyncio.sleep(_LOOK_SECONDS)

    async def _type(self) -> None:
        """Have the lead read what it is told, one after the other. A key that the program has not
        noticed is pressed again."""
        await self._opened.wait()
        await self._wait_for_servers()
        while True:
            file = await self._pending_files.get()
            self._taken.clear()
            self._process.write(f"Read `{file.as_posix()}` and do what it says.".encode())
            for seconds in (_TYPING_SECONDS, *[_SEND_AGAIN_SECONDS] * _SEND_AGAIN_TIMES):
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._taken.wait()
                if self._taken.is_set():
                    break
                self._process.write(_ENTER)

    async def _wait_for_servers(self) -> None:
        """Wait until all MCP servers have told their tools, or have had time enough: in a terminal
        Claude Code does not wait, and teammates have the tools that were there when the lead's turn
        began."""
        if not self._workplace.servers:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self._workplace.server_start_seconds):
                while not {*self._workplace.servers} <= self._servers_with_known_tools():
                    await asyncio.sleep(_LOOK_SECONDS)
                await asyncio.sleep(_SETTLING_SECONDS)

    def _servers_with_known_tools(self) -> set[str]:
        lines = self._server_log.read_bytes().splitlines(keepends=True)
        return {json.loads(line) for line in lines if line.endswith(b"\n")}


async def _why_ended(process: ProcessGroup) -> str:
    status = await process.wait_exit()
    return process.complaint or f"status {status}"
