"""What views of Django REST framework take from the body of a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Array, Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.drf.actions import library_action
from contract_scan.parsers.source.python.frameworks.drf.reached_calls import (
    ReachedCall,
    own_method,
    reached_calls,
    told_partial,
)
from contract_scan.parsers.source.python.frameworks.drf.responses import View, serializer_class
from contract_scan.parsers.source.python.messaging.reads import of_request
from contract_scan.parsers.source.python.serialization.drf import serializers as drf
from contract_scan.parsers.source.python.serialization.fields import argument_value, is_true
from contract_scan.parsers.source.python.serialization.modes import LOAD, PARTIAL
from contract_scan.parsers.source.python.web.common import unknown

_TAKING = frozenset({"create", "update", "partial_update"})
"""Actions that take a body."""
_DEEPEST = 3
"""How many methods of a view hand data on to each other."""
_REQUEST_PARTS = frozenset({"data", "POST", "body", "FILES"})
_OTHER_PARTS = frozenset({"method", "FILES", "POST", "body", "stream"})
"""What may be read beside the object, or decides which part of it is."""


def bodies(
    program: Program, view: View, scope: Scope | None, naming: tuple[str, ...], origin: Origin
) -> tuple[Body, ...]:
    """What one method of a view takes from the body. `scope`: inside the project's own code for it;
    None where the library answers. `naming`: how names are written."""
    if view.method in ("GET", "HEAD", "DELETE", "OPTIONS"):
        return ()
    if view.handler is None or scope is None:
        shape = _of_action(program, view, view.action == "partial_update", naming, origin)
        return (Body(schema=shape, required=_is_needed(program, shape), origin=origin),)
    inputs = tuple(_inputs(program, view, reached_calls(program, scope), scope, naming))
    if inputs:
        shape = _as_one(program, inputs, origin)
        return (Body(schema=shape, required=_is_needed(program, shape), origin=origin),)
    statements = scope.statements or ()
    if not _reads_request(statements, _REQUEST_PARTS):
        return ()
    read = None
    if not naming and not _reads_request(statements, _OTHER_PARTS):
        read = of_request(program, view.handler, _is_data)
    if read is None:
        read = unknown(Reason("view-reads-request-itself"), origin)
    return (Body(schema=read, required=None, origin=origin),)


class _Input(Struct, frozen=True, eq=False):
    """What one serializer takes."""

    key: str
    """Of the serializer; empty where the view makes up what it is given."""
    shape: Schema
    is_certain: bool
    """Whether every request comes to it."""


def _as_one(program: Program, inputs: Sequence[_Input], origin: Origin) -> Schema:
    """What several serializers take of one body: all that each of them takes, where every request
    comes to all of them."""
    known = list({each.key: each for each in reversed(inputs) if each.key}.values())
    if not known:
        return unknown(Reason("serializer-input-made-by-view"), origin)
    last, *before = known
    if not before:
        return last.shape
    fields: dict[str, Field] = {}
    open_reason = NO_REASON
    for each in (*reversed(before), last):
        shape = program.types.flat(each.shape)
        if not isinstance(shape, Object) or not (each.is_certain or each is last):
            return unknown(Reason("request-validated-by-several-models"), origin)
        open_reason = open_reason or shape.incomplete_reason
        for field in shape.fields:
            other = fields.get(field.name)
            if other is None or (field.required and not other.required):
                fields[field.name] = field
    return Object(fields=tuple(fields.values()), incomplete_reason=open_reason, origin=origin)


def _inputs(
    program: Program,
    view: View,
    calls: Iterable[ReachedCall],
    scope: Scope,
    naming: tuple[str, ...],
) -> Iterator[_Input]:
    """What the serializers that a handler comes to take, those in the library's actions too."""
    for reached in calls:
        place = reached.scope
        action = library_action(program, view.symbol, reached.call, place)
        if action in _TAKING and own_method(program, reached.call, place) is None:
            is_partial = action == "partial_update" or told_partial(program, reached)
            origin = origin_at(place, reached.call.span)
            shape = _of_action(program, view, is_partial, naming, origin)
            shape = _beside_the_view(program, shape, scope, place, origin, is_whole=True)
            yield _Input(_key_of_view(program, view), shape, reached.is_certain)
        elif (taken := _serializer_input(program, reached, scope, naming)) is not None:
            yield taken


