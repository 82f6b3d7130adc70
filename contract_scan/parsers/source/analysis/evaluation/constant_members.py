"""Members that every constructor sets to constants: `super(0)` into a final field of a base."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Function,
    LiteralExpr,
    Member,
    Name,
    New,
    Statement,
)

_MAX_DEPTH = 8
_SEALED = frozenset({"final", "sealed"})
_MOST_CONSTRUCTORS = 8


def constant_values(
    program: Program, symbol: ClassSymbol, name: str
) -> tuple[LiteralValue, ...] | None:
    """The constants that a member which is set once has in objects of a class: one for each
    constructor, followed through those it calls. None where one of them gives it anything else, or
    where classes below may."""
    declared = _member_named(program, symbol, name)
    found = None if declared is None else _values_of_member(program, symbol, *declared)
    # To look for classes below costs more, and lets the answer rest on every file.
    return None if found is None or not is_never_extended(program, symbol) else found


def _values_of_member(
    program: Program, symbol: ClassSymbol, owner: ClassSymbol, member: Member
) -> tuple[LiteralValue, ...] | None:
    if member.kind == "getter" and member.value is not None:
        return _written_out(program, member.value, program.class_scope(owner))
    if not _is_set_once(member):
        return None
    constructors: list[Function | None] = [*_constructors(symbol)]
    if len(constructors) > _MOST_CONSTRUCTORS:
        return None
    field = _Field(program, owner, member)
    values = [field.after(symbol, one, {}, 0) for one in constructors or [None]]
    constants: list[LiteralValue] = []
    for value in values:
        if not isinstance(value, Constant) or value.value is None:
            return None
        constants.append(value.value)
    return tuple(dict.fromkeys(constants))


def member_of_construction(program: Program, made: Instance, name: str) -> Value | None:
    """What a member that is set once has in an object that is constructed here: its constructor is
    followed through those it calls. None where that is not seen."""
    if not isinstance(made.site, New) or made.scope is None:
        return None
    found = _set_once_member(program, made.symbol, name)
    if found is None:
        return None
    field = _Field(program, *found)
    return field.value_after_delegation(made.symbol, made.site.args, made.scope, 0)


def is_never_extended(program: Program, symbol: ClassSymbol) -> bool:
    """Whether no class of the project extends one: it is sealed, or none is seen that does."""
    is_sealed = bool(_SEALED & set(symbol.decl.modifiers))
    return is_sealed or not program.names.classes.implementations(symbol)


def _written_out(program: Program, value: Expr, scope: Scope) -> tuple[LiteralValue, ...] | None:
    """The constant that C#'s `Kind => "round"` gives, written out or by the name of a constant.
    What other members begin with may have changed since."""
    match value:
        case LiteralExpr():
            pass
        case Name(id=id) if scope.owner is not None:
            if not _is_constant(program, scope.owner, id):
                return None
        case Attribute(value=holder, name=name):
            named = program.evaluate(holder, scope)
            if not isinstance(named, ClassValue) or not _is_constant(program, named.symbol, name):
                return None
        case _:
            return None
    found = program.evaluate(value, scope)
    if not isinstance(found, Constant) or found.value is None:
        return None
    return (found.value,)


def _is_constant(program: Program, symbol: ClassSymbol, name: str) -> bool:
    declared = _member_named(program, symbol, name)
    return declared is not None and declared[1].kind == "constant"


def _set_once_member(
    program: Program, symbol: ClassSymbol, name: str
) -> tuple[ClassSymbol, Member] | None:
    """The member of that name, where only the constructor sets it."""
    declared = _member_named(program, symbol, name)
    return declared if declared is not None and _is_set_once(declared[1]) else None


def _member_named(
    program: Program, symbol: ClassSymbol, name: str
) -> tuple[ClassSymbol, Member] | None:
    """The member of that name, with the class that declares it last."""
    for owner in (symbol, *program.bases(symbol)):
        for part in program.names.classes.parts(owner):
            for member in part.decl.members:
                if member.name == name:
                    return owner, member
    return None


def _is_set_once(member: Member) -> bool:
    words = set(member.modifiers)
    if "static" in words or member.kind in ("enum", "constant"):
        return False
    only_read = member.kind == "property" and "get" in words and not words & {"set", "init"}
    return only_read or bool(words & {"final", "readonly"})


def _constructors(symbol: ClassSymbol) -> list[Function]:
    return [method for method in symbol.decl.methods if "constructor" in method.modifiers]


class _Field(Struct, frozen=True, eq=False):
    """A member, and the class that declares it."""

    program: Program
    owner: ClassSymbol
    member: Member

    def after(
        self,
        symbol: ClassSymbol,
        constructor: Function | None,
        given: Mapping[str, Value],
        depth: int,
    ) -> Value | None:
        """What it holds once a constructor of a class has run with these arguments; None where that
        is not seen."""
        if depth > _MAX_DEPTH:
            return None
        inside = self.program.class_scope(symbol)
        body: tuple[Statement, ...] = ()
        if constructor is not None:
            inside = self.program.function_scope(constructor, inside, given)
            body = self.program.body(constructor, symbol.file)
        other = _delegated_constructor(body)
        if other is not None and other[0] == "this":
            return self.value_after_delegation(symbol, other[1], inside, depth)
        if symbol.key == self.owner.key:
            if self.member.kind == "parameter":
                return given.get(self.member.name)
            return self._set_in(body, inside)
        base = next(
            (b for b in self.program.bases(symbol) if b.decl.kind in ("class", "record")), None
        )
        if base is None:
            return None
        args = other[1] if other is not None else symbol.decl.base_args
        return self.value_after_delegation(base, args, inside, depth)

    def value_after_delegation(
        self, symbol: ClassSymbol, args: tuple[Argument, ...], scope: Scope, depth: int
    ) -> Value | None:
        """The value of the field after a constructor that another one calls."""
        fitting = [c for c in _constructors(symbol) if len(c.params) == len(args)]
        if any(argument.spread for argument in args) or len(fitting) > 1:
            return None
        if not fitting:
            return (
                None if args or _constructors(symbol) else self.after(symbol, None, {}, depth + 1)
            )
        params = fitting[0].params
        values = {
            argument.name or params[position].name: self.program.evaluate(argument.value, scope)
            for position, argument in enumerate(args)
        }
        return self.after(symbol, fitting[0], values, depth + 1)

    def _set_in(self, body: tuple[Statement, ...], scope: Scope) -> Value | None:
        given = [s.value for s in body if isinstance(s, Assign) and self._is_target(s.target)]
        if self.member.value is not None and not given:
            return self.program.evaluate(self.member.value, scope)
        if len(given) != 1 or given[0] is None:
            return None
        return self.program.evaluate(given[0], scope)

    def _is_target(self, target: Expr) -> bool:
        match target:
            case Attribute(value=Name(id="this"), name=name) | Name(id=name):
                return name == self.member.name
            case _:
                return False


def _delegated_constructor(body: tuple[Statement, ...]) -> tuple[str, tuple[Argument, ...]] | None:
    """The constructor that another one begins with: `super(0)`, `this(1, a)`."""
    for statement in body[:1]:
        match statement:
            case Evaluate(value=Call(callee=Name(id="this" | "super" as name), args=args)):
                return name, args
            case _:
                pass
    return None
