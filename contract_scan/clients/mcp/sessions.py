"""Sessions with MCP servers over standard input and output."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from contract_scan.clients.mcp.config import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.clients.mcp.connection import Connection
from contract_scan.clients.mcp.faults import MCPConnectionError
from contract_scan.clients.mcp.launch import (
    ServerLaunch,
    architect_launch,
    codebase_intelligence_launch,
    contract_engine_launch,
)
from contract_scan.mcp_sdk import sdk

logger = logging.getLogger(__name__)

_PING_TIMEOUT_MS: Final = 5000
"""How long a server that let a request run out of time may take to show that it is alive."""

T = TypeVar("T")


class MCPSession:
    """A session with a server process that is started again when it has died or hangs.

    A call finds a fault at most once: it raises, and the next call starts a new process. Calls may
    run beside each other.
    """

    def __init__(self, launch: ServerLaunch) -> None:
        self._launch = launch
        self._connection: Connection | None = None
        self._connecting = asyncio.Lock()
        self._closed = False

    async def open(self) -> None:
        """Start the server.

        Raises MCPConnectionError when it does not start or does not answer in time.
        """
        await self._connect()

    async def close(self) -> None:
        """End the server. No call is possible any more."""
        self._closed = True
        if self._connection is not None:
            await self._connection.close()

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """The result of a tool, as the SDK gives it.

        Raises MCPConnectionError when the server is gone or cannot be started again,
        MCPTimeoutError after `tool_timeout_ms`, and what the SDK raises for errors of the protocol.
        """
        return await self._request(lambda session: session.call_tool(name, arguments or {}))

    async def list_tools(self) -> Any:
        """The server's tools, as the SDK gives them. Raises as `call_tool` does."""
        return await self._request(lambda session: session.list_tools())

    async def _request(self, send: Callable[[Any], Awaitable[T]]) -> T:
        connection = await self._connect()
        return await connection.request(send, self._launch.tool_timeout_ms)

    async def _connect(self) -> Connection:
        """The open connection, or a new one."""
        async with self._connecting:
            if self._closed:
                raise RuntimeError(f"the session with the {self._launch.title} server is closed")
            if self._connection is not None and await self._is_usable(self._connection):
                return self._connection
            if self._connection is not None:
                logger.info("Starting the %s server again", self._launch.title)
                await self._connection.close()
            connection = Connection(self._launch)
            await connection.open()
            self._connection = connection
            return connection

    async def _is_usable(self, connection: Connection) -> bool:
        """Whether a connection is alive. One whose last request ran out of time has to answer a
        ping, unless others still wait for it."""
        if connection.ended or not connection.overdue or not connection.idle:
            return not connection.ended
        limit = min(self._launch.tool_timeout_ms, _PING_TIMEOUT_MS)
        try:
            await connection.request(lambda session: session.send_ping(), limit)
        except MCPConnectionError:
            return False
        return True


@asynccontextmanager
async def create_contract_engine_session(config: ContractEngineConfig) -> AsyncIterator[MCPSession]:
    """A session with the Contract Engine server, ready for calls; the process ends with it.

    Raises ImportError where the SDK is not installed, ConfigurationError where the database's URL
    holds a password, and MCPConnectionError when the server does not start, exits before it has
    answered, or takes longer than `startup_timeout_ms`.
    """
    async with _session(contract_engine_launch(config)) as session:
        yield session


@asynccontextmanager
async def create_codebase_intelligence_session(
    config: CodebaseIntelligenceConfig,
) -> AsyncIterator[MCPSession]:
    """A session with the Codebase Intelligence server; raises as
    `create_contract_engine_session` does."""
    async with _session(codebase_intelligence_launch(config)) as session:
        yield session


@asynccontextmanager
async def create_architect_session(config: ArchitectConfig) -> AsyncIterator[MCPSession]:
    """A session with the Architect server; raises as `create_contract_engine_session` does."""
    async with _session(architect_launch(config)) as session:
        yield session


@asynccontextmanager
async def _session(launch: ServerLaunch) -> AsyncIterator[MCPSession]:
    sdk()
    session = MCPSession(launch)
    await session.open()
    try:
        yield session
    finally:
        await session.close()
