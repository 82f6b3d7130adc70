"""What middleware puts on the request or the context for the handlers behind it: `req.user = …`,
`ctx.state.article = …`, `res.locals.order = …`.

All that any middleware of the program puts under a name counts: which of them has run before a
handler is undetermined. Where they put a text there and a number, what a handler finds is.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.schema import Array, Object, Scalar, Union
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
)
from contract_scan.parsers.source.typescript.resolution import walker

REQUEST = LibrarySymbol("<request>")
"""Stands for a request of which no type is declared."""
_HOLDERS = frozenset({"state", "locals"})
_ROOTS = frozenset({"<request>", "<context>", "express.Request"})
_NEXT = b"next"
_FOLLOWING = frozenset({_NEXT.decode()})
_REPLACED_PARAMS = b".params ="
"""Marks files that may put something else in the place of the texts that a path holds."""


class _RequestAugmentations(Struct):
    """What the program puts on requests."""

    values: dict[str, list[tuple[Expr, Scope]]]
    requests: dict[str, set[str]]
    """What the middleware calls the request that it puts something on, by the name of that."""
    thens: dict[int, tuple[Function, Expr, Scope]]
    """Functions that are given what a promise holds, by their identity, with the promise."""
    open: set[str]
    """Names that are being looked at."""


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """What a request or a context holds under a name; None where no middleware is seen to put
    something there."""
    qualified = _name(program, value)
    root, _, holder = qualified.rpartition(".")
    if holder == "params" and root in _ROOTS and not program.files_containing(_REPLACED_PARAMS):
        return BySchema(Scalar(type="string"))
    if qualified not in _ROOTS and not (holder in _HOLDERS and root in _ROOTS):
        return None
    found = _collect_assignments(program)
    if name in found.open or name not in found.values:
        return None
    found.open.add(name)
    try:
        values = [
            _assigned_value(program, found, expr, scope) for expr, scope in found.values[name]
        ]
    finally:
        found.open.discard(name)
    known = [v for v in values if not is_null(v)]
    if not known or any(isinstance(v, Unresolved) for v in known):
        return None
    if _is_set_otherwise(program, found, name, known):
        return None
    return union_of(tuple(program.evaluator.without_null(v) for v in known))


def _is_set_otherwise(
    program: Program, found: _RequestAugmentations, name: str, known: list[Value]
) -> bool:
    """Whether other places put something of another kind under a name, a number beside a text:
    which of them runs before a handler is undetermined then. Functions count that middleware may
    give its request to: `function finish(req, user) { req.uid = Number(user.id); }`."""
    found.open.add(name)
    try:
        values = [program.evaluate(e, scope) for e, scope in _set_elsewhere(program, found, name)]
    finally:
        found.open.discard(name)
    kinds = {_kinds_of(program, value) for value in (*known, *values)}
    return len(kinds - {frozenset()}) > 1


def _kinds_of(program: Program, value: Value) -> frozenset[str]:
    """The kinds of JSON that a value is known to have."""
    kinds = set[str]()
    shape = program.types.flat(program.schema_of(program.evaluator.unwrap(value)))
    for option in shape.options if isinstance(shape, Union) else (shape,):
        match program.types.flat(option):
            case Scalar(type="integer" | "number"):
                kinds.add("number")
            case Scalar(type=kind):
                kinds.add(kind)
            case Object():
                kinds.add("object")
            case Array():
                kinds.add("array")
            case _:
                pass
    return frozenset(kinds)


def _set_elsewhere(
    program: Program, found: _RequestAugmentations, name: str
) -> Iterator[tuple[Expr, Scope]]:
    """What functions that are no middleware put under a name of a parameter that is called as the
    request of one."""
    for request in sorted(found.requests[name]):
        literal = f"{request}.{name} =".encode()
        for path in program.files_containing(literal):
            for node, scope in walker.nodes_of(program, program.facts(path), literal):
                match node:
                    case Assign(
                        target=Attribute(value=Name(id=root), name=set_name),
                        value=value,
                        operator="",
                    ) if (
                        (root, set_name) == (request, name)
                        and value is not None
                        and request not in _handed_on(scope)
                        and _is_parameter(request, scope)
                    ):
                        yield value, scope
                    case _:
                        pass


def _is_parameter(name: str, scope: Scope) -> bool:
    """Whether a function around a place has a parameter of a name."""
    current: Scope | None = scope
    while current is not None:
        if current.function is not None and any(p.name == name for p in current.function.params):
            return True
        current = current.parent
    return False


def _name(program: Program, value: Value) -> str:
    match value:
        case LibrarySymbol(name=name):
            return name
        case ByType():
            return program.evaluator.qualified_name(value) or ""
        case _:
            return ""


def _assigned_value(
    program: Program, found: _RequestAugmentations, expr: Expr, scope: Scope
) -> Value:
    function = scope.function
    if isinstance(expr, Name) and function is not None and id(function) in found.thens:
        _, promise, outside = found.thens[id(function)]
        if function.params and function.params[0].name == expr.id:
            given = program.evaluator.unwrap(program.evaluate(promise, outside))
            return program.evaluator.without_null(given)
    return program.evaluator.unwrap(program.evaluate(expr, scope))


@memoised
def _collect_assignments(program: Program) -> _RequestAugmentations:
    found = _RequestAugmentations({}, {}, {}, set())
    for path in program.files_containing(_NEXT):
        for node, scope in walker.nodes_of(program, program.facts(path), _NEXT):
            match node:
                case Call(callee=Attribute(value=promise, name="then"), args=args) if args:
                    first = args[0].value
                    if isinstance(first, Lambda):
                        found.thens[id(first.function)] = (first.function, promise, scope)
                case Assign(target=Attribute() as target, value=value, operator="") if (
                    value is not None and any(_root(target) == n for n in _handed_on(scope))
                ):
                    found.values.setdefault(target.name, []).append((value, scope))
                    found.requests.setdefault(target.name, set()).add(_root(target))
                case _:
                    continue
    return found


def _root(target: Attribute) -> str:
    """The name that `req.user` or `ctx.state.user` begins with."""
    holder = target.value
    if isinstance(holder, Attribute) and holder.name in _HOLDERS:
        holder = holder.value
    return holder.id if isinstance(holder, Name) else ""


def _handed_on(scope: Scope) -> Iterator[str]:
    """Parameters of the functions around a place that are middleware."""
    current: Scope | None = scope
    while current is not None:
        params = current.function.params if current.function is not None else ()
        names = [parameter.name for parameter in params]
        if len(names) > 1 and _FOLLOWING & set(names):
            yield from (name for name in names if name and name not in _FOLLOWING)
        current = current.parent
