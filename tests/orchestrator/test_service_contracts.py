"""The registry of contracts: from a Contract Engine, from a file, and into it."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from contract_scan.api import scan
from contract_scan.clients.mcp import (
    ContractEngineClient,
    ContractEngineConfig,
    ContractValidation,
    create_contract_engine_session,
)
from contract_scan.orchestrator.service_contracts import ServiceContract, ServiceContractRegistry
from tests.clients.mcp.support import Pauses, Script, Step, run, sdk_server

SCHEMES = {"key": {"type": "apiKey", "in": "header", "name": "X-Key", "x-token": "s3cr3t"}}

PINGS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pings", "version": "1"},
    "paths": {"/ping": {"get": {"responses": {"200": {"description": "pong"}}}}},
    "components": {"securitySchemes": SCHEMES, "schemas": {"Ping": {"type": "object"}}},
}

CONTRACT = ServiceContract(
    contract_id="pings-1",
    contract_type="openapi",
    provider_service="pings",
    consumer_service="web",
    version="1.0.0",
    spec_hash="abc",
    spec={"openapi": "3.1.0", "paths": {}},
    implemented=True,
    evidence_path="app.py",
)

Work = Callable[[ContractEngineClient], Awaitable[Any]]


def with_engine(config: ContractEngineConfig, work: Work) -> Any:
    async def scenario() -> Any:
        async with create_contract_engine_session(config) as session:
            return await work(ContractEngineClient(session, sleep=Pauses()))

    return run(scenario)


def script(folder: Path, tools: dict[str, Step | list[Step]]) -> ContractEngineConfig:
    return Script(folder, tools).config()


@pytest.mark.requirement("REQ-027")
def test_the_fields_of_a_contract() -> None:
    names = [field.name for field in fields(ServiceContract)]
    assert names == [
        "contract_id",
        "contract_type",
        "provider_service",
        "consumer_service",
        "version",
        "spec_hash",
        "spec",
        "implemented",
        "evidence_path",
    ]
    least = ServiceContract("a", "openapi", "pings", "", "1.0.0", "abc", {})
    assert (least.implemented, least.evidence_path) == (False, "")


@pytest.mark.requirement("TEST-028", "REQ-028", "REQ-029")
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_contracts_are_loaded_from_an_engine(kind: str) -> None:
    registry = ServiceContractRegistry()
    config = ContractEngineConfig(**sdk_server(kind))
    assert with_engine(config, registry.load_from_mcp) == "mcp"
    assert [asdict(contract) for contract in registry.contracts.values()] == [
        {
            "contract_id": "orders-1",
            "contract_type": "openapi",
            "provider_service": "orders",
            "consumer_service": "",
            "version": "1.0.0",
            "spec_hash": "67ed5da69abc14c2d3297d29ad46684935f330fea5e844d959832277d7a577c0",
            "spec": {"openapi": "3.1.0", "paths": {}},
            "implemented": False,
            "evidence_path": "",
        },
        {
            "contract_id": "events-1",
            "contract_type": "asyncapi",
            "provider_service": "orders",
            "consumer_service": "",
            "version": "2.1.0",
            "spec_hash": "abc",
            "spec": {"asyncapi": "3.0.0"},
            "implemented": True,
            "evidence_path": "",
        },
    ]
    assert [contract.contract_id for contract in registry.get_unimplemented()] == ["orders-1"]


@pytest.mark.requirement("TEST-029", "TEST-030", "REQ-028")
def test_what_is_saved_is_loaded_again(tmp_path: Path) -> None:
    other = ServiceContract(
        "é/ü", "asyncapi", "events", "", "2.0.0", "", {"title": "Bestellungen ✓"}
    )
    cache = tmp_path / "made" / "CONTRACTS.json"
    ServiceContractRegistry([CONTRACT, other]).save_local_cache(cache)
    registry = ServiceContractRegistry()
    assert registry.load_from_local(cache)
    assert list(registry.contracts.values()) == [CONTRACT, other]
    assert [file.name for file in cache.parent.iterdir()] == ["CONTRACTS.json"]


@pytest.mark.requirement("TEST-029", "REQ-028")
def test_contracts_are_loaded_from_a_file(tmp_path: Path) -> None:
    cache = tmp_path / "CONTRACTS.json"
    cache.write_text(
        '{"version": "1.0", "contracts": {"a": {"contract_type": "openapi",'
        ' "provider_service": "pings", "consumer_service": "web", "version": "1.0.0",'
        ' "spec_hash": "abc", "spec": {"openapi": "3.1.0"}, "implemented": true,'
        ' "evidence_path": "app.py", "later": 1}}}'
    )
    registry = ServiceContractRegistry()
    assert registry.load_from_local(cache)
    assert dict(registry.contracts) == {
        "a": ServiceContract(
            "a", "openapi", "pings", "web", "1.0.0", "abc", {"openapi": "3.1.0"}, True, "app.py"
        )
    }


@pytest.mark.requirement("TEST-030A", "REQ-029A", "SEC-003")
@pytest.mark.parametrize(
    ("spec", "saved"),
    [
        (PINGS, {**PINGS, "components": {"schemas": {"Ping": {"type": "object"}}}}),
        ({"swagger": "2.0", "securityDefinitions": SCHEMES}, {"swagger": "2.0"}),
        (
            {"asyncapi": "3.0.0", "components": {"securitySchemes": SCHEMES}},
            {"asyncapi": "3.0.0", "components": {}},
        ),
        ({"components": ["securitySchemes"]}, {"components": ["securitySchemes"]}),
        ({}, {}),
    ],
    ids=["OpenAPI 3", "OpenAPI 2", "AsyncAPI", "no object", "empty"],
)
def test_security_schemes_are_not_saved(
    spec: dict[str, Any], saved: dict[str, Any], tmp_path: Path
) -> None:
    before = copy.deepcopy(spec)
    registry = ServiceContractRegistry([ServiceContract("a", "openapi", "", "", "", "", spec)])
    registry.save_local_cache(tmp_path / "CONTRACTS.json")
    text = (tmp_path / "CONTRACTS.json").read_text()
    assert "s3cr3t" not in text
    assert json.loads(text)["contracts"]["a"]["spec"] == saved
    assert registry.contracts["a"].spec == before


@pytest.mark.requirement("REQ-029", "TEST-069", "INT-001")
@pytest.mark.parametrize(
    "tools",
    [
        {"list_contracts": {"exit": "no memory"}},
        {"list_contracts": {"error": "database is locked"}},
        {"list_contracts": {"value": {"error": "database is locked"}}},
        {"list_contracts": {"text": "{"}},
        {
            "list_contracts": {"value": {"items": [], "total": 0}},
            "get_unimplemented_contracts": {"exit": "no memory"},
        },
    ],
    ids=["dies", "error", "reported", "no JSON", "dies in the middle"],
)
def test_the_file_stands_in_for_an_engine_that_fails(
    tools: dict[str, Step | list[Step]], tmp_path: Path
) -> None:
    cache = tmp_path / "CONTRACTS.json"
    ServiceContractRegistry([CONTRACT]).save_local_cache(cache)
    registry = ServiceContractRegistry()
    loaded = with_engine(
        script(tmp_path, tools), lambda client: registry.load_from_mcp(client, cache)
    )
    assert loaded == "local"
    assert list(registry.contracts.values()) == [CONTRACT]


@pytest.mark.requirement("REQ-029")
def test_without_engine_and_file_the_registry_stays_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = ServiceContractRegistry([CONTRACT])
    config = script(tmp_path, {"list_contracts": {"error": "database is locked"}})
    missing = tmp_path / "CONTRACTS.json"
    assert with_engine(config, lambda client: registry.load_from_mcp(client, missing)) == "none"
    assert with_engine(config, registry.load_from_mcp) == "none"
    assert list(registry.contracts.values()) == [CONTRACT]
    assert f"{missing}: cannot read the contracts" in caplog.text


@pytest.mark.requirement("REQ-029", "REQ-028")
def test_an_engine_without_contracts_is_no_failure(tmp_path: Path) -> None:
    registry = ServiceContractRegistry([CONTRACT])
    cache = tmp_path / "CONTRACTS.json"
    registry.save_local_cache(cache)
    empty: dict[str, Step | list[Step]] = {
        "list_contracts": {"value": {"items": [], "total": 0}},
        "get_unimplemented_contracts": {"elements": []},
    }
    loaded = with_engine(
        script(tmp_path, empty), lambda client: registry.load_from_mcp(client, cache)
    )
    assert (loaded, dict(registry.contracts)) == ("mcp", {})


@pytest.mark.requirement("REQ-028")
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"contracts": []}',
        b'{"contracts": {"a": {}}}',
        b'{"contracts": {"a": {"contract_type": "openapi", "provider_service": "a", '
        b'"version": "1", "spec": "x"}}}',
        b'{"contracts": "\xff"}',
        b"[" * 100_000,
    ],
    ids=["empty", "cut", "list", "no key", "no mapping", "no fields", "no spec", "no text", "deep"],
)
def test_a_file_that_is_not_usable_changes_nothing(
    text: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "CONTRACTS.json"
    cache.write_bytes(text)
    registry = ServiceContractRegistry([CONTRACT])
    assert not registry.load_from_local(cache)
    assert list(registry.contracts.values()) == [CONTRACT]
    (record,) = caplog.records
    assert (record.levelno, record.name) == (
        logging.WARNING,
        "contract_scan.orchestrator.service_contracts",
    )
    assert record.getMessage().startswith(f"{cache}: cannot read the contracts: ")


@pytest.mark.requirement("REQ-028")
def test_a_file_that_cannot_be_written_stays_whole(tmp_path: Path) -> None:
    cache = tmp_path / "CONTRACTS.json"
    ServiceContractRegistry([CONTRACT]).save_local_cache(cache)
    before = cache.read_bytes()
    unwritable = ServiceContract("b", "openapi", "", "", "", "", {"at": object()})
    with pytest.raises(TypeError):
        ServiceContractRegistry([CONTRACT, unwritable]).save_local_cache(cache)
    assert cache.read_bytes() == before
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        ServiceContractRegistry([CONTRACT]).save_local_cache(cache / "below")


@pytest.mark.requirement("REQ-028", "REQ-022")
def test_marking_changes_the_engine_and_the_registry(tmp_path: Path) -> None:
    registry = ServiceContractRegistry()

    async def work(client: ContractEngineClient) -> None:
        await registry.load_from_mcp(client)
        result = await registry.mark_implemented(client, "orders-1", "orders", "app.py")
        assert result["marked"]
        assert registry.get_unimplemented() == []
        assert registry.contracts["orders-1"].evidence_path == "app.py"
        assert await registry.load_from_mcp(client) == "mcp"
        assert registry.get_unimplemented() == []
        assert registry.contracts["orders-1"].evidence_path == "app.py"

    with_engine(ContractEngineConfig(**sdk_server("typed")), work)


@pytest.mark.requirement("REQ-028", "REQ-022")
def test_marking_that_fails_changes_nothing(tmp_path: Path) -> None:
    open_contract = ServiceContract("a", "openapi", "orders", "", "", "", {})
    registry = ServiceContractRegistry([open_contract])
    config = script(tmp_path, {"mark_implemented": [{"error": "locked"}, {"exit": ""}]})

    async def work(client: ContractEngineClient) -> list[dict[str, Any]]:
        return [await registry.mark_implemented(client, "a", "orders", "app.py") for _ in range(2)]

    assert with_engine(config, work) == [{"marked": False}] * 2
    assert list(registry.contracts.values()) == [open_contract]


@pytest.mark.requirement("REQ-028")
def test_unimplemented_contracts_of_a_service() -> None:
    of_orders = ServiceContract("a", "openapi", "orders", "web", "", "", {})
    of_stock = ServiceContract("b", "openapi", "stock", "orders", "", "", {})
    registry = ServiceContractRegistry([of_orders, of_stock, CONTRACT])
    assert registry.get_unimplemented() == [of_orders, of_stock]
    assert registry.get_unimplemented("orders") == [of_orders]
    assert registry.get_unimplemented("pings") == []


@pytest.mark.requirement("REQ-028", "REQ-019", "TEST-084")
def test_an_endpoint_is_validated_by_the_engine(tmp_path: Path) -> None:
    registry = ServiceContractRegistry()
    engine = Script(tmp_path, {"validate_endpoint": {"value": {"valid": True, "violations": []}}})
    validation = with_engine(
        engine.config(),
        lambda client: registry.validate_endpoint(
            client, "orders", "POST", "/orders", {"id": 1}, 201
        ),
    )
    assert validation == ContractValidation(valid=True)
    assert engine.calls == [
        [
            "validate_endpoint",
            {
                "service_name": "orders",
                "method": "POST",
                "path": "/orders",
                "response_body": {"id": 1},
                "status_code": 201,
            },
        ]
    ]


@pytest.mark.requirement("TEST-069", "INT-001")
def test_the_file_and_the_records_are_contracts_for_a_scan(tmp_path: Path) -> None:
    """Without the engine the static scans go on, with what was saved."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "app.py").write_text(
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n"
        '@app.get("/pong")\ndef pong() -> None:\n    return None\n'
    )
    contract = ServiceContract("pings-1", "openapi", "pings", "", "1.0.0", "abc", PINGS)
    cache = tmp_path / "CONTRACTS.json"
    ServiceContractRegistry([contract]).save_local_cache(cache)
    of_file = scan(code, contracts=[cache], cache=False)
    of_record = scan(code, contracts=[contract.as_record()], cache=False)
    for report in (of_file, of_record):
        assert {one.kind for one in report.findings} == {
            "missing-endpoint",
            "undocumented-endpoint",
        }
