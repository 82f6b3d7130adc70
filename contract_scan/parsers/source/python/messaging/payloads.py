"""What a message carries: from the bytes that are sent back to the object they were made of."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import MessageKind
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Object, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite, with_enforced_needs
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.typing.kinds import class_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Index,
    Name,
)
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.syntax import VALIDATORS, is_own_attribute
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.constructions import without_unused_null
from contract_scan.parsers.source.python.serialization.modes import BY_NAME, LOAD

_ADAPTER = "pydantic.TypeAdapter"
_MODEL_WRITERS = frozenset({"model_dump_json", "json", "dict", "model_dump"})
_TEXT_MAKERS = frozenset({"dumps", "packb", "encode", "bytes"})
_MESSAGES = frozenset({"Message", "ServiceBusMessage"})
"""What libraries call the thing that is sent; its body comes first."""
_DEEPEST = 8
_DEEPEST_NEED = 5
"""How many objects deep a class that a message is made of is looked into for what it needs."""


class Payload:
    """The shape of a message and the name of its type; of a handler that tells kinds of messages
    apart, also what it takes each of them for."""

    def __init__(self, schema: Schema, name: str = "", kinds: tuple[MessageKind, ...] = ()) -> None:
        self.schema = schema
        self.name = name
        self.kinds = kinds


def payload(program: Program, expr: Expr, scope: Scope) -> Payload:
    """What the bytes (or the object) that an expression gives stand for."""
    return _of_expr(program, expr, scope, _DEEPEST)


def _of_expr(program: Program, expr: Expr, scope: Scope, levels: int) -> Payload:
    if not levels:
        return Payload(Unknown(reason=Reason("message-too-deep")))
    match expr:
        case Call(callee=Attribute(value=inner, name="encode" | "decode")):
            return _of_expr(program, inner, scope, levels - 1)
        case Call(callee=Attribute(value=inner, name=name)) if name in _MODEL_WRITERS:
            value = program.evaluate(inner, scope)
            if name_of(program, value) and program.evaluator.member(value, name) is None:
                dumped = program.evaluate(expr, scope)
                by_name = program.schema_of(value, BY_NAME)
                shape = dumped.schema if isinstance(dumped, BySchema) else by_name
                shape = _without_unused_null(program, value, shape)
                return Payload(shape, name_of(program, value))
        case Call(callee=callee, args=args) if args:
            made = _maker(program, callee, scope)
            if made.rpartition(".")[2] in ("dumps", "dumpb", "packb", "bytes", "str", "asdict"):
                return _of_expr(program, args[0].value, scope, levels - 1)
            if made.endswith(("json.encode", "jsonable_encoder")):
                return _of_expr(program, args[0].value, scope, levels - 1)
            if made.rpartition(".")[2] in _MESSAGES:
                body = next((a.value for a in args if a.name == "body"), args[0].value)
                return _of_expr(program, body, scope, levels - 1)
        case Name(id=id) if id not in scope.bindings:
            definitions = definitions_of(expr, scope)
            if len(definitions) == 1 and not definitions[0].mutations:
                statement = definitions[0].statement
                plain = isinstance(statement, Assign) and isinstance(statement.target, Name)
                if plain and isinstance(statement, Assign) and statement.value is not None:
                    return _of_expr(program, statement.value, scope, levels - 1)
        case _:
            pass
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute):
        written = _own_writer(program, expr, expr.callee, scope, levels)
        if written is not None:
            return written
    return of_value(program, program.evaluate(expr, scope), levels)


def _maker(program: Program, callee: Expr, scope: Scope) -> str:
    value = program.evaluate(callee, scope)
    return program.evaluator.qualified_name(value)


def _own_writer(
    program: Program, expr: Call, callee: Attribute, scope: Scope, levels: int
) -> Payload | None:
    """`event.to_json()`: a method of the project that writes the object."""
    receiver = program.evaluate(callee.value, scope)
    if not name_of(program, receiver):
        return None
    method = program.evaluator.member(receiver, callee.name)
    if not isinstance(method, FunctionValue) or expr.args:
        return None
    results = [
        _of_expr(program, r.value, replace(r.scope, receiver=receiver), levels - 1)
        for r in program.function_exits(replace(method, receiver=receiver))
        if not r.thrown and r.value is not None
    ]
    if not results:
        if program.body(method.function, method.scope.file):
            return None
        return Payload(program.schema_of(receiver), name_of(program, receiver))
    shape = unite(result.schema for result in results)
    flat = program.types.flat(shape)
    if isinstance(flat, Scalar) and flat.type == "string":
        return None
    return Payload(shape, results[0].name or name_of(program, receiver))


def of_value(program: Program, value: Value, levels: int = _DEEPEST) -> Payload:
    """What a value carries."""
    match value:
        case LibraryResult(name=name, site=site, scope=scope) if site.args:
            last = name.rpartition(".")[2]
            if last in _TEXT_MAKERS or last in _MESSAGES:
                body = next((a.value for a in site.args if a.name == "body"), site.args[0].value)
                return _of_expr(program, body, scope, levels - 1)
        case OneOf(options=options):
            parts = [of_value(program, option, levels) for option in options]
            names = {part.name for part in parts}
            name = names.pop() if len(names) == 1 else ""
            return Payload(unite(part.schema for part in parts), name)
        case Template():
            return Payload(Unknown(reason=Reason("message-is-text")))
        case Constant(value=str()):
            return Payload(Unknown(reason=Reason("message-is-text")))
        case BySchema(schema=schema):
            return Payload(_content_schema(program, schema), _schema_name(program, schema))
        case _:
            pass
    shape = _content_schema(program, program.schema_of(value))
    return Payload(_without_unused_null(program, value, shape), name_of(program, value))


def _without_unused_null(program: Program, value: Value, schema: Schema) -> Schema:
    """The shape of a message, where it is undetermined whether fields are null that each
    construction of such an object is seen to give something else."""
    held, shape = class_of(program, value), program.types.flat(schema)
    if held is None or not isinstance(shape, Object):
        return schema
    fields = tuple(
        without_unused_null(program, held, field.declared_as or field.name, field, is_seen=True)
        for field in shape.fields
    )
    changed = any(a is not b for a, b in zip(fields, shape.fields, strict=True))
    return replace(shape, fields=fields) if changed else schema


def _content_schema(program: Program, schema: Schema) -> Schema:
    """A schema of content; unknown for text and bytes, whose content is undetermined."""
    flat = program.types.flat(schema)
    if isinstance(flat, Scalar) and flat.type == "string" and flat.values is None:
        return Unknown(reason=Reason("message-text-unknown"), origin=flat.origin)
    return schema


def _schema_name(program: Program, schema: Schema) -> str:
    flat = program.types.flat(schema)
    return flat.name if isinstance(flat, Object) else ""


def name_of(program: Program, value: Value) -> str:
    """The name of the project class that a value is of; empty where it is of none."""
    if isinstance(value, BySchema):
        return _schema_name(program, value.schema)
    held = class_of(program, value)
    return "" if held is None else held.decl.name


# --------------------------------------------------------------------------- receiving


def enclosing_function(scope: Scope) -> FunctionValue | None:
    """The function that asks for messages, and so reads them; for a script, its top-level
    statements."""
    if scope.function is None and scope.owner is None and scope.file.statements:
        return FunctionValue(Function(name="", body=scope.file.statements), scope)
    if scope.function is None or scope.parent is None:
        return None
    return FunctionValue(scope.function, scope.parent, scope.owner, scope.receiver)


def handler_payload(program: Program, handler: FunctionValue | None, parsed: str = "") -> Payload:
    """The message that a consumer's handler reads: the one model it validates it with, else the
    keys that it reads. `parsed` is the attribute in which a library puts the parsed message."""
    if handler is None:
        return Payload(Unknown(reason=Reason("handler-not-found")))
    validators = list(_validating_models(program, handler, 3, set()))
    found = {v.symbol.key: v.symbol for v in validators if isinstance(v, ClassValue)}
    adapted = [v.schema for v in validators if isinstance(v, BySchema)]
    if len(adapted) == 1 and not found:
        kinds = _kinds_of_union(program, adapted[0])
        return Payload(adapted[0], _schema_name(program, adapted[0]), kinds)
    if len(found) == 1:
        return _model_payload(program, *found.values())
    whole = reads.of_message(program, handler, parsed)
    models = found or {model.key: model for model in whole.models}
    kinds = tuple(
        MessageKind(name=name, payload=content.schema, message=content.name)
        for name, usage in reads.of_kinds(program, handler, parsed)
        for content in (_of_kind(program, usage),)
    )
    if len(models) == 1:
        content = _model_payload(program, *models.values())
        return Payload(content.schema, content.name, kinds)
    if not models and whole.read is not None:
        return Payload(whole.read, kinds=kinds)
    why = "several models" if models else "no model"
    return Payload(Unknown(reason=Reason("message-validated-by", why=why)), "", kinds)


def _model_payload(program: Program, symbol: ClassSymbol) -> Payload:
    return Payload(
        refused_without_needs(program, program.types.reference(symbol, {}, "", symbol.origin)),
        symbol.decl.name,
    )


def refused_without_needs(program: Program, schema: Schema) -> Schema:
    """The shape of a message that a class is made of, which fails where a field is missing that it
    needs."""
    return with_enforced_needs(schema, program.types.flat, _DEEPEST_NEED)


def _kinds_of_union(program: Program, schema: Schema) -> tuple[MessageKind, ...]:
    """The kinds of messages that the classes of a union stand for, by the one constant that each
    requires; none where one of them has no or several."""
    union = program.types.flat(schema)
    kinds: list[MessageKind] = []
    for option in union.options if isinstance(union, Union) else ():
        shape = program.types.flat(option)
        fields = shape.fields if isinstance(shape, Object) else ()
        listed = [one.schema.values or () for one in fields if isinstance(one.schema, Scalar)]
        constants = [values[0] for values in listed if len(values) == 1]
        if len(constants) != 1 or not isinstance(shape, Object):
            return ()
        kinds.append(MessageKind(name=str(constants[0]), payload=option, message=shape.name))
    return tuple(kinds)


def _of_kind(program: Program, usage: reads.MessageUsage) -> Payload:
    """What a handler takes one kind of message for: of one that it reads nothing of, anything."""
    match usage.models:
        case (model,):
            return _model_payload(program, model)
        case ():
            if usage.read is not None:
                return Payload(usage.read)
            open_ = Reason("some-fields-undetermined", is_open=usage.is_open)
            return Payload(Unknown(reason=open_) if usage.is_open else Anything(nullable=None))
        case _:
            why = Reason("message-validated-by-several-models")
            return Payload(Unknown(reason=why))


def _validating_models(
    program: Program,
    handler: FunctionValue,
    levels: int,
    seen: set[object],
    called: tuple[Call, Scope] | None = None,
) -> Iterator[ClassValue | BySchema]:
    """Model classes that a handler (and what it calls) validates data with, and the shapes of other
    types that it does (`TypeAdapter(Paid | Cancelled).validate_json(data)`). `called`: by what it
    is called, and its scope as that call runs it."""
    call_span = called[0].span if called else None
    key = (handler.scope.file.path, handler.function.span, call_span)
    if key in seen or not levels:
        return
    seen.add(key)
    scope = called[1] if called else program.function_scope(handler.function, handler.scope)
    if handler.receiver is not None:
        scope = replace(scope, receiver=handler.receiver)
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call):
            continue
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in VALIDATORS:
            value = program.evaluate(callee.value, place)
            if isinstance(value, ClassValue):
                yield value
                continue
            if isinstance(value, LibraryResult) and value.name == _ADAPTER and value.site.args:
                adapted = as_type(value.site.args[0].value)
                if adapted is not None:
                    taken = program.schema(adapted, value.scope, LOAD)
                    yield BySchema(refused_without_needs(program, taken))
                continue
        if any(argument.spread == "**" for argument in call.args):
            value = program.evaluate(callee, place)
            if isinstance(value, ClassValue):
                yield value
                continue
        if isinstance(callee, Name | Index) or is_own_attribute(callee):
            target = program.evaluate(callee, place)
            if isinstance(target, FunctionValue):
                params = target.function.params
                given = program.evaluator.arguments(params, call, place, target.scope)
                inside = program.function_scope(target.function, target.scope, given)
                inside = program.evaluator.as_called(inside, target, call, place)
                yield from _validating_models(program, target, levels - 1, seen, (call, inside))
