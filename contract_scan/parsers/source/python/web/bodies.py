"""What a handler that is given the whole request takes its body for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Field, LiteralValue, Object, Schema
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    definitions_of,
    nested_statements,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_value
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Evaluate,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    ObjectLiteral,
    Statement,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.messaging.reads import of_request
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization import generated_models as generated
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.marshmallow import schemas as marshmallow
from contract_scan.parsers.source.python.serialization.modes import LOAD
from contract_scan.parsers.source.python.serialization.rejections import (
    object_check,
    with_rejections,
)
from contract_scan.parsers.source.python.web.common import asks_request, call_argument, unknown
from contract_scan.parsers.source.python.web.dispatch_by_method import method_test
from contract_scan.parsers.source.python.web.parsed_parameters import with_parsed

_VALIDATORS = frozenset(
    {"model_validate", "model_validate_json", "parse_obj", "parse_raw", "from_json", "from_dict"}
)
_DECODERS = frozenset({"decode", "convert", "parse_obj_as", "parse_raw_as"})
_ADAPTERS = frozenset({"validate_python", "validate_json"})
REQUESTS = frozenset({"request", "req"})
"""What a request is called where it is not the first parameter."""
_OBJECTS = frozenset(
    {"json", "get_json", "json_body", "load_json", "media", "get_media", "body", "data", "get_data"}
    | {"read", "text"}
)
"""Members of requests that give an object, or the text that one is parsed from."""
_VALIDATING = frozenset({"pydantic", "sqlmodel", "ninja", "odmantic", "beanie"})
"""Libraries whose classes check what their constructors are given."""
_HOLDERS = frozenset({"this", "connexion", "cherrypy", "flask", "quart", "bottle"})
"""What a request is a member of: the object, or the module of a library."""
_JSON_SCHEMA = frozenset({"jsonschema.validate", "fastjsonschema.validate"})
"""Functions that hold a value against a JSON Schema: the value and the schema."""
_BODY_LOCATIONS = frozenset({"json", "json_or_form"})
_VALIDATED = "openapi_validated"
"""What pyramid_openapi3 calls the request that it has held against the contract."""
_DEEPEST = 6
_DEEPEST_CALL = 3
"""How many functions are followed that the request is handed to."""


def read_body(
    program: Program, handler: FunctionValue, readers: frozenset[str], media: str
) -> tuple[Body, ...]:
    """The body that a handler reads from its request: the one model it validates it with, else of
    unknown shape; none where it reads none. `readers` are the members of a request that give it."""
    scope = program.function_scope(handler.function, handler.scope)
    origin = origin_at(handler.scope, handler.function.name_span)
    models = list(_validating_models(program, scope, readers))
    keys = {key for key, _ in models}
    if len(keys) == 1:
        return (Body(schema=models[0][1], content_type=media, required=True, origin=origin),)
    read = None if keys else _keys(program, handler, scope, readers)
    if read is not None:
        return (Body(schema=read, content_type=media, required=None, origin=origin),)
    if not keys and not _reads(scope, readers):
        return ()
    why = Reason("handler-reads-request-itself")
    if keys:
        why = Reason("request-validated-by-several-models")
    return (Body(schema=unknown(why, origin), content_type=media, required=None, origin=origin),)


def _keys(
    program: Program, handler: FunctionValue, scope: Scope, readers: frozenset[str]
) -> Schema | None:
    """What a handler reads of the object in its request, where it reads nothing but that, and for
    one method alone."""
    if _reads(scope, (readers - _OBJECTS) | {"method", "form", "files", "values", "content_type"}):
        return None
    read = of_request(program, handler, lambda expr, around: is_read(expr, around, readers))
    return _with_refusals(program, handler, read, scope, readers)


def _with_refusals(
    program: Program,
    handler: FunctionValue,
    read: Schema | None,
    scope: Scope,
    readers: frozenset[str],
) -> Schema | None:
    """What a handler reads of an object, with the need of the keys without which it raises an
    error: `if not data.get("name"): abort(400)`."""
    wholes: set[str] = set()
    body: list[Statement] = []
    for statement in scope.statements or ():
        match statement:
            case Assign(target=Name(id=name), value=value) if value is not None and is_read(
                value, scope, readers
            ):
                wholes.add(name)
                body.append(Evaluate(value, span=statement.span))
            case _:
                body.append(statement)
    if not isinstance(read, Object) or len(wholes) != 1:
        return read
    whole = wholes.pop()
    catches = any(isinstance(s, Branch) and s.kind == "try" for s in nested_statements(tuple(body)))
    plain = replace(handler, function=replace(handler.function, body=tuple(body)))
    fields: list[Field] = []
    for field in read.fields:
        if field.has_default or field.required is False:
            checks = [object_check(plain, whole, (field.name,), None)]
            checked = with_rejections(program, replace(field, has_default=True), checks)
            if checked.required or not (checked.has_default or catches):
                field = checked
        fields.append(field)
    return replace(read, fields=tuple(fields))


def _validating_models(
    program: Program, scope: Scope, readers: frozenset[str], depth: int = 0
) -> Iterator[tuple[str, Schema]]:
    """The models that data of the request is validated with, by the function itself or by those of
    the project that it hands its request to."""
    for call, call_scope in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or not call.args:
            continue
        if depth < _DEEPEST_CALL and (
            any(_is_request(a.value, call_scope) for a in call.args)
            or _names_request(program, call, call_scope)
        ):
            inside = _handed_request(program, call, call_scope)
            if inside is not None:
                yield from _validating_models(program, inside, readers, depth + 1)
                continue
        if (checked := _by_json_schema(program, call, call_scope, readers)) is not None:
            yield f"{call_scope.file.path}:{call.span}", checked
            continue
        body_read = _by_webargs(program, call, call_scope) if readers & _OBJECTS else None
        if body_read is not None:
            yield f"{call_scope.file.path}:{call.span}", body_read
            continue
        spread = [a.value for a in call.args if a.spread == "**"]
        data = spread[0] if spread else call.args[0].value
        if not _from_request(program, data, call_scope, readers, _DEEPEST):
            continue
        callee = call.callee
        if spread:
            for key, body_read in _class(program, callee, call_scope):
                yield (
                    key,
                    body_read
                    if _validates(program, callee, call_scope)
                    else _marked_constructed(body_read),
                )
        elif isinstance(callee, Attribute) and callee.name in _VALIDATORS:
            yield from _class(program, callee.value, call_scope)
        elif isinstance(callee, Attribute) and callee.name in ("load", "loads"):
            value = program.evaluate(callee.value, call_scope)
            if marshmallow.is_schema_value(program, value):
                body_read = marshmallow.loaded_schema(program, value, call.args, call_scope)
                yield f"{call_scope.file.path}:{callee.value.span}", body_read
        else:
            declared = _decoded_type(call, callee)
            if isinstance(declared, NamedType) and not declared.args:
                # `TypeAdapter(model)`, whose `model` a function is given.
                known = list(_class(program, Name(declared.name, span=call.span), call_scope))
                if known:
                    yield from known
                    continue
            if declared is not None:
                yield str(declared), program.schema(declared, call_scope, LOAD)


def _is_request(expr: Expr, scope: Scope) -> bool:
    """Whether an argument is the request."""
    match expr:
        case Name(id=id):
            function = scope.function
            parameters = function.params if function is not None else ()
            given = [param.name for param in parameters if param.name not in ("this", "self")]
            return id in REQUESTS or (given[:1] == [id] and len(given) < 3)
        case Attribute(value=Name(id="this"), name=name):
            return name in REQUESTS
        case _:
            return False


def _names_request(program: Program, call: Call, scope: Scope) -> bool:
    """Whether a function of the project names the request, which is global in some libraries."""
    function = program.evaluate(call.callee, scope)
    return isinstance(function, FunctionValue) and any(
        isinstance(node, Name) and node.id in REQUESTS
        for node in nodes_of(program.body(function.function, function.scope.file))
    )


def _handed_request(program: Program, call: Call, scope: Scope) -> Scope | None:
    """The scope of a function of the project that is handed the request, with the classes that it
    is handed as well; None for other functions, and where it is given no class."""
    function = program.evaluate(call.callee, scope)
    if not isinstance(function, FunctionValue) or any(a.spread for a in call.args):
        return None
    params = [param.name for param in function.function.params]
    classes: dict[str, Value] = {}
    for position, argument in enumerate(call.args):
        name = argument.name or (params[position] if position < len(params) else "")
        value = program.evaluate(argument.value, scope)
        if name and isinstance(value, ClassValue):
            classes[name] = value
    if not classes:
        return None
    bindings = program.evaluator.arguments_with_defaults(function, call, scope)
    bindings.give(classes)
    return program.function_scope(function.function, function.scope, bindings)


def _by_json_schema(
    program: Program, call: Call, scope: Scope, readers: frozenset[str]
) -> Schema | None:
    """What `jsonschema.validate(request.json, SCHEMA)` takes, which refuses any other value."""
    if not isinstance(call.callee, Attribute | Name) or len(call.args) < 2:
        return None
    value, schema = (
        call_argument(call.args, name, position)
        for position, name in enumerate(("instance", "schema"))
    )
    if (
        value is None
        or schema is None
        or not _from_request(program, value, scope, readers, _DEEPEST)
    ):
        return None
    if program.qualified_name(call.callee, scope) not in _JSON_SCHEMA:
        return None
    return schema_value(program, program.evaluate(schema, scope), lambda _: None)


def _by_webargs(program: Program, call: Call, scope: Scope) -> Schema | None:
    """What `parser.parse(schema, request)` of webargs takes from the body."""
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name != "parse":
        return None
    parser = program.evaluate(callee.value, scope)
    if not isinstance(parser, LibrarySymbol | LibraryResult) or not parser.name.startswith(
        "webargs."
    ):
        return None
    location = next((a.value for a in call.args if a.name in ("location", "locations")), None)
    if location is not None and not set(program.texts(location, scope)) & _BODY_LOCATIONS:
        return None
    first = call.args[0]
    given = None if first.name or first.spread else program.evaluate(first.value, scope)
    return None if given is None else marshmallow.load_schema(program, given)


_CONSTRUCTED = Evidence(
    type="declared",
    values="declared",
    required="enforced",
    nullable="declared",
    closed="enforced",
)
"""What `Order(**data)` proves of data: a constructor refuses what it has no parameter for, and data
without what a parameter needs; of what it is given it checks nothing."""


def _marked_constructed(schema: Schema) -> Schema:
    return replace(schema, evidence=_CONSTRUCTED)


def _validates(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether the constructor of a class holds what it is given against the declared types."""
    value = program.evaluate(expr, scope)
    if not isinstance(value, ClassValue):
        return False
    names = [base.name for base in library_bases(program, value.symbol)]
    inside = program.class_scope(value.symbol)
    names += [
        program.qualified_name(annotation.callee, inside)
        for annotation in value.symbol.decl.annotations
        if annotation.callee is not None
    ]
    return any(name.partition(".")[0] in _VALIDATING for name in names)


