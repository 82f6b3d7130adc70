"""The MCP SDK (the extra `mcp`), of either major version, imported only where it is used.

The two majors share the client's names and differ in the server's class, the class of protocol
errors and the spelling of result fields. What differs is decided here and nowhere else; result
fields are read by `contract_scan.clients.mcp.decoding`.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

NOT_INSTALLED = "MCP SDK not installed. pip install mcp"
"""What the `ImportError` says where the SDK is missing."""

_SERVER_CLASSES = (
    ("mcp.server.mcpserver", "MCPServer"),
    ("mcp.server.fastmcp", "FastMCP"),
)
"""Module and class of each major, the newer first."""


def sdk() -> ModuleType:
    """The package `mcp`: `ClientSession`, `StdioServerParameters` and `stdio_client` are in both
    majors.

    Takes one to two seconds the first time. Raises ImportError with `NOT_INSTALLED`.
    """
    try:
        return importlib.import_module("mcp")
    except ImportError as error:
        raise ImportError(NOT_INSTALLED) from error


def server_class() -> type[Any]:
    """The class that servers are made of: `MCPServer` of 2.x or `FastMCP` of 1.x.

    The two agree on `(name, instructions=…)`, on the decorators `tool(name=…, description=…)`,
    `resource(uri, …)` and `prompt(name=…)`, and on `run("stdio")`. They differ in that 1.x calls
    plain functions on the event loop and 2.x in a thread, and in that 2.x hides from the client
    what an exception of a tool says.

    Raises ImportError with `NOT_INSTALLED`.
    """
    sdk()
    for module, name in _SERVER_CLASSES:
        try:
            found: type[Any] = getattr(importlib.import_module(module), name)
        except ImportError:
            continue
        return found
    raise ImportError(NOT_INSTALLED)


def context_class() -> type[Any]:
    """The class of the parameter in which a tool is given its request: `Context`.

    Raises ImportError with `NOT_INSTALLED`.
    """
    package = server_class().__module__.rpartition(".")[0]
    found: type[Any] = importlib.import_module(package).Context
    return found
