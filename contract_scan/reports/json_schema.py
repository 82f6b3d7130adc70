"""Schemas of the common form written as JSON Schema (draft 2020-12).

What is undetermined stays visible: `x-unknown` with the reason in the place of a schema,
`x-unknown-nullable` where null may be possible, `x-unknown-required` for properties that may be
left out, `x-partial` where an object has properties that could not be listed.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from math import isfinite
from typing import Any, assert_never

from contract_scan.ir.document import Resolver
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)

MAX_DEPTH = 60
MAX_INLINE = 2_000
"""Nodes that a schema may grow to by writing named schemas in place."""

_JSON_TYPES = {"numeric": "number"}


class SchemaWriter:
    """Writes schemas, and gathers the named ones that they refer to.

    `inline` writes named schemas in place as far as that ends: what is recursive, or would grow
    too large, is referred to. Otherwise everything named is referred to, at `location`, under names
    that are not `reserved`.
    """

    def __init__(
        self,
        resolver: Resolver,
        location: str,
        *,
        inline: bool = False,
        reserved: Iterable[str] = (),
    ) -> None:
        self._resolver = resolver
        self._location = location
        self._inline = inline
        self._used = set(reserved)
        self._names: dict[str, str] = {}
        self._written: dict[str, dict[str, Any]] = {}
        self._open: list[str] = []
        self._nodes = 0
        self._depth = 0
        self._reads = False

    def write(self, schema: Schema, *, reads: bool = False) -> dict[str, Any]:
        """One schema. With `reads` it is of what is taken: where named schemas are written in
        place, what has a default need not be there."""
        self._nodes = 0
        self._reads = reads and self._inline
        return self._node(schema)

    def write_parameter(self, schema: Schema) -> dict[str, Any]:
        """The schema of a parameter: texts of a path, query or header are never null, whatever the
        type that the code reads them into."""
        is_null = isinstance(schema, Nothing)
        return self.write(schema if is_null else with_nullable(schema, False))

    def write_declared(self, schema: Schema) -> dict[str, Any]:
        """The schema of a declaration: itself in place, everything named in it referred to. So a
        list of many models does not grow with all that each of them leads to."""
        inline, self._inline = self._inline, False
        try:
            whole = self._resolve(schema.key) if isinstance(schema, Reference) else schema
            return self.write(whole)
        finally:
            self._inline = inline

    def named_schemas(self) -> dict[str, dict[str, Any]]:
        """Every named schema that something written so far refers to, by name."""
        done: dict[str, dict[str, Any]] = {}
        self._inline = False
        while waiting := [key for key in self._names if key not in self._written]:
            for key in waiting:
                self._nodes = 0
                self._open = [key]
                self._written[key] = self._node(self._resolve(key))
                self._open = []
        for key in sorted(self._names, key=self._names.__getitem__):
            done[self._names[key]] = self._written[key]
        return done

    def _node(self, schema: Schema) -> dict[str, Any]:
        self._nodes += 1
        if self._depth >= MAX_DEPTH:
            return {"x-unknown": "nested too deeply to be written"}
        self._depth += 1
        try:
            written = self._unnamed_schema(schema)
        finally:
            self._depth -= 1
        if schema.nullable is None and not isinstance(schema, Unknown):
            written = {**written, "x-unknown-nullable": True}
        return written

    def _unnamed_schema(self, schema: Schema) -> dict[str, Any]:
        nullable = schema.nullable is True
        match schema:
            case Unknown(reason=reason):
                return {"x-unknown": reason}
            case Anything():
                return {}
            case Nothing():
                return {"type": "null"} if nullable else {"not": {}}
            case Scalar():
                return _scalar(schema, nullable)
            case Array():
                return self._array(schema, nullable)
            case Object():
                return self._object(schema, nullable)
            case Union():
                return self._union(schema, nullable)
            case Reference(key=key):
                return self._reference(key, nullable)
            case _:
                assert_never(schema)

    def _array(self, schema: Array, nullable: bool) -> dict[str, Any]:
        written: dict[str, Any] = {"type": _type("array", nullable)}
        if schema.prefix:
            written["prefixItems"] = [self._node(item) for item in schema.prefix]
        written["items"] = self._node(schema.items)
        return written

    def _object(self, schema: Object, nullable: bool) -> dict[str, Any]:
        written: dict[str, Any] = {"type": _type("object", nullable)}
        if schema.name:
            written["title"] = schema.name
        if schema.fields:
            written["properties"] = {field.name: self._field(field) for field in schema.fields}
        required = [
            field.name
            for field in schema.fields
            if field.required and not (self._reads and field.has_default)
        ]
        if required:
            written["required"] = required
        open_question = [field.name for field in schema.fields if field.required is None]
        if open_question:
            written["x-unknown-required"] = open_question
        match schema.additional:
            case None:
                pass
            case Nothing(nullable=False):
                written["additionalProperties"] = False
            case other:
                written["additionalProperties"] = self._node(other)
        if schema.incomplete_reason:
            written["x-partial"] = schema.incomplete_reason
        return written

    def _field(self, field: Field) -> dict[str, Any]:
        written = self._node(field.schema)
        if field.read_only:
            written = {**written, "readOnly": True}
        if field.write_only:
            written = {**written, "writeOnly": True}
        return written

    def _union(self, schema: Union, nullable: bool) -> dict[str, Any]:
        options = [self._node(option) for option in schema.options]
        if nullable:
            options.append({"type": "null"})
        written: dict[str, Any] = {"oneOf" if schema.exclusive else "anyOf": options}
        if schema.discriminator:
            written["discriminator"] = {"propertyName": schema.discriminator}
        return written

    def _reference(self, key: str, nullable: bool) -> dict[str, Any]:
        room = self._nodes < MAX_INLINE and self._depth < MAX_DEPTH // 2
        if self._inline and room and key not in self._open:
            self._open.append(key)
            written = self._node(self._resolve(key))
            self._open.pop()
        else:
            written = {"$ref": f"{self._location}/{_escape(self._name(key))}"}
        return {"anyOf": [written, {"type": "null"}]} if nullable else written

    def _resolve(self, key: str) -> Schema:
        return self._resolver.resolve(Reference(key=key))

    def _name(self, key: str) -> str:
        name = self._names.get(key)
        if name is None:
            schema = self._resolve(key)
            title = schema.name if isinstance(schema, Object) else ""
            name = self._names[key] = unused_name(title or key, self._used)
            self._used.add(name)
        return name


def unused_name(wanted: str, used: Container[str]) -> str:
    """The wanted name in the letters that every document allows, numbered where it is taken."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", wanted).strip("_") or "Schema"
    if name not in used:
        return name
    number = 2
    while f"{name}_{number}" in used:
        number += 1
    return f"{name}_{number}"


def _scalar(schema: Scalar, nullable: bool) -> dict[str, Any]:
    written: dict[str, Any] = {"type": _type(_JSON_TYPES.get(schema.type, schema.type), nullable)}
    if schema.format:
        written["format"] = schema.format
    if schema.values is not None:
        values = [finite(value) for value in schema.values]
        written["enum"] = [*values, None] if nullable and None not in values else values
    return written


def finite(value: LiteralValue) -> LiteralValue:
    """A value that JSON can hold."""
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def _type(name: str, nullable: bool) -> str | list[str]:
    return [name, "null"] if nullable else name


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
