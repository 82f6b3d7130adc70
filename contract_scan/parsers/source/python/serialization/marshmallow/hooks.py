"""Hooks of marshmallow schemas: what they make of the data that goes out, or comes in."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Field,
    Object,
    Schema,
    Unknown,
)
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    FunctionValue,
    Record,
    RecordEntry,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Name,
    Return,
)
from contract_scan.parsers.source.python.serialization.modes import DUMP, LOAD

_HOOKS = {DUMP: "post_dump", LOAD: "pre_load"}


def after_hooks(
    program: Program, symbol: ClassSymbol, shape: Schema, direction: str, *, for_many: bool
) -> Schema:
    """A shape after the hooks of its schema: those for each object, or those for all at once."""
    if not direction:
        return shape
    for hook in _hooks(program, symbol, _HOOKS[direction], for_many=for_many):
        shape = (
            after_hook(program, hook, shape)
            if direction == DUMP
            else _before_hook(hook, shape, program)
        )
    return shape


def _hooks(
    program: Program, symbol: ClassSymbol, kind: str, *, for_many: bool
) -> Iterator[FunctionValue]:
    """Methods decorated as hooks, a nearer class's in place of a farther one's of that name."""
    found: dict[str, FunctionValue | None] = {}
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for method in owner.decl.methods:
            if method.name in found:
                continue
            hook = next((a for a in method.annotations if a.name.rpartition(".")[2] == kind), None)
            many = hook is not None and any(
                a.name in ("pass_many", "pass_collection")
                and isinstance(a.value, LiteralExpr)
                and a.value.value is True
                for a in hook.args
            )
            wanted = hook is not None and many is for_many
            found[method.name] = (
                FunctionValue(method, scope, owner, scope.receiver) if wanted else None
            )
    yield from (hook for hook in found.values() if hook is not None)


def as_record(program: Program, shape: Schema) -> Value:
    """A shape as a value whose keys can be read, set and removed."""
    flat = program.types.flat(shape)
    if not isinstance(flat, Object) or not flat.fields:
        return BySchema(shape)
    entries = tuple(
        RecordEntry(
            f.name,
            BySchema(f.schema),
            f.origin,
            optional=f.required is False,
            undefined=None if f.required is None else False,
        )
        for f in flat.fields
    )
    return Record(entries, flat.incomplete_reason, None, flat.origin)


def after_hook(program: Program, hook: FunctionValue, shape: Schema) -> Schema:
    """What a hook returns for data of this shape."""
    function = hook.function
    if not function.params:
        return Unknown(reason=Reason("hook-takes-no-data", function=function.name))
    data = function.params[0].name
    scope = with_assigned(program, hook, data, as_record(program, shape))
    results = [
        program.infer(statement.value, scope)
        for statement in reaching_definitions.returns(scope.statements or ())
        if isinstance(statement, Return) and statement.value is not None
    ]
    if not results:
        return Unknown(reason=Reason("hook-returns-nothing", function=function.name))
    return unite(results)


def with_assigned(program: Program, hook: FunctionValue, name: str, value: Value) -> Scope:
    """Inside a function whose parameter `name` starts out as this value, and may be changed."""
    function = hook.function
    start = Span(function.span.line, function.span.column, function.span.line, function.span.column)
    given_name = f"{name}@given"
    first = Assign(Name(name), Name(given_name, span=start), span=start)
    body = (first, *program.body(function, hook.scope.file))
    prepared: Function = replace(function, body=body)
    scope = program.function_scope(prepared, hook.scope, {given_name: value})
    return replace(scope, receiver=hook.receiver or scope.receiver)


def _before_hook(hook: FunctionValue, shape: Schema, program: Program) -> Schema:
    """What has to come in so that a hook hands on this shape: `data["user"]` is taken out of an
    envelope; a hook that hands its data on leaves the shape as it is."""
    function = hook.function
    if not function.params:
        return shape
    data = function.params[0].name
    keys: dict[str, str] = {}
    for statement in program.body(function, hook.scope.file):
        value = statement.value if isinstance(statement, Assign | Return) else None
        key = _accessed_key(value, data) if value is not None else None
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            if key is not None:
                keys[statement.target.id] = key
        elif isinstance(statement, Return):
            if key is None and isinstance(value, Name):
                key = keys.get(value.id, "" if value.id == data else None)
            if key is None:
                break
            if not key:
                return shape
            origin = Origin(hook.scope.file.path, function.name_span)
            field = Field(name=key, schema=shape, origin=origin)
            return Object(fields=(field,), origin=origin)
    return Unknown(reason=Reason("hook-result-undetermined", function=function.name))


def _accessed_key(value: Expr, data: str) -> str | None:
    """The key of `data["key"]`, `data.get("key", …)` or `data.pop("key")`."""
    match value:
        case Index(value=Name(id=id), index=LiteralExpr(value=str(key))) if id == data:
            return key
        case Call(callee=Attribute(value=Name(id=id), name="get" | "pop"), args=[first, *_]) if (
            id == data and isinstance(first.value, LiteralExpr)
        ):
            return first.value.value if isinstance(first.value.value, str) else None
        case _:
            return None
