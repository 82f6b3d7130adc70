"""Entities, their fields and states.

An entity is a heading in, or an item or row of, a section for entities ("Domain model", "Entities"
…), or a heading such as "Entity: Order". Its fields are items `name: type` or rows of a table with
a column of names and one of types.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan import api
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.servers.architect.names import key_of, pascal, plain_text, words_of
from contract_scan.servers.architect.prd import Prd, Section, Statement, Table
from contract_scan.servers.architect.records import Entity, EntityField, States
from contract_scan.servers.architect.vocabulary import ENTITY_PARTS, term

OWNED = frozenset({"entities", "owns", "owned entities", "aggregates", "data owned"})
"""What stands before a list of entities in the section of a service."""
LONGEST_DESCRIPTION = 500
NO_TYPE = Reason("document-gives-no-type")

_OWNERS = frozenset({"owner", "owned by", "owning service", "service"})
_STATES = frozenset({"states", "status", "statuses", "state machine", "lifecycle", "status values"})
_FIELDS = frozenset({"fields", "attributes", "properties", "columns"})
_RELATIONS = frozenset({"relations", "relationships", "associations"})
_NOT_ENTITIES = (
    frozenset({"overview", "introduction", "notes", "summary", "diagram", "enums", "glossary"})
    | _FIELDS
    | _RELATIONS
    | _STATES
)
_NOT_FIELDS = (
    frozenset({"description", "note", "notes", "publishes", "consumes", "emits", "calls"})
    | (_STATES - {"status"})
    | _OWNERS
    | OWNED
    | _FIELDS
    | _RELATIONS
)
_FIELD_HEADINGS = frozenset({"field", "name", "attribute", "property", "column"})
_ENTITY_HEADINGS = frozenset({"entity", "model", "aggregate", "entity name", "name"})
_TYPE_HEADINGS = frozenset({"type", "data type", "datatype"})
_YES = frozenset(
    {"yes", "ja", "oui", "sí", "si", "y", "true", "x", "✓", "✔", "required", "mandatory"}
)
_PREFIX = re.compile(
    r"^(?:entity|entität|entité|entidad|aggregate|model)\s*[:–—-]\s*(?P<name>\S.*)$", re.IGNORECASE
)
_SUFFIX = re.compile(r" (?:\((?:entity|aggregate)\)|entity)$", re.IGNORECASE)
_FIELD = re.compile(
    r"^(?P<name>[A-Za-z_]\w{0,79})(?P<optional>\?)?(?:\s*:\s*|\s+[–—-]\s+|\s+(?=\())(?P<type>\S.*)$"
)
_BARE_FIELD = re.compile(r"^[a-z_]\w{0,79}\??$")
_REMARKS = frozenset(
    {"required", "optional", "nullable", "unique", "primary key", "pk", "indexed", "index"}
    | {"generated", "auto", "immutable", "not null", "foreign key", "fk", "read-only"}
)
_OPTIONAL = frozenset({"optional", "nullable"})
_ENUM = re.compile(r"^enum\s*[:(\[{]\s*(?P<values>[^)\]}]*)[)\]}]?$", re.IGNORECASE)
_ARROW = re.compile(r"->|→|=>")
_STATE = re.compile(r"[A-Za-z][\w-]{0,79}")


class Candidate(Struct, frozen=True):
    """An entity before types are read, which takes the names of all entities."""

    original_name: str
    description: str
    line: int
    statements: tuple[Statement, ...]
    tables: tuple[Table, ...]
    section: int
    """The section that it is in; the section of a service may be above it."""
    is_described: bool
    """It has a section, an item with items below it, or rows; not merely a mention."""


def split_label(text: str) -> tuple[str, str]:
    """`Owner: Orders` -> `("owner", "Orders")`; an empty label where there is none."""
    label, colon, rest = plain_text(text).partition(":")
    return (term(label), rest.strip()) if colon and len(label) <= 80 else ("", "")


def entity_candidates(prd: Prd) -> Iterator[Candidate]:
    """Everything that the document makes an entity, in its order; one may come more than once."""
    for index, section in enumerate(prd.sections):
        if _is_entity(prd, index):
            yield _of_section(prd, index)
        elif term(section.title) in ENTITY_PARTS:
            yield from _of_container(section, index)


def entities_of(prd: Prd) -> tuple[tuple[Entity, ...], tuple[Candidate, ...]]:
    """The entities, in the order of the document, and what describes one of them again."""
    chosen: dict[tuple[str, ...], Candidate] = {}
    repeated: list[Candidate] = []
    for candidate in entity_candidates(prd):
        key = key_of(candidate.original_name)
        known = chosen.get(key)
        if known is None or (candidate.is_described and not known.is_described):
            chosen[key] = candidate
        elif candidate.is_described:
            repeated.append(candidate)
    names = _unique_names(chosen)
    spellings = _spellings(chosen, names)
    entities = tuple(
        _entity(candidate, names[key], spellings)
        for key, candidate in sorted(chosen.items(), key=lambda one: one[1].line)
    )
    return entities, tuple(repeated)


def read_field_type(text: str, spellings: Mapping[str, str]) -> tuple[Schema, bool]:
    """The schema of a type as people write it, and whether a remark makes it optional.

    `uuid (primary key)`, `string, optional`, `enum(a, b)`, `list of OrderLine`.
    """
    bare, remarks = _without_remarks(plain_text(text))
    optional = bool(remarks & _OPTIONAL) or bare.endswith("?")
    bare = bare.rstrip("?").strip()
    if found := _ENUM.match(bare):
        values = [one.strip(" \"'") for one in re.split(r"[,|]", found["values"])]
        bare = " | ".join(f'"{value}"' for value in values if value and '"' not in value)
    if not bare:
        return Unknown(reason=NO_TYPE, nullable=None), optional
    # A name may be written otherwise than its heading: `OrderLine` for "Order line".
    for word in set(re.findall(r"[A-Za-z_]\w*", bare)):
        if word in spellings and word != spellings[word]:
            bare = re.sub(rf"\b{word}\b", spellings[word], bare)
    return api.read_type(bare, frozenset(spellings.values())), optional


# Private helpers


def _is_entity(prd: Prd, index: int) -> bool:
    section = prd.sections[index]
    if _PREFIX.match(section.title) or _SUFFIX.search(section.title):
        return True
    if section.parent is None or term(section.title) in _NOT_ENTITIES:
        return False
    parent = prd.sections[section.parent]
    if words_of(section.title)[-1:] in (("service",), ("module",)):
        return False
    return term(parent.title) in ENTITY_PARTS and bool(section.title)


def _of_section(prd: Prd, index: int) -> Candidate:
    """An entity with a heading of its own: what stands in its section and in those below it."""
    section = prd.sections[index]
    found = _PREFIX.match(section.title)
    original = found["name"] if found else _SUFFIX.sub("", section.title)
    statements = list(section.statements)
    tables = list(section.tables)
    for other in range(index + 1, len(prd.sections)):
        part = prd.sections[other]
        if part.level <= section.level:
            break
        if part.parent == index and not _is_entity(prd, other):
            label = term(part.title)
            statements += [
                Statement(one.text, one.line, one.depth, one.under or label)
                for one in part.statements
            ]
            tables += part.tables
    prose = next((one for one in section.statements if one.depth == 0), None)
    is_prose = prose is not None and not split_label(prose.text)[0]
    return Candidate(
        original,
        plain_text(prose.text)[:LONGEST_DESCRIPTION] if is_prose and prose else "",
        section.line,
        tuple(statements),
        tuple(tables),
        index,
        True,
    )


def _of_container(section: Section, index: int) -> Iterator[Candidate]:
    statements = section.statements
    for at, item in enumerate(statements):
        if item.depth != 1 or term(item.under) in _RELATIONS:
            continue
        below: list[Statement] = []
        for other in statements[at + 1 :]:
            if other.depth <= 1:
                break
            below.append(
                Statement(
                    other.text, other.line, other.depth - 1, other.under if other.depth > 2 else ""
                )
            )
        name, description = _item_name(item.text)
        if name:
            fields = _fields_in_braces(item, description)
            yield Candidate(
                name,
                "" if fields else description,
                item.line,
                (*fields, *below),
                (),
                index,
                bool(below or fields),
            )
    for table in section.tables:
        yield from _of_table(table, index)


def _item_name(text: str) -> tuple[str, str]:
    """The name at the beginning of an item: `**Order**: what a customer buys`."""
    name, mark, rest = plain_text(text), "", ""
    for tried in (":", " – ", " — ", " - ", " ("):
        if tried in name:
            name, mark, rest = name.partition(tried)
            rest = rest.removesuffix(")") if mark == " (" else rest
            break
    is_name = 0 < len(name.split()) <= 4 and name[:1].isalnum() and not name[:1].islower()
    return (name.strip(), rest.strip()[:LONGEST_DESCRIPTION]) if is_name else ("", "")


def _fields_in_braces(item: Statement, rest: str) -> tuple[Statement, ...]:
    """`Order { id: uuid, total: number }` and `Order (id, total)` in one item."""
    inside = rest.strip().removeprefix("{").removesuffix("}")
    parts = [part.strip() for part in inside.split(",")] if inside else []
    if not parts or not all(_FIELD.match(part) or _BARE_FIELD.match(part) for part in parts):
        return ()
    return tuple(Statement(part, item.line, 1, "") for part in parts)


def _of_table(table: Table, index: int) -> Iterator[Candidate]:
    """Rows `Entity | Field | Type`, or `Entity | Description | Owner`."""
    headings = [term(one) for one in table.headings]
    column = next((at for at, one in enumerate(headings) if one in _ENTITY_HEADINGS), None)
    if column is None:
        return
    has_fields = any(one in _TYPE_HEADINGS for one in headings)
    if has_fields and headings[column] == "name":
        return
    groups: dict[str, list[int]] = {}
    last = ""
    for at, row in enumerate(table.rows):
        last = plain_text(row.cells[column]) or last
        if last:
            groups.setdefault(last, []).append(at)
    for name, rows in groups.items():
        first = table.rows[rows[0]]
        said = dict(zip(headings, map(plain_text, first.cells), strict=False))
        labels = [
            Statement(f"{heading}: {said[heading]}", first.line, 1, "")
            for heading in headings
            if said.get(heading) and heading in (_OWNERS | _FIELDS)
        ]
        own = Table(
            tuple(one for at, one in enumerate(table.headings) if at != column),
            tuple(
                type(table.rows[at])(
                    tuple(c for n, c in enumerate(table.rows[at].cells) if n != column),
                    table.rows[at].line,
                )
                for at in rows
            ),
        )
        yield Candidate(
            name,
            said.get("description", "")[:LONGEST_DESCRIPTION],
            first.line,
            tuple(labels),
            (own,) if has_fields else (),
            index,
            has_fields,
        )


def _unique_names(chosen: Mapping[tuple[str, ...], Candidate]) -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {}
    for position, (key, candidate) in enumerate(chosen.items(), start=1):
        words = " ".join(key) if len(key) == len(words_of(candidate.original_name)) else ""
        name = pascal(words or candidate.original_name, f"Entity{position}")
        while name in names.values():
            name += "2"
        names[key] = name
    return names


def _spellings(
    chosen: Mapping[tuple[str, ...], Candidate], names: Mapping[tuple[str, ...], str]
) -> dict[str, str]:
    """The ways in which types may spell an entity, each with its name."""
    found: dict[str, str] = {}
    for key, candidate in chosen.items():
        found[names[key]] = names[key]
        found.setdefault(candidate.original_name, names[key])
        found.setdefault(pascal(candidate.original_name, names[key]), names[key])
    return found


def _entity(candidate: Candidate, name: str, spellings: Mapping[str, str]) -> Entity:
    fields: dict[str, EntityField] = {}
    states: States | None = None
    owners: list[tuple[str, int]] = []
    for one in candidate.statements:
        # What is written small is a field, even if it is called `owner`.
        label, rest = split_label(one.text) if plain_text(one.text)[:1].isupper() else ("", "")
        if label in _OWNERS and rest:
            owners.append((rest, one.line))
        elif label in _FIELDS and rest:
            for part in _fields_in_braces(one, rest):
                _add(fields, _field_of(part, spellings))
        elif found := _states(one, label, rest):
            states = states or found
            if label in ("", "status"):
                text = " | ".join(f'"{value}"' for value in found.values)
                schema = api.read_type(text)
                _add(fields, EntityField("status", text, True, schema, one.line))
        elif one.depth and term(one.under) not in _RELATIONS:
            _add(fields, _field_of(one, spellings))
    for table in candidate.tables:
        for field in _fields_of_table(table, spellings):
            _add(fields, field)
    return Entity(
        name,
        candidate.original_name[:LONGEST_DESCRIPTION],
        candidate.description,
        candidate.line,
        tuple(fields.values()),
        states,
        tuple(owners),
    )


def _add(fields: dict[str, EntityField], field: EntityField | None) -> None:
    if field is not None:
        fields.setdefault(field.name, field)


def _states(statement: Statement, label: str, rest: str) -> States | None:
    """`Status: placed -> paid`, `States: placed, paid`, or an item below such a label."""
    is_labelled = label in _STATES
    if (
        not label
        and (found := _FIELD.match(plain_text(statement.text)))
        and found["name"] == "status"
    ):
        label, rest = "status", found["type"]
        is_labelled = bool(_ARROW.search(rest))
    if not is_labelled and not (term(statement.under) in _STATES and statement.depth):
        return None
    text = rest if is_labelled else plain_text(statement.text)
    chains = [_ARROW.split(chain) for chain in re.split(r"[;,]", text)]
    transitions: dict[tuple[str, str], None] = {}
    values: dict[str, None] = {}
    for chain in chains:
        steps = [[one.strip() for one in step.split("|")] for step in chain]
        for group in steps:
            values |= dict.fromkeys(one for one in group if _STATE.fullmatch(one))
        for before, after in itertools.pairwise(steps):
            transitions |= {(a, b): None for a in before for b in after}
    is_type = len(values) < 2 or (label == "status" and not transitions)
    if is_type:
        return None
    known = tuple(pair for pair in transitions if pair[0] in values and pair[1] in values)
    return States(tuple(values), known, statement.line)


def _field_of(statement: Statement, spellings: Mapping[str, str]) -> EntityField | None:
    text = plain_text(statement.text)
    if _BARE_FIELD.match(text) and text not in _NOT_FIELDS:
        unknown = Unknown(reason=NO_TYPE, nullable=None)
        return EntityField(text.rstrip("?"), "", not text.endswith("?"), unknown, statement.line)
    found = _FIELD.match(text)
    if found is None or (found["name"][0].isupper() and term(found["name"]) in _NOT_FIELDS):
        return None
    written = found["type"]
    if written.startswith("(") and written.endswith(")"):
        written = written[1:-1]
    for mark in (" – ", " — ", " - "):
        written = written.partition(mark)[0]
    schema, optional = read_field_type(written, spellings)
    required = not (found["optional"] or optional)
    return EntityField(found["name"], written.strip(), required, schema, statement.line)


def _fields_of_table(table: Table, spellings: Mapping[str, str]) -> Iterator[EntityField]:
    headings = [term(one) for one in table.headings]
    name = next((at for at, one in enumerate(headings) if one in _FIELD_HEADINGS), None)
    type_at = next((at for at, one in enumerate(headings) if one in _TYPE_HEADINGS), None)
    if name is None or type_at is None:
        return
    for row in table.rows:
        word = plain_text(row.cells[name])
        if not re.fullmatch(r"[A-Za-z_]\w{0,79}\??", word):
            continue
        written = plain_text(row.cells[type_at])
        schema, optional = read_field_type(written, spellings)
        required = not (optional or word.endswith("?"))
        for heading, cell in zip(headings, row.cells, strict=False):
            if heading in ("required", "mandatory"):
                required = plain_text(cell).lower() in _YES
            elif heading in ("nullable", "optional"):
                required = plain_text(cell).lower() not in _YES
        yield EntityField(word.rstrip("?"), written, required, schema, row.line)


def _without_remarks(text: str) -> tuple[str, frozenset[str]]:
    """A type without the remarks after it: `uuid (primary key)`, `string, optional`."""
    remarks: set[str] = set()
    while True:
        head, bracket, tail = text.rpartition("(")
        if bracket and text.endswith(")") and head.strip():
            words = [one.strip().lower() for one in tail[:-1].split(",")]
            if all(word in _REMARKS for word in words):
                remarks |= set(words)
                text = head.strip()
                continue
        head, comma, tail = text.rpartition(",")
        if comma and tail.strip().lower() in _REMARKS:
            remarks.add(tail.strip().lower())
            text = head.strip()
            continue
        head, space, tail = text.rpartition(" ")
        if space and tail.lower() in _REMARKS:
            remarks.add(tail.lower())
            text = head.strip()
            continue
        return text.strip(), frozenset(remarks)
