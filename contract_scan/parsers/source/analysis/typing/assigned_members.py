"""The members that code gives an object: with its construction, and afterwards.

What is set travels with the value until its shape is asked for (`member_narrowing.refined_schema`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from msgspec.structs import replace

from contract_scan.ir.schema import Object, Scalar
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import (
    assigned_from,
    is_own_member,
)
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.memo import memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    ByType,
    ClassSymbol,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Unresolved,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import is_null_key, is_null_literal
from contract_scan.parsers.source.analysis.typing.member_narrowing import (
    refinements_of_member,
    says_not_null,
)
from contract_scan.parsers.source.analysis.typing.written_values import holds_written_null
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Call,
    Entry,
    Expr,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    New,
    Text,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


def instance_member(owners: Iterable[ClassSymbol], name: str) -> tuple[ClassSymbol, Member] | None:
    """The member of a name that objects of classes have, with the first class that has it."""
    for owner in owners:
        for member in owner.decl.members:
            if member.name == name and "static" not in member.modifiers:
                return owner, member
    return None


def given_members(program: Program, made: Instance) -> Iterator[tuple[str, Expr]]:
    """The members that a construction gives a value, with it, in order: the parameters of a record
    or of the only constructor that no text shows, what the only one keeps of its parameters, and
    what its initialiser sets then."""
    if isinstance(made.site, Call) and (changed := made.may_be_assigned) is not None:
        since = changed | {one.name for one in made.assigned}
        given = _given_implicitly(program, made.symbol, made.site.args)
        yield from ((name, value) for name, value in given if name not in since)
    if not isinstance(made.site, New):
        return
    if not any(argument.spread for argument in made.site.args):
        yield from _constructor_members(program, made, made.site.args)
    for entry in made.site.entries:
        if entry.key is not None and not entry.spread:
            yield entry.key, entry.value


def _constructor_members(
    program: Program, made: Instance, args: tuple[Argument, ...]
) -> Iterator[tuple[str, Expr]]:
    """The members that the arguments of a construction are kept in."""
    decl = made.symbol.decl
    maker = next((m for m in decl.methods if "primary" in m.modifiers), None)
    if maker is not None and decl.kind == "record":
        for parameter, argument in zip(maker.params, args, strict=False):
            yield argument.name or parameter.name, argument.value
    makers = [m for m in decl.methods if "constructor" in m.modifiers]
    components = [member.name for member in decl.members if member.kind == "parameter"]
    if maker is None and not makers and decl.kind == "record":
        for name, argument in zip(components, args, strict=False):
            yield name, argument.value
    if len(makers) == 1 and args and not any(argument.name for argument in args):
        for member in decl.members:
            kept = assigned_from(program, made.symbol, member.name)
            for parameter, argument in zip(makers[0].params, args, strict=False):
                if parameter.name in kept:
                    yield member.name, argument.value


def begins_as_object(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether what is declared of a member makes an object: `Address? Home { get; set; } = new();`
    which code may set to null later."""
    found = instance_member((symbol, *program.bases(symbol)), name)
    made = None if found is None or found[1].kind == "getter" else found[1].value
    is_text = isinstance(made, LiteralExpr) and made.value is not None
    return is_text or isinstance(made, New | ArrayLiteral | Text)


def only_implicit_constructor(program: Program, symbol: ClassSymbol) -> tuple[str, ...]:
    """The members that the parameters of the only constructor set which no text shows."""
    constructors = program.language.implicit_constructors(program, symbol)
    return constructors[0] if len(constructors) == 1 else ()


def _given_implicitly(
    program: Program, symbol: ClassSymbol, args: Sequence[Argument]
) -> Iterator[tuple[str, Expr]]:
    """What a call gives the members that the only constructor sets, which no text shows."""
    names = only_implicit_constructor(program, symbol)
    by_place = takewhile(lambda argument: not argument.name and not argument.spread, args)
    yield from ((name, each.value) for name, each in zip(names, by_place, strict=False) if name)
    yield from ((each.name, each.value) for each in args if each.name and each.name in names)


def member_set_to(program: Program, name: str, expr: Expr, scope: Scope) -> AssignedMember:
    """A member that is set to what an expression gives."""

    def may_be_undefined() -> bool | None:
        written = Entry(key=name, value=expr, span=expr.span)
        made = program.evaluator.record((written,), scope, expr.span)
        [only] = made.entries if isinstance(made, Record) else ()
        return only.undefined

    return AssignedMember(name, partial(program.evaluate, expr, scope), may_be_undefined)


