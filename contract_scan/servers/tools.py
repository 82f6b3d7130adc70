"""Plain functions as tools of an MCP server, under both majors of the SDK.

A tool runs in a thread, so that no call waits for another. What a user can mend
(`ContractScanError`) is answered as `{"error": "…"}` in the shape that the tool answers in: agents
read it as a result; only arguments of the wrong type and defects are protocol errors.
"""

from __future__ import annotations

import functools
import inspect
import json
import typing
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from contract_scan.errors import ContractScanError
from contract_scan.mcp_sdk import context_class

_CONTEXT = "mcp_context"
_CLIENT: ContextVar[str] = ContextVar("client", default="")


def client_name() -> str:
    """Name and version of the client whose call is being answered, as it introduced itself."""
    return _CLIENT.get()


def add_tools(server: Any, functions: typing.Iterable[Callable[..., Any]]) -> None:
    """Offer functions as tools: name, arguments and description are those of the function."""
    for function in functions:
        server.tool(name=function.__name__, description=inspect.getdoc(function))(as_tool(function))


def as_tool(function: Callable[..., Any]) -> Callable[..., Any]:
    """A coroutine function that calls a plain one in a thread, and is given the request."""
    hints = typing.get_type_hints(function)
    context = context_class()
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=hints.get(parameter.name, Any))
        for parameter in signature.parameters.values()
    ]
    given = inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=context)

    async def call(**arguments: Any) -> Any:
        from anyio import to_thread

        _CLIENT.set(_client(arguments.pop(_CONTEXT)))
        return await to_thread.run_sync(functools.partial(_answer, function, hints, arguments))

    call.__name__ = function.__name__
    call.__doc__ = inspect.getdoc(function)
    call.__annotations__ = {**hints, _CONTEXT: context}
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*parameters, given], return_annotation=hints.get("return", Any)
    )
    return call


def _answer(function: Callable[..., Any], hints: dict[str, Any], arguments: dict[str, Any]) -> Any:
    try:
        return function(**arguments)
    except ContractScanError as error:
        said = {"error": str(error)}
        answered = hints.get("return")
        if answered is str:
            return json.dumps(said)
        return [said] if typing.get_origin(answered) is list else said


def _client(context: Any) -> str:
    try:
        introduced = context.session.client_params
    except (AttributeError, LookupError, ValueError):
        return ""
    if introduced is None:
        return ""
    client = introduced.model_dump(by_alias=True).get("clientInfo") or {}
    return f"{client.get('name', '')} {client.get('version', '')}".strip()[:200]
