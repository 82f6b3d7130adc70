"""Reads that several frameworks share: functions of a file, paths, statuses, parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http import HTTPStatus
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import LiteralValue, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    symbol_name,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    LiteralExpr,
    Name,
    NamedType,
    New,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.messaging.trace import caller_scopes

VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
"""Names of methods as libraries spell them."""
DECORATED = tuple(
    f".{verb}({quote}".encode()
    for verb in ("get", "post", "put", "patch", "delete")
    for quote in ('"/', "'/", '"")', "'')", '"",', "'',")
)
"""How routes are written on a router, in files that need not name the library: they may take their
router from another file."""
_NESTED = 6
"""How deep functions may be nested that are still looked into."""


class DeclaredFunction(Struct, frozen=True, eq=False):
    """A function with the place it is declared at."""

    function: Function
    scope: Scope
    """The scope around it."""
    owner: ClassSymbol | None = None

    @property
    def value(self) -> FunctionValue:
        """The function as a value."""
        return FunctionValue(self.function, self.scope, self.owner, self.scope.receiver)

    @property
    def name(self) -> str:
        """Qualified name."""
        around = symbol_name(self.scope)
        return f"{around}.{self.function.name}" if around else self.function.name


def functions(program: Program, file: FileFacts) -> Iterator[DeclaredFunction]:
    """Every function of a file: top-level ones, methods, and those inside lowered functions."""
    module = program.module_scope(file)
    for function in file.functions:
        yield from _with_nested(program, DeclaredFunction(function, module), _NESTED)
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for method in symbol.decl.methods:
            yield from _with_nested(program, DeclaredFunction(method, inside, symbol), _NESTED)


def _with_nested(
    program: Program, declared: DeclaredFunction, levels: int
) -> Iterator[DeclaredFunction]:
    yield declared
    body = declared.function.body
    if not body or not levels:
        return
    nested = reaching_definitions.declarations(body)
    if not nested:
        return
    scope = program.function_scope(declared.function, declared.scope)
    for declaration in nested:
        if isinstance(declaration, Function):
            yield from _with_nested(program, DeclaredFunction(declaration, scope), levels - 1)
        else:
            symbol = ClassSymbol(declaration, declared.scope.file, (declared.function.name,))
            inside = replace(scope, owner=symbol, receiver=Instance(symbol))
            for method in declaration.methods:
                yield from _with_nested(
                    program, DeclaredFunction(method, inside, symbol), levels - 1
                )


def call_argument(args: tuple[Argument, ...], name: str, position: int = -1) -> Expr | None:
    """An argument by name or position."""
    for item in args:
        if item.name == name:
            return item.value
    positional = [item.value for item in args if not item.name and not item.spread]
    return positional[position] if 0 <= position < len(positional) else None


def unpacked_argument(
    program: Program, args: tuple[Argument, ...], name: str, scope: Scope
) -> Value | None:
    """The value that arguments such as `**options` give a name; `Unresolved` where they may give it
    one, None where they give it none."""
    for item in args:
        if item.spread != "**":
            continue
        options = program.evaluate(item.value, scope)
        entries = options.entries if isinstance(options, Record) else ()
        entry = next((entry for entry in entries if entry.name == name), None)
        if entry is not None and not entry.optional:
            return entry.value
        known = isinstance(options, Record) and not options.partial and options.values is None
        if entry is not None or not known:
            return Unresolved(Reason("unpacked-options-undetermined"))
    return None


def route_methods(
    program: Program,
    args: tuple[Argument, ...],
    scope: Scope,
    position: int = -1,
    default: str = "GET",
) -> tuple[str, ...] | None:
    """The methods that the arguments of a route name, by themselves or unpacked; `default` where
    they name none, None where they are undetermined."""
    given = call_argument(args, "methods", position)
    if given is not None:
        return known_methods(program.texts(given, scope))
    unpacked = unpacked_argument(program, args, "methods", scope)
    return (default,) if unpacked is None else known_methods(program.evaluator.texts(unpacked))


def known_methods(names: tuple[str | None, ...]) -> tuple[str, ...] | None:
    """Methods in capitals, each once; None where there are none, or not all are known."""
    known = tuple(dict.fromkeys(name.upper() for name in names if name is not None))
    return known if known and None not in names else None


def prefix_argument(
    program: Program, args: tuple[Argument, ...], given: Expr | None, name: str, scope: Scope
) -> str | None:
    """The prefix that arguments give, by itself (`given`) or unpacked under a name; None where it
    is undetermined."""
    if given is not None:
        return text(program, given, scope)
    unpacked = unpacked_argument(program, args, name, scope)
    return "" if unpacked is None else program.evaluator.text(unpacked)


def method_called(program: Program, callee: Expr | None, scope: Scope) -> Attribute | None:
    """The method that is called: `app.get`, also under a name that was given it before
    (`get = app.get`). None for anything else."""
    if isinstance(callee, Attribute):
        return callee
    current: Scope | None = scope if isinstance(callee, Name) else None
    while current is not None and isinstance(callee, Name):
        state = program.names.locals.reaching(current.statements or (), callee.id, callee.span)
        given = [getattr(definition.statement, "value", None) for definition in state]
        if given:
            alone = given[0] if len(given) == 1 else None
            return alone if isinstance(alone, Attribute) else None
        current = current.parent
    return None


def flatten_values(value: Value) -> tuple[Value, ...]:
    """The values in a list, nested lists and unions flattened."""
    match value:
        case Items(values=values) | OneOf(options=values):
            return tuple(inner for item in values for inner in flatten_values(item))
        case _:
            return (value,)


def asks_request(program: Program, view: FunctionValue, *members: str) -> bool:
    """Whether a view asks the request for one of its members: `request.method`."""
    for node in nodes_of(program.body(view.function, view.scope.file)):
        match node:
            case Attribute(value=Name(id="request") | Attribute(name="request"), name=name):
                if name in members:
                    return True
            case _:
                pass
    return False


def argument(site: Annotation | Call | New, position: int, *names: str) -> Expr | None:
    """An argument of a decorator or call by name or position."""
    for item in site.args:
        if item.name and item.name in names:
            return item.value
    positional = [item.value for item in site.args if not item.name and not item.spread]
    return positional[position] if 0 <= position < len(positional) else None


# --------------------------------------------------------------------------- texts


def text(program: Program, expr: Expr | None, scope: Scope) -> str | None:
    """The constant string of an expression, also where it is a setting with a default, or what
    every caller of the function around it gives."""
    if expr is None:
        return None
    if not isinstance(expr, LiteralExpr):
        called = _texts_of_callers(program, expr, scope)
        if called:
            return called.pop() if len(called) == 1 else None
    return _own_text(program, expr, scope)


def _own_text(program: Program, expr: Expr, scope: Scope) -> str | None:
    value = program.evaluate(expr, scope)
    known = program.evaluator.text(value)
    if known is None:
        known = _setting(program, value)
    if known is None and isinstance(expr, Attribute):
        known = _attribute_default(program, expr, scope)
    return known


def _texts_of_callers(program: Program, expr: Expr, scope: Scope) -> set[str | None]:
    """The texts that the callers of the function around an expression make it, by their arguments
    or by the defaults that they leave; empty where it depends on no parameter, and without
    callers."""
    function = scope.function
    parameters = () if function is None else (param.name for param in function.params)
    if all(name in scope.bindings for name in parameters):
        return set()
    return {
        _own_text(program, expr, traced.scope)
        for traced in caller_scopes(program, scope, [expr])
        if traced.span is not None
    }


def likely_text(program: Program, expr: Expr | None, scope: Scope) -> str:
    """As much of a path that is not constant as can be shown: the segments that all constants which
    it may be begin with, else with `{}` for the parts that are not known."""
    if expr is None:
        return ""
    value = program.evaluate(expr, scope)
    options = value.options if isinstance(value, OneOf) else (value,)
    texts = (program.evaluator.text(option) for option in options)
    constants = [text.split("/") for text in texts if text is not None]
    if constants:
        columns = takewhile(lambda column: len({*column}) == 1, zip(*constants, strict=False))
        return "/".join(column[0] for column in columns)
    templates = (program.evaluator.template(option) for option in options)
    return next((text for text in templates if text is not None), "")


def _attribute_default(program: Program, expr: Attribute, scope: Scope) -> str | None:
    """The default of a settings class's field: `prefix: str = Field("/api")`."""
    holder = program.evaluator.unwrap(program.evaluate(expr.value, scope))
    symbol: ClassSymbol | None = None
    if isinstance(holder, Instance):
        symbol = holder.symbol
    elif isinstance(holder, ByType) and isinstance(holder.type, NamedType):
        symbol = program.names.declared_class(holder.type, holder.scope)
    if symbol is None:
        return None
    for owner in (symbol, *program.bases(symbol)):
        for member in owner.decl.members:
            if member.name != expr.name or member.value is None:
                continue
            inside = program.class_scope(owner)
            value = program.evaluate(member.value, inside)
            if not isinstance(value, LibraryResult):
                return program.evaluator.text(value)
            if value.name.endswith("Field") and value.site.args:
                first = value.site.args[0]
                return program.text(first.value, value.scope) if not first.name else None
            return _setting(program, value)
    return None


