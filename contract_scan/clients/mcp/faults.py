"""Which faults of a session pass, which end it, and which no second try mends.

The SDK's two majors raise different classes for the same fault; both carry a JSON-RPC code under
`error.code`, by which they are told apart here without importing either.
"""

from __future__ import annotations

from typing import Final

from contract_scan.errors import ContractScanError

_CLOSED: Final = -32000
"""What both majors raise where the server has gone."""

_TIMED_OUT: Final = frozenset({408, -32001})
"""A request that took longer than the SDK's own limit: 1.x and 2.x."""

_CLOSED_STREAMS: Final = frozenset({"BrokenResourceError", "ClosedResourceError", "EndOfStream"})
"""Classes of anyio, which the SDK lets through."""


class MCPConnectionError(ContractScanError):
    """A server cannot be started or reached, or does not answer in time."""


class MCPTimeoutError(MCPConnectionError):
    """A server did not answer in time; it may be at work still."""

    def __init__(self, milliseconds: int) -> None:
        super().__init__(f"MCP operation timed out after {milliseconds}ms")


class ToolCallError(ContractScanError):
    """A tool gave no usable result, after all tries; the cause is the last fault."""


class ToolReportedError(ContractScanError):
    """The server answered that it cannot: an unknown contract, a tool that raised."""


class MalformedResultError(ContractScanError):
    """The server's answer does not have the shape that its tool's answers have."""


def is_timeout(error: BaseException) -> bool:
    """Whether a call ran out of time, so that the server may still carry it out."""
    return isinstance(error, (TimeoutError, MCPTimeoutError)) or _code(error) in _TIMED_OUT


def ends_session(error: BaseException) -> bool:
    """Whether no further call on the same connection can be answered."""
    return _is_closed_stream(error) or _code(error) == _CLOSED or _is_broken_pipe(error)


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed later, on this connection or on a new one."""
    return (
        isinstance(error, (OSError, MCPConnectionError)) or is_timeout(error) or ends_session(error)
    )


def first_leaf(error: BaseException) -> BaseException:
    """The first fault inside nested groups, in which task groups wrap what they raise."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_broken_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and not isinstance(error, TimeoutError)


def _is_closed_stream(error: BaseException) -> bool:
    kind = type(error)
    return kind.__name__ in _CLOSED_STREAMS and kind.__module__.partition(".")[0] == "anyio"


def _code(error: BaseException) -> int | None:
    code = getattr(getattr(error, "error", None), "code", None)
    return code if isinstance(code, int) else None
