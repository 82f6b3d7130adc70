"""Schema objects of every dialect -> `WireSchema`s.

A schema is read as a conjunction, as for `ir.schema`: what it says itself, its `allOf` and the
targets of its `$ref`s hold at once and become one. So a schema that moves behind a `$ref` or into
an `allOf` stays the same schema. Schemas are read from a list of pending ones, never by recursion.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Iterator

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.wire_contract import (
    ANY,
    ANY_VALUE,
    Alternatives,
    Fact,
    Limit,
    LimitName,
    SchemaKey,
    WireProperty,
    WireSchema,
)
from contract_scan.parsers.contracts.conjunction import (
    Conjunct,
    allowed_types,
    constrains,
    enum_values,
    inferred_type,
    is_null_only,
    nullable_of,
)
from contract_scan.parsers.contracts.dialects import Dialect, dialect_of_schema_format
from contract_scan.parsers.contracts.flatten import dialect_of, flatten
from contract_scan.parsers.contracts.located_tree import Mapping, Node, Sequence, shortened_text
from contract_scan.parsers.contracts.objects import annotations_of
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents, RefError
from contract_scan.parsers.contracts.schema import name_of

_MAX_SCHEMAS = 200_000
_MAX_MERGED = 50
"""`oneOf`s with a single schema that are merged into what is around them, in one place."""

_AT_LEAST: dict[str, LimitName] = {
    "minLength": "min-length",
    "minItems": "min-items",
    "minProperties": "min-properties",
}
_AT_MOST: dict[str, LimitName] = {
    "maxLength": "max-length",
    "maxItems": "max-items",
    "maxProperties": "max-properties",
    "maxContains": "max-contains",
}
_TRIVIAL_PATTERNS = frozenset({"", ".*", "^.*$", "^.*", ".*$"})
"""Patterns that every text (of one line) matches."""
_ONLY_REFERS = frozenset({"$ref"})


def canonical(value: object) -> str:
    """A value as JSON text that is the same for equal values, whatever their order or syntax."""
    return json.dumps(_plain_value(value), sort_keys=True, ensure_ascii=False)


def fact(node: Node | None) -> Fact | None:
    """The value at a place as canonical text; None where there is no place."""
    return None if node is None else Fact(canonical(node.value), node.origin)


def text_fact(holder: Node | Conjunct, key: str) -> Fact | None:
    """The string under a key; None where there is none."""
    node = holder.get(key)
    if node is None or not isinstance(node.value, str):
        return None
    return Fact(node.value, node.origin)


class WireSchemas:
    """Reads the schemas of one contract; `schemas` holds them by key."""

    def __init__(self, documents: Documents, dialect: Dialect, problems: Problems) -> None:
        self.documents = documents
        self.dialect = dialect
        self.problems = problems
        self._pending: deque[tuple[SchemaKey, list[Conjunct]]] = deque()
        self._known: set[SchemaKey] = set()
        self._schemas: dict[SchemaKey, WireSchema] = {ANY_VALUE: ANY}

    def read(
        self,
        node: Node | None,
        dialect: Dialect | None = None,
        without: frozenset[str] = frozenset(),
    ) -> SchemaKey:
        """The key of the schema at a place, less some keywords; where there is none: any value."""
        if node is None:
            return ANY_VALUE
        return self._read_parts([Conjunct(node, dialect or self.dialect, without, seed=True)])

    def add(self, schema: WireSchema) -> SchemaKey:
        """Take in a schema that the contract does not write as one (the parameters of a form)."""
        self._known.add(schema.key)
        self._schemas[schema.key] = schema
        return schema.key

    def read_formatted(self, node: Node | None, schema_format: str) -> SchemaKey:
        """The same, of a schema in the language that AsyncAPI's `schemaFormat` names."""
        if node is None:
            return ANY_VALUE
        dialect = dialect_of_schema_format(schema_format)
        if dialect is not None:
            return self.read(node, dialect)
        reason = (
            f"the schema is written in `{shortened_text(schema_format)}`, which is not compared"
        )
        key = f"{node.id}?{schema_format}"
        return self.add(WireSchema(key=key, undetermined=reason, origin=node.origin))

    def schemas(self) -> dict[SchemaKey, WireSchema]:
        """Every schema that was read, and those they lead to."""
        while self._pending:
            key, seeds = self._pending.popleft()
            self._schemas[key] = self._lower(key, seeds)
        return self._schemas

    def follow(self, node: Node) -> Node | None:
        """Where a node's `$ref`s lead in the end; a dangling one is a problem, and None."""
        return self.documents.follow_or_note(node, self.problems)

    # Reading step by step

    def _read_parts(self, seeds: list[Conjunct]) -> SchemaKey:
        parts = list({part.key: part for part in map(self._target, seeds)}.values())
        key = " & ".join(part.key for part in parts)
        if len(parts) == 1 and parts[0].node.value is True:
            return ANY_VALUE
        if key not in self._known:
            self._known.add(key)
            if len(self._known) > _MAX_SCHEMAS:
                reason = "the contract combines more schemas than can be compared"
                self._schemas[key] = WireSchema(key=key, undetermined=reason)
            else:
                self._pending.append((key, parts))
        return key

    def _target(self, part: Conjunct) -> Conjunct:
        """What a lone `$ref` leads to, so that it is the same schema wherever it is used."""
        seen: set[str] = set()
        while (
            isinstance(part.node.value, Mapping)
            and isinstance(part.node.value.get("$ref"), str)
            and "$ref" not in part.without
            and not (part.dialect.sibling_keywords and constrains(part.node, _ONLY_REFERS))
            and not any(part.node.value.get(w) is True for w in ("nullable", "x-nullable"))
            and part.node.id not in seen
        ):
            seen.add(part.node.id)
            try:
                target = self.documents.target(part.node, part.node.text("$ref"))
            except RefError:
                return part  # said where it is put together
            part = Conjunct(target, dialect_of(target, part.dialect), part.without, seed=True)
        return part

    def _lower(self, key: SchemaKey, seeds: list[Conjunct]) -> WireSchema:
        conjunction = flatten(seeds, self.documents, self.problems)
        origin, name = seeds[0].node.origin, name_of(seeds[0].node)
        if conjunction.impossible:
            return WireSchema(key=key, name=name, origin=origin, impossible=True)
        parts, groups, null_option, unknown = self._alternatives(conjunction.parts)
        types, nullable = _types(parts, null_option, bool(groups))
        values, values_origin = _values(parts)
        contents = _contents(parts)
        properties, required = self._properties(parts)
        return WireSchema(
            key=key,
            name=name,
            origin=origin,
            undetermined=conjunction.unknown or unknown,
            types=types,
            type_origin=_first_origin(parts, "type") or origin,
            nullable=nullable,
            format=_format(parts),
            values=values,
            values_origin=values_origin,
            extensible_values=_extensible(parts),
            limits=_limits(parts, types),
            patterns=_patterns(parts),
            unique_items=_first_flag(parts, "uniqueItems"),
            properties=properties,
            required=required,
            closed=_closed_at(parts, ("additionalProperties", "unevaluatedProperties")),
            additional=self._merged_schema(parts, "additionalProperties"),
            pattern_properties=self._by_name(parts, "patternProperties"),
            property_names=self._merged_schema(parts, "propertyNames"),
            items=self._items(parts),
            prefix=self._prefix(parts),
            closed_items=_closed_at(parts, ("items", "additionalItems", "unevaluatedItems")),
            contains=self._merged_schema(parts, "contains"),
            alternatives=groups,
            discriminator=_discriminator(parts),
            mapping=_mapping(parts),
            conditions=self._conditions(parts),
            dependent_required=_dependent_required(parts),
            dependent_schemas=self._dependent_schemas(parts),
            content_encoding=contents[0],
            content_media_type=contents[1],
            content_schema=self._merged_schema(parts, "contentSchema"),
            default=_default(parts),
            deprecated=_first_flag(parts, "deprecated"),
            sunset=_first_text(parts, "x-sunset"),
        )

    def _alternatives(
        self, parts: list[Conjunct]
    ) -> tuple[list[Conjunct], tuple[Alternatives, ...], bool, str]:
        """The parts with every alternative that is the only one among them; the choices that are
        left; whether one of them is null; why something could not be read."""
        found: list[Alternatives] = []
        null_option, unknown, merged = False, "", 0
        pending = deque(parts)
        result: list[Conjunct] = []
        while pending:
            part = pending.popleft()
            dropped: list[str] = []
            for word in ("oneOf", "anyOf"):
                listed = part.get(word)
                if listed is None:
                    continue
                dropped.append(word)
                shapes = [one for one in listed.elements() if not self._is_null(one)]
                null_option = null_option or len(shapes) < sum(1 for _ in listed.elements())
                if len(shapes) == 1 and merged < _MAX_MERGED:
                    merged += 1
                    inner = flatten(
                        [Conjunct(shapes[0], part.dialect)], self.documents, self.problems
                    )
                    unknown = unknown or inner.unknown
                    pending.extend(inner.parts)
                elif shapes:
                    found.append(self._group(part, word, shapes, listed.origin))
            result.append(part.without_keywords(*dropped) if dropped else part)
        return result, tuple(found), null_option, unknown

    def _group(self, part: Conjunct, word: str, shapes: list[Node], origin: Origin) -> Alternatives:
        keys = [self._read_parts([Conjunct(one, part.dialect, seed=True)]) for one in shapes]
        names = [one.text("$ref").rpartition("/")[2] or one.text("title") for one in shapes]
        return Alternatives(
            options=tuple(keys), names=tuple(names), exclusive=word == "oneOf", origin=origin
        )

    def _is_null(self, node: Node) -> bool:
        target = self.follow(node) if node.has("$ref") else node
        return target is not None and is_null_only(target)

    # Parts of objects and lists

    def _properties(
        self, parts: list[Conjunct]
    ) -> tuple[dict[str, WireProperty], dict[str, Origin]]:
        schemas: dict[str, list[Conjunct]] = {}
        needed: dict[str, Origin] = {}
        for part in parts:
            listed = part.get("properties")
            for name, node in listed.members() if listed is not None else ():
                schemas.setdefault(name, []).append(Conjunct(node, part.dialect, seed=True))
            required = part.get("required")
            for element in required.elements() if required is not None else ():
                if isinstance(element.value, str):
                    needed.setdefault(element.value, element.origin)
        found: dict[str, WireProperty] = {}
        for name, each in schemas.items():
            said = [annotations_of(part.node, self.follow) for part in each]
            found[name] = WireProperty(
                schema=self._read_parts(each),
                required=name in needed,
                read_only=any(one.read_only for one in said),
                write_only=any(one.write_only for one in said),
                origin=each[0].node.origin,
            )
        return found, {name: place for name, place in needed.items() if name not in found}

    def _merged_schema(self, parts: list[Conjunct], word: str) -> SchemaKey | None:
        """The schema under a keyword, of all parts that have one that says something."""
        found = [
            Conjunct(node, part.dialect, seed=True)
            for part in parts
            if (node := part.get(word)) is not None and constrains(node) and node.value is not False
        ]
        return self._read_parts(found) if found else None

    def _by_name(self, parts: list[Conjunct], word: str) -> dict[str, SchemaKey]:
        found: dict[str, list[Conjunct]] = {}
        for part in parts:
            listed = part.get(word)
            for name, node in listed.members() if listed is not None else ():
                found.setdefault(name, []).append(Conjunct(node, part.dialect, seed=True))
        return {name: self._read_parts(each) for name, each in found.items()}

    def _items(self, parts: list[Conjunct]) -> SchemaKey | None:
        found: list[Conjunct] = []
        for part in parts:
            node = part.get("items")
            if node is not None and isinstance(node.value, Sequence):
                node = part.get("additionalItems")
            if node is not None and node.is_mapping and constrains(node):
                found.append(Conjunct(node, part.dialect, seed=True))
        return self._read_parts(found) if found else None

    def _prefix(self, parts: list[Conjunct]) -> tuple[SchemaKey, ...]:
        positions: list[list[Conjunct]] = []
        for part in parts:
            listed = part.get("prefixItems") or part.get("items")
            for index, node in enumerate(listed.elements() if listed is not None else ()):
                if index == len(positions):
                    positions.append([])
                positions[index].append(Conjunct(node, part.dialect, seed=True))
        return tuple(self._read_parts(each) for each in positions)

    def _conditions(self, parts: list[Conjunct]) -> dict[str, SchemaKey]:
        found: dict[str, SchemaKey] = {}
        for part in parts:
            words = ("not", "if", "then", "else") if part.get("if") is not None else ("not",)
            for word in words:
                node = part.get(word)
                if node is not None:
                    name = _unused_name(word, found)
                    found[name] = self._read_parts([Conjunct(node, part.dialect, seed=True)])
        return found

    def _dependent_schemas(self, parts: list[Conjunct]) -> dict[str, SchemaKey]:
        found: dict[str, list[Conjunct]] = {}
        for part in parts:
            for word in ("dependentSchemas", "dependencies"):
                listed = part.get(word)
                for name, node in listed.members() if listed is not None else ():
                    if not isinstance(node.value, Sequence):
                        found.setdefault(name, []).append(Conjunct(node, part.dialect, seed=True))
        return {name: self._read_parts(each) for name, each in found.items()}


