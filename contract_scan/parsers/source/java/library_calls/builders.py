"""What builders, repositories and factories of libraries give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.schema import Scalar, Schema
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    AssignedMember,
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import without_assigned_nulls
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
)
from contract_scan.parsers.source.java.library_calls.generated_objects import (
    class_of_contract,
    generated_object,
)
from contract_scan.parsers.source.java.library_calls.json_trees import TEXT, built_json, built_map
from contract_scan.parsers.source.java.resolution.annotations import type_name

_PAGES = frozenset({"Page", "Slice", "PageImpl"})
_FACTORIES = frozenset(
    {"now", "of", "parse", "from", "randomUUID", "fromString", "valueOf", "create", "ofEpochMilli"}
)
"""Static methods that give an instance of their own class."""


def built_instance(site: CallSite) -> Value | None:
    """`Order.builder().id(1).build()`: an instance, where a builder of the project's class begins
    the chain."""
    value: Value | None = site.receiver
    built_here = built_json(site) or built_map(value, site)
    if built_here is not None:
        return built_here
    for _ in range(200):
        match value:
            case LibraryResult(name=name, receiver=receiver):
                if name.endswith(".builder") and isinstance(receiver, ClassValue):
                    made = Instance(receiver.symbol, receiver.types, site.call, site.scope)
                    return _with_built(site, made)
                if name.endswith(".toBuilder") and receiver is not None:
                    return _with_built(site, receiver)
                value = receiver
            case ByType(type=NamedType(name=type)) if type.endswith("Builder"):
                return _built_class(value, type)
            case _:
                return None
    return None


def _with_built(site: CallSite, value: Value) -> Value:
    """An object with the members that the calls between `builder()` and `build()` set; where these
    are not written as one chain, which are set in the end is undetermined."""
    if not isinstance(value, ByType | Instance):
        return value
    given: dict[str, Callable[[], Value]] = {}
    call: Expr = site.call
    while isinstance(call, Call) and isinstance(call.callee, Attribute):
        name, args = call.callee.name, call.args
        if name in ("builder", "toBuilder"):
            left = tuple(one for one in value.assigned if one.name not in given)
            known = tuple(AssignedMember(name, later) for name, later in given.items())
            return replace(value, assigned=(*left, *known))
        if len(args) == 1:
            given.setdefault(name, partial(site.program.evaluate, args[0].value, site.scope))
        call = call.callee.value
    made = replace(value, assigned=())
    return replace(made, site=None, scope=None) if isinstance(made, Instance) else made


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
    return without_assigned_nulls(value) if isinstance(value, ByType | Instance) else value


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
    generated = generated_object(program, made, variant)
    if generated is not None:
        return generated
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
    give back, whose methods may have any name."""
    value = site.receiver
    for _ in range(100):
        if not isinstance(value, LibraryResult):
            return False
        if isinstance(value.site, New):
            return class_of_contract(site.program, value) is not None
        if value.name.endswith((".builder", ".newBuilder", ".toBuilder", "Builder")):
            return True
        value = value.receiver
    return True
