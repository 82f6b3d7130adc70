"""Schema objects of every dialect -> `ir.Schema`.

A schema is read as a *conjunction*: the schema itself, what its `allOf` adds, and what the `$ref`s
in there lead to all hold at once. A `$ref` on its own stays a `Reference`, so recursion ends by
itself; a conjunction that meets itself again becomes a named schema, too.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from contract_scan.ir.document import Problem
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Anything,
    Array,
    Nothing,
    Reference,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.contracts.conjunction import (
    JSON_TYPES,
    Part,
    allowed_types,
    common_values,
    constrains,
    inferred_type,
    is_null_only,
    keywords,
    literals,
    nullable_of,
    required_only,
    strings,
    type_of_value,
)
from contract_scan.parsers.contracts.dialects import (
    Dialect,
    dialect_of_schema_format,
    dialect_of_schema_uri,
)
from contract_scan.parsers.contracts.objects import (
    Annotations,
    annotations_of,
    read_object,
)
from contract_scan.parsers.contracts.positions import Mapping, Node, Sequence, shorten
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents, RefError

_MAX_INLINE_DEPTH = 30
"""Schemas nested deeper than this become named ones, which keeps recursion short."""
_MAX_SCHEMAS = 200_000
_MAX_ALTERNATIVES = 256
"""Alternatives that the unions of one schema may multiply to."""
_MAX_COMBINED = 256
"""Alternatives that are combined with what holds for all of them, in one named schema …"""
_MAX_COMBINED_IN_ALL = 2_000
"""… and in a whole contract."""
_TOO_MANY = "the contract combines too many alternatives to compare"
_RING = "the schema consists of nothing but itself"
_ONLY_REFERS = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_NULL_KEYWORDS = frozenset({"nullable", "x-nullable"})
_SCALARS: dict[str, ScalarType] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
_NAMED_UNDER = frozenset({"schemas", "definitions", "$defs", "defs"})
_VALUE_KEYWORDS = {"enum", "const", "pattern", "format", "minLength", "maxLength"}
_TYPE_ORDER = ("object", "array", "string", "integer", "number", "boolean")


class Conjunction(Struct):
    """Schemas that hold at once, with every `allOf` and `$ref` among them followed."""

    parts: list[Part]
    members: frozenset[str]
    """Ids of all schemas that were followed."""
    impossible: bool = False
    unknown: str = ""
    """Why a member could not be read."""


class SchemaReader:
    """Lowers the schemas of one contract; named ones are kept in `schemas`."""

    def __init__(self, documents: Documents, dialect: Dialect, problems: Problems) -> None:
        self.documents = documents
        self.dialect = dialect
        self.problems = problems
        self._schemas: dict[str, Schema] = {}
        self._pending: deque[tuple[str, list[Part]]] = deque()
        self._known: set[str] = set()
        self._active: set[str] = set()
        self._together: set[str] = set()
        """Conjunctions written out once; the next time they become named."""
        self._depth = 0
        self._count = 0
        self._combined = 0
        self._combined_in_all = 0
        self._annotations: dict[str, Annotations] = {}

    def read(self, node: Node, dialect: Dialect | None = None) -> Schema:
        """The schema that stands at a place."""
        return self._read([Part(node, dialect or self.dialect, seed=True)])

    def read_formatted(self, holder: Node, key: str = "schema", schema_format: str = "") -> Schema:
        """The schema under a key, in the language given or that `schemaFormat` beside it names."""
        place = holder.get(key)
        schema_format = schema_format or holder.text("schemaFormat")
        dialect = dialect_of_schema_format(schema_format)
        if place is None or dialect is None:
            reason = (
                "the contract gives no schema"
                if place is None
                else f"the schema is written in `{shorten(schema_format)}`, which is not read"
            )
            return Unknown(reason=reason, nullable=None, origin=(place or holder).origin)
        return self.read(place, dialect)

    def read_without(self, node: Node, without: frozenset[str]) -> Schema:
        """The schema at a place where some keywords mean something else."""
        return self._read([Part(node, self.dialect, without, seed=True)])

    def schemas(self) -> dict[str, Schema]:
        """Every schema that a `Reference` handed out so far leads to."""
        while self._pending:
            key, seeds = self._pending.popleft()
            self._active = {key}
            self._combined = 0
            self._schemas[key] = self._lower(seeds)
            if not self._pending:
                self._cut_rings()
        return self._schemas

    def _cut_rings(self) -> None:
        """Schemas that consist of each other, with nothing around them, describe nothing."""
        for key in rings(self._schemas):
            schema = self._schemas[key]
            origin = schema.origin
            self._schemas[key] = Unknown(reason=_RING, nullable=None, origin=origin)
            self.problems.add_problem(
                Problem(path=origin.path, line=origin.span.line, reason=_RING, fatal=False)
            )

    def follow(self, node: Node) -> Node | None:
        """Where a node's `$ref`s lead in the end; a dangling one is a problem, and None."""
        try:
            return self.documents.follow(node)
        except RefError as error:
            self.problems.add_error(error)
            return None

    def annotations(self, node: Node) -> Annotations:
        """readOnly, writeOnly and default of a property."""
        known = self._annotations.get(node.id)
        if known is None:
            known = self._annotations[node.id] = annotations_of(node, self.follow)
        return known

    # Reading step by step

    def _read(self, seeds: list[Part]) -> Schema:
        """Lower schemas that hold at once; too deep or met again they become a named schema."""
        if len(seeds) > 1:
            seeds = list({part.key: part for part in seeds}.values())
        key = " & ".join(part.key for part in seeds)
        if key in self._active or self._depth >= _MAX_INLINE_DEPTH:
            return self._named(key, seeds)
        if len(seeds) > 1:
            if key in self._together:
                return self._named(key, seeds)
            self._together.add(key)
        self._depth += 1
        self._active.add(key)
        try:
            return self._lower(seeds)
        finally:
            self._depth -= 1
            self._active.discard(key)

    def _named(self, key: str, seeds: list[Part], nullable: bool | None = False) -> Reference:
        if key not in self._known:
            self._known.add(key)
            self._pending.append((key, seeds))
        return Reference(key=key, origin=seeds[0].node.origin, nullable=nullable)

    def _lower(self, seeds: list[Part]) -> Schema:
        self._count += 1
        origin = seeds[0].node.origin
        if self._count > _MAX_SCHEMAS:
            return Unknown(
                reason="the contract combines more schemas than can be compared",
                nullable=None,
                origin=origin,
            )
        if len(seeds) == 1:
            simple = self._plain(seeds[0])
            if simple is not None:
                return simple
        conjunction = self._flatten(seeds)
        if conjunction.impossible:
            return Nothing(origin=origin)
        name = name_of(seeds[0].node)
        if not name and seeds[0].node.has("$ref"):
            target = self.follow(seeds[0].node)
            name = name_of(target) if target is not None else ""
        return self._build(conjunction, origin, name)

    def _plain(self, part: Part) -> Schema | None:
        """Schemas that need no putting together: booleans, `{}`, a lone `$ref`, a wrapper."""
        node, origin = part.node, part.node.origin
        value = node.value
        if value is False:
            return Nothing(origin=origin)
        if value is not True and not isinstance(value, Mapping):
            self.problems.add(node, "a schema must be a mapping (or true or false)")
            return Unknown(reason="the schema is not a mapping", nullable=None, origin=origin)
        if node.text("schemaFormat") and node.has("schema") and not constrains(node):
            return self.read_formatted(node)
        nullable = isinstance(value, Mapping) and any(
            value.get(word) is True for word in _NULL_KEYWORDS
        )
        if not any(True for _ in keywords(part)):
            # Without a type, `nullable` has nothing to add to, so null may be meant or not.
            includes_null = nullable or not part.dialect.nullable_keyword
            return Anything(nullable=True if includes_null else None, origin=origin)
        reference = self._reference_of(part)
        if reference is not None:
            if part.dialect.sibling_keywords and constrains(node, _ONLY_REFERS):
                return None
            # Beside a `$ref`, `nullable` has no force, yet it is surely meant.
            return self._reference(part, reference, None if nullable else False)
        wrapped = node.get("allOf")
        if (
            wrapped is not None
            and isinstance(wrapped.value, Sequence)
            and len(wrapped.value) == 1
            and not constrains(node, {"allOf"})
        ):
            inner = wrapped.element(0)
            assert inner is not None
            schema = self._read([Part(inner, part.dialect, seed=True)])
            if not nullable:
                return schema
            return with_nullable(schema, True if part.dialect.nullable_keyword else None)
        return None

    def _reference_of(self, part: Part) -> str | None:
        for word in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = part.value(word)
            if isinstance(reference, str):
                return reference
        return None

    def _reference(self, part: Part, reference: str, nullable: bool | None) -> Schema:
        try:
            target = self._target(part.node, reference)
            self.documents.follow(target)  # a ring of pure `$ref`s describes nothing
        except RefError as error:
            self.problems.add_error(error)
            return Unknown(reason=error.message, nullable=None, origin=part.node.origin)
        if isinstance(target.value, bool):
            return self._read([Part(target, part.dialect, seed=True)])
        seed = Part(target, self._dialect_of(target, part.dialect), seed=True)
        named = self._named(target.id, [seed], nullable)
        return Reference(key=named.key, nullable=nullable, origin=part.node.origin)

    def _target(self, node: Node, reference: str) -> Node:
        target = self.documents.target(node, reference)
        if node.has("$dynamicRef") and self.documents.dynamic_anchors(reference) > 1:
            raise RefError(
                f"$dynamicRef `{reference}` depends on the schema it is used from",
                node.file.path,
                node.line,
            )
        return target

    def _dialect_of(self, node: Node, default: Dialect) -> Dialect:
        """A file with its own `$schema` speaks its own dialect."""
        for place in (node, node.file.root):
            uri = place.text("$schema")
            if uri:
                return dialect_of_schema_uri(uri, default)
        return default

    def _flatten(self, seeds: list[Part]) -> Conjunction:
        parts: list[Part] = []
        unknown = ""
        visited: set[str] = set()
        pending: list[tuple[Part, frozenset[str]]] = [
            (part, frozenset()) for part in reversed(seeds)
        ]
        while pending:
            part, above = pending.pop()
            node = part.node
            if node.id in above:
                self.problems.add(node, "the schema is part of itself through `allOf` or `$ref`")
                unknown = unknown or "the schema is part of itself"
                continue
            if node.id in visited:
                continue
            visited.add(node.id)
            if node.value is False:
                return Conjunction([], frozenset(visited), impossible=True)
            if not isinstance(node.value, Mapping):
                if node.value is not True:
                    self.problems.add(node, "a schema must be a mapping (or true or false)")
                    unknown = unknown or "a schema is not a mapping"
                continue
            inside = above | {node.id}
            following: list[tuple[Part, frozenset[str]]] = []
            reference = self._reference_of(part)
            if reference is not None:
                try:
                    target = self._target(node, reference)
                except RefError as error:
                    self.problems.add_error(error)
                    unknown = unknown or error.message
                else:
                    dialect = self._dialect_of(target, part.dialect)
                    following.append((Part(target, dialect), inside))
            if reference is None or part.dialect.sibling_keywords:
                parts.append(part.dropping("$ref", "$dynamicRef", "$recursiveRef", "allOf"))
                members = part.get("allOf")
                following.extend(
                    (Part(element, part.dialect), inside)
                    for element in (members.elements() if members else ())
                )
            pending.extend(reversed(following))
        return Conjunction(parts, frozenset(visited), unknown=unknown)

    # Building one schema out of the parts

    def _build(self, conjunction: Conjunction, origin: Origin, name: str) -> Schema:
        parts = conjunction.parts
        perhaps: dict[str, None] = {}
        null_option = False
        for index, part in enumerate(parts):
            for word in ("oneOf", "anyOf"):
                options = part.get(word)
                if options is None:
                    continue
                shapes = [one for one in options.elements() if not self._is_null(one)]
                null_option = null_option or len(shapes) < sum(1 for _ in options.elements())
                demands = [required_only(one) for one in shapes]
                if shapes and all(names is not None for names in demands):
                    for names in demands:
                        perhaps.update(dict.fromkeys(names or ()))
                elif shapes and not self._describes_itself(shapes, conjunction.members):
                    return self._alternatives(conjunction, index, word, shapes, null_option, origin)
        nullable = nullable_of(parts, null_option)
        return self._typed(conjunction, nullable, null_option, perhaps, origin, name)

    def _is_null(self, node: Node) -> bool:
        target: Node | None = node
        if isinstance(node.value, Mapping) and "$ref" in node.value:
            target = self.follow(node)
        return target is not None and is_null_only(target)

    def _describes_itself(self, options: list[Node], members: frozenset[str]) -> bool:
        """A base that lists its own subtypes says nothing new about one of them."""
        for option in options:
            if option.id in members:
                return True
            if option.has("$ref"):
                target = self.follow(option)
                if target is not None and target.id in members:
                    return True
        return False

    def _alternatives(
        self,
        conjunction: Conjunction,
        index: int,
        word: str,
        options: list[Node],
        null_option: bool,
        origin: Origin,
    ) -> Schema:
        chosen = conjunction.parts[index]
        parts = list(conjunction.parts)
        parts[index] = chosen.dropping(word, "discriminator")
        if len(options) * _alternatives_in(parts) > _MAX_ALTERNATIVES:
            return Unknown(
                reason=_TOO_MANY,
                nullable=None,
                origin=origin,
            )
        nullable = nullable_of(parts, null_option)
        base = [
            Part(part.node, part.dialect, part.without | _NULL_KEYWORDS)
            for part in parts
            if any(True for _ in keywords(part))
        ]
        only_types = all(set(keywords(part)) <= {"type"} for part in base)
        read: list[Schema] = []
        for option in options:
            seed = Part(option, chosen.dialect, seed=True)
            if not base or (only_types and self._has_type(option)):
                read.append(self._read([seed]))
            else:
                read.append(self._under(seed, base, nullable))
        if len(read) == 1:
            only = read[0]
            return only if only.nullable is True else with_nullable(only, nullable)
        return Union(
            options=tuple(read),
            discriminator=_discriminator(chosen),
            exclusive=word == "oneOf",
            nullable=nullable,
            origin=origin,
        )

    def _under(self, option: Part, base: list[Part], nullable: bool | None) -> Schema:
        """An alternative together with what holds for all of them; null is said around it."""
        self._combined += 1
        self._combined_in_all += 1
        if self._combined > _MAX_COMBINED or self._combined_in_all > _MAX_COMBINED_IN_ALL:
            return Unknown(reason=_TOO_MANY, nullable=None, origin=option.node.origin)
        schema = self._read([option, *base])
        typed = any(part.value("type") is not None for part in base)
        return with_nullable(schema, False) if typed or nullable else schema

    def _has_type(self, option: Node) -> bool:
        target = self.follow(option)
        return target is not None and target.has("type")

    def _typed(
        self,
        conjunction: Conjunction,
        nullable: bool | None,
        null_option: bool,
        perhaps: dict[str, None],
        origin: Origin,
        name: str,
    ) -> Schema:
        parts = conjunction.parts

        def unknown(reason: str) -> Schema:
            return Unknown(reason=reason, nullable=None, origin=origin)

        denied = _denied(parts)
        if denied is None:
            return unknown("`not` is not compared")
        types = allowed_types(parts)
        if types is not None and types - JSON_TYPES:
            return unknown(f"`{min(types - JSON_TYPES)}` is not a type of JSON Schema")
        values = common_values(parts)
        if values is not None and not values:
            if nullable or null_option or any(_lists_null(part) for part in parts):
                return Nothing(nullable=True, origin=origin)
            return unknown("no value satisfies all of the contract's lists of values")
        if types is None:
            if values is not None:
                types = frozenset(type_of_value(value) or "number" for value in values)
            else:
                inferred = inferred_type(parts)
                if inferred:
                    types = frozenset({inferred})
        if "null" in denied and nullable is not True:
            nullable = False
        if types is None:
            if conjunction.unknown:
                return unknown(conjunction.unknown)
            if all(not any(True for _ in keywords(part)) for part in parts):
                return Anything(nullable=True, origin=origin)
            return unknown("the contract gives no type")
        types -= denied
        if not types:
            if nullable:
                return Nothing(nullable=True, origin=origin)
            return unknown("the contract's schemas contradict each other")
        if values is not None and any(not type_of_value(value) for value in values):
            return unknown("a listed value cannot be written in JSON")
        shapes: list[Schema] = []
        for json_type in _TYPE_ORDER:
            if json_type not in types or (json_type == "integer" and "number" in types):
                continue
            if values is not None:
                fitting = literals(values, json_type)
                if json_type in ("object", "array"):
                    if any(type_of_value(value) == json_type for value in values):
                        return unknown("the contract lists whole objects or arrays as values")
                    continue
                if not fitting:
                    continue
                shapes.append(self._scalar(parts, json_type, origin, fitting))
            elif json_type == "object":
                shapes.append(
                    read_object(
                        parts,
                        self._read,
                        self.annotations,
                        origin=origin,
                        name=name,
                        nullable=False,
                        partial=conjunction.unknown or _subtypes(parts),
                        perhaps=perhaps,
                    )
                )
            elif conjunction.unknown:
                return unknown(conjunction.unknown)
            elif json_type == "array":
                shapes.append(self._array(parts, origin))
            else:
                shapes.append(self._scalar(parts, json_type, origin, None))
        if not shapes:
            return unknown("the listed values are not of the type that the contract gives")
        if len(shapes) == 1:
            return with_nullable(shapes[0], nullable)
        return Union(options=tuple(shapes), nullable=nullable, origin=origin)

    def _scalar(
        self,
        parts: list[Part],
        json_type: str,
        origin: Origin,
        values: tuple[str | int | float | bool | None, ...] | None,
    ) -> Schema:
        form = ""
        for part in parts:
            given = part.value("format")
            if isinstance(given, str):
                form = form or given
        if json_type == "string" and not form:
            form = _encoded_format(parts)
        return Scalar(type=_SCALARS[json_type], format=form, values=values, origin=origin)

    def _array(self, parts: list[Part], origin: Origin) -> Schema:
        items: list[Part] = []
        prefixes: list[list[Part]] = []
        for part in parts:
            node = part.get("items")
            rest = node
            prefix = part.get("prefixItems")
            if node is not None and isinstance(node.value, Sequence):
                prefix, rest = node, part.get("additionalItems")
            if rest is None:
                rest = part.get("unevaluatedItems")
            if prefix is not None:
                for position, element in enumerate(prefix.elements()):
                    if position == len(prefixes):
                        prefixes.append([])
                    prefixes[position].append(Part(element, part.dialect, seed=True))
            if rest is not None:
                items.append(Part(rest, part.dialect, seed=True))
        return Array(
            items=self._read(items) if items else Anything(nullable=True, origin=origin),
            prefix=tuple(self._read(schemas) for schemas in prefixes),
            origin=origin,
        )