# Private helpers


def _plain_value(value: object) -> object:
    match value:
        case dict():
            return {str(key): _plain_value(inner) for key, inner in value.items()}
        case list():
            return [_plain_value(inner) for inner in value]
        case float() if value.is_integer():
            return int(value)  # in JSON, 1.0 is 1
        case str() | bool() | int() | float() | None:
            return value
        case _:
            return str(value)


def _types(
    parts: list[Conjunct], null_option: bool, is_choice: bool
) -> tuple[frozenset[str] | None, bool | None]:
    types = allowed_types(parts)
    if types is not None and "file" in types:
        types = (types - {"file"}) | {"string"}
    if types is None:
        inferred = inferred_type(parts)
        types = frozenset({inferred}) if inferred else None
    has_values = any(enum_values(part) is not None for part in parts)
    if types is None and not has_values and not is_choice:
        return None, True
    return types, nullable_of(parts, null_option)


def _format(parts: list[Conjunct]) -> Fact | None:
    """The format; a `file` of OpenAPI 2 is a text of bytes."""
    for part in parts:
        if part.value("type") == "file":
            return Fact("binary", part.node.origin)
    return _first_text(parts, "format")


def _values(parts: list[Conjunct]) -> tuple[tuple[Fact, ...] | None, Origin]:
    common: dict[str, Fact] | None = None
    origin = NOWHERE
    for part in parts:
        given = _value_facts(part)
        if given is None:
            continue
        listed = part.get("enum") or part.get("const")
        origin = origin if origin.path or listed is None else listed.origin
        own = {one.text: one for one in given}
        own.pop("null", None)
        common = own if common is None else {k: v for k, v in common.items() if k in own}
    return (None if common is None else tuple(common.values())), origin


