"""The client of Codebase Intelligence: what its methods give, and what they give on errors."""

from __future__ import annotations

import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contract_scan.clients.mcp import (
    ArtifactResult,
    CodebaseIntelligenceClient,
    CodebaseIntelligenceConfig,
    DefinitionResult,
    DependencyResult,
    create_codebase_intelligence_session,
)
from tests.clients.mcp.support import Pauses, Script, Step, run, sdk_server

Call = Callable[[CodebaseIntelligenceClient], Awaitable[Any]]

CALLS: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "find_definition": (
        lambda client: client.find_definition("create_order"),
        lambda value: value == DefinitionResult(),
    ),
    "find_callers": (
        lambda client: client.find_callers("create_order"),
        lambda value: value == [],
    ),
    "find_dependencies": (
        lambda client: client.find_dependencies("app.py"),
        lambda value: value == DependencyResult(),
    ),
    "search_semantic": (
        lambda client: client.search_semantic("orders"),
        lambda value: value == [],
    ),
    "get_service_interface": (
        lambda client: client.get_service_interface("orders"),
        lambda value: value == {},
    ),
    "check_dead_code": (
        lambda client: client.check_dead_code(),
        lambda value: value == [],
    ),
    "register_artifact": (
        lambda client: client.register_artifact("app.py", "orders"),
        lambda value: value == ArtifactResult(),
    ),
}
"""A call of each of the seven tools, and a test of what it gives on an error."""


@pytest.mark.requirement(
    *("TEST-031", "REQ-030", "REQ-031", "REQ-032", "REQ-033", "REQ-034", "REQ-035", "REQ-036"),
    *("REQ-037", "TECH-022", "TECH-023", "TECH-024", "SVC-007", "SVC-008", "SVC-009", "SVC-010"),
    *("SVC-011", "SVC-012", "SVC-013"),
)
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_all_tools_of_a_server(kind: str) -> None:
    async def scenario() -> None:
        config = CodebaseIntelligenceConfig(**sdk_server(kind))
        async with create_codebase_intelligence_session(config) as session:
            await calls(CodebaseIntelligenceClient(session))

    async def calls(client: CodebaseIntelligenceClient) -> None:
        assert await client.find_definition("create_order", "python") == DefinitionResult(
            file="orders/app.py",
            line=7,
            kind="function",
            signature="def create_order() [python]",
            found=True,
        )
        assert await client.find_definition("nobody") == DefinitionResult(found=False)
        callers = [{"file_path": "orders/app.py", "line": line} for line in (1, 2, 3)]
        assert await client.find_callers("create_order") == callers
        assert await client.find_callers("create_order", max_results=1) == callers[:1]
        assert await client.find_dependencies("orders/app.py") == DependencyResult(
            imports=["orders/models.py"],
            imported_by=["main.py"],
            transitive_deps=["orders/models.py", "orders/base.py"],
            circular_deps=[["orders/app.py", "orders/models.py"]],
        )
        (found,) = await client.search_semantic("make an order", "python", "orders", 3)
        assert found["asked"] == ["make an order", "python", "orders", 3]
        (found,) = await client.search_semantic("make an order")
        assert found["asked"] == ["make an order", None, None, 10]
        assert await client.get_service_interface("orders") == {
            "service_name": "orders",
            "endpoints": [{"method": "POST", "path": "/orders", "file_path": "orders/app.py"}],
            "events_published": [{"channel": "order.created"}],
            "events_consumed": [],
        }
        assert await client.check_dead_code() == [{"symbol_name": "unused", "line": 3}]
        assert await client.check_dead_code("orders") == []
        assert await client.register_artifact("orders/new.py", "orders") == ArtifactResult(
            indexed=True, symbols_found=4, dependencies_found=2
        )

    run(scenario)