def merged_members(value: Value) -> tuple[AssignedMember, ...] | None:
    """The members that an object is given with all entries of another one; None where these are
    not all seen."""
    if not isinstance(value, Record) or value.partial or value.values is not None:
        return None
    if any(entry.optional for entry in value.entries):
        return None
    return tuple(
        AssignedMember(
            entry.name, partial(getattr, entry, "value"), partial(getattr, entry, "undefined")
        )
        for entry in value.entries
    )


def without_members(made: Instance, mutation: Mutation) -> Instance:
    """A value of which a mutation may change the members that its construction has given."""
    site = made.site
    if not isinstance(site, New):
        return made
    if mutation.kind in ("set", "open", "remove") and mutation.key is not None:
        remaining = tuple(entry for entry in site.entries if entry.key != mutation.key)
        if len(remaining) == len(site.entries) and not site.args:
            return made
        made = _possibly_assigned(made, None) if site.args else made
        return replace(made, site=replace(site, entries=remaining, args=()))
    made = _possibly_assigned(made, None)
    return replace(made, site=replace(site, entries=(), args=()))


def value_after_mutation(
    value: ByType | Instance,
    mutation: Mutation,
    given: AssignedMember | None,
    before: Callable[[], Value | None],
) -> ByType | Instance:
    """An object of a class after a change: a member that is set is what it is set to, or what it
    was `before` where it may as well not be set, and is known, or set to null, or where it is."""
    if mutation.kind not in ("set", "open", "remove", "merge"):
        return value
    last = next((one for one in value.assigned if one.name == mutation.key), None)
    left = () if mutation.key is None else value.assigned
    left = tuple(one for one in left if one.name != mutation.key)
    is_certain = not (mutation.conditional or mutation.if_absent)
    key = mutation.key if mutation.kind == "set" and mutation.value is not None else None
    is_merged = is_certain and mutation.kind == "merge" and given is not None
    merged = merged_members(given.value) if is_merged and given is not None else None
    if is_certain and key is not None and given is not None:
        left = (*left, given)
    elif merged is not None:
        names = {one.name for one in merged}
        left = (*(one for one in value.assigned if one.name not in names), *merged)
    elif (
        key is not None
        and given is not None
        and (_is_null(mutation.value) or last is not None or is_null_key(mutation.condition, key))
    ):
        left = (*left, _one_or_other(last, before, given, mutation))
    elif isinstance(value, Instance):
        value = _possibly_assigned(value, mutation.key)
    return replace(value, assigned=left) if left or value.assigned else value


def _one_or_other(
    last: AssignedMember | None,
    before: Callable[[], Value | None],
    given: AssignedMember,
    mutation: Mutation,
) -> AssignedMember:
    def value() -> Value:
        held = before()
        return given.value if held is None else union_of((held, given.value))

    def may_be_undefined() -> bool | None:
        was = not is_null_key(mutation.condition, given.name) and (last is None or last.undefined())
        return any_of((was, given.undefined()))

    return AssignedMember(given.name, value, may_be_undefined)


def _is_null(expr: Expr | None) -> bool:
    """Whether an expression is null, also C#'s `null!`."""
    match expr:
        case Call(callee=Name(id="!"), args=(Argument(value=LiteralExpr(value=None)),)):
            return True
        case _:
            return expr is not None and is_null_literal(expr)


def _possibly_assigned(made: Instance, name: str | None) -> Instance:
    """An object of which code may have set a member; any member where there is no name."""
    before = made.may_be_assigned
    after = None if name is None or before is None else before | {name}
    return made if after == before else replace(made, may_be_assigned=after)


def without_assigned_nulls(value: ByType | Instance) -> ByType | Instance:
    """A value that a library is handed: it may fill in what code has set to null (a key that the
    database makes)."""
    left = tuple(
        one for one in value.assigned if not (is_null(one.value) or holds_written_null(one.value))
    )
    if isinstance(value, Instance):
        value = _possibly_assigned(value, None)
        if isinstance(value.site, New):
            given = tuple(e for e in value.site.entries if not is_null_literal(e.value))
            value = replace(value, site=replace(value.site, entries=given))
    return value if len(left) == len(value.assigned) else replace(value, assigned=left)


