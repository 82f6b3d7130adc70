"""What became of every single promise of a unit, and which services have a part in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from contract_scan.ir.origin import Origin
from contract_scan.ir.promise import Promise, PromisePart, Role, Service, Sort, State, service_of
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.report import Subject, Verdict
from contract_scan.scanners.rule import PairedUnit, RuleResult

_STATES: dict[Verdict, State] = {
    Verdict.VERIFIED: "verified",
    Verdict.UNDETERMINED: "undetermined",
    Verdict.VIOLATED: "violated",
    Verdict.MISSING: "missing",
    Verdict.ABSENT: "absent",
}


def promises_of(
    paired: PairedUnit, answer: RuleResult, select: Collection[str], services: Sequence[Service]
) -> Iterator[Promise]:
    """The promises of a unit of which the selected rules could speak."""
    known = _ItemReader(paired, answer, services)
    if {"CONTRACT-001", "CONTRACT-002"} & set(select):
        yield from known.operations()
    if "CONTRACT-003" in select:
        yield from known.channels()
    if "CONTRACT-004" in select:
        yield from known.models()


class _ItemReader:
    def __init__(self, paired: PairedUnit, answer: RuleResult, services: Sequence[Service]) -> None:
        self._paired = paired
        self._answer = answer
        self._services = services
        self._blamed = _items_with_services(answer.findings, services)
        self._undetermined = _items_with_services(answer.undetermined, services)

    def operations(self) -> Iterator[Promise]:
        unit = self._paired.unit
        routes: dict[tuple[str, str], list[Origin]] = {}
        for pair in self._paired.operations.pairs:
            name = f"{pair.contract.method} {pair.contract.path}"
            origins = [route.origin for route in pair.routes]
            routes.setdefault((pair.document.path, name), []).extend(origins)
        for document, operation in unit.contracted_operations():
            subject = (document.path, f"{operation.method} {operation.path}")
            state = _state(self._answer.operations.get(subject))
            yield Promise(
                sort="operation",
                contract=document.path,
                name=subject[1],
                service=unit.name,
                state=state,
                origin=operation.origin,
                parts=tuple(
                    PromisePart(service=unit.name, role="provides", state=state, origin=origin)
                    for origin in routes.get(subject, ())
                ),
            )

    def channels(self) -> Iterator[Promise]:
        for pair in self._paired.channels.pairs:
            uses: list[tuple[Role, Origin]] = [
                ("sends" if use.direction == "send" else "receives", use.origin)
                for use in pair.uses
            ]
            subject = (pair.document.path, pair.channel.key)
            verdict = self._answer.channels.get(subject)
            yield self._shared_promise("channel", subject, verdict, pair.channel.origin, uses)

    def models(self) -> Iterator[Promise]:
        for pair in self._paired.models:
            types: list[tuple[Role, Origin]] = [
                ("has", item.origin) for item in (*pair.types, *pair.ambiguous)
            ]
            subject = (pair.document.path, pair.model.called)
            verdict = self._answer.models.get(subject)
            yield self._shared_promise("model", subject, verdict, pair.model.origin, types)

    def _shared_promise(
        self,
        sort: Sort,
        subject: Subject,
        verdict: Verdict | None,
        origin: Origin,
        uses: Sequence[tuple[Role, Origin]],
    ) -> Promise:
        """A promise that several services may have a part in."""
        return Promise(
            sort=sort,
            contract=subject[0],
            name=subject[1],
            service=self._paired.unit.name,
            state=_state(verdict),
            origin=origin,
            parts=tuple(
                self._promise_part(sort, subject[1], role, place)
                for role, place in dict.fromkeys(uses)
            ),
        )

    def _promise_part(self, sort: Sort, name: str, role: Role, origin: Origin) -> PromisePart:
        service = service_of(origin.path, self._services)
        state: State = "verified"
        if (sort, name, service) in self._blamed:
            state = "violated"
        elif (sort, name, service) in self._undetermined:
            state = "undetermined"
        return PromisePart(service=service, role=role, state=state, origin=origin)


def _items_with_services(
    entries: Iterable[Finding | Undetermined], services: Sequence[Service]
) -> set[tuple[Sort, str, str]]:
    """Kind and name of a contract item with each service that an entry about it points into."""
    found: set[tuple[Sort, str, str]] = set()
    for entry in entries:
        places = (
            [entry.origin, entry.reached_from] if isinstance(entry, Finding) else [entry.origin]
        )
        for origin in places:
            service = service_of(origin.path, services) if origin is not None else ""
            if entry.channel is not None:
                found.add(("channel", entry.channel, service))
            if entry.model is not None:
                found.add(("model", entry.model, service))
    return found


def _state(verdict: Verdict | None) -> State:
    return _STATES[Verdict.UNDETERMINED if verdict is None else verdict]
