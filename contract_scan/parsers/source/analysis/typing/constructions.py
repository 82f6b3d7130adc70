"""What the constructors of a class set, and those of the classes above it, when an object is made.

A constructor may hand its arguments on (`this(…)`, `super(…)`), or be one that no text shows (made
of the fields, by Lombok). Where one cannot be followed, or several of as many parameters could be
called, nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, cast

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import sets_member
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Kind, Path
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.side_effects import call_mutations
from contract_scan.parsers.source.analysis.typing.assigned_members import (
    assigned_to,
    given_members,
    instance_member,
    member_set_to,
    merged_members,
    only_implicit_constructor,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    Name,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_DEEPEST = 6
"""How many constructors that call one another are followed."""
_SELF = "this"

_Later: TypeAlias = Callable[[], Value]
Constructed: TypeAlias = Mapping[str, AssignedMember | None]
"""The members that constructors set -> what to; None: one of several values."""


def constructed_members(program: Program, made: Instance) -> Constructed | None:
    """The members that making an object sets; None where its constructors are not followed.
    Members that are not among these hold what their declarations say."""
    site, scope = made.site, made.scope
    if scope is None or not isinstance(site, New):
        return None
    if any(each.spread or each.name for each in site.args):
        return None
    known = cast(
        "dict[object, tuple[Scope, Constructed | None]]",
        program.memory.setdefault("constructed", {}),
    )
    key = (made.symbol.key, site.span, len(site.args), id(scope))
    if key not in known:
        known[key] = scope, None  # in a ring nothing is told
        given = [partial(_argument, program, each.value, scope) for each in site.args]
        found: dict[str, AssignedMember | None] = {}
        is_whole = _Follower(program, found).follow(made.symbol, given, 0)
        known[key] = scope, found if is_whole else None
    return known[key][1]


def constructed_values(program: Program, made: Instance) -> tuple[AssignedMember, ...]:
    """The members that making an object sets to one value, which code does not change since."""
    changed = made.may_be_assigned
    constructed = None if changed is None else constructed_members(program, made)
    return tuple(
        one
        for name, one in (constructed or {}).items()
        if one is not None and changed is not None and name not in changed
    )


def initial_constant(program: Program, made: Instance, name: str) -> Constant | Instance | None:
    """The constant that a member begins with, in an object whose construction in a function leaves
    it so, and which no code changes since. None where that is not seen, and for an empty text,
    which mostly stands for one that is still to come."""
    site, scope, changed = made.site, made.scope, made.may_be_assigned
    if site is None or changed is None or name in changed:
        return None
    entries = site.entries if isinstance(site, New) else ()
    if any(entry.spread or entry.key in (None, name) for entry in entries):
        return None
    if any(argument.spread for argument in site.args):
        return None
    if isinstance(site, Call) and name not in only_implicit_constructor(program, made.symbol):
        return None
    while scope is not None and scope.function is None:
        scope = scope.parent
    classes = (made.symbol, *program.bases(made.symbol))
    found = instance_member(classes, name)
    if scope is None or found is None or found[1].value is None or assigned_to(made, name):
        return None
    members = constructed_members(program, made)
    if members is None and any(sets_member(program, one, name) for one in classes):
        return None
    if name in (members or ()):
        return None
    keeps, blocks = program.language.keeps_default, found[0].decl.methods
    if keeps is not None and not keeps(program, made, name):
        return None
    if any("initializer" in method.modifiers for method in blocks):
        return None
    value = program.evaluate(found[1].value, program.class_scope(found[0]))
    if isinstance(value, Instance):
        return value if value.constant else None
    return value if isinstance(value, Constant) and value.value != "" else None


def member_as_made(program: Program, made: Value, name: str) -> Value | None:
    """What code has set a member of a value to; one that need not be there as the construction of
    an object in a function has left it, `undefined` where nothing has set it. None where that is
    not seen."""
    given = assigned_to(made, name)
    if given is not None or not isinstance(made, Instance) or not program.language.structural:
        return given
    changed, scope = made.may_be_assigned, made.scope
    if changed is None or name in changed:
        return None
    classes = (made.symbol, *program.bases(made.symbol))
    found = instance_member(classes, name)
    if found is None or not found[1].optional or found[1].value is not None:
        return None
    if found[1].annotations or sum(len(one.decl.bases) for one in classes) >= len(classes):
        return None  # a library may set it
    while scope is not None and scope.function is None:
        scope = scope.parent
    members = None if scope is None else constructed_members(program, made)
    if members is None or any(sets_member(program, one, name) for one in classes):
        return None
    one = members.get(name, AssignedMember(name, lambda: LibrarySymbol("undefined")))
    if one is None or one.undefined() is not False or isinstance(one.value, Unresolved):
        return None
    return one.value


def with_constructed(program: Program, made: Instance, mutation: Mutation) -> Instance:
    """An object before a change of one of its members, with what constructors have set the others
    to, or what the components of a record are given; the member itself where it may keep that."""
    if mutation.kind not in ("set", "open", "remove") or mutation.key is None:
        return made
    is_kept = mutation.conditional
    if not isinstance(made.site, New) or not (made.site.args or is_kept):
        return made
    known = {one.name for one in made.assigned}
    fixed = constructed_values(program, made) if made.site.args else ()
    if not fixed and made.scope is not None:
        known.update(entry.key or "" for entry in made.site.entries if entry.key != mutation.key)
        fixed = tuple(
            member_set_to(program, name, expr, made.scope)
            for name, expr in given_members(program, made)
        )
    if not is_kept:
        known.add(mutation.key)
    others = {one.name: one for one in fixed if one.name not in known}  # what is set last stays
    return replace(made, assigned=(*others.values(), *made.assigned))


def _argument(program: Program, expr: Expr, scope: Scope) -> Value:
    """What a constructor is given; beside it `undefined` where that may be so."""
    given = member_set_to(program, "", expr, scope)
    if given.undefined() is False:
        return given.value
    return union_of((given.value, LibrarySymbol("undefined")))


class _Follower:
    """Goes through the constructors of one object."""

    def __init__(self, program: Program, found: dict[str, AssignedMember | None]) -> None:
        self._program = program
        self._found = found

    def follow(self, owner: ClassSymbol, given: Sequence[_Later], depth: int) -> bool:
        """Whether a constructor of a class is known that takes some arguments, and what it does."""
        if depth > _DEEPEST:
            return False
        written = [m for m in owner.decl.methods if "constructor" in m.modifiers]
        fitting = [m for m in written if _takes(m, len(given))]
        if any(param.kind for method in written for param in method.params):
            return False  # takes any number of arguments
        unseen = self._program.language.implicit_constructors(self._program, owner)
        fields = [names for names in unseen if len(names) == len(given)]
        if not written and not unseen and not given:
            return self._superclass_constructor(owner, (), depth)
        if len(fitting) + len(fields) != 1:
            return False
        if fields:
            pairs = zip(fields[0], given, strict=True)
            self._found.update((name, AssignedMember(name, later)) for name, later in pairs)
            return self._superclass_constructor(owner, (), depth)
        return self._run(owner, fitting[0], given, depth)

    def _superclass_constructor(
        self, owner: ClassSymbol, given: Sequence[_Later], depth: int
    ) -> bool:
        above = next((one for one in self._program.bases(owner) if one.decl.kind == "class"), None)
        return above is None or self.follow(above, given, depth + 1)

    def _run(
        self, owner: ClassSymbol, constructor: Function, given: Sequence[_Later], depth: int
    ) -> bool:
        given = [*given, *self._defaults(owner, constructor, len(given))]
        body = self._running_body(owner, constructor, given)
        if not _is_followed(self._program, owner, body):
            return False
        names = [param.name for param in constructor.params]
        changed = {
            node.target.id
            for node in nodes_of(body)
            if isinstance(node, Assign) and isinstance(node.target, Name)
        }
        values = {
            name: later
            for name, later in zip(names, given, strict=True)
            if name not in changed or _members(owner, name)
        }

        def value(expr: Expr) -> _Later:
            if isinstance(expr, Name) and expr.id in values and expr.id not in changed:
                return values[expr.id]
            return partial(self._value_in_constructor, owner, constructor, given, expr)

        first = body[0] if body else None
        match _call_of(first):
            case Call(callee=Name(id=callee), args=args):
                rest, handed = body[1:], [value(argument.value) for argument in args]
                is_own = callee == _SELF
                if not (
                    self.follow(owner, handed, depth + 1)
                    if is_own
                    else self._superclass_constructor(owner, handed, depth)
                ):
                    return False
            case _:
                rest = body
                if not self._superclass_constructor(owner, (), depth):
                    return False
        for member in owner.decl.members:
            if member.kind == "parameter" and member.name in values:
                self._found[member.name] = AssignedMember(member.name, values[member.name])
        for statement in rest:
            match statement:
                case Assign(target=target, value=expr, operator="") if expr is not None and (
                    name := _own_member(owner, target, names)
                ):
                    self._found[name] = AssignedMember(name, value(expr))
                case Evaluate() if merged := _merged_into_self(statement):
                    members = merged_members(value(merged)())
                    if members is None:
                        return False
                    self._found.update((one.name, one) for one in members)
                case _:
                    for node in nodes_of((statement,)):
                        if isinstance(node, Assign) and (
                            name := _own_member(owner, node.target, names)
                        ):
                            self._found[name] = None
        return True

    def _defaults(self, owner: ClassSymbol, constructor: Function, count: int) -> list[_Later]:
        """What the parameters behind the first ones are where they are not given."""
        inside = self._program.class_scope(owner)
        scope = self._program.function_scope(constructor, inside)
        return [
            partial(LibrarySymbol, "undefined")
            if param.default is None
            else partial(self._program.evaluate, param.default, scope)
            for param in constructor.params[count:]
        ]

    def _running_body(
        self, owner: ClassSymbol, constructor: Function, given: Sequence[_Later]
    ) -> tuple[Statement, ...]:
        """The statements of a constructor that run with such arguments."""
        body = self._program.body(constructor, owner.file)
        if not any(isinstance(statement, Branch) for statement in body):
            return body
        facts: dict[Path, Fact] = {}
        for param, later in zip(constructor.params, given, strict=True):
            facts |= _facts_of_argument(param.name, later())
        callee = FunctionValue(constructor, self._program.class_scope(owner), owner)
        running = self._program.evaluator.specialisations.with_facts(callee, facts)
        return self._program.body(running.function, owner.file)

    def _value_in_constructor(
        self, owner: ClassSymbol, constructor: Function, given: Sequence[_Later], expr: Expr
    ) -> Value:
        """What an expression of a constructor gives."""
        bindings = {
            param.name: later() for param, later in zip(constructor.params, given, strict=True)
        }
        inside = self._program.class_scope(owner)
        return self._program.evaluate(
            expr, self._program.function_scope(constructor, inside, bindings)
        )


def _takes(constructor: Function, count: int) -> bool:
    """Whether a constructor may be called with so many arguments."""
    rest = constructor.params[count:]
    return count <= len(constructor.params) and all(
        p.optional or p.default is not None for p in rest
    )


def _facts_of_argument(name: str, value: Value) -> dict[Path, Fact]:
    match value:
        case Constant(value=literal, declared_type=None, is_chosen=False):
            return {name: literal}
        case LibrarySymbol(name="undefined"):
            return {name: Kind.UNDEFINED}
        case _:
            return {}


def _call_of(statement: Statement | None) -> Call | None:
    """The call of another constructor that a constructor begins with."""
    for node in nodes_of(() if statement is None else (statement,)):
        match node:
            case Call(callee=Name(id="this" | "super")):
                return node
            case _:
                pass
    return None


def _merged_into_self(statement: Statement) -> Expr | None:
    """What `Object.assign(this, values)` copies into the object."""
    changes = call_mutations(statement.value, _SELF) if isinstance(statement, Evaluate) else ()
    merged = [one.value for one in changes if one.kind == "merge"]
    return merged[0] if len(merged) == 1 else None


def _is_followed(program: Program, owner: ClassSymbol, body: tuple[Statement, ...]) -> bool:
    """Whether a constructor hands the object to nobody: it calls no method of it, and passes it to
    none."""
    methods = {m.name for one in (owner, *program.bases(owner)) for m in one.decl.methods}
    for node in nodes_of(tuple(one for one in body if _merged_into_self(one) is None)):
        match node:
            case Call(callee=Name(id=name)) if name in methods and name not in ("this", "super"):
                return False
            case Call(callee=Attribute(value=Name(id="this" | "super"))):
                return False
            case Argument(value=Name(id="this")):
                return False
            case Assign(value=Name(id="this")):
                return False
            case _:
                pass
    return True


def _own_member(owner: ClassSymbol, target: Expr, params: Sequence[str]) -> str:
    """The member of the object that an assignment sets; empty where it sets something else."""
    match target:
        case Attribute(value=Name(id="this"), name=name):
            return name
        case Name(id=name) if name not in params and _members(owner, name):
            return name
        case _:
            return ""


def _members(owner: ClassSymbol, name: str) -> bool:
    return any(member.name == name for member in owner.decl.members)
