"""The client of the Contract Engine: what its methods give, and what they give on errors."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contract_scan.clients.mcp import (
    ContractEngineClient,
    ContractEngineConfig,
    ContractInfo,
    ContractValidation,
    ToolCallError,
    create_contract_engine_session,
    spec_hash,
)
from tests.clients.mcp.support import Pauses, Script, Step, run, sdk_server

Call = Callable[[ContractEngineClient], Awaitable[Any]]

CALLS: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "get_contract": (
        lambda client: client.get_contract("orders-1"),
        lambda value: value is None,
    ),
    "validate_endpoint": (
        lambda client: client.validate_endpoint("orders", "GET", "/", {}),
        lambda value: value == ContractValidation(error=value.error) and bool(value.error),
    ),
    "generate_tests": (
        lambda client: client.generate_tests("orders-1"),
        lambda value: value == "",
    ),
    "check_breaking_changes": (
        lambda client: client.check_breaking_changes("orders-1", {}),
        lambda value: value == [],
    ),
    "mark_implemented": (
        lambda client: client.mark_implemented("orders-1", "orders", "app.py"),
        lambda value: value == {"marked": False},
    ),
    "get_unimplemented_contracts": (
        lambda client: client.get_unimplemented_contracts(),
        lambda value: value == [],
    ),
}
"""A call of each of the six tools, and a test of what it gives on an error."""

OTHER = "CONTRACT_SCAN_OTHER_MCP_PYTHON"
OTHER_PYTHON = os.environ.get(OTHER)
"""An interpreter with the other major of the SDK and contract-scan."""

VERSION = "from importlib.metadata import version; print(version('mcp').partition('.')[0])"

SPEC = {"openapi": "3.1.0", "paths": {}}


async def engine(kind: str, call: Call, python: str = sys.executable) -> Any:
    """What a call gives from the server made with the SDK."""
    config = ContractEngineConfig(**sdk_server(kind, python))
    async with create_contract_engine_session(config) as session:
        return await call(ContractEngineClient(session))


def answered(tmp_path: Path, tool: str, *steps: Step, pauses: Pauses | None = None) -> Any:
    """What a tool's method gives when the server does this."""
    script = Script(tmp_path, {tool: list(steps)})

    async def scenario() -> Any:
        async with create_contract_engine_session(script.config()) as session:
            client = ContractEngineClient(session, sleep=pauses or Pauses())
            return await CALLS[tool][0](client)

    return run(scenario)


@pytest.mark.requirement(
    *(
        "TEST-018",
        "TEST-067",
        "REQ-017",
        "REQ-018",
        "REQ-019",
        "REQ-020",
        "REQ-021",
        "REQ-022",
        "REQ-023",
    ),
    *("TECH-013", "TECH-014", "SVC-001", "SVC-002", "SVC-003", "SVC-004", "SVC-005", "SVC-006"),
    "INT-004",
)
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_all_tools_of_a_server(kind: str) -> None:
    async def calls(client: ContractEngineClient) -> None:
        assert await client.get_contract("orders-1") == ContractInfo(
            id="orders-1",
            type="openapi",
            version="1.0.0",
            service_name="orders",
            spec=SPEC,
            spec_hash=spec_hash(SPEC),
            status="active",
        )
        assert await client.validate_endpoint("orders", "GET", "/orders", {"id": 3}) == (
            ContractValidation(
                valid=False,
                violations=[{"field": "id", "expected": "string", "actual": "3"}],
            )
        )
        assert await client.validate_endpoint("orders", "GET", "/orders", {}, 204) == (
            ContractValidation(valid=True)
        )
        assert await client.generate_tests("orders-1", "jest", include_negative=False) == (
            "# jest, negative: False\ndef test_it():\n    pass\n"
        )
        assert await client.generate_tests("orders-1") == (
            "# pytest, negative: True\ndef test_it():\n    pass\n"
        )
        changes = await client.check_breaking_changes("orders-1", {"gone": ["/a", "/b"]})
        assert [change["path"] for change in changes] == ["/a", "/b"]
        assert await client.check_breaking_changes("orders-1", {"gone": ["/a"]}) == changes[:1]
        assert await client.check_breaking_changes("orders-1", {}) == []
        unimplemented = {"id": "orders-1", "type": "openapi", "expected_service": "orders"}
        assert await client.get_unimplemented_contracts() == [unimplemented]
        assert await client.get_unimplemented_contracts("orders") == [unimplemented]
        assert await client.get_unimplemented_contracts("stock") == []
        assert await client.mark_implemented("orders-1", "orders", "app.py") == {
            "marked": True,
            "total": 1,
            "total_implementations": 1,
            "all_implemented": True,
        }
        assert await client.get_unimplemented_contracts() == []

    run(lambda: engine(kind, calls))


