"""What a method writes with a streaming writer of JSON (Jackson's `JsonGenerator`, Gson's
`JsonWriter`): its statements are followed, into other methods that are handed the writer too.

What is written under a condition is there or not: no type says when a value is null.

Records hold what has been written of a JSON value at a place in a method, and are joined where ways
meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import describe, unite
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Evaluate,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name

_WRITERS = ("JsonGenerator", "JsonWriter")
_XML = "ToXmlGenerator"
_TEXT, _NUMBER, _TRUTH = Scalar(type="string"), Scalar(type="numeric"), Scalar(type="boolean")
_NULL = Nothing(nullable=True)
_SCALARS: dict[str, Schema] = {
    **dict.fromkeys(("writeString", "writeUTF8String"), _TEXT),
    "writeNumber": _NUMBER,
    "writeBoolean": _TRUTH,
    "writeBinary": Scalar(type="string", format="byte"),
    **dict.fromkeys(("writeNull", "nullValue"), _NULL),
}
_FIELDS: dict[str, Schema] = {
    f"{name}{suffix}": schema
    for name, schema in _SCALARS.items()
    for suffix in ("Field", "Property")
}
_VALUES = frozenset({"writeObject", "writePOJO", "writeTree", "writeArray", "value"})
_VALUE_FIELDS = frozenset({"writeObjectField", "writePOJOField", "writePOJOProperty"})
_NAMES = frozenset({"writeFieldName", "writeName", "writePropertyName", "name"})
_STARTS = {
    **dict.fromkeys(("writeStartObject", "beginObject"), "object"),
    **dict.fromkeys(("writeStartArray", "beginArray"), "array"),
}
_FIELD_STARTS = {
    **dict.fromkeys(("writeObjectFieldStart", "writeObjectPropertyStart"), "object"),
    **dict.fromkeys(("writeArrayFieldStart", "writeArrayPropertyStart"), "array"),
}
_ENDS = frozenset({"writeEndObject", "endObject", "writeEndArray", "endArray"})
_MAX_DEPTH = 8
"""How many methods that hand on the writer are followed, and how deep statements may nest."""
_MAX_CHAIN = 100
_CONDITION = Reason("written-conditionally")
_ASKING = frozenset(
    {
        *("isEmpty", "isBlank", "isPresent", "isNotEmpty", "isNotBlank", "hasText", "hasLength"),
        *("nonNull", "isNull", "size", "length"),
    }
)
"""Methods that tell whether there is a value."""
_SEVERAL = Reason("shape-decided-at-run-time")


def written_schema(
    program: Program, method: FunctionValue, of: str, origin: Origin
) -> Schema | None:
    """The shape that a method writes; None where it is unsupported, or writes nothing."""
    written = written_or_nothing(program, method, of, origin)
    return None if isinstance(written, Nothing) and not written.nullable else written


def written_or_nothing(
    program: Program, method: FunctionValue, of: str, origin: Origin
) -> Schema | None:
    """As `written_schema`; `Nothing` where a method writes XML alone, and no JSON."""
    writer = _Writer(program, of, origin)
    scope = program.function_scope(method.function, method.scope)
    try:
        ends = writer.body(scope, _GeneratorState())
    except _UndeterminedError:
        return None
    if scope.statements and (ends is None or not (ends.open or ends.done)):
        return Nothing(origin=origin)
    return None if ends is None or ends.open or not ends.done else _schema_of_places(ends.done)


class _Writer:
    def __init__(self, program: Program, of: str, origin: Origin) -> None:
        self.program = program
        self.of = of
        self.origin = origin
        self.active: list[int] = []
        """The functions that are being followed."""
        self.ended: list[list[_GeneratorState]] = []
        """For each of them the states in which it returned early."""

    def body(self, scope: Scope, state: _GeneratorState) -> _GeneratorState | None:
        """The state after a function; None where it cannot end for JSON."""
        function = scope.function
        assert function is not None
        if id(function) in self.active or len(self.active) >= _MAX_DEPTH:
            raise _UndeterminedError
        if any(type_name(param.type) == _XML for param in function.params):
            return None
        self.active.append(id(function))
        self.ended.append([])
        try:
            last = self._block(scope.statements or (), scope, state, 0)
            ends = self.ended[-1] if last is None else [*self.ended[-1], last]
            return _join_states(ends)
        finally:
            self.active.pop()
            self.ended.pop()

    # ------------------------------------------------------------------ statements

    def _block(
        self, statements: tuple[Statement, ...], scope: Scope, state: _GeneratorState, depth: int
    ) -> _GeneratorState | None:
        """The state after a block; None where its end is not reached."""
        if depth > _MAX_DEPTH * 2:
            raise _UndeterminedError
        for statement in statements:
            after = self._statement(statement, scope, state, depth)
            if after is None:
                return None
            state = after
        return state

    def _statement(
        self, statement: Statement, scope: Scope, state: _GeneratorState, depth: int
    ) -> _GeneratorState | None:
        match statement:
            case Evaluate(value=value):
                return self._call(value, scope, state)
            case Assign(value=value, type=type):
                if type_name(type) == _XML or _casts_to_xml(value):
                    return None
                return state if value is None else self._call(value, scope, state)
            case Return(value=value):
                end = state if value is None else self._call(value, scope, state)
                if end is not None:
                    self.ended[-1].append(end)
                return None
            case Throw():
                return None
            case Branch():
                return self._branch(statement, scope, state, depth)
            case Loop(body=body):
                after = self._block(body, scope, state, depth + 1)
                return _join_states([state] if after is None else [state, after])
            case _:
                return state

    def _branch(
        self, statement: Branch, scope: Scope, state: _GeneratorState, depth: int
    ) -> _GeneratorState | None:
        if statement.kind == "try":
            return self._block(statement.blocks[0], scope, state, depth + 1)
        blocks = statement.blocks
        if statement.kind == "if" and _is_xml(statement.condition):
            blocks = blocks[1:]
            if not blocks:
                return state
        ends = [self._block(block, scope, state, depth + 1) for block in blocks]
        if not statement.exhaustive:
            ends.append(state)
        alive = [end for end in ends if end is not None]
        asks_for_value = statement.kind == "if" and _asks_for_value(statement.condition)
        return _join_states(alive, NO_REASON if asks_for_value else _CONDITION)

    # ------------------------------------------------------------------ calls

    def _call(self, expr: Expr, scope: Scope, state: _GeneratorState) -> _GeneratorState | None:
        if not isinstance(expr, Call):
            return state
        chain = list(_chain(expr))
        base = chain[0].callee
        if isinstance(base, Attribute) and _is_writer(base.value, scope):
            for call in chain:
                state = self._write(call, scope, state)
            return state
        if not any(_is_writer(argument.value, scope) for argument in expr.args):
            return state
        return self._handed_on(expr, scope, state)

    def _handed_on(
        self, call: Call, scope: Scope, state: _GeneratorState
    ) -> _GeneratorState | None:
        """A call of another function that is handed the writer."""
        evaluator = self.program.evaluator
        found = evaluator.function_called(call, scope)
        if found is not None:
            bindings = evaluator.arguments_with_defaults(found, call, scope)
            inside = self.program.function_scope(found.function, found.scope, bindings)
            return self.body(inside, state)
        name = call.callee.name if isinstance(call.callee, Attribute) else ""
        args = [argument.value for argument in call.args if not _is_writer(argument.value, scope)]
        match name, args:
            case "writeValue", _ if self._is_of_another_mapper(call, scope):
                raise _UndeterminedError
            case (("defaultSerializeValue" | "writeValue" | "toJson"), [value, *_]):
                return self._value(self.program.infer(value, scope), state)
            case "defaultSerializeNull", _:
                return self._value(_NULL, state)
            case "defaultSerializeField", [key, value, *_]:
                named = self._with_field_name(key, scope, state)
                return self._value(self.program.infer(value, scope), named)
            case _:
                raise _UndeterminedError

    def _is_of_another_mapper(self, call: Call, scope: Scope) -> bool:
        """Whether what writes a value is made here, with settings of its own: a mapper, or what one
        gives for a view (`mapper.writerWithView(…)`)."""
        receiver = call.callee.value if isinstance(call.callee, Attribute) else None
        if receiver is None or isinstance(receiver, Call):
            return receiver is not None
        return isinstance(self.program.evaluate(receiver, scope), LibraryResult)

    def _write(self, call: Call, scope: Scope, state: _GeneratorState) -> _GeneratorState:
        assert isinstance(call.callee, Attribute)
        name = call.callee.name
        args = [argument.value for argument in call.args]
        if name in _STARTS:
            return self._start(_STARTS[name], state)
        if name in _ENDS:
            return self._end(state)
        if name in _SCALARS:
            return self._value(self._scalar(_SCALARS[name], args, scope), state)
        if name in _VALUES and args:
            return self._value(self.program.infer(args[0], scope), state)
        if name in _NAMES and args:
            return self._with_field_name(args[0], scope, state)
        if name in _FIELD_STARTS and args:
            return self._start(_FIELD_STARTS[name], self._with_field_name(args[0], scope, state))
        if name in _FIELDS and args:
            schema = self._scalar(_FIELDS[name], args[1:], scope)
            return self._value(schema, self._with_field_name(args[0], scope, state))
        if name in _VALUE_FIELDS and len(args) == 2:
            named = self._with_field_name(args[0], scope, state)
            return self._value(self.program.infer(args[1], scope), named)
        if name.startswith("write") or name == "jsonValue":
            raise _UndeterminedError
        return state

    def _scalar(self, written: Schema, args: list[Expr], scope: Scope) -> Schema:
        """What is known of a number beyond that it is one."""
        if written is not _NUMBER or not args:
            return written
        shape = self.program.infer(args[0], scope)
        is_number = isinstance(shape, Scalar) and shape.type in ("integer", "number")
        return Scalar(type=shape.type, format=shape.format) if is_number else written  # type: ignore[union-attr]

    # ------------------------------------------------------------------ what is written

    def _start(self, kind: str, state: _GeneratorState) -> _GeneratorState:
        opened: _Open = _OpenObject() if kind == "object" else _OpenArray()
        return replace(state, open=(*state.open, opened))

    def _end(self, state: _GeneratorState) -> _GeneratorState:
        if not state.open:
            raise _UndeterminedError
        *around, ended = state.open
        schema: Schema
        match ended:
            case _OpenArray(items=items):
                schema = Array(items=_schema_of_places(items), origin=self.origin)
            case _OpenObject(fields=fields, additional=additional):
                schema = Object(
                    name=self.of if not around else "",
                    fields=tuple(fields.values()),
                    additional=_schema_of_places(additional) if additional else None,
                    origin=self.origin,
                )
        return self._value(schema, replace(state, open=tuple(around)))

    def _with_field_name(self, key: Expr, scope: Scope, state: _GeneratorState) -> _GeneratorState:
        if not state.open or not isinstance(state.open[-1], _OpenObject):
            raise _UndeterminedError
        *around, last = state.open
        name = self.program.text(key, scope) or ""
        return replace(state, open=(*around, replace(last, pending=name)))

    def _value(self, schema: Schema, state: _GeneratorState) -> _GeneratorState:
        if not state.open:
            return replace(state, done=(*state.done, schema))
        *around, last = state.open
        changed: _Open
        match last:
            case _OpenArray(items=items):
                changed = _OpenArray((*items, schema))
            case _OpenObject(pending=None):
                raise _UndeterminedError
            case _OpenObject(fields=fields, pending="", additional=additional):
                changed = _OpenObject(fields, None, (*additional, schema))
            case _OpenObject(fields=fields, pending=name, additional=additional):
                assert name is not None
                field = Field(name=name, schema=schema, has_default=True, origin=self.origin)
                changed = _OpenObject({**fields, name: field}, None, additional)
        return replace(state, open=(*around, changed))


# --------------------------------------------------------------------------- syntax


def _chain(call: Call) -> Iterator[Call]:
    """The calls of a chain, the first one first."""
    links: list[Call] = []
    current: Expr = call
    for _ in range(_MAX_CHAIN):
        if not isinstance(current, Call):
            break
        links.append(current)
        current = current.callee.value if isinstance(current.callee, Attribute) else current.callee
    yield from reversed(links)


def _is_writer(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is the writer: a parameter or a local of such a type."""
    if isinstance(expr, Cast):
        expr = expr.value
    if not isinstance(expr, Name) or scope.function is None:
        return False
    params = [(param.name, param.type) for param in scope.function.params]
    local = [
        (statement.target.id, statement.type)
        for statement in nested_statements(scope.statements or ())
        if isinstance(statement, Assign) and isinstance(statement.target, Name)
    ]
    names = {name for name, type in (*params, *local) if type_name(type) in (*_WRITERS, _XML)}
    return expr.id in names