def by_its_type(program: Program, value: Value) -> ByType | None:
    """An object as one of its class, of which nothing else is known; one of a library as what a
    chain of calls that give it back begins with (`new Order().id(1)`)."""
    while isinstance(value, LibraryResult) and isinstance(value.receiver, LibraryResult):
        if value.name.rpartition(".")[2].startswith(("get", "is", "to")):
            return None
        value = value.receiver
    match value:
        case ByType():
            return value
        case Instance(symbol=symbol):
            named = NamedType(name=symbol.qualified_name)
            return ByType(named, program.module_scope(symbol.file))
        case LibraryResult(site=New(type=NamedType() as type), scope=scope):
            return ByType(type, scope)
        case _:
            return None


def assigned_to(value: Value, name: str) -> Value | None:
    """What code has set a member of a value to; None where it is not seen to be set."""
    assigned = value.assigned if isinstance(value, ByType | Instance) else ()
    return next((one.value for one in assigned if one.name == name), None)


def may_be_told(value: Value) -> bool:
    """Whether code may have set members of a value, or it is a record, whose components stay."""
    is_record = isinstance(value, Instance) and value.symbol.decl.kind == "record"
    return is_record or (isinstance(value, ByType | Instance) and bool(value.assigned))


def told_component(program: Program, value: Value, name: str) -> Value | None:
    """What code has set a member of a value to, or has given a record for it; None where that is
    not seen, is a library's, or is null that something has filled in since."""
    found = assigned_to(value, name)
    if found is not None or not isinstance(value, Instance) or value.scope is None:
        return found
    expr = dict(given_members(program, value)).get(name)
    held = None if expr is None else program.evaluate(expr, value.scope)
    if held is not None and is_null(held) and says_not_null(refinements_of_member(value, name)):
        return None
    return None if isinstance(held, Unresolved | LibraryResult | LibrarySymbol) else held


def set_on(program: Program, value: Value, name: str) -> Value | None:
    """What code has set a member of a value to, also where it is written out or constructed:
    `new Result { Ok = true }`; None where it is not seen to be set."""
    if isinstance(value, Record):
        return next((entry.value for entry in value.entries if entry.name == name), None)
    found = assigned_to(value, name)
    if found is not None or not isinstance(value, Instance) or value.scope is None:
        return found
    entries = value.site.entries if isinstance(value.site, New) else ()
    entry = next((each for each in entries if each.key == name), None)
    return None if entry is None else program.evaluate(entry.value, value.scope)


def initializer_value(program: Program, made: Instance, name: str) -> Value | None:
    """What the initializer of an object sets a member to; not a list or a map, which code may fill
    since."""
    found = set_on(program, made, name)
    if found is None or isinstance(found, Items | Record):
        return None
    shape = program.types.flat(program.types.schema_of(found))
    return found if isinstance(shape, Scalar | Object) else None


@memoised_with(None)
def given_later(program: Program, owner: ClassSymbol, name: str) -> Instance | None:
    """The one object that code of a class puts into a member that starts as null, where no object
    of its class is ever written (a service), nor so that null:
    `if self._orders is None: self._orders = Orders(…)`."""
    inside = program.class_scope(owner)
    given = [
        (node.value, program.function_scope(method, inside))
        for method in owner.decl.methods
        for node in nodes_of(program.body(method, owner.file))
        if isinstance(node, Assign) and node.value and not is_null_literal(node.value)
        if is_own_member(node.target, name)
    ]
    made = program.evaluate(*given[0]) if len(given) == 1 else None
    is_service = isinstance(made, Instance) and program.types.is_unknown(program.schema_of(made))
    return made if isinstance(made, Instance) and is_service else None


def common_assigned(options: Sequence[Value]) -> tuple[AssignedMember, ...]:
    """The members that code has set on every one of several values."""
    first, *others = options or (Constant(None),)
    members = [
        {one.name: one for one in other.assigned} if isinstance(other, ByType | Instance) else {}
        for other in others
    ]
    return tuple(
        _either(one, [each[one.name] for each in members]) if members else one
        for one in (first.assigned if isinstance(first, ByType | Instance) else ())
        if all(one.name in each for each in members)
    )


def _either(one: AssignedMember, others: Sequence[AssignedMember]) -> AssignedMember:
    return AssignedMember(
        one.name,
        lambda: union_of((one.value, *(other.value for other in others))),
        lambda: any_of((one.undefined(), *(other.undefined() for other in others))),
    )
