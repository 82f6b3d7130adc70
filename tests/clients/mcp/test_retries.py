"""Which faults are tried again, how often, and after which pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from contract_scan.clients.mcp import (
    ArchitectClient,
    ArtifactResult,
    CodebaseIntelligenceClient,
    ContractEngineClient,
    ContractInfo,
    ContractValidation,
    MCPConnectionError,
    MCPTimeoutError,
    create_contract_engine_session,
)
from tests.clients.mcp import test_architect, test_codebase_intelligence, test_contract_engine
from tests.clients.mcp.support import Pauses, Script, run

BACKOFF = [1.0, 2.0, 4.0]

Call = Callable[[Any], Awaitable[Any]]
IsDefault = Callable[[Any], bool]


METHODS = [
    *(
        pytest.param(ContractEngineClient, call, default, id=name)
        for name, (call, default) in test_contract_engine.CALLS.items()
    ),
    *(
        pytest.param(CodebaseIntelligenceClient, call, default, id=name)
        for name, (call, default) in test_codebase_intelligence.CALLS.items()
    ),
    *(
        pytest.param(ArchitectClient, call, default, id=name)
        for name, (call, default) in test_architect.CALLS.items()
    ),
]
"""Every method of the three clients, with a test of what it gives on an error."""

each_method = pytest.mark.parametrize(("kind", "call", "is_default"), METHODS)

all_but_register_artifact = pytest.mark.parametrize(
    ("kind", "call", "is_default"),
    [method for method in METHODS if method.id != "register_artifact"],
)


class Faulty:
    """A session that raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.calls = 0

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        self.calls += 1
        raise self.error