def rings(schemas: dict[str, Schema]) -> frozenset[str]:
    """Keys of schemas that lead back to themselves through references and unions alone."""
    leads = {key: _leads_to(schema) & schemas.keys() for key, schema in schemas.items()}
    # Whatever leads only to schemas outside of every ring is outside, too.
    outside: set[str] = set()
    waiting = {key: len(targets) for key, targets in leads.items()}
    sources: dict[str, list[str]] = {}
    for key, targets in leads.items():
        for target in targets:
            sources.setdefault(target, []).append(key)
    ready = [key for key, count in waiting.items() if count == 0]
    while ready:
        target = ready.pop()
        outside.add(target)
        for source in sources.get(target, ()):
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
    left = schemas.keys() - outside
    return frozenset(key for key in left if _returns(key, leads))


def _returns(key: str, leads: dict[str, set[str]]) -> bool:
    pending, seen = list(leads[key]), set[str]()
    while pending:
        current = pending.pop()
        if current == key:
            return True
        if current not in seen:
            seen.add(current)
            pending.extend(leads[current])
    return False


def _leads_to(schema: Schema) -> set[str]:
    found: set[str] = set()
    pending = [schema]
    while pending:
        current = pending.pop()
        if isinstance(current, Reference):
            found.add(current.key)
        elif isinstance(current, Union):
            pending.extend(current.options)
    return found


