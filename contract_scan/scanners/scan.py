"""Documents and code in, report out.

Of a file that is two versions at once (an unresolved merge), nothing is taken: what it declares is
neither there nor missing, and what it mounts has no known path. What other files say of themselves
stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import asdict

from contract_scan.ir.document import UNMERGED, NotAnalysed
from contract_scan.ir.origin import Origin
from contract_scan.ir.promise import Promise, PromisePart, Role, Service, Sort, State, service_of
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import RULE_IDS, Finding, Undetermined
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.report import PromiseCounts, Report, Subject, Summary, Verdict, tally
from contract_scan.scanners.rule import Options, PairedUnit, Rule, RuleResult, merge
from contract_scan.scanners.rules import RULES
from contract_scan.scanners.unit import Unit
from contract_scan.scanners.verdicts import (
    Promised,
    promised_by_channel,
    promised_by_model,
    verdict_of,
)

_OPERATION_RULES = frozenset({"CONTRACT-001", "CONTRACT-002"})
_REASON = Reason("merge-conflict")
_RESTS_ON_ALL = frozenset(
    {
        "base-path",
        "method",
        "missing-channel",
        "missing-endpoint",
        "missing-model",
        "other-application",
        "undocumented-channel",
        "undocumented-endpoint",
    }
)
"""Kinds of findings that are made of all files together."""


def scan_units(
    units: Sequence[Unit],
    *,
    select: Collection[str] = RULE_IDS,
    options: Options | None = None,
    rules: Sequence[Rule] = RULES,
    files: int = 0,
    services: Sequence[Service] = (),
) -> Report:
    """Run the selected rules over every unit.

    A promise counts in the summary where a selected rule could speak of it; one of which none of
    them said anything counts as undetermined. `files` is the number of source files looked at,
    `services` the parts of the code that units are named after.
    """
    chosen = [rule for rule in rules if rule.id in select]
    total = RuleResult()
    problems: list[NotAnalysed] = []
    promises: list[Promise] = []
    for unit in units:
        paired = PairedUnit(unit, options or Options())
        own = RuleResult()
        for rule in chosen:
            answer = RuleResult()
            rule.check(paired, answer)
            _add(own, answer)
        # What keeps code from being read is met while its routes are evaluated, too.
        problems += _problems(unit, select)
        if any(problem.code == UNMERGED.code for problem in unit.code.problems):
            _leave_open(own)
        _add(total, own)
        promises += _promises_of(paired, own, select, services)
    total.undetermined += (
        said for subject, said in total.absent.items() if total.models[subject] == Verdict.ABSENT
    )
    summary = _summary(units, select, total)
    if all(problem.expected for problem in problems):
        problems += _nothing_verified(summary, total)
    return Report(
        findings=with_fingerprints(_distinct_findings(sorted(total.findings, key=_finding_order))),
        undetermined=tuple(sorted(dict.fromkeys(total.undetermined), key=_undetermined_order)),
        not_analysed=tuple(dict.fromkeys(problems)),
        summary=summary,
        files=files,
        promises=tuple(sorted(promises, key=_promise_order)),
        services=tuple(services),
    )


def merged_report(reports: Sequence[Report]) -> Report:
    """Reports of parts of one whole as one, in the order of a report."""
    findings = sorted((f for report in reports for f in report.findings), key=_finding_order)
    undetermined = dict.fromkeys(u for report in reports for u in report.undetermined)
    summaries = [report.summary for report in reports]
    return Report(
        findings=with_fingerprints(_distinct_findings(findings)),
        undetermined=tuple(sorted(undetermined, key=_undetermined_order)),
        not_analysed=tuple(dict.fromkeys(p for report in reports for p in report.not_analysed)),
        summary=Summary(
            operations=_sum_of_counts(summary.operations for summary in summaries),
            channels=_sum_of_counts(summary.channels for summary in summaries),
            models=_sum_of_counts(summary.models for summary in summaries),
        ),
        files=sum(report.files for report in reports),
        promises=tuple(sorted((p for r in reports for p in r.promises), key=_promise_order)),
        services=tuple(dict.fromkeys(s for report in reports for s in report.services)),
    )


def _sum_of_counts(counts: Iterable[PromiseCounts]) -> PromiseCounts:
    each = [asdict(count) for count in counts]
    return PromiseCounts(**{key: sum(one[key] for one in each) for key in asdict(PromiseCounts())})


def _distinct_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Each drift once, also where two documents promise the same of the same code."""
    found: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.rule, finding.kind, finding.origin, finding.expected, *_subject_key(finding))
        found.setdefault(key, finding)
    return list(found.values())


