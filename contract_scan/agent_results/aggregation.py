"""Several results as one.

The rules of the subagent contract for the confidence of an issue that several agents report
contradict each other: the highest counts, the weighted average counts, and agreement adds ten. What
counts here:

- The confidence of an *issue* is the highest that any agent gives it, and ten more where others
  report it as well, up to 100. An average would let a second agent that is less sure take away from
  what the first one knows: (95 + 40) / 2 + 10 is 77.5.
- The confidence of the *merged result* is the average of the results', weighted by what each agent
  knows of the matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.agent_results.markdown_form import conflicts_part, issues_part
from contract_scan.agent_results.result import (
    SEVERITIES,
    STATUSES,
    AgentResult,
    AgentResultError,
    Confidence,
    Conflict,
    Issue,
    Part,
    Reference,
    Status,
)

MERGED: Final = "Merged"
"""The agent whose name a merged result bears."""
AGREEMENT_BONUS: Final = 10
"""What agreement adds to the confidence of an issue."""

_NEXT: Final[Mapping[Status, str]] = {
    "SUCCESS": "Go on to the next phase",
    "PARTIAL": "Review the findings and decide how to go on",
    "FAILED": "Handle the error, then try again",
}


_T = TypeVar("_T")


class Aggregate(Struct, frozen=True, kw_only=True):
    """What several results say together."""

    results: tuple[AgentResult, ...]
    status: Status
    """The worst of them."""
    issues: tuple[Issue, ...]
    """Each once, the gravest and surest first."""
    conflicts: tuple[Conflict, ...]
    confidence: float | None
    """Weighted average, rounded to a tenth; None where no result gives one."""


def aggregate(
    results: Sequence[AgentResult], weights: Mapping[str, float] | None = None
) -> Aggregate:
    """Put results together.

    `weights` says what the confidence of an agent counts, by its name in any case; 1 where it is
    not named. Raises AgentResultError where there are no results, one has no status, or a weight
    is negative or names no agent.
    """
    if not results:
        raise AgentResultError("there are no results to merge")
    of = _checked_weights(results, weights or {})
    statuses = [_status(result) for result in results]
    reports = [_Report(result.agent, issue) for result in results for issue in result.issues]
    return Aggregate(
        results=tuple(results),
        status=max(statuses, key=STATUSES.index),
        issues=tuple(sorted(map(_merge_reports, _same_issues(reports)), key=_gravity)),
        conflicts=(
            *_unique(conflict for result in results for conflict in result.conflicts),
            *_severity_conflicts(reports),
            *_id_conflicts(reports),
            *_compliance_conflicts(results),
        ),
        confidence=_weighted_confidence(results, of),
    )


def merged_result(whole: Aggregate) -> AgentResult:
    """An aggregate as a result of its own, which can be merged again."""
    agents = ", ".join(dict.fromkeys(result.agent for result in whole.results))
    counts = ", ".join(f"{result.agent} {result.status}" for result in whole.results)
    parts = [Part(title="Results", text=f"{counts}.")]
    if whole.issues:
        parts.append(issues_part(whole.issues))
    if whole.conflicts:
        parts.append(conflicts_part(whole.conflicts))
    return AgentResult(
        agent=MERGED,
        status=whole.status,
        summary=(
            f"{len(whole.results)} results of {agents}: {len(whole.issues)} issues, "
            f"{len(whole.conflicts)} conflicts. {_NEXT[whole.status]}."
        ),
        findings=tuple(parts),
        references=_references(whole.results),
        confidence=(
            None
            if whole.confidence is None
            else Confidence(score=whole.confidence, justification=f"weighted average of {agents}")
        ),
        next_steps=_unique(step for result in whole.results for step in result.next_steps)
        or ((_NEXT[whole.status],) if whole.issues else ()),
        blockers=_unique(blocker for result in whole.results for blocker in result.blockers),
        error=next((result.error for result in whole.results if result.error), None),
        attempted_actions=_unique(
            action for result in whole.results for action in result.attempted_actions
        ),
        root_cause="\n\n".join(
            f"{result.agent}: {result.root_cause}" for result in whole.results if result.root_cause
        ),
        recovery_options=_unique(
            option for result in whole.results for option in result.recovery_options
        ),
    )


# Private helpers


class _Report(Struct, frozen=True):
    """An issue and who reports it."""

    agent: str
    issue: Issue


def _checked_weights(
    results: Sequence[AgentResult], weights: Mapping[str, float]
) -> dict[str, float]:
    known = {result.agent.lower() for result in results}
    for name, weight in weights.items():
        if name.lower() not in known:
            raise AgentResultError(
                f"the weight of {name!r:.60} is for none of {', '.join(sorted(known))}"
            )
        if not 0 <= weight < float("inf"):
            raise AgentResultError(f"the weight {weight:g} of {name!r:.60} is not 0 or more")
    return {name.lower(): weight for name, weight in weights.items()}


def _status(result: AgentResult) -> Status:
    if result.status is None:
        raise AgentResultError(
            f"the result of {result.agent} (line {result.line}) has none of the statuses "
            f"{', '.join(STATUSES)}"
        )
    return result.status


def _same_issues(reports: Sequence[_Report]) -> list[list[_Report]]:
    groups: dict[tuple[object, ...], list[_Report]] = defaultdict(list)
    for report in reports:
        groups[_identity(report)].append(report)
    return [same for group in groups.values() for same in _distinct_reports(group)]


def _identity(report: _Report) -> tuple[object, ...]:
    """What two reports of one issue have in common: the problem of a scan, else the place and the
    category. Where no category is named, the place and the words; where no place is, the agent too.
    """
    issue = report.issue
    if issue.fingerprint:
        return ("fingerprint", issue.fingerprint)
    if issue.location is None:
        return ("words", report.agent, issue.id, _words(issue.title))
    if issue.category:
        return ("category", issue.location, issue.category.lower())
    return ("place", issue.location, _words(issue.title))


def _distinct_reports(group: list[_Report]) -> list[list[_Report]]:
    """Reports of one place and category; by their words where one agent reports several issues
    there, which are not the same then."""
    distinct = {(report.agent, report.issue.id, _words(report.issue.title)) for report in group}
    if len(distinct) == len({report.agent for report in group}):
        return [group]
    by_words: dict[str, list[_Report]] = defaultdict(list)
    for report in group:
        by_words[_words(report.issue.title)].append(report)
    return list(by_words.values())


def _words(text: str) -> str:
    letters = "".join(char if char.isalnum() else " " for char in text.lower())
    return " ".join(letters.split())


def _merge_reports(reports: Sequence[_Report]) -> Issue:
    """The report of the surest agent, with the gravest severity, and who agrees."""
    surest = max(reports, key=lambda report: report.issue.confidence or 0)
    agents = tuple(
        dict.fromkeys(name for each in reports for name in (each.issue.agents or (each.agent,)))
    )
    new = {each.agent for each in reports}
    confidence = surest.issue.confidence
    if confidence is not None and len(new) > 1:
        confidence = min(100.0, confidence + AGREEMENT_BONUS)
    severities = [each.issue.severity for each in reports if each.issue.severity is not None]
    return replace(
        surest.issue,
        severity=min(severities, key=SEVERITIES.index, default=None),
        confidence=confidence,
        agents=agents,
    )


def _gravity(issue: Issue) -> tuple[object, ...]:
    grave = len(SEVERITIES) if issue.severity is None else SEVERITIES.index(issue.severity)
    place = (issue.location.path, issue.location.line) if issue.location else ("", 0)
    return (grave, -(issue.confidence or 0), place, issue.id, issue.title)


def _severity_conflicts(reports: Sequence[_Report]) -> Iterator[Conflict]:
    for group in _same_issues(reports):
        said = _unique((each.agent, each.issue.severity or "") for each in group)
        if len({severity for _, severity in said}) > 1:
            yield Conflict(
                about="severity", subject=_subject(group[0].issue), statements=_statements(said)
            )


def _id_conflicts(reports: Sequence[_Report]) -> Iterator[Conflict]:
    """One id for issues at different places."""
    places: dict[str, list[_Report]] = defaultdict(list)
    for report in reports:
        if report.issue.id and report.issue.location is not None:
            places[report.issue.id].append(report)
    for identifier, group in places.items():
        said = _unique((each.agent, str(each.issue.location)) for each in group)
        if len({place for _, place in said}) > 1 and len({agent for agent, _ in said}) > 1:
            yield Conflict(about="id", subject=identifier, statements=_statements(said))


def _compliance_conflicts(results: Sequence[AgentResult]) -> Iterator[Conflict]:
    said: dict[str, list[tuple[str, str]]] = defaultdict(list)
    names: dict[str, str] = {}
    for result in results:
        for check in result.compliance:
            key = _words(check.standard)
            names.setdefault(key, check.standard)
            said[key].append((result.agent, check.outcome))
    for key, statements in said.items():
        if len({outcome for _, outcome in statements}) > 1:
            yield Conflict(
                about="compliance", subject=names[key], statements=_statements(_unique(statements))
            )


def _statements(said: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{agent}: {word or 'nothing'}" for agent, word in said)


def _references(results: Sequence[AgentResult]) -> tuple[Reference, ...]:
    """The references of all results, those to one place once."""
    found: dict[tuple[object, ...], Reference] = {}
    for result in results:
        for reference in result.references:
            found.setdefault((reference.item, reference.location), reference)
    return tuple(found.values())


def _unique(found: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(found))


def _subject(issue: Issue) -> str:
    name = issue.id or issue.title
    return f"{name} at {issue.location}" if issue.location else name


def _weighted_confidence(
    results: Sequence[AgentResult], weights: Mapping[str, float]
) -> float | None:
    given = [
        (result.confidence.score, weights.get(result.agent.lower(), 1.0))
        for result in results
        if result.confidence is not None
    ]
    total = sum(weight for _, weight in given)
    return round(sum(score * weight for score, weight in given) / total, 1) if total else None
