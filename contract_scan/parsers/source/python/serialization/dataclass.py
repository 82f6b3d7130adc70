"""Classes whose annotated attributes are fields: dataclasses, attrs, TypedDict, NamedTuple."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Nothing, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    LibraryResult,
    Record,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, LiteralExpr, Member, NamedType
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.constructions import without_unused_null
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    given_text,
    is_null,
    is_special,
    left_out,
    member_origin,
    positional,
    unwrap_annotated,
    with_null_default,
)
from contract_scan.parsers.source.python.serialization.kinds import decorator
from contract_scan.parsers.source.python.serialization.modes import LOAD, flags
from contract_scan.parsers.source.python.serialization.naming import camel, kebab, pascal, snake
from contract_scan.parsers.source.python.serialization.rejections import (
    RECEIVER,
    Check,
    method_of,
    object_check,
    value_check,
    with_rejections,
)

DATACLASS = frozenset({"dataclasses.dataclass", "dataclass"})
ATTRS = frozenset(
    {
        "attr.s",
        "attr.attrs",
        "attr.attributes",
        "attr.dataclass",
        "attr.define",
        "attr.mutable",
        "attr.frozen",
        "attrs.define",
        "attrs.mutable",
        "attrs.frozen",
    }
)
_ATTRS_FIELDS = frozenset({"attr.ib", "attr.attrib", "attr.field", "attrs.field"})
_JSON_CASES = {"CAMEL": camel, "KEBAB": kebab, "SNAKE": snake, "PASCAL": pascal}


def is_dataclass(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class, or one above it, is a dataclass or a class of attrs."""
    owners = (symbol, *program.bases(symbol))
    return any(decorator(program, owner, DATACLASS | ATTRS) is not None for owner in owners)


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """How instances of a dataclass or attrs class look when their fields are written out."""
    fields: dict[str, Field] = {}
    case = _letter_case(use, symbol)
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            field = _field(use, owner, member, scope, case)
            if field is not None and LOAD in flags(use.variant):
                field = _checked_field(use, symbol, member, scope, field)
            if field is not None:
                fields[member.name] = without_unused_null(use.program, symbol, member.name, field)
    return Object(
        fields=tuple(left_out(list(fields.values()), use.variant)),
        name=symbol.decl.name,
        raw_names=not case and all(not field.declared_as for field in fields.values()),
        origin=symbol.origin,
    )


def _field(
    use: TypeUse, owner: ClassSymbol, member: Member, scope: Scope, case: str
) -> Field | None:
    if "constructor" in member.modifiers or is_special(member.type, "ClassVar", "InitVar"):
        return None
    if is_special(member.type, "KW_ONLY"):
        return None
    value = None if member.value is None else use.program.evaluate(member.value, scope)
    made = value if isinstance(value, LibraryResult) else None
    type, type_scope = member.type, scope
    if type is None:
        if made is None or made.name not in _ATTRS_FIELDS:
            return None
    else:
        type, type_scope, _ = unwrap_annotated(use.program, type, scope)
    if type is None and made is not None:
        declared = call_arguments(made).get("type")
        type = as_type(declared) if declared is not None else None
        type_scope = made.scope
    if type is None:
        shape: Schema = Unknown(
            reason=Reason("no-type", member=member.name), origin=member_origin(owner, member)
        )
    else:
        shape = use.schema(type, type_scope)
    default = value if made is None else argument_value(use.program, made, "default")
    if is_null(default):
        shape = with_null_default(shape, member.name)
    name, excluded = _json_name(use, made, member.name, case)
    if excluded:
        return None
    return Field(
        name=name,
        schema=shape,
        has_default=_has_default(made, member),
        declared_as=member.name if name != member.name else "",
        origin=member_origin(owner, member),
    )


def _checked_field(
    use: TypeUse, symbol: ClassSymbol, member: Member, scope: Scope, field: Field
) -> Field:
    """A field as input may have it where methods refuse objects without it, or its null: those that
    run when an object is made, and validators of attrs, which run on defaults, too.
    https://www.attrs.org/en/stable/examples.html#validators"""
    program = use.program
    default = None if member.value is None else program.evaluate(member.value, scope)
    if isinstance(default, LibraryResult):
        default = argument_value(program, default, "default") or default
    default = Constant(None) if default is None else default
    checks: list[Check] = []
    for name in ("__post_init__", "__attrs_post_init__"):
        method = program.find_method(symbol, name)
        if method is not None:
            checks.append(object_check(method, RECEIVER, [member.name], default))
    for owner, _ in use.chain(symbol):
        for validator in owner.decl.methods:
            names = {annotation.name for annotation in validator.annotations}
            if f"{member.name}.validator" in names and len(validator.params) > 1:
                method = method_of(program, owner, validator)
                checks.append(value_check(program, method, 1, default))
    return with_rejections(program, field, checks)


