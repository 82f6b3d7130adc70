"""TypeORM: what the methods of repositories, entity managers and query builders give."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.typing.loaded_values import fills_in
from contract_scan.parsers.source.analysis.typing.value_types import instance_of_type
from contract_scan.parsers.source.facts.dotted_names import first_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    Statement,
    TypeExpr,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.serialization.entities import RELATIONS
from contract_scan.parsers.source.typescript.serialization.query_conditions import (
    Compared,
    compared_columns,
    rows_where,
    where_all,
    where_any,
)

_REPOSITORIES = frozenset({"Repository", "TreeRepository", "MongoRepository"})
_GIVES_REPOSITORY = ("getRepository", "getTreeRepository", "getMongoRepository")
ONE_OR_NONE = ("findOne", "findOneBy", "getOne")
ONE = ("findOneOrFail", "findOneByOrFail", "save", "getOneOrFail")
MANY = ("find", "findBy", "getMany")
AND_COUNT = ("findAndCount", "findAndCountBy", "getManyAndCount")
NUMBERS = ("count", "countBy", "getCount")
CHANGES = ("delete", "update", "softDelete", "restore")
METHODS = (*ONE_OR_NONE, *ONE, *MANY, *AND_COUNT, *NUMBERS, *CHANGES)
_OF_BUILDERS = frozenset({"getOne", "getOneOrFail", "getMany", "getManyAndCount", "getCount"})
_CHANGES_SHAPE = frozenset({"select", "distinctOn", "groupBy", "loadRelationCountAndMap"})
_MAX_CHAIN = 200
"""Calls of one query."""


def query(site: CallSite) -> Value | None:
    """What `repository.findOne({ … })` gives; None for a call of something else."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return None
    built = callee.name in _OF_BUILDERS
    entity = _entity_of_builder(site) if built else _entity(site, site.receiver)
    if entity is None:
        return None
    if isinstance(entity, ByType | Instance):
        entity = _with_loaded_relations(site, entity, callee.name)
    if callee.name in NUMBERS:
        return BySchema(Scalar(type="integer"))
    if callee.name in CHANGES:
        return BySchema(_change_result(callee.name))
    if callee.name in ONE_OR_NONE:
        return union_of((entity, Constant(None, site.call.span, site.scope.file.path)))
    if callee.name in ONE:
        return entity
    items = Array(items=site.program.schema_of(entity))
    if callee.name in AND_COUNT:
        return Items((BySchema(items), BySchema(Scalar(type="integer"))), is_tuple=True)
    return BySchema(items)


def _with_loaded_relations(site: CallSite, entity: ByType | Instance, method: str) -> Value:
    """The entity, with the relations that the query loads."""
    if method in _OF_BUILDERS:
        return _built_entity(site, entity)
    if method == "save":
        return _saved_entity(site, entity)
    if method in (*NUMBERS, *CHANGES):
        return entity
    return _found_entity(site, entity, conditions="By" in method)


def _change_result(method: str) -> Object:
    """A `DeleteResult` or an `UpdateResult`."""
    affected = Scalar(type="integer", nullable=None)
    fields = [
        Field(name="raw", schema=Unknown(reason=Reason("driver-result-undetermined"))),
        Field(name="affected", schema=affected, required=None),
    ]
    if method != "delete":
        maps = Array(items=Unknown(reason=Reason("database-filled-columns")))
        fields.insert(0, Field(name="generatedMaps", schema=maps))
    return Object(fields=tuple(fields))


def _entity(site: CallSite, repository: Value | None) -> Value | None:
    """What a repository, or a manager that is given a class, holds."""
    program = site.program
    match repository:
        case ByType(type=NamedType(name=name) as type, scope=scope):
            found = program.names.lookup_type(name, scope)
            if isinstance(found, LibrarySymbol):
                held = _held_type(found, type)
                if held is not None:
                    return ByType(held, scope, site.call.span)
            elif isinstance(found, ClassValue):
                return _entity_of_class(site, instance_of_type(program, type, scope))
        case Instance():
            return _entity_of_class(site, repository)
        case LibraryResult(name=name, site=made, scope=scope) if _is_repository(name) and made.args:
            return _instance(program.evaluate(made.args[0].value, scope))
    if repository is None:
        return None
    if site.program.evaluator.qualified_name(repository).startswith("typeorm."):
        return _instance(site.value(0))
    return None