def _key_of_view(program: Program, view: View) -> str:
    serializer = serializer_class(program, view)
    return serializer.symbol.key if isinstance(serializer, ClassValue) else "view"


def _of_action(
    program: Program,
    view: View,
    is_partial: bool | None,
    naming: tuple[str, ...],
    origin: Origin,
) -> Schema:
    """What an action of the library takes: the input of the view's serializer."""
    serializer = serializer_class(program, view)
    if not isinstance(serializer, ClassValue):
        return unknown(Reason("view-serializer-undetermined"), origin)
    return _input_of(program, serializer, is_partial, naming)


def _input_of(
    program: Program, serializer: ClassValue, is_partial: bool | None, naming: tuple[str, ...]
) -> Schema:
    """The input of a serializer; where it is undetermined whether a part of it is enough, so is
    what it needs."""
    if is_partial is not None:
        flags = (PARTIAL,) if is_partial else ()
        return drf.reference(program, serializer.symbol, LOAD, *flags, *naming)
    shape = program.types.flat(drf.reference(program, serializer.symbol, LOAD, *naming))
    if not isinstance(shape, Object):
        return shape
    fields = tuple(replace(f, required=None) if f.required else f for f in shape.fields)
    return replace(shape, fields=fields)


def _is_needed(program: Program, shape: Schema) -> bool | None:
    """Whether there has to be a body: without one, a serializer is given an empty object."""
    flat = program.types.flat(shape)
    if not isinstance(flat, Object):
        return None if isinstance(flat, Unknown) else True
    needs = [field.required for field in flat.fields if not field.has_default]
    if True in needs:
        return True
    return None if None in needs or flat.incomplete_reason else False


def _serializer_input(
    program: Program, reached: ReachedCall, scope: Scope, naming: tuple[str, ...]
) -> _Input | None:
    """What a serializer takes that is constructed with `data=`; None for any other call."""
    call, place = reached.call, reached.scope
    data = next((a.value for a in call.args if a.name == "data"), None)
    serializer = None if data is None else program.evaluate(call, place)
    if (
        data is None
        or not isinstance(serializer, Instance)
        or not drf.is_serializer_class(program, ClassValue(serializer.symbol))
    ):
        return None
    origin = origin_at(place, call.span)
    envelope = _envelope(program, data, place)
    if envelope is None:
        return _Input("", unknown(Reason("serializer-input-made-by-view"), origin), False)
    is_partial = told_partial(program, reached)
    shape = _input_of(program, ClassValue(serializer.symbol), is_partial, naming)
    shape = _beside_the_view(program, shape, scope, place, origin, is_whole=not envelope)
    if is_true(argument_value(program, LibraryResult("", call, place), "many")):
        shape = Array(items=shape, origin=origin)
    for key in reversed(envelope):
        field = Field(name=key, schema=shape, origin=origin)
        shape = Object(fields=(field,), origin=origin)
    return _Input(" ".join((*envelope, serializer.symbol.key)), shape, reached.is_certain)


def _beside_the_view(
    program: Program, shape: Schema, scope: Scope, place: Scope, origin: Origin, *, is_whole: bool
) -> Schema:
    """What a serializer takes, without the keys that the view sets itself, and where it takes the
    whole data, with those that the view reads besides."""
    added = _keys_set_by_view(program, scope) | _keys_set_by_view(program, place)
    if added:
        shape = _without_fields(program.types.flat(shape), added)
    if is_whole and (beside := _keys_read_by_view(program, scope, added)):
        shape = _with_fields(program.types.flat(shape), beside, origin)
    return shape


def _keys_set_by_view(program: Program, scope: Scope) -> set[str]:
    """The keys that a view itself adds to the data of the request: `request.data["by"] = …`."""
    return {
        text
        for statement in reaching_definitions.nested_statements(scope.statements or ())
        if isinstance(statement, Assign)
        and isinstance(statement.target, Index)
        and _is_data(statement.target.value, scope)
        and (text := program.text(statement.target.index, scope)) is not None
    }


