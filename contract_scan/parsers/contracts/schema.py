"""Schema objects of every dialect -> `ir.Schema`.

A schema is read as a *conjunction*: the schema itself, what its `allOf` adds, and what the `$ref`s
in there lead to all hold at once. A `$ref` on its own stays a `Reference`, so recursion ends by
itself; a conjunction that meets itself again becomes a named schema, too.
"""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Nothing,
    Reference,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.contracts.avro import is_avro, read_avro
from contract_scan.parsers.contracts.conjunction import (
    Conjunct,
    constrains,
    is_keyword,
    is_null_only,
    keywords,
    nullable_of,
    required_only,
)
from contract_scan.parsers.contracts.dialects import Dialect, dialect_of_schema_format
from contract_scan.parsers.contracts.flatten import (
    Conjunction,
    dialect_of,
    flatten,
    reference_of,
    target_of,
)
from contract_scan.parsers.contracts.located_tree import Mapping, Node, Sequence, shortened_text
from contract_scan.parsers.contracts.objects import (
    CONTRADICTION,
    Annotations,
    annotations_of,
    refuse_each_other,
)
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents, RefError
from contract_scan.parsers.contracts.typed import (
    SchemaContext,
    discriminator_of,
    mapped_values,
    plain_scalar,
    read_typed,
)

_MAX_INLINE_DEPTH = 30
"""Schemas nested deeper than this become named ones, which keeps recursion short."""
_MAX_SCHEMAS = 200_000
_MAX_ALTERNATIVES = 256
"""Alternatives that the unions of one schema may multiply to."""
_MAX_COMBINED = 256
"""Alternatives that are combined with what holds for all of them, in one named schema …"""
_MAX_COMBINED_IN_ALL = 2_000
"""… and in a whole contract."""
_TOO_MANY = Reason("too-many-contract-alternatives")
_RING = Reason("schema-consists-of-itself")
_ONLY_REFERS = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_NULL_KEYWORDS = frozenset({"nullable", "x-nullable"})
_NAMED_UNDER = frozenset({"schemas", "definitions", "$defs", "defs"})