def _held_type(found: LibrarySymbol, type: NamedType) -> TypeExpr | None:
    library, _, kind = found.name.rpartition(".")
    is_one = library == "typeorm" and kind in _REPOSITORIES and len(type.args) == 1
    return type.args[0] if is_one else None


def _entity_of_class(site: CallSite, repository: Instance | None) -> Value | None:
    """What a repository of the project holds: `class Orders extends Repository<Order>`."""
    if repository is None:
        return None
    program = site.program
    outside = program.names.classes.class_scope(repository.symbol, repository.types)
    for owner, inside in program.types.chain(repository.symbol, outside):
        for base in owner.decl.bases:
            if not isinstance(base, NamedType):
                continue
            found = program.names.lookup_type(base.name, inside)
            held = _held_type(found, base) if isinstance(found, LibrarySymbol) else None
            if held is not None:
                return ByType(held, inside, site.call.span)
    return None


def _is_repository(name: str) -> bool:
    return name.startswith("typeorm.") and name.rpartition(".")[2] in _GIVES_REPOSITORY


def _instance(value: Value | None) -> Value | None:
    return Instance(value.symbol, value.types) if isinstance(value, ClassValue) else None


def _entity_of_builder(site: CallSite) -> Value | None:
    """The entity of a query builder, which a repository creates, or a manager from a class. A
    query that selects its own columns has another result."""
    step = site.receiver
    for _ in range(_MAX_CHAIN):
        if not isinstance(step, LibraryResult):
            return None
        name = step.name.rpartition(".")[2]
        if name == "createQueryBuilder":
            held = _entity(site, step.receiver)
            if held is None and step.site.args:
                held = _instance(site.program.evaluate(step.site.args[0].value, step.scope))
            return held
        if name in _CHANGES_SHAPE:
            reason = Reason("query-selects-result", name=name)
            return BySchema(
                Unknown(reason=reason, origin=site.program.origin(site.call, site.scope))
            )
        step = step.receiver
    return None


# ------------------------------------------------------------------------------ loaded relations
# TypeORM: which relations and columns the entities have that a query gives.
#
# `find` loads what its `relations` name and what the entities declare as eager; a query builder
# loads what it joins and selects. What is undetermined leaves the entity without a view, so that
# each of its relations stays in doubt.


_Entity = ByType | Instance

_PLAIN_OPTIONS = frozenset(
    {"where", "order", "skip", "take", "cache", "withDeleted", "lock", "comment", "relations"}
    | {"relationLoadStrategy", "transaction"}
)
"""Options of `find` that choose no columns."""
_OPTIONS = _PLAIN_OPTIONS | {"select", "join", "loadRelationIds", "loadEagerRelations"}
_JOINS = frozenset({"leftJoinAndSelect", "innerJoinAndSelect"})
_MAPS = frozenset(
    {"leftJoinAndMapOne", "leftJoinAndMapMany", "innerJoinAndMapOne", "innerJoinAndMapMany"}
)
_LOADS = frozenset({"addSelect", "setFindOptions", "relation", "loadAllRelationIds"})
_KEYS = frozenset({"PrimaryGeneratedColumn", "PrimaryColumn"})
_CONDITIONS = ("where", "andWhere", "orWhere")
_COMPARISON = re.compile(
    r"""\b(?P<alias>\w{1,64})["'`]?\.["'`]?(?P<column>\w{1,64})["'`]?\s{0,8}"""
    r"(?:[=<>!]|(?:NOT\s{1,8})?(?:IN|I?LIKE|BETWEEN)\b|IS\s{1,8}NOT\s{1,8}NULL)",
    re.IGNORECASE,
)
"""`box.owner = :owner`, `box.owner IS NOT NULL`, in a text of SQL."""
_NO_CONJUNCTION = re.compile(r"\b(?:OR|CASE|COALESCE|NOT\s{0,8}\()", re.IGNORECASE)


