"""TypeORM: what the methods of a `Repository<T>` give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Array, Scalar
from contract_scan.parsers.source.facts import Attribute, Call, NamedType
from contract_scan.parsers.source.link.values import (
    Constant,
    External,
    Items,
    Shaped,
    Typed,
    Value,
    one_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.calls import CallSite

_REPOSITORIES = frozenset({"Repository", "TreeRepository", "MongoRepository"})
ONE_OR_NONE = ("findOne", "findOneBy")
ONE = ("findOneOrFail", "findOneByOrFail", "save")
MANY = ("find", "findBy")
AND_COUNT = ("findAndCount", "findAndCountBy")
METHODS = (*ONE_OR_NONE, *ONE, *MANY, *AND_COUNT)


def query(site: CallSite) -> Value | None:
    """What `repository.findOne({ … })` gives; None for a call of something else."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return None
    entity = _entity(site, site.receiver)
    if entity is None:
        return None
    if callee.name in ONE_OR_NONE:
        return one_of((entity, Constant(None, site.call.span, site.scope.file.path)))
    if callee.name in ONE:
        return entity
    items = Array(items=site.program.schema_of(entity))
    if callee.name in AND_COUNT:
        return Items((Shaped(items), Shaped(Scalar(type="integer"))), is_tuple=True)
    return Shaped(items)


def _entity(site: CallSite, repository: Value | None) -> Typed | None:
    """A value of the `T` in `Repository<T>`."""
    if not isinstance(repository, Typed) or not isinstance(repository.type, NamedType):
        return None
    if len(repository.type.args) != 1:
        return None
    found = site.program.names.lookup_type(repository.type.name, repository.scope)
    if not isinstance(found, External) or found.name.rpartition(".")[0] != "typeorm":
        return None
    if found.name.rpartition(".")[2] not in _REPOSITORIES:
        return None
    return Typed(repository.type.args[0], repository.scope, site.call.span)
