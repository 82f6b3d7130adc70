"""What builders, repositories and factories of libraries give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    AssignedMember,
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Refinement,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.builder_calls import BUILDERS, is_builder
from contract_scan.parsers.source.analysis.syntax.null_checks import property_of
from contract_scan.parsers.source.analysis.typing.assigned_members import without_assigned_nulls
from contract_scan.parsers.source.analysis.typing.library_objects import ANY_MEMBER
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    LiteralExpr,
    Name,
    NamedType,
    New,
)
from contract_scan.parsers.source.java.library_calls.generated_objects import (
    class_of_contract,
    generated_object,
)
from contract_scan.parsers.source.java.library_calls.json_trees import (
    TEXT,
    built_json,
    built_map,
    tree_schema,
)
from contract_scan.parsers.source.java.resolution.annotations import argument, find, type_name
from contract_scan.parsers.source.java.serialization.nullness import kept_not_null

_MOST_BUILDERS = 8
"""Of how many builders that a name may hold it is told what each builds."""
_MOST_CALLS = 200
"""How many calls on a builder are followed."""
_PAGES = frozenset({"Page", "Slice", "PageImpl"})
_FACTORIES = frozenset(
    {"now", "of", "parse", "from", "randomUUID", "fromString", "valueOf", "create", "ofEpochMilli"}
)
"""Static methods that give an instance of their own class."""


def built_instance(site: CallSite) -> Value | None:
    """`Order.builder().id(1).build()`: an instance, where a builder of the project's class begins
    the chain."""
    built_here = built_json(site) or built_map(site.receiver, site)
    if built_here is not None:
        return built_here
    receiver = site.receiver
    builders = receiver.options if isinstance(receiver, OneOf) else (receiver,)
    made = [_built_by(site, builder) for builder in builders[:_MOST_BUILDERS]]
    known = tuple(one for one in made if one is not None)
    return union_of(known) if len(known) == len(builders) else None


def _built_by(site: CallSite, builder: Value | None) -> Value | None:
    value = builder
    for _ in range(200):
        match value:
            case LibraryResult(name=name, receiver=receiver):
                if name.endswith(".builder") and isinstance(receiver, ClassValue):
                    made = Instance(receiver.symbol, receiver.types, site.call, site.scope)
                    return _with_built(site, builder, made)
                if name.endswith(".toBuilder") and receiver is not None:
                    return _with_built(site, builder, receiver)
                value = receiver
            case ByType(type=NamedType(name=type)) if type.endswith("Builder"):
                return _built_class(value, type)
            case _:
                return None
    return None


def _with_built(site: CallSite, builder: Value | None, value: Value) -> Value:
    """An object with the members that the calls between `builder()` and `build()` set."""
    if not isinstance(value, ByType | Instance):
        return value
    prefix = _setter_prefix(value)
    given: dict[str, Callable[[], Value]] = {}
    possible: dict[str, list[Callable[[], Value]]] = {}
    is_whole = False
    for name, later, is_optional in _calls_before_build(site, builder):
        if name in BUILDERS or name == ANY_MEMBER:
            is_whole = name != ANY_MEMBER
            break
        member = property_of(name, prefix) if prefix else name
        if member in given:
            continue
        if is_optional:
            possible.setdefault(member, []).append(later)
        else:
            given[member] = partial(_one_of, (later, *possible.pop(member, ())))
    known = tuple(AssignedMember(name, later) for name, later in given.items())
    before = value.assigned if is_whole else ()
    left = tuple(one for one in before if one.name not in given and one.name not in possible)
    value = replace(value, assigned=(*left, *known))
    if not isinstance(value, Instance):
        return value
    may = frozenset(possible) | (value.may_be_assigned or frozenset())
    is_open = not is_whole or value.may_be_assigned is None
    return replace(value, may_be_assigned=None if is_open else may)


def _calls_before_build(
    site: CallSite, builder: Value | None
) -> Iterator[tuple[str, Callable[[], Value], bool]]:
    """What a builder has been told before `build()`, the last call first: the method's name, what
    it was given, and whether only some ways lead past the call. It ends with the method that gave
    the builder, or with `ANY_MEMBER` where not all calls are seen."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    scope, held = site.scope, builder
    for _ in range(_MOST_CALLS):
        if not isinstance(held, LibraryResult) or not isinstance(callee, Attribute):
            break
        if isinstance(callee.value, Name) and _is_followed(callee.value, scope):
            for entry in reversed(held.assigned):
                yield entry.name, partial(_itself, entry.value), entry.optional
        elif callee.value is not held.site:
            break
        if not isinstance(held.site, Call) or not isinstance(held.site.callee, Attribute):
            break
        callee, args = held.site.callee, held.site.args
        scope, held = held.scope, held.receiver
        if callee.name in BUILDERS or len(args) == 1:
            later = partial(site.program.evaluate, args[0].value, scope) if args else _nothing
            yield callee.name, later, False
        if callee.name in BUILDERS:
            return
    yield ANY_MEMBER, _nothing, True


def _one_of(values: Sequence[Callable[[], Value]]) -> Value:
    return union_of(tuple(value() for value in values))


def _itself(value: Value) -> Value:
    return value


def _nothing() -> Value:
    return Constant(None)


def _is_followed(name: Name, scope: Scope) -> bool:
    """Whether all is seen that a function tells the builder that a local name holds."""
    found = reaching_definitions.definitions_of(name, scope)
    return bool(found) and all(map(is_builder, found))


