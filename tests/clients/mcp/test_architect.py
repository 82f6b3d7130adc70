"""The client of the Architect: what its methods give, and what they give on errors."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.mcp import ArchitectClient, ArchitectConfig, create_architect_session
from tests.clients.mcp.support import Pauses, Script, run, sdk_server

Call = Callable[[ArchitectClient], Awaitable[Any]]

CALLS: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "decompose": (lambda client: client.decompose("A shop."), lambda value: value == {}),
    "get_service_map": (lambda client: client.get_service_map(), lambda value: value == {}),
    "get_contracts_for_service": (
        lambda client: client.get_contracts_for_service("orders"),
        lambda value: value == [],
    ),
    "get_domain_model": (lambda client: client.get_domain_model(), lambda value: value == {}),
}
"""A call of each of the four tools, and a test of what it gives on an error."""


@pytest.mark.requirement("INT-003")
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_all_tools_of_a_server(kind: str) -> None:
    async def scenario() -> None:
        async with create_architect_session(ArchitectConfig(**sdk_server(kind))) as session:
            await calls(ArchitectClient(session))

    async def calls(client: ArchitectClient) -> None:
        services = {"services": ["A shop."]}
        assert await client.decompose("A shop.") == {"service_map": services, "max_services": 5}
        assert await client.decompose("A shop.", max_services=2) == {
            "service_map": services,
            "max_services": 2,
        }
        assert await client.get_service_map() == {"project_name": "latest", "services": []}
        assert await client.get_service_map("shop") == {"project_name": "shop", "services": []}
        assert await client.get_contracts_for_service("orders") == [
            {"id": "orders-1", "role": "provider"},
            {"id": "events-1", "role": "consumer"},
        ]
        assert await client.get_domain_model() == {"entities": [{"name": "Order"}]}

    run(scenario)


@pytest.mark.requirement("INT-003")
@pytest.mark.parametrize(
    "step",
    [{"error": "kaput"}, {"value": {"error": "No service map found"}}, {"text": "{"}, {"value": 7}],
    ids=["marked", "reported", "no JSON", "wrong shape"],
)
def test_errors_give_empty_values(step: dict[str, Any], tmp_path: Path) -> None:
    script = Script(tmp_path, dict.fromkeys(CALLS, step))
    config = ArchitectConfig(mcp_command=sys.executable, mcp_args=script.arguments)
    pauses = Pauses()

    async def scenario() -> list[bool]:
        async with create_architect_session(config) as session:
            client = ArchitectClient(session, sleep=pauses)
            return [is_default(await call(client)) for call, is_default in CALLS.values()]

    assert run(scenario) == [True] * 4
    assert pauses.seconds == []