def _found_entity(site: CallSite, entity: _Entity, *, conditions: bool) -> Value:
    """The entity that `find…(options)` returns, or (`conditions`) `findBy(conditions)`."""
    is_open = _sets_relations(site.program, entity)
    paths: set[str] | None = set()
    given = [site.value(position) for position in range(len(site.call.args))]
    compared: Compared[str] = {}
    for options in given:
        where = options if conditions else _option(options, "where")
        compared = where_all((compared, compared_columns(site.program, where)))
        if conditions:
            continue
        chosen = _option(options, "select")
        if chosen is not None:
            return entity if is_open else _selected_fields(site, entity, options, chosen)
        own = _paths(site.program, options)
        paths = None if own is None or paths is None else paths | own
    if paths is None:
        return entity
    return _in_rows(entity, paths, "open" if is_open else "eager", compared)


def _in_rows(
    entity: _Entity, paths: set[str], mode: loaded_relations.Mode, compared: Compared[str]
) -> _Entity:
    """An entity as rows have it in which some relations are loaded and some columns compared."""
    if mode == "open" and not compared:
        return entity
    view = loaded_relations.view(paths if mode != "open" else (), mode)
    return replace(entity, view=loaded_relations.with_conditions(view, compared))


def _built_entity(site: CallSite, entity: _Entity) -> Value:
    """The entity that a query builder returns."""
    steps = _steps(site)
    if steps is None:
        return entity
    aliases: dict[str, str] = {}
    paths: set[str] = set()
    joined = False
    compared: Compared[str] = {}
    for step, scope in steps:
        assert isinstance(step.callee, Attribute)
        name = step.callee.name
        if name in _CONDITIONS and step.args:
            own = _condition(site.program, step.args[0].value, scope, aliases)
            compared = (
                where_any((compared, own)) if name == "orWhere" else where_all((compared, own))
            )
            continue
        texts = [site.program.text(argument.value, scope) for argument in step.args[:3]]
        if name == "createQueryBuilder":
            # `manager.createQueryBuilder(Order, "order")`
            alias = next((text for text in reversed(texts) if text), None)
            if alias is None:
                return entity
            aliases[alias] = ""
        elif name in _JOINS or name in _MAPS:
            if not _join(name, texts, aliases, paths):
                return entity
        elif name in ("leftJoin", "innerJoin"):
            joined = True
        elif name in _LOADS:
            return entity
    is_open = (joined and not paths) or _sets_relations(site.program, entity)
    return _in_rows(entity, paths, "open" if is_open else "plain", compared)


def _condition(
    program: Program, given: Expr, scope: Scope, aliases: dict[str, str]
) -> Compared[str]:
    """The columns that a condition of a query builder compares, with the paths of their aliases."""
    text = program.text(given, scope)
    if text is None:
        return compared_columns(program, program.evaluate(given, scope))
    found = [(m["alias"], m["column"]) for m in _COMPARISON.finditer(text)]
    sure = None if _NO_CONJUNCTION.search(text) else True
    return {f"{aliases[a]}.{column}".lstrip("."): sure for a, column in found if a in aliases}


def _saved_entity(site: CallSite, entity: _Entity) -> Value:
    """The result of `save(value)`: its argument itself."""
    given = site.program.evaluator.without_null(site.unwrap(site.value(0)))
    if isinstance(given, ByType | Instance) and given.view:
        return given
    if _was_loaded(site, given, entity):
        return given
    made = _made_here(site)
    if made is None or _sets_relations(site.program, entity):
        return entity
    view = loaded_relations.view((), "plain")
    for mutation in made.mutations:
        if mutation.kind == "pass" and _leaves_as_it_is(site, mutation.value):
            continue
        if mutation.kind != "set" or mutation.key is None:
            return entity
        view = loaded_relations.with_path(
            view, mutation.key + ("?" if mutation.conditional else "*")
        )
    return replace(entity, view=view)


