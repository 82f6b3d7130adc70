"""A place that sends or receives, and what address and payload it has.

Where both are parameters of a function (`publish(topic, event)` of a project's own wrapper), every
call of that function is such a place.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Reference, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Template,
    Unresolved,
    Value,
    named_function_scope,
    origin_at,
)
from contract_scan.parsers.source.analysis.refinement.path_feasibility import (
    OPEN_CASE,
    Reach,
    reachability,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.messaging.received import received_shape
from contract_scan.parsers.source.typescript.resolution import walker

MAX_LIFTS = 3
"""How many wrappers are seen through."""
MAX_CALLERS = 400

_OPEN = Unknown(reason=OPEN_CASE)
_TEXT_MAKERS = frozenset({"JSON.stringify", "Buffer.from", "buffer.Buffer.from", "String"})
_CODECS = ("nats.", "@nats-io/", "TextEncoder")


class MessageSite(Struct, frozen=True, kw_only=True):
    """One place that sends or receives."""

    direction: Direction
    address: Expr
    payload: Expr | None
    """The expression that is sent; None where `shape` says what is received."""
    shape: Schema | None = None
    handler: FunctionValue | None = None
    """What is given the messages: it says what it takes them for."""
    scope: Scope
    span: Span
    framework: str
    pattern: bool = False
    caller: Scope | None = None
    """Where `span` stands, when it is a call of the wrapper around the site."""


def uses(program: Program, site: MessageSite) -> Iterator[EventUse]:
    """What a site comes to: one use for each address it may have."""
    seen: list[EventUse] = []
    for use in _uses(program, site, 0):
        if use not in seen:  # a wrapper around a wrapper may lead to one place in several ways
            seen.append(use)
            yield use


def _uses(program: Program, site: MessageSite, lifts: int) -> Iterator[EventUse]:
    if isinstance(site.address, UnsupportedSyntax):
        yield _use(
            program, site, "", Reason("address-is-expression", description=site.address.description)
        )
        return
    value = program.evaluate(site.address, site.scope)
    found = addresses(program, value)
    if found:
        known = [_use(program, site, address, NO_REASON) for address in found]
        if (
            lifts == 0
            and site.payload is not None
            and all(_says_nothing(program, use) for use in known)
        ):
            given = [u for seen in _callers(program, site) for u in _uses_at(program, seen, found)]
            known = given if any(not _says_nothing(program, u) for u in given) else known
        yield from known
        return
    lifted = lifts < MAX_LIFTS and _may_be_given(value)
    callers = list(_callers(program, site)) if lifted else []
    given = [use for caller in callers for use in _uses(program, caller, lifts + 1)]
    if lifted:
        called = {_receiver(caller) for caller in callers}
        below = [one for one in seen_from_subclasses(program, site) if _receiver(one) not in called]
        given += [u for one in below for u in _uses(program, one, MAX_LIFTS) if u.address]
    yield from given
    if not given:
        shown = program.evaluator.template(value)
        if shown and shown.strip("{}./-_:"):
            yield _use(program, site, shown.replace("{}", "{value}"), NO_REASON)
            return
        reason = value.reason if isinstance(value, Unresolved) else Reason("not-constant")
        yield _use(program, site, "", Reason("address-undetermined", reason=reason))


def _uses_at(program: Program, site: MessageSite, addresses: list[str]) -> list[EventUse]:
    return [_use(program, site, address, NO_REASON) for address in addresses]


def _says_nothing(program: Program, use: EventUse) -> bool:
    return program.types.is_unknown(use.payload)


def _may_be_given(value: Value) -> bool:
    """Whether an address that is not constant may be one that the callers of the function around it
    give; what comes from a library or the environment is the same for all of them."""
    match value:
        case Unresolved() | ByType():
            return True
        case OneOf(options=parts) | Template(parts=parts):
            return any(map(_may_be_given, parts))
        case _:
            return False


def addresses(program: Program, value: Value) -> list[str]:
    """The texts that a value may be, those of lists included; what is not constant is left out."""
    items: tuple[Value, ...] = (value,)
    if isinstance(value, Items):
        items = value.values
    found: list[str] = []
    for item in items:
        options = item.options if isinstance(item, OneOf) else (item,)
        texts = [program.evaluator.text(option) for option in options]
        found.extend(text for text in texts if text)
    return list(dict.fromkeys(found))


def _use(program: Program, site: MessageSite, address: str, unresolved: Reason) -> EventUse:
    schema = site.shape
    if schema is None and site.handler is not None:
        schema = received_shape(program, site.handler)
    if schema is None and site.payload is not None:
        schema = program.schema_of(unserialised_value(program, site.payload, site.scope))
    if schema is None:
        schema = Unknown(reason=Reason("payload-type-not-declared"))
    place = site.caller or site.scope
    return EventUse(
        direction=site.direction,
        address=address,
        payload=schema,
        message=_name(program, schema),
        pattern=site.pattern,
        unresolved=unresolved,
        framework=site.framework,
        origin=origin_at(place, site.span),
    )


def _name(program: Program, schema: Schema) -> str:
    if not isinstance(schema, Reference | Object):
        return ""
    flat = program.types.flat(schema)
    return flat.name if isinstance(flat, Object) else ""


def unserialised_value(program: Program, expr: Expr, scope: Scope) -> Value:
    """The value inside `Buffer.from(JSON.stringify(x))`: x."""
    value = program.evaluate(expr, scope)
    for _ in range(5):
        if (
            not isinstance(value, LibraryResult)
            or not value.site.args
            or not _is_text_maker(value.name)
        ):
            break
        value = program.evaluate(value.site.args[0].value, value.scope)
    return value


def _is_text_maker(name: str) -> bool:
    """Whether a call gives the text or bytes of its argument: codecs of NATS among them."""
    return name in _TEXT_MAKERS or (name.endswith("encode") and name.startswith(_CODECS))


# ------------------------------------------------------------------ wrappers


def _callers(program: Program, site: MessageSite) -> Iterator[MessageSite]:
    """The site seen from each call of the named function around it."""
    for function, call, scope in calls_of_function_around(program, site.scope):
        seen = _seen_from(program, site, function, call, scope)
        reach = _reachability(program, site, seen)
        if reach == "open":
            seen = replace(seen, payload=None, shape=_OPEN)
        if reach != "no":
            yield seen


def calls_of_function_around(
    program: Program, scope: Scope
) -> Iterator[tuple[FunctionValue, Call, Scope]]:
    """The calls of the named function around a scope, each with the function as it is called and
    the scope that the call stands in: at most `MAX_CALLERS`."""
    inside = named_function_scope(scope)
    function = inside.function if inside is not None else None
    if function is None or not function.params:
        return
    name = function.name.encode()
    count = 0
    for path in program.files_containing(name + b"(", name + b"<"):
        for call, caller in _calls_by_name(program, path).get(function.name, ()):
            callee = program.evaluate(call.callee, caller)
            for target in callee.options if isinstance(callee, OneOf) else (callee,):
                meant = _called_function(program, target, call, caller, scope)
                if meant is not None:
                    count += 1
                    if count > MAX_CALLERS:
                        return
                    yield meant, call, caller


def _called_function(
    program: Program, target: Value, call: Call, caller: Scope, scope: Scope
) -> FunctionValue | None:
    """The function around a scope, where a call calls it: directly, or through the method of an
    interface or base class that it implements."""
    inside = named_function_scope(scope)
    function = inside.function if inside is not None else None
    if inside is None or function is None:
        return None
    if isinstance(target, FunctionValue) and target.function is function:
        return target
    owner = inside.owner
    if owner is None or not isinstance(call.callee, Attribute):
        return None
    called = program.evaluate(call.callee.value, caller)
    if not isinstance(called, ByType) or not isinstance(called.type, NamedType):
        return None
    found = program.names.declared_class(called.type, called.scope)
    above = {base.key for base in program.bases(owner)}
    if found is None or found.key not in above:
        return None
    return FunctionValue(function, inside.parent or inside, owner, Instance(owner))


def _reachability(program: Program, site: MessageSite, seen: MessageSite) -> Reach:
    """Whether a call of the function around a site comes to it."""
    inside = named_function_scope(seen.scope)
    if site.caller is not None or inside is None:
        return "yes"
    return reachability(program, inside, site.span)


@memoised
def _calls_by_name(program: Program, path: str) -> dict[str, list[tuple[Call, Scope]]]:
    """All calls of a file by the last name of what is called, in source order."""
    named: dict[str, list[tuple[Call, Scope]]] = {}
    for call, scope in walker.calls(program, program.facts(path), deep=True):
        callee = call.callee
        if isinstance(callee, Name):
            named.setdefault(callee.id, []).append((call, scope))
        elif isinstance(callee, Attribute):
            named.setdefault(callee.name, []).append((call, scope))
    return named


def seen_from_subclasses(program: Program, site: MessageSite) -> Iterator[MessageSite]:
    """The site seen from each class that fills in what the class around it leaves open:
    `abstract topic: string; publish(event: T) { this.client.send(this.topic, event) }`."""
    inside = named_function_scope(site.scope)
    owner = inside.owner if inside is not None else None
    if inside is None or inside.function is None or owner is None:
        return
    if isinstance(inside.receiver, Instance) and inside.receiver.symbol.key != owner.key:
        return  # seen from such a class already
    for symbol in descendants(program, owner):
        for ancestor, bound in program.types.chain(symbol, program.class_scope(symbol)):
            if ancestor.key != owner.key:
                continue
            scope = program.function_scope(inside.function, bound)
            scope = replace(scope, receiver=Instance(symbol))
            handler = site.handler
            if handler is not None:
                around = _rebase_scope(handler.scope, inside.function, scope)
                handler = replace(handler, scope=around, receiver=scope.receiver)
            yield replace(
                site,
                scope=_rebase_scope(site.scope, inside.function, scope),
                handler=handler,
                span=symbol.decl.name_span,
                caller=program.class_scope(symbol),
            )


def _receiver(site: MessageSite) -> str:
    """The key of the class that a site's `this` is of."""
    inside = named_function_scope(site.scope)
    receiver = inside.receiver if inside is not None else None
    return receiver.symbol.key if isinstance(receiver, Instance) else ""


