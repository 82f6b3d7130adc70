"""Servers of a build that answer by a script, and what a test of contracts writes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.clients.mcp.support import Script

BILLS: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Bills", "version": "1.0.0"},
    "paths": {
        "/orders": {
            "get": {
                "responses": {
                    "200": {
                        "description": "All orders",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "required": ["count"],
                                    "properties": {"count": {"type": "integer"}},
                                }
                            }
                        },
                    }
                }
            }
        }
    },
}
RESULTS = """\
| Contract | Endpoint | Result |
|---|---|---|
| SVC-001 | GET /orders/1 | PASS |
| SVC-002 | GET /orders | NOT TESTED |
"""
TESTED = {
    "when": "Verify the contracts against the running services",
    "writes": {"CONTRACT_E2E_RESULTS.md": RESULTS},
}


def with_script(folder: Path, **more: object) -> dict[str, object]:
    """Settings with an engine that answers by a script, which starts in no time, with one
    contract."""
    contract = {
        "id": "c-1",
        "type": "openapi",
        "version": "1.0.0",
        "service_name": "orders",
        "spec": BILLS,
        "status": "active",
    }
    answers: dict[str, Any] = {
        "list_contracts": {"value": {"items": [contract], "total": 1}},
        "get_contract": {"value": contract},
        "get_unimplemented_contracts": {
            "elements": [
                {"id": "c-1", "type": "openapi", "version": "1.0.0", "expected_service": "orders"}
            ]
        },
        "generate_tests": {"text": "def test_orders(): ...\n"},
        "search_semantic": {"elements": [{"symbol_name": "Old", "file_path": "old.py"}]},
        "get_service_interface": {"value": {"endpoints": []}},
        "find_dependencies": {"value": {"imports": []}},
        "register_artifact": {"value": {"indexed": True}},
    }
    return {
        "contract_engine.enabled": True,
        "contract_engine.mcp_command": sys.executable,
        "contract_engine.mcp_args": Script(folder, answers).arguments,
        **more,
    }


def with_scripts(folder: Path, **more: object) -> dict[str, object]:
    """Settings with an index of the code as well."""
    settings = with_script(folder, **more)
    return {
        **settings,
        "codebase_intelligence.enabled": True,
        "codebase_intelligence.mcp_command": settings["contract_engine.mcp_command"],
        "codebase_intelligence.mcp_args": settings["contract_engine.mcp_args"],
    }