# Private helpers


def name_of(node: Node) -> str:
    """What a schema is called: its key among the named schemas, else its title."""
    tokens = node.pointer.rsplit("/", 2)
    if len(tokens) >= 2 and tokens[-2] in _NAMED_UNDER:
        return node.name
    title = node.text("title")
    if title or node.pointer:
        return title
    stem = node.file.path.rpartition("/")[2]
    for ending in (".json", ".yaml", ".yml", ".schema"):
        stem = stem.removesuffix(ending)
    return stem


def _alternatives_in(parts: list[Part]) -> int:
    product = 1
    for part in parts:
        for word in ("oneOf", "anyOf"):
            value = part.value(word)
            if isinstance(value, Sequence):
                product *= max(1, len(value))
    return product


def _discriminator(part: Part) -> str:
    given = part.value("discriminator")
    if isinstance(given, Mapping):
        given = given.get("propertyName")
    return given if isinstance(given, str) else ""


def _subtypes(parts: list[Part]) -> str:
    """Subtypes may add fields where the schema itself (not what it extends) tells them apart."""
    for part in parts:
        if part.seed and _discriminator(part) and not part.value("oneOf"):
            return f"subtypes, told apart by `{_discriminator(part)}`, may add fields"
    return ""


def _denied(parts: list[Part]) -> frozenset[str] | None:
    """Types that `not` forbids; None where it forbids something that cannot be compared."""
    denied: set[str] = set()
    for part in parts:
        node = part.get("not")
        if node is None or required_only(node) is not None:
            continue
        inner = set(keywords(Part(node, part.dialect)))
        if inner == {"type"}:
            given = node.value.get("type") if isinstance(node.value, Mapping) else None
            denied.update((given,) if isinstance(given, str) else strings(given))
        elif inner and is_null_only(node):
            denied.add("null")
        elif not inner or inner - _VALUE_KEYWORDS:
            return None
    return frozenset(denied)


def _lists_null(part: Part) -> bool:
    listed = part.value("enum")
    if isinstance(listed, Sequence):
        return any(value is None for value in listed)
    return part.node.has("const") and part.value("const") is None


def _encoded_format(parts: list[Part]) -> str:
    for part in parts:
        encoding = part.value("contentEncoding")
        if isinstance(encoding, str):
            return "byte" if encoding.startswith("base64") else encoding
    for part in parts:
        media = part.value("contentMediaType")
        if isinstance(media, str) and media == "application/octet-stream":
            return "binary"
    return ""