def _value_facts(part: Conjunct) -> list[Fact] | None:
    listed = part.get("enum")
    if listed is not None and isinstance(listed.value, Sequence):
        return [Fact(canonical(one.value), one.origin) for one in listed.elements()]
    given = part.get("const")
    return None if given is None else [Fact(canonical(given.value), given.origin)]


def _extensible(parts: list[Conjunct]) -> tuple[Fact, ...] | None:
    for part in parts:
        listed = part.get("x-extensible-enum")
        if listed is not None and isinstance(listed.value, Sequence):
            return tuple(Fact(canonical(one.value), one.origin) for one in listed.elements())
    return None


def _number(value: object) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _limits(parts: list[Conjunct], types: frozenset[str] | None) -> dict[LimitName, Limit]:
    found: dict[LimitName, Limit] = {}
    whole = types == frozenset({"integer"})

    def tighten(name: LimitName, limit: Limit, *, lowest: bool) -> None:
        known = found.get(name)
        if known is not None:
            stronger = limit.value < known.value if lowest else limit.value > known.value
            same_but_exclusive = limit.value == known.value and limit.exclusive
            if not (stronger or same_but_exclusive):
                return
        found[name] = limit

    for part in parts:
        for limit in _bounds(part, "minimum", "exclusiveMinimum"):
            tighten("lower-bound", _closed_bound(limit, 1, whole), lowest=False)
        for limit in _bounds(part, "maximum", "exclusiveMaximum"):
            tighten("upper-bound", _closed_bound(limit, -1, whole), lowest=True)
        for word, name in _AT_LEAST.items():
            for limit in _plain_limit(part, word):
                if limit.value > 0:
                    tighten(name, limit, lowest=False)
        for word, name in _AT_MOST.items():
            for limit in _plain_limit(part, word):
                tighten(name, limit, lowest=True)
        for limit in _plain_limit(part, "minContains"):
            if limit.value != 1 and part.get("contains") is not None:
                tighten("min-contains", limit, lowest=False)
        for limit in _plain_limit(part, "multipleOf"):
            if limit.value > 0 and not (whole and limit.value == 1):
                tighten("multiple-of", limit, lowest=False)
    return found


