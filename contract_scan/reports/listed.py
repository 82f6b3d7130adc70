"""What the reports for people list: problems or their places, and whether notes are among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from contract_scan.counted import counted
from contract_scan.ir.problem import Member, Problem, ProblemGroup, difference_of
from contract_scan.ir.violation import Finding
from contract_scan.reports.display import display
from contract_scan.reports.order import in_order
from contract_scan.reports.report import Report, Setting

NAMED = 3
"""Operations, channels or models that are named of those that a problem affects."""
FIELDS = 5
"""Fields that are named of those that a problem is about."""


def listed_groups(report: Report, setting: Setting) -> list[ProblemGroup]:
    """The problems to list, those together that read alike."""
    return [group for group in report.problem_groups if _is_listed(group.first.severity, setting)]


def listed_problems(report: Report, setting: Setting) -> list[Problem]:
    """The problems to list, the worst and most far-reaching first."""
    return [problem for problem in report.problems if _is_listed(problem.severity, setting)]


def listed_places(report: Report, setting: Setting) -> list[Finding]:
    """The findings to list, by place."""
    return [one for one in in_order(report.findings) if _is_listed(one.severity, setting)]


def _is_listed(severity: str, setting: Setting) -> bool:
    return severity != "note" or "notes" in setting.show


def affected_text(group: ProblemGroup | Problem, *, named: int = NAMED) -> str:
    """What is affected: "13 operations (40 places): GET /books, GET /shelves, …"; empty for one
    place, of which the sentence itself says it."""
    places = group.places if isinstance(group.places, int) else len(group.places)
    if places < 2:
        return ""
    kinds = [
        (names, noun)
        for names, noun in (
            (group.operations, "operation"),
            (group.channels, "channel"),
            (group.models, "model"),
        )
        if names
    ]
    told = f" ({counted(places, 'place')})" if places != sum(len(each) for each, _ in kinds) else ""
    parts = []
    for names, noun in kinds:
        parts.append(display(f"{counted(len(names), noun)}{told}: {_list(names, named)}"))
        told = ""
    return "; ".join(parts) or counted(places, "place")


def short_reach(group: ProblemGroup | Problem) -> str:
    """The numbers of that alone: "13 operations, 1,665 places"."""
    places = group.places if isinstance(group.places, int) else len(group.places)
    if places < 2:
        return ""
    numbers = (
        (len(group.operations), "operation"),
        (len(group.channels), "channel"),
        (len(group.models), "model"),
    )
    parts = [counted(number, noun) for number, noun in numbers if number]
    if places != sum(number for number, _ in numbers):
        parts.append(counted(places, "place"))
    return ", ".join(parts)


def fields(problem: Problem, *, named: int = FIELDS) -> str:
    """The fields that a problem is about, where they are several; with their types, where these are
    what is wrong: "price (string instead of number), tags"; by what is wrong with them, where that
    differs: "missing: price; not in the contract: cost, tags"."""
    if len({member.name for member in problem.members}) < 2:
        return ""
    by_difference: dict[str, dict[str, str]] = {}
    for member in problem.members:
        by_difference.setdefault(difference_of(member), {})[member.name] = _member_text(member)
    listed = {words: _list([*texts.values()], named) for words, texts in by_difference.items()}
    if len(listed) == 1:
        return display(*listed.values())
    return display("; ".join(f"{words}: {names}" for words, names in listed.items()))


def _member_text(member: Member) -> str:
    if member.kind not in ("type", "shape") or not (member.found and member.expected):
        return member.name
    return f"{member.name} ({member.found} instead of {member.expected})"


def _list(names: Sequence[str], named: int) -> str:
    more = f", … ({len(names) - named} more)" if len(names) > named else ""
    return ", ".join(names[:named]) + more


class KindCount(Struct, frozen=True):
    """How much there is of a kind of drift."""

    name: str
    problems: int
    places: int


def counts_by_kind(report: Report) -> list[KindCount]:
    """The kinds that are found, the ones with most places first."""
    problems = Counter(problem.name for problem in report.problems)
    places = Counter(finding.name for finding in report.findings)
    ordered = sorted(places.items(), key=lambda item: (-item[1], item[0]))
    return [KindCount(name, problems[name], number) for name, number in ordered]


def outcome(report: Report) -> str:
    """ "85 problems (58 errors, 27 warnings) in 1,925 places, and 5 notes"; empty without any."""
    problems = report.problems
    by_severity = {
        severity: [one for one in problems if one.severity == severity]
        for severity in ("error", "warning", "note")
    }
    grave = [*by_severity["error"], *by_severity["warning"]]
    parts = []
    if grave:
        kinds = ", ".join(
            counted(len(by_severity[severity]), severity)
            for severity in ("error", "warning")
            if by_severity[severity]
        )
        places = _number_of_places(grave)
        of_places = f" in {counted(places, 'place')}" if places > len(grave) else ""
        parts.append(f"{counted(len(grave), 'problem')} ({kinds}){of_places}")
    if by_severity["note"]:
        parts.append(counted(len(by_severity["note"]), "note"))
    return " and ".join(parts)


def _number_of_places(problems: Iterable[Problem]) -> int:
    return sum(len(problem.places) for problem in problems)
