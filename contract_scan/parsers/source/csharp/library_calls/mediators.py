"""What a request that is sent through a mediator is answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    Instance,
    LibrarySymbol,
    OneOf,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import NamedType, NullableType, TypeExpr

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


# --------------------------------------------------------------------------- the language itself


_REQUESTS = frozenset({"IRequest`1", "IStreamRequest`1", "IQuery`1", "ICommand`1"})


def declared_response(program: Program, request: Value) -> Value | None:
    """The response that the type of a request declares."""
    match request:
        case Instance(symbol=symbol, types=types):
            scope = program.names.class_scope(symbol, types)
            own: Value | None = None
            for owner, inside in program.types.chain(symbol, scope):
                for base in owner.decl.bases:
                    if not isinstance(base, NamedType) or not _is_request(base):
                        continue
                    declared = program.names.lookup_type(base.name, inside)
                    if isinstance(declared, LibrarySymbol):
                        return ByType(base.args[0], inside, base.span)
                    # `IQuery<T>` of the project may be an `IRequest<Result<T>>`.
                    own = own or ByType(base.args[0], inside, base.span)
            return own
        case ByType(type=type):
            instance = _instance(program, type, request)
            return declared_response(program, instance) if instance is not None else None
        case OneOf(options=options):
            found = [declared_response(program, option) for option in options]
            known = tuple(value for value in found if value is not None)
            return union_of(known) if len(known) == len(found) else None
        case _:
            return None


def _is_request(base: NamedType) -> bool:
    return bool(base.args) and base.name.rsplit(".", 1)[-1] in _REQUESTS


def _instance(program: Program, type: TypeExpr, value: ByType) -> Instance | None:
    if isinstance(type, NullableType):
        type = type.item
    if not isinstance(type, NamedType):
        return None
    found = program.names.lookup_type(type.name, value.scope)
    if not isinstance(found, ClassValue):
        return None
    bound = program.names.bind(found.symbol.decl.type_params, type, value.scope)
    return Instance(found.symbol, bound)
