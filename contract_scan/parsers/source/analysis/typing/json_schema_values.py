"""JSON Schemas written as object literals in code, as Fastify takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite, with_peers
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    Record,
    RecordEntry,
    Value,
)
from contract_scan.parsers.source.analysis.typing.type_operators import intersect

MAX_DEPTH = 30

_SCALARS: Mapping[str, ScalarType] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}

_CONDITIONAL = frozenset({"if", "not", "anyOf", "oneOf", "dependentSchemas"})
_DEPENDENT = frozenset({"dependentRequired", "dependencies"})

Named = Callable[[str], Value | None]
"""Gives the schema registered under an `$id`."""
_WRITTEN_BY_LIBRARY = Reason("schema-document-written")


def schema_document(described: LibraryResult, origin: Origin) -> Record:
    """The JSON Schema that a library writes of one of its schemas, as an object: which keywords it
    has is not told; together they say what the schema says."""
    held = RecordEntry("allOf", Items((described,), is_tuple=True), origin)
    return Record((held,), partial=_WRITTEN_BY_LIBRARY, origin=origin)


def schema_value(program: Program, value: Value, named: Named, depth: int = 0) -> Schema:
    """The shape that a schema value describes: a JSON Schema literal, or what a schema library
    made."""
    if isinstance(value, LibraryResult):
        return program.schema_of(value)
    if not isinstance(value, Record) or depth > MAX_DEPTH:
        return Unknown(reason=Reason("schema-not-declared"))
    parts = {entry.name: entry for entry in value.entries}
    origin = value.origin or NOWHERE
    if value.partial and value.partial != _WRITTEN_BY_LIBRARY:
        return Unknown(reason=value.partial, origin=origin)
    return _Reader(program, named, depth).schema_of_keywords(parts, origin)


class _Reader:
    def __init__(self, program: Program, named: Named, depth: int) -> None:
        self._program = program
        self._named = named
        self._depth = depth

    def _inner(self, value: Value) -> Schema:
        return schema_value(self._program, value, self._named, self._depth + 1)

    def schema_of_keywords(self, parts: dict[str, RecordEntry], origin: Origin) -> Schema:
        """The schema that the keywords describe."""
        if "$ref" in parts:
            return self._reference(parts["$ref"].value, origin)
        for keyword in ("anyOf", "oneOf"):
            options = _items(parts[keyword].value) if keyword in parts else ()
            if options and not all(map(_only_requires, options)):
                return unite(map(self._inner, options))
        if "allOf" in parts:
            shapes = [self._inner(item) for item in _items(parts["allOf"].value)]
            return intersect(self._program.types, shapes, origin)
        if "enum" in parts or "const" in parts:
            return self._values(parts, origin)
        kinds, nullable = self._types(parts)
        if "nullable" in parts:
            nullable = nullable or _constant(parts["nullable"].value) is True
        if not kinds and "properties" in parts:
            kinds = ["object"]
        if not kinds:
            return (
                Anything(origin=origin)
                if not parts
                else Unknown(reason=Reason("schema-without-type"), origin=origin)
            )
        shape = unite(self._of_type(kind, parts, origin) for kind in kinds)
        return with_nullable(shape, True) if nullable else shape

    def _types(self, parts: dict[str, RecordEntry]) -> tuple[list[str], bool]:
        if "type" not in parts:
            return [], False
        value = parts["type"].value
        texts = [self._program.evaluator.text(item) for item in _items(value) or (value,)]
        known = [text for text in texts if text is not None]
        return [text for text in known if text != "null"], "null" in known

    def _of_type(self, kind: str, parts: dict[str, RecordEntry], origin: Origin) -> Schema:
        if kind in _SCALARS:
            form = parts.get("format")
            text = self._program.evaluator.text(form.value) if form is not None else None
            return Scalar(type=_SCALARS[kind], format=text or "", origin=origin)
        if kind == "array":
            items = parts.get("items")
            inner = self._inner(items.value) if items is not None else Anything()
            return Array(items=inner, origin=origin)
        if kind == "object":
            return self._object(parts, origin)
        if kind == "null":
            return Nothing(nullable=True, origin=origin)
        return Unknown(reason=Reason("schema-type-unsupported", kind=repr(kind)), origin=origin)

    def _object(self, parts: dict[str, RecordEntry], origin: Origin) -> Schema:
        needed = {
            self._program.evaluator.text(item)
            for item in (_items(parts["required"].value) if "required" in parts else ())
        }
        fields: list[Field] = []
        partial = NO_REASON
        properties = parts.get("properties")
        if properties is not None and isinstance(properties.value, Record):
            partial = properties.value.partial
            for entry in properties.value.entries:
                inner = _has_default(entry.value)
                fields.append(
                    Field(
                        name=entry.name,
                        schema=self._inner(entry.value),
                        required=entry.name in needed,
                        has_default=inner,
                        origin=entry.origin,
                    )
                )
        elif properties is not None:
            partial = Reason("schema-properties-not-declared")
        additional: Schema | None = None
        if "additionalProperties" in parts:
            written = parts["additionalProperties"].value
            said = _constant(written)
            additional = self._inner(written)
            if isinstance(said, bool):
                additional = Anything() if said else Nothing()
        shape = Object(
            fields=tuple(fields), additional=additional, incomplete_reason=partial, origin=origin
        )
        return with_peers(shape, self._conditional_names(parts))

    def _conditional_names(self, parts: dict[str, RecordEntry]) -> set[str] | None:
        """The properties that are required beside others; None where they may be all."""
        if _CONDITIONAL & parts.keys():
            return None
        found: set[str] = set()
        for keyword in _DEPENDENT & parts.keys():
            written = parts[keyword].value
            for entry in written.entries if isinstance(written, Record) else ():
                if not isinstance(entry.value, Items):
                    return None
                found |= {self._program.evaluator.text(v) or "" for v in entry.value.values}
        return found

    def _values(self, parts: dict[str, RecordEntry], origin: Origin) -> Schema:
        entry = parts.get("enum") or parts["const"]
        items = _items(entry.value) if "enum" in parts else (entry.value,)
        constants = [item for item in items if isinstance(item, Constant)]
        if len(constants) != len(items) or not constants:
            return Unknown(reason=Reason("schema-values-not-constant"), origin=origin)
        return unite(
            replace(shape, origin=origin)
            for shape in (self._program.schema_of(constant) for constant in constants)
        )

    def _reference(self, value: Value, origin: Origin) -> Schema:
        text = self._program.evaluator.text(value) or ""
        target = self._named(text.rstrip("#")) if "#/" not in text else None
        if target is None:
            return Unknown(reason=Reason("schema-not-found", text=repr(text)), origin=origin)
        return self._inner(target)


def _only_requires(value: Value) -> bool:
    """Whether an alternative says nothing but which properties are there."""
    return isinstance(value, Record) and {e.name for e in value.entries} <= {"required", "not"}


def _has_default(value: Value) -> bool:
    """Whether a property schema gives a default."""
    return isinstance(value, Record) and any(entry.name == "default" for entry in value.entries)


def _items(value: Value) -> tuple[Value, ...]:
    return value.values if isinstance(value, Items) else ()


def _constant(value: Value) -> LiteralValue:
    return value.value if isinstance(value, Constant) else None
