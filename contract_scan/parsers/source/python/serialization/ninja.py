"""Schemas of Django Ninja that take fields from a Django model."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Member
from contract_scan.parsers.source.python.serialization import django
from contract_scan.parsers.source.python.serialization.fields import left_out, with_null_default
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase
from contract_scan.parsers.source.python.serialization.modes import BY_NAME, LOAD, flags
from contract_scan.parsers.source.python.serialization.pydantic import classes as pydantic

_OPTIONS = ("Meta", "Config")
_FIELDS = ("fields", "model_fields")
_EXCLUDED = ("exclude", "model_exclude")
_OPTIONAL = ("fields_optional", "optional_fields", "model_fields_optional")


def is_model_schema(bases: tuple[LibraryBase, ...]) -> bool:
    """Whether a class is a schema that takes fields from a model."""
    return any(b.simple_name == "ModelSchema" and b.name.startswith("ninja") for b in bases)


def schema(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema:
    """How instances of a model schema look: fields of the model, then those declared."""
    declared = pydantic.schema(use, symbol, bases)
    if not isinstance(declared, Object):
        return declared
    fields: dict[str, Field] = {}
    for owner, _ in reversed(use.chain(symbol)):
        options = _options(use.program, owner)
        if options is None:
            continue
        inherited = _model_fields(use, owner, options)
        if isinstance(inherited, str):
            return replace(declared, incomplete_reason=inherited)
        for field in inherited:
            fields[field.declared_as or field.name] = field
    sent = left_out(list(fields.values()), use.variant)
    fields = dict(zip(fields, sent, strict=True))
    for field in declared.fields:
        fields[field.declared_as or field.name] = field
    return replace(declared, fields=tuple(fields.values()))


def _options(program: Program, symbol: ClassSymbol) -> dict[str, tuple[Member, Scope]] | None:
    for nested in symbol.decl.classes:
        if nested.name in _OPTIONS:
            inner = ClassSymbol(nested, symbol.file, (*symbol.outer, symbol.decl.name))
            scope = program.class_scope(inner)
            found = {m.name: (m, scope) for m in nested.members if m.value is not None}
            if "model" in found:
                return found
    return None


def _model_fields(
    use: TypeUse, owner: ClassSymbol, options: dict[str, tuple[Member, Scope]]
) -> list[Field] | str:
    """The fields that a class takes from its model, or why they are undetermined."""
    program = use.program
    model = _value(program, options, "model")
    if isinstance(model, LibrarySymbol | LibraryResult) and model.name.endswith(
        ("models.User", "user_model")
    ):
        known = django.user_model(program)
        model = ClassValue(known) if known is not None else model
    if not isinstance(model, ClassValue):
        return f"the model of `{owner.decl.name}` is undetermined"
    names = list(django.column_names(program, model.symbol))
    chosen = _names(program, options, _FIELDS)
    excluded = _names(program, options, _EXCLUDED)
    optional = _names(program, options, _OPTIONAL)
    if None in (chosen or ()) or None in (excluded or ()) or None in (optional or ()):
        return Reason("fields-not-constant", owner=owner.decl.name)
    if chosen and chosen != ["__all__"]:
        names = [name for name in chosen if name]
    names = [name for name in names if name not in (excluded or ())]
    is_any = optional in (["__all__"],)
    return [_field(use, model.symbol, name, is_any or name in optional) for name in names]


def _field(use: TypeUse, model: ClassSymbol, name: str, optional: bool) -> Field:
    program, wanted = use.program, flags(use.variant)
    by_name = BY_NAME in wanted
    column = django.column(program, model, name)
    schema = column.schema
    may_be_null = optional or column.has_default
    if schema.nullable is False and may_be_null and (LOAD in wanted or optional):
        # Declared as optional, although the column of a row is never null.
        schema = with_null_default(schema, name)
    wire = name
    if _is_relation(program, model, name):
        wire = f"{name}_id"
    if isinstance(schema, Unknown):
        schema = replace(schema, nullable=None)
    return Field(
        name=name if by_name else wire,
        schema=schema,
        has_default=may_be_null,
        accepts=(wire,) if by_name and wire != name else (),
        declared_as=name if not by_name and wire != name else "",
        origin=column.origin,
    )


def _is_relation(program: Program, model: ClassSymbol, name: str) -> bool:
    for owner in (model, *program.bases(model)):
        for member in owner.decl.members:
            if member.name == name and member.value is not None:
                value = program.evaluate(member.value, program.class_scope(owner))
                return isinstance(value, LibraryResult) and value.name.endswith(
                    ("ForeignKey", "OneToOneField")
                )
    return False


def _value(program: Program, options: dict[str, tuple[Member, Scope]], name: str) -> Value | None:
    if name not in options:
        return None
    member, scope = options[name]
    return None if member.value is None else program.evaluate(member.value, scope)


def _names(
    program: Program, options: dict[str, tuple[Member, Scope]], names: tuple[str, ...]
) -> list[str | None]:
    for name in names:
        value = _value(program, options, name)
        if value is not None and not (isinstance(value, Constant) and value.value is None):
            return list(program.evaluator.texts(value)) or [None]
    return []
