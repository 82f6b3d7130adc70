"""What frameworks of messaging libraries share: calls of their methods, and sites for them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.event import Direction
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Index,
    LiteralExpr,
    NamedType,
    New,
    ObjectLiteral,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.records import Receiver
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.messaging.sites import (
    MessageSite,
    addresses,
    calls_of_function_around,
    seen_from_call,
)

_ANYTHING = frozenset({"any", "unknown", "object", "Object"})
UNSEEN = Unknown(reason=Reason("message-handler-not-found"))
"""Shape of what is received by a handler that cannot be followed."""

SEVERAL = Unknown(reason=Reason("shared-consumer"))
"""Shape of what is received where it is undetermined which of them a message is of."""


class LibraryCall(Struct, frozen=True):
    """A method call on something that a library made, or the construction of such a thing."""

    call: Call | New
    method: str
    receiver: Value
    kind: str
    """Qualified name of what the receiver is."""
    scope: Scope

    @property
    def holder(self) -> Expr | None:
        """What the method is called on, as it is written."""
        callee = self.call.callee if isinstance(self.call, Call) else None
        return callee.value if isinstance(callee, Attribute) else callee

    def argument(self, position: int) -> Expr | None:
        """An argument by position."""
        args = self.call.args
        return args[position].value if position < len(args) else None


def method_calls(
    program: Program,
    framework: Framework,
    modules: tuple[str, ...],
    methods: frozenset[str],
    *,
    receiver: Receiver | None = None,
    on_anything: frozenset[str] = frozenset(),
) -> Iterator[LibraryCall]:
    """Calls of these methods on values that come from one of the modules, also in files that only
    import such a value from another one; in files that name the library, those of which nothing is
    known but that they are named like a `receiver`, and calls of the methods `on_anything`, unless
    they are methods of the project."""
    seeds = list(program.seeds(framework))
    for file in seeds:
        yield from _calls_in(program, file, modules, methods, receiver, on_anything)
    known = {file.path for file in seeds}
    endings = [f".{name}{end}".encode() for name in sorted(methods) for end in "(<"]
    for path in program.files_containing(*endings) if seeds and modules else ():
        if path not in known:
            yield from _calls_in(
                program, program.facts(path), modules, methods, Receiver(), frozenset()
            )


def _calls_in(
    program: Program,
    file: FileFacts,
    modules: tuple[str, ...],
    methods: frozenset[str],
    receiver: Receiver | None,
    on_anything: frozenset[str],
) -> Iterator[LibraryCall]:
    for call, scope in program.calls(file):
        callee = call.callee if isinstance(call, Call) else None
        if not isinstance(callee, Attribute) or callee.name not in methods:
            continue
        assert isinstance(call, Call)
        found = receiver_of(program, callee.value, scope, modules)
        if found is None and receiver is not None:
            found = _receiver_by_name(program, callee.value, scope, receiver)
        if (
            found is None
            and callee.name in on_anything
            and not isinstance(program.evaluate(callee, scope), FunctionValue)
        ):
            found = "", program.evaluate(callee.value, scope)
        if found is not None:
            kind, value = found
            yield LibraryCall(call, callee.name, value, kind, scope)
            continue
        for seen in _scopes_of_callers(program, callee.value, scope):
            found = receiver_of(program, callee.value, seen, modules)
            if found is not None:
                kind, value = found
                yield LibraryCall(call, callee.name, value, kind, seen)


def _scopes_of_callers(program: Program, receiver: Expr, scope: Scope) -> Iterator[Scope]:
    """Where a receiver is a parameter of the function around it, or a part of one, of which its
    type tells no library (an interface of the project's own, or nothing): the scope as each call of
    that function sees it."""
    value = program.evaluate(receiver, scope)
    if isinstance(value, Unresolved | ByType) and _is_given(receiver, scope):
        for function, call, caller in calls_of_function_around(program, scope):
            yield seen_from_call(program, scope, function, call, caller)


def _is_given(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is a parameter of a function around it or a part of one."""
    root = dotted_name_of(expr).partition(".")[0]
    current: Scope | None = scope
    while root and current is not None:
        function = current.function
        if function is not None and any(root == param.name for param in function.params):
            return bool(function.name)
        current = current.parent
    return False


def receiver_key(found: LibraryCall) -> object:
    """Equal for calls on one and the same thing, as far as it is told."""
    if isinstance(found.receiver, LibraryResult):
        return found.receiver.identity
    return (found.scope.file.path, dotted_name_of(found.holder) if found.holder is not None else "")


def receiver_of(
    program: Program, expr: Expr, scope: Scope, modules: tuple[str, ...]
) -> tuple[str, Value] | None:
    """What an expression gives that comes from one of the modules, with its qualified name."""
    value = program.evaluate(expr, scope)
    for option in value.options if isinstance(value, OneOf) else (value,):
        name = program.evaluator.qualified_name(option)
        if isinstance(option, LibraryResult):
            name = option.name
        if name.split(".", 1)[0] in modules or name.startswith(tuple(f"{m}." for m in modules)):
            return name, option
    return None


def _receiver_by_name(
    program: Program, expr: Expr, scope: Scope, receiver: Receiver
) -> tuple[str, Value] | None:
    """A value of unknown type that is named like a receiver."""
    name = dotted_name_of(expr).rpartition(".")[2].lower()
    if not name.endswith(receiver.variable_endings) and not any(
        word in name for word in receiver.variables
    ):
        return None
    value = program.evaluate(expr, scope)
    match value:
        case Unresolved():
            return "", value
        case ByType(type=NamedType(name=type)) if type in _ANYTHING:
            return "", value
        case LibrarySymbol(name=unknown) if unknown.isidentifier():
            return "", value  # a parameter that was taken apart
        case _:
            return None


def constructions(
    program: Program, framework: Framework, names: frozenset[str]
) -> Iterator[tuple[New, str, Scope]]:
    """Every `new X(…)` of these library classes, with the class."""
    for file in program.seeds(framework):
        for call, scope in program.calls(file):
            if isinstance(call, New):
                value = program.evaluate(call, scope)
                if isinstance(value, LibraryResult) and value.name in names:
                    yield call, value.name, scope


def property_of(program: Program, expr: Expr | None, scope: Scope, name: str) -> Expr | None:
    """A property of an object literal, written here or kept in a variable; None where there is
    none."""
    if expr is None:
        return None
    if isinstance(expr, ObjectLiteral):
        found = [e.value for e in expr.entries if e.key == name and not e.spread]
        if found:
            return found[-1]
        if not any(entry.spread for entry in expr.entries):
            return None
    value = program.evaluate(expr, scope)
    if isinstance(value, Record) and any(entry.name == name for entry in value.entries):
        return Attribute(value=expr, name=name, span=expr.span)
    return None


def items_of(expr: Expr | None) -> list[Expr]:
    """The items of a list literal; any item of another list."""
    if expr is None:
        return []
    if isinstance(expr, ArrayLiteral):
        return list(expr.items)
    return [Index(value=expr, index=LiteralExpr(value=0), span=expr.span)]


def constant(
    program: Program,
    expr: Expr | None,
    scope: Scope,
    span: Span,
    what: str,
    *,
    place: Scope | None = None,
) -> Expr:
    """The texts of an expression as literals, which can be read in any scope; `what` names it where
    it is not constant. `place`: where the result is read; in the function that the expression
    stands in it is left as it is, for callers may tell it."""
    texts = addresses(program, program.evaluate(expr, scope)) if expr is not None else []
    same = place is not None and place.file is scope.file and place.function is scope.function
    if not texts and expr is not None and same and scope.function is not None:
        return expr
    if not texts:
        return UnsupportedSyntax(
            description=Reason("address-part-not-constant", what=what), span=span
        )
    literals = tuple(LiteralExpr(value=text, span=span) for text in texts)
    return literals[0] if len(literals) == 1 else ArrayLiteral(items=literals, span=span)


def send_site(
    framework: str,
    address: Expr,
    payload: Expr | None,
    scope: Scope,
    span: Span,
    reason: Reason = NO_REASON,
) -> MessageSite:
    """A place that sends; `reason` says why the payload is undetermined."""
    shape = Unknown(reason=reason or Reason("payload-not-found")) if payload is None else None
    return _site("send", framework, address, scope, span, payload=payload, shape=shape)


def receive_site(
    framework: str,
    address: Expr,
    handler: FunctionValue | None,
    scope: Scope,
    span: Span,
    *,
    shape: Schema | None = None,
    pattern: bool = False,
) -> MessageSite:
    """A place that receives: the payload is what the handler reads, unless `shape` declares
    it."""
    if shape is None and handler is None:
        shape = UNSEEN
    return _site(
        "receive", framework, address, scope, span, handler=handler, shape=shape, pattern=pattern
    )


def _site(
    direction: Direction,
    framework: str,
    address: Expr,
    scope: Scope,
    span: Span,
    *,
    payload: Expr | None = None,
    handler: FunctionValue | None = None,
    shape: Schema | None = None,
    pattern: bool = False,
) -> MessageSite:
    return MessageSite(
        direction=direction,
        address=address,
        payload=payload,
        shape=shape,
        handler=handler,
        scope=scope,
        span=span,
        framework=framework,
        pattern=pattern,
    )
