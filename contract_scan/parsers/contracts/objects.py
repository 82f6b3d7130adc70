"""The object that several schemas describe together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Field, LiteralValue, Nothing, Object, Schema, Union
from contract_scan.parsers.contracts.conjunction import Conjunct, required_only, strings
from contract_scan.parsers.contracts.located_tree import Mapping, Node, Sequence

ReadTogether = Callable[[list[Conjunct]], Schema]
"""Lowers schemas that hold at once."""


class Annotations(Struct, frozen=True):
    """What a property's schema says besides the shape, wherever in it that stands."""

    read_only: bool = False
    write_only: bool = False
    has_default: bool = False
    default: LiteralValue = None
    """A plain value; None where there is none."""

    def together_with(self, other: Annotations) -> Annotations:
        """What both say; the default is that of the first that has one."""
        return Annotations(
            self.read_only or other.read_only,
            self.write_only or other.write_only,
            self.has_default or other.has_default,
            other.default if self.default is None else self.default,
        )


NO_ANNOTATIONS: Final = Annotations()
_ANNOTATING: Final = frozenset({"readOnly", "writeOnly", "default", "$ref", "allOf"})
"""Keywords that say such a thing, or lead to what does."""


class Requirements(Struct):
    """Which names must be present, and which may have to be."""

    always: dict[str, None]
    possibly_absent: dict[str, None]

    def is_required(self, name: str) -> bool | None:
        """True, False, or None where it depends on something that is not compared."""
        if name in self.always:
            return True
        return None if name in self.possibly_absent else False


def requirements(parts: Iterable[Conjunct]) -> Requirements:
    """Collect `required` and everything that requires under a condition."""
    always: dict[str, None] = {}
    perhaps: dict[str, None] = {}
    for part in parts:
        always.update(dict.fromkeys(strings(part.value("required"))))
        for word in ("dependentRequired", "dependencies"):
            rules = part.value(word)
            if isinstance(rules, Mapping):
                for names in rules.values():
                    perhaps.update(dict.fromkeys(strings(names)))
        for word in ("then", "else", "not"):
            branch = part.get(word)
            if branch is not None:
                perhaps.update(dict.fromkeys(_names_required_in(branch)))
        for word in ("dependentSchemas", "dependencies"):
            rules_node = part.get(word)
            for _, branch in rules_node.members() if rules_node else ():
                perhaps.update(dict.fromkeys(_names_required_in(branch)))
    return Requirements(always, perhaps)


CONTRADICTION: Final = Reason("contract-schemas-contradict")


def refuse_each_other(parts: Iterable[Conjunct]) -> bool:
    """Whether two alternatives that are to hold at once cannot: one requires a property, and the
    other forbids all that it does not name itself. (Of schemas that always hold together, that is
    a mistake that many contracts make, and it is known what they mean.)"""
    named: dict[str, set[str]] = {}
    closed: set[str] = set()
    required: dict[str, set[str]] = {}
    for part in parts:
        if not part.alternative:
            continue
        properties = part.value("properties")
        if isinstance(properties, Mapping):
            named.setdefault(part.alternative, set()).update(properties)
        if part.value("additionalProperties") is False and not part.value("patternProperties"):
            closed.add(part.alternative)
        required.setdefault(part.alternative, set()).update(strings(part.value("required")))
    return any(
        names - named.get(one, set())
        for one in closed
        for other, names in required.items()
        if other != one
    )


def _names_required_in(branch: Node) -> tuple[str, ...]:
    names = required_only(branch)
    if names is not None:
        return names
    return strings(branch.value.get("required")) if isinstance(branch.value, Mapping) else ()


def conditional_fields(parts: Iterable[Conjunct]) -> tuple[dict[str, list[Conjunct]], Reason]:
    """Properties that schemas add under a condition, and why there may be others still (empty where
    there are none). What a condition says of properties that there are anyway is a matter of
    values."""
    found: dict[str, list[Conjunct]] = {}
    partial = NO_REASON
    for part in parts:
        for word, schema in _under_conditions(part):
            if any(schema.has(other) for other in _SHAPING):
                partial = partial or Reason("conditional-schema", word=word)
            listed = schema.get("properties")
            for key, node in listed.members() if listed is not None else ():
                found.setdefault(key, []).append(Conjunct(node, part.dialect, seed=True))
    return found, partial


_SHAPING = ("$ref", "allOf", "anyOf", "oneOf", "if")


def _under_conditions(part: Conjunct) -> Iterator[tuple[str, Node]]:
    """The schemas that hold where a condition does, each with the word that brings it."""
    if "if" in part.without:
        return
    for word in ("then", "else", "dependentSchemas"):
        branch = part.get(word)
        if branch is None:
            continue
        schemas = [branch]
        if word == "dependentSchemas":
            schemas = [schema for _, schema in branch.members()]
        for schema in schemas:
            if schema.is_mapping and required_only(schema) is None:
                yield word, schema


