"""Classes, interfaces and enums: what `JSON.stringify` writes of their instances."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import VALIDATED, unite
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    Constant,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.kinds import class_of
from contract_scan.parsers.source.analysis.typing.type_operators import with_names
from contract_scan.parsers.source.analysis.typing.types import allows_undefined, is_never
from contract_scan.parsers.source.facts.nodes import (
    ClassDecl,
    Function,
    FunctionType,
    Lambda,
    LiteralExpr,
    Member,
    NamedType,
    NullType,
    ObjectType,
    OperationExpr,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.typescript.serialization import (
    class_transformer,
    class_validator,
    loopback,
    lucid,
)
from contract_scan.parsers.source.typescript.serialization import entities as persistence
from contract_scan.parsers.source.typescript.serialization.mongoose import (
    types as mongoose_types,
)
from contract_scan.parsers.source.typescript.serialization.query_conditions import held_by

_HIDDEN = frozenset({"static", "constant"})
_EMPTY_BASES = frozenset(
    {
        "typeorm.BaseEntity",
        "@mikro-orm/core.BaseEntity",
        "events.EventEmitter",
        "node:events.EventEmitter",
        "@nestjs/cqrs.AggregateRoot",
        "Object",
    }
)
"""Library classes whose instances have nothing that is written."""


_COPIED = "copied"
"""The variant of an object whose own fields are copied to another one: methods stay behind."""


def copied_variant(program: Program, value: Value) -> str:
    """The variant of a value that is spread, where that matters: `{...user}` has no `toJSON`."""
    symbol = class_of(program, value)
    has_writer = symbol is not None and program.find_method(symbol, "toJSON") is not None
    return _COPIED if has_writer else ""


def class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """How instances of a class, interface or enum of the project look on the wire."""
    decl = symbol.decl
    if decl.kind == "enum":
        return _enum(use, symbol)
    if "namespace" in decl.modifiers and not decl.members and not decl.bases:
        return Unknown(reason=Reason("type-is-namespace", type=decl.name), origin=symbol.origin)
    written = (
        mongoose_types.document_schema(use, symbol)
        or lucid.model_schema(use, symbol)
        or loopback.model_schema(use, symbol)
        or _written_otherwise(use, symbol)
    )
    if written is not None:
        return written
    fields: dict[str, Field] = {}
    partial = NO_REASON
    additional: Schema | None = None
    for owner, scope in reversed(_field_owners(use, symbol)):
        for base in _library_bases(use, owner, scope):
            if isinstance(base, Array):
                return base  # a class of lists is written as a list
            if isinstance(base, Object):
                fields.update((field.name, field) for field in base.fields)
                partial = partial or base.incomplete_reason
                additional = base.additional if base.additional is not None else additional
            elif isinstance(base, Unknown):
                partial = partial or base.reason
        partial = partial or persistence.added_fields(use.program, owner.decl, scope)
        for field in _own_fields(use, owner, scope):
            known = fields.get(field.name)
            if known is not None and isinstance(field.schema, Unknown):
                continue  # a narrower declaration that says nothing of the type
            if known is not None and class_transformer.is_validated(use.variant):
                # `IsOptional` of a class above, or of `PartialType`, counts beside its own rules.
                field = replace(field, required=known.required and field.required)
            fields[field.name] = field
        for name in _excluded_fields(use, owner, scope):
            fields.pop(name, None)
    if decl.kind == "interface" and not fields and additional is None and not partial:
        return Unknown(reason=Reason("declares-no-fields", type=decl.name), origin=symbol.origin)
    if class_transformer.refuses_unlisted(use.variant) and decl.kind == "class" and not partial:
        additional = Nothing()
    present = (field for field in fields.values() if not is_never(field))
    return Object(
        fields=tuple(present),
        additional=additional,
        incomplete_reason=partial,
        name=decl.name,
        origin=symbol.origin,
    )


# ------------------------------------------------------------------ inheritance


def _field_owners(use: TypeUse, symbol: ClassSymbol) -> list[tuple[ClassSymbol, Scope]]:
    """The class and those that it gets fields from: an interface that a class implements adds
    none."""
    chain = use.chain(symbol)
    if symbol.decl.kind == "interface":
        return chain
    return [(owner, scope) for owner, scope in chain if owner.decl.kind != "interface"]


def _library_bases(use: TypeUse, owner: ClassSymbol, scope: Scope) -> list[Schema]:
    """Shapes of what a class extends that is no class of the project."""
    bases = owner.decl.bases
    if owner.decl.kind != "interface":
        extended = bases[:1] if "extends" in owner.decl.modifiers else ()
        indexes = tuple(base for base in bases if isinstance(base, ObjectType))
        bases = (*extended, *indexes)
    found = []
    for base in bases:
        schema = _base_schema(use, base, scope)
        if schema is not None:
            found.append(use.program.types.flat(schema))
    return found


def _base_schema(use: TypeUse, base: TypeExpr, scope: Scope) -> Schema | None:
    outside = scope.parent or scope
    if isinstance(base, NamedType):
        target = use.program.names.lookup_type(base.name, outside)
        if isinstance(target, ClassValue):
            return None
        if isinstance(target, AliasSymbol) and isinstance(target.alias.type, NamedType):
            inner = use.program.names.declared_class(
                target.alias.type, use.program.names.classes.alias_scope(target)
            )
            if inner is not None:
                return None
        if isinstance(target, LibrarySymbol) and target.name in _EMPTY_BASES:
            return None
        if isinstance(target, BoundType):
            return use.schema(target.type, target.scope)
    return use.schema(base, scope)


# ------------------------------------------------------------------ fields


def _own_fields(use: TypeUse, owner: ClassSymbol, scope: Scope) -> list[Field]:
    decl = owner.decl
    transforming = class_transformer.active(use.variant) and decl.kind == "class"
    refuses_unlisted = class_transformer.refuses_unlisted(use.variant) and decl.kind == "class"
    only_exposed = transforming and class_transformer.excludes_all(
        decl, use.program, scope, use.variant
    )
    found = []
    for member in with_names(use.program, decl.members, scope):
        if not _is_data(member, decl):
            continue
        if refuses_unlisted and not class_validator.lists(use, member, scope):
            continue
        abstract = member.kind == "getter" and "abstract" in member.modifiers
        getter = member.kind == "getter" and decl.kind != "interface" and not abstract
        if not transforming:
            if not getter and not _is_left_out(use, member, scope):
                found.append(_field(use, member, member.name, scope))
            continue
        treated = class_transformer.treatment(
            member, use.program, scope, use.variant, only_exposed=only_exposed
        )
        if treated.dropped or (getter and not treated.exposed):
            continue
        if _is_left_out(use, member, scope):
            continue
        field = _field(use, member, treated.name, scope)
        if treated.transforms:
            field = class_transformer.transform_field(field, member, treated, use, scope)
        if treated.uncertain:
            field = replace(field, required=None)
        found.append(field)
    if transforming:
        found.extend(_exposed_methods(use, owner, scope))
    return found


def _exposed_methods(use: TypeUse, owner: ClassSymbol, scope: Scope) -> list[Field]:
    """`@Expose()` on a method writes what it returns."""
    found = []
    for method in owner.decl.methods:
        if "get" in method.modifiers or "set" in method.modifiers or not method.annotations:
            continue
        treated = class_transformer.treatment(
            method, use.program, scope, use.variant, only_exposed=False
        )
        if treated.exposed and not treated.dropped:
            origin = Origin(owner.file.path, _from_name(method))
            schema: Schema = Unknown(reason=Reason("no-type", member=method.name), origin=origin)
            if method.returns is not None:
                schema = use.schema(method.returns, scope)
            found.append(Field(name=treated.name, schema=schema, origin=origin))
    return found


def _excluded_fields(use: TypeUse, owner: ClassSymbol, scope: Scope) -> list[str]:
    """Inherited fields that a subclass excludes."""
    if not class_transformer.active(use.variant) or owner.decl.kind != "class":
        return []
    names = []
    for member in owner.decl.members:
        treated = class_transformer.treatment(
            member, use.program, scope, use.variant, only_exposed=False
        )
        if treated.dropped:
            names.append(member.name)
    return names


def _is_data(member: Member, decl: ClassDecl) -> bool:
    if member.kind in ("setter", "constant", "enum") or _HIDDEN.intersection(member.modifiers):
        return False
    if member.name.startswith("#") or isinstance(member.value, Lambda):
        return False
    if isinstance(member.type, FunctionType):
        return False
    if isinstance(member.type, NamedType) and member.type.name == "Function":
        return False
    if member.kind == "getter" and decl.kind == "interface":
        return True
    return not (isinstance(member.type, UnionType) and _only_functions(member.type))


def _only_functions(type: UnionType) -> bool:
    return all(isinstance(option, FunctionType | NullType) for option in type.options)


def _is_left_out(use: TypeUse, member: Member, scope: Scope) -> bool:
    """Whether the query that gave an object has not loaded the field."""
    return (
        bool(use.view)
        and persistence.may_be_missing(use.program, member, scope, use.view)
        and persistence.is_loaded(use.program, member, scope, use.view) is False
    )


def _field(use: TypeUse, member: Member, name: str, scope: Scope) -> Field:
    origin = Origin(scope.file.path, _from_name(member))
    required: bool | None = not (
        member.optional or allows_undefined(use.program, member.type, scope)
    )
    if not required and persistence.is_loaded_column(use.program, member, scope, use.view):
        required = True
    of_any_query = use.view if use.view == loaded_relations.ANY_QUERY else ""
    loaded = persistence.may_be_missing(use.program, member, scope, of_any_query)
    if loaded and persistence.is_loaded(use.program, member, scope, use.view):
        loaded = False
    if required and loaded:
        required = None
    if required and _assigned_conditionally(member):
        required = None
    if required and member.kind == "getter" and "abstract" in member.modifiers:
        required = None  # a getter below is not written, an object that is no instance may have it
    reason = Reason("relation-sent-if-loaded", member=member.name) if loaded else NO_REASON
    has_default: bool | None = _has_default(use, member, scope)
    evidence: Evidence | None = None
    if class_transformer.is_validated(use.variant) and member.value is None:
        has_default = class_validator.takes_undefined(use, member, scope)
        if has_default is None:
            reason = VALIDATED
        if not has_default:
            required = None if has_default is None else True
            evidence = None if has_default is None else Evidence(required="enforced")
    return Field(
        name=name,
        schema=_member_schema(use, member, scope, origin),
        required=required,
        has_default=bool(has_default),
        undetermined_reason=reason,
        evidence=evidence,
        declared_as=member.name if member.name != name else "",
        origin=origin,
    )


def _from_name(declaration: Member | Function) -> Span:
    """A declaration without the decorators above it."""
    span, name = declaration.span, declaration.name_span
    if name == NO_SPAN:
        return span
    return Span(name.line, name.column, span.end_line, span.end_column)


def _assigned_conditionally(member: Member) -> bool:
    """JavaScript's `this.x = …` says that there is an `x`, not that it has a value."""
    return "assigned" in member.modifiers and member.type is None


