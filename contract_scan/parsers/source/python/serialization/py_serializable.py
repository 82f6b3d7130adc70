"""py-serializable: classes whose properties are written, under names in camel case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Function
from contract_scan.parsers.source.python.serialization.kinds import decorator
from contract_scan.parsers.source.python.serialization.pydantic.classes import method_result

CLASSES = frozenset({"py_serializable.serializable_class", "serializable.serializable_class"})
_SEVERAL_WORDS = re.compile("_([a-z])")
_WHOLE = "."
"""The name of a property that is written in place of its object."""
_WRITES = ("json_normalize", "json_serialize", "serialize")
"""Methods of a helper that write a value; the first that there is counts."""


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """How instances of a class that `@serializable_class` marks are written."""
    if use.program.any_file_contains(b"CurrentFormatter.formatter"):
        reason = Reason("py-serializable-naming")
        return Unknown(reason=reason, origin=symbol.origin)
    fields: dict[str, Field] = {}
    for owner, scope in reversed(use.chain(symbol)):
        for method in owner.decl.methods:
            if not any(annotation.name == "property" for annotation in method.annotations):
                continue
            field = _field(use, owner, method, scope)
            if field.name == _WHOLE:
                return field.schema
            fields[method.name] = field
    return Object(fields=tuple(fields.values()), name=symbol.decl.name, origin=symbol.origin)


def _field(use: TypeUse, owner: ClassSymbol, method: Function, scope: Scope) -> Field:
    written = _argument(method, "json_name")
    written_name = use.program.text(written.args[0].value, scope) if written is not None else None
    name = _SEVERAL_WORDS.sub(lambda found: found[1].upper(), written_name or method.name)
    shape = _shape(use, owner, method, scope)
    # What is null, or an empty list, is left out.
    viewed = _argument(method, "view") is not None
    held = with_nullable(shape, False)
    left_out = None if isinstance(held, Array) else shape.nullable
    required = False if left_out else None if left_out is None or viewed else True
    return Field(
        name=name,
        schema=held,
        required=required,
        has_default=True,
        omitted_if_null=required is None and not viewed,
        undetermined_reason=Reason("written-in-some-views", method=method.name)
        if viewed
        else NO_REASON,
        declared_as=method.name if method.name != name else "",
        origin=Origin(
            owner.file.path, method.name_span, "", f"{owner.qualified_name}.{method.name}"
        ),
    )


def _shape(use: TypeUse, owner: ClassSymbol, method: Function, scope: Scope) -> Schema:
    if method.returns is not None:
        declared = use.schema(method.returns, scope)
    else:
        declared = method_result(use, owner, method, scope)
    mapping = _argument(method, "type_mapping")
    if mapping is not None:
        return _by_helper(use, mapping, scope, declared)
    match declared:
        case Reference():
            symbol = use.program.types.symbol_of(declared)
            flat = use.program.types.flat(declared) if symbol is not None else None
            unmarked = symbol is not None and decorator(use.program, symbol, CLASSES) is None
            if unmarked and isinstance(flat, Unknown | Object):
                return Scalar(type="string", nullable=declared.nullable)  # `str(value)`
            return declared
        case Scalar(type="string", format="decimal"):
            return Scalar(type="number", nullable=declared.nullable)
        case _:
            return declared


def _by_helper(use: TypeUse, mapping: Annotation, scope: Scope, declared: Schema) -> Schema:
    """What the helper that `@type_mapping` names makes of a value."""
    found = use.program.evaluate(mapping.args[0].value, scope)
    schema: Schema = Unknown(reason=Reason("py-serializable-helper"), origin=declared.origin)
    if isinstance(found, ClassValue):
        for name in _WRITES:
            method = use.program.find_method(found.symbol, name)
            if method is not None and method.owner is not None:
                result = method_result(use, method.owner, method.function, method.scope)
                schema = result if isinstance(result, Scalar) else schema
                break
    elif isinstance(found, LibrarySymbol) and "DateTime" in found.name:
        schema = Scalar(type="string", format="date-time", origin=declared.origin)
    elif isinstance(found, LibrarySymbol) and found.name.endswith("Date"):
        schema = Scalar(type="string", format="date", origin=declared.origin)
    # That a helper may give nothing is how all of them are declared.
    unsure = schema.nullable is not False and not isinstance(schema, Unknown)
    return replace(schema, nullable=True if declared.nullable else None if unsure else False)


def _argument(method: Function, name: str) -> Annotation | None:
    """The decorator of a property that is called so, where it is given something."""
    return next(_decorators(method, name), None)


def _decorators(method: Function, name: str) -> Iterator[Annotation]:
    for annotation in method.annotations:
        if annotation.name.rpartition(".")[2] == name and annotation.args:
            yield annotation
