"""Whether a member that nothing is seen to set holds null in an object that code makes.

It does where no initialiser and no constructor gives it a value, and where nothing in the program
calls what sets it on an object that may be this one: any of the class, or of one above or below,
that has come from elsewhere. Objects that are made at other places are other objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import is_null_literal
from contract_scan.parsers.source.analysis.typing.assigned_members import instance_member
from contract_scan.parsers.source.analysis.typing.constructions import constructed_members
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    Loop,
    Member,
    Name,
    NamedType,
    New,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import argument, find, has
from contract_scan.parsers.source.java.serialization.generated_servers import generated_type
from contract_scan.parsers.source.java.serialization.naming import property_of_getter
from contract_scan.parsers.source.java.serialization.nullness import is_primitive

_MOST_FILES = 60
"""In how many files calls of a setter are looked for."""
_MOST_CALLS = 200
"""How long a chain of calls is followed to what it begins with."""


def excludes_null(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether no value of a type is null: only those of the primitive ones are not."""
    return is_primitive(type)


def null_if_unset(program: Program, made: Instance, name: str) -> bool | None:
    """Whether a member that nothing is seen to set is null in an object that code makes; None:
    undetermined. Found out once."""
    known = cast("dict[object, bool | None]", program.memory.setdefault("java.unset", {}))
    place = (None if made.scope is None else made.scope.file.path, getattr(made.site, "span", None))
    key = (made.symbol.key, name, *place)
    if key not in known:
        known[key] = None  # in a ring nothing is told
        known[key] = _null_if_unset(program, made, name)
    return known[key]


def _null_if_unset(program: Program, made: Instance, name: str) -> bool | None:
    classes = [made.symbol, *program.bases(made.symbol)]
    found = instance_member(classes, name)
    if found is None:  # a getter computes it, or a class has it that a build generates
        is_computed = any(
            property_of_getter(m.name, is_boolean=True) == name
            for c in classes
            for m in c.decl.methods
        )
        return None if not is_computed and _extends_generated(program, classes[-1]) else False
    owner, member = found
    if is_primitive(member.type):
        return False
    if member.value is not None or has(member.annotations, "Singular", "Default"):
        is_null = member.value is not None and is_null_literal(member.value)
        return None if is_null else False
    is_built = isinstance(made.site, Call)
    if is_built and not has(made.symbol.decl.annotations, "Builder", "SuperBuilder"):
        return None
    if (
        made.site is None
        or made.symbol.decl.kind == "record"
        or not _is_read_as_it_is(program, classes, name)
    ):
        return None
    constructed = constructed_members(program, made)
    if constructed is not None and name in constructed:
        return None
    if constructed is None and _is_constructed_unseen(made, owner):
        return None
    if is_built and _builder_sets(program, made.symbol, name):
        return None
    kept = _is_never_set(program, made, owner, member, constructors=constructed is None)
    return True if kept else None


def keeps_default(program: Program, made: Instance, name: str) -> bool:
    """Whether nothing sets a member of an object that code makes but its constructors."""
    found = instance_member([made.symbol, *program.bases(made.symbol)], name)
    return found is not None and _is_never_set(program, made, *found, constructors=False)


def _is_never_set(
    program: Program, made: Instance, owner: ClassSymbol, member: Member, *, constructors: bool
) -> bool:
    """Whether nothing sets a member on an object; with `constructors` no constructor does so."""
    classes = [made.symbol, *program.bases(made.symbol)]
    setters = _known_setters(program, classes, member.name, constructors=constructors)
    if setters is None or made.scope is None or made.site is None:
        return False
    family = {each.decl.name for each in (*classes, *program.names.classes.implementations(owner))}
    site = Site(made.scope.file.path, made.site.span)
    if may_be_set(program, site, setters, family):
        return False
    return "private" in member.modifiers or not _is_assigned(program, made.symbol, member.name)