def descendants(program: Program, symbol: ClassSymbol) -> list[ClassSymbol]:
    """The classes below a class that have instances of their own."""
    return [
        one
        for one in program.names.classes.implementations(symbol)[:MAX_CALLERS]
        if one.decl.kind == "class" and "abstract" not in one.decl.modifiers
    ]


def _seen_from(
    program: Program, site: MessageSite, function: FunctionValue, call: Call, scope: Scope
) -> MessageSite:
    inside = _as_called(program, function, call, scope)
    handler = site.handler
    if handler is not None:
        handler = replace(handler, scope=_rebase_scope(handler.scope, function.function, inside))
    rebased = _rebase_scope(site.scope, function.function, inside)
    return replace(site, scope=rebased, span=call.span, caller=scope, handler=handler)


def seen_from_call(
    program: Program, scope: Scope, function: FunctionValue, call: Call, caller: Scope
) -> Scope:
    """A scope inside a function, where the parameters are what a call gives."""
    return _rebase_scope(scope, function.function, _as_called(program, function, call, caller))


def _as_called(program: Program, function: FunctionValue, call: Call, scope: Scope) -> Scope:
    given = program.evaluator.arguments(function.function.params, call, scope, function.scope)
    bindings = {name: given[name] for name in list(given) if name in given}
    for parameter, argument in zip(function.function.params, call.args, strict=False):
        if parameter.name and parameter.name not in bindings:
            value = program.evaluate(argument.value, scope)
            if not isinstance(value, Unresolved | ByType):
                bindings[parameter.name] = value
    inside = program.function_scope(function.function, function.scope, bindings)
    types = {
        parameter.name: BoundType(argument, scope)
        for parameter, argument in zip(function.function.type_params, call.type_args, strict=False)
    }
    types.update(program.evaluator.inferred_types(function, call, scope, types))
    return replace(
        inside,
        receiver=function.receiver or inside.receiver,
        types={**inside.types, **types},
    )


def _rebase_scope(scope: Scope, function: Function, inside: Scope) -> Scope:
    """A scope inside `function` with the function's own scope exchanged; callbacks in it have the
    same `this`."""
    if scope.function is function:
        return inside
    if scope.parent is None:
        return scope
    rebased = _rebase_scope(scope.parent, function, inside)
    return replace(scope, parent=rebased, receiver=rebased.receiver or scope.receiver)