def _is_xml(condition: Expr | None) -> bool:
    """Whether a test holds for XML alone: `gen instanceof ToXmlGenerator && …`."""
    match condition:
        case OperationExpr(operator="instanceof", operands=operands):
            return any(isinstance(o, TypeValue) and type_name(o.type) == _XML for o in operands)
        case OperationExpr(operator="&&", operands=operands):
            return any(_is_xml(operand) for operand in operands)
        case _:
            return False


def _asks_for_value(condition: Expr | None) -> bool:
    """Whether a test asks no more than whether there is a value: `x != null && !x.isEmpty()`."""
    match condition:
        case OperationExpr(operator="&&" | "||" | "!", operands=operands):
            return all(_asks_for_value(operand) for operand in operands)
        case OperationExpr(operator="!=" | "==", operands=operands):
            return any(isinstance(o, LiteralExpr) and o.value is None for o in operands)
        case OperationExpr(operator=">" | "<" | ">=" | "<=", operands=(left, right)):
            return _asks_for_value(left) or _asks_for_value(right)
        case Call(callee=Attribute(name=name)):
            return name in _ASKING
        case _:
            return False


def _casts_to_xml(value: Expr | None) -> bool:
    return isinstance(value, Cast) and type_name(value.type) == _XML


class _UndeterminedError(Exception):
    """Something is written in a way that is not followed."""