def _setting(program: Program, value: Value) -> str | None:
    """`config("PREFIX", default="/api")` of decouple, environs or starlette."""
    if isinstance(value, OneOf):
        found = [program.evaluator.text(o) or _setting(program, o) for o in value.options]
        known = {item for item in found if item is not None}
        return known.pop() if len(known) == 1 else None
    if not isinstance(value, LibraryResult) or not re.search(
        r"(?:[Cc]onfig|[Ee]nv)(?:\(\))?(?:\.str)?(?:\(\))?$", value.name
    ):
        return None
    for item in value.site.args:
        if item.name == "default":
            return program.text(item.value, value.scope)
    return None


def concatenate_path(*parts: str) -> str:
    """Parts of a path concatenated, with a slash at the start and no doubled slash."""
    return re.sub(r"/{2,}", "/", "/" + "".join(parts))


# --------------------------------------------------------------------------- statuses

_STATUS_NAME = re.compile(r"HTTP_(\d{3})(?:_|$)")


def status_code(program: Program, expr: Expr | None, scope: Scope) -> str | None:
    """The status an expression stands for; None where there is none or it is not constant."""
    if expr is None:
        return None
    return status_of(program.evaluate(expr, scope))


def status_of(value: Value) -> str | None:
    """The status of a value: a number, `status.HTTP_201_CREATED`, `HTTPStatus.CREATED`."""
    match value:
        case Constant(is_default=True):
            return None
        case Constant(value=int() as number) if 100 <= number <= 599:
            return str(number)
        case Constant(value=str(text)) if text[:3].isdigit():
            return text[:3]
        case LibrarySymbol(name=name):
            found = _STATUS_NAME.search(name)
            if found is not None:
                return found[1]
            for part in reversed(name.split(".")):
                if part in HTTPStatus.__members__:
                    return str(HTTPStatus[part].value)
            return None
        case _:
            return None


