"""A client of the Architect server."""

from __future__ import annotations

import asyncio
from typing import Any

from contract_scan.clients.mcp.calls import Sleep, ToolCaller, ToolSession
from contract_scan.clients.mcp.decoding import object_list, object_value


class ArchitectClient:
    """Calls the tools of the Architect.

    A transient fault is followed by three further tries, after 1, 2 and 4 seconds. A call that
    still fails logs a warning and gives an empty object or list; only cancellation is raised.
    """

    def __init__(self, session: ToolSession, *, sleep: Sleep = asyncio.sleep) -> None:
        self._tools = ToolCaller(session, sleep)

    async def decompose(
        self,
        prd_text: str,
        decomposition_strategy: str | None = None,
        max_services: int | None = None,
        min_entities_per_service: int | None = None,
    ) -> dict[str, Any]:
        """Services, domain model and contract stubs from the text of a requirements document.

        What is None is left to the server.
        """
        return await self._tools.call_or_default(
            {},
            "decompose",
            {
                "prd_text": prd_text,
                "decomposition_strategy": decomposition_strategy,
                "max_services": max_services,
                "min_entities_per_service": min_entities_per_service,
            },
            object_value,
        )

    async def get_service_map(self, project_name: str | None = None) -> dict[str, Any]:
        """The services of a project (None: of the latest) and how they depend on each other."""
        return await self._tools.call_or_default(
            {}, "get_service_map", {"project_name": project_name}, object_value
        )

    async def get_contracts_for_service(self, service_name: str) -> list[dict[str, Any]]:
        """The contracts that a service provides or consumes."""
        return await self._tools.call_or_default(
            [], "get_contracts_for_service", {"service_name": service_name}, object_list
        )

    async def get_domain_model(self, project_name: str | None = None) -> dict[str, Any]:
        """The entities of a project (None: of the latest) and their relations."""
        return await self._tools.call_or_default(
            {}, "get_domain_model", {"project_name": project_name}, object_value
        )