def read_object(
    parts: list[Conjunct],
    read: ReadTogether,
    annotations: Callable[[Node], Annotations],
    *,
    origin: Origin,
    name: str,
    nullable: bool | None,
    partial: Reason,
    perhaps: Iterable[str] = (),
) -> Schema:
    """One object out of all parts; `Anything`-valued map where none of them says a thing."""
    properties: dict[str, list[Conjunct]] = {}
    for part in parts:
        listed = part.get("properties")
        for key, node in listed.members() if listed else ():
            properties.setdefault(key, []).append(Conjunct(node, part.dialect, seed=True))
    needed = requirements(parts)
    needed.possibly_absent.update(dict.fromkeys(perhaps))
    additional = _additional(parts, read)
    fields = [
        _field(key, schemas, needed.is_required(key), read, annotations)
        for key, schemas in properties.items()
    ]
    for key in needed.always:
        if key not in properties:
            shape = additional if additional is not None else Anything(nullable=None, origin=origin)
            fields.append(Field(name=key, schema=shape, required=True, origin=origin))
    under_conditions, more = conditional_fields(parts)
    for key, schemas in under_conditions.items():
        if all(field.name != key for field in fields):
            read_each = [read([schema]) for schema in schemas]
            shape = read_each[0] if len(read_each) == 1 else Union(options=tuple(read_each))
            required = None if needed.is_required(key) is not False else False
            fields.append(
                Field(name=key, schema=shape, required=required, origin=schemas[0].node.origin)
            )
    partial = partial or more
    if not fields and additional is None and not partial:
        additional = Anything(nullable=True, origin=origin)
    return Object(
        fields=tuple(fields),
        additional=additional,
        incomplete_reason=partial,
        name=name,
        nullable=nullable,
        origin=origin,
    )


def _field(
    key: str,
    schemas: list[Conjunct],
    required: bool | None,
    read: ReadTogether,
    annotations: Callable[[Node], Annotations],
) -> Field:
    said = annotations(schemas[0].node)
    for part in schemas[1:]:
        said = said.together_with(annotations(part.node))
    return Field(
        name=key,
        schema=read(schemas),
        required=required,
        has_default=said.has_default,
        read_only=said.read_only,
        write_only=said.write_only,
        origin=schemas[0].node.origin,
    )


def _additional(parts: list[Conjunct], read: ReadTogether) -> Schema | None:
    """What further properties look like; None where no part says."""
    schemas: list[Conjunct] = []
    anything: Node | None = None
    forbidden: Node | None = None
    matched: list[Schema] = []
    for part in parts:
        closed: Node | None = None
        for word in ("additionalProperties", "unevaluatedProperties"):
            node = part.get(word)
            if node is None:
                continue
            if node.value is False:
                closed = closed or node
            elif node.value is True or (node.is_mapping and not node.value):
                anything = anything or node
            elif node.is_mapping:
                schemas.append(Conjunct(node, part.dialect, seed=True))
        patterns = part.get("patternProperties")
        if patterns is not None and isinstance(patterns.value, Mapping) and patterns.value:
            if closed is not None:
                # Only the patterns' keys are left.
                closed = None
                shapes = tuple(
                    read([Conjunct(node, part.dialect, seed=True)])
                    for _, node in patterns.members()
                )
                matched.extend(shapes)
            else:
                anything = anything or patterns
        forbidden = forbidden or closed
    if forbidden is not None:
        return Nothing(origin=forbidden.origin)
    if schemas:
        return read(schemas)
    if matched:
        return matched[0] if len(matched) == 1 else Union(options=tuple(matched))
    return Anything(nullable=True, origin=anything.origin) if anything is not None else None


def annotations_of(node: Node, follow: Callable[[Node], Node | None]) -> Annotations:
    """readOnly, writeOnly and default of a property, also where `$ref` or `allOf` brings them."""
    if isinstance(node.value, Mapping) and _ANNOTATING.isdisjoint(node.value):
        return NO_ANNOTATIONS
    read_only = write_only = has_default = False
    default: LiteralValue = None
    pending, seen = [node], 0
    while pending and seen < 50:
        current = pending.pop()
        seen += 1
        value = current.value
        if not isinstance(value, Mapping):
            continue
        read_only = read_only or value.get("readOnly") is True
        write_only = write_only or value.get("writeOnly") is True
        has_default = has_default or "default" in value
        default = literal_value(value.get("default")) if default is None else default
        if isinstance(value.get("$ref"), str):
            target = follow(current)
            if target is not None:
                pending.append(target)
        members = current.get("allOf")
        if members is not None and isinstance(members.value, Sequence):
            pending.extend(members.elements())
    return Annotations(read_only, write_only, has_default, default)


def literal_value(value: object) -> LiteralValue:
    """A value of the contract where it is a scalar; None otherwise."""
    return value if isinstance(value, str | int | float | bool) else None