def statuses_of(value: Value) -> tuple[str, ...]:
    """The statuses that a value may be; empty where one of them is undetermined."""
    options = value.options if isinstance(value, OneOf) else (value,)
    found = [status_of(option) for option in options]
    statuses = tuple(dict.fromkeys(status for status in found if status is not None))
    return statuses if None not in found else ()


def varies(value: Value) -> bool:
    """Whether content is one of several: with several statuses, not each goes with each."""
    match value:
        case OneOf():
            return True
        case Record(entries=entries, partial=partial, values=values):
            open_keys = bool(partial) or values is not None
            return open_keys or any(entry.optional or varies(entry.value) for entry in entries)
        case _:
            return False


# --------------------------------------------------------------------------- pieces of operations


def response(
    status: str,
    schema: Schema | None,
    origin: Origin,
    *,
    content_type: str = "application/json",
    explicit: bool = True,
) -> Response:
    """A response with one body, or with none."""
    bodies: tuple[Body, ...] = ()
    if schema is not None and status not in ("204", "304") and not status.startswith("1"):
        bodies = (Body(schema=schema, content_type=content_type, origin=origin),)
    return Response(status=status, bodies=bodies, explicit_status=explicit, origin=origin)


def undetermined_response(reason: Reason, origin: Origin) -> Response:
    """The response of a handler of which nothing is known, and why."""
    return response("200", unknown(reason, origin), origin, explicit=False)


def is_empty(value: Value) -> bool:
    """Whether what a response is made of is nothing: `""`, `None`."""
    return isinstance(value, Constant) and value.value in (None, "")


def parameter(
    name: str,
    location: Location,
    schema: Schema,
    *,
    required: bool | None,
    has_default: bool = False,
    default: LiteralValue = None,
    origin: Origin,
) -> Parameter:
    """A request parameter."""
    return Parameter(
        name=name,
        location=location,
        schema=schema,
        required=required,
        has_default=has_default,
        default=default,
        origin=origin,
    )


def merge_responses(responses: list[Response]) -> tuple[Response, ...]:
    """Responses by status; bodies of one status and content type are united."""
    from contract_scan.parsers.source.analysis.domain.schemas import unite

    found: dict[str, Response] = {}
    for item in responses:
        known = found.get(item.status)
        if known is None:
            found[item.status] = item
            continue
        bodies = list(known.bodies)
        for body in item.bodies:
            for position, other in enumerate(bodies):
                if other.content_type == body.content_type:
                    both = unite((other.schema, body.schema))
                    bodies[position] = replace(other, schema=both)
                    break
            else:
                bodies.append(body)
        explicit = known.explicit_status or item.explicit_status
        found[item.status] = replace(
            known,
            bodies=tuple(bodies),
            explicit_status=explicit,
            documented=known.documented and item.documented,
            origin=item.origin if known.documented else known.origin,
        )
    return tuple(found[status] for status in sorted(found))


def unknown(reason: Reason, origin: Origin) -> Unknown:
    """A shape that is undetermined."""
    return Unknown(reason=reason, nullable=None, origin=origin)


def string(origin: Origin, format: str = "") -> Scalar:
    """A string."""
    return Scalar(type="string", format=format, origin=origin)
