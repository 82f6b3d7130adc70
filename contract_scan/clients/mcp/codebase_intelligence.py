"""A typed client of the Codebase Intelligence server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, Final

from contract_scan.clients.mcp.calls import Sleep, ToolCaller, ToolSession
from contract_scan.clients.mcp.decoding import (
    convert,
    extract_json,
    extract_text,
    object_list,
    object_value,
)
from contract_scan.clients.mcp.faults import MalformedResultError

_INTERFACE: Final = ("endpoints", "events_published", "events_consumed")


@dataclass(frozen=True)
class DefinitionResult:
    """Where a symbol is defined."""

    file: str = ""
    line: int = 0
    kind: str = ""
    signature: str = ""
    found: bool = False


@dataclass(frozen=True)
class DependencyResult:
    """What a file imports, and what imports it."""

    imports: list[str] = field(default_factory=list)
    imported_by: list[str] = field(default_factory=list)
    transitive_deps: list[str] = field(default_factory=list)
    circular_deps: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class ArtifactResult:
    """What came of reading a file into the index."""

    indexed: bool = False
    symbols_found: int = 0
    dependencies_found: int = 0


class CodebaseIntelligenceClient:
    """Calls the tools of the Codebase Intelligence server.

    A transient fault is followed by three further tries, after 1, 2 and 4 seconds. A call that
    still fails logs a warning and gives what its docstring says; only cancellation is raised.
    """

    _extract_json = staticmethod(extract_json)
    _extract_text = staticmethod(extract_text)

    def __init__(self, session: ToolSession, *, sleep: Sleep = asyncio.sleep) -> None:
        self._tools = ToolCaller(session, sleep)

    async def find_definition(self, symbol: str, language: str | None = None) -> DefinitionResult:
        """Where a symbol is defined; not found where it is unknown, and on an error."""
        return await self._tools.call_or_default(
            DefinitionResult(),
            "find_definition",
            {"symbol": symbol, "language": language},
            _definition,
        )

    async def find_callers(self, symbol: str, max_results: int = 50) -> list[dict[str, Any]]:
        """The places that call a symbol; empty on an error."""
        return await self._tools.call_or_default(
            [], "find_callers", {"symbol": symbol, "max_results": max_results}, object_list
        )

    async def find_dependencies(self, file_path: str) -> DependencyResult:
        """What a file imports and what imports it; empty on an error."""
        return await self._tools.call_or_default(
            DependencyResult(), "find_dependencies", {"file_path": file_path}, _dependencies
        )

    async def search_semantic(
        self,
        query: str,
        language: str | None = None,
        service_name: str | None = None,
        n_results: int = 10,
    ) -> list[dict[str, Any]]:
        """Places in the code that match a query, best first; empty on an error."""
        return await self._tools.call_or_default(
            [],
            "search_semantic",
            {
                "query": query,
                "language": language,
                "service_name": service_name,
                "n_results": n_results,
            },
            object_list,
        )

    async def get_service_interface(self, service_name: str) -> dict[str, Any]:
        """`{endpoints, events_published, events_consumed}` of a service; empty on an error."""
        return await self._tools.call_or_default(
            {}, "get_service_interface", {"service_name": service_name}, _interface
        )

    async def check_dead_code(self, service_name: str | None = None) -> list[dict[str, Any]]:
        """Symbols that nothing uses, of one service or of all; empty on an error."""
        return await self._tools.call_or_default(
            [], "check_dead_code", {"service_name": service_name}, object_list
        )

    async def register_artifact(self, file_path: str, service_name: str) -> ArtifactResult:
        """Have the server read a file into its index; not indexed on an error.

        Not tried again after a time-out: a server that is slow to read would read twice.
        """
        return await self._tools.call_or_default(
            ArtifactResult(),
            "register_artifact",
            {"file_path": file_path, "service_name": service_name},
            _artifact,
            retries_timeouts=False,
        )


def _definition(result: Any) -> DefinitionResult:
    definition = convert(object_value(result), DefinitionResult)
    if not definition.file:
        raise MalformedResultError("expected a definition, got an object without file")
    return replace(definition, found=True)


def _dependencies(result: Any) -> DependencyResult:
    return convert(object_value(result), DependencyResult)


def _interface(result: Any) -> dict[str, Any]:
    value = object_value(result)
    parts = {name: value[name] for name in _INTERFACE if name in value}
    if not parts or not all(isinstance(part, list) for part in parts.values()):
        raise MalformedResultError(f"expected an object with the arrays {', '.join(_INTERFACE)}")
    return {**{name: [] for name in _INTERFACE}, **value}


def _artifact(result: Any) -> ArtifactResult:
    return convert(object_value(result), ArtifactResult)
