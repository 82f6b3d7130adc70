"""How Gson writes instances of a class: fields of any visibility, nulls left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.facts import Call, Member
from contract_scan.parsers.source.java.annotations import (
    argument,
    constant_name,
    find,
    has,
    items,
)
from contract_scan.parsers.source.java.evidence import holding, mentions
from contract_scan.parsers.source.java.models.library_bases import library_base
from contract_scan.parsers.source.java.models.naming import STRATEGIES, strategy_of
from contract_scan.parsers.source.java.models.nullness import nullness
from contract_scan.parsers.source.java.properties import settings

if TYPE_CHECKING:
    from contract_scan.parsers.source.java.models.jackson_properties import Chain
    from contract_scan.parsers.source.link.type_use import TypeUse
    from contract_scan.parsers.source.link.values import ClassSymbol, Scope

CALLS = (b"etFieldNamingPolicy(", b"erializeNulls(", b"ExposeAnnotation(")


def is_gson(chain: Chain) -> bool:
    """Whether annotations of Gson stand in a class or its ancestors."""
    return any(
        has(member.annotations, "SerializedName", "Expose")
        for symbol, _ in chain
        for member in symbol.decl.members
    )


def gson_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a class as Gson writes them."""
    if symbol.decl.kind == "enum":
        return _enum(use, symbol)
    chain = use.chain(symbol)
    policy = _policy(use)
    strategy = strategy_of(policy)
    if strategy is None:
        reason = f"fields are renamed by Gson's policy `{policy}`, which is not known"
        return Unknown(reason=reason, origin=symbol.origin)
    writes_nulls = mentions(use.program, symbol.file.path, b"erializeNulls(")
    needs_expose = mentions(use.program, symbol.file.path, b"ExposeAnnotation(")
    fields: dict[str, Field] = {}
    for owner, scope in chain:
        for member in owner.decl.members:
            if _is_left_out(member, needs_expose=needs_expose):
                continue
            field = _field(use, member, owner, scope, strategy, writes_nulls=writes_nulls)
            if field is not None:
                fields.setdefault(field.name, field)
    partial = library_base(use, chain)
    return Object(
        name=symbol.decl.name,
        fields=tuple(fields.values()),
        partial=partial,
        origin=symbol.origin,
    )


def _policy(use: TypeUse) -> str:
    """The naming policy of the program; Spring's setting counts as well."""
    for path in holding(use.program, use.scope.file.path, b"etFieldNamingPolicy("):
        for call, _ in use.program.calls(use.program.facts(path)):
            if isinstance(call, Call) and constant_name(call.callee) == "setFieldNamingPolicy":
                return constant_name(call.args[0].value) if call.args else ""
    values = settings(use.program, use.scope.file.path)
    return values.get("spring.gson.fieldnamingpolicy") or ""


def _is_left_out(member: Member, *, needs_expose: bool) -> bool:
    if member.kind == "enum" or {"static", "transient"} & set(member.modifiers):
        return True
    return needs_expose and not has(member.annotations, "Expose")


def _field(
    use: TypeUse,
    member: Member,
    owner: ClassSymbol,
    scope: Scope,
    strategy: str,
    *,
    writes_nulls: bool,
) -> Field | None:
    if member.type is None:
        return None
    annotation = find(member.annotations, "SerializedName")
    written = argument(annotation, "value")
    name = use.program.text(written, scope) if written is not None else None
    if written is None:
        name = STRATEGIES[strategy](member.name)
    if name is None:
        return None
    alternates = [use.program.text(a, scope) for a in items(argument(annotation, "alternate"))]
    others = tuple(a for a in alternates if a is not None)
    null = nullness(member.type, member.annotations)
    required: bool | None = True
    if not writes_nulls and null is not False:
        required, null = (False if null else None), False
    return Field(
        name=name,
        schema=with_nullable(use.schema(member.type, scope), null),
        required=required,
        has_default=True,
        accepts=(name, *others) if others else (),
        declared_as=member.name if member.name != name else "",
        origin=Origin(owner.file.path, member.name_span, "", owner.qualified_name),
    )


def _enum(use: TypeUse, symbol: ClassSymbol) -> Schema:
    scope = use.program.class_scope(symbol)
    values: list[str] = []
    for member in symbol.decl.members:
        if member.kind == "enum":
            written = argument(find(member.annotations, "SerializedName"), "value")
            values.append(use.program.text(written, scope) or member.name)
    return Scalar(type="string", values=tuple(values), origin=symbol.origin)