def _extends_generated(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class extends one that is made of a contract."""
    file = symbol.file
    for base in symbol.decl.bases if "extends" in symbol.decl.modifiers else ():
        if isinstance(base, NamedType):
            package, _, simple = base.name.rpartition(".")
            near = [e.module for e in file.imports if e.name in (simple, "*")]
            if generated_type(
                program, file.path, simple, [package] if package else [file.package, *near]
            ):
                return True
    return False


def reads_as_set(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether the getter of a field gives what the field holds. Found out once."""
    known = cast("dict[object, bool]", program.memory.setdefault("java.reads", {}))
    key = (symbol.key, name)
    if key not in known:
        known[key] = _is_read_as_it_is(program, [symbol, *program.bases(symbol)], name)
    return known[key]


def _is_read_as_it_is(program: Program, classes: list[ClassSymbol], name: str) -> bool:
    """Whether the getter of a field gives what the field holds."""
    for owner in classes:
        for method in owner.decl.methods:
            if method.params or property_of_getter(method.name, is_boolean=True) != name:
                continue
            body = program.body(method, owner.file)
            if not body:
                continue  # declared by an interface
            match body:
                case (Return(value=Call(callee=Attribute(name=maker), args=(only,))),) if maker in (
                    "ofNullable",
                    "fromNullable",
                ):
                    returned: Expr | None = only.value
                case (Return(value=returned),):
                    pass
                case _:
                    return False
            match returned:
                case Name(id=read) | Attribute(value=Name(id="this"), name=read):
                    return read == name
                case _:
                    return False
    return True


def _known_setters(
    program: Program, classes: list[ClassSymbol], name: str, *, constructors: bool
) -> frozenset[str] | None:
    known = cast("dict[object, frozenset[str] | None]", program.memory.setdefault("java.set", {}))
    key = (classes[0].key, name, constructors)
    if key not in known:
        known[key] = _setters(program, classes, name, constructors=constructors)
    return known[key]


def _setters(
    program: Program, classes: list[ClassSymbol], name: str, *, constructors: bool
) -> frozenset[str] | None:
    """The names of the methods that set a field; None where code that runs with a construction may
    set it, too: with `constructors`, one of the constructors."""
    found = {f"set{name[:1].upper()}{name[1:]}"}
    if any(has(owner.decl.annotations, "Accessors") for owner in classes):
        found.add(name)
    bodies = [
        (method, tuple(nodes_of(program.body(method, owner.file))))
        for owner in classes
        for method in owner.decl.methods
    ]
    for _ in bodies:  # methods that call those which set it
        more = {
            method.name
            for method, nodes in bodies
            if any(_sets(node, name) or _calls(node, found) for node in nodes)
        } - found
        if not more:
            break
        found |= more
    kinds = {"constructor", "initializer"} if constructors else {"initializer"}
    makers = [m.name for m, _ in bodies if kinds & set(m.modifiers)]
    if not found.isdisjoint(makers):
        return None
    return frozenset(found - {m.name for m, _ in bodies if "constructor" in m.modifiers})


def _sets(node: object, name: str) -> bool:
    match node:
        case Assign(target=Name(id=target) | Attribute(name=target)):
            return target == name
        case _:
            return False


def _calls(node: object, names: set[str]) -> bool:
    """Whether a node of a method's body calls another method of the object by one of the names."""
    match node:
        case Call(callee=Name(id=name) | Attribute(value=Name(id="this" | "super"), name=name)):
            return name in names
        case _:
            return False


def _is_constructed_unseen(made: Instance, owner: ClassSymbol) -> bool:
    """Whether a constructor of the class that has a member, which is not written out, may be given
    something: Lombok makes it."""
    has_written = any("constructor" in m.modifiers for m in owner.decl.methods)
    return isinstance(made.site, New) and bool(made.site.args) and not has_written


def _builder_sets(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether a method that is written in the builder which Lombok completes sets a member."""
    marked = find(symbol.decl.annotations, "Builder", "SuperBuilder")
    called = program.text(argument(marked, "builderClassName"), program.class_scope(symbol))
    builder = f"{symbol.qualified_name}.{called or f'{symbol.decl.name}Builder'}"
    return any(
        _sets(node, name) or _calls(node, {name})
        for one in program.classes(symbol.file)
        if one.qualified_name == builder
        for method in one.decl.methods
        for node in nodes_of(program.body(method, one.file))
    )


# --------------------------------------------------------------------------- calls of setters


class Site(Struct, frozen=True):
    """Where an object is constructed."""

    path: str
    span: Span


class _Use(Struct, frozen=True, eq=False):
    """A call of a method, or a reference to one, in a function."""

    receiver: Expr
    function: Function
    scope: Scope


def may_be_set(program: Program, site: Site, setters: Iterable[str], family: set[str]) -> bool:
    """Whether one of several methods may be called on an object of a class that is made at some
    place. `family`: the names of the class, and of those above and below it."""
    for setter in setters:
        paths = [p for p in program.files_with_word(setter) if not _is_of_tests(p)]
        if len(paths) > _MOST_FILES:
            return True
        for path in paths:
            uses = _uses(program, path).get(setter, ())
            if any(_may_be_meant(program, site, use, family) for use in uses):
                return True
    return False


def _is_of_tests(path: str) -> bool:
    """Whether a file belongs to tests, which set nothing where the program runs."""
    return "/src/test/" in f"/{path}"


def _may_be_meant(program: Program, site: Site, use: _Use, family: set[str]) -> bool:
    chain = [use.receiver]
    while isinstance(chain[-1], Call) and isinstance(chain[-1].callee, Attribute):
        chain.append(chain[-1].callee.value)
        if len(chain) > _MOST_CALLS:
            return True
    match chain[-1]:
        case New(type=NamedType(name=name)) as root:
            return name.rpartition(".")[2] in family and _is_site(site, root, use.scope)
        case Name(id="this" | "super"):
            return len(chain) > 1  # what calls it on the object is among what sets the member
        case Name(id=name) if len(chain) == 1 or name in _names_of(use.function, family):
            return _may_hold(program, site, name, use, family)
        case _:
            return _may_be_of(program, use, family)


def _may_be_of(program: Program, use: _Use, family: set[str]) -> bool:
    """Whether what an expression gives may be of one of the classes. Only of a field of the class
    around it is it asked what it is declared as: to evaluate every such expression takes long."""
    match use.receiver:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            pass
        case _:
            return True
    owner = use.scope.owner_around
    found = None if owner is None else instance_member([owner, *program.bases(owner)], name)
    type = found[1].type if found is not None else None
    if not isinstance(type, NamedType):
        return True
    return type.name.rpartition(".")[2] in {*family, "Object"}


def _names_of(function: Function, family: set[str]) -> set[str]:
    """The parameters of a function that are declared to be of one of the classes."""
    return {
        p.name for p in function.params if isinstance(p.type, NamedType) and p.type.name in family
    }


def _may_hold(program: Program, site: Site, name: str, use: _Use, family: set[str]) -> bool:
    """Whether a variable may hold the object."""
    given: list[Expr | None] = []
    types: list[TypeExpr | None] = []
    for parameter in use.function.params:
        if parameter.name == name:
            given.append(None)
            types.append(parameter.type)
    for node in nodes_of(use.scope.statements):
        match node:
            case Assign(target=Name(id=target), value=value, type=type) if target == name:
                given.append(value)
                types.append(type)
            case Loop(variable=Name(id=target)) if target == name:
                return True
            case _:
                pass
    declared = next((type for type in types if isinstance(type, NamedType)), None)
    if declared is not None and declared.name not in ("var", "val", "Object", *family):
        return False
    made = [value for value in given if value is None or not is_null_literal(value)]
    if not made:  # a field, or what a lambda is given
        return _may_be_of(program, use, family)
    return not all(_is_made_elsewhere(site, value, use) for value in made)


def _is_made_elsewhere(site: Site, value: Expr | None, use: _Use) -> bool:
    """Whether a value is constructed where it stands, at another place."""
    while isinstance(value, Call) and isinstance(value.callee, Attribute):
        value = value.callee.value
    return isinstance(value, New) and not _is_site(site, value, use.scope)


def _is_site(site: Site, made: New, scope: Scope) -> bool:
    return site == Site(scope.file.path, made.span)


@memoised
def _uses(program: Program, path: str) -> Mapping[str, list[_Use]]:
    """What is called with an argument, or referred to, on something in a file, by name; found out
    once."""
    found: dict[str, list[_Use]] = {}
    for function, scope in _functions(program, program.facts(path)):
        for node in nodes_of(scope.statements):
            match node:
                case Call(callee=Attribute(value=receiver, name=name), args=(_, *_)):
                    found.setdefault(name, []).append(_Use(receiver, function, scope))
                case Argument(value=Attribute(value=receiver, name=name)):
                    found.setdefault(name, []).append(_Use(receiver, function, scope))
                case _:
                    pass
    return found


def _functions(program: Program, facts: FileFacts) -> Iterator[tuple[Function, Scope]]:
    for symbol in program.names.classes.of_file(facts):
        around = program.class_scope(symbol)
        for method in symbol.decl.methods:
            yield method, program.function_scope(method, around)


def _is_assigned(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether something outside sets a field that is not private."""
    paths = set(program.files_with_word(name)) & set(program.files_with_word(symbol.decl.name))
    paths = {path for path in paths if not _is_of_tests(path)} - {symbol.file.path}
    if len(paths) > _MOST_FILES:
        return True
    for path in paths:
        for _, scope in _functions(program, program.facts(path)):
            for node in nodes_of(scope.statements):
                match node:
                    case Assign(target=Attribute(name=target)) if target == name:
                        return True
                    case _:
                        pass
    return False