class ProtocolError(Exception):
    """As both majors of the SDK raise it, with a JSON-RPC code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}")
        self.error = type("Data", (), {"code": code})()


GONE = [
    OSError("gone"),
    ConnectionResetError("reset"),
    MCPConnectionError("gone"),
    ProtocolError(-32000),
    anyio.ClosedResourceError(),
    anyio.BrokenResourceError(),
    anyio.EndOfStream(),
]
"""Nobody is there: the call has not been carried out, or is lost."""

TOO_LATE = [TimeoutError(), MCPTimeoutError(60_000), ProtocolError(408), ProtocolError(-32001)]
"""The server may be at work still."""

FINAL = [TypeError("no"), ValueError("no"), RuntimeError("no"), ProtocolError(-32602)]


def outcome(kind: type[Any], call: Call, error: BaseException) -> tuple[Any, int, list[float]]:
    """What a method gives, how often it asked, and how long it paused."""
    session, pauses = Faulty(error), Pauses()

    async def scenario() -> Any:
        return await call(kind(session, sleep=pauses))

    return run(scenario), session.calls, pauses.seconds


def name_of(error: BaseException) -> str:
    return f"{type(error).__name__} {error}"


@each_method
@pytest.mark.requirement("TEST-019", "TEST-032", "TEST-030C", "REQ-026", "REQ-042", "INT-003")
@pytest.mark.parametrize("error", FINAL, ids=name_of)
def test_a_fault_that_stays_gives_the_default_at_once(
    kind: type[Any],
    call: Call,
    is_default: IsDefault,
    error: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    value, tries, pauses = outcome(kind, call, error)
    assert is_default(value)
    assert (tries, pauses) == (1, [])
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@each_method
@pytest.mark.requirement("TEST-019", "TEST-032", "TEST-090", "REQ-026", "REQ-042", "INT-003")
@pytest.mark.parametrize("error", GONE, ids=name_of)
def test_a_fault_that_may_pass_is_tried_three_times_more(
    kind: type[Any],
    call: Call,
    is_default: IsDefault,
    error: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    value, tries, pauses = outcome(kind, call, error)
    assert is_default(value)
    assert (tries, pauses) == (4, BACKOFF)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.exc_info


@all_but_register_artifact
@pytest.mark.requirement("TEST-030B", "REQ-026", "REQ-042")
@pytest.mark.parametrize("error", TOO_LATE, ids=name_of)
def test_a_time_out_is_tried_three_times_more(
    kind: type[Any], call: Call, is_default: IsDefault, error: Exception
) -> None:
    value, tries, pauses = outcome(kind, call, error)
    assert is_default(value)
    assert (tries, pauses) == (4, BACKOFF)


@pytest.mark.requirement("INT-005", "REQ-037")
@pytest.mark.parametrize("error", TOO_LATE, ids=name_of)
def test_a_slow_registration_is_not_tried_again(error: Exception) -> None:
    call, _ = test_codebase_intelligence.CALLS["register_artifact"]
    assert outcome(CodebaseIntelligenceClient, call, error) == (ArtifactResult(), 1, [])


@each_method
def test_cancellation_is_no_fault(kind: type[Any], call: Call, is_default: IsDefault) -> None:
    session, pauses = Faulty(asyncio.CancelledError()), Pauses()

    async def scenario() -> None:
        with pytest.raises(asyncio.CancelledError):
            await call(kind(session, sleep=pauses))

    run(scenario)
    assert (session.calls, pauses.seconds) == (1, [])


@pytest.mark.requirement("REQ-026", "TEST-078")
def test_a_server_that_dies_is_started_again_for_the_next_try(tmp_path: Path) -> None:
    contract = {"id": "a", "type": "openapi", "version": "1.0.0", "spec": {}, "spec_hash": "x"}
    script = Script(
        tmp_path, {"get_contract": [{"exit": "one"}, {"exit": "two"}, {"value": contract}]}
    )
    pauses = Pauses()

    async def scenario() -> ContractInfo | None:
        async with create_contract_engine_session(script.config()) as session:
            return await ContractEngineClient(session, sleep=pauses).get_contract("a")

    assert run(scenario) == ContractInfo(
        id="a", type="openapi", version="1.0.0", spec={}, spec_hash="x"
    )
    assert pauses.seconds == [1.0, 2.0]
    assert script.starts == 3
    assert script.calls == [["get_contract", {"contract_id": "a"}]] * 3


@pytest.mark.requirement("TEST-078", "TEST-090", "INT-001")
def test_a_server_that_dies_at_every_call(tmp_path: Path) -> None:
    script = Script(tmp_path, {tool: {"exit": "no memory"} for tool in test_contract_engine.CALLS})
    pauses = Pauses()

    async def scenario() -> list[bool]:
        async with create_contract_engine_session(script.config()) as session:
            client = ContractEngineClient(session, sleep=pauses)
            methods = test_contract_engine.CALLS.values()
            return [is_default(await call(client)) for call, is_default in methods]

    assert run(scenario) == [True] * 6
    assert pauses.seconds == BACKOFF * 6


def test_a_server_that_cannot_be_started_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    script = Script(root, {"get_contract": {"exit": ""}})
    pauses = Pauses()

    async def scenario() -> ContractInfo | None:
        config = script.config(server_root=str(root))
        async with create_contract_engine_session(config) as session:
            root.rename(tmp_path / "elsewhere")
            return await ContractEngineClient(session, sleep=pauses).get_contract("a")

    assert run(scenario) is None
    assert pauses.seconds == BACKOFF
    assert str(root) in caplog.messages[-1]


@pytest.mark.parametrize(
    "body",
    [{"at": object()}, {"at": float("nan")}, {"at": "\ud800"}, {"at": {1, 2}}],
    ids=["object", "not a number", "half a character", "set"],
)
@pytest.mark.requirement("REQ-026", "TEST-030C")
def test_arguments_that_are_no_json_leave_the_session_alone(
    body: dict[str, Any], tmp_path: Path
) -> None:
    script = Script(tmp_path, {"validate_endpoint": {"value": {"valid": True}}})
    pauses = Pauses()

    async def scenario() -> list[ContractValidation]:
        async with create_contract_engine_session(script.config()) as session:
            client = ContractEngineClient(session, sleep=pauses)
            return [
                await client.validate_endpoint("orders", "GET", "/", given)
                for given in (body, {"at": "é"})
            ]

    refused, accepted = run(scenario)
    assert refused.error.startswith("validate_endpoint: ")
    assert accepted == ContractValidation(valid=True)
    assert [asked["response_body"] for _, asked in script.calls] == [{"at": "é"}]
    assert (pauses.seconds, script.starts) == ([], 1)