def _class(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[str, Schema]]:
    value = program.evaluate(expr, scope)
    if not isinstance(value, ClassValue):
        return
    symbol = value.symbol
    written = generated.is_generated(symbol)
    if written or library_bases(program, symbol) or symbol.decl.annotations:
        inside = program.class_scope(symbol)
        yield symbol.key, program.schema(NamedType(symbol.decl.name), inside, LOAD)


def _decoded_type(call: Call, callee: Expr) -> TypeExpr | None:
    """The type in `msgspec.convert(data, T)`, `msgspec.json.decode(data, type=T)`,
    `parse_obj_as(T, data)` and `TypeAdapter(T).validate_python(data)`."""
    type_argument = next((a.value for a in call.args if a.name == "type"), None)
    positional = [a.value for a in call.args if not a.name and not a.spread]
    name = callee.id if isinstance(callee, Name) else getattr(callee, "name", "")
    if name in _DECODERS:
        given = (
            type_argument
            if type_argument is not None
            else (positional[1] if positional[1:] else None)
        )
        return as_type(given) if given is not None else None
    if name in _ADAPTERS and isinstance(callee, Attribute) and isinstance(callee.value, Call):
        adapter = callee.value
        last = adapter.callee.id if isinstance(adapter.callee, Name) else ""
        if last == "TypeAdapter" and adapter.args:
            return as_type(adapter.args[0].value)
    return None