def _bounds(part: Conjunct, word: str, exclusive: str) -> Iterator[Limit]:
    strict = part.get(exclusive)
    for limit in _plain_limit(part, word):
        # Up to draft 4 and OpenAPI 3.0, the second keyword is a flag of the first.
        yield Limit(limit.value, strict is not None and strict.value is True, limit.origin)
    for limit in _plain_limit(part, exclusive):
        yield Limit(limit.value, True, limit.origin)


def _closed_bound(limit: Limit, step: int, whole: bool) -> Limit:
    """Of integers, `> 4` is `>= 5`."""
    if whole and limit.exclusive and isinstance(limit.value, int):
        return Limit(limit.value + step, False, limit.origin)
    return limit


def _plain_limit(part: Conjunct, word: str) -> Iterator[Limit]:
    node = part.get(word)
    value = None if node is None else _number(node.value)
    if node is not None and value is not None:
        yield Limit(value, origin=node.origin)


def _patterns(parts: list[Conjunct]) -> dict[str, Origin]:
    given = (text_fact(part, "pattern") for part in parts)
    return {one.text: one.origin for one in given if one and one.text not in _TRIVIAL_PATTERNS}


def _closed_at(parts: list[Conjunct], words: tuple[str, ...]) -> Origin | None:
    for part in parts:
        for word in words:
            node = part.get(word)
            if node is not None and node.value is False:
                return node.origin
    return None


