"""The three clients with our own three servers, as real processes: all tools, and what is left to
go on with when a server is killed in the middle of a run."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from contract_scan.api import scan
from contract_scan.clients.mcp import (
    ArchitectClient,
    ArchitectConfig,
    ArtifactResult,
    CodebaseIntelligenceClient,
    CodebaseIntelligenceConfig,
    ContractEngineClient,
    ContractEngineConfig,
    ContractValidation,
    DefinitionResult,
    DependencyResult,
    MCPSession,
    create_architect_session,
    create_codebase_intelligence_session,
    create_contract_engine_session,
)
from contract_scan.orchestrator.codebase_map import (
    CodebaseMapError,
    generate_codebase_map,
    generate_codebase_map_from_mcp,
)
from contract_scan.orchestrator.service_contracts import ServiceContractRegistry
from tests.clients.mcp.support import PROGRAMS, Pauses, run
from tests.forked import forked_python

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

OTHER = "CONTRACT_SCAN_OTHER_MCP_PYTHON"
OTHER_PYTHON = os.environ.get(OTHER)
"""An interpreter with the other major of the SDK and contract-scan."""

each_major = pytest.mark.parametrize(
    "python",
    [
        pytest.param("", id="same SDK"),
        pytest.param(
            OTHER_PYTHON or "",
            id="other SDK",
            marks=pytest.mark.skipif(OTHER_PYTHON is None, reason=f"{OTHER} names no interpreter"),
        ),
    ],
)

APP = """\
from fastapi import FastAPI

from shop.prices import gross

app = FastAPI()


@app.get("/orders/{number}")
def read_order(number: int) -> dict[str, float]:
    return {"total": gross(10.0)}
