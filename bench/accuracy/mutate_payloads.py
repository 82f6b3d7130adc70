"""Changes of a whole payload: its envelope, status and alternatives, and where it may be null."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

from bench.accuracy.contract_text import Json, Pointer, at, inlined, kind_of, resolved
from bench.accuracy.mutant import RULES, Expected, Mutant, kinds
from bench.accuracy.sites import (
    Site,
    home,
    landed,
    operations,
    payloads,
    sites,
    success_statuses,
)

_ANY = kinds("missing-field", "extra-field", "shape", "type", "name-case", "required", "nullable")
_UNUSED_STATUS = "226"


class _Made:
    """What an operator did: the expectation at one subject, or nothing (a control)."""

    def __init__(
        self,
        accepted: frozenset[str],
        field: str,
        *,
        conditional: bool = False,
        below: bool = False,
        names: frozenset[str] = frozenset(),
    ) -> None:
        self.accepted, self.field, self.conditional = accepted, field, conditional
        self.below, self.names = below, names


PayloadOperator: TypeAlias = Callable[[Json, Pointer], _Made | None]
"""(document, where the schema of a payload stands) -> the edit made in place, None: not here."""


def _set(document: Json, pointer: Pointer, value: Json) -> None:
    holder = at(document, pointer[:-1])
    if isinstance(holder, list):
        holder[int(pointer[-1])] = value
    else:
        holder[pointer[-1]] = value


def envelope_added(document: Json, pointer: Pointer) -> _Made | None:
    """The contract wraps the payload in an object, which the code does not."""
    inner = at(document, pointer)
    wrapped = {"type": "object", "required": ["zzData"], "properties": {"zzData": inner}}
    _set(document, pointer, wrapped)
    return _Made(kinds("missing-field", "shape"), "zzData", below=True)


def envelope_removed(document: Json, pointer: Pointer) -> _Made | None:
    """The contract has bare what the code wraps in an object of one property."""
    schema = at(document, pointer)
    properties = schema.get("properties")
    if not isinstance(properties, dict) or len(properties) != 1:
        return None
    name, inner = next(iter(properties.items()))
    _, target = resolved(document, (*pointer, "properties", name))
    if not isinstance(target, dict) or target.get("type") not in ("object", "array"):
        return None
    _set(document, pointer, copy.deepcopy(inner))
    return _Made(_ANY, "", below=True)


PAYLOAD_OPERATORS: tuple[PayloadOperator, ...] = (envelope_added, envelope_removed)


def union_member_dropped(document: Json, pointer: Pointer, wire: str) -> _Made | None:
    """The contract has one alternative less. Silence is right where the code never sends it."""
    schema = at(document, pointer)
    for word in ("oneOf", "anyOf"):
        options = schema.get(word)
        if isinstance(options, list) and len(options) > 1:
            real = [each for each in options if each != {"type": "null"}]
            if len(real) < 2:
                continue
            options.remove(real[0])
            tag = schema.get("discriminator")
            mapping = (tag.get("mapping") if isinstance(tag, dict) else None) or {}
            gone = real[0].get("$ref")
            for key in [key for key, value in mapping.items() if value == gone]:
                del mapping[key]
            accepted = _ANY | kinds("enum")
            return _Made(accepted, wire, conditional=True, below=True)
    return None


def payload_mutants(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    """At most `count` mutants per operator."""
    kind = kind_of(document)
    if kind != "json-schema":
        yield from _whole_payloads(document, count, seed)
    yield from _unions(document, count, seed)
    yield from _null(document, count, seed)
    if kind == "openapi":
        yield from _statuses(document, count, seed)


def _whole_payloads(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    for operator in PAYLOAD_OPERATORS:
        pool = list(payloads(document))
        random.Random(f"{seed}/{operator.__name__}").shuffle(pool)
        made = 0
        for subject, written in pool:
            if made == count:
                break
            changed = copy.deepcopy(document)
            pointer = inlined(changed, written)
            edit = operator(changed, pointer) if _is_object(changed, pointer) and pointer else None
            if edit is not None:
                made += 1
                yield _mutant(changed, operator.__name__, subject, edit)


def _is_object(document: Json, pointer: Pointer | None) -> bool:
    return pointer is not None and isinstance(at(document, pointer), dict)


def _mutant(document: Json, name: str, subject: str, edit: _Made) -> Mutant:
    rule = RULES[kind_of(document)]
    fields = frozenset({edit.field, ""} if edit.below else {edit.field})
    expected = Expected(rule, edit.accepted, subject, fields, edit.below)
    found = (expected,) if edit.accepted else ()
    return Mutant(document, name, found, edit.names, edit.conditional)


def _unions(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    name = union_member_dropped.__name__
    pool = list(_places(document))
    random.Random(f"{seed}/{name}").shuffle(pool)
    made = 0
    for subject, written, wire in pool:
        if made == count:
            break
        _, here = resolved(document, landed(document, written))
        if not isinstance(here, dict) or not ("oneOf" in here or "anyOf" in here):
            continue
        changed = copy.deepcopy(document)
        pointer = inlined(changed, written) if kind_of(document) != "json-schema" else None
        pointer = pointer or landed(changed, written)
        pointer, schema = resolved(changed, pointer)
        edit = union_member_dropped(changed, pointer, wire) if isinstance(schema, dict) else None
        if edit is not None:
            made += 1
            yield _mutant(changed, name, subject, edit)


def _places(document: Json) -> Iterator[tuple[str, Pointer, str]]:
    """(subject, way, wire path) of every payload and of every property in one."""
    for subject, written in payloads(document):
        yield subject, written, ""
    for site in sites(document):
        use = home(site)
        yield use.subject, (*use.written, "properties", site.name), use.wire
        yield use.subject, (*use.written, "properties", site.name, "items"), use.wire + "[]"


def _null(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    """Null is forbidden where it was allowed (silence is right where the code never sends it), or
    allowed where it was forbidden: nothing to report, but for models, which must agree, and for
    events, whose receivers may stand in the same code and take no null."""
    model = kind_of(document) == "json-schema"
    for name, allow in (("nullable_removed", False), ("control_nullable_added", True)):
        if allow and kind_of(document) != "openapi":
            continue
        pool = sites(document)
        random.Random(f"{seed}/{name}").shuffle(pool)
        made = 0
        for site in pool:
            if made == count:
                break
            here = copy.deepcopy(at(document, (*site.owner, "properties", site.name)))
            if not _flip(document, here, allow):
                continue
            changed = copy.deepcopy(document)
            edit = _null_flipped(changed, site, allow, isolate=not model)
            if edit is not None:
                made += 1
                yield _mutant(changed, name, home(site).subject, edit)


def _null_flipped(document: Json, site: Site, allow: bool, *, isolate: bool) -> _Made | None:
    use = home(site)
    owner = inlined(document, use.written) if isolate else site.owner
    schema = at(document, (*owner, "properties", site.name)) if owner is not None else None
    if not _flip(document, schema, allow):
        return None
    names = frozenset({site.name})
    if allow:
        return _Made(kinds(), use.wire, names=names)
    return _Made(kinds("nullable"), use.wire, conditional=True, names=names)


def _flip(document: Json, schema: Json, allow: bool) -> bool:
    """Change in place whether a value may be null; False where that is not possible."""
    if not isinstance(schema, dict) or "$ref" in schema or "enum" in schema:
        return False
    old_style = str(document.get("openapi", document.get("swagger", ""))).startswith(("3.0", "2"))
    return (_allow_null if allow else _forbid_null)(schema, old_style)


def _allow_null(schema: Json, old_style: bool) -> bool:
    if not isinstance(schema.get("type"), str) or schema.get("nullable"):
        return False
    if old_style:
        schema["nullable"] = True
    else:
        schema["type"] = [schema["type"], "null"]
    return True


def _forbid_null(schema: Json, old_style: bool) -> bool:
    if old_style:
        return bool(schema.pop("nullable", False))
    types = schema.get("type")
    if not isinstance(types, list) or "null" not in types or len(types) < 2:
        return False
    left = [word for word in types if word != "null"]
    schema["type"] = left[0] if len(left) == 1 else left
    return True


def status_changed(document: Json, path: str, method: str) -> _Made | None:
    """The contract has another success status, which no code sends."""
    statuses = success_statuses(document, path, method)
    responses = at(document, ("paths", path, method, "responses"))
    if len(statuses) != 1 or _UNUSED_STATUS in responses or "default" in responses:
        return None
    document["paths"][path][method]["responses"] = {
        _UNUSED_STATUS if key == statuses[0] else key: value for key, value in responses.items()
    }
    return _Made(kinds("status"), "")


def _statuses(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    name = status_changed.__name__
    pool = operations(document)
    random.Random(f"{seed}/{name}").shuffle(pool)
    made = 0
    for path, method in pool:
        if made == count:
            break
        changed = copy.deepcopy(document)
        edit = status_changed(changed, path, method)
        if edit is not None:
            made += 1
            yield _mutant(changed, name, f"{method.upper()} {path}", edit)