class _OpenObject(Struct, frozen=True, eq=False):
    """An object that is being written."""

    fields: dict[str, Field] = {}
    pending: str | None = None
    """The name of the field that is written next; empty for one that is computed."""
    additional: tuple[Schema, ...] = ()


class _OpenArray(Struct, frozen=True, eq=False):
    """A list that is being written."""

    items: tuple[Schema, ...] = ()


_Open: TypeAlias = "_OpenObject | _OpenArray"


class _GeneratorState(Struct, frozen=True, eq=False):
    """What has been written so far: objects and lists that are not ended yet, and whole values."""

    open: tuple[_Open, ...] = ()
    done: tuple[Schema, ...] = ()


def _join_states(
    states: list[_GeneratorState], doubt: Reason = NO_REASON
) -> _GeneratorState | None:
    """What has been written in some of several ways; None for no way at all. `doubt` says why it
    is not known whether all of the ways are ever taken."""
    if len(states) < 2:
        return states[0] if states else None
    depths = {len(state.open) for state in states}
    if len(depths) > 1:
        raise _UndeterminedError
    levels = zip(*(state.open for state in states), strict=True)
    done = {describe(schema): schema for state in states for schema in state.done}
    return _GeneratorState(
        tuple(_joined_open(list(level), doubt) for level in levels), tuple(done.values())
    )