@pytest.mark.skipif(OTHER_PYTHON is None, reason=f"{OTHER} names no interpreter")
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_a_server_of_the_other_major(kind: str) -> None:
    async def calls(client: ContractEngineClient) -> None:
        contract = await client.get_contract("orders-1")
        assert contract is not None
        assert contract.spec == SPEC
        assert await client.get_contract("nope") is None
        changes = await client.check_breaking_changes("orders-1", {"gone": ["/a", "/b"]})
        assert [change["path"] for change in changes] == ["/a", "/b"]
        assert (await client.generate_tests("orders-1")).startswith("# pytest")
        listing = await client.list_contracts()
        assert listing.unimplemented == {"orders-1"}

    assert OTHER_PYTHON is not None
    ours, theirs = (
        subprocess.check_output([python, "-c", VERSION])
        for python in (sys.executable, OTHER_PYTHON)
    )
    assert ours != theirs
    run(lambda: engine(kind, calls, OTHER_PYTHON))


@pytest.mark.requirement("REQ-018", "REQ-020", "REQ-021", "TEST-020")
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_errors_in_ordinary_results_are_errors(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    async def calls(client: ContractEngineClient) -> None:
        assert await client.get_contract("nope") is None
        assert await client.generate_tests("nope") == ""
        assert await client.check_breaking_changes("nope", {}) == []

    run(lambda: engine(kind, calls))
    warnings = [record for record in caplog.records if record.name.startswith("contract_scan")]
    assert [record.getMessage() for record in warnings] == [
        "MCP tool get_contract: Contract nope not found",
        "MCP tool generate_tests: not found",
        "MCP tool check_breaking_changes: not found",
    ]
    assert all(record.exc_info is None for record in warnings)


@pytest.mark.requirement("TEST-020", "REQ-018", "REQ-020", "REQ-021", "REQ-022", "REQ-023")
@pytest.mark.parametrize("tool", CALLS)
def test_results_marked_as_errors(
    tool: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pauses = Pauses()
    assert CALLS[tool][1](answered(tmp_path, tool, {"error": "kaput"}, pauses=pauses))
    assert f"MCP tool {tool}: kaput" in caplog.messages
    assert pauses.seconds == []


@pytest.mark.requirement("TEST-020", "REQ-019")
def test_a_validation_marked_as_an_error(tmp_path: Path) -> None:
    assert answered(tmp_path, "validate_endpoint", {"error": "kaput"}) == ContractValidation(
        error="validate_endpoint: kaput"
    )


CONTRACT = {"id": "a", "type": "openapi", "version": "1.0.0", "spec": {}}

MALFORMED: dict[str, list[Step]] = {
    "get_contract": [
        {"value": {**CONTRACT, "id": 7}},
        {"value": {**CONTRACT, "id": ""}},
        {"value": {**CONTRACT, "spec": "openapi: 3.1.0"}},
        {"value": {"id": "a"}},
        {"value": {}},
    ],
    "validate_endpoint": [
        {"value": {"valid": "yes", "violations": []}},
        {"value": {"valid": False, "violations": {"field": "id"}}},
        {"value": {"valid": False, "violations": ["id"]}},
        {"value": {}},
    ],
    "generate_tests": [
        {"raw_result": {"content": [{"type": "image", "data": "", "mimeType": "a"}]}}
    ],
    "check_breaking_changes": [{"structured": {"result": {"a": 1}}}],
    "mark_implemented": [{"value": {"marked": "true"}}, {"value": {}}],
    "get_unimplemented_contracts": [
        {"elements": ["a", "b"]},
        {"structured": {"result": None}},
        {"value": 3},
    ],
}
"""Answers that are JSON of another shape than the tool's."""

UNREADABLE: list[Step] = [
    {"text": "not JSON"},
    {"text": "{"},
    {"text": ""},
    {"text": "[" * 100_000},
    {"text": "null"},
    {"text": "1" * 5000},
    {"raw_result": {"content": "none"}},
    {"raw_result": {"content": [{"type": "text"}]}},
    {"raw_result": {}},
]
"""Answers that are nothing to any tool that gives an object or a list."""


def wrong_answers() -> list[tuple[str, Step]]:
    of_tools = [(tool, step) for tool, steps in MALFORMED.items() for step in steps]
    of_all = [(tool, step) for tool in CALLS if tool != "generate_tests" for step in UNREADABLE]
    return of_tools + of_all


@pytest.mark.requirement("TEST-091", "TECH-017", "INT-004")
def test_answers_of_another_shape_give_the_defaults(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="mcp")
    caplog.set_level(logging.WARNING, logger="contract_scan")
    wrong = wrong_answers()
    steps: dict[str, list[Step]] = {tool: [] for tool in CALLS}
    for tool, step in wrong:
        steps[tool].append(step)
    script, pauses = Script(tmp_path, {**steps}), Pauses()

    async def scenario() -> list[tuple[str, Step]]:
        """The answers that were taken for something."""
        async with create_contract_engine_session(script.config()) as session:
            client = ContractEngineClient(session, sleep=pauses)
            return [
                (tool, step)
                for tool, step in wrong
                if not CALLS[tool][1](await CALLS[tool][0](client))
            ]

    assert run(scenario) == []
    assert pauses.seconds == []
    assert script.starts == 1
    errors = [one.exc_info[1] for one in caplog.records if one.exc_info]
    assert len(errors) == len(wrong)
    # What is no result of a tool at all is refused by the SDK.
    causes = {type(error.__cause__).__name__ for error in errors if error}
    assert causes == {"MalformedResultError", "ValidationError"}


def test_a_large_answer_arrives_whole(tmp_path: Path) -> None:
    size = 5_000_000
    contract = answered(tmp_path, "get_contract", {"large": size})
    assert contract is not None
    assert contract.spec == {"text": "x" * size}


@pytest.mark.requirement("TECH-014")
def test_the_hash_of_a_specification_is_that_of_its_sorted_json() -> None:
    # echo -n '{"a": "\u00e9", "b": [1]}' | sha256sum
    expected = "74bb6a24c695bdb6a85c4faf138bcd8470bf7847580f44e519ec0023fa869e11"
    assert spec_hash({"b": [1], "a": "é"}) == expected


@pytest.mark.requirement("TEST-021", "TECH-017")
@pytest.mark.parametrize(
    ("content", "value"),
    [
        (['{"a": [1]}'], {"a": [1]}),
        (["[]"], []),
        ([None, '{"a": 1}'], {"a": 1}),
        (["{"], None),
        (["no JSON", "1"], None),
        ([""], None),
        ([], None),
        (None, None),
    ],
)
def test_json_of_a_result(content: list[str | None] | None, value: Any) -> None:
    assert ContractEngineClient._extract_json(result_with(content)) == value


@pytest.mark.requirement("TEST-021", "TECH-017")
def test_json_of_no_result() -> None:
    assert ContractEngineClient._extract_json(None) is None


@pytest.mark.requirement("TEST-022", "TECH-018")
@pytest.mark.parametrize(
    ("content", "text"),
    [(["a", "b"], "a"), ([None, "b"], "b"), ([], ""), ([None], ""), (None, "")],
)
def test_text_of_a_result(content: list[str | None] | None, text: str) -> None:
    assert ContractEngineClient._extract_text(result_with(content)) == text


def result_with(content: list[str | None] | None) -> SimpleNamespace:
    """A result with text blocks, and with blocks that have no text where it says None."""
    blocks = [
        SimpleNamespace(type="image") if text is None else SimpleNamespace(type="text", text=text)
        for text in content or ()
    ]
    return SimpleNamespace(content=None if content is None else blocks)


@pytest.mark.requirement("REQ-029")
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_all_contracts_are_listed_page_by_page(kind: str) -> None:
    listing = run(lambda: engine(kind, lambda client: client.list_contracts()))
    assert [(info.id, info.spec) for info in listing.contracts] == [
        ("orders-1", SPEC),
        ("events-1", {"asyncapi": "3.0.0"}),
    ]
    assert listing.unimplemented == {"orders-1"}


def listed(tmp_path: Path, tools: dict[str, Step | list[Step]]) -> Any:
    async def scenario() -> Any:
        async with create_contract_engine_session(Script(tmp_path, tools).config()) as session:
            return await ContractEngineClient(session, sleep=Pauses()).list_contracts()

    return run(scenario)


def test_a_listing_that_promises_more_than_it_has_ends(tmp_path: Path) -> None:
    page = {"value": {"items": [CONTRACT], "total": 10_000}}
    listing = listed(
        tmp_path, {"list_contracts": page, "get_unimplemented_contracts": {"elements": []}}
    )
    assert [info.id for info in listing.contracts] == ["a"]


def test_a_contract_that_is_removed_while_it_is_listed_is_left_out(tmp_path: Path) -> None:
    page = {"value": {"items": [CONTRACT, {"id": "b"}], "total": 2}}
    listing = listed(
        tmp_path,
        {
            "list_contracts": page,
            "get_contract": {"value": {"error": "Contract b not found"}},
            "get_unimplemented_contracts": {"elements": []},
        },
    )
    assert [info.id for info in listing.contracts] == ["a"]


@pytest.mark.parametrize(
    "tools",
    [
        {"list_contracts": {"error": "kaput"}},
        {"list_contracts": {"value": []}},
        {"list_contracts": {"value": {"items": [{**CONTRACT, "id": 7}], "total": 1}}},
        {"list_contracts": {"value": {"items": [{**CONTRACT, "spec": "{}"}], "total": 1}}},
        {
            "list_contracts": {"value": {"items": [CONTRACT], "total": 1}},
            "get_unimplemented_contracts": {"elements": [{"contract": "a"}]},
        },
        {
            "list_contracts": {"value": {"items": [CONTRACT], "total": 1}},
            "get_unimplemented_contracts": {"error": "kaput"},
        },
        {
            "list_contracts": {"value": {"items": [{"id": "a"}], "total": 1}},
            "get_contract": {"exit": ""},
        },
    ],
    ids=["error", "no page", "no id", "no spec", "not said of which", "not said", "dies"],
)
def test_a_listing_that_is_not_whole_is_an_error(
    tools: dict[str, Step | list[Step]], tmp_path: Path
) -> None:
    with pytest.raises(ToolCallError):
        listed(tmp_path, tools)
