"""Relations between entities: sentences ("has many"), types of fields, and names of fields that
end in `id`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from contract_scan.ir.schema import Array, Object, Reference, Schema, Union
from contract_scan.servers.architect.names import key_of, named_in, plain_text, words_of
from contract_scan.servers.architect.prd import Prd
from contract_scan.servers.architect.records import Entity, Relation, RelationKind

_KINDS: dict[str, RelationKind] = {
    "has many": "has_many",
    "have many": "has_many",
    "contains": "has_many",
    "consists of": "has_many",
    "has one": "has_one",
    "has exactly one": "has_one",
    "belongs to": "belongs_to",
    "is part of": "belongs_to",
    "references": "references",
    "refers to": "references",
}
_VERB = re.compile(r"\b(" + "|".join(_KINDS) + r")\b", re.IGNORECASE)


def relations_of(prd: Prd, entities: Sequence[Entity]) -> tuple[Relation, ...]:
    """Every relation, in the order of lines; each pair and kind once."""
    known = {key_of(one.original_name): one.name for one in entities}
    found = [*_of_fields(entities, known), *_of_sentences(prd, entities, known)]
    unique: dict[tuple[str, str, str], Relation] = {}
    for relation in sorted(found, key=lambda one: one.line):
        unique.setdefault((relation.subject, relation.kind, relation.target), relation)
    return tuple(unique.values())


def referenced_entities(schema: Schema) -> Iterator[tuple[str, bool]]:
    """The entities that a type refers to, and whether as one of many."""
    match schema:
        case Reference(key=key):
            yield key, False
        case Array(items=items):
            yield from ((key, True) for key, _ in referenced_entities(items))
        case Object(fields=fields):
            for field in fields:
                yield from referenced_entities(field.schema)
        case Union(options=options):
            for option in options:
                yield from referenced_entities(option)
        case _:
            pass


# Private helpers


def _of_fields(
    entities: Iterable[Entity], known: Mapping[tuple[str, ...], str]
) -> Iterator[Relation]:
    for entity in entities:
        for field in entity.fields:
            for target, is_many in referenced_entities(field.schema):
                kind: RelationKind = "has_many" if is_many else "has_one"
                yield Relation(entity.name, kind, target, field.line)
            words = words_of(field.name)
            named = known.get(key_of(" ".join(words[:-1]))) if words[-1:] == ("id",) else None
            if named is not None and named != entity.name:
                yield Relation(entity.name, "references", named, field.line)


def _of_sentences(
    prd: Prd, entities: Sequence[Entity], known: Mapping[tuple[str, ...], str]
) -> Iterator[Relation]:
    starts = sorted((one.line, one.name) for one in entities)
    for index, section in enumerate(prd.sections):
        heading = {prd.sections[one].line for one in prd.ancestors(index)}
        around = next((name for line, name in starts if line in heading), "")
        item = ""  # the entity whose item of a list the statement stands below
        for one in section.statements:
            if one.depth <= 1:
                item = next((name for line, name in starts if line == one.line), "")
            text = plain_text(one.text)
            verb = _VERB.search(text)
            if verb is None:
                continue
            subjects = named_in(text[: verb.start()], known)
            subject = subjects[-1] if subjects else item or around
            rest = text[verb.end() :]
            following = _VERB.search(rest)
            objects = named_in(rest[: following.start()] if following else rest, known)
            for target in objects if subject else ():
                yield Relation(subject, _KINDS[verb[1].lower()], target, one.line)
