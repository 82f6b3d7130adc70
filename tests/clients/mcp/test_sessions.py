"""Sessions with server processes: how they start, what they hand on, how they end."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
    MCPConnectionError,
    MCPSession,
    MCPTimeoutError,
    create_architect_session,
    create_codebase_intelligence_session,
    create_contract_engine_session,
)
from contract_scan.errors import ConfigurationError
from tests.clients.mcp.support import Script, run, sdk_server
from tests.processes import is_running

SURROUNDINGS = {"look": {"surroundings": True}}

SECRETS = {"ANTHROPIC_API_KEY": "sk-ant-secret", "AWS_SECRET_ACCESS_KEY": "aws-secret"}

INHERITED = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
"""What the SDK hands on, and what the interpreter of the server may add."""

OWN = {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"}

Create = Callable[[Any], AbstractAsyncContextManager[MCPSession]]

SERVERS: list[tuple[Create, type[Any]]] = [
    (create_contract_engine_session, ContractEngineConfig),
    (create_codebase_intelligence_session, CodebaseIntelligenceConfig),
    (create_architect_session, ArchitectConfig),
]

each_server = pytest.mark.parametrize(
    ("create", "config"), SERVERS, ids=["contract engine", "codebase intelligence", "architect"]
)


def value(result: Any) -> Any:
    return json.loads(result.content[0].text)


async def seen(create: Create, config: Any) -> dict[str, Any]:
    """What the server sees of where it runs."""
    async with create(config) as session:
        result: dict[str, Any] = value(await session.call_tool("look"))
        return result


async def started(create: Create, config: Any) -> None:
    async with create(config):
        pass


@each_server
@pytest.mark.requirement("REQ-024", "REQ-025", "REQ-038", "INT-003")
@pytest.mark.parametrize("kind", ["typed", "bare"])
def test_a_session_is_initialised_and_lists_the_tools(
    create: Create, config: type[Any], kind: str
) -> None:
    async def scenario() -> None:
        async with create(config(**sdk_server(kind))) as session:
            tools = await session.list_tools()
            assert "get_contract" in {tool.name for tool in tools.tools}

    run(scenario)


@each_server
@pytest.mark.requirement("TEST-023", "TECH-019", "REQ-038")
def test_without_the_sdk_the_error_says_what_to_install(
    create: Create, config: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ImportError) as raised:
        run(lambda: started(create, config()))
    assert str(raised.value) == "MCP SDK not installed. pip install mcp"


@pytest.mark.requirement("TECH-019")
def test_the_sdk_is_not_imported_before_a_session_is_opened() -> None:
    script = (
        "import sys, contract_scan.clients.mcp\n"
        "print([name for name in ('mcp', 'anyio', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@each_server
@pytest.mark.requirement("SEC-001", "TECH-020", "REQ-039")
def test_no_secret_reaches_a_server(
    create: Create, config: type[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, secret in SECRETS.items():
        monkeypatch.setenv(name, secret)
    script = Script(tmp_path, SURROUNDINGS)
    more = {"database_path": "/data/contracts.db"}
    environ = run(
        lambda: seen(create, config(mcp_command=sys.executable, mcp_args=script.arguments, **more))
    )["environ"]
    assert environ["DATABASE_PATH"] == "/data/contracts.db"
    assert set(environ) - INHERITED - OWN == {"DATABASE_PATH"}
    assert not set(SECRETS.values()) & set(environ.values())


@pytest.mark.requirement("TEST-024", "TECH-015", "TECH-020")
@pytest.mark.parametrize(
    ("configured", "in_environment", "handed_on"),
    [("/a.db", "", "/a.db"), ("", "/b.db", "/b.db"), ("/a.db", "/b.db", "/a.db"), ("", "", None)],
)
def test_the_database_of_the_contract_engine(
    configured: str,
    in_environment: str,
    handed_on: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONTRACT_ENGINE_DB", in_environment)
    monkeypatch.setenv("DATABASE_PATH", "/not/this/one.db")
    config = Script(tmp_path, SURROUNDINGS).config(database_path=configured)
    environ = run(lambda: seen(create_contract_engine_session, config))["environ"]
    assert environ.get("DATABASE_PATH") == handed_on
    assert "CONTRACT_ENGINE_DB" not in environ


@pytest.mark.requirement("TEST-038", "REQ-038", "REQ-039", "TECH-025")
@pytest.mark.parametrize(
    ("configured", "in_environment", "handed_on"),
    [
        (
            {"database_path": "/a.db", "chroma_path": "/chroma", "graph_path": "/graph"},
            {},
            {"DATABASE_PATH": "/a.db", "CHROMA_PATH": "/chroma", "GRAPH_PATH": "/graph"},
        ),
        ({"graph_path": "/graph"}, {}, {"GRAPH_PATH": "/graph"}),
        ({}, {"CHROMA_PATH": "/mine"}, {"CHROMA_PATH": "/mine"}),
        ({}, {}, {}),
    ],
    ids=["all", "one", "from the environment", "none"],
)
def test_only_paths_that_are_set_reach_codebase_intelligence(
    configured: dict[str, str],
    in_environment: dict[str, str],
    handed_on: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DATABASE_PATH", "CHROMA_PATH", "GRAPH_PATH"):
        monkeypatch.setenv(name, in_environment.get(name, ""))
    script = Script(tmp_path, SURROUNDINGS)
    config = CodebaseIntelligenceConfig(
        mcp_command=sys.executable, mcp_args=script.arguments, **configured
    )
    environ = run(lambda: seen(create_codebase_intelligence_session, config))["environ"]
    assert {name: environ[name] for name in set(environ) - INHERITED - OWN} == handed_on


@pytest.mark.requirement("SEC-001")
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@localhost/contracts",
        "postgresql://localhost/contracts?user=me&password=secret",
        "postgresql+psycopg://me:s@cr@[::1/x",
    ],
)
def test_a_url_with_a_password_is_refused(url: str) -> None:
    config = ContractEngineConfig(database_path=url)
    with pytest.raises(ConfigurationError, match="pass file"):
        run(lambda: started(create_contract_engine_session, config))


@each_server
@pytest.mark.requirement("TECH-020", "REQ-038")
def test_the_server_runs_in_its_root(create: Create, config: type[Any], tmp_path: Path) -> None:
    script, root = Script(tmp_path, SURROUNDINGS), tmp_path / "root"
    root.mkdir()
    here = config(mcp_command=sys.executable, mcp_args=script.arguments)
    assert run(lambda: seen(create, here))["cwd"] == str(Path.cwd())
    there = config(mcp_command=sys.executable, mcp_args=script.arguments, server_root=str(root))
    assert run(lambda: seen(create, there))["cwd"] == str(root)


@each_server
@pytest.mark.requirement("REQ-024", "REQ-038", "INT-001", "INT-002", "INT-003")
def test_a_server_that_is_not_there(create: Create, config: type[Any]) -> None:
    with pytest.raises(MCPConnectionError, match=r"No such file or directory: 'no-such-server'"):
        run(lambda: started(create, config(mcp_command="no-such-server")))


@pytest.mark.requirement("REQ-024")
def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    config = Script(tmp_path).config(server_root=str(tmp_path / "nowhere"))
    with pytest.raises(MCPConnectionError, match="nowhere"):
        run(lambda: started(create_contract_engine_session, config))


@pytest.mark.requirement("REQ-024")
def test_a_command_that_no_system_can_start() -> None:
    with pytest.raises(MCPConnectionError, match="null byte"):
        run(
            lambda: started(
                create_contract_engine_session, ContractEngineConfig(mcp_command="a\0b")
            )
        )


@each_server
@pytest.mark.requirement("TEST-030D", "REQ-024", "REQ-038", "INT-001")
def test_a_server_that_exits_before_it_reads_anything(create: Create, config: type[Any]) -> None:
    leaving = config(mcp_command=sys.executable, mcp_args=["-m", "no_such_module"])
    with pytest.raises(MCPConnectionError) as raised:
        run(lambda: started(create, leaving))
    assert str(raised.value).endswith("No module named no_such_module")


@pytest.mark.requirement("TEST-030D", "REQ-024")
def test_a_server_that_exits_during_initialize(tmp_path: Path) -> None:
    config = Script(tmp_path, initialize={"exit": "the database is locked"}).config()
    with pytest.raises(MCPConnectionError) as raised:
        run(lambda: started(create_contract_engine_session, config))
    assert str(raised.value) == (
        "Contract Engine server: Connection closed; its last line of output: the database is locked"
    )


@pytest.mark.requirement("REQ-024")
@pytest.mark.parametrize(
    "step", [{"hang": 50}, {"raw_result": "no object"}], ids=["hangs", "noise"]
)
def test_a_server_that_never_answers_initialize(step: dict[str, Any], tmp_path: Path) -> None:
    config = Script(tmp_path, initialize=step).config(startup_timeout_ms=700)
    with pytest.raises(MCPConnectionError) as raised:
        run(lambda: started(create_contract_engine_session, config))
    assert str(raised.value) == "MCP operation timed out after 700ms"


@pytest.mark.requirement("REQ-024")
@pytest.mark.parametrize(
    "step",
    [
        {"raw_result": {"protocolVersion": 7}},
        {"raw_result": {"protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": {}}},
        {"protocol_error": -32603},
    ],
    ids=["wrong types", "unknown version", "error"],
)
def test_a_server_that_answers_initialize_badly(step: dict[str, Any], tmp_path: Path) -> None:
    config = Script(tmp_path, initialize=step).config()
    with pytest.raises(MCPConnectionError, match=r"^Contract Engine server: "):
        run(lambda: started(create_contract_engine_session, config))


@pytest.mark.requirement("REQ-024")
def test_what_the_body_raises_arrives_as_it_is(tmp_path: Path) -> None:
    error = KeyError("mine")

    async def scenario() -> None:
        async with create_contract_engine_session(Script(tmp_path).config()):
            raise error

    with pytest.raises(KeyError) as raised:
        run(scenario)
    assert raised.value is error


@pytest.mark.requirement("REQ-024")
def test_a_session_may_be_closed_by_another_task(tmp_path: Path) -> None:
    async def scenario() -> None:
        manager = create_contract_engine_session(Script(tmp_path).config())
        session = await asyncio.create_task(_enter(manager))
        await asyncio.create_task(_leave(manager))
        with pytest.raises(RuntimeError, match="is closed"):
            await session.call_tool("any")

    run(scenario)


async def _enter(manager: AbstractAsyncContextManager[MCPSession]) -> MCPSession:
    return await manager.__aenter__()


async def _leave(manager: AbstractAsyncContextManager[MCPSession]) -> None:
    await manager.__aexit__(None, None, None)


@pytest.mark.requirement("REQ-024")
@pytest.mark.parametrize("fault", ["none", "error", "cancelled", "hangs", "stubborn"])
def test_no_server_outlives_its_session(fault: str, tmp_path: Path) -> None:
    script = Script(
        tmp_path,
        {"work": {"stubborn": fault == "stubborn", "hang": 50}},
        initialize={"process": str(tmp_path / "process"), "initialize": True},
    )

    async def work() -> None:
        config = script.config(tool_timeout_ms=300 if fault in ("hangs", "stubborn") else 30_000)
        async with create_contract_engine_session(config) as session:
            if fault == "error":
                raise KeyError
            if fault != "none":
                await session.call_tool("work")

    async def scenario() -> None:
        working = asyncio.create_task(work())
        if fault == "cancelled":
            while not script.calls:
                await asyncio.sleep(0.01)
            working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        assert not is_running(int((tmp_path / "process").read_text()))

    run(scenario)


@pytest.mark.requirement("REQ-024")
def test_no_server_outlives_a_start_that_is_cancelled(tmp_path: Path) -> None:
    script = Script(tmp_path, initialize={"process": str(tmp_path / "process"), "hang": 50})

    async def scenario() -> None:
        starting = asyncio.create_task(started(create_contract_engine_session, script.config()))
        while not (tmp_path / "process").exists():
            await asyncio.sleep(0.01)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not is_running(int((tmp_path / "process").read_text()))

    run(scenario)


@pytest.mark.requirement("REQ-024")
def test_a_call_that_takes_too_long(tmp_path: Path) -> None:
    script = Script(tmp_path, {"slow": [{"hang": 50}], "quick": {"value": 1}})

    async def scenario() -> None:
        config = script.config(tool_timeout_ms=1500)
        async with create_contract_engine_session(config) as session:
            with pytest.raises(MCPTimeoutError) as raised:
                await session.call_tool("slow")
            assert str(raised.value) == "MCP operation timed out after 1500ms"
            assert isinstance(raised.value, MCPConnectionError)
            # It does not answer a ping either, so that another process takes its place.
            assert value(await session.call_tool("quick")) == 1
        assert script.starts == 2

    run(scenario)


@pytest.mark.requirement("REQ-024")
def test_a_server_that_is_only_slow_goes_on() -> None:
    async def scenario() -> None:
        config = ContractEngineConfig(**sdk_server("typed"), tool_timeout_ms=2500)
        async with create_contract_engine_session(config) as session:
            first = value(await session.call_tool("process_id"))
            with pytest.raises(MCPTimeoutError):
                await session.call_tool("wait_for_release")
            assert value(await session.call_tool("process_id")) == first

    run(scenario)


@pytest.mark.requirement("REQ-024", "TEST-078")
def test_after_a_death_the_next_call_starts_the_server_again(tmp_path: Path) -> None:
    script = Script(tmp_path, {"work": [{"exit": "out of memory"}, {"value": "done"}]})

    async def scenario() -> None:
        async with create_contract_engine_session(script.config()) as session:
            with pytest.raises(MCPConnectionError) as raised:
                await session.call_tool("work")
            assert str(raised.value) == (
                "Contract Engine server: Connection closed; its last line of output: out of memory"
            )
            assert value(await session.call_tool("work")) == "done"

    run(scenario)
    assert script.starts == 2


def test_a_server_that_died_between_calls(tmp_path: Path) -> None:
    script = Script(tmp_path, {"process": {"process": True}})

    async def scenario() -> None:
        async with create_contract_engine_session(script.config()) as session:
            process = value(await session.call_tool("process"))
            os.kill(process, 9)
            while is_running(process):
                await asyncio.sleep(0.01)
            with pytest.raises(MCPConnectionError):
                await session.call_tool("process")
            assert value(await session.call_tool("process")) != process

    run(scenario)


def test_a_descendant_that_holds_the_pipes_open_holds_up_nothing(tmp_path: Path) -> None:
    script = Script(
        tmp_path, {"work": [{"descendant": str(tmp_path / "child")}, {"value": "done"}]}
    )

    async def scenario() -> None:
        config = script.config(tool_timeout_ms=1500)
        async with create_contract_engine_session(config) as session:
            with pytest.raises(MCPConnectionError):
                await session.call_tool("work")
            assert value(await session.call_tool("work")) == "done"

    run(scenario)
    os.kill(int((tmp_path / "child").read_text()), 9)


def test_calls_run_beside_each_other() -> None:
    async def scenario() -> list[Any]:
        config = ContractEngineConfig(**sdk_server("bare"))
        async with create_contract_engine_session(config) as session:
            slow = asyncio.create_task(session.call_tool("wait_for_release"))
            quick = await session.call_tool("release")
            return [value(quick), value(await slow)]

    assert run(scenario) == ["released", "went on"]


def test_noise_on_standard_output_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="mcp")
    caplog.set_level(logging.CRITICAL, logger="root")
    script = Script(tmp_path, {"work": {"noise": [1, 2]}})

    async def scenario() -> None:
        async with create_contract_engine_session(script.config()) as session:
            assert value(await session.call_tool("work")) == [1, 2]
            assert value(await session.call_tool("work")) == [1, 2]

    run(scenario)
    assert script.starts == 1


def test_what_a_server_logs_is_in_our_debug_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="contract_scan.clients.mcp")
    script = Script(tmp_path, {"work": {"exit": "about to leave"}})

    async def scenario() -> None:
        async with create_contract_engine_session(script.config()) as session:
            with pytest.raises(MCPConnectionError):
                await session.call_tool("work")

    run(scenario)
    assert "Contract Engine server: about to leave" in caplog.text
