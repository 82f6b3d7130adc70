"""Pydantic models, versions 1 and 2: names on the wire, defaults, computed and excluded fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.facts import (
    Member,
    TypeExpr,
)
from contract_scan.parsers.source.link.type_use import TypeUse
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    Items,
    Made,
    Scope,
    Value,
)
from contract_scan.parsers.source.python.expressions import as_type
from contract_scan.parsers.source.python.libraries import pydantic_major
from contract_scan.parsers.source.python.models.fields import (
    annotated,
    call_arguments,
    function_result,
    given,
    given_text,
    is_ellipsis,
    is_null,
    is_secret,
    is_special,
    is_true,
    left_out,
    place,
    positional,
    substituted,
)
from contract_scan.parsers.source.python.models.kinds import LibraryBase
from contract_scan.parsers.source.python.models.pydantic_config import (
    Naming,
    Spec,
    additional,
    settings_of,
)
from contract_scan.parsers.source.python.models.pydantic_encoders import applied, encoders
from contract_scan.parsers.source.python.models.pydantic_nested import inheriting
from contract_scan.parsers.source.python.models.pydantic_serializers import (
    field_serializers,
    method_result,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

BASES = frozenset(
    {
        "pydantic.BaseModel",
        "pydantic.main.BaseModel",
        "pydantic.v1.BaseModel",
        "pydantic.RootModel",
        "pydantic.generics.GenericModel",
        "pydantic.v1.generics.GenericModel",
        "pydantic.BaseSettings",
        "pydantic_settings.BaseSettings",
        "sqlmodel.SQLModel",
        "sqlmodel.main.SQLModel",
        "fastapi_utils.api_model.APIModel",
        "fastapi_camelcase.CamelModel",
        "beanie.Document",
        "ninja.Schema",
        "ninja.schema.Schema",
        "ninja.ModelSchema",
        "ninja.orm.ModelSchema",
        "ninja.FilterSchema",
        "ninja_schema.Schema",
        "ninja_schema.ModelSchema",
        "BaseModel",
    }
)
"""Bases that make a class a pydantic model."""
DATACLASS = frozenset({"pydantic.dataclasses.dataclass", "pydantic.v1.dataclasses.dataclass"})
_WITHOUT_FIELDS = frozenset({"Generic", "Protocol", "ABC", "object", "Hashable"})
_FIELD_MAKERS = frozenset({"Field", "Query", "Body", "Path", "Header", "Cookie", "Form", "File"})
_NO_FIELDS = frozenset({"PrivateAttr", "Relationship", "validator", "root_validator"})


class _Declared(Struct, frozen=True, eq=False):
    """A field with the class that declares it."""

    owner: ClassSymbol
    scope: Scope
    member: Member
    type: TypeExpr | None
    type_scope: Scope


def schema(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema:
    """How instances of a pydantic model look on the wire."""
    program = use.program
    root = _root(use, symbol, bases)
    if root is not None:
        return root
    major = _major(program, symbol, bases)
    chain = use.chain(symbol)
    settings = settings_of(program, symbol)
    overridden = _overridden(use, symbol, chain, major)
    if overridden is not None:
        return overridden
    stated = program.stated_naming(symbol.file.path)
    naming = Naming(program, settings, bases, major, use.variant, stated)
    if naming.unclear:
        return Unknown(reason=f"`{symbol.decl.name}`: {naming.unclear}", origin=symbol.origin)
    naming.encoders = encoders(use, settings)
    serializers = field_serializers(use, chain)
    fields: list[Field] = []
    for declared in _declared(chain, major):
        field = _field(use, declared, naming, serializers, major)
        if isinstance(field, Unknown):
            return replace(field, reason=f"`{symbol.decl.name}`: {field.reason}")
        if field is not None:
            fields.append(field)
    fields.extend(_computed(use, chain, naming))
    unread = next((b.name for b in bases if not _is_read(b)), "")
    return Object(
        fields=tuple(left_out(fields, use.variant)),
        additional=additional(settings),
        partial=f"the base class `{unread}` comes from a library" if unread else "",
        name=symbol.decl.name,
        origin=symbol.origin,
    )


def _is_read(base: LibraryBase) -> bool:
    return base.name in BASES or base.simple_name in _WITHOUT_FIELDS


def _major(program: Program, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> int:
    if any(".v1." in base.name or base.name.startswith("pydantic.generics") for base in bases):
        return 1
    return pydantic_major(program, symbol.file.path)


def _root(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema | None:
    """The shape of a model that stands for a single value (`RootModel[X]`, `__root__: X`)."""
    for owner, scope in use.chain(symbol):
        for member in owner.decl.members:
            is_root = member.name == "__root__" or (
                member.name == "root" and any(b.simple_name == "RootModel" for b in bases)
            )
            if is_root and member.type is not None:
                return use.schema(member.type, scope)
        for base in bases:
            if base.simple_name == "RootModel" and base.owner.key == owner.key and base.type.args:
                return use.schema(base.type.args[0], scope)
    return None


def _overridden(
    use: TypeUse, symbol: ClassSymbol, chain: list[tuple[ClassSymbol, Scope]], major: int
) -> Schema | None:
    """The shape where the model writes itself (`@model_serializer`, its own `dict`)."""
    for owner, _ in chain:
        for method in owner.decl.methods:
            if method.name == "__get_pydantic_core_schema__":
                reason = f"`{owner.decl.name}.{method.name}` decides what is written"
                return Unknown(reason=reason, origin=Origin(owner.file.path, method.name_span))
            if major == 1 and method.name == "dict":
                reason = f"`{owner.decl.name}.dict` is overridden"
                return Unknown(reason=reason, origin=Origin(owner.file.path, method.name_span))
            for annotation in method.annotations:
                if annotation.name.rpartition(".")[2] != "model_serializer":
                    continue
                if any(a.name == "mode" for a in annotation.args):
                    reason = f"`{owner.decl.name}` has a wrapping model serializer"
                    return Unknown(reason=reason, origin=symbol.origin)
                return function_result(use, symbol, method.name)
    return None


# --------------------------------------------------------------------------- fields


def _declared(chain: list[tuple[ClassSymbol, Scope]], major: int) -> list[_Declared]:
    """The fields of a model in order; a nearer class's declaration replaces a farther one's."""
    found: dict[str, _Declared] = {}
    for owner, scope in reversed(chain):
        for member in owner.decl.members:
            if "constructor" in member.modifiers or not _is_field(member):
                continue
            known = found.get(member.name)
            if member.type is not None:
                found[member.name] = _Declared(owner, scope, member, member.type, scope)
            elif known is not None:
                found[member.name] = _Declared(owner, scope, member, known.type, known.type_scope)
            elif major == 1:
                found[member.name] = _Declared(owner, scope, member, None, scope)
    return list(found.values())


def _is_field(member: Member) -> bool:
    name = member.name
    if name.startswith("_") or name == "model_config" or name == "Config":
        return False
    return not is_special(member.type, "ClassVar")


def _field(
    use: TypeUse,
    declared: _Declared,
    naming: Naming,
    serializers: dict[str, Schema],
    major: int,
) -> Field | Unknown | None:
    program, member = use.program, declared.member
    origin = place(declared.owner, member)
    spec, skip = _spec(use, declared)
    if skip:
        return None
    type, type_scope = declared.type, declared.type_scope
    if type is None:
        value = None if member.value is None else program.evaluate(member.value, declared.scope)
        shape = use.schema_of(value) if value is not None and not isinstance(value, Made) else None
        if not isinstance(shape, Scalar):
            return None
        schema: Schema = replace(shape, values=None)
    else:
        schema = inheriting(use, use.schema(type, type_scope), naming)
    if naming.encoders:
        schema = substituted(schema, naming.encoders)
    if spec.discriminator and isinstance(schema, Union):
        schema = replace(schema, discriminator=spec.discriminator)
    if spec.serialized is not None:
        schema = spec.serialized
    serialized = serializers.get(member.name) or serializers.get("*")
    if serialized is not None:
        unclear = serialized.nullable is None and schema.nullable is True
        schema = with_nullable(serialized, True) if unclear else serialized
    implicit_null = major == 1 and schema.nullable is True
    if spec.null_default and schema.nullable is False:
        # The declared type says no, the default says yes; validators often fill it in.
        schema = with_nullable(schema, None)
    name = naming.sent(member.name, spec)
    if spec.unclear or name is None:
        why = spec.unclear or "its alias generator cannot be read"
        return Unknown(reason=f"field `{member.name}`: {why}", origin=origin)
    accepted = naming.accepted(member.name, spec)
    return Field(
        name=name,
        schema=schema,
        required=True,
        has_default=spec.has_default or (implicit_null and member.value is None),
        write_only=spec.exclude,
        accepts=() if accepted == (name,) else accepted,
        declared_as=member.name if member.name != name else "",
        doubt="a secret is masked where it is written" if is_secret(type) else "",
        origin=origin,
    )


def _spec(use: TypeUse, declared: _Declared) -> tuple[Spec, bool]:
    """What is said of a field besides its type, and whether it is none after all."""
    program, member = use.program, declared.member
    spec = Spec()
    if declared.type is not None:
        _, _, metadata = annotated(program, declared.type, declared.type_scope)
        for expr, scope in metadata:
            spec = _with_metadata(use, spec, program.evaluate(expr, scope))
    if member.value is None:
        return spec, False
    value = program.evaluate(member.value, declared.scope)
    if isinstance(value, Made):
        maker = value.name.rpartition(".")[2]
        if maker in _NO_FIELDS:
            return spec, True
        if maker in _FIELD_MAKERS:
            return _with_field(program, spec, value), False
    if is_ellipsis(member.value):
        return replace(spec, has_default=False), False
    return replace(spec, has_default=True, null_default=is_null(value)), False


def _with_metadata(use: TypeUse, spec: Spec, value: Value) -> Spec:
    if not isinstance(value, Made):
        return spec
    match value.name.rpartition(".")[2]:
        case "Field":
            return _with_field(use.program, spec, value)
        case "Discriminator":
            first = positional(value)
            name = use.program.text(first, value.scope)
            return replace(spec, discriminator=name or "")
        case "PlainSerializer" | "WrapSerializer":
            return replace(spec, serialized=_serializer_result(use, value))
        case _:
            return spec


def _serializer_result(use: TypeUse, made: Made) -> Schema:
    declared = call_arguments(made).get("return_type")
    if declared is not None:
        type = as_type(declared)
        if type is not None:
            return use.schema(type, made.scope)
    function = call_arguments(made).get("func", positional(made))
    if function is None:
        return Unknown(reason="a serializer without a function")
    return applied(use, use.program.evaluate(function, made.scope))


def _with_field(program: Program, spec: Spec, made: Made) -> Spec:
    """A spec with what one `Field(…)` says."""
    arguments = call_arguments(made)
    default = arguments.get("default", positional(made))
    has_default = spec.has_default
    null_default = spec.null_default
    if "default_factory" in arguments:
        has_default = True
    elif default is not None:
        has_default = not is_ellipsis(default)
        null_default = is_null(program.evaluate(default, made.scope))
    unclear = spec.unclear
    aliases = {}
    for name in ("alias", "serialization_alias"):
        if name in arguments and not is_null(given(program, made, name)):
            aliases[name] = given_text(program, made, name)
            if aliases[name] is None:
                unclear = f"its `{name}` is not constant"
    validation = _validation_aliases(program, made)
    return replace(
        spec,
        alias=aliases.get("alias", spec.alias),
        serialization_alias=aliases.get("serialization_alias", spec.serialization_alias),
        validation_aliases=validation if validation is not None else spec.validation_aliases,
        unclear=unclear,
        exclude=spec.exclude or is_true(given(program, made, "exclude")),
        has_default=has_default,
        null_default=null_default,
        discriminator=given_text(program, made, "discriminator") or spec.discriminator,
    )


def _validation_aliases(program: Program, made: Made) -> tuple[str, ...] | None:
    """The names of `validation_alias=`: a string, `AliasChoices(…)`, or the head of `AliasPath`."""
    value = given(program, made, "validation_alias")
    if value is None or is_null(value):
        return None
    return tuple(_alias_names(program, value))


def _alias_names(program: Program, value: Value) -> Iterator[str]:
    match value:
        case Made(name=name, site=site, scope=scope) if name.endswith(
            ("AliasChoices", "AliasPath")
        ):
            for argument in site.args[:1] if name.endswith("AliasPath") else site.args:
                yield from _alias_names(program, program.evaluate(argument.value, scope))
        case Items(values=values):
            for item in values:
                yield from _alias_names(program, item)
        case _:
            text = program.evaluator.text(value)
            if text is not None:
                yield text


# --------------------------------------------------------------------------- methods


def _computed(
    use: TypeUse, chain: list[tuple[ClassSymbol, Scope]], naming: Naming
) -> Iterator[Field]:
    """Properties that `@computed_field` adds to what is sent."""
    found: dict[str, Field] = {}
    for owner, scope in reversed(chain):
        for method in owner.decl.methods:
            annotation = next(
                (a for a in method.annotations if a.name.rpartition(".")[2] == "computed_field"),
                None,
            )
            if annotation is None:
                continue
            alias = next((a.value for a in annotation.args if a.name == "alias"), None)
            spec = Spec(alias=use.program.text(alias, scope))
            name = naming.sent(method.name, spec) or method.name
            found[method.name] = Field(
                name=name,
                schema=method_result(use, owner, method, scope),
                read_only=True,
                declared_as=method.name if name != method.name else "",
                origin=Origin(
                    owner.file.path,
                    method.name_span,
                    "",
                    f"{owner.qualified_name}.{method.name}",
                ),
            )
    yield from found.values()
