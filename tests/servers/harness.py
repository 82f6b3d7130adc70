"""A real client of the MCP SDK, of whichever major is installed, that drives a server process."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.forked import forked_python

MODULE = ("-m", "contract_scan.servers.contract_engine")
ROOT = Path(__file__).parents[2]


class Answer(NamedTuple):
    """What a tool answered."""

    value: Any
    """The decoded result: an object, a list, a text, or None where there is none."""
    is_error: bool
    blocks: tuple[str, ...]
    """The texts of the content, one for each element of a list."""


class Session:
    """An initialised session; results are the same for both majors."""

    def __init__(self, session: Any, introduced: Mapping[str, Any]) -> None:
        self.session = session
        self.introduced = introduced

    async def call(self, tool: str, **arguments: Any) -> Answer:
        result = await self.session.call_tool(tool, arguments)
        return answer(result)

    async def tools(self) -> dict[str, dict[str, Any]]:
        listed = plain(await self.session.list_tools())["tools"]
        return {tool["name"]: tool for tool in listed}


def plain(result: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = result.model_dump(by_alias=True, mode="json")
    return dumped


def answer(result: Any) -> Answer:
    dumped = plain(result)
    blocks = tuple(block["text"] for block in dumped["content"])
    structured = dumped.get("structuredContent")
    if structured is not None:
        value = structured["result"] if set(structured) == {"result"} else structured
    else:
        value = blocks[0] if blocks else None
    return Answer(value, bool(dumped.get("isError")), blocks)


def drive(
    steps: Callable[[Session], Awaitable[Any]],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = MODULE,
    timeout: float = 300,
) -> Any:
    """Start a server in `cwd`, initialise a session, do the steps, end it; what the steps gave."""

    async def run() -> Any:
        async with _session(cwd, environment or {}, arguments) as session:
            return await steps(session)

    return asyncio.run(asyncio.wait_for(run(), timeout))


@contextmanager
def running_server(
    *, cwd: Path, arguments: Sequence[str]
) -> Iterator[Callable[[Callable[[Session], Awaitable[Any]]], Any]]:
    """A server in `cwd` that several tests share: what does steps with its session, and gives what
    they gave."""
    from anyio.from_thread import start_blocking_portal

    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_session(cwd, {}, arguments)) as session,
    ):
        yield lambda steps: portal.call(steps, session)


@asynccontextmanager
async def _session(
    cwd: Path, environment: Mapping[str, str], arguments: Sequence[str]
) -> AsyncIterator[Session]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=forked_python(),
        args=[*arguments],
        env={"PYTHONPATH": str(ROOT), **environment},
        cwd=cwd,
    )
    with open(os.devnull, "w") as nowhere:
        async with (
            stdio_client(parameters, errlog=nowhere) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            introduced = plain(await session.initialize())
            yield Session(session, introduced)


def text_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
