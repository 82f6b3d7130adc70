"""Reads that several model libraries share: places, metadata of types, defaults, schema edits."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassSymbol,
    Constant,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    Expr,
    Member,
    NamedType,
    TypeExpr,
    UnionType,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.serialization.modes import (
    EXCLUDE_NONE,
    EXCLUDE_UNSET,
    flags,
)

_MAX_ALIASES = 10


def member_origin(owner: ClassSymbol, member: Member) -> Origin:
    """Where a member of a class is written."""
    span = member.name_span if member.name_span != NO_SPAN else member.span
    return Origin(owner.file.path, span, "", f"{owner.qualified_name}.{member.name}")


def unwrap_annotated(
    program: Program, type: TypeExpr, scope: Scope
) -> tuple[TypeExpr, Scope, list[tuple[Expr, Scope]]]:
    """A type without `Annotated[…]` around it, and the metadata that stood there (also in aliases
    that lead to it)."""
    metadata: list[tuple[Expr, Scope]] = []
    for _ in range(_MAX_ALIASES):
        if isinstance(type, AnnotatedType):
            metadata.extend((item, scope) for item in type.metadata)
            type = type.item
            continue
        if not isinstance(type, NamedType) or type.args:
            break
        found = program.names.lookup_type(type.name, scope)
        if not isinstance(found, AliasSymbol) or not isinstance(found.alias.type, AnnotatedType):
            break
        type, scope = found.alias.type, program.names.classes.alias_scope(found)
    return type, scope, metadata


def is_special(type: TypeExpr | None, *names: str) -> bool:
    """Whether a type is one of the special forms (`ClassVar[…]`)."""
    return isinstance(type, NamedType) and type.name.rpartition(".")[2] in names


def is_secret(type: TypeExpr | None) -> bool:
    """Whether a type is one of pydantic's secrets, or may be one (`SecretStr | None`)."""
    if isinstance(type, UnionType):
        return any(is_secret(option) for option in type.options)
    return is_special(type, "SecretStr", "SecretBytes", "Secret")


def call_arguments(made: LibraryResult) -> Mapping[str, Expr]:
    """The named arguments of a construction."""
    return {argument.name: argument.value for argument in made.site.args if argument.name}


def positional(made: LibraryResult, position: int = 0) -> Expr | None:
    """A positional argument of a construction."""
    given = [a.value for a in made.site.args if not a.name and not a.spread]
    return given[position] if position < len(given) else None


def argument_value(program: Program, made: LibraryResult, name: str) -> Value | None:
    """The value of a named argument of a construction."""
    expr = call_arguments(made).get(name)
    return None if expr is None else program.evaluate(expr, made.scope)


def given_text(program: Program, made: LibraryResult, name: str) -> str | None:
    """The constant string of a named argument."""
    expr = call_arguments(made).get(name)
    return None if expr is None else program.text(expr, made.scope)


def of_unknown_library(name: str, known: frozenset[str]) -> bool:
    """Whether a qualified name is of a library of which nothing is known: neither of Python itself
    nor of one of these packages."""
    root = name.partition(".")[0]
    return root not in known and root not in sys.stdlib_module_names and not hasattr(builtins, root)


def possible_field(name: str, origin: Origin) -> Field:
    """The field that a member is whose value is undetermined, if it is one."""
    reason = Reason("field-class-undetermined", name=name)
    unknown = Unknown(reason=reason, nullable=None, origin=origin)
    return Field(
        name=name,
        schema=unknown,
        required=None,
        has_default=True,
        undetermined_reason=reason,
        origin=origin,
    )


def is_true(value: Value | None) -> bool:
    """Whether a value is the constant `True`."""
    return isinstance(value, Constant) and value.value is True


def is_false(value: Value | None) -> bool:
    """Whether a value is False."""
    return isinstance(value, Constant) and value.value is False


def is_null(value: Value | None) -> bool:
    """Whether a value is the constant `None`."""
    return isinstance(value, Constant) and value.value is None


def with_null_default(schema: Schema, name: str) -> Schema:
    """The shape of a field whose default is null: whether that is sent is undetermined where its
    type does not allow it (`name: str = None`)."""
    if schema.nullable is not False:
        return schema
    return replace(schema, nullable=None, null_reason=Reason("null-by-default", name=name))


def is_ellipsis(expr: Expr | None) -> bool:
    """Whether an expression is `...`."""
    return isinstance(expr, UnsupportedSyntax) and expr.description == "..."


def left_out(fields: Iterator[Field] | list[Field], variant: str) -> Iterator[Field]:
    """Fields as they are sent when null or unset ones are left out."""
    wanted = flags(variant)
    for field in fields:
        if EXCLUDE_NONE in wanted and field.schema.nullable is not False:
            required = False if field.schema.nullable else None
            field = replace(
                field,
                schema=with_nullable(field.schema, False),
                required=required if field.required else field.required,
            )
        if EXCLUDE_UNSET in wanted and field.has_default:
            # A null default is left out; whether anybody sets null is undetermined by the type.
            schema = field.schema
            if schema.nullable:
                reason = Reason("null-in-object", name=field.declared_as or field.name)
                schema = replace(schema, nullable=None, null_reason=reason)
            required = None if field.required else field.required
            field = replace(field, schema=schema, required=required)
        yield field


def or_converted(schema: Schema, name: str) -> Schema:
    """What a validator reads that sees the input before the type does: the type's own values, and
    perhaps others."""
    other = Unknown(reason=Reason("validator-may-take-more", name=name), origin=schema.origin)
    return unite((schema, other))


def substitute_formats(schema: Schema, formats: Mapping[str, Schema]) -> Schema:
    """A schema with the scalars of some formats replaced."""
    match schema:
        case Scalar(format=format) if format in formats:
            origin = schema.origin if schema.origin.path else formats[format].origin
            return replace(formats[format], nullable=schema.nullable, origin=origin)
        case Array(items=items, prefix=prefix):
            return replace(
                schema,
                items=substitute_formats(items, formats),
                prefix=tuple(substitute_formats(item, formats) for item in prefix),
            )
        case Object(additional=additional) if additional is not None and not schema.fields:
            return replace(schema, additional=substitute_formats(additional, formats))
        case Union(options=options):
            return replace(schema, options=tuple(substitute_formats(o, formats) for o in options))
        case _:
            return schema


def function_result(use: TypeUse, symbol: ClassSymbol, name: str) -> Schema:
    """The shape that a method gives: its declared type where that says something, else what its
    body returns."""
    method = use.program.find_method(symbol, name)
    if method is None:
        return Unknown(reason=Reason("member-not-declared", type=symbol.decl.name, name=name))
    result = use.program.evaluator.apply(method, (), use.scope)
    return use.schema_of(result)
