"""What hooks of marshmallow schemas make of the data that goes out, or comes in."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Schema,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    Constant,
    FunctionValue,
    Record,
    RecordEntry,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.conditions import ConditionContext
from contract_scan.parsers.source.analysis.refinement.pruning import reachable_exits
from contract_scan.parsers.source.analysis.syntax.side_effects import walked_object
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Choice,
    Comprehension,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Name,
    ObjectLiteral,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.serialization.modes import (
    DUMP,
    LOAD,
)

_HOOKS = {DUMP: "post_dump", LOAD: "pre_load"}


def after_hooks(
    program: Program, symbol: ClassSymbol, shape: Schema, direction: str, *, for_many: bool
) -> Schema:
    """A shape after the hooks of its schema: those for each object, or those for all at once."""
    if not direction:
        return shape
    for hook in _hooks(program, symbol, _HOOKS[direction], for_many=for_many):
        shape = (
            _after_hook(program, hook, shape)
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


def _after_hook(program: Program, hook: FunctionValue, shape: Schema) -> Schema:
    """What a hook returns for data of this shape."""
    function = hook.function
    if not function.params:
        return Unknown(reason=Reason("hook-takes-no-data", function=function.name))
    data = function.params[0].name
    scope = scope_with_argument(program, hook, data, as_record(program, shape))
    if function.params[1:]:  # `pass_many` tells it whether the data is a list
        many = Constant(isinstance(program.types.flat(shape), Array))
        scope = replace(scope, bindings={**scope.bindings, function.params[1].name: many})
    results = [
        program.infer(statement.value, scope)
        for statement in reachable_exits(scope.statements or (), ConditionContext(program, scope))
        if isinstance(statement, Return) and statement.value is not None
    ]
    if not results:
        return Unknown(reason=Reason("hook-returns-nothing", function=function.name))
    return unite(results)


def scope_with_argument(program: Program, hook: FunctionValue, name: str, value: Value) -> Scope:
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
        given = statement.value if isinstance(statement, Assign | Return) else None
        value = _without_empty_fallback(given)
        key = _accessed_key(value, data) if value is not None else None
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            if key is not None:
                keys[statement.target.id] = key
        elif isinstance(statement, Return):
            if isinstance(value, Comprehension) and _keeps_entries(value, data):
                return shape
            if key is None and isinstance(value, Name):
                key = keys.get(value.id, "" if value.id == data else None)
            if key is None:
                break
            if not key:
                return _with_changed_keys(program, hook, shape, data)
            origin = Origin(hook.scope.file.path, function.name_span)
            field = Field(name=key, schema=shape, origin=origin)
            return Object(fields=(field,), origin=origin)
    return Unknown(reason=Reason("hook-result-undetermined", function=function.name))


def _keeps_entries(made: Comprehension, data: str) -> bool:
    """Whether a map has the entries of another, of which texts are changed to texts:
    `{k: v.strip() if isinstance(v, str) else v for k, v in data.items()}`."""
    held, part = walked_object(made.source)
    if not (isinstance(held, Name) and held.id == data and part == "entry"):
        return False
    match made.key, made.variable:
        case Name(id=key), ArrayLiteral(items=(Name(id=walked), Name(id=value))) if key == walked:
            options = made.element.options if isinstance(made.element, Choice) else (made.element,)
            return all(_is_same_or_text(option, value) for option in options)
        case _:
            return False


def _is_same_or_text(expr: Expr, name: str) -> bool:
    match expr:
        case Call(callee=Attribute(value=value, name=method)) if method in _TEXT_METHODS:
            return _is_same_or_text(value, name)
        case _:
            return isinstance(expr, Name) and expr.id == name


_TEXT_METHODS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "title", "casefold"})


def _with_changed_keys(program: Program, hook: FunctionValue, shape: Schema, data: str) -> Schema:
    """A shape that a hook hands on, without what it says of the keys that the hook sets itself."""
    why = Reason("hook-result-undetermined", function=hook.function.name)
    keys = _changed_keys(program.body(hook.function, hook.scope.file), data)
    if keys is None:
        return Unknown(reason=why)
    if not keys:
        return shape
    if isinstance(shape, Array):
        return Unknown(reason=why)
    flat = program.types.flat(shape)
    if not isinstance(flat, Object):
        return shape
    fields = tuple(
        replace(
            field,
            schema=Unknown(reason=why, nullable=None, origin=field.origin),
            required=None,
            has_default=True,
            undetermined_reason=why,
        )
        if field.name in keys
        else field
        for field in flat.fields
    )
    return replace(flat, fields=fields)


def _changed_keys(body: tuple[Statement, ...], data: str) -> frozenset[str] | None:
    """The keys of a map that statements set or take out; None where that is undetermined."""
    found: set[str] = set()
    for node in nodes_of(body):
        match node:
            case Assign(target=Index(value=Name(id=id), index=LiteralExpr(value=str(key)))) if (
                id == data
            ):
                found.add(key)
            case Assign(target=Index() | Attribute()):
                return None
            case Call(callee=Attribute(value=Name(id=id), name=name), args=args) if id == data:
                given = args[0].value if args else None
                if name in _READS:
                    continue
                if name not in ("pop", "setdefault") or not isinstance(given, LiteralExpr):
                    return None
                found.add(str(given.value))
            case Call(callee=callee, args=args) if any(
                isinstance(argument.value, Name) and argument.value.id == data for argument in args
            ):
                if not isinstance(callee, Name) or callee.id not in _TAKE_NO_PART:
                    return None
            case _:
                pass
    return frozenset(found)


_READS = frozenset({"copy", "get", "items", "keys", "values"})
"""Methods of a map that leave it as it is."""
_TAKE_NO_PART = frozenset({"bool", "dict", "isinstance", "len", "list", "set"})
"""Functions that leave a map that they are given as it is."""


def _without_empty_fallback(value: Expr | None) -> Expr | None:
    """`data` of `data or {}`."""
    match value:
        case Choice(options=(first, ObjectLiteral(entries=())), falsy=True):
            return first
        case _:
            return value


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
