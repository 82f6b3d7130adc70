"""One answer of a handler: its status, body and content type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.csharp.aspnet.statuses import (
    CONTROLLER_HELPERS,
    OPAQUE_RESULTS,
    Helper,
    body_argument,
    status_of,
)
from contract_scan.parsers.source.csharp.aspnet.succeeded import Known
from contract_scan.parsers.source.csharp.aspnet.wire import expression_schema
from contract_scan.parsers.source.csharp.settings_values import plain
from contract_scan.parsers.source.facts import (
    Argument,
    ArrayLiteral,
    Call,
    Expr,
    NamedType,
    New,
    ObjectLiteral,
    TypeExpr,
)
from contract_scan.parsers.source.link.kinds import kind_of, kind_of_type
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    Constant,
    External,
    Made,
    Scope,
    Typed,
    Unresolved,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_CONTENT_TYPE = re.compile(r"[\w.+-]+/[\w.+*-]+(\s*;.*)?")


class Outcome(Struct, frozen=True, kw_only=True):
    """One answer that a handler may give."""

    status: str
    schema: Schema | None = None
    """None: no body."""
    content_type: str = "application/json"
    explicit: bool = True
    origin: Origin


class Handler(Struct, frozen=True, kw_only=True):
    """Where results are looked for, and how bodies are written."""

    program: Program
    variant: str
    symbol: ClassSymbol | None = None
    """The controller; None for minimal APIs."""
    helpers: dict[str, Helper] | None = None
    """Helpers of the controller where they are not those of ASP.NET Core."""
    plain_values: bool = False
    """Whether a value that is no result is sent as it is."""
    declared: Schema | None = None
    """The shape that the handler's type gives to successes: bodies are then only looked into where
    they are made on the spot, or are of another class."""
    declared_type: tuple[TypeExpr, Scope] | None = None
    """That type, where helpers take bodies of any other one (controllers)."""
    known: Known = {}
    """Which parameters of the function that is followed are results that succeeded or failed."""
    chosen: Known = {}
    """What else is known inside an option of a conditional expression."""

    def helper(self, name: str) -> Helper | None:
        """The helper of the controller of a name."""
        if self.helpers is not None:
            return self.helpers.get(name)
        return CONTROLLER_HELPERS.get(name) if self.symbol is not None else None


def is_opaque(program: Program, value: Value) -> bool:
    """Whether a value may be a result of which neither status nor body is told."""
    if isinstance(value, Made):
        return isinstance(value.site, Call)
    if not isinstance(value, Typed) or not isinstance(value.type, NamedType):
        return isinstance(value, Unresolved | External)
    return plain(value.type.name) in OPAQUE_RESULTS


def helped(handler: Handler, helper: Helper, call: Call, scope: Scope) -> list[Outcome] | None:
    """What a call of a helper (`Ok(value)`) answers; None where its status cannot be told."""
    args = call.args
    status: str | None = helper.status
    written = status_argument(helper, args)
    if written is not None:
        status = status_of(handler.program, written, scope)
    if not status:
        return None
    origin = handler.program.origin(call, scope)
    body = body_argument(helper, args)
    if body is None and helper.body == "last" and len(args) == 1:
        body = _only_argument(handler, args[0].value, scope)
    if helper.content_type != "application/json":
        return [by_hand(handler, status, helper, args, origin, scope)]
    return [outcome(handler, status, body, origin, scope)]


def by_hand(
    handler: Handler,
    status: str,
    helper: Helper,
    args: tuple[Argument, ...],
    origin: Origin,
    scope: Scope,
) -> Outcome:
    """A text or file of the content type that an argument names."""
    kind = helper.content_type
    for argument in args[1:]:
        text = handler.program.text(argument.value, scope)
        if text is not None and _CONTENT_TYPE.fullmatch(text):
            kind = text.partition(";")[0].strip()
    schema: Schema = Scalar(type="string", format="" if kind.startswith("text/") else "binary")
    if kind.endswith(("/json", "+json")):
        schema = Unknown(reason="the JSON text is made by hand", origin=origin)
    return Outcome(status=status, schema=schema, content_type=kind, origin=origin)


def status_argument(helper: Helper, args: tuple[Argument, ...]) -> Expr | None:
    """The argument that gives the status, where there is one."""
    for argument in args:
        if argument.name == helper.status_name:
            return argument.value
    positional = [argument.value for argument in args if not argument.name]
    if 0 <= helper.status_argument < len(positional):
        return positional[helper.status_argument]
    return None


def _only_argument(handler: Handler, expr: Expr, scope: Scope) -> Expr | None:
    """`Accepted(value)` sends its argument, `Accepted("/jobs/1")` names a place."""
    schema = handler.program.infer(expr, scope)
    kind = getattr(schema, "type", "")
    return None if kind == "string" else expr


def outcome(
    handler: Handler,
    status: str,
    body: Expr | None,
    origin: Origin,
    scope: Scope,
) -> Outcome:
    """An answer with a body of the application's own."""
    schema = None
    declared = handler.declared is not None and status[0] == "2" and body is not None
    if body is not None and declared:
        declared = not isinstance(body, New | ObjectLiteral | ArrayLiteral) and not (
            handler.declared_type is not None and _is_of_another_class(handler, body, scope)
        )
    if declared and handler.declared is not None:
        schema = with_nullable(handler.declared, False)
    elif body is not None:
        # A result without a value has no body, so a body is never null.
        schema = with_nullable(
            expression_schema(handler.program, body, scope, handler.variant), False
        )
        if body_is_null(handler.program, body, scope):
            schema = None
    return Outcome(status=status, schema=schema, origin=origin)


def _is_of_another_class(handler: Handler, body: Expr, scope: Scope) -> bool:
    """Whether a body is an object (or list) of a class of the project that has nothing to do with
    the declared one: a helper takes any object, and writes what it is."""
    program = handler.program
    if handler.declared_type is None:
        return False
    type, around = handler.declared_type
    wanted = kind_of_type(program, type, around, set())
    given = kind_of(program, program.evaluator.unwrapped(program.evaluate(body, scope)))
    if wanted is None or given is None or "#" not in wanted[1] or "#" not in given[1][0]:
        return False
    same = wanted[0] == given[0] and wanted[1] in given[1]
    return not same and _is_sent_whole(program, given[1][0])


def _is_sent_whole(program: Program, key: str) -> bool:
    """Whether a class says of its objects what they are: an interface does not."""
    path, _, name = key.partition("#")
    found = [s for s in program.classes(program.facts(path)) if s.qualified_name == name]
    return any(s.decl.kind != "interface" and "abstract" not in s.decl.modifiers for s in found)


def body_is_null(program: Program, body: Expr, scope: Scope) -> bool:
    """Whether the body is written as `null`."""
    value = program.evaluate(body, scope)
    return isinstance(value, Constant) and value.value is None