def _add(total: RuleResult, answer: RuleResult) -> None:
    total.findings += answer.findings
    total.undetermined += answer.undetermined
    merge(total.operations, answer.operations)
    merge(total.channels, answer.channels)
    merge(total.models, answer.models)
    total.absent |= answer.absent


def _summary(units: Sequence[Unit], select: Collection[str], total: RuleResult) -> Summary:
    operations: list[Subject] = []
    channels: list[Subject] = []
    models: list[Subject] = []
    for unit in units:
        if _OPERATION_RULES & set(select):
            operations += [
                (document.path, f"{operation.method} {operation.path}")
                for document, operation in unit.contracted_operations()
            ]
        for document in unit.documents:
            if "CONTRACT-003" in select and document.kind == "asyncapi":
                channels += [(document.path, channel.key) for channel in document.channels]
            if "CONTRACT-004" in select and document.kind == "json-schema":
                models += [(document.path, model.called) for model in document.models]
    return Summary(
        operations=_tally(operations, total.operations),
        channels=_tally(channels, total.channels),
        models=_tally(models, total.models),
    )


def _tally(expected: Iterable[Subject], verdicts: Mapping[Subject, Verdict]) -> PromiseCounts:
    return tally({key: verdicts.get(key, Verdict.UNDETERMINED) for key in expected})


def _problems(unit: Unit, select: Collection[str]) -> Iterator[NotAnalysed]:
    """What kept contracts or code from being read, and scans that had nothing to look at."""
    for document in unit.documents:
        yield from document.problems
    yield from unit.code.problems
    for document in unit.documents:
        operations = document.operations if document.kind in ("openapi", "svc-table") else ()
        if operations and not unit.code.operations and _OPERATION_RULES & set(select):
            yield NotAnalysed(
                path=document.path,
                reason=Reason(
                    "no-route-for-contract",
                    operations=_count_with_verb(len(operations), "operation"),
                    looked_for=_looked_for(unit.looked_for),
                ),
            )
        if (
            document.kind == "asyncapi"
            and document.channels
            and not unit.code.events
            and "CONTRACT-003" in select
        ):
            yield NotAnalysed(
                path=document.path,
                reason=Reason(
                    "no-events-for-contract",
                    channels=_count_with_verb(len(document.channels), "channel"),
                    looked_for_events=_looked_for(unit.looked_for_events),
                ),
            )


_MOST_REASONS = 2
"""Reasons that a scan names of those why nothing could be verified."""