"""
PRICES = (
    "def gross(net: float) -> float:\n    return net * 1.2\n\n\ndef unused_helper():\n    pass\n"
)
ORDERS = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1.0.0"},
    "paths": {
        "/orders/{number}": {
            "get": {
                "parameters": [
                    {
                        "name": "number",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    }
                ],
                "responses": {
                    "200": {
                        "description": "found",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "required": ["total"],
                                    "properties": {"total": {"type": "number"}},
                                }
                            }
                        },
                    }
                },
            }
        }
    },
}
WITHOUT_PATHS: dict[str, Any] = {**ORDERS, "paths": {}}
SHOP = "# Shop\n\n## Services\n\n### Order Service\n\n- `GET /orders/{id}` -> 200 Order\n"


class Server:
    """One of our servers, in a folder with a small program."""

    def __init__(self, folder: Path, module: str, python: str = "") -> None:
        self.root = folder / "code"
        self._state = folder / "state"
        self._state.mkdir()
        (self.root / "shop").mkdir(parents=True)
        (self.root / "shop" / "__init__.py").write_text("")
        (self.root / "shop" / "app.py").write_text(APP)
        (self.root / "shop" / "prices.py").write_text(PRICES)
        self._module, self._python = f"contract_scan.servers.{module}", python

    @property
    def settings(self) -> dict[str, Any]:
        """The fields of a configuration that start it."""
        program = str(PROGRAMS / "own_server.py")
        return {
            "mcp_command": self._python or forked_python(),
            "mcp_args": [program, self._module, str(self._state)],
            "server_root": str(self.root),
            "database_path": str(self._state / "server.db"),
            "startup_timeout_ms": 200_000,
        }

    def pause(self) -> None:
        """Have the process answer nothing that it is asked from now on."""
        os.kill(self._process, signal.SIGSTOP)

    def kill(self) -> None:
        """Kill the process, and let no other take its place."""
        (self._state / "down").touch()
        os.kill(self._process, signal.SIGKILL)

    @property
    def _process(self) -> int:
        return int((self._state / "process").read_text())

    def revive(self) -> None:
        """Let it start again."""
        (self._state / "down").unlink()


async def registered(session: MCPSession, service: str = "orders") -> str:
    """The id of a contract that is registered in the way of other tools."""
    given = {"service_name": service, "type": "openapi", "version": "1.0.0", "spec": ORDERS}
    result = await session.call_tool("create_contract", given)
    dumped: dict[str, Any] = result.model_dump(by_alias=True)
    record: dict[str, Any] = dumped["structuredContent"]
    return str(record.get("id") or record["result"]["id"])


@each_major
@pytest.mark.requirement("INT-001", "INT-004", "TEST-067")
def test_all_tools_of_the_contract_engine(python: str, tmp_path: Path) -> None:
    server = Server(tmp_path, "contract_engine", python)

    async def scenario() -> None:
        async with create_contract_engine_session(
            ContractEngineConfig(**server.settings)
        ) as session:
            identifier = await registered(session)
            client = ContractEngineClient(session)
            contract = await client.get_contract(identifier)
            assert contract is not None
            assert (contract.service_name, contract.type, contract.spec) == (
                "orders",
                "openapi",
                ORDERS,
            )
            assert await client.validate_endpoint(
                "orders", "GET", "/orders/1", {"total": 12.0}
            ) == (ContractValidation(valid=True))
            refused = await client.validate_endpoint("orders", "GET", "/orders/1", {"total": "12"})
            assert not refused.valid
            assert [one["field"] for one in refused.violations] == ["total"]
            tests = await client.generate_tests(identifier)
            assert "def test_get_orders_number" in tests
            (change,) = await client.check_breaking_changes(identifier, WITHOUT_PATHS)
            assert (change["path"], change["is_breaking"]) == (
                "GET /orders/{number}",
                True,
            )
            (waiting,) = await client.get_unimplemented_contracts("orders")
            assert waiting["id"] == identifier
            marked = await client.mark_implemented(identifier, "orders", "shop/app.py")
            assert (marked["marked"], marked["all_implemented"]) == (True, True)
            assert await client.get_unimplemented_contracts() == []
            assert (await client.list_contracts()).unimplemented == frozenset()

    run(scenario)


@each_major
@pytest.mark.requirement("INT-002", "TEST-068", "REQ-040")
def test_all_tools_of_codebase_intelligence(python: str, tmp_path: Path) -> None:
    server = Server(tmp_path, "codebase_intelligence", python)

    async def scenario() -> None:
        async with create_codebase_intelligence_session(
            CodebaseIntelligenceConfig(**server.settings)
        ) as session:
            client = CodebaseIntelligenceClient(session)
            assert await client.find_definition("gross", "python") == DefinitionResult(
                file="shop/prices.py",
                line=1,
                kind="function",
                signature="gross(net: float) -> float",
                found=True,
            )
            (caller,) = await client.find_callers("gross")
            assert (caller["file_path"], caller["line"]) == ("shop/app.py", 10)
            assert await client.find_dependencies("shop/app.py") == DependencyResult(
                imports=["shop/prices.py"], transitive_deps=["shop/prices.py"]
            )
            # The index is made by now: this does not wait for all of it.
            assert await client.register_artifact("shop/prices.py", "shop") == ArtifactResult(
                indexed=True, symbols_found=2, dependencies_found=0
            )
            found = await client.search_semantic("gross price", "python", n_results=1)
            assert [one["symbol_name"] for one in found] == ["gross"]
            interface = await client.get_service_interface("code")
            assert [(one["method"], one["path"]) for one in interface["endpoints"]] == [
                ("GET", "/orders/{number}")
            ]
            (dead,) = await client.check_dead_code()
            assert dead["symbol_name"] == "unused_helper"
            text = await generate_codebase_map_from_mcp(server.root, client)
            assert "shop/app.py" in text

    run(scenario)


@each_major
@pytest.mark.requirement("INT-003")
def test_all_tools_of_the_architect(python: str, tmp_path: Path) -> None:
    server = Server(tmp_path, "architect", python)

    async def scenario() -> None:
        async with create_architect_session(ArchitectConfig(**server.settings)) as session:
            client = ArchitectClient(session)
            answer = await client.decompose(SHOP)
            (service,) = answer["service_map"]["services"]
            assert service["name"] == "order-service"
            assert await client.get_service_map("shop") == answer["service_map"]
            assert await client.get_domain_model("shop") == answer["domain_model"]
            (stub,) = await client.get_contracts_for_service("order-service")
            assert [*stub["spec"]["paths"]] == ["/orders/{id}"]

    run(scenario)


@pytest.mark.requirement("INT-001", "TEST-069", "TEST-078", "TEST-090", "REQ-029")
def test_a_contract_engine_killed_in_a_run_leaves_the_saved_contracts_and_static_scans(
    tmp_path: Path,
) -> None:
    server, pauses = Server(tmp_path, "contract_engine"), Pauses()
    cache = tmp_path / "CONTRACTS.json"
    registry = ServiceContractRegistry()

    async def scenario() -> None:
        async with create_contract_engine_session(
            ContractEngineConfig(**server.settings)
        ) as session:
            identifier = await registered(session)
            client = ContractEngineClient(session, sleep=pauses)
            assert await registry.load_from_mcp(client, cache) == "mcp"
            registry.save_local_cache(cache)
            server.kill()
            assert await client.get_contract(identifier) is None
            validation = await registry.validate_endpoint(client, "orders", "GET", "/orders/1", {})
            assert (validation.valid, bool(validation.error)) == (False, True)
            assert await client.generate_tests(identifier) == ""
            assert await client.check_breaking_changes(identifier, WITHOUT_PATHS) == []
            assert await client.get_unimplemented_contracts() == []
            assert await registry.mark_implemented(client, identifier, "orders", "app.py") == {
                "marked": False
            }
            fresh = ServiceContractRegistry()
            assert await fresh.load_from_mcp(client, cache) == "local"
            assert [*fresh.contracts] == [identifier]

    run(scenario)
    assert scan(server.root, contracts=[cache], cache=False).findings == ()
    drifted = APP.replace("/orders/", "/bills/")
    (server.root / "shop" / "app.py").write_text(drifted)
    assert {one.kind for one in scan(server.root, contracts=[cache], cache=False).findings} == {
        "missing-endpoint",
        "undocumented-endpoint",
    }
    assert pauses.seconds[:3] == [1.0, 2.0, 4.0]


@pytest.mark.requirement("INT-002", "TEST-069", "REQ-040", "REQ-041")
def test_codebase_intelligence_killed_in_a_run_leaves_the_map_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTRACT_SCAN_CACHE_DIR", str(tmp_path / "cache"))
    server, pauses = Server(tmp_path, "codebase_intelligence"), Pauses()

    async def scenario() -> None:
        async with create_codebase_intelligence_session(
            CodebaseIntelligenceConfig(**server.settings)
        ) as session:
            client = CodebaseIntelligenceClient(session, sleep=pauses)
            assert (await client.find_definition("gross")).found
            server.kill()
            assert await client.find_definition("gross") == DefinitionResult()
            assert await client.find_callers("gross") == []
            assert await client.find_dependencies("shop/app.py") == DependencyResult()
            assert await client.search_semantic("gross") == []
            assert await client.get_service_interface("code") == {}
            assert await client.check_dead_code() == []
            assert await client.register_artifact("shop/app.py", "shop") == ArtifactResult()
            with pytest.raises(CodebaseMapError):
                await generate_codebase_map_from_mcp(server.root, client)

    run(scenario)
    assert "`GET /orders/{number}`" in generate_codebase_map(server.root)


@pytest.mark.requirement("INT-003", "TEST-069")
def test_an_architect_killed_in_a_run_leaves_empty_answers_and_what_was_derived_before(
    tmp_path: Path,
) -> None:
    server, pauses = Server(tmp_path, "architect"), Pauses()

    async def scenario() -> None:
        async with create_architect_session(ArchitectConfig(**server.settings)) as session:
            client = ArchitectClient(session, sleep=pauses)
            derived = await client.decompose(SHOP)
            server.pause()
            asked = asyncio.create_task(client.decompose(SHOP))
            await asyncio.sleep(0.1)  # the call is under way
            server.kill()
            assert await asked == {}
            assert await client.get_service_map("shop") == {}
            assert await client.get_domain_model("shop") == {}
            assert await client.get_contracts_for_service("order-service") == []
            server.revive()
            assert await client.get_service_map("shop") == derived["service_map"]

    run(scenario)
    assert pauses.seconds == [1.0, 2.0, 4.0] * 4