def _was_loaded(site: CallSite, given: Value, entity: _Entity) -> bool:
    """Whether an object is what a query gave, changed since: it has its key, and is not written out
    just here."""
    if not isinstance(given, Record | BySchema) or isinstance(site.argument(0), ObjectLiteral):
        return False
    shape = site.program.types.flat(site.program.schema_of(given))
    symbol = _symbol(site.program, entity)
    if (
        symbol is None
        or not isinstance(shape, Object)
        or shape.incomplete_reason
        or shape.additional
    ):
        return False
    keys = {
        member.name
        for member in symbol.decl.members
        if any(a.name.rsplit(".", 1)[-1] in _KEYS for a in member.annotations)
    }
    return bool(keys) and keys <= {f.name for f in shape.fields if f.required}


def _leaves_as_it_is(site: CallSite, call: Expr | None) -> bool:
    """Whether a call that is handed an entity is one of a library that puts nothing into it."""
    if not isinstance(call, Call) or fills_in(call):
        return False
    return not isinstance(site.program.evaluate(call.callee, site.scope), FunctionValue)


def _made_here(site: CallSite) -> reaching_definitions.Definition | None:
    """The one definition of a variable that holds `new Entity()`."""
    given = site.argument(0)
    if not isinstance(given, Name):
        return None
    found = definitions_of(given, site.scope)
    if len(found) != 1 or not isinstance(found[0].statement, Assign):
        return None
    value = found[0].statement.value
    return found[0] if isinstance(value, New) and not value.args else None


# ------------------------------------------------------------------ options


def _option(options: Value | None, name: str) -> Value | None:
    entries = options.entries if isinstance(options, Record) else ()
    return next((entry.value for entry in entries if entry.name == name), None)


def _selected_fields(
    site: CallSite, entity: _Entity, options: Value | None, chosen: Value
) -> Value:
    """The fields that `select: ["id", "name"]` or `select: { id: true }` leaves of an entity."""
    names = _relations(chosen)
    shape = site.program.types.flat(site.program.schema_of(entity))
    if isinstance(shape, Object):
        where = compared_columns(site.program, _option(options, "where"))
        shape = rows_where(shape, where)
    fields = {f.name: f for f in shape.fields} if isinstance(shape, Object) else {}
    if names is None or names - fields.keys() or _option(options, "relations") is not None:
        reason = Reason("query-selects-columns")
        return BySchema(Unknown(reason=reason, origin=site.program.origin(site.call, site.scope)))
    others = (
        replace(
            field,
            required=True if field.undetermined_reason else field.required,
            undetermined_reason=NO_REASON,
        )
        for name, field in fields.items()
        if name in names
    )
    return BySchema(Object(fields=tuple(others), origin=shape.origin))


def _paths(program: Program, options: Value | None) -> set[str] | None:
    """The relations that find options load; None where they are undetermined."""
    match options:
        case None | ClassValue():
            return set()
        case Record(entries=entries, partial="", values=None):
            named = {entry.name: entry.value for entry in entries}
        case _:
            shape = program.types.flat(program.schema_of(options))
            return set() if isinstance(shape, Scalar) else None  # an id
    if not named.keys() & _OPTIONS:
        return set()  # conditions
    if named.keys() - _PLAIN_OPTIONS:
        return None
    relations = named.get("relations")
    return set() if relations is None else _relations(relations)


def _relations(value: Value) -> set[str] | None:
    """`["author", "author.profile"]`, `{ author: { profile: true } }`."""
    match value:
        case Items(values=values, repeated=False):
            texts = [v.value if isinstance(v, Constant) else None for v in values]
            if not all(isinstance(text, str) for text in texts):
                return None
            return {text for text in texts if isinstance(text, str)}
        case Record(entries=entries, partial="", values=None):
            paths: set[str] = set()
            for entry in entries:
                inner = _relation(entry.name, entry.value)
                if inner is None or entry.optional:
                    return None
                paths |= inner
            return paths
        case _:
            return None