def _first_origin(parts: list[Conjunct], word: str) -> Origin | None:
    return next((node.origin for part in parts if (node := part.get(word)) is not None), None)


def _first_text(parts: list[Conjunct], word: str) -> Fact | None:
    return next((one for part in parts if (one := text_fact(part, word)) is not None), None)


def _first_flag(parts: list[Conjunct], word: str) -> Origin | None:
    nodes = (part.get(word) for part in parts)
    return next((node.origin for node in nodes if node is not None and node.value is True), None)


def _contents(parts: list[Conjunct]) -> tuple[Fact | None, Fact | None]:
    return _first_text(parts, "contentEncoding"), _first_text(parts, "contentMediaType")


def _default(parts: list[Conjunct]) -> Fact | None:
    return next((fact(node) for part in parts if (node := part.get("default")) is not None), None)


def _discriminator(parts: list[Conjunct]) -> Fact | None:
    for part in parts:
        node = part.get("discriminator")
        if node is not None:
            return text_fact(node, "propertyName") or text_fact(part, "discriminator")
    return None


def _mapping(parts: list[Conjunct]) -> dict[str, Fact]:
    for part in parts:
        node = part.get("discriminator")
        listed = node.get("mapping") if node is not None else None
        if listed is not None:
            return {
                name: Fact(target.value.rpartition("/")[2], target.origin)
                for name, target in listed.members()
                if isinstance(target.value, str)
            }
    return {}


def _dependent_required(parts: list[Conjunct]) -> dict[str, dict[str, Origin]]:
    found: dict[str, dict[str, Origin]] = {}
    for part in parts:
        for word in ("dependentRequired", "dependencies"):
            listed = part.get(word)
            for name, node in listed.members() if listed is not None else ():
                for element in node.elements():
                    if isinstance(element.value, str):
                        found.setdefault(name, {})[element.value] = element.origin
    return found


def _unused_name(word: str, used: dict[str, SchemaKey]) -> str:
    name, number = word, 1
    while name in used:
        number += 1
        name = f"{word} {number}"
    return name