def _nothing_verified(summary: Summary, total: RuleResult) -> Iterator[NotAnalysed]:
    """A scan in which no promise was verified and none found broken says nothing about the code:
    one problem with the reasons that leave most of the promises open, and a place of each."""
    tallies = (summary.operations, summary.channels, summary.models)
    counted = sum(one.total for one in tallies)
    if not counted or any(
        one.verified or one.partly or one.violated or one.missing for one in tallies
    ):
        return
    open_by_reason: dict[str, dict[tuple[str, ...], Undetermined]] = {}
    for entry in sorted(total.undetermined, key=_undetermined_order):
        path, method, *_ = _subject_key(entry)
        promise = (path, method, entry.channel or "", entry.model or "")
        open_by_reason.setdefault(entry.reason, {}).setdefault(promise, entry)
    worst = sorted(open_by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    named = [
        f"{reason} ({len(found)} of {counted}; {_shown_place(next(iter(found.values())).origin)})"
        for reason, found in worst[:_MOST_REASONS]
    ]
    unproved = "what differs is known by types that nobody checks"
    otherwise = unproved if total.findings else "no code was compared"
    yield NotAnalysed(
        path="",
        reason=Reason("nothing-verified", named="; ".join(named) or otherwise),
    )


def _shown_place(origin: Origin) -> str:
    return f"{origin.path}:{origin.span.line}" if origin.span.line else origin.path


def _looked_for(names: tuple[str, ...]) -> str:
    return f"; looked for {', '.join(names)}" if names else ""


def _count_with_verb(count: int, noun: str) -> str:
    return f"1 {noun} is" if count == 1 else f"{count} {noun}s are"


def _origin_key(origin: Origin) -> tuple[str, int, int]:
    return origin.path, origin.span.line, origin.span.column


def _finding_order(finding: Finding) -> tuple[object, ...]:
    contract = _origin_key(finding.contract) if finding.contract else ("", 0, 0)
    return (
        *_origin_key(finding.origin),
        finding.rule,
        *_subject_key(finding),
        finding.kind,
        *contract,
        finding.message,
    )


def _promise_order(promise: Promise) -> tuple[object, ...]:
    return (
        promise.contract,
        *_origin_key(promise.origin),
        promise.sort,
        promise.name,
        promise.service,
    )


def _undetermined_order(entry: Undetermined) -> tuple[object, ...]:
    return (*_origin_key(entry.origin), entry.rule, *_subject_key(entry), entry.reason)


def _subject_key(entry: Finding | Undetermined) -> tuple[str, ...]:
    """What an entry is about, as texts that sort."""
    operation = entry.operation
    named = (
        (operation.path, operation.method, operation.status, operation.direction)
        if operation
        else ("", "", "", "")
    )
    return (*named, entry.channel or "", entry.model or "", entry.field)


def _leave_open(answer: RuleResult) -> None:
    """Take what rests on all files together for undetermined."""
    left = [finding for finding in answer.findings if finding.kind in _RESTS_ON_ALL]
    answer.findings = [finding for finding in answer.findings if finding not in left]
    answer.undetermined += (
        Undetermined(
            rule=finding.rule,
            reason=_REASON,
            origin=finding.origin,
            operation=finding.operation,
            channel=finding.channel,
            model=finding.model,
        )
        for finding in left
    )
    for verdicts in (answer.operations, answer.channels, answer.models):
        for subject, verdict in verdicts.items():
            if verdict == Verdict.MISSING:
                verdicts[subject] = Verdict.UNDETERMINED


# --------------------------------------------------------------------------- items of contracts


_STATES: dict[Verdict, State] = {
    Verdict.VERIFIED: "verified",
    Verdict.PARTLY: "partly",
    Verdict.UNDETERMINED: "undetermined",
    Verdict.VIOLATED: "violated",
    Verdict.MISSING: "missing",
    Verdict.ABSENT: "absent",
}


def _promises_of(
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
        said: list[Finding | Undetermined] = [*answer.findings, *answer.undetermined]
        self._said = _said_by_item_and_service(said, services)

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
            promised = promised_by_channel(pair.channel, pair.document)
            places = self._promise_parts("channel", subject[1], uses, promised)
            yield self._shared_promise("channel", subject, verdict, pair.channel.origin, places)

    def models(self) -> Iterator[Promise]:
        for pair in self._paired.models:
            types: list[tuple[Role, Origin]] = [
                ("has", item.origin) for item in (*pair.types, *pair.ambiguous)
            ]
            subject = (pair.document.path, pair.model.called)
            verdict = self._answer.models.get(subject)
            promised = promised_by_model(pair.model, pair.document)
            places = self._promise_parts("model", subject[1], types, promised)
            yield self._shared_promise("model", subject, verdict, pair.model.origin, places)

    def _shared_promise(
        self,
        sort: Sort,
        subject: Subject,
        verdict: Verdict | None,
        origin: Origin,
        parts: tuple[PromisePart, ...],
    ) -> Promise:
        """A promise that several services may have a part in."""
        return Promise(
            sort=sort,
            contract=subject[0],
            name=subject[1],
            service=self._paired.unit.name,
            state=_state(verdict),
            origin=origin,
            parts=parts,
        )

    def _promise_parts(
        self, sort: Sort, name: str, uses: Sequence[tuple[Role, Origin]], promised: Promised
    ) -> tuple[PromisePart, ...]:
        parts = []
        for role, origin in dict.fromkeys(uses):
            service = service_of(origin.path, self._services)
            verdict = verdict_of(self._said.get((sort, name, service), ()), promised)
            state = _STATES[min(verdict, Verdict.VIOLATED)]
            parts.append(PromisePart(service=service, role=role, state=state, origin=origin))
        return tuple(parts)


def _said_by_item_and_service(
    entries: Iterable[Finding | Undetermined], services: Sequence[Service]
) -> Mapping[tuple[Sort, str, str], list[Finding | Undetermined]]:
    """What is said of each item of a contract in each service that it points into."""
    found: dict[tuple[Sort, str, str], list[Finding | Undetermined]] = defaultdict(list)
    for entry in entries:
        places = (
            [entry.origin, entry.reached_from] if isinstance(entry, Finding) else [entry.origin]
        )
        for service in {service_of(at.path, services) if at is not None else "" for at in places}:
            if entry.channel is not None:
                found["channel", entry.channel, service].append(entry)
            if entry.model is not None:
                found["model", entry.model, service].append(entry)
    return found


def _state(verdict: Verdict | None) -> State:
    return _STATES[Verdict.UNDETERMINED if verdict is None else verdict]
