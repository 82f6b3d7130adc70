"""The routes that the code around an `HttpListener` tells apart, itself or in functions that it
gives the request to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.http_listener.roles import Role, Roles
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.value_classes import called_scopes
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, New, Statement
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.web.request_dispatch import (
    SEVERAL,
    RequestBranch,
    RequestConditions,
    Splitter,
    Subject,
    equal,
)

_MAX_DEPTH = 5
"""How many functions deep a request is followed."""
_UNCLEAR = frozenset({"IsMatch", "Match", "TryGetValue", "ContainsKey", "Split"})
"""What code asks of a path where it is told apart by more than its text."""
_ANSWERING = frozenset[Role]({"context", "response", "stream", "writer"})
_PATH = re.compile(r"[\w./~%:@-]*")
_PART = Reason("paths-dispatched-by-parts")


class HandlerBranch(Struct, frozen=True):
    """What runs for some requests."""

    conditions: RequestConditions
    statements: tuple[Statement, ...]
    scope: Scope
    parameter_roles: Mapping[str, Role]
    span: Span
    unresolved: Reason = NO_REASON


class RequestHelper(Struct, frozen=True):
    """A function that is given a part of the request."""

    scope: Scope
    parameter_roles: Mapping[str, Role]


class Requests(Splitter):
    """Splits the statements of one function."""

    def __init__(self, program: Program, scope: Scope, roles: Roles) -> None:
        super().__init__(program, scope)
        self.roles = roles

    def kind(self, expr: Expr) -> Subject:
        """Whether an expression is the method or the path of the request."""
        role = self.roles.role_of(expr)
        return role if role == "method" or role == "path" else ""

    def word(self, expr: Expr, subject: Subject) -> str:
        """The method or path that it is compared with; empty where that is undetermined."""
        if subject == "method":
            return _verb(expr) or (self.program.text(expr, self.scope) or "").upper()
        # Compared with `/orders`, and with `orders` where the path was trimmed.
        text = self.program.text(expr, self.scope)
        return f"/{text.strip('/')}" if text is not None and _PATH.fullmatch(text) else ""

    def test(self, call: Call) -> list[RequestConditions]:
        """What is known where a call gives true: `Equals`, `StartsWith`."""
        if not isinstance(call.callee, Attribute) or not call.args:
            return []
        of, name, first = call.callee.value, call.callee.name, call.args[0].value
        if name == "Equals" and getattr(of, "id", "") in ("string", "String"):
            second = call.args[1].value if len(call.args) > 1 else first
            return self.comparison_facts(first, second) or self.comparison_facts(second, first)
        if name == "Equals":
            return self.comparison_facts(of, first) or self.comparison_facts(first, of)
        if name == "StartsWith" and self.kind(of) == "path":
            text = self.word(first, "path")
            return [equal("path", f"{text.rstrip('/')}/{SEVERAL}")] if text else []
        return []


def _verb(expr: Expr) -> str:
    """`HttpMethod.Get.Method`, `HttpMethod.Get.ToString()`, `HttpMethods.Get`."""
    match expr:
        case Call(callee=Attribute(value=value, name="ToString")):
            return _verb(value)
        case Attribute(value=Attribute() as value, name="Method"):
            return _verb(value)
        case Attribute(value=Name(id="HttpMethod" | "HttpMethods"), name=name):
            return name.upper()
        case _:
            return ""


def routes(
    program: Program,
    statements: tuple[Statement, ...],
    inside: RequestHelper,
    seen: set[tuple[str, Span]],
) -> list[HandlerBranch]:
    """The routes among the statements of a function. `seen` takes the functions that are followed,
    by file and place."""
    return list(_routes(program, statements, inside, RequestConditions(), seen, 0))


def _routes(
    program: Program,
    statements: tuple[Statement, ...],
    inside: RequestHelper,
    conditions: RequestConditions,
    seen: set[tuple[str, Span]],
    depth: int,
) -> Iterator[HandlerBranch]:
    roles = Roles(program, inside.scope, inside.parameter_roles)
    parts = Requests(program, inside.scope, roles).parts(statements)
    for part in parts:
        both = conditions.conjunction(part.conditions)
        if both is None:
            continue
        deeper: list[HandlerBranch] = []
        for function in (
            called_functions(program, part.statements, inside) if depth < _MAX_DEPTH else ()
        ):
            if function is None:
                continue
            within = function.scope
            assert within.function is not None
            seen.add((within.file.path, within.function.span))
            body = within.statements or ()
            deeper += _routes(program, body, function, both, seen, depth + 1)
        if any(found.conditions != both for found in deeper):  # it tells requests apart further
            yield from deeper
        elif both.path:
            yield HandlerBranch(
                both,
                part.statements,
                inside.scope,
                inside.parameter_roles,
                _branch_start(part, parts),
            )
        elif any(_is_unclear(node, roles) for node in nodes_of(part.statements)):
            whole = RequestConditions(both.method, f"/{SEVERAL}")
            place = _branch_start(part, parts)
            yield HandlerBranch(
                whole, part.statements, inside.scope, inside.parameter_roles, place, _PART
            )


def called_functions(
    program: Program, statements: tuple[Statement, ...], inside: RequestHelper
) -> Iterator[RequestHelper | None]:
    """The functions of the project that receive a part of the request, as they are called; None
    for each that is not in the scan and may respond."""
    roles = Roles(program, inside.scope, inside.parameter_roles)
    for call, place in calls_in(program, statements, inside.scope):
        handed = {roles.role_of(argument.value, place) for argument in call.args} - {""}
        if isinstance(call, New) or not handed:
            continue
        function = called_function(program, call, place)
        if function is not None:
            scope = called_scopes(program, function, call, place)[0]
            yield RequestHelper(scope, _argument_roles(function, call, roles, place))
            continue
        # `ThreadPool.QueueUserWorkItem(Handle, context)`
        given_on = [program.function_value(argument.value, place) for argument in call.args]
        taking = [f for f in given_on if f is not None and len(f.function.params) == 1]
        for each in taking:
            inner = program.function_scope(each.function, each.scope)
            yield RequestHelper(inner, {each.function.params[0].name: min(handed)})
        if not taking and handed & _ANSWERING:
            yield None


def _argument_roles(
    function: FunctionValue, call: Call, roles: Roles, place: Scope
) -> dict[str, Role]:
    found: dict[str, Role] = {}
    for position, param in enumerate(function.function.params):
        argument = call_argument(call, param.name, position)
        role = roles.role_of(argument, place) if argument is not None else ""
        if role:
            found[param.name] = role
    return found


def _is_unclear(node: object, roles: Roles) -> bool:
    """Whether code asks more of the path than whether it is a text."""
    match node:
        case Call(callee=Attribute(value=value, name=name), args=args) if name in _UNCLEAR:
            asked = [value, *(argument.value for argument in args)]
            cuts_query = name == "Split" and getattr(asked[-1], "value", "") == "?"
            return not cuts_query and any(roles.role_of(expr) == "path" for expr in asked)
        case _:
            return False


def _branch_start(part: RequestBranch, parts: list[RequestBranch]) -> Span:
    """Where what runs for these requests alone begins."""
    others = {id(each) for other in parts if other is not part for each in other.statements}
    own = next((each for each in part.statements if id(each) not in others), None)
    return own.span if own is not None else NO_SPAN
