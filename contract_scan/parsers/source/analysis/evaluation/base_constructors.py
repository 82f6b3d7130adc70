"""What a class of the project hands to the constructor of the library class that it derives from.

class Gone(Response):
    def __init__(self, status_code: int = 204): super().__init__(status_code=status_code)

`Gone()` is made as `Response(status_code=204)` is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import assigned_from
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.argument_facts import RECEIVERS
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Loop,
    Name,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_DEEPEST = 6
"""How many constructors above one another are followed."""


def base_construction(
    program: Program, instance: Instance, base: str, sets: frozenset[str] = frozenset()
) -> LibraryResult | None:
    """The construction of a library class that making an object of a project class amounts to.
    None where a constructor cannot be followed, or assigns one of the members `sets` by itself.

    `base`: the qualified name of the library class.
    """
    if instance.site is None or instance.scope is None:
        return None
    site, scope = instance.site, instance.scope
    owners = [instance.symbol, *program.bases(instance.symbol)]
    for _ in range(_DEEPEST):
        owner = next((one for one in owners if _constructor(one) is not None), None)
        constructor = None if owner is None else _constructor(owner)
        if owner is None or constructor is None:
            return LibraryResult(base, site, scope)
        callee = FunctionValue(constructor, program.class_scope(owner), owner, instance)
        inside = _constructor_scope(program, callee, site, scope)
        body = inside.statements or ()
        if any(_member_set(node) in sets for node in nodes_of(body)):
            return None
        calls = list(_calls_above(body))
        if len(calls) != 1 or not _always_runs(body, calls[0]):
            return None
        written = _written_out(program, calls[0], inside)
        if written is None:
            return None
        site, scope = written, inside
        owners = owners[owners.index(owner) + 1 :]
    return None


def handed_to_base(
    program: Program, instance: Instance, owner: ClassSymbol, member: str
) -> Value | None:
    """What the constructors of the classes below `owner` hand up to it for one of its members:
    "/users" of `super("/users")`. None where they do not say, or each object is given its own."""
    owners = [instance.symbol, *program.bases(instance.symbol)]
    bindings: Mapping[str, Value] = {}
    for position, current in enumerate(owners[:_DEEPEST]):
        constructor = _constructor(current)
        if constructor is None and current.key != owner.key:
            continue
        if constructor is None:
            return None
        if current.key == owner.key or member in assigned_from(program, current, member):
            if position == 0:
                return None
            names = assigned_from(program, current, member)
            given = [bindings[name] for name in names if name in bindings]
            return given[0] if len(given) == 1 else None
        callee = FunctionValue(constructor, program.class_scope(current), current, instance)
        inside = program.function_scope(constructor, callee.scope, bindings)
        inside = replace(inside, receiver=instance, owner=current)
        calls = list(_calls_above(inside.statements or ()))
        above = next((o for o in owners[position + 1 :] if _constructor(o) is not None), None)
        if len(calls) != 1 or above is None or not _always_runs(inside.statements or (), calls[0]):
            return None
        above_constructor = _constructor(above)
        written = _written_out(program, calls[0], inside)
        if written is None or above_constructor is None:
            return None
        called = FunctionValue(above_constructor, program.class_scope(above), above, instance)
        bindings = {
            name: value
            for name, value in _given_arguments(program, called, written, inside)
            if _is_plain(value)
        }
    return None


def _given_arguments(
    program: Program, callee: FunctionValue, call: Call, scope: Scope
) -> Iterator[tuple[str, Value]]:
    params = [p for p in callee.function.params if p.name not in RECEIVERS]
    positional = [a.value for a in call.args if not a.name]
    named = {a.name: a.value for a in call.args if a.name}
    for position, parameter in enumerate(params):
        if parameter.kind in ("*", "**"):
            return
        if parameter.name in named:
            yield parameter.name, program.evaluate(named[parameter.name], scope)
        elif position < len(positional):
            yield parameter.name, program.evaluate(positional[position], scope)
        elif parameter.default is not None:
            yield parameter.name, program.evaluate(parameter.default, callee.scope)


def _is_plain(value: Value) -> bool:
    """Whether a value is the same in every object: no argument of the constructor."""
    match value:
        case Constant(value=held):
            return held is not None
        case Template(parts=parts):
            return all(map(_is_plain, parts))
        case Items(values=values) | OneOf(options=values):
            return all(map(_is_plain, values))
        case LibraryResult() | FunctionValue() | ClassValue() | Record():
            return True
        case _:
            return False


def _constructor(symbol: ClassSymbol) -> Function | None:
    found = [m for m in symbol.decl.methods if m.name == "__init__" or "constructor" in m.modifiers]
    return found[0] if len(found) == 1 else None


def _constructor_scope(
    program: Program, callee: FunctionValue, site: Call | New, caller: Scope
) -> Scope:
    """The scope of a constructor with the arguments of a construction."""
    callee_name = Name(callee.function.name, span=site.span)
    call = site if isinstance(site, Call) else Call(callee_name, site.args, span=site.span)
    evaluator = program.evaluator
    bindings = evaluator.arguments_with_defaults(callee, call, caller)
    rest = _variadic_arguments(program, callee.function, call, caller)
    if rest is not None:
        bindings.give(rest)
    scope = program.function_scope(callee.function, callee.scope, bindings)
    scope = replace(scope, receiver=callee.receiver, owner=callee.owner, depth=caller.depth + 1)
    return evaluator.as_called(scope, callee, call, caller)


def _variadic_arguments(
    program: Program, constructor: Function, call: Call, caller: Scope
) -> dict[str, Value] | None:
    """What `*args` holds: the arguments beyond the other parameters. None where there is none."""
    names = [p.name for p in constructor.params if p.name not in RECEIVERS]
    star = next((p.name for p in constructor.params if p.kind == "*" and p.name), "")
    if not star or any(argument.spread for argument in call.args):
        return None
    beyond = [a.value for a in call.args if not a.name][names.index(star) :]
    values = tuple(program.evaluate(expr, caller) for expr in beyond)
    return {star: Items(values, is_tuple=True)}


def _calls_above(body: tuple[Statement, ...]) -> Iterator[Call]:
    """`super().__init__(…)`, `Response.__init__(self, …)`, `super(…)`."""
    for node in nodes_of(body, closed=(Function,)):
        match node:
            case Call(callee=Name(id="super")):
                yield node
            case Call(callee=Attribute(value=Name(id="super"), name="__init__")):
                yield node
            case Call(callee=Attribute(name="__init__"), args=(Argument(value=Name(id=id)), *rest)):
                if id in ("this", "self"):
                    yield replace(node, args=tuple(rest))
            case _:
                pass


def _always_runs(body: tuple[Statement, ...], call: Call) -> bool:
    """Whether a call stands in a body under no condition."""
    return any(
        not isinstance(statement, Branch | Loop) and contains(statement, call.span)
        for statement in body
    )


def _member_set(node: object) -> str:
    """The member of the object that an assignment sets."""
    match node:
        case Assign(target=Attribute(value=Name(id="this" | "self"), name=name)):
            return name
        case _:
            return ""


def _written_out(program: Program, call: Call, scope: Scope) -> Call | None:
    """A call with what `*args` and `**options` stand for. None where that is not known."""
    if not any(argument.spread for argument in call.args):
        return call
    args: list[Argument] = []
    for argument in call.args:
        if not argument.spread:
            args.append(argument)
            continue
        held = program.evaluate(argument.value, scope)
        match held:
            case Record(entries=entries, partial="", values=None):
                names = [entry.name for entry in entries]
                args.extend(_item(argument.value, name, name) for name in names)
            case Items(values=values, is_tuple=True):
                args.extend(_item(argument.value, i, "") for i in range(len(values)))
            case _:
                return None
    return replace(call, args=tuple(args))


def _item(holder: Expr, key: str | int, name: str) -> Argument:
    value = Index(holder, LiteralExpr(key, span=holder.span), span=holder.span)
    return Argument(value=value, name=name)
