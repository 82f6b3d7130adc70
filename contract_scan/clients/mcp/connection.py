"""One server process, and the SDK's session with it."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TextIO, TypeVar

from contract_scan.clients.mcp.faults import (
    MCPConnectionError,
    MCPTimeoutError,
    ends_session,
    first_leaf,
)
from contract_scan.clients.mcp.launch import ServerLaunch
from contract_scan.mcp_sdk import sdk

logger = logging.getLogger(__name__)

_CANCEL_PATIENCE = 1.0
"""Seconds that a cancelled request may take to say so to the server."""

T = TypeVar("T")
_LONGEST = 8192
"""Bytes that are remembered: servers may log without end."""

_PATIENCE = 0.5
"""Seconds to wait for the rest once the server has gone; a descendant may hold the pipe open."""


class Connection:
    """Opened and closed by a task of its own.

    The SDK's context managers have to be left by the task that entered them, and wrap whatever is
    raised between them into groups. Here only this task stands between them: what callers raise
    stays as it is, and they may close the session from wherever they like.
    """

    def __init__(self, launch: ServerLaunch) -> None:
        self._launch = launch
        self._stderr = _StandardError(launch.title)
        self._opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._failure: BaseException | None = None
        self._owner = asyncio.create_task(self._hold_session(), name=f"MCP session: {launch.title}")
        self._requests = 0
        self.ended = False
        """Whether the server has gone: no request can be answered any more."""
        self.overdue = False
        """Whether the last request ran out of time: the server may hang."""

    @property
    def idle(self) -> bool:
        """Whether no request is waiting for its answer."""
        return self._requests == 0

    async def open(self) -> None:
        """Wait until the server has answered `initialize`.

        Raises MCPConnectionError when it cannot be started, exits, or takes too long; the process
        is gone then.
        """
        try:
            await asyncio.wait({self._owner, self._opened}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._owner.cancel()
            await asyncio.wait({self._owner})
            raise
        if not self._opened.done():
            raise await self._start_error() from self._failure

    async def close(self) -> None:
        """End the server: its input is closed, then it is terminated, then killed. Bounded by the
        SDK's grace periods, of two seconds each."""
        self.ended = True
        self._closing.set()
        await asyncio.wait({self._owner})

    async def request(self, send: Callable[[Any], Awaitable[T]], milliseconds: int) -> T:
        """What `send` gives when it is called with the SDK's session.

        Raises MCPTimeoutError after so many milliseconds, MCPConnectionError when the server has
        gone, and otherwise what the SDK raises.
        """
        task = asyncio.ensure_future(send(self._opened.result()))
        self._requests += 1
        try:
            await asyncio.wait(
                {task, self._owner},
                timeout=milliseconds / 1000,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            self._requests -= 1
            answered = task.done()
            if not answered:
                task.cancel()
                await asyncio.wait({task}, timeout=_CANCEL_PATIENCE)
        if answered:
            return await self._outcome(task)
        if self._owner.done():
            self.ended = True
            raise await self._connection_error("the connection was closed") from self._failure
        self.overdue = True
        raise MCPTimeoutError(milliseconds)

    async def _outcome(self, task: asyncio.Future[T]) -> T:
        try:
            result = task.result()
        except Exception as error:
            if not ends_session(error):
                raise
            self.ended = True
            raise await self._connection_error(_reason(error)) from error
        self.overdue = False
        return result

    async def _hold_session(self) -> None:
        """Between the SDK's context managers from the first to the last moment."""
        try:
            async with AsyncExitStack() as stack:
                await self._start(stack)
        except Exception as error:  # groups included
            self._failure = self._failure or first_leaf(error)
            logger.debug("The %s session ended", self._launch.title, exc_info=True)

    async def _start(self, stack: AsyncExitStack) -> None:
        mcp = sdk()
        parameters = mcp.StdioServerParameters(
            command=self._launch.command,
            args=self._launch.args,
            env=self._launch.env,
            cwd=self._launch.cwd,
            # A line that is no UTF-8 is as little a message as any other noise, and ends nothing.
            encoding_error_handler="replace",
        )
        with self._stderr.writable() as errlog:
            streams = await stack.enter_async_context(mcp.stdio_client(parameters, errlog=errlog))
        session = await stack.enter_async_context(mcp.ClientSession(*streams))
        try:
            await asyncio.wait_for(session.initialize(), self._launch.startup_timeout_ms / 1000)
        except Exception as error:
            self._failure = error
            return
        self._opened.set_result(session)
        await self._closing.wait()

    async def _start_error(self) -> MCPConnectionError:
        if isinstance(self._failure, TimeoutError):
            return MCPTimeoutError(self._launch.startup_timeout_ms)
        return await self._connection_error(_reason(self._failure))

    async def _connection_error(self, reason: str) -> MCPConnectionError:
        """The error for a server that has gone, with what it wrote last."""
        line = await self._stderr.last_line()
        ending = f"; its last line of output: {line}" if line else ""
        return MCPConnectionError(f"{self._launch.title} server: {reason}{ending}")


def _reason(error: BaseException | None) -> str:
    return str(error) or type(error).__name__


class _StandardError:
    """Reads a pipe in a thread of its own until no process holds its other end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._tail = b""
        self._reader: threading.Thread | None = None

    @contextmanager
    def writable(self) -> Iterator[TextIO]:
        """The end that a process inherits while this is open."""
        reading, writing = os.pipe()
        self._reader = threading.Thread(target=self._read_stream, args=(reading,), daemon=True)
        self._reader.start()
        with os.fdopen(writing, "w", encoding="utf-8") as stream:
            yield stream

    async def last_line(self) -> str:
        """The last line that is not blank, once all is read; empty where there is none."""
        if self._reader is not None:
            await asyncio.to_thread(self._reader.join, _PATIENCE)
        lines = self._tail.decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _read_stream(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as stream:
            while chunk := stream.read(_LONGEST):
                self._tail = (self._tail + chunk)[-_LONGEST:]
                logger.debug("%s server: %s", self._title, chunk.decode("utf-8", "replace"))