def _from_request(
    program: Program, expr: Expr, scope: Scope, readers: frozenset[str], levels: int
) -> bool:
    """Whether an expression is the body of the request, as it came."""

    def is_from_request(part: Expr, around: Scope = scope) -> bool:
        return _from_request(program, part, around, readers, levels - 1)

    if not levels:
        return False
    match expr:
        case Attribute() | Call(callee=Attribute()) if is_read(expr, scope, readers):
            return True
        case Call(callee=Attribute(value=value, name="to_dict")):
            return is_from_request(value)
        case Call(callee=callee, args=args) if args:
            name = callee.id if isinstance(callee, Name) else getattr(callee, "name", "")
            return name in ("loads", "json_decode", "dict") and is_from_request(args[0].value)
        case Choice(options=options, fallback=True):
            return is_from_request(options[0])
        case Choice(given=[_, *_]):
            return all(is_from_request(*way) for way in program.evaluator.choices(expr, scope))
        case Cast(value=value):
            return is_from_request(value)
        case Name():
            definitions = definitions_of(expr, scope)
            if not definitions or any(definition.mutations for definition in definitions):
                return False
            given = [_assigned_value(definition.statement) for definition in definitions]
            # `body = {}` where there is none.
            read = [value for value in given if not _is_empty_object(value)]
            return bool(read) and all(
                value is not None and is_from_request(value) for value in read
            )
        case _:
            return False


