"""Calls of tools that are tried again where that may help, and give a safe default where not."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol, TypeVar

from contract_scan.clients.mcp.faults import (
    ToolCallError,
    ToolReportedError,
    is_timeout,
    is_transient,
)

logger = logging.getLogger(__name__)

BACKOFF: Final = (1.0, 2.0, 4.0)
"""Seconds to wait before each further try."""

T = TypeVar("T")

Sleep = Callable[[float], Awaitable[object]]


class ToolSession(Protocol):
    """What the clients need of a session: an `MCPSession`, or the SDK's own."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """The SDK's result of a tool."""


class ToolCaller:
    """Calls the tools of one server."""

    def __init__(self, session: ToolSession, sleep: Sleep = asyncio.sleep) -> None:
        self._session = session
        self._sleep = sleep

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        decode: Callable[[Any], T],
        *,
        retries_timeouts: bool = True,
    ) -> T:
        """The decoded result of a tool; arguments that are None are left out.

        A transient fault is followed by three further tries, after `BACKOFF`; other faults, and a
        time-out unless `retries_timeouts`, are final. Raises ToolCallError, and nothing else but
        the caller's own cancellation.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            _check_sendable(given)
            for pause in BACKOFF:
                try:
                    return decode(await self._session.call_tool(tool, given))
                except Exception as error:
                    if not is_transient(error) or (is_timeout(error) and not retries_timeouts):
                        raise
                    logger.debug("%s: %s; next try in %g s", tool, error, pause)
                await self._sleep(pause)
            return decode(await self._session.call_tool(tool, given))
        except Exception as error:
            raise ToolCallError(f"{tool}: {str(error) or type(error).__name__}") from error

    async def call_or_default(
        self,
        default: T,
        tool: str,
        arguments: Mapping[str, Any],
        decode: Callable[[Any], T],
        *,
        retries_timeouts: bool = True,
    ) -> T:
        """The decoded result of a tool, or the default after a warning in the log."""
        try:
            return await self.call(tool, arguments, decode, retries_timeouts=retries_timeouts)
        except ToolCallError as error:
            log_failure(error)
            return default


def log_failure(error: ToolCallError) -> None:
    """A warning, with the traceback unless the server itself said what is wrong."""
    is_reported = isinstance(error.__cause__, ToolReportedError)
    logger.warning("MCP tool %s", error, exc_info=None if is_reported else error)


def _check_sendable(arguments: dict[str, Any]) -> None:
    """What is no JSON would end the session rather than the call: the SDK encodes it late.

    Raises TypeError or ValueError.
    """
    json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