class SchemaReader:
    """Lowers the schemas of one contract; named ones are kept in `schemas`."""

    def __init__(self, documents: Documents, dialect: Dialect, problems: Problems) -> None:
        self.documents = documents
        self.dialect = dialect
        self.problems = problems
        self._schemas: dict[str, Schema] = {}
        self._pending: deque[tuple[str, list[Conjunct]]] = deque()
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
        return self._read_parts([Conjunct(node, dialect or self.dialect, seed=True)])

    def read_formatted(self, holder: Node, key: str = "schema", schema_format: str = "") -> Schema:
        """The schema under a key, in the language given or that `schemaFormat` beside it names."""
        place = holder.get(key)
        schema_format = schema_format or holder.text("schemaFormat")
        if place is not None and is_avro(schema_format):
            target = self.follow(place)
            reason = Reason("schema-reference-not-followed")
            unread = Unknown(reason=reason, nullable=None, origin=place.origin)
            return unread if target is None else read_avro(target)
        dialect = dialect_of_schema_format(schema_format)
        if place is None or dialect is None:
            reason = (
                Reason("contract-without-schema")
                if place is None
                else Reason("schema-format-not-read", schema_format=shortened_text(schema_format))
            )
            return Unknown(reason=reason, nullable=None, origin=(place or holder).origin)
        return self.read(place, dialect)

    def read_without(self, node: Node, without: frozenset[str]) -> Schema:
        """The schema at a place where some keywords mean something else."""
        return self._read_parts([Conjunct(node, self.dialect, without, seed=True)])

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
        for key in _keys_in_cycles(self._schemas):
            schema = self._schemas[key]
            origin = schema.origin
            self._schemas[key] = Unknown(reason=_RING, nullable=None, origin=origin)
            self.problems.add_problem(
                NotAnalysed(path=origin.path, line=origin.span.line, reason=_RING, fatal=False)
            )

    def follow(self, node: Node) -> Node | None:
        """Where a node's `$ref`s lead in the end; a dangling one is a problem, and None."""
        return self.documents.follow_or_note(node, self.problems)

    def annotations(self, node: Node) -> Annotations:
        """readOnly, writeOnly and default of a property."""
        known = self._annotations.get(node.id)
        if known is None:
            known = self._annotations[node.id] = annotations_of(node, self.follow)
        return known

    # Reading step by step

    def _read_parts(self, seeds: list[Conjunct]) -> Schema:
        """Lower schemas that hold at once; too deep or met again they become a named schema."""
        if len(seeds) == 1 and self._depth < _MAX_INLINE_DEPTH and self._count < _MAX_SCHEMAS:
            scalar = plain_scalar(seeds[0])
            if scalar is not None:
                self._count += 1
                return scalar
        if len(seeds) > 1:
            seeds = list({part.key: part for part in seeds}.values())
        key = " & ".join(part.key for part in seeds)
        if key in self._active or self._depth >= _MAX_INLINE_DEPTH:
            return self._named_reference(key, seeds)
        if len(seeds) > 1:
            if key in self._together:
                return self._named_reference(key, seeds)
            self._together.add(key)
        self._depth += 1
        self._active.add(key)
        try:
            return self._lower(seeds)
        finally:
            self._depth -= 1
            self._active.discard(key)

    def _named_reference(
        self, key: str, seeds: list[Conjunct], nullable: bool | None = False
    ) -> Reference:
        if key not in self._known:
            self._known.add(key)
            self._pending.append((key, seeds))
        return Reference(key=key, origin=seeds[0].node.origin, nullable=nullable)

    def _lower(self, seeds: list[Conjunct]) -> Schema:
        self._count += 1
        origin = seeds[0].node.origin
        if self._count > _MAX_SCHEMAS:
            return Unknown(
                reason=Reason("too-many-combined-schemas"),
                nullable=None,
                origin=origin,
            )
        if len(seeds) == 1:
            simple = self._simple_schema(seeds[0])
            if simple is not None:
                return simple
        conjunction = flatten(seeds, self.documents, self.problems)
        if conjunction.impossible:
            return Nothing(origin=origin)
        name = name_of(seeds[0].node)
        if not name and seeds[0].node.has("$ref"):
            target = self.follow(seeds[0].node)
            name = name_of(target) if target is not None else ""
        return self._build(conjunction, origin, name)

    def _simple_schema(self, part: Conjunct) -> Schema | None:
        """Schemas that need no putting together: booleans, `{}`, a lone `$ref`, a wrapper."""
        node, origin = part.node, part.node.origin
        value = node.value
        if value is False:
            return Nothing(origin=origin)
        if value is not True and not isinstance(value, Mapping):
            self.problems.add(node, "a schema must be a mapping (or true or false)")
            return Unknown(reason=Reason("schema-not-a-mapping"), nullable=None, origin=origin)
        if node.text("schemaFormat") and node.has("schema") and not constrains(node):
            return self.read_formatted(node)
        nullable = isinstance(value, Mapping) and any(
            value.get(word) is True for word in _NULL_KEYWORDS
        )
        if not any(True for _ in keywords(part)):
            # Without a type, `nullable` has nothing to add to, so null may be meant or not.
            includes_null = nullable or not part.dialect.nullable_keyword
            return Anything(nullable=True if includes_null else None, origin=origin)
        reference = reference_of(part)
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
            schema = self._read_parts([Conjunct(inner, part.dialect, seed=True)])
            if not nullable:
                return schema
            return with_nullable(schema, True if part.dialect.nullable_keyword else None)
        return None

    def _reference(self, part: Conjunct, reference: str, nullable: bool | None) -> Schema:
        try:
            target = target_of(part.node, reference, self.documents)
            self.documents.follow(target)  # a ring of pure `$ref`s describes nothing
        except RefError as error:
            self.problems.add_error(error)
            return Unknown(
                reason=Reason("contract-problem", what=error.message),
                nullable=None,
                origin=part.node.origin,
            )
        if isinstance(target.value, bool):
            return self._read_parts([Conjunct(target, part.dialect, seed=True)])
        seed = Conjunct(target, dialect_of(target, part.dialect), seed=True)
        named = self._named_reference(target.id, [seed], nullable)
        return Reference(key=named.key, nullable=nullable, origin=part.node.origin)

    # Building one schema out of the parts

    def _build(self, conjunction: Conjunction, origin: Origin, name: str) -> Schema:
        parts = conjunction.parts
        if refuse_each_other(parts):
            return Unknown(reason=CONTRADICTION, nullable=None, origin=origin)
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
        if null_option and not any(set(keywords(part)) - {"oneOf", "anyOf"} for part in parts):
            return Nothing(nullable=True, origin=origin)
        around = SchemaContext(origin, name, nullable, tuple(perhaps))
        return read_typed(conjunction, around, self._read_parts, self.annotations)

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
        parts[index] = chosen.without_keywords(word, "discriminator")
        if len(options) * _alternatives_in(parts) > _MAX_ALTERNATIVES:
            return Unknown(reason=_TOO_MANY, nullable=None, origin=origin)
        nullable = nullable_of(parts, null_option)
        base = [
            replace(part, without=part.without | _NULL_KEYWORDS, seed=False)
            for part in parts
            if any(True for _ in keywords(part))
        ]
        only_types = all(set(keywords(part)) <= {"type"} for part in base)
        read: list[Schema] = []
        for option in options:
            seed = Conjunct(option, chosen.dialect, seed=True)
            if not base or (only_types and self._has_type(option)):
                read.append(self._read_parts([seed]))
            else:
                read.append(
                    self._alternative_schema(replace(seed, alternative=option.id), base, nullable)
                )
        mapped = [
            mapped_values(chosen, option.text("$ref")) if isinstance(one, Reference) else ()
            for option, one in zip(options, read, strict=True)
        ]
        pairs = list(zip(read, mapped, strict=True))
        pairs = [pair for pair in pairs if not _is_contradictory(pair[0])] or pairs
        if len(pairs) == 1:
            only = pairs[0][0]
            return only if only.nullable is True else with_nullable(only, nullable)
        return Union(
            options=tuple(one for one, _ in pairs),
            discriminator=discriminator_of(chosen),
            tags=tuple(values for _, values in pairs) if any(mapped) else (),
            exclusive=word == "oneOf",
            nullable=nullable,
            origin=origin,
        )

    def _alternative_schema(
        self, option: Conjunct, base: list[Conjunct], nullable: bool | None
    ) -> Schema:
        """An alternative together with what holds for all of them; null is said around it."""
        self._combined += 1
        self._combined_in_all += 1
        if self._combined > _MAX_COMBINED or self._combined_in_all > _MAX_COMBINED_IN_ALL:
            return Unknown(reason=_TOO_MANY, nullable=None, origin=option.node.origin)
        schema = self._read_parts([option, *base])
        typed = any(part.value("type") is not None for part in base)
        return with_nullable(schema, False) if typed or nullable else schema

    def _has_type(self, option: Node) -> bool:
        target = self.follow(option)
        return (
            target is not None
            and isinstance(target.value, Mapping)
            and target.value.get("type") is not None
        )


# Private helpers


def _is_contradictory(schema: Schema) -> bool:
    return isinstance(schema, Unknown) and schema.reason == CONTRADICTION


def name_of(node: Node) -> str:
    """What a schema is called: its key among the named schemas, else its title."""
    tokens = node.pointer.rsplit("/", 2)
    if len(tokens) >= 2 and tokens[-2] in _NAMED_UNDER:
        return node.name
    if len(tokens) == 2 and not is_keyword(node.name):
        return node.name  # a file of schemas, one under each key
    title = node.text("title")
    if title or node.pointer:
        return title
    stem = node.file.path.rpartition("/")[2]
    for ending in (".json", ".yaml", ".yml", ".schema"):
        stem = stem.removesuffix(ending)
    return stem


def _alternatives_in(parts: list[Conjunct]) -> int:
    product = 1
    for part in parts:
        for word in ("oneOf", "anyOf"):
            value = part.value(word)
            if isinstance(value, Sequence):
                product *= max(1, len(value))
    return product


def _keys_in_cycles(schemas: dict[str, Schema]) -> frozenset[str]:
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