def _member_schema(use: TypeUse, member: Member, scope: Scope, origin: Origin) -> Schema:
    if member.type is not None:
        made_as = class_transformer.made_as(member, use.program, scope)
        if made_as:
            reason = Reason(
                "declared-and-created-classes-differ", member=member.name, made_as=made_as
            )
            return Unknown(reason=reason, origin=origin)
        inner = replace(use, view=loaded_relations.nested_view(use.view, member.name))
        if not class_validator.looks_into(use, member, scope):
            inner = replace(inner, variant=class_transformer.without_validation(use.variant))
        if use.variant == _COPIED:
            inner = replace(inner, variant="")
        schema = inner.schema(member.type, scope)
        if persistence.stored_null(use.program, member, scope):
            schema = with_nullable(schema, True)
        schema = held_by(schema, loaded_relations.rules_null_out(use.view, member.name))
        return class_transformer.read_schema(member, schema, use, scope)
    if member.value is not None:
        value = use.program.evaluate(member.value, scope)
        schema = use.schema_of(value)
        if isinstance(value, Constant) and isinstance(schema, Scalar):
            # `status = "new"` is where the field starts, not all that it can be.
            if "readonly" not in member.modifiers:
                kind = "numeric" if schema.type in ("integer", "number") else schema.type
                return Scalar(type=kind, origin=origin)
            return schema
        return schema
    return Unknown(reason=Reason("no-declared-type", member=member.name), origin=origin)


