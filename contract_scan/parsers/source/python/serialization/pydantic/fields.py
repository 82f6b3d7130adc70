"""What is said of a field of a pydantic model: `Field(…)`, `Annotated[…]` and its default."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Items,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Member, TypeExpr
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    given_text,
    is_ellipsis,
    is_null,
    is_true,
    positional,
    unwrap_annotated,
)
from contract_scan.parsers.source.python.serialization.pydantic.config import Spec

_FIELD_MAKERS = frozenset({"Field", "Query", "Body", "Path", "Header", "Cookie", "Form", "File"})
_NO_FIELDS = frozenset({"PrivateAttr", "Relationship", "validator", "root_validator"})


class DeclaredField(Struct, frozen=True, eq=False):
    """A field with the class that declares it."""

    owner: ClassSymbol
    scope: Scope
    member: Member
    type: TypeExpr | None
    type_scope: Scope


def spec_of(use: TypeUse, declared: DeclaredField) -> tuple[Spec, bool]:
    """What is said of a field besides its type, and whether it is none after all."""
    program, member = use.program, declared.member
    spec = Spec()
    if declared.type is not None:
        _, _, metadata = unwrap_annotated(program, declared.type, declared.type_scope)
        for expr, scope in metadata:
            spec = _with_metadata(use, spec, program.evaluate(expr, scope))
    if member.value is None:
        return spec, False
    value = program.evaluate(member.value, declared.scope)
    if isinstance(value, LibraryResult):
        maker = value.name.rpartition(".")[2]
        if maker in _NO_FIELDS:
            return spec, True
        if maker in _FIELD_MAKERS:
            return _with_field(program, spec, value), False
    if is_ellipsis(member.value):
        return replace(spec, has_default=False, is_required=True), False
    return replace(spec, has_default=True, null_default=is_null(value)), False


def _with_metadata(use: TypeUse, spec: Spec, value: Value) -> Spec:
    if not isinstance(value, LibraryResult):
        return spec
    match value.name.rpartition(".")[2]:
        case "Field":
            return _with_field(use.program, spec, value)
        case "Discriminator":
            first = positional(value)
            name = use.program.text(first, value.scope)
            return replace(spec, discriminator=name or "")
        case _:
            return spec


def _with_field(program: Program, spec: Spec, made: LibraryResult) -> Spec:
    """A spec with what one `Field(…)` says."""
    arguments = call_arguments(made)
    default = arguments.get("default", positional(made))
    has_default = spec.has_default
    is_required = spec.is_required
    null_default = spec.null_default
    if "default_factory" in arguments:
        has_default = True
    elif default is not None:
        is_required = is_ellipsis(default)
        has_default = not is_required
        null_default = is_null(program.evaluate(default, made.scope))
    unclear = spec.unclear
    aliases = {}
    for name in ("alias", "serialization_alias"):
        if name in arguments and not is_null(argument_value(program, made, name)):
            aliases[name] = given_text(program, made, name)
            if aliases[name] is None:
                unclear = Reason("option-not-constant", name=name)
    validation = _validation_aliases(program, made)
    return replace(
        spec,
        alias=aliases.get("alias", spec.alias),
        serialization_alias=aliases.get("serialization_alias", spec.serialization_alias),
        validation_aliases=validation if validation is not None else spec.validation_aliases,
        unclear=unclear,
        exclude=spec.exclude or is_true(argument_value(program, made, "exclude")),
        has_default=has_default,
        is_required=is_required,
        null_default=null_default,
        discriminator=given_text(program, made, "discriminator") or spec.discriminator,
    )


def _validation_aliases(program: Program, made: LibraryResult) -> tuple[str, ...] | None:
    """The names of `validation_alias=`: a string, `AliasChoices(…)`, or the head of `AliasPath`."""
    value = argument_value(program, made, "validation_alias")
    if value is None or is_null(value):
        return None
    return tuple(_alias_names(program, value))


def _alias_names(program: Program, value: Value) -> Iterator[str]:
    match value:
        case LibraryResult(name=name, site=site, scope=scope) if name.endswith(
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
