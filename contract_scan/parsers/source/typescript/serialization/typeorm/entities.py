"""TypeORM: what the methods of repositories, entity managers and query builders give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, NamedType
from contract_scan.parsers.source.typescript.serialization.typeorm import (
    loaded_relations as typeorm_loaded,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import CallSite

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
        return typeorm_loaded.built_entity(site, entity)
    if method == "save":
        return typeorm_loaded.saved_entity(site, entity)
    if method in (*NUMBERS, *CHANGES):
        return entity
    return typeorm_loaded.found_entity(site, entity, conditions="By" in method)


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
    match repository:
        case ByType(type=NamedType(name=name, args=(held,)), scope=scope):
            found = site.program.names.lookup_type(name, scope)
            library, _, kind = (
                found.name.rpartition(".") if isinstance(found, LibrarySymbol) else ("",) * 3
            )
            if library == "typeorm" and kind in _REPOSITORIES:
                return ByType(held, scope, site.call.span)
        case LibraryResult(name=name, site=made, scope=scope) if _is_repository(name) and made.args:
            return _instance(site.program.evaluate(made.args[0].value, scope))
    if repository is None:
        return None
    if site.program.evaluator.qualified_name(repository).startswith("typeorm."):
        return _instance(site.value(0))
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