def _has_default(made: LibraryResult | None, member: Member) -> bool:
    if made is None or made.name.rpartition(".")[2] not in ("field", "ib", "attrib", "Field"):
        return member.value is not None
    arguments = call_arguments(made)
    given_first = made.name.rpartition(".")[2] == "Field" and positional(made) is not None
    return given_first or bool({"default", "default_factory", "factory"} & set(arguments))


def _letter_case(use: TypeUse, symbol: ClassSymbol) -> str:
    """The letter case that `@dataclass_json(letter_case=…)` asks for."""
    for owner in (symbol, *use.program.bases(symbol)):
        for annotation in owner.decl.annotations:
            if annotation.name.rpartition(".")[2] == "dataclass_json":
                for argument in annotation.args:
                    if argument.name == "letter_case":
                        return _last_name(argument.value)
    return ""


def _last_name(expr: Expr) -> str:
    return expr.name if isinstance(expr, Attribute) else ""


def _json_name(use: TypeUse, made: LibraryResult | None, name: str, case: str) -> tuple[str, bool]:
    """The name that dataclasses-json gives a field, and whether it leaves the field out."""
    rename = _JSON_CASES.get(case)
    if made is not None:
        metadata = argument_value(use.program, made, "metadata")
        config = metadata if isinstance(metadata, LibraryResult) else None
        if config is not None and config.name.endswith("config"):
            explicit = given_text(use.program, config, "field_name")
            excluded = "exclude" in call_arguments(config)
            if explicit is not None or excluded:
                return explicit or name, excluded
        for entry in metadata.entries if isinstance(metadata, Record) else ():
            text = entry.value.value if isinstance(entry.value, Constant) else None
            if isinstance(text, str) and text != name and _letters(text) == _letters(name):
                return text, False
    return (rename(name) if rename is not None else name), False


def _letters(name: str) -> str:
    """The letters of a name, whatever its case style. Metadata that has the words of a field in
    another case style is its name for whatever serializer of the project reads it."""
    return "".join(letter for letter in name if letter.isalnum()).casefold()


# --------------------------------------------------------------------------- TypedDict, NamedTuple


def typed_dict(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """A TypedDict: keys may be absent where it is not total, or `NotRequired`."""
    fields: dict[str, Field] = {}
    for owner, scope in reversed(use.chain(symbol)):
        total = not any(
            keyword.name == "total"
            and isinstance(keyword.value, LiteralExpr)
            and keyword.value.value is False
            for keyword in owner.decl.keywords
        )
        for member in owner.decl.members:
            if member.type is None:
                continue
            type, type_scope, _ = unwrap_annotated(use.program, member.type, scope)
            required = total
            while isinstance(type, NamedType) and type.args:
                form = type.name.rpartition(".")[2]
                if form not in ("Required", "NotRequired", "ReadOnly"):
                    break
                required = {"Required": True, "NotRequired": False}.get(form, required)
                type = type.args[0]
            fields[member.name] = Field(
                name=member.name,
                schema=use.schema(type, type_scope),
                required=required,
                has_default=not required,
                origin=member_origin(owner, member),
            )
    return Object(
        fields=tuple(fields.values()),
        additional=Nothing() if _is_closed(symbol) else None,
        name=symbol.decl.name,
        raw_names=True,
        origin=symbol.origin,
    )


def _is_closed(symbol: ClassSymbol) -> bool:
    return any(
        keyword.name == "closed"
        and isinstance(keyword.value, LiteralExpr)
        and keyword.value.value is True
        for keyword in symbol.decl.keywords
    )


def named_tuple(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """A named tuple is written as an array."""
    items = tuple(
        use.schema(member.type, scope)
        if member.type is not None
        else Unknown(
            reason=Reason("no-type", member=member.name), origin=member_origin(owner, member)
        )
        for owner, scope in reversed(use.chain(symbol))
        for member in owner.decl.members
    )
    return Array(items=Nothing(), prefix=items, origin=symbol.origin)
