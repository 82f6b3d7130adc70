"""One report of all repositories: what each says of itself, and the contracts held across them.

A channel is held against the places of its own repository, as `check` does, and against those of
others that use its very address. A shared model is held against the types of all repositories. Both
are compared by the rules, as code of one root is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from contract_scan.applied_suppressions import with_exceptions_of
from contract_scan.fleet.places import Places
from contract_scan.fleet.reading import Reading, repository_configuration
from contract_scan.fleet.repositories import Repository
from contract_scan.ir.document import ContractDocument, NotAnalysed
from contract_scan.ir.event import Channel, EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation
from contract_scan.ir.promise import Service
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Reference, Schema
from contract_scan.ir.violation import RULE_IDS
from contract_scan.parsers.source.project_model import fold_name, stands_for
from contract_scan.scanners.pairing.addresses import canonical
from contract_scan.scanners.report import Report
from contract_scan.scanners.scan import merged_report, scan_units
from contract_scan.scanners.suppressions import without_ignored
from contract_scan.scanners.unit import Unit

_OF_ONE_SERVER = frozenset({"ws", "stomp", "http"})
"""Protocols whose addresses are those of one server: elsewhere the same name is another channel."""


class CodeAcross(Struct, frozen=True, kw_only=True):
    """The code of several repositories, as far as it was read of them (a `CodeModel`)."""

    events: tuple[EventUse, ...] = ()
    problems: tuple[NotAnalysed, ...] = ()
    types: tuple[Model, ...] = ()
    schemas: Mapping[str, Schema] = {}
    quoted: Mapping[str, Sequence[str]] = {}

    @property
    def schemas_with_classes(self) -> tuple[str, ...]:
        """None: places of contracts are told within their repository."""
        return ()

    @property
    def operations(self) -> tuple[Operation, ...]:
        """None: routes are compared within their repository."""
        return ()

    def models(self, names: frozenset[str]) -> tuple[Model, ...]:
        """Every type whose name stands for one of the wanted names."""
        wanted = {fold_name(name) for name in names}
        return tuple(each for each in self.types if wanted.intersection(stands_for(each.name)))

    def with_literal(self, text: str) -> tuple[str, ...]:
        """Files that have an address of a contract in quotation marks."""
        return tuple(self.quoted.get(text, ()))

    def with_quoted_name(self, name: str) -> tuple[str, ...]:
        """None: it is asked of routes alone."""
        return ()

    def with_word(self, word: str) -> tuple[str, ...]:
        """None: it is asked of routes alone."""
        return ()

    def answered_unread(
        self, paths: Sequence[Sequence[str]], routes: Collection[tuple[str, Sequence[str]]]
    ) -> Reason:
        """None: it is asked of routes alone."""
        return NO_REASON

    def resolve(self, reference: Reference) -> Schema:
        """The schema that a reference stands for."""
        return self.schemas[reference.key]


def compare_fleet(
    repositories: Sequence[Repository],
    readings: Mapping[str, Reading],
    failures: Mapping[str, str],
) -> Report:
    """The report of all repositories, with paths `repository/path`. `readings` are what was read of
    them, `failures` why nothing was, both by name."""
    places = Places(repositories)
    listed = [each for each in repositories if each.name in readings]
    moved = {each.name: places.in_fleet(readings[each.name], each.name) for each in listed}
    services = [Service(each.name, each.name) for each in listed]
    across = scan_units(
        [*_units(listed, moved)],
        select=("CONTRACT-003", "CONTRACT-004"),
        services=services,
    )
    missing = [
        NotAnalysed(path=name, reason=Reason("repository-not-scanned", why=why))
        for name, why in sorted(failures.items())
    ]
    report = merged_report([*(moved[each.name].report for each in listed), across])
    report = msgspec.structs.replace(report, not_analysed=(*report.not_analysed, *missing))
    comments = [comment for each in listed for comment in moved[each.name].comments]
    inside = {f"{each.name}/{path}" for each in listed for path in moved[each.name].inside}
    report = without_ignored(report, comments, select=RULE_IDS, inside=inside)
    return _with_own_exceptions(report, listed, readings, places)


# ---------------------------------------------------------------------- what is held across


def _units(listed: Sequence[Repository], readings: Mapping[str, Reading]) -> Iterator[Unit]:
    schemas: dict[str, Schema] = {}
    quoted: dict[str, list[str]] = defaultdict(list)
    for each in listed:
        reading = readings[each.name]
        schemas |= {f"{each.name}/{key}": value for key, value in reading.schemas.items()}
        for address, paths in reading.quoted.items():
            quoted[address] += (f"{each.name}/{path}" for path in paths)
    uses = _UsesElsewhere(listed, readings)
    for each in listed:
        reading = readings[each.name]
        for unit in reading.units:
            documents = tuple(d for d in unit.documents if d.kind == "asyncapi")
            if documents:
                events = (*unit.events, *uses.of(documents, each))
                yield Unit(
                    name=each.name,
                    documents=documents,
                    code=CodeAcross(
                        events=tuple(sorted(events, key=_event_order)),
                        problems=reading.report.not_analysed,
                        schemas=schemas,
                        quoted=quoted,
                    ),
                    looked_for_events=unit.looked_for,
                    discovered=reading.discovered,
                )
    shared = [
        (each.name, document)
        for each in listed
        for unit in readings[each.name].units
        for document in unit.documents
        if document.kind == "json-schema"
    ]
    if shared:
        types = [model for each in listed for model in readings[each.name].models]
        problems = [p for each in listed for p in readings[each.name].report.not_analysed]
        owners = dict.fromkeys(name for name, _ in shared)
        yield Unit(
            name=next(iter(owners)) if len(owners) == 1 else "",
            documents=tuple(document for _, document in shared),
            code=CodeAcross(
                types=tuple(sorted(types, key=lambda m: (m.origin.path, m.origin.span))),
                problems=tuple(problem for problem in problems if not problem.code),
                schemas=schemas,
            ),
        )


class _UsesElsewhere:
    """Places that send and receive, by their addresses, for contracts of other repositories."""

    def __init__(self, listed: Sequence[Repository], readings: Mapping[str, Reading]) -> None:
        self._by_address: dict[str, list[tuple[str, EventUse]]] = defaultdict(list)
        self._contracted: dict[str, set[str]] = {}
        for each in listed:
            reading = readings[each.name]
            self._contracted[each.name] = {
                address
                for unit in reading.units
                for document in unit.documents
                for channel in document.channels
                for address in _addresses(channel)
            }
            for use in reading.events:
                if _goes_through_a_broker(use):
                    for name in {canonical(name) for name in (use.address, *use.aliases) if name}:
                        self._by_address[name].append((each.name, use))

    def of(self, documents: Iterable[ContractDocument], owner: Repository) -> list[EventUse]:
        """Those of other repositories that use a channel of some documents, and have no contract of
        the address themselves. One word names channels of many systems: it counts for contracts
        that are shared."""
        found: dict[int, EventUse] = {}
        for document in documents:
            for channel in document.channels:
                for address in _addresses(channel):
                    if address.isalnum() and not owner.shared:
                        continue
                    for name, use in self._by_address.get(address, ()):
                        if name != owner.name and address not in self._contracted[name]:
                            found[id(use)] = use
        return [*found.values()]


def _goes_through_a_broker(use: EventUse) -> bool:
    is_certain = bool(use.address) and not (use.unresolved or use.pattern or use.internal)
    return is_certain and not use.has_wire_name and not _OF_ONE_SERVER.intersection(use.protocols)


def _addresses(channel: Channel) -> set[str]:
    names = (channel.address or channel.key, *channel.aliases)
    return {canonical(name) for name in names if name}


def _event_order(use: EventUse) -> tuple[object, ...]:
    return use.origin.path, use.origin.span, use.address, use.direction


# ---------------------------------------------------------------------- what repositories except


def _with_own_exceptions(
    report: Report,
    listed: Sequence[Repository],
    readings: Mapping[str, Reading],
    places: Places,
) -> Report:
    """Less what the configuration and the baseline of each repository except of what is found in
    it, with the severities that it gives."""
    by_owner = defaultdict(list)
    for finding in report.findings:
        by_owner[places.owner(finding.origin.path)].append(finding)
    kept = [*by_owner.pop("", ())]
    parts = []
    for each in listed:
        config = repository_configuration(
            each.path, tuple(map(str, each.contracts)), each.base_path
        )
        own = tuple(by_owner.get(each.name, ()))
        share = merged_report([places.in_repository(Report(findings=own), each.name)])
        problems = readings[each.name].report.not_analysed
        share = msgspec.structs.replace(share, not_analysed=problems)
        left = with_exceptions_of(share, each.path, config, complete=not each.contracts)
        left = msgspec.structs.replace(left, not_analysed=())
        parts.append(places.in_fleet(left, each.name))
    return msgspec.structs.replace(
        report,
        findings=merged_report([Report(findings=tuple(kept)), *parts]).findings,
        ignored=report.ignored + sum(part.ignored for part in parts),
        excepted=sum(part.excepted for part in parts),
        known=sum(part.known for part in parts),
        known_problems=sum(part.known_problems for part in parts),
        suppressed=(*report.suppressed, *(s for part in parts for s in part.suppressed)),
    )
