"""An MCP server made with the installed major of the SDK: the tools of all three servers.

    sdk_server.py typed|bare

`typed` annotates what tools give, so that the SDK adds structured content; `bare` does not, so
that lists arrive as one block for each element. What the SDK cannot do, it says as it does.
"""

import asyncio
import json
import os
import sys
from typing import Any

from contract_scan.mcp_sdk import server_class

server = server_class()("all tools")
typed = sys.argv[1] == "typed"

CONTRACTS = {
    "orders-1": {
        "id": "orders-1",
        "type": "openapi",
        "version": "1.0.0",
        "service_name": "orders",
        "spec": {"openapi": "3.1.0", "paths": {}},
        "spec_hash": "",
        "status": "active",
        "build_cycle_id": None,
    },
    "events-1": {
        "id": "events-1",
        "type": "asyncapi",
        "version": "2.1.0",
        "service_name": "orders",
        "spec": {"asyncapi": "3.0.0"},
        "spec_hash": "abc",
        "status": "draft",
    },
}
implemented = {"events-1"}


def tool(function):
    """A tool; without its annotation of the result where the server is to be bare."""
    if not typed:
        function.__annotations__.pop("return", None)
    server.tool()(function)
    return function


@tool
def get_contract(contract_id: str) -> dict[str, Any]:
    return CONTRACTS.get(contract_id) or {"error": f"Contract {contract_id} not found"}


@tool
def list_contracts(page: int = 1, page_size: int = 20) -> dict[str, Any]:
    """One a page, without specifications: what is allowed is not what is asked for."""
    items = [{**contract, "spec": None} for contract in CONTRACTS.values()]
    return {"items": items[page - 1 : page], "total": len(items), "page": page, "page_size": 1}


@tool
def validate_endpoint(
    service_name: str, method: str, path: str, response_body: dict[str, Any], status_code: int
) -> dict[str, Any]:
    violation = {"field": "id", "expected": "string", "actual": response_body.get("id")}
    return {"valid": status_code == 204, "violations": [] if status_code == 204 else [violation]}


@tool
def generate_tests(contract_id: str, framework: str, include_negative: bool) -> str:
    if contract_id not in CONTRACTS:
        return json.dumps({"error": "not found"})
    return f"# {framework}, negative: {include_negative}\ndef test_it():\n    pass\n"


@tool
def check_breaking_changes(
    contract_id: str, new_spec: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    if contract_id not in CONTRACTS:
        return [{"error": "not found"}]
    change = {"change_type": "path_removed", "severity": "error", "is_breaking": True}
    return [{**change, "path": path} for path in (new_spec or {}).get("gone", [])]


@tool
def mark_implemented(contract_id: str, service_name: str, evidence_path: str) -> dict[str, Any]:
    implemented.add(contract_id)
    return {"marked": True, "total_implementations": 1, "all_implemented": True}


@tool
def get_unimplemented_contracts(service_name: str | None = None) -> list[dict[str, Any]]:
    return [
        {"id": one["id"], "type": one["type"], "expected_service": one["service_name"]}
        for one in CONTRACTS.values()
        if one["id"] not in implemented and service_name in (None, one["service_name"])
    ]


@tool
def find_definition(symbol: str, language: str | None = None) -> dict[str, Any]:
    if symbol != "create_order":
        return {"error": f"Symbol {symbol!r} not found"}
    return {
        "file": "orders/app.py",
        "line": 7,
        "kind": "function",
        "signature": f"def create_order() [{language}]",
    }


@tool
def find_callers(symbol: str, max_results: int = 50) -> list[dict[str, Any]]:
    callers = [{"file_path": "orders/app.py", "line": line} for line in (1, 2, 3)]
    return callers[:max_results]


@tool
def find_dependencies(file_path: str) -> dict[str, Any]:
    return {
        "imports": ["orders/models.py"],
        "imported_by": ["main.py"],
        "transitive_deps": ["orders/models.py", "orders/base.py"],
        "circular_deps": [["orders/app.py", "orders/models.py"]],
    }


@tool
def search_semantic(
    query: str,
    language: str | None = None,
    service_name: str | None = None,
    n_results: int = 10,
) -> list[dict[str, Any]]:
    found = {"file_path": "orders/app.py", "symbol_name": "create_order", "service_name": "orders"}
    return [{**found, "asked": [query, language, service_name, n_results]}]


@tool
def get_service_interface(service_name: str) -> dict[str, Any]:
    return {
        "service_name": service_name,
        "endpoints": [{"method": "POST", "path": "/orders", "file_path": "orders/app.py"}],
        "events_published": [{"channel": "order.created"}],
        "events_consumed": [],
    }


@tool
def check_dead_code(service_name: str | None = None) -> list[dict[str, Any]]:
    return [] if service_name == "orders" else [{"symbol_name": "unused", "line": 3}]


@tool
def register_artifact(file_path: str, service_name: str) -> dict[str, Any]:
    return {"indexed": True, "symbols_found": 4, "dependencies_found": 2, "errors": []}


@tool
def decompose(prd_text: str, max_services: int = 5) -> dict[str, Any]:
    return {"service_map": {"services": [prd_text]}, "max_services": max_services}


@tool
def get_service_map(project_name: str | None = None) -> dict[str, Any]:
    return {"project_name": project_name or "latest", "services": []}


@tool
def get_contracts_for_service(service_name: str) -> list[dict[str, Any]]:
    return [{"id": "orders-1", "role": "provider"}, {"id": "events-1", "role": "consumer"}]


@tool
def get_domain_model(project_name: str | None = None) -> dict[str, Any]:
    return {"entities": [{"name": "Order"}]}


release = asyncio.Event()


@server.tool()
def process_id() -> int:
    return os.getpid()


@server.tool(structured_output=False)
async def wait_for_release() -> str:
    await release.wait()
    return json.dumps("went on")


@server.tool(name="release", structured_output=False)
async def release_waiting() -> str:
    release.set()
    return json.dumps("released")


server.run("stdio")