def _joined_open(versions: list[_Open], doubt: Reason) -> _Open:
    objects = [version for version in versions if isinstance(version, _OpenObject)]
    if not objects:
        items = {describe(i): i for v in versions if isinstance(v, _OpenArray) for i in v.items}
        return _OpenArray(tuple(items.values()))
    pending = {version.pending for version in objects}
    if len(objects) < len(versions) or len(pending) > 1:
        raise _UndeterminedError
    fields: dict[str, Field] = {}
    for name in dict.fromkeys(name for version in objects for name in version.fields):
        found = [version.fields[name] for version in objects if name in version.fields]
        in_all = len(found) == len(objects)
        fields[name] = replace(
            found[0],
            schema=_schema_of_places(tuple(field.schema for field in found)),
            required=True if in_all and all(field.required for field in found) else None,
            undetermined_reason=next(
                (f.undetermined_reason for f in found if f.undetermined_reason),
                NO_REASON if in_all else doubt,
            ),
        )
    additional = {describe(each): each for version in objects for each in version.additional}
    return _OpenObject(fields, pending.pop(), tuple(additional.values()))


def _schema_of_places(schemas: tuple[Schema, ...]) -> Schema:
    """One shape that is written in several places, or null; of several that stand for each other
    it is not known when which is written."""
    whole = unite(schemas)
    return Unknown(reason=_SEVERAL) if isinstance(whole, Union) else whole