def _keys_read_by_view(program: Program, scope: Scope, added: set[str]) -> dict[str, bool]:
    """The keys that a view reads of the data besides its serializer, with whether it needs them:
    `request.data["value"]`, `request.data.get("note")`."""
    found: dict[str, bool] = {}
    for node in nodes_of(scope.statements or ()):
        match node:
            case Index(value=of, index=key) if _is_data(of, scope):
                is_needed = True
            case Call(callee=Attribute(value=of, name="get"), args=(Argument(value=key), *_)) if (
                _is_data(of, scope)
            ):
                is_needed = False
            case _:
                continue
        if (text := program.text(key, scope)) is not None and text not in added:
            found[text] = found.get(text, False) or is_needed
    return found


def _with_fields(shape: Schema, read: dict[str, bool], origin: Origin) -> Schema:
    """An object with the fields that it lacks of those that are read, each of any type."""
    if not isinstance(shape, Object):
        return shape
    known = {field.name for field in shape.fields} | {f.declared_as for f in shape.fields}
    further = tuple(
        Field(name=name, schema=Anything(nullable=True), has_default=not needed, origin=origin)
        for name, needed in read.items()
        if name not in known
    )
    return replace(shape, fields=(*shape.fields, *further))


def _without_fields(shape: Schema, names: set[str]) -> Schema:
    if not isinstance(shape, Object):
        return shape
    return replace(shape, fields=tuple(f for f in shape.fields if f.name not in names))


def _is_data(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is the object in a request: `request.data`."""
    del scope
    return isinstance(expr, Attribute) and expr.name == "data" and _is_request(expr.value)


def _reads_request(statements: tuple[Statement, ...], parts: frozenset[str]) -> bool:
    """Whether statements read one of these parts of a request."""
    return any(
        isinstance(node, Attribute) and node.name in parts and _is_request(node.value)
        for node in nodes_of(statements)
    )


def _is_request(expr: Expr) -> bool:
    match expr:
        case Name(id="request") | Attribute(value=Name(id="this"), name="request"):
            return True
        case _:
            return False


def _envelope(program: Program, data: Expr, scope: Scope, depth: int = 0) -> list[str] | None:
    """The keys under which `request.data` holds a serializer's input: none for the data itself;
    None where the input is made up by the view."""
    match data:
        case Attribute(value=value, name="data" | "POST") if _is_request(value):
            return []
        case Index(value=inner, index=LiteralExpr(value=str(key))):
            outer = _envelope(program, inner, scope, depth)
            return None if outer is None else [*outer, key]
        case Call(callee=Attribute(value=Name(id="this" | "super"))):
            method = None if depth == _DEEPEST else own_method(program, data, scope)
            if method is None:
                return None
            return _returned_envelope(program, method, data, scope, depth)
        case Call(callee=Attribute(value=inner, name="get" | "pop"), args=[first, *_]):
            outer = _envelope(program, inner, scope, depth)
            if outer is None or not isinstance(first.value, LiteralExpr):
                return None
            return [*outer, str(first.value.value)]
        case Name(id=name):
            definitions = reaching_definitions.reaching_definitions(
                scope.statements or (), name, data.span
            )
            if len(definitions) == 1 and isinstance(definitions[0].statement, Assign):
                statement = definitions[0].statement
                if statement.value is not None and not definitions[0].mutations:
                    return _envelope(program, statement.value, scope, depth)
            return None
        case _:
            return None


def _returned_envelope(
    program: Program, method: FunctionValue, call: Call, scope: Scope, depth: int
) -> list[str] | None:
    """The keys under which the request holds what a method of the view returns."""
    bindings = program.evaluator.arguments_with_defaults(method, call, scope)
    inside = program.function_scope(method.function, method.scope, bindings)
    inside = replace(inside, receiver=scope.receiver, owner=method.owner)
    found = [
        None if each.value is None else _envelope(program, each.value, inside, depth + 1)
        for each in reaching_definitions.returns(inside.statements or ())
        if isinstance(each, Return)
    ]
    return found[0] if found and all(each == found[0] for each in found) else None
