"""What the values of a function are: the context, its request and response, the path, …"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Index,
    Name,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)

Role: TypeAlias = Literal[
    "context", "request", "response", "url", "method", "path", "query", "stream", "writer", ""
]
TYPES: dict[str, Role] = {
    "HttpListenerContext": "context",
    "HttpListenerRequest": "request",
    "HttpListenerResponse": "response",
}
_CONTEXTS = frozenset({"GetContext", "GetContextAsync", "EndGetContext"})
_PROPERTIES: dict[tuple[Role, str], Role] = {
    ("context", "Request"): "request",
    ("context", "Response"): "response",
    ("request", "HttpMethod"): "method",
    ("request", "Url"): "url",
    ("request", "RawUrl"): "path",
    ("request", "QueryString"): "query",
    ("url", "AbsolutePath"): "path",
    ("url", "LocalPath"): "path",
    ("url", "PathAndQuery"): "path",
    ("response", "OutputStream"): "stream",
}
_NEUTRAL = frozenset(
    {
        *("ToLower", "ToLowerInvariant", "ToUpper", "ToUpperInvariant", "ToString"),
        *("Trim", "TrimEnd", "TrimStart"),
    }
)
"""What is called of a method or path on the way to its comparison."""
_WRITERS = frozenset({"StreamWriter", "BinaryWriter", "Utf8JsonWriter"})
_MAX_DEPTH = 10


class Roles:
    """The roles of the expressions of one function. `given` says what its parameters are, where a
    caller tells."""

    def __init__(self, program: Program, scope: Scope, given: Mapping[str, Role]) -> None:
        self.program = program
        self.scope = scope
        self.given = given

    def role_of(self, expr: Expr, scope: Scope | None = None, depth: int = 0) -> Role:
        """The role of an expression; empty if it is no part of the request."""
        place = scope or self.scope
        if depth > _MAX_DEPTH:
            return ""
        expr = without_wrappers(expr)
        match expr:
            case Cast(type=type, value=value):
                return _role_of_type(type) or self.role_of(value, place, depth + 1)
            case Name(id=id):
                return self._role_of_name(expr, id, place, depth)
            case Attribute(value=Name(id="this")):
                return self._role_of_sources(expr, place, depth)
            case Attribute(value=value, name=name):
                return _PROPERTIES.get((self.role_of(value, place, depth + 1), name), "")
            case Choice(options=options):  # `request.Url?.AbsolutePath ?? "/"`
                found = {self.role_of(option, place, depth + 1) for option in options} - {""}
                return found.pop() if len(found) == 1 else ""
            case New(type=NamedType(name=name), args=(first, *_)) if (
                unqualified_name(name) in _WRITERS
            ):
                is_stream = self.role_of(first.value, place, depth + 1) == "stream"
                return "writer" if is_stream else ""
            case Index(value=Call(callee=Attribute(value=value, name="Split"))):
                return "path" if self.role_of(value, place, depth + 1) == "path" else ""
            case Call(callee=Attribute(name=name)) if name in _CONTEXTS:
                return "context"
            case Call(callee=Attribute(value=value, name=name)) if name in _NEUTRAL:
                role = self.role_of(value, place, depth + 1)
                return role if role in ("path", "method") else ""
            case _:
                return ""

    def _role_of_name(self, expr: Expr, id: str, place: Scope, depth: int) -> Role:
        current: Scope | None = place
        while current is not None:
            params = current.function.params if current.function is not None else ()
            for param in params:
                if param.name == id:
                    return self.given.get(id, "") or _role_of_type(param.type)
            current = current.parent
        return self._role_of_sources(expr, place, depth)

    def _role_of_sources(self, expr: Expr, place: Scope, depth: int) -> Role:
        found = {
            self.role_of(value, inside, depth + 1)
            for value, inside in sources(self.program, expr, place)
        }
        return found.pop() if len(found) == 1 else ""


def _role_of_type(type: TypeExpr | None) -> Role:
    inner = type.item if isinstance(type, NullableType) else type
    return TYPES.get(unqualified_name(inner.name), "") if isinstance(inner, NamedType) else ""
