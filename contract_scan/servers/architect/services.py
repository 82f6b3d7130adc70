"""The services that a document names, which statements are about them, and what they own and call.

A service is a heading in, or an item or row of, a section for services ("Services", "Modules",
"Components" …), or a heading that ends in "Service" or begins with "Service:".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from contract_scan.servers.architect.entities import (
    LONGEST_DESCRIPTION,
    OWNED,
    entity_candidates,
    split_label,
)
from contract_scan.servers.architect.names import (
    KINDS,
    kebab,
    key_of,
    named_in,
    plain_text,
    words_of,
)
from contract_scan.servers.architect.prd import Prd, Section, Statement
from contract_scan.servers.architect.records import Call, Entity, Service
from contract_scan.servers.architect.vocabulary import ENTITY_PARTS, SERVICE_PARTS, term

_GENERAL = frozenset({"overview", "introduction", "summary", "notes", "diagram", "general"})
_HEADINGS = frozenset({"service", "microservice", "module", "component", "name", "service name"})
_DESCRIPTIONS = ("description", "responsibility", "responsibilities", "purpose")
_PREFIX = re.compile(
    r"^(?:(?:micro)?service|dienst|servicio)\s*[:–—-]\s*(?P<name>\S.*)$"
    r"|^(?:modul|module|módulo|component|komponente|composant|componente)\s*:\s*(?P<other>\S.*)$",
    re.IGNORECASE,
)
_OF_A_SERVICE = re.compile(
    r"^(?:micro)?servic(?:e|io) d(?:es?|u|el|')\b|\w{3}dienst$", re.IGNORECASE
)
"""`Service des commandes`, `Servicio de pedidos`, `Bestelldienst`."""
_NAME_ENDS = re.compile(r":| [–—-] | \(")
_OWNS = re.compile(
    r"\b(?:owns|manages|stores|besitzt|verwaltet|speichert|possède|gère|stocke|posee|gestiona"
    r"|almacena)\b",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"\b(?:calls|depends on|uses|queries|invokes|talks to|requests"
    r"|ruft|nutzt|verwendet|benötigt|appelle|utilise|interroge|dépend d(?:e|u|es)"
    r"|llama a(?:l)?|usa|utiliza|consulta|depende de(?:l)?)\b",
    re.IGNORECASE,
)
_CALL_LABELS = frozenset({"calls", "depends on", "dependencies", "uses", "requires"})


class NamedService(Struct, frozen=True):
    """A service as one place of the document names it."""

    original_name: str
    description: str
    line: int
    section: int | None


class InContext(Struct, frozen=True):
    """A statement, and the service that it is about."""

    service: str
    """Empty: none that its place tells."""
    section: int
    statement: Statement


def services_of(prd: Prd) -> tuple[tuple[Service, ...], tuple[NamedService, ...]]:
    """The services, in the order of the document, and sections that repeat one."""
    chosen: dict[tuple[str, ...], NamedService] = {}
    repeated: list[NamedService] = []
    for named in _named_services(prd):
        key = key_of(named.original_name)
        known = chosen.get(key)
        if known is None:
            chosen[key] = named
        elif known.section is None or named.section is None:
            chosen[key] = NamedService(
                known.original_name,
                known.description or named.description,
                known.line if named.section is None else named.line,
                known.section if named.section is None else named.section,
            )
        else:
            repeated.append(named)
    used: dict[str, None] = {}
    services: list[Service] = []
    for position, named in enumerate(sorted(chosen.values(), key=lambda one: one.line), start=1):
        name = kebab(named.original_name, f"service-{position}")
        while name in used:
            name += "-2"
        used[name] = None
        original = named.original_name[:LONGEST_DESCRIPTION]
        services.append(Service(name, original, named.description, named.line, named.section))
    return tuple(services), tuple(repeated)


def keys_of(services: Sequence[Service]) -> dict[tuple[str, ...], str]:
    """Keys of names -> names of services."""
    return {key_of(one.original_name): one.name for one in services} | {
        key_of(one.name): one.name for one in services if key_of(one.name)
    }


def service_of_section(prd: Prd, index: int, services: Sequence[Service]) -> str:
    """The service that a section is in; empty where it is in none."""
    by_section = {one.section: one.name for one in services if one.section is not None}
    return next((by_section[one] for one in prd.ancestors(index) if one in by_section), "")


def in_context(prd: Prd, services: Sequence[Service]) -> Iterator[InContext]:
    """Every statement of the document with the service that its place tells."""
    by_line = {one.line: one.name for one in services}
    for index, section in enumerate(prd.sections):
        around = service_of_section(prd, index, services)
        item = ""
        for statement in section.statements:
            if statement.depth <= 1:
                item = by_line.get(statement.line, "")
            yield InContext(item or around, index, statement)


def owners_of(
    prd: Prd, services: Sequence[Service], entities: Sequence[Entity]
) -> dict[str, dict[str, int]]:
    """Entities -> the services that own them, with the line that says so."""
    keys = keys_of(services)
    names = {key_of(one.original_name): one.name for one in entities}
    owners: dict[str, dict[str, int]] = {one.name: {} for one in entities}
    for entity in entities:
        for text, line in entity.owners:
            for service in named_in(text, keys):
                owners[entity.name].setdefault(service, line)
    for candidate in entity_candidates(prd):
        service = service_of_section(prd, candidate.section, services)
        if service:
            entity_name = names[key_of(candidate.original_name)]
            owners[entity_name].setdefault(service, candidate.line)
    for one in in_context(prd, services):
        for service, text in _ownership(one, keys):
            for entity_name in named_in(text, names):
                owners[entity_name].setdefault(service, one.statement.line)
    for section in prd.sections:
        _add_table_owners(section, keys, names, owners)
    return owners


def calls_of(prd: Prd, services: Sequence[Service]) -> tuple[Call, ...]:
    """Services that the document says a service calls, uses or depends on."""
    keys = keys_of(services)
    suffixed = KINDS | {"api"}
    found: dict[tuple[str, str], Call] = {}
    for one in in_context(prd, services):
        text = plain_text(one.statement.text)
        label, rest = split_label(text)
        if label in _CALL_LABELS or (term(one.statement.under) in _CALL_LABELS):
            callers = (one.service,)
            targets = named_in(rest if label in _CALL_LABELS else text, keys)
        elif verb := _CALLS.search(text):
            before = named_in(text[: verb.start()], keys, suffixed)
            callers = (before[-1] if before else one.service,)
            targets = named_in(text[verb.end() :], keys, suffixed)
        else:
            continue
        for caller in filter(None, callers):
            for target in targets:
                if target != caller:
                    reason = text[:LONGEST_DESCRIPTION]
                    call = Call(caller, target, "calls", reason, one.statement.line)
                    found.setdefault((caller, target), call)
    return tuple(found.values())


def is_call(text_before: str) -> bool:
    """Whether what follows a text is what is called, rather than provided."""
    return bool(_CALLS.search(text_before))


# Private helpers


def _named_services(prd: Prd) -> Iterator[NamedService]:
    for index, section in enumerate(prd.sections):
        if name := _service_heading(prd, index):
            prose = next((one for one in section.statements if one.depth == 0), None)
            is_prose = prose is not None and not split_label(prose.text)[0]
            description = plain_text(prose.text)[:LONGEST_DESCRIPTION] if prose and is_prose else ""
            yield NamedService(name, description, section.line, index)
        if term(section.title) in SERVICE_PARTS:
            yield from _in_container(section)


def _service_heading(prd: Prd, index: int) -> str:
    section = prd.sections[index]
    title = section.title
    if found := _PREFIX.match(title):
        return str(found["name"] or found["other"])
    lowered = term(title)
    if not title or lowered in SERVICE_PARTS | ENTITY_PARTS | _GENERAL:
        return ""
    words = words_of(title)
    if len(words) > 1 and words[-1] in ("service", "microservice") and len(title.split()) <= 5:
        return title
    if _OF_A_SERVICE.search(title) and len(title.split()) <= 5:
        return title
    if section.parent is None:
        return ""
    return title if term(prd.sections[section.parent].title) in SERVICE_PARTS else ""


def _in_container(section: Section) -> Iterator[NamedService]:
    for statement in section.statements:
        if statement.depth != 1:
            continue
        text = plain_text(statement.text)
        mark = _NAME_ENDS.search(text)
        name = (text[: mark.start()] if mark else text).strip()
        if 0 < len(name.split()) <= 5 and words_of(name) and not name.endswith("."):
            rest = text[mark.end() :].strip().removesuffix(")") if mark else ""
            yield NamedService(name, rest[:LONGEST_DESCRIPTION], statement.line, None)
    for table in section.tables:
        headings = [term(one) for one in table.headings]
        column = next((at for at, one in enumerate(headings) if one in _HEADINGS), None)
        for row in table.rows if column is not None else ():
            said = dict(zip(headings, map(plain_text, row.cells), strict=False))
            described = next((said[one] for one in _DESCRIPTIONS if said.get(one)), "")
            if name := plain_text(row.cells[column or 0]):
                yield NamedService(name, described[:LONGEST_DESCRIPTION], row.line, None)


def _ownership(one: InContext, keys: Mapping[tuple[str, ...], str]) -> Iterator[tuple[str, str]]:
    """The service that a statement makes an owner, and the text that names what it owns."""
    text = plain_text(one.statement.text)
    label, rest = split_label(text)
    if label in OWNED:
        if one.service:
            yield one.service, rest
    elif term(one.statement.under) in OWNED and one.statement.depth:
        if one.service:
            yield one.service, text
    elif verb := _OWNS.search(text):
        before = named_in(text[: verb.start()], keys)
        service = before[-1] if before else one.service
        if service:
            sentence = re.split(r"\.\s|;", text[verb.end() :], maxsplit=1)[0]
            yield service, sentence


def _add_table_owners(
    section: Section,
    keys: Mapping[tuple[str, ...], str],
    names: Mapping[tuple[str, ...], str],
    owners: dict[str, dict[str, int]],
) -> None:
    """Rows `Service | Entities`."""
    for table in section.tables:
        headings = [term(one) for one in table.headings]
        owner = next((at for at, one in enumerate(headings) if one in _HEADINGS), None)
        owned = next((at for at, one in enumerate(headings) if one in OWNED), None)
        if owner is None or owned is None:
            continue
        for row in table.rows:
            for service in named_in(row.cells[owner], keys):
                for entity in named_in(plain_text(row.cells[owned]), names):
                    owners[entity].setdefault(service, row.line)
