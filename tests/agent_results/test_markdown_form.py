"""The Markdown form of results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.agent_results.markdown_form import (
    issues_part,
    read_location,
    read_results,
    write_result,
)
from contract_scan.agent_results.result import (
    AgentResult,
    AgentResultError,
    Blocker,
    Confidence,
    ErrorDetails,
    Issue,
    Location,
    Reference,
)

FAILURE = """Some words of the agent.

# Builder Result

## Status
**failed**

## Summary
Could not build.

## Error Details
| Aspect | Value |
|---|---|
| Type | BuildError |
| Message | no compiler |
| Occurred At | step 2 |
| Recoverable | true |

## Attempted Actions
1. make
2. make again

## Root Cause Analysis
There is no compiler.

## Recovery Options
- [Install]: one

## Blockers (if any)
- No compiler
  Resolution: install one
- No right to install | Resolution: ask

# Notes

Not a part of it.
"""


def read(text: str) -> AgentResult:
    (found,) = read_results(text)
    return found


def test_a_failure_is_read_whole() -> None:
    assert read(FAILURE) == AgentResult(
        agent="Builder",
        status="FAILED",
        summary="Could not build.",
        error=ErrorDetails(
            type="BuildError",
            message="no compiler",
            occurred_at="step 2",
            recoverable=True,
            line=11,
        ),
        attempted_actions=("make", "make again"),
        root_cause="There is no compiler.",
        recovery_options=("[Install]: one",),
        blockers=(
            Blocker(description="No compiler", resolution="install one", line=30),
            Blocker(description="No right to install", resolution="ask", line=32),
        ),
        line=3,
    )


@pytest.mark.parametrize(
    ("item", "issue"),
    [
        (
            "- Slow: it takes minutes | Severity: important",
            Issue(title="Slow", description="it takes minutes", severity="important", line=4),
        ),
        (
            "- SEC-1: Key in `src/a.py:3` | Severity: **Critical** | Confidence: 90%",
            Issue(
                id="SEC-1",
                title="Key in `src/a.py:3`",
                location=Location("src/a.py", 3),
                severity="critical",
                category="SEC",
                confidence=90,
                line=4,
            ),
        ),
        (
            "- Slow | Severity: grave | Location: `b.py:1-4` | Category: speed",
            Issue(title="Slow", location=Location("b.py", 1), category="speed", line=4),
        ),
    ],
)
def test_an_item_of_the_issues(item: str, issue: Issue) -> None:
    assert read(f"## A Result\n### Status\n### Issues\n{item}\n").listed_issues == (issue,)


@pytest.mark.parametrize("word", ["none", "None.", "*n/a*", "-"])
def test_a_section_that_says_there_is_nothing_is_empty(word: str) -> None:
    result = read(f"## A Result\n### Status\nSUCCESS\n### Blockers\n{word}\n### Issues\n- {word}\n")
    assert result.blockers == ()
    assert result.issues == ()


@pytest.mark.parametrize(
    ("text", "score", "justification"),
    [
        ("92 - all read", 92, "all read"),
        ("**92%** — all read", 92, "all read"),
        ("92/100: all read", 92, "all read"),
        ("87.5", 87.5, ""),
    ],
)
def test_ways_to_write_a_confidence(text: str, score: float, justification: str) -> None:
    confidence = read(f"## A Result\n### Status\n\n### Confidence\n{text}\n").confidence
    assert confidence == Confidence(score=score, justification=justification, line=5)


def test_a_confidence_in_words_is_none() -> None:
    assert read("## A Result\n### Status\n### Confidence\nhigh\n").confidence is None


def test_results_in_fenced_blocks_between_other_text() -> None:
    text = (
        "Here is what I found:\n\n```markdown\n## A Result\n### Status\nSUCCESS\n"
        "### Findings\n```ts\n# x\n```\nAs agreed.\n```\n\nAnd then:\n~~~md\n## B Result\n"
        "### Status\nFAILED\n~~~\nThat is all.\n"
    )
    first, second = read_results(text)
    assert (first.agent, first.line, second.agent, second.line) == ("A", 4, "B", 16)
    assert [part.text for part in first.findings] == ["```ts\n# x\n```\nAs agreed."]


def test_an_example_in_a_block_is_none_where_the_text_holds_a_result_itself() -> None:
    text = "```markdown\n## A Result\n### Status\nFAILED\n```\n## B Result\n### Status\nSUCCESS\n"
    assert [one.agent for one in read_results(text)] == ["B"]


def test_the_whole_may_stand_in_a_fenced_block_with_others_inside() -> None:
    text = "```markdown\n## A Result\n### Status\nSUCCESS\n### Findings\n```ts\n# x\n```\n```\n"
    result = read(text)
    assert (result.line, result.status, result.findings[0].text) == (
        2,
        "SUCCESS",
        "```ts\n# x\n```",
    )


def fenced(findings: str, mark: str = "```", behind: str = "") -> str:
    return (
        f"{mark}markdown\n## A Result\n### Status\nSUCCESS\n### Findings\n{findings}"
        f"### Confidence\n90 - tested\n{mark}\n{behind}"
    )


@pytest.mark.parametrize(
    "behind",
    [
        "",
        "\nWhat it printed:\n```\n1 passed\n```\n",
        "```sh\n# x\n```\n### Notes\nNone.\n```\n2 passed\n```\n",
        "\n## Log\n```\n1 passed\n```\n### Notes\nNone.\n```\n2 passed\n```\n",
    ],
)
def test_code_in_a_fenced_block_needs_no_language_where_headings_follow(behind: str) -> None:
    code = "```\n1 passed\n```\nAll pass.\n"
    result = read(fenced(code, behind=behind))
    assert result.findings[0].text == code.strip()
    assert result.confidence == Confidence(score=90, justification="tested", line=11)


def test_a_longer_fence_is_ended_by_none_that_is_shorter_or_of_other_characters() -> None:
    code = "```\n## B Result\n```\n~~~\n"
    for mark in ("````", "`````"):
        assert read(fenced(code, mark)).findings[0].text.startswith(code.strip())


def test_a_block_that_is_not_ended_goes_on_to_the_last_line() -> None:
    assert read("```markdown\n## A Result\n### Status\nSUCCESS\n").status == "SUCCESS"


def test_markdown_within_other_code_is_code() -> None:
    text = "````text\n```markdown\n## A Result\n### Status\nFAILED\n```\n````\n"
    with pytest.raises(AgentResultError):
        read_results(text + "```sh\n# B Result\n## Status\n```\n")


def test_headings_in_code_are_none() -> None:
    text = "## A Result\n### Status\nSUCCESS\n### Findings\n```\n## B Result\n### Status\n```\n"
    assert [result.agent for result in read_results(text)] == ["A"]


def test_several_results_and_those_within_a_chapter() -> None:
    text = "# All\n## A Result\n### Status\nSUCCESS\n## B Result\n### Status\nFAILED\n## Result\n"
    assert [(result.agent, result.status) for result in read_results(text)] == [
        ("A", "SUCCESS"),
        ("B", "FAILED"),
    ]


def test_a_text_without_a_result_is_refused() -> None:
    with pytest.raises(AgentResultError, match=r"^notes\.md: holds no result"):
        read_results("# Notes\n", "notes.md")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("`src/a.py:3`", Location("src/a.py", 3)),
        ("src/a.py:3", Location("src/a.py", 3)),
        ("in `src/my file.py:12:4`, twice", Location("src/my file.py", 12)),
        ("`a.ts:8-20`", Location("a.ts", 8)),
        ("`a.ts:L8`", Location("a.ts", 8)),
        (r"`C:\src\a.cs:7`", Location(r"C:\src\a.cs", 7)),
        ("`src/a.py`", None),
        ("`src/a.py:0`", None),
        ("`a:b`", None),
        ("", None),
    ],
)
def test_places(text: str, place: Location | None) -> None:
    assert read_location(text) == place


words = st.from_regex(r"[A-Za-z][a-z]{0,8}( [a-z]{1,8}){0,3}", fullmatch=True).filter(
    lambda text: text.lower() not in ("none", "n")
)
places = st.builds(Location, st.sampled_from(["a.py", "src/b c.ts"]), st.integers(1, 9999))
issues = st.builds(
    Issue,
    id=st.sampled_from(["", "SEC-001"]),
    title=words,
    location=st.none() | places,
    severity=st.sampled_from(["critical", "important", "minor"]),
    category=st.just("Keys"),
    confidence=st.none() | st.integers(0, 100).map(float),
    fingerprint=st.sampled_from(["", "p1:00ff:type"]),
)
results = st.builds(
    AgentResult,
    agent=words,
    status=st.sampled_from(["SUCCESS", "PARTIAL", "FAILED"]),
    summary=words,
    findings=st.lists(issues, min_size=1, max_size=3).map(lambda found: (issues_part(found),)),
    references=st.lists(
        st.builds(Reference, item=words, location=places, relevance=words), max_size=3
    ).map(tuple),
    confidence=st.none() | st.builds(Confidence, score=st.integers(0, 100).map(float)),
    listed_issues=st.lists(issues, max_size=2).map(tuple),
    next_steps=st.lists(words, max_size=3).map(tuple),
    blockers=st.lists(st.builds(Blocker, description=words, resolution=words), max_size=2).map(
        tuple
    ),
)


@given(results)
def test_what_is_written_is_read_again(result: AgentResult) -> None:
    text = write_result(result)
    again = read(text)
    assert write_result(again) == text
    assert [
        (issue.id, issue.title, issue.location, issue.severity, issue.confidence, issue.fingerprint)
        for issue in again.issues
    ] == [
        (issue.id, issue.title, issue.location, issue.severity, issue.confidence, issue.fingerprint)
        for issue in result.issues
    ]
