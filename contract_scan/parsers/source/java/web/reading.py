"""What a handler reads of the request object that it is given: `request.queryParam("page")`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    definitions_of,
    nested_statements,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassValue,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    is_not_null,
    is_null_or_falsy,
    names,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Evaluate,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import children, nodes_of
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.java.web.chains import (
    chain,
    class_given,
    class_held,
    function_called,
    method,
)
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.request_inputs import RequestInputs

Kind: TypeAlias = Literal[
    "path", "query", "header", "cookie", "form", "body", "list", "raw", "anything", "nothing"
]
"""What a method of a request reads: a named parameter; the body as a class, as a list of a class,
or as it comes; anything; nothing that a contract speaks of."""


def by_kind(**names: str) -> dict[str, Kind]:
    """The methods of a request by what they read, with spaces between their names."""
    return {name: cast("Kind", kind) for kind, text in names.items() for name in text.split()}


_LOCATIONS: dict[str, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
}
MARK = "<request>"
_CARRIERS = ((), ("request",), ("body",), ("getRequest",))
"""The object itself, and the parts of it that requests are read through."""
MAX_DEPTH = 4
"""How many functions a request is handed on through."""
UNTYPED = Reason("read-as-text")


def methods_from_mark(program: Program, expr: Expr, scope: Scope) -> tuple[str, ...] | None:
    """The methods that lead from the object that a handler is given to what an expression is:
    none for the object itself, `response` for a variable that holds `ctx.response()`. None where
    it is something else."""
    if isinstance(expr, Call):
        links = chain(expr)
        before = methods_from_mark(program, links.base, scope) if links.base is not expr else None
        return None if before is None else (*before, *links.names)
    if not isinstance(expr, Name) or _is_made_here(expr.id, scope):
        return None
    value = program.evaluate(expr, scope)
    if not isinstance(value, LibrarySymbol | LibraryResult) or not value.name.startswith(MARK):
        return None
    path = value.name.removeprefix(MARK).removeprefix(".").removesuffix("()")
    return tuple(path.split("().")) if path else ()


def _is_made_here(name: str, scope: Scope) -> bool:
    """Whether all that a local variable ever holds is made anew: no request is. To evaluate a
    large object at every statement that fills it would take very long."""
    if name in scope.bindings:
        return False
    given = [
        statement.value
        for statement in nested_statements(scope.statements or ())
        if isinstance(statement, Assign)
        and isinstance(statement.target, Name)
        and statement.target.id == name
    ]
    return bool(given) and all(isinstance(value, New | LiteralExpr) for value in given)


def mark(path: tuple[str, ...]) -> LibrarySymbol:
    """A parameter that holds the object, or what these methods of it give."""
    return LibrarySymbol(f"{MARK}.{'().'.join(path)}()" if path else MARK)


class RequestArgument(Struct, frozen=True, eq=False):
    """A request object, or a part of one, that a function is given."""

    function: FunctionValue
    position: int
    path: tuple[str, ...] = ()
    classes: Mapping[str, BoundType] = {}
    """Parameters of the function that are given a class: `read(ctx, Order.class)`."""


class RequestReader:
    """Reads what handlers of one library take. `methods` says what the methods of its request
    object read, by their names from the request on (`headers().firstHeader`)."""

    def __init__(
        self,
        program: Program,
        methods: Mapping[str, Kind],
        variant: str,
        accessors: Mapping[str, ScalarType] = {},
    ) -> None:
        self.program = program
        self.methods = methods
        self.variant = variant
        self.accessors = accessors
        """Methods of what a parameter is given as that say its type."""
        self._accessed: dict[tuple[str, Span], Call] = {}
        """Calls of such methods, by the place of the call that they are called on."""
        self._around: dict[tuple[str, Span], Call] = {}
        """The calls that are made on what other calls give, by the place of the latter."""
        self._asked: set[tuple[str, Span]] = set()
        """The places of calls of which a conditional expression asks whether they give null."""
        self._parsed: dict[tuple[str, Span], Schema] = {}
        """What the texts are parsed as that calls read, by the place of the call."""

    def request_inputs(self, given: RequestArgument, content_type: str = JSON) -> RequestInputs:
        """The inputs that a handler reads of its request."""
        inputs = RequestInputs([], [])
        form: list[Field] = []
        self._function(given, inputs, form, 0)
        if form and not inputs.bodies:
            inputs.bodies.append(
                Body(
                    schema=Object(fields=tuple(form)),
                    content_type="application/x-www-form-urlencoded",
                    origin=form[0].origin,
                )
            )
        elif content_type != JSON:
            inputs.bodies = [_with_content_type(body, content_type) for body in inputs.bodies]
        return inputs

    def _function(
        self, given: RequestArgument, inputs: RequestInputs, form: list[Field], depth: int
    ) -> None:
        function = given.function.function
        if given.position >= len(function.params):
            return
        if "abstract" in function.modifiers:
            inputs.complete = False
            return
        bound = {function.params[given.position].name: mark(given.path)}
        scope = self.program.function_scope(function, given.function.scope, bound)
        self._parsed.update(
            ((scope.file.path, place), shape)
            for place, shape in _parsed_shapes(self.program, scope).items()
        )
        calls = list(calls_in(self.program, scope.statements or (), scope))
        for call, place in calls:
            read = getattr(call.callee, "value", None) if isinstance(call, Call) else None
            if isinstance(call, Call) and isinstance(read, Call):
                self._around[place.file.path, read.span] = call
                if method(call) in self.accessors:
                    self._accessed[place.file.path, read.span] = call
        self._asked.update((scope.file.path, at) for at in _asked_places(scope.statements or ()))
        for call, place in calls:
            self._handed_on(given.classes, call, place, inputs, form, depth)
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                self._read_call(call, place, inputs, form)

    def _handed_on(
        self,
        classes: Mapping[str, BoundType],
        call: Call | New,
        scope: Scope,
        inputs: RequestInputs,
        form: list[Field],
        depth: int,
    ) -> None:
        """A call that is given the request: what the function reads counts."""
        named = _class_among(call, scope, classes) if isinstance(call, Call) else None
        for position, argument in enumerate(call.args):
            path = methods_from_mark(self.program, argument.value, scope)
            if path is None and named is not None:
                path = _content(self.program, argument.value, scope)
            if path is None:
                continue
            if self.methods.get("().".join(path)) == "raw":
                if named is not None:
                    self._read_as(named, Origin(scope.file.path, call.span), inputs)
                continue
            if path not in _CARRIERS:
                part = f"{'().'.join(path)}()."
                if any(known.startswith(part) for known in self.methods):
                    inputs.complete = False  # a part that parameters are read through
                continue
            found = function_called(self.program, call, scope) if isinstance(call, Call) else None
            if found is None or depth >= MAX_DEPTH or "abstract" in found.function.modifiers:
                inputs.complete = False
            elif isinstance(call, Call):
                specialisations = self.program.evaluator.specialisations
                facts = specialisations.facts_of_call(found, call, scope)
                running = specialisations.with_facts(found, facts)
                told = {
                    param.name: bound
                    for param, each in zip(found.function.params, call.args, strict=False)
                    if (bound := _class_of(each.value, scope, classes)) is not None
                }
                inner = RequestArgument(running, position, path, told)
                self._function(inner, inputs, form, depth + 1)

    def _read_as(self, type: BoundType, origin: Origin, inputs: RequestInputs) -> None:
        """`mapper.readValue(request.getReader(), Order.class)`: the body, as a class."""
        if all(isinstance(body.schema, Unknown) for body in inputs.bodies):
            inputs.bodies.clear()  # the text itself was read before
        if inputs.bodies:
            return
        schema = self.program.schema(type.type, type.scope, f"{self.variant};{READING}")
        inputs.bodies.append(Body(schema=with_nullable(schema, False), origin=origin))

    def _read_call(
        self, call: Call, scope: Scope, inputs: RequestInputs, form: list[Field]
    ) -> None:
        links = chain(call)
        before = methods_from_mark(self.program, links.base, scope)
        if before is None:
            return
        names = (*before, *links.names)
        name = "().".join(names)
        kind = self.methods.get(name)
        if kind is None:
            # A method of what a known method gave: `queryParam("q").orElse("")`.
            known = any("().".join(names[:end]) in self.methods for end in range(1, len(names)))
            further = any(method.startswith(f"{name}().") for method in self.methods)
            if not known and not further:
                inputs.complete = False
            return
        self._read_input(kind, call, scope, inputs, form)

    def _read_input(
        self, kind: Kind, call: Call, scope: Scope, inputs: RequestInputs, form: list[Field]
    ) -> None:
        if kind == "nothing":
            return
        if kind == "anything":
            inputs.complete = False
            return
        origin = Origin(scope.file.path, call.span)
        if kind in ("body", "list", "raw"):
            schema = self._body(kind, call, scope, origin)
            if kind == "body" and all(isinstance(body.schema, Unknown) for body in inputs.bodies):
                inputs.bodies.clear()  # the text, or any JSON, was read before
            if not inputs.bodies:
                inputs.bodies.append(Body(schema=schema, required=None, origin=origin))
            return
        name = self.program.text(call.args[0].value, scope) if call.args else None
        if name is None:
            inputs.complete = False
            return
        name = name.removeprefix(":") if kind == "path" else name
        if not name:
            return
        if kind == "form":
            schema = Unknown(reason=UNTYPED, origin=origin)
            form.append(Field(name=name, schema=schema, required=None, origin=origin))
        else:
            self._parameter(_LOCATIONS[kind], name, call, scope, inputs)

    def _parameter(
        self, location: Location, name: str, call: Call, scope: Scope, inputs: RequestInputs
    ) -> None:
        if any(p.name == name and p.location == location for p in inputs.parameters):
            return
        is_set = location in ("header", "cookie") and len(call.args) == 2
        if is_set and class_given(call.args[1].value) is None:
            return  # `ctx.header(name, value)` is part of the response
        origin = Origin(scope.file.path, call.span)
        untyped = Unknown(reason=UNTYPED, is_text=True, origin=origin)
        parsed = self._parsed.get((scope.file.path, call.span))
        schema: Schema = untyped if parsed is None else replace(parsed, origin=origin)
        type = class_given(call.args[1].value) if len(call.args) > 1 else None
        if type is not None:
            declared = self.program.schema(type, scope, self.variant)
            schema = with_nullable(self.program.types.flat(declared), False)
        accessor = self._accessed.get((scope.file.path, call.span))
        if accessor is not None and type is None:
            schema = Scalar(type=self.accessors[method(accessor)], origin=origin)
        inputs.parameters.append(
            Parameter(
                name=name,
                location=location,
                schema=schema,
                required=True if location == "path" else self._need(call, scope),
                has_default=(len(call.args) > 1 and type is None)
                or (accessor is not None and bool(accessor.args)),
                origin=origin,
            )
        )

    def _need(self, call: Call, scope: Scope) -> bool | None:
        """Whether code needs a parameter, by what the chain of calls ends with that reads it:
        `queryParam("q").orElse("")`; None where that does not tell."""
        if (scope.file.path, call.span) in self._asked:
            return False
        outer = self._around.get((scope.file.path, call.span))
        while outer is not None:
            if method(outer) in _OPTIONAL_ENDS:
                return False
            if method(outer) == "orElseThrow":
                return True
            outer = self._around.get((scope.file.path, outer.span))
        return None

    def _body(self, kind: Kind, call: Call, scope: Scope, origin: Origin) -> Schema:
        given = (class_held(self.program, argument.value, scope) for argument in call.args)
        bound = next((each for each in given if each is not None), None)
        if kind == "raw" or bound is None or type_name(bound.type) in ("String", "byte[]"):
            reason = Reason("body-read-as-text")
            return Unknown(reason=reason, is_text=True, origin=origin)
        variant = f"{self.variant};{READING}"
        declared = self.program.schema(bound.type, bound.scope, variant)
        schema = with_nullable(declared, False)
        return Array(items=schema, origin=origin) if kind == "list" else schema


_OPTIONAL_ENDS = frozenset(
    {"orElse", "orElseGet", "ifPresent", "ifPresentOrElse", "getOrDefault", "allowNullable"}
)
"""Methods of what reading a parameter gives that do with nothing."""


def _asked_places(statements: tuple[Statement, ...]) -> Iterator[Span]:
    """The places of calls of whose results a conditional expression asks whether they are null:
    `String q = request.queryParam("q"); … q == null ? "" : q`."""
    held = {
        each.target.id: each.value.span
        for each in nested_statements(statements)
        if isinstance(each, Assign)
        and isinstance(each.target, Name)
        and isinstance(each.value, Call)
    }
    for node in nodes_of(statements):
        for test in node.given if isinstance(node, Choice) else ():
            for name in names(test) if test is not None else ():
                asks = is_not_null(test, name, True) or is_null_or_falsy(test, name, True)
                if name in held and asks:
                    yield held[name]


def _class_among(call: Call, scope: Scope, classes: Mapping[str, BoundType]) -> BoundType | None:
    """The class that a call is given, also in a parameter that holds one."""
    found = (_class_of(argument.value, scope, classes) for argument in call.args)
    return next((each for each in found if each is not None), None)


def _class_of(expr: Expr, scope: Scope, classes: Mapping[str, BoundType]) -> BoundType | None:
    if isinstance(expr, Name):
        return classes.get(expr.id)
    type = class_given(expr)
    return None if type is None else BoundType(type, scope)


def _content(program: Program, expr: Expr, scope: Scope) -> tuple[str, ...] | None:
    """The methods that lead to what readers and texts are made of: the stream of the body, in
    `new InputStreamReader(exchange.getRequestBody())` and in a variable with
    `new String(exchange.getRequestBody().readAllBytes())`."""
    for _ in range(_MAX_AROUND):
        match expr:
            case New(type=type, args=(first, *_)) if type_name(type) in _AROUND:
                expr = first.value
            case Call(callee=Attribute(value=inner, name="readAllBytes" | "getBytes")):
                expr = inner
            case Call(callee=Attribute(name="toString" | "toByteArray"), args=(first, *_)):
                expr = first.value
            case Name() if not (path := methods_from_mark(program, expr, scope)):
                made = [d.statement for d in definitions_of(expr, scope)]
                if len(made) != 1 or not isinstance(made[0], Assign) or made[0].value is None:
                    return path
                expr = made[0].value
            case _:
                return methods_from_mark(program, expr, scope)
    return None


_AROUND = frozenset({"InputStreamReader", "BufferedReader", "BufferedInputStream", "String"})
_MAX_AROUND = 8


def _with_content_type(body: Body, content_type: str) -> Body:
    return Body(
        schema=body.schema, content_type=content_type, required=body.required, origin=body.origin
    )


# ------------------------------------------------- parsers: `Integer.parseInt(ctx.pathParam("id"))`
# A parser that is always run refuses every other text, so what it takes is the type of the
# parameter.


_PARSERS: Mapping[tuple[str, str], tuple[ScalarType, str]] = {
    **dict.fromkeys((("Integer", "parseInt"), ("Integer", "valueOf")), ("integer", "int32")),
    **dict.fromkeys((("Short", "parseShort"), ("Short", "valueOf")), ("integer", "int32")),
    **dict.fromkeys((("Long", "parseLong"), ("Long", "valueOf")), ("integer", "int64")),
    **dict.fromkeys((("Double", "parseDouble"), ("Double", "valueOf")), ("number", "double")),
    **dict.fromkeys((("Float", "parseFloat"), ("Float", "valueOf")), ("number", "float")),
    **dict.fromkeys((("Boolean", "parseBoolean"), ("Boolean", "valueOf")), ("boolean", "")),
    ("UUID", "fromString"): ("string", "uuid"),
    ("LocalDate", "parse"): ("string", "date"),
    **dict.fromkeys(
        (
            *(("Instant", "parse"), ("OffsetDateTime", "parse"), ("ZonedDateTime", "parse")),
            ("LocalDateTime", "parse"),
        ),
        ("string", "date-time"),
    ),
}
"""What a static method of the Java library makes of its only argument."""
_MAKERS: Mapping[str, tuple[ScalarType, str]] = {
    "BigDecimal": ("number", ""),
    "BigInteger": ("integer", ""),
    "ObjectId": ("string", ""),
}
"""What a constructor does."""
_NULL_TESTS = frozenset({"isEmpty", "isBlank", "isNull", "nonNull", "isPresent", "isNotBlank"})
_MAX_DEPTH = 3
"""How many functions of the project a text is handed on through."""


def _parsed_shapes(program: Program, scope: Scope) -> dict[Span, Schema]:
    """The shapes of the texts that calls in a function read, by the place of the call: of those
    that are parsed on every way through the function, but for where they are absent."""
    found: dict[Span, Schema | None] = {}
    for expr in _unconditional_expressions(scope.statements or ()):
        text, shape = _parse(program, expr, scope, 0)
        if text is None or shape is None:
            continue
        for place in _reads(text, scope):
            known = found.get(place, shape)
            found[place] = shape if known == shape else None  # two parsers: either may fail
    return {place: shape for place, shape in found.items() if shape is not None}


def parsed_parameter(program: Program, scope: Scope, name: str) -> Scalar | None:
    """The shape of the texts that a function takes for a parameter, which it parses on every way,
    but for where there is none; None where it takes any text."""
    if any(True for _ in _assignments(scope.statements or (), name)):
        return None
    for expr in _unconditional_expressions(scope.statements or ()):
        text, shape = _parse(program, expr, scope, 0)
        if isinstance(text, Name) and text.id == name and isinstance(shape, Scalar):
            # `Boolean.parseBoolean` takes any text.
            return None if shape.type == "boolean" else shape
    return None


def _parse(
    program: Program, expr: Expr, scope: Scope, depth: int
) -> tuple[Expr | None, Schema | None]:
    """The text that an expression parses, and the shape of what is taken."""
    match expr:
        case Call(callee=Attribute(value=Name(id=holder), name=name), args=(only,)):
            if (holder, name) in _PARSERS:
                scalar, format = _PARSERS[holder, name]
                return only.value, Scalar(type=scalar, format=format)
            if name == "valueOf":
                return only.value, _constants(program, holder, scope)
        case New(type=NamedType() as type, args=(only,)) if type_name(type) in _MAKERS:
            scalar, format = _MAKERS[type_name(type)]
            return only.value, Scalar(type=scalar, format=format)
        case _:
            pass
    if isinstance(expr, Call) and len(expr.args) == 1 and depth < _MAX_DEPTH:
        return expr.args[0].value, _by_function(program, expr, scope, depth)
    return None, None


def _by_function(program: Program, call: Call, scope: Scope, depth: int) -> Schema | None:
    """What a function of the project that is handed a text parses it as."""
    function = function_called(program, call, scope)
    if function is None or len(function.function.params) != 1:
        return None
    param = function.function.params[0].name
    inside = program.function_scope(function.function, function.scope)
    for expr in _unconditional_expressions(inside.statements or (), is_helper=True):
        text, shape = _parse(program, expr, inside, depth + 1)
        if isinstance(text, Name) and text.id == param and shape is not None:
            return shape
    return None


def _constants(program: Program, name: str, scope: Scope) -> Schema | None:
    """The names of the constants of the project's enum that `valueOf` takes."""
    found = program.names.lookup_type(name, scope)
    if not isinstance(found, ClassValue) or found.symbol.decl.kind != "enum":
        return None
    names = tuple(m.name for m in found.symbol.decl.members if m.kind == "enum")
    return Scalar(type="string", values=names) if names else None