def _has_default(use: TypeUse, member: Member, scope: Scope) -> bool:
    """Whether input may leave the field out: it has an initial value, class-validator's
    `@IsOptional()`, or (where input is asked for) nothing that checks it."""
    if member.value is not None and "assigned" not in member.modifiers:
        return True
    checks = {
        use.program.qualified_name(annotation.callee, scope)
        for annotation in member.annotations
        if annotation.callee is not None
    }
    if "class-validator.IsOptional" in checks:
        return True
    return use.variant in class_transformer.INPUTS and not any(
        name.startswith("class-validator.") for name in checks
    )


def _written_otherwise(use: TypeUse, symbol: ClassSymbol) -> Schema | None:
    """What a `toJSON` method gives is written instead of the fields."""
    if symbol.decl.kind not in ("class", "interface") or use.variant == _COPIED:
        return None
    method = use.program.find_method(symbol, "toJSON")
    if method is None or class_transformer.active(use.variant):
        return None
    function = method.function
    if function.returns is not None and not use.program.types.is_unknown(
        use.schema(function.returns, method.scope)
    ):
        return use.schema(function.returns, method.scope)
    return use.schema_of(use.program.evaluator.apply(method, (), method.scope))


# ------------------------------------------------------------------ enums


def _enum(use: TypeUse, symbol: ClassSymbol) -> Schema:
    texts: list[LiteralValue] = []
    numbers: list[LiteralValue] = []
    following: int | None = 0
    for member in symbol.decl.members:
        value = _enum_value(use, member, symbol, following)
        if value is None:
            reason = Reason("value-computed", type=symbol.decl.name, member=member.name)
            return Unknown(reason=reason, origin=symbol.origin)
        following = value + 1 if isinstance(value, int) else None
        (texts if isinstance(value, str) else numbers).append(value)
    options: list[Schema] = []
    if texts:
        options.append(Scalar(type="string", values=tuple(texts), origin=symbol.origin))
    if numbers:
        options.append(Scalar(type="integer", values=tuple(numbers), origin=symbol.origin))
    return unite(options) if options else Unknown(reason=Reason("empty-enum"), origin=symbol.origin)


def _enum_value(
    use: TypeUse, member: Member, symbol: ClassSymbol, following: int | None
) -> str | int | None:
    expr = member.value
    if expr is None:
        return following
    if isinstance(expr, LiteralExpr):
        return expr.value if isinstance(expr.value, str | int) else None
    if isinstance(expr, OperationExpr) and expr.operator == "<<":
        shifted = [o.value for o in expr.operands if isinstance(o, LiteralExpr)]
        match shifted:
            case [int(left), int(right)] if 0 <= right < 64:
                return left << right
    value = use.program.evaluate(expr, use.program.class_scope(symbol))
    constant = value.value if isinstance(value, Constant) else None
    return constant if isinstance(constant, str | int) else None
