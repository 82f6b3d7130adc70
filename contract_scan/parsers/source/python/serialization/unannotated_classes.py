"""Plain classes: nothing writes them, unless they have a method that turns them into a dict."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Instance,
    Record,
    RecordEntry,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Name
from contract_scan.parsers.source.python.serialization.fields import (
    function_result,
    member_origin,
    or_converted,
)
from contract_scan.parsers.source.python.serialization.kinds import class_of, library_bases
from contract_scan.parsers.source.python.serialization.library_types import scalar_named
from contract_scan.parsers.source.python.serialization.modes import LOAD, flags
from contract_scan.parsers.source.python.serialization.type_encoders import may_be_encoded

_VALIDATORS = ("__get_validators__", "__get_pydantic_core_schema__")
"""Methods by which a class tells pydantic 1 or 2 how its values are read."""
_WRITERS = ("__json__", "to_dict", "as_dict", "asdict", "to_json", "serialize", "json", "dict")


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """What the class's own writing method gives, or the scalar, dictionary or list that it is
    derived from (`class Slug(str)`), else Unknown."""
    for name in _WRITERS:
        if use.program.find_method(symbol, name) is None:
            continue
        written = use.program.types.flat(function_result(use, symbol, name))
        if isinstance(written, Object) and not written.fields:
            # It is declared to give some map; the body shows which.
            written = use.program.types.flat(_body_result(use, symbol, name))
        if isinstance(written, Object) and written.fields:
            return Object(
                fields=written.fields,
                additional=written.additional,
                incomplete_reason=written.incomplete_reason,
                name=symbol.decl.name,
                origin=written.origin,
            )
    for base in library_bases(use.program, symbol):
        if base.name in ("dict", "typing.Dict", "list", "typing.List"):
            return use.schema(base.type, base.scope)
        scalar = scalar_named(base.name)
        if scalar is not None:
            doubt = may_be_encoded(use)
            shape = doubt or Scalar(type=scalar[0], format=scalar[1], origin=symbol.origin)
            reads = LOAD in flags(use.variant)
            if reads and any(use.program.find_method(symbol, name) for name in _VALIDATORS):
                return or_converted(shape, symbol.decl.name)
            return shape
    reason = Reason("class-serialization-undetermined", type=symbol.decl.name)
    return Unknown(reason=reason, nullable=False, origin=symbol.origin)


def _body_result(use: TypeUse, symbol: ClassSymbol, name: str) -> Schema:
    """What the statements of a method give, whatever it is declared to give."""
    method = use.program.find_method(symbol, name)
    if method is None:
        return Unknown(reason=Reason("member-not-declared", type=symbol.decl.name, name=name))
    untyped = replace(method, function=replace(method.function, returns=None))
    return use.schema_of(use.program.evaluator.apply(untyped, (), use.scope))


def as_dict(site: CallSite) -> Value | None:
    """`vars(order)`: what `order.__dict__` holds."""
    value = site.value(0)
    return None if value is None else attribute(site.program, value, "__dict__")


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """`order.__dict__` of an object whose class says in its constructor all that is in it."""
    if name != "__dict__" or not isinstance(value, Instance | ByType):
        return None
    symbol = class_of(program, value)
    if symbol is None or library_bases(program, symbol) or symbol.decl.annotations:
        return None
    entries: dict[str, RecordEntry] = {}
    for owner in reversed((symbol, *program.bases(symbol))):
        if not _says_all(program, owner):
            return None
        for member in owner.decl.members:
            if "constructor" in member.modifiers:
                scope = program.class_scope(owner)
                held = program.evaluator.attribute(value, member.name, scope, member.span)
                entries[member.name] = RecordEntry(member.name, held, member_origin(owner, member))
    return Record(tuple(entries.values()), NO_REASON, None, symbol.origin) if entries else None


def _says_all(program: Program, owner: ClassSymbol) -> bool:
    """Whether no method of a class gives its objects an attribute that its constructor does not."""
    known = {member.name for member in owner.decl.members}
    for method in owner.decl.methods:
        for statement in reaching_definitions.nested_statements(program.body(method, owner.file)):
            match statement:
                case Assign(target=Attribute(value=Name(id="this"), name=name)):
                    if name not in known:
                        return False
                case _:
                    continue
    return True