def _relation(name: str, value: Value) -> set[str] | None:
    match value:
        case Constant(value=bool(loaded)):
            return {name} if loaded else set()
        case Record():
            inner = _relations(value)
            return None if inner is None else {name, *(f"{name}.{path}" for path in inner)}
        case _:
            return None


# ------------------------------------------------------------------ query builders


def _steps(site: CallSite) -> list[tuple[Call, Scope]] | None:
    """The calls that make a query, from `createQueryBuilder` on; None where some may be missing:
    those that a variable's query is given under a condition, or by a function."""
    assert isinstance(site.call, Call) and isinstance(site.call.callee, Attribute)
    steps: list[tuple[Call, Scope]] = []
    step = site.receiver
    for _ in range(_MAX_CHAIN):
        if not isinstance(step, LibraryResult) or not isinstance(step.site, Call):
            break
        if not isinstance(step.site.callee, Attribute):
            return None
        steps.append((step.site, step.scope))
        if step.site.callee.name == "createQueryBuilder":
            break
        step = step.receiver
    if not steps:
        return None
    name = first_name(site.call.callee.value)
    if name:
        later = _later_query_calls(name, site.scope.statements or (), site.call)
        if later is None:
            return None
        steps = [*((call, site.scope) for call in later), *steps]
    return steps[::-1]


def _later_query_calls(
    name: str, statements: tuple[Statement, ...], last: Call
) -> list[Call] | None:
    """The calls by themselves on the query that a variable holds (`query.orderBy(…);`), last
    first; those of the expression that ends in `last` left out."""
    found: list[Call] = []
    for statement in statements:
        if contains(statement, last.span) and not isinstance(statement, Branch | Loop):
            continue
        own = isinstance(statement, Evaluate) and first_name(statement.value) == name
        for call in _calls(statement):
            if any(isinstance(a.value, Name) and a.value.id == name for a in call.args):
                return None
            if not isinstance(call.callee, Attribute) or first_name(call.callee.value) != name:
                continue
            if own or call.callee.name == "orWhere":
                found.append(call)
            elif call.callee.name in _JOINS | _MAPS | _LOADS and not isinstance(statement, Assign):
                return None
    return found[::-1]


def _calls(statement: Statement) -> Iterator[Call]:
    for node in nested_nodes(statement):
        if isinstance(node, Call):
            yield node


def _join(name: str, texts: list[str | None], aliases: dict[str, str], paths: set[str]) -> bool:
    """Note what a join loads: `leftJoinAndSelect("order.lines", "line")`,
    `leftJoinAndMapOne("order.first", "order.lines", "line")`; False where it is undetermined."""
    target = texts[0] if texts else None
    alias = texts[2 if name in _MAPS else 1] if len(texts) > (2 if name in _MAPS else 1) else None
    owner, _, member = (target or "").rpartition(".")
    if not member or owner not in aliases:
        return False
    path = f"{aliases[owner]}.{member}".lstrip(".")
    paths.add(path)
    if alias:
        aliases[alias] = path
    return True


# ------------------------------------------------------------------ entities


def _sets_relations(program: Program, entity: _Entity) -> bool:
    """Whether methods of an entity, or what runs after it is loaded, put something under a name
    that a relation has."""
    symbol = _symbol(program, entity)
    if symbol is None:
        return True
    for owner, scope in program.types.chain(symbol, program.names.classes.class_scope(symbol, {})):
        related = {
            member.name
            for member in owner.decl.members
            if any(a.name.rsplit(".", 1)[-1] in RELATIONS for a in member.annotations)
        }
        for method in owner.decl.methods if related else ():
            inner = program.function_scope(method, scope)
            for node in nested_nodes(inner.statements or ()):
                match node:
                    case Assign(target=Attribute(value=Name(id="this"), name=name)) if (
                        name in related
                    ):
                        return True
                    case _:
                        pass
    return False


def _symbol(program: Program, entity: _Entity) -> ClassSymbol | None:
    if isinstance(entity, Instance):
        return entity.symbol
    value = program.evaluator.type_value(entity.type, entity.scope, entity.span)
    return value.symbol if isinstance(value, ClassValue) else None