def _assigned_value(statement: Statement) -> Expr | None:
    if isinstance(statement, Assign) and isinstance(statement.target, Name):
        return statement.value
    return None


def _is_empty_object(value: Expr | None) -> bool:
    return isinstance(value, ObjectLiteral) and not value.entries


def is_read(expr: Expr, scope: Scope, readers: frozenset[str]) -> bool:
    """`request.json()`, `self.request.json`: a member of what is the request."""
    member = expr.callee if isinstance(expr, Call) else expr
    if not isinstance(member, Attribute) or member.name not in readers:
        return False
    match member.value:
        case Name(id="this" | "super" | "cls"):
            return False
        case Name(id=id):
            function = scope.function
            parameters = function.params if function is not None else ()
            given = [param.name for param in parameters if param.name not in ("this", "self")]
            return id in REQUESTS or given[:1] == [id]
        case Attribute(value=Name(id=id), name=name) if name == _VALIDATED:
            return id in REQUESTS
        case Attribute(value=Name(id=id), name=name):
            return id in _HOLDERS and name in REQUESTS
        case _:
            return False


def _reads(scope: Scope, readers: frozenset[str]) -> bool:
    """Whether the body of the request is read at all."""
    nodes = nodes_of(scope.statements or ())
    return any(isinstance(node, Attribute) and is_read(node, scope, readers) for node in nodes)


# --------------------------------------------------------------------------------------- queries
# The query parameters that a handler takes from its request by itself, without declaring them.
#
# What it reads by index it needs; all else it can do without. That these are all of them is never
# said: what else is given the request (middleware, decorators, functions) may read more.


def with_queries(
    program: Program,
    handler: FunctionValue | None,
    declared: Iterable[Parameter],
    members: frozenset[str],
    method: str = "",
) -> tuple[Parameter, ...]:
    """What is declared, and what the handler reads of the query besides. `members` are those of a
    request that hold the query (`request.args`); `method`: that of the request, where it is known.
    """
    known = tuple(declared)
    names = {parameter.name for parameter in known if parameter.location in ("query", "path")}
    is_known = method not in ("", "*")
    if handler is None or (not is_known and asks_request(program, handler, "method")):
        return known  # another method may be the one that reads it
    read = _query_parameters(program, handler, members, method if is_known else "")
    read = (*validated_queries(program, handler, members), *read)
    every = (*known, *(parameter for parameter in read if parameter.name not in names))
    return with_parsed(program, handler, every, members, is_read)


def validated_queries(
    program: Program, handler: FunctionValue, members: frozenset[str]
) -> tuple[Parameter, ...]:
    """The parameters of the one model that a function validates the whole query with:
    `schema.load(request.args)`."""
    scope = program.function_scope(handler.function, handler.scope)
    models = dict(_validating_models(program, scope, members))
    origin = origin_at(handler.scope, handler.function.name_span)
    return tuple(
        found
        for schema in models.values()
        if len(models) == 1
        for found in as_parameters(program, schema, "query", origin)
    )


