"""Schemas of a contract as JSON Schemas that stand alone: what validators of other programs take.

A schema object of any dialect becomes one of draft 2020-12 whose references lead into one table of
definitions. Everything that says nothing about values (titles, descriptions, examples, `$id`) is
left out, and so are `format`s that no validator of today asserts.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from contract_scan.parsers.contracts.dialects import Dialect
from contract_scan.parsers.contracts.located_tree import Mapping, Node, Sequence
from contract_scan.parsers.contracts.refs import Documents

Direction: TypeAlias = Literal["request", "response"]
JsonSchema: TypeAlias = dict[str, object] | bool
ASSERTED_FORMATS = frozenset({"date", "date-time", "uuid", "email", "ipv4", "ipv6"})
"""Formats that both generated runtimes and our own check assert alike."""

_PLAIN = (
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "minContains",
    "maxContains",
)
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMAS = (
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_UNSAFE_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_CLOSURE = 500
"""Parts of one conjunction that are searched for properties of one direction only."""


class SchemaWriter:
    """Writes the schemas of one contract for one direction of messages.

    `definitions` grows as schemas are written. In a request no property that is `readOnly` is
    required, in a response none that is `writeOnly`.
    """

    def __init__(self, documents: Documents, dialect: Dialect, direction: Direction) -> None:
        self.documents = documents
        self.dialect = dialect
        self.definitions: dict[str, JsonSchema] = {}
        self._other_way = "readOnly" if direction == "request" else "writeOnly"
        self._names: dict[tuple[str, frozenset[str]], str] = {}

    def write(self, node: Node, inherited: frozenset[str] = frozenset()) -> JsonSchema:
        """The schema at a node. `inherited` names properties that a schema around it leaves out.

        Raises `ContractError` for a reference that cannot be followed.
        """
        value = node.value
        if isinstance(value, bool):
            return value
        if not isinstance(value, Mapping):
            return True
        if isinstance(value.get("$ref"), str):
            reference: JsonSchema = self._reference(node, inherited)
            if not self.dialect.sibling_keywords or len(value) == 1:
                return reference
            own = self._keywords(node, inherited)
            return {**own, "$ref": reference["$ref"]} if isinstance(reference, dict) else own
        return self._nullable(node, self._keywords(node, inherited))

    def _reference(self, node: Node, inherited: frozenset[str]) -> dict[str, object]:
        target = self.documents.follow(node)
        key = (target.id, inherited)
        name = self._names.get(key)
        if name is None:
            name = self._new_name(target)
            self._names[key] = name
            self.definitions[name] = True  # a schema that contains itself finds its name here
            self.definitions[name] = self.write(target, inherited)
        return {"$ref": f"#/$defs/{name}"}

    def _new_name(self, target: Node) -> str:
        base = _UNSAFE_IN_NAMES.sub("_", target.name).strip("_")[:60] or "schema"
        used = set(self._names.values())
        name, number = base, 2
        while name in used:
            name, number = f"{base}_{number}", number + 1
        return name

    def _keywords(self, node: Node, inherited: frozenset[str]) -> dict[str, object]:
        value = node.value
        assert isinstance(value, Mapping)
        left_out = inherited | self._of_the_other_way(node)
        written: dict[str, object] = {
            word: plain_value(value[word]) for word in _PLAIN if word in value
        }
        _modernise_bounds(written)
        if value.get("format") in ASSERTED_FORMATS:
            written["format"] = value["format"]
        required = value.get("required")
        if isinstance(required, Sequence):
            names = [name for name in required if isinstance(name, str) and name not in left_out]
            if names:
                written["required"] = names
        for word in _MAPS:
            holder = node.get(word)
            if holder is not None and holder.is_mapping:
                written[word] = {name: self.write(member) for name, member in holder.members()}
        for word in _LISTS:
            holder = node.get(word)
            if holder is not None and isinstance(holder.value, Sequence) and holder.value:
                passed_on = left_out if word != "prefixItems" else frozenset()
                written[word] = [self.write(one, passed_on) for one in holder.elements()]
        for word in _SCHEMAS:
            member = node.get(word)
            if member is not None:
                written[word] = self.write(member)
        self._write_items(node, written)
        self._write_dependencies(node, written)
        return written

    def _write_items(self, node: Node, written: dict[str, object]) -> None:
        items = node.get("items")
        if items is None:
            return
        if not isinstance(items.value, Sequence):
            written["items"] = self.write(items)
            return
        written["prefixItems"] = [self.write(one) for one in items.elements()]
        rest = node.get("additionalItems")
        if rest is not None:
            written["items"] = self.write(rest)

    def _write_dependencies(self, node: Node, written: dict[str, object]) -> None:
        """`dependencies` of older drafts, which 2020-12 has under two names."""
        holder = node.get("dependencies")
        for name, member in holder.members() if holder is not None else ():
            word = "dependentRequired" if isinstance(member.value, Sequence) else "dependentSchemas"
            group = written.setdefault(word, {})
            assert isinstance(group, dict)
            is_list = isinstance(member.value, Sequence)
            group[name] = plain_value(member.value) if is_list else self.write(member)

    def _nullable(self, node: Node, written: dict[str, object]) -> JsonSchema:
        value = node.value
        assert isinstance(value, Mapping)
        word = self.dialect.nullable_keyword
        may_be_null = bool(word) and value.get(word) is True
        if not may_be_null and (self.dialect.null_sayable or not written):
            return written
        if "type" not in written and "enum" not in written and not written:
            return written
        if any(word in written for word in ("allOf", "anyOf", "oneOf", "not", "const")):
            return {"anyOf": [{"type": "null"}, written]}
        kind = written.get("type")
        if isinstance(kind, str) and kind != "null":
            written["type"] = [kind, "null"]
        listed = written.get("enum")
        if isinstance(listed, list) and None not in listed:
            written["enum"] = [*listed, None]
        return written

    def _of_the_other_way(self, node: Node) -> frozenset[str]:
        """Properties that never go in this direction, of a schema and what holds with it."""
        found: set[str] = set()
        pending, seen = [node], {node.id}
        while pending and len(seen) < _MAX_CLOSURE:
            current = pending.pop()
            properties = current.get("properties")
            for name, member in properties.members() if properties is not None else ():
                if self.documents.follow(member).flag(self._other_way) or member.flag(
                    self._other_way
                ):
                    found.add(name)
            parts = current.get("allOf")
            for part in parts.elements() if parts is not None else ():
                target = self.documents.follow(part)
                if target.id not in seen:
                    seen.add(target.id)
                    pending.append(target)
        return frozenset(found)


def plain_value(value: object) -> object:
    """A value of a contract as ordinary dicts and lists."""
    if isinstance(value, dict):
        return {str(key): plain_value(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain_value(one) for one in value]
    return value


def _modernise_bounds(written: dict[str, object]) -> None:
    """`exclusiveMinimum: true` beside `minimum`, as drafts up to 4 write it."""
    for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        exclusive = written.get(word)
        if isinstance(exclusive, bool):
            del written[word]
            if exclusive and bound in written:
                written[word] = written.pop(bound)
