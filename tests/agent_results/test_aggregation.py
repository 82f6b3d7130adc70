"""Several results as one."""

from __future__ import annotations

import pytest

from contract_scan.agent_results.aggregation import aggregate, merged_result
from contract_scan.agent_results.markdown_form import issues_part
from contract_scan.agent_results.result import (
    AgentResult,
    AgentResultError,
    Confidence,
    Conflict,
    Issue,
    Location,
    Status,
)

PLACE = Location("src/a.py", 8)


def result(
    agent: str, *issues: Issue, status: Status = "PARTIAL", score: float = 80
) -> AgentResult:
    return AgentResult(
        agent=agent,
        status=status,
        findings=(issues_part(issues),),
        confidence=Confidence(score=score, justification="read"),
    )


def issue(
    title: str = "Key in the code",
    *,
    id: str = "SEC-001",
    location: Location | None = PLACE,
    confidence: float = 80,
    category: str = "SEC",
    severity: str = "critical",
    fingerprint: str = "",
) -> Issue:
    return Issue(
        id=id,
        title=title,
        location=location,
        severity=severity,  # type: ignore[arg-type]
        category=category,
        confidence=confidence,
        fingerprint=fingerprint,
    )


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        (("SUCCESS", "SUCCESS"), "SUCCESS"),
        (("SUCCESS", "PARTIAL"), "PARTIAL"),
        (("PARTIAL", "FAILED", "SUCCESS"), "FAILED"),
    ],
)
def test_the_worst_status_counts(statuses: tuple[Status, ...], worst: Status) -> None:
    found = [result(f"agent {at}", status=status) for at, status in enumerate(statuses)]
    assert aggregate(found).status == worst


def test_agreement_adds_ten_to_the_highest_confidence_once() -> None:
    whole = aggregate(
        [
            result("A", issue(confidence=70)),
            result("B", issue("A key is written down", confidence=78)),
            result("C", issue(confidence=40)),
        ]
    )
    assert [(one.title, one.confidence, one.agents) for one in whole.issues] == [
        ("A key is written down", 88, ("A", "B", "C"))
    ]


def test_confidence_is_at_most_a_hundred() -> None:
    (one,) = aggregate([result("A", issue(confidence=95)), result("B", issue())]).issues
    assert one.confidence == 100


def test_an_agent_does_not_agree_with_itself() -> None:
    (one,) = aggregate([result("A", issue(), issue())]).issues
    assert (one.confidence, one.agents) == (80, ("A",))


def test_two_issues_of_one_agent_at_one_place_stay_two() -> None:
    found = aggregate(
        [
            result("A", issue(), issue("No limit", id="SEC-002", confidence=60)),
            result("B", issue("No limit!", id="SEC-009", confidence=50)),
        ]
    ).issues
    assert [(one.title, one.confidence, one.agents) for one in found] == [
        ("Key in the code", 80, ("A",)),
        ("No limit", 70, ("A", "B")),
    ]


def test_another_line_or_another_category_is_another_issue() -> None:
    whole = aggregate(
        [
            result("A", issue()),
            result("B", issue(location=Location("src/a.py", 9))),
            result("C", issue(category="STYLE")),
        ]
    )
    assert len(whole.issues) == 3


def test_a_fingerprint_says_it_by_itself() -> None:
    moved = Location("src/a.py", 30)
    whole = aggregate(
        [
            result("A", issue(fingerprint="p1:0")),
            result("B", issue("Other words", location=moved, category="X", fingerprint="p1:0")),
        ]
    )
    assert len(whole.issues) == 1


def test_issues_without_a_place_are_never_taken_for_one() -> None:
    whole = aggregate([result("A", issue(location=None)), result("B", issue(location=None))])
    assert [one.agents for one in whole.issues] == [("A",), ("B",)]


def test_the_gravest_severity_counts_and_the_others_are_a_conflict() -> None:
    whole = aggregate([result("A", issue(severity="minor")), result("B", issue())])
    assert [one.severity for one in whole.issues] == ["critical"]
    assert whole.conflicts == (
        Conflict(
            subject="SEC-001 at src/a.py:8", about="severity", statements="A: minor; B: critical"
        ),
    )


def test_one_id_at_two_places_is_a_conflict() -> None:
    other = issue(location=Location("src/b.py", 1))
    assert aggregate([result("A", issue()), result("B", other)]).conflicts == (
        Conflict(subject="SEC-001", about="id", statements="A: src/a.py:8; B: src/b.py:1"),
    )


def test_confidence_is_weighted_by_what_agents_know() -> None:
    found = [result("Auditor", score=95), result("Engineer", score=78)]
    assert aggregate(found).confidence == 86.5
    assert aggregate(found, {"auditor": 3}).confidence == 90.8
    assert aggregate(found, {"auditor": 0, "Engineer": 0}).confidence is None


def test_without_results_there_is_nothing_to_merge() -> None:
    with pytest.raises(AgentResultError, match=r"^there are no results to merge$"):
        aggregate([])


def test_the_gravest_and_surest_come_first() -> None:
    found = aggregate(
        [
            result(
                "A",
                issue("minor", id="A-1", severity="minor", confidence=99),
                issue("less sure", id="B-1", category="B", confidence=60),
                issue("sure", id="C-1", category="C", confidence=90),
            )
        ]
    ).issues
    assert [one.title for one in found] == ["sure", "less sure", "minor"]


def test_a_merged_result_says_who_failed_and_how_to_go_on() -> None:
    merged = merged_result(aggregate([result("A"), result("B", status="FAILED")]))
    assert merged.summary == (
        "2 results of A, B: 0 issues, 0 conflicts. Handle the error, then try again."
    )