def as_parameters(
    program: Program, schema: Schema, where: Location, origin: Origin
) -> Iterator[Parameter]:
    """The fields of a schema as parameters."""
    flat = program.types.flat(schema)
    for field in flat.fields if isinstance(flat, Object) else ():
        yield Parameter(
            name=field.name,
            location=where,
            schema=field.schema,
            required=not field.has_default,
            has_default=field.has_default,
            origin=field.origin if field.origin.path else origin,
        )


def _query_parameters(
    program: Program, handler: FunctionValue, members: frozenset[str], method: str
) -> tuple[Parameter, ...]:
    def is_query(expr: Expr, scope: Scope) -> bool:
        if not isinstance(expr, Attribute) or not is_read(expr, scope, members):
            return False
        # Of functions that the handler calls, any may have something else for its first parameter.
        own = scope.function is handler.function
        return own or not isinstance(expr.value, Name) or expr.value.id in REQUESTS

    def holds(test: Expr, scope: Scope) -> bool | None:
        return method_test(program, test, scope, method)

    shape = of_request(program, handler, is_query, parses=False, holds=holds if method else None)
    if not isinstance(shape, Object):
        return ()
    defaults = _defaults(program, handler, is_query)
    return tuple(
        replace(
            _parameter(field.name, field.required is True, field.origin),
            has_default=defaults.get(field.name) is not None,
            default=defaults.get(field.name),
        )
        for field in shape.fields
    )


def _defaults(
    program: Program, handler: FunctionValue, is_query: Callable[[Expr, Scope], bool]
) -> dict[str, LiteralValue]:
    """What a handler itself takes for parameters that are left out: 20 of `args.get("limit", 20)`;
    None where it reads one in several ways, or computes its default."""
    found: dict[str, LiteralValue] = {}
    scope = program.function_scope(handler.function, handler.scope)
    for call, around in calls_in(program, scope.statements or (), scope):
        callee = call.callee if isinstance(call, Call) else None
        if not isinstance(callee, Attribute) or callee.name != "get":
            continue
        name = program.text(call.args[0].value, around) if call.args else None
        if name is None or not is_query(callee.value, around):
            continue
        expr = call_argument(call.args, "default", 1)
        given = None if expr is None else program.evaluate(expr, around)
        # An empty text stands for none.
        value = given.value if isinstance(given, Constant) and given.value != "" else None
        found[name] = value if found.get(name, value) == value else None
    return found


def asked_for(
    program: Program, handler: FunctionValue, getters: frozenset[str], *, raises: bool
) -> Iterator[Parameter]:
    """What a handler asks for by a method that takes the name: `req.get_param("limit")`. `raises`:
    the method refuses requests without the parameter, unless it is given a default."""
    scope = program.function_scope(handler.function, handler.scope)
    statements = scope.statements or ()
    always = frozenset(_unconditional_spans(statements))
    seen: set[str] = set()
    for call, around in calls_in(program, statements, scope):
        if not isinstance(call, Call) or not _is_asked(call, around, getters):
            continue
        name = program.text(call_argument(call.args, "name", 0), around)
        if name is None or name in seen:
            continue
        seen.add(name)
        if raises:
            needed = call_argument(call.args, "default", 1) is None and not any(
                a.spread for a in call.args
            )
        else:
            flag = call_argument(call.args, "required")
            needed = isinstance(flag, LiteralExpr) and flag.value is True
        is_always = any(span.line <= call.span.line <= span.end_line for span in always)
        yield _parameter(name, needed and is_always, origin_at(around, call.span))


def _is_asked(call: Call, scope: Scope, getters: frozenset[str]) -> bool:
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in getters:
        return False
    own = isinstance(callee.value, Name) and callee.value.id == "this"
    return own or is_read(callee, scope, getters)


def _unconditional_spans(statements: tuple[Statement, ...]) -> Iterator[Span]:
    """The places of what runs for every request: all that comes before the first decision."""
    for statement in statements:
        if isinstance(statement, Branch | Loop):
            return
        yield statement.span


def _parameter(name: str, needed: bool, origin: Origin) -> Parameter:
    return Parameter(
        name=name,
        location="query",
        schema=Anything(nullable=None, origin=origin),
        required=needed,
        origin=origin,
    )
