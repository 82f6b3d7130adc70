"""Avro schemas -> the common form, as contracts refer to them and as builds make classes of them.

A writer gives every field of its schema, so all of them are there; one with a default may be left
out by whoever hands the record to the library. How a logical type is held (`date`: a number, or an
object of dates) is up to the language, and is undetermined.
"""

from __future__ import annotations

from typing import Final

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.contracts.located_tree import Node, Sequence, shortened_text

_PRIMITIVES: Final[dict[str, tuple[ScalarType, str]]] = {
    "boolean": ("boolean", ""),
    "int": ("integer", "int32"),
    "long": ("integer", "int64"),
    "float": ("number", "float"),
    "double": ("number", "double"),
    "bytes": ("string", "byte"),
    "string": ("string", ""),
}
_TEXTS = frozenset({"uuid"})
"""Logical types that are texts in every language."""
_DEEPEST = 100


def is_avro(schema_format: str) -> bool:
    """Whether AsyncAPI's `schemaFormat` names Avro."""
    return schema_format.lower().startswith(("application/vnd.apache.avro", "application/avro"))


def read_avro(node: Node) -> Schema:
    """The shape that an Avro schema describes."""
    return _Reader(None).read(node, "", 0)


def classes_of(node: Node) -> dict[str, Schema]:
    """What the classes look like that are generated from an Avro schema, by their full names. They
    hold every field, whatever its default."""
    reader = _Reader(True)
    reader.read(node, "", 0)
    return reader.named_types


class _Reader:
    def __init__(self, defaulted: bool | None) -> None:
        """`defaulted` says whether fields that have a default are always there."""
        self._defaulted = defaulted
        self.named_types: dict[str, Schema] = {}
        self._open: set[str] = set()

    def read(self, node: Node, namespace: str, depth: int) -> Schema:
        if depth > _DEEPEST:
            return _unknown_schema(Reason("avro-schema-too-deep"), node)
        value = node.value
        if isinstance(value, str):
            return self._named_type(value, namespace, node)
        if isinstance(value, Sequence):
            return self._union(node, namespace, depth)
        kind = node.get("type")
        if kind is None:
            return _unknown_schema(Reason("avro-schema-without-type"), node)
        if not isinstance(kind.value, str):
            return self.read(kind, namespace, depth + 1)
        logical = node.text("logicalType")
        if logical in _TEXTS:
            return Scalar(type="string", format=logical, origin=node.origin)
        if logical:
            reason = Reason("avro-logical-type", logical=shortened_text(logical))
            return _unknown_schema(reason, node)
        items, values = node.get("items"), node.get("values")
        match kind.value:
            case "record" | "error":
                return self._record(node, namespace, depth)
            case "enum":
                return self._enum(node, namespace)
            case "fixed":
                schema: Schema = Scalar(type="string", format="byte", origin=node.origin)
                return self._remember_type(node, namespace, schema)
            case "array" if items is not None:
                read = self.read(items, namespace, depth + 1)
                return Array(items=read, origin=node.origin)
            case "map" if values is not None:
                read = self.read(values, namespace, depth + 1)
                return Object(additional=read, origin=node.origin)
            case name:
                return self._named_type(name, namespace, node)

    def _named_type(self, name: str, namespace: str, node: Node) -> Schema:
        if name in _PRIMITIVES:
            type_, format_ = _PRIMITIVES[name]
            return Scalar(type=type_, format=format_, origin=node.origin)
        if name == "null":
            return Nothing(nullable=True, origin=node.origin)
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        found = self.named_types.get(full) or self.named_types.get(name)
        if found is not None:
            return found
        if full in self._open:
            return _unknown_schema(Reason("avro-type-recursive", name=shortened_text(name)), node)
        return _unknown_schema(Reason("avro-type-not-found", name=shortened_text(name)), node)

    def _union(self, node: Node, namespace: str, depth: int) -> Schema:
        read = [self.read(one, namespace, depth + 1) for one in node.elements()]
        options = [one for one in read if not isinstance(one, Nothing)]
        nullable = len(options) < len(read)
        if not options:
            return Nothing(nullable=True, origin=node.origin)
        if len(options) == 1:
            return with_nullable(options[0]) if nullable else options[0]
        return Union(options=tuple(options), nullable=nullable, origin=node.origin)

    def _record(self, node: Node, namespace: str, depth: int) -> Schema:
        full, inside = _full_name(node, namespace)
        self._open.add(full)
        fields = node.get("fields")
        read: list[Field] = []
        for field in fields.elements() if fields is not None else ():
            name, type_ = field.text("name"), field.get("type")
            if name and type_ is not None:
                schema = self.read(_typed_node(field, type_), inside, depth + 1)
                defaulted = field.has("default")
                read.append(
                    Field(
                        name=name,
                        schema=schema,
                        required=self._defaulted if defaulted else True,
                        has_default=defaulted,
                        origin=field.origin,
                    )
                )
        self._open.discard(full)
        name = node.text("name").rpartition(".")[2]
        record = Object(fields=tuple(read), name=name, is_avro=True, origin=_name_origin(node))
        return self._remember_type(node, namespace, record)

    def _enum(self, node: Node, namespace: str) -> Schema:
        symbols = node.get("symbols")
        values = [one.value for one in symbols.elements()] if symbols is not None else []
        known = tuple(value for value in values if isinstance(value, str))
        enum = Scalar(type="string", values=known or None, origin=_name_origin(node))
        return self._remember_type(node, namespace, enum)

    def _remember_type(self, node: Node, namespace: str, schema: Schema) -> Schema:
        full, _ = _full_name(node, namespace)
        if full:
            self.named_types[full] = schema
        return schema


def _typed_node(field: Node, type_: Node) -> Node:
    """Where the type of a field is written; a logical type may stand beside the type's name."""
    return field if isinstance(type_.value, str) and field.text("logicalType") else type_


def _full_name(node: Node, namespace: str) -> tuple[str, str]:
    """The full name of a named type, and the namespace in it."""
    name = node.text("name")
    if "." in name:
        return name, name.rpartition(".")[0]
    namespace = node.text("namespace") or namespace
    return (f"{namespace}.{name}" if namespace and name else name), namespace


def _name_origin(node: Node) -> Origin:
    """Where the name of a named type stands."""
    name = node.get("name")
    return name.value_origin if name is not None else node.origin


def _unknown_schema(reason: Reason, node: Node) -> Unknown:
    return Unknown(reason=reason, nullable=None, origin=node.origin)
