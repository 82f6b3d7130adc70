"""How Gson writes instances of a class: fields of any visibility, nulls left out."""

from __future__ import annotations

import re

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Call, Member
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    has,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import (
    is_in_related_files,
    related_files_containing,
)
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.gson.adapters import (
    adapter_schema,
    adapters_in,
    annotated_adapter,
)
from contract_scan.parsers.source.java.serialization.gson.writers import writer_in
from contract_scan.parsers.source.java.serialization.jackson.properties import Chain
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.java.serialization.library_bases import library_base
from contract_scan.parsers.source.java.serialization.naming import STRATEGIES, strategy_of
from contract_scan.parsers.source.java.serialization.nullness import nullness

CALLS = (b"etFieldNamingPolicy(", b"erializeNulls(", b"ExposeAnnotation(")

_MAKING = re.compile(rb"\.create\(\s*\)|new Gson\(\s*\)")
"""What makes a writer."""


def is_gson(chain: Chain) -> bool:
    """Whether annotations of Gson stand in a class or its ancestors."""
    return any(
        has(member.annotations, "SerializedName", "Expose")
        for symbol, _ in chain
        for member in symbol.decl.members
    )


def gson_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a class as Gson writes them."""
    writer = writer_in(use.program, use.variant)
    chain = use.chain(symbol)
    adapter = _adapter(use, symbol, chain)
    if adapter is not None:
        return adapter
    if symbol.decl.kind == "enum" and READING in use.variant.split(";"):
        reason = Reason("enum-read-by-gson", type=symbol.decl.name)
        return Unknown(reason=reason, is_text=True, origin=symbol.origin)
    if symbol.decl.kind == "enum":
        return _enum(use, symbol)
    policy = _policy(use) if writer is None else writer.policy
    strategy = strategy_of(policy)
    if strategy is None:
        reason = Reason("gson-naming-policy-unknown", policy=policy)
        return Unknown(reason=reason, origin=symbol.origin)
    path = symbol.file.path
    nulls = _writes_nulls(use.program, path) if writer is None else writer.writes_nulls
    exposes = is_in_related_files(use.program, path, b"ExposeAnnotation(")
    needs_expose = exposes if writer is None else writer.needs_expose
    fields: dict[str, Field] = {}
    for owner, scope in chain:
        for member in owner.decl.members:
            if _is_left_out(member, needs_expose=needs_expose):
                continue
            field = _field(use, member, owner, scope, strategy, writes_nulls=nulls)
            if field is not None:
                fields.setdefault(field.name, field)
    partial = library_base(use, chain)
    return Object(
        name=symbol.decl.name,
        fields=tuple(fields.values()),
        incomplete_reason=partial,
        origin=symbol.origin,
    )


def _adapter(use: TypeUse, symbol: ClassSymbol, chain: Chain) -> Schema | None:
    """The shape that a type adapter writes, registered for the class or named beside it."""
    known = known_adapters(use)
    if symbol.key in known:
        return adapter_schema(use, known[symbol.key], symbol.decl.name, symbol.origin)
    owner, scope = chain[0]
    return annotated_adapter(use, owner.decl.annotations, scope, symbol.decl.name)


def known_adapters(use: TypeUse) -> dict[str, ClassSymbol | None]:
    """The type adapters of the writer at hand; those of all writers where it is not known."""
    writer = writer_in(use.program, use.variant)
    return adapters_in(use.program, use.scope.file.path) if writer is None else writer.adapters


def _writes_nulls(program: Program, path: str) -> bool | None:
    """Whether members that are null are written; None where some writer does and another does
    not."""
    if not is_in_related_files(program, path, b"erializeNulls("):
        return False
    files = related_files_containing(program, path, b"com.google.gson")
    makers = sum(len(program.files.find(place, _MAKING)) for place in files)
    return True if makers == 1 else None


def _policy(use: TypeUse) -> str:
    """The naming policy of the program; Spring's setting counts as well."""
    for path in related_files_containing(use.program, use.scope.file.path, b"etFieldNamingPolicy("):
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
    writes_nulls: bool | None,
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
    if writes_nulls is None and null is not False:
        required, null = None, None
    elif not writes_nulls and null is not False:
        required, null = (False if null else None), False
    schema = annotated_adapter(use, member.annotations, scope, type_name(member.type))
    if schema is None:
        schema = use.schema(member.type, scope)
    return Field(
        name=name,
        schema=with_nullable(schema, null),
        required=required,
        has_default=True,
        takes_null=True,
        omitted_if_null=required is None,
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
