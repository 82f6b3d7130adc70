"""Servers that run as processes, and sessions with them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from contract_scan.clients.mcp import ContractEngineConfig
from tests.forked import forked_python

PROGRAMS = Path(__file__).parent / "programs"

T = TypeVar("T")

Step = dict[str, Any]


class Script:
    """What a server does, call by call, and what it was asked."""

    def __init__(
        self,
        folder: Path,
        tools: dict[str, Step | list[Step]] | None = None,
        initialize: Step | list[Step] | None = None,
    ) -> None:
        plan: dict[str, Any] = {
            "tools/call": {name: _steps(steps) for name, steps in (tools or {}).items()}
        }
        if initialize is not None:
            plan["initialize"] = _steps(initialize)
        self._file = folder / "script.json"
        self._file.write_text(json.dumps(plan))

    @property
    def arguments(self) -> list[str]:
        return [str(PROGRAMS / "scripted_server.py"), str(self._file)]

    @property
    def calls(self) -> list[list[Any]]:
        """Every request but `initialize`: the tool and its arguments."""
        return [call for call in self._requests() if call[0] != "initialize"]

    @property
    def starts(self) -> int:
        """How often the server was started as far as `initialize`."""
        return sum(call[0] == "initialize" for call in self._requests())

    def config(self, **more: Any) -> ContractEngineConfig:
        return ContractEngineConfig(mcp_command=sys.executable, mcp_args=self.arguments, **more)

    def _requests(self) -> list[list[Any]]:
        log = self._file.with_name(self._file.name + ".calls")
        lines = log.read_text().splitlines(True) if log.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]  # one may be half done


class Pauses:
    """Stands for the passing of time between tries."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def sdk_server(kind: str, python: str = "") -> dict[str, Any]:
    """The fields of a configuration that start the server made with the SDK, however long its
    imports take where others keep the processors busy."""
    return {
        "startup_timeout_ms": 200_000,
        "mcp_command": python or forked_python(),
        "mcp_args": [str(PROGRAMS / "sdk_server.py"), kind],
    }


def run(scenario: Callable[[], Awaitable[T]]) -> T:
    """Run a scenario to its end, with a limit that only a hanging one reaches."""

    async def limited() -> T:
        return await asyncio.wait_for(scenario(), 300)

    return asyncio.run(limited())


def _steps(steps: Step | list[Step]) -> list[Step]:
    return steps if isinstance(steps, list) else [steps]