def _reads(text: Expr, scope: Scope) -> Iterator[Span]:
    """The calls that a text may come from: the chain itself, or what one assignment gives a
    variable."""
    if isinstance(text, Name):
        given = [s.value for s in _assignments(scope.statements or (), text.id)]
        if len(given) != 1 or given[0] is None:
            return
        text = given[0]
    for call in chain(text).calls:
        yield call.span


def _assignments(statements: tuple[Statement, ...], name: str) -> Iterator[Assign]:
    pending: list[Statement] = [*statements]
    while pending:
        statement = pending.pop()
        match statement:
            case Assign(target=Name(id=id)) if id == name:
                yield statement
            case Branch(blocks=blocks):
                pending.extend(inner for block in blocks for inner in block)
            case _:
                pass


# --------------------------------------------------------------------------- what always runs


def _unconditional_expressions(
    statements: tuple[Statement, ...], *, is_helper: bool = False
) -> Iterator[Expr]:
    """The calls and constructions that run on every way through statements, but for tests of
    whether something is there. A handler that catches a failure and ends answers with an error; a
    helper that does gives another value."""
    for position, statement in enumerate(statements):
        match statement:
            case Assign(value=value) | Return(value=value) | Evaluate(value=value):
                if value is not None:
                    yield from _unconditional_calls(value)
            case Branch(kind="try", blocks=blocks) if blocks:
                is_last = position == len(statements) - 1 and not is_helper
                leaving = Throw if is_helper else Return | Throw
                if is_last or all(b and isinstance(b[-1], leaving) for b in blocks[1:]):
                    yield from _unconditional_expressions(blocks[0], is_helper=is_helper)
            case Branch(kind="if", condition=condition, blocks=blocks) if condition is not None:
                yield from _unconditional_calls(condition)
                if _asks_for_presence(condition):
                    for block in blocks:
                        yield from _unconditional_expressions(block, is_helper=is_helper)
            case _:
                pass
        if isinstance(statement, Return | Throw):
            return


def _unconditional_calls(expr: Expr) -> Iterator[Expr]:
    """The calls and constructions of an expression that are always made."""
    pending: list[object] = [expr]
    while pending:
        node = pending.pop()
        match node:
            case Lambda():
                continue
            case Choice(given=tests) if not tests or not all(map(_asks_for_presence, tests)):
                continue
            case OperationExpr(operator="&&" | "||", operands=(first, *_)):
                pending.append(first)
                continue
            case Call() | New():
                yield node
            case _:
                pass
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            pending.extend(children(node))


def _asks_for_presence(test: Expr) -> bool:
    """Whether a test asks no more than whether a value is there."""
    match test:
        case OperationExpr(operator="==" | "!=", operands=operands):
            return any(isinstance(o, LiteralExpr) and o.value is None for o in operands)
        case OperationExpr(operator="!" | "&&" | "||", operands=operands):
            return all(map(_asks_for_presence, operands))
        case Call(callee=Attribute(name=name)):
            return name in _NULL_TESTS
        case _:
            return False
