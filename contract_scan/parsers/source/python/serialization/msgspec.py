"""msgspec structs: renaming, tags, omitted defaults, arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    LibraryResult,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import NamedType, TypeExpr, UnionType
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    given_text,
    is_null,
    is_special,
    is_true,
    member_origin,
    unwrap_annotated,
    with_null_default,
)
from contract_scan.parsers.source.python.serialization.naming import Renamer, renamer

BASES = frozenset({"msgspec.Struct"})


def _words(name: str) -> tuple[str, list[str]]:
    """Leading underscores, and the words between the others."""
    stripped = name.lstrip("_")
    return name[: len(name) - len(stripped)], [word for word in stripped.split("_") if word]


def _camel(name: str) -> str:
    start, words = _words(name)
    return start + "".join(w if not i else w[:1].upper() + w[1:] for i, w in enumerate(words))


def _pascal(name: str) -> str:
    start, words = _words(name)
    return start + "".join(w[:1].upper() + w[1:] for w in words)


RENAMES: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "camel": _camel,
    "pascal": _pascal,
    "kebab": lambda name: name.strip("_").replace("_", "-"),
}


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """How instances of a msgspec struct look on the wire."""
    program = use.program
    options = _options(use, symbol)
    fields: dict[str, Field] = {}
    omits = is_true(options.get("omit_defaults"))
    for owner, scope in reversed(use.chain(symbol)):
        # Each class renames the fields it declares itself; the option is inherited.
        rename = _rename(use, _options(use, owner).get("rename"))
        for member in owner.decl.members:
            if member.type is None or is_special(member.type, "ClassVar"):
                continue
            if "constructor" in member.modifiers:
                continue
            value = None if member.value is None else program.evaluate(member.value, scope)
            made = (
                value
                if isinstance(value, LibraryResult) and value.name == "msgspec.field"
                else None
            )
            name = given_text(program, made, "name") if made is not None else None
            if name is None:
                name = rename(member.name) if rename is not None else None
            if name is None:
                return Unknown(
                    reason=Reason("names-made-by-function", type=symbol.decl.name),
                    origin=symbol.origin,
                )
            has_default = (
                bool({"default", "default_factory"} & set(call_arguments(made)))
                if made is not None
                else member.value is not None
            )
            type, type_scope, _ = unwrap_annotated(program, member.type, scope)
            type, may_be_unset = _without_unset(type)
            default = value if made is None else argument_value(program, made, "default")
            shape = use.schema(type, type_scope)
            fields[member.name] = Field(
                name=name,
                schema=with_null_default(shape, member.name) if is_null(default) else shape,
                required=not (may_be_unset or (omits and has_default)),
                has_default=has_default,
                declared_as=member.name if name != member.name else "",
                origin=member_origin(owner, member),
            )
    if is_true(options.get("array_like")):
        prefix = tuple(field.schema for field in fields.values())
        return Array(items=Nothing(), prefix=prefix, origin=symbol.origin)
    return Object(
        fields=(*_tag(use, symbol, options), *fields.values()),
        additional=Nothing() if is_true(options.get("forbid_unknown_fields")) else None,
        name=symbol.decl.name,
        origin=symbol.origin,
    )


def _without_unset(type: TypeExpr) -> tuple[TypeExpr, bool]:
    """A type without `UnsetType`, and whether that was an option: the field is then left out."""
    if not isinstance(type, UnionType):
        return type, False
    left = tuple(
        option
        for option in type.options
        if not (isinstance(option, NamedType) and option.name.endswith("UnsetType"))
    )
    if len(left) == len(type.options) or not left:
        return type, False
    return (left[0] if len(left) == 1 else UnionType(left, span=type.span)), True


def _options(use: TypeUse, symbol: ClassSymbol) -> dict[str, Value]:
    """Class keywords, those of nearer classes over those of farther ones."""
    merged: dict[str, Value] = {}
    for owner in reversed([symbol, *use.program.bases(symbol)]):
        scope = use.program.class_scope(owner)
        for keyword in owner.decl.keywords:
            if keyword.name:
                merged[keyword.name] = use.program.evaluate(keyword.value, scope)
    return merged


def _rename(use: TypeUse, value: Value | None) -> Renamer | None:
    match value:
        case None | Constant(value=None):
            return lambda name: name
        case Constant(value=str(style)) if style in RENAMES:
            return RENAMES[style]
        case Record(entries=entries):
            names = {entry.name: use.program.evaluator.text(entry.value) for entry in entries}
            return lambda name: names.get(name, name)
        case _:
            return renamer(use.program, value)


def _tag(use: TypeUse, symbol: ClassSymbol, options: dict[str, Value]) -> tuple[Field, ...]:
    """The field that tells structs of a union apart."""
    tag = options.get("tag")
    field = options.get("tag_field")
    if tag is None and field is None:
        return ()
    if isinstance(tag, Constant) and tag.value in (None, False):
        return ()
    name = use.program.evaluator.text(field) if field is not None else "type"
    value = symbol.decl.name if tag is None or is_true(tag) else use.program.evaluator.text(tag)
    values = (value,) if value is not None else None
    shape = Scalar(type="string", values=values, origin=symbol.origin)
    return (Field(name=name or "type", schema=shape, has_default=True, origin=symbol.origin),)