@pytest.mark.requirement("REQ-034", "REQ-036")
def test_what_is_not_given_is_left_to_the_server(tmp_path: Path) -> None:
    script = Script(
        tmp_path, {"search_semantic": {"elements": []}, "check_dead_code": {"elements": []}}
    )
    config = CodebaseIntelligenceConfig(mcp_command=sys.executable, mcp_args=script.arguments)

    async def scenario() -> None:
        async with create_codebase_intelligence_session(config) as session:
            client = CodebaseIntelligenceClient(session)
            await client.search_semantic("orders")
            await client.check_dead_code()

    run(scenario)
    assert script.calls == [
        ["search_semantic", {"query": "orders", "n_results": 10}],
        ["check_dead_code", {}],
    ]


def defaults(tmp_path: Path, steps: dict[str, list[Step]], pauses: Pauses) -> dict[str, bool]:
    """Whether every call of a method gave its default, one call for each step."""
    script = Script(tmp_path, {**steps})
    config = CodebaseIntelligenceConfig(mcp_command=sys.executable, mcp_args=script.arguments)

    async def scenario() -> dict[str, bool]:
        async with create_codebase_intelligence_session(config) as session:
            client = CodebaseIntelligenceClient(session, sleep=pauses)
            return {
                tool: all([CALLS[tool][1](await CALLS[tool][0](client)) for _ in steps[tool]])
                for tool in steps
            }

    return run(scenario)


@pytest.mark.requirement("TEST-033", "TEST-079", "INT-002")
def test_results_marked_as_errors(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pauses = Pauses()
    given = defaults(tmp_path, {tool: [{"error": f"no {tool}"}] for tool in CALLS}, pauses)
    assert given == dict.fromkeys(CALLS, True)
    assert pauses.seconds == []
    warnings = [one for one in caplog.records if one.name.startswith("contract_scan")]
    assert [(one.levelname, one.getMessage()) for one in warnings] == [
        ("WARNING", f"MCP tool {tool}: no {tool}") for tool in CALLS
    ]


@pytest.mark.requirement("REQ-031", "REQ-033", "REQ-035", "REQ-037")
def test_answers_of_another_shape_give_the_defaults(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="mcp")
    unreadable: list[Step] = [{"text": "{"}, {"text": ""}, {"value": 7}, {"raw_result": {}}]
    lists: list[Step] = [{"elements": ["a"]}, {"structured": {"result": {}}}, {"value": 7}]
    pauses = Pauses()
    given = defaults(
        tmp_path,
        {
            "find_definition": [
                *unreadable,
                {"value": {"file": "a.py", "line": "7"}},
                {"value": {"line": 7}},
                {"value": {"error": "Symbol 'a' not found"}},
            ],
            "find_callers": lists,
            "find_dependencies": [
                *unreadable,
                {"value": {"imports": "a.py"}},
                {"value": {"imports": [1]}},
                {"value": {"circular_deps": ["a.py"]}},
            ],
            "search_semantic": lists,
            "get_service_interface": [
                *unreadable,
                {"value": {"service_name": "orders"}},
                {"value": {"endpoints": {}}},
            ],
            "check_dead_code": lists,
            "register_artifact": [
                *unreadable,
                {"value": {"indexed": "yes"}},
                {"value": {"indexed": True, "symbols_found": None}},
            ],
        },
        pauses,
    )
    assert given == dict.fromkeys(CALLS, True)
    assert pauses.seconds == []


@pytest.mark.requirement("REQ-035")
def test_parts_that_an_interface_lacks_are_empty(tmp_path: Path) -> None:
    script = Script(tmp_path, {"get_service_interface": {"value": {"endpoints": [{"path": "/"}]}}})
    config = CodebaseIntelligenceConfig(mcp_command=sys.executable, mcp_args=script.arguments)

    async def scenario() -> dict[str, Any]:
        async with create_codebase_intelligence_session(config) as session:
            return await CodebaseIntelligenceClient(session).get_service_interface("orders")

    assert run(scenario) == {
        "endpoints": [{"path": "/"}],
        "events_published": [],
        "events_consumed": [],
    }


@pytest.mark.requirement("TECH-028")
@pytest.mark.parametrize(("text", "value"), [('{"a": 1}', {"a": 1}), ("{", None)])
def test_json_of_a_result(text: str, value: Any) -> None:
    result = SimpleNamespace(content=[SimpleNamespace(type="text", text=text)])
    assert CodebaseIntelligenceClient._extract_json(result) == value