def _setter_prefix(made: ByType | Instance) -> str:
    """What the names of a builder's methods begin with: `@Builder(setterPrefix = "with")`."""
    if not isinstance(made, Instance):
        return ""
    told = argument(find(made.symbol.decl.annotations, "Builder", "SuperBuilder"), "setterPrefix")
    match told:
        case LiteralExpr(value=str(prefix)):
            return prefix
        case _:
            return ""


def _built_class(value: ByType, name: str) -> Value | None:
    """`OrderBuilder` and `Order.Builder` build an `Order`."""
    owner = name.removesuffix("Builder").rstrip(".").rpartition(".")[2]
    return ByType(NamedType(name=owner), value.scope) if owner else None


def _repository_item(site: CallSite) -> BoundType | None:
    """The entity of a Spring Data (or Panache) repository interface of the project."""
    value = site.receiver
    found: object = value
    if isinstance(value, ByType) and isinstance(value.type, NamedType):
        found = site.program.names.lookup_type(value.type.name, value.scope)
    elif isinstance(value, Instance):
        found = ClassValue(value.symbol)
    if not isinstance(found, ClassValue):
        return None
    names = site.program.names
    chain = [(found.symbol, site.program.class_scope(found.symbol))]
    chain.extend(
        (s, names.classes.class_scope(s, t)) for s, t in names.classes.ancestors(found.symbol)
    )
    for symbol, scope in chain:
        for base in symbol.decl.bases:
            if isinstance(base, NamedType) and base.args and "Repository" in base.name:
                return BoundType(base.args[0], scope)
    return None


def found_one(site: CallSite) -> Value | None:
    """An entity of a repository."""
    item = _repository_item(site)
    return None if item is None else ByType(item.type, item.scope)


def found_all(site: CallSite) -> Value | None:
    """The entities of a repository, or a page of them."""
    item = _repository_item(site)
    if item is None:
        return None
    first = site.value(0)
    if isinstance(first, ByType) and type_name(first.type) in ("Pageable", "PageRequest"):
        scope = Scope(file=item.scope.file, parent=item.scope, types={"Item": item})
        return ByType(NamedType(name="Page", args=(NamedType(name="Item"),)), scope)
    return Items((ByType(item.type, item.scope),), repeated=True)


def constant_of_name(site: CallSite) -> Value | None:
    """`Status.valueOf(name)`: a constant of an enum of the project, never null."""
    match site.receiver:
        case ClassValue(symbol=ClassSymbol(decl=decl) as symbol) if decl.kind == "enum":
            inside = site.program.class_scope(symbol)
            return ByType(NamedType(name=decl.name), inside, refinements=(NOT_NULL,))
        case _:
            return None


def saved_entity(site: CallSite) -> Value | None:
    """The entity that is saved, in which the database may have filled in what was null."""
    if _repository_item(site) is None:
        return None
    value = site.value(0)
    if not isinstance(value, ByType | Instance):
        return value
    value = without_assigned_nulls(value)
    if not isinstance(value, Instance):
        return value
    told = tuple(
        Refinement(member.name, keeps=False, value=Constant(None))
        for owner in (value.symbol, *site.program.bases(value.symbol))
        for member in owner.decl.members
        if kept_not_null(site.program, owner, member)
    )
    return replace(value, refinements=(*value.refinements, *told))


JSON_WRITERS = (
    *(".writeValueAsString", ".toJson", ".writeValueAsBytes"),
    *("Json.encode", "Json.encodePrettily"),
)
"""Methods of mappers that write a value as JSON text, by the ends of their names."""


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape of what a static factory of a library class gives: `Instant.now()`; of JSON that a
    mapper writes: text."""
    if made.name == TEXT or made.name.endswith((*JSON_WRITERS, "encodePrettily")):
        return Scalar(type="string")
    known = tree_schema(program, made, variant) or generated_object(program, made, variant)
    if known is not None:
        return known
    site = made.site
    if isinstance(site, New) or not isinstance(site.callee, Attribute):
        return None
    owner = site.callee.value
    if not isinstance(owner, Name) or site.callee.name not in _FACTORIES:
        return None
    if isinstance(program.names.lookup_type(owner.id, made.scope), LibrarySymbol):
        return program.schema(NamedType(name=owner.id), made.scope, variant)
    return None


def written_text(site: CallSite) -> Value | None:
    """The text that a mapper writes; its argument stays visible."""
    return LibraryResult(site.name, site.call, site.scope, site.receiver)


def plain_value(site: CallSite) -> Value | None:
    """A wrapper's content: `getBody()`, `getContent()`."""
    value = site.unwrap(site.receiver)
    if isinstance(value, ByType) and type_name(value.type) in _PAGES:
        return Items((site.item(value),), repeated=True)
    return None


def in_builder(site: CallSite) -> bool:
    """Whether a method is called on a builder, or on an object of a generated class that its calls
    give back, which has a member of the method's name."""
    value = site.receiver
    for _ in range(100):
        if not isinstance(value, LibraryResult):
            return False
        if isinstance(value.site, New):
            made = class_of_contract(site.program, value)
            shape = None if made is None else site.program.types.flat(made)
            called = site.name.rpartition(".")[2]
            members = shape.fields if isinstance(shape, Object) else ()
            return any((one.declared_as or one.name) == called for one in members)
        if value.name.endswith((".builder", ".newBuilder", ".toBuilder", "Builder")):
            return True
        value = value.receiver
    return True
