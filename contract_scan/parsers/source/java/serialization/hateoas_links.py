"""Whether a relation of a model of Spring HATEOAS ever holds several links.

HAL writes one link of a relation as an object and several as a list of them
(https://docs.spring.io/spring-hateoas/docs/current/reference/html/, "HAL"). Links are added by
`add` and with a construction (`EntityModel.of(order, link)`); what assemblers of the library add
for pages (`self`, `first`, `prev`, `next`, `last`) it adds once each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Loop,
    Name,
    NamedType,
    New,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import type_name

_PACKAGE = b"org.springframework.hateoas"
_LISTS_ALWAYS = (b"HalConfiguration", b"RenderSingleLinks", b"CurieProvider")
"""What may make a single link a list, or adds links of its own."""
MODELS = frozenset({"RepresentationModel", "EntityModel", "CollectionModel", "PagedModel"})
_PAGES = frozenset({"CollectionModel", "PagedModel"})
_PAGE_LINKS = frozenset({"self", "first", "prev", "next", "last"})
_ANY = "*"
"""Stands for a class that is not known."""
_DEEPEST = 4

_Relations: TypeAlias = "frozenset[str] | None"
"""Of which relation a link is, one of several; None: not known."""


class _Addition(Struct, frozen=True):
    """Where code adds a link."""

    model: str
    """The simple name of the class that it is added to."""
    relations: _Relations
    place: int
    """Which function adds it."""
    is_own: bool
    """Whether the function makes the object that it adds the link to, so that nothing else has
    added one before, and adds the link once."""
    repeated: bool
    """Whether it stands in a loop or a function that is called for each of several things."""


def has_single_links(program: Program, symbol: ClassSymbol | None, model: str) -> bool:
    """Whether no relation of a model has several links: of a class of the project (`symbol`), or of
    the library (`model`, by its simple name)."""
    additions = _additions(program)
    if additions is None:
        return False
    names = {_ANY, "RepresentationModel", model, *(_PAGES if model in _PAGES else ())}
    if symbol is not None:
        family = (
            symbol,
            *program.bases(symbol),
            *program.names.classes.implementations(symbol),
        )
        names |= {each.decl.name for each in family}
    relevant = [each for each in additions if each.model in names]
    if any(each.repeated or each.relations is None for each in relevant):
        return False
    return not _overlap(relevant, _PAGE_LINKS if model == "PagedModel" else frozenset())


def _overlap(additions: Sequence[_Addition], library: frozenset[str]) -> bool:
    """Whether one object may get a relation twice: in one function, or from one that is handed the
    object and any other."""
    by_place: dict[int, list[_Addition]] = defaultdict(list)
    for each in additions:
        by_place[each.place].append(each)
    own: set[str] = set(library)
    handed: list[frozenset[str]] = []
    for each_place in by_place.values():
        seen: set[str] = set()
        for each in each_place:
            relations = each.relations or frozenset()
            if not seen.isdisjoint(relations):
                return True
            seen |= relations
        if all(each.is_own for each in each_place):
            own |= seen
        else:
            handed.append(frozenset(seen))
    for relations in handed:
        if not own.isdisjoint(relations):
            return True
        own |= relations
    return any(
        not library.isdisjoint(each.relations or ())
        for each in additions
        if not each.is_own or each.model in (_ANY, *_PAGES)
    )


@memoised
def _additions(program: Program) -> list[_Addition] | None:
    """All places that add links; None where settings of the library decide more."""
    if program.any_file_contains(*_LISTS_ALWAYS):
        return None
    found: list[_Addition] = []
    place = 0
    for path in program.files_containing(_PACKAGE):
        if "/src/test/" in f"/{path}":
            continue
        for symbol in program.names.classes.of_file(program.facts(path)):
            around = program.class_scope(symbol)
            for method in symbol.decl.methods:
                place += 1
                scope = program.function_scope(method, around)
                found.extend(_of_function(program, symbol, method, scope, place))
    return found


def _of_function(
    program: Program, symbol: ClassSymbol, method: Function, scope: Scope, place: int
) -> Iterator[_Addition]:
    statements = program.body(method, symbol.file)
    nodes = list(nodes_of(statements))
    values = _variable_values(nodes)
    inner = _nodes_run_repeatedly(nodes)
    for node in nodes:
        match node:
            case Call(callee=Attribute(value=receiver, name="add"), args=given):
                pass
            case Call(callee=Attribute(value=receiver, name="addIf"), args=args):
                given = args[1:]
            case Call(callee=Name(id="add"), args=given):
                receiver = Name(id="this", span=node.span)
            case Call(callee=Attribute(value=Name(id=name), name="of"), args=args) if (
                name in MODELS
            ):
                receiver, given = node, args[1:]
            case New(type=type, args=args) if type_name(type) in MODELS:
                receiver, given = node, args[1:]
            case _:
                continue
        started = _start(receiver, values)
        model = _model(program, started, receiver, symbol, scope)
        links = [_link(program, each.value, values, scope, 0) for each in given]
        if model == "" or (model == _ANY and all(link == frozenset() for link in links)):
            continue
        is_own = isinstance(started, New) or _is_library_made(started)
        is_own = is_own or "constructor" in method.modifiers
        repeated = id(node) in inner and not (is_own and id(started) in inner)
        for link in links:
            relations = None if link == frozenset() else link
            yield _Addition(model, relations, place, is_own, repeated)


def _variable_values(nodes: Iterable[object]) -> Mapping[str, list[Expr]]:
    """What a function sets its variables to."""
    found: dict[str, list[Expr]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, Assign) and isinstance(node.target, Name) and node.value is not None:
            found[node.target.id].append(node.value)
    return found


def _nodes_run_repeatedly(nodes: Iterable[object]) -> set[int]:
    """What stands in loops and in lambdas, which may run several times, by identity."""
    outer = (node for node in nodes if isinstance(node, Loop | Lambda))
    return {id(inner) for node in outer for inner in nodes_of(node) if inner is not node}


def _start(receiver: Expr, values: Mapping[str, list[Expr]]) -> Expr:
    """What the object that links are added to begins as, where a function shows it."""
    given = values.get(receiver.id, []) if isinstance(receiver, Name) else []
    return given[0] if len(given) == 1 else receiver


def _is_library_made(made: Expr) -> bool:
    """Whether a library makes the object: `EntityModel.of(order)`, `modelMapper.map(order, …)`."""
    match made:
        case Call(callee=Attribute(value=Name(id=name), name="of" | "empty")):
            return name in MODELS
        case Call(callee=Attribute(name="map" | "convertValue")):
            return True
        case _:
            return False


def _model(
    program: Program, started: Expr, receiver: Expr, owner: ClassSymbol, scope: Scope
) -> str:
    """The simple name of the class of a model; empty where it is something else, `*` where that is
    not known."""
    if isinstance(receiver, Name) and receiver.id == "this":
        return owner.decl.name if _is_model(program, owner) else ""
    match started:
        case New(type=type) if type_name(type) in MODELS:
            return type_name(type)
        case Call(callee=Attribute(value=Name(id=name), name="of" | "empty")) if name in MODELS:
            return name
        case _:
            pass
    value = program.evaluate(receiver, scope)
    match value:
        case Instance(symbol=symbol):
            return symbol.decl.name if _is_model(program, symbol) else ""
        case ByType(type=NamedType() as type, scope=inside):
            found = program.names.declared_class(type, inside)
            if found is not None:
                return found.decl.name if _is_model(program, found) else ""
            return type_name(type) if type_name(type) in MODELS else ""
        case _:
            return _ANY


def _is_model(program: Program, symbol: ClassSymbol) -> bool:
    return any(
        type_name(base) in MODELS
        for each in (symbol, *program.bases(symbol))
        for base in each.decl.bases
    )


def _link(
    program: Program, expr: Expr, values: Mapping[str, list[Expr]], scope: Scope, depth: int
) -> _Relations:
    """The relations that a link may have; empty where an expression is no link, so far as is
    seen."""
    if depth > _DEEPEST:
        return None
    match expr:
        case Call(callee=Attribute(name="withSelfRel")):
            return frozenset({"self"})
        case Call(callee=Attribute(name="withRel"), args=(argument,)):
            text = program.text(argument.value, scope)
            return None if text is None else frozenset({text})
        case (
            Call(callee=Attribute(value=Name(id="Link"), name="of"), args=args)
            | New(type=NamedType(name="Link"), args=args)
        ):
            text = "self" if len(args) == 1 else program.text(args[1].value, scope)
            return None if text is None else frozenset({text})
        case Call(callee=Attribute(value=inner, name="andAffordance" | "expand" | "withTitle")):
            return _link(program, inner, values, scope, depth + 1)
        case Name(id=name) if name in values:
            return _any_of(_link(program, each, values, scope, depth + 1) for each in values[name])
        case Lambda(function=function):
            ends = _return_values(function.body or ())
            return _any_of(_link(program, each, values, scope, depth + 1) for each in ends)
        case Call(callee=callee):
            return _of_call(program, callee, scope, depth)
        case _:
            return frozenset()


def _of_call(program: Program, callee: Expr, scope: Scope, depth: int) -> _Relations:
    """The relations of the link that a method of the project gives."""
    called = program.evaluate(callee, scope)
    if not isinstance(called, FunctionValue):
        return frozenset()
    if type_name(called.function.returns) != "Link":
        return frozenset() if called.function.returns is not None else None
    meant = program.evaluator.only_implementation(called) or called
    body = program.body(meant.function, meant.scope.file)
    inside = program.function_scope(meant.function, meant.scope)
    values = _variable_values(nodes_of(body))
    ends = _return_values(body)
    return _any_of(_link(program, each, values, inside, depth + 1) for each in ends) or None


def _return_values(body: tuple[Statement, ...]) -> list[Expr]:
    ends = reaching_definitions.returns(body)
    return [each.value for each in ends if isinstance(each, Return) and each.value is not None]


def _any_of(links: Iterable[_Relations]) -> _Relations:
    found: set[str] = set()
    for link in links:
        if link is None:
            return None
        found |= link
    return frozenset(found)
