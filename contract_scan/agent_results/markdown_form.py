"""The Markdown form of results.

    ## Security Auditor Result

    ### Status
    PARTIAL

    ### Summary
    Reviewed the authentication. Found one issue.

    ### Findings
    …

    ### Key References
    | Item | Location | Relevance |
    |------|----------|-----------|
    | Key | `src/config/jwt.ts:8` | is written in the code |

    ### Confidence
    94 - every place was read

The headings may be of any level, as long as those of a result are below its title. Text around
results is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from contract_scan.agent_results.result import (
    SEVERITIES,
    STATUSES,
    AgentResult,
    AgentResultError,
    Blocker,
    ComplianceCheck,
    Confidence,
    Conflict,
    ErrorDetails,
    Issue,
    Location,
    Part,
    Reference,
    Status,
)
from contract_scan.agent_results.sections import Row, Section, Text, read_sections

TITLE_END: Final = "result"
"""The last word of the title of a result."""

_PLACE_COLUMNS: Final = ("file:line", "location", "file", "place")
_TITLE_COLUMNS: Final = ("issue", "title", "finding", "problem", "description")
_DASHES: Final = "-–—:,"
_MARKS: Final = "*_` \t"
_WORDS_OF_TRUTH: Final = {"true": True, "yes": True, "false": False, "no": False}

_Word = TypeVar("_Word", bound=str)


def read_results(text: str, path: str = "") -> tuple[AgentResult, ...]:
    """Every result that a text holds, in its order; where it holds none by itself, those in its
    fenced blocks of Markdown.

    What a result does not say stays empty; `checks.defects` tells what it should have said. Raises
    AgentResultError where the text holds no result, or a section twice in one.
    """
    for in_blocks in (False, True):
        found = tuple(
            _result(section, path)
            for outermost in read_sections(text, in_blocks=in_blocks)
            for section in outermost.walk()
            if _agent(section)
        )
        if found:
            return found
    raise AgentResultError("holds no result (a heading `… Result` begins one)", path)


def read_location(text: str) -> Location | None:
    """The place that a text such as `` `src/app.py:8` `` names: a file and a line, of which a range
    or a column may follow. None where it names none."""
    marked = text.split("`")
    for candidate in (*marked[1::2], text.strip(_MARKS)):
        file, _, rest = candidate.strip().partition(":")
        if len(file) == 1 and file.isalpha() and rest[:1] in ("\\", "/"):  # a drive of Windows
            begin, _, rest = rest.partition(":")
            file = f"{file}:{begin}"
        digits = rest.split(":")[0].split("-")[0].split(",")[0].removeprefix("L")
        if file and digits.isascii() and digits.isdigit() and int(digits[:9]) > 0:
            return Location(file, int(digits[:9]))
    return None


def issues_part(issues: Sequence[Issue]) -> Part:
    """Issues as the table that a review has among its findings."""
    rows = (
        (
            issue.id,
            issue.title,
            code_marked(issue.location),
            (issue.severity or "").capitalize(),
            "" if issue.confidence is None else f"{issue.confidence:g}",
            issue.category,
            issue.fingerprint,
            ", ".join(issue.agents),
        )
        for issue in issues
    )
    return Part(
        title="Issues Detected", text="\n".join(table(_ISSUE_COLUMNS, rows)), issues=tuple(issues)
    )


def conflicts_part(conflicts: Sequence[Conflict]) -> Part:
    """Conflicts as a table among the findings of a merged result."""
    rows = ((each.subject, each.about, each.statements) for each in conflicts)
    text = "\n".join(table(("Subject", "Conflict", "Statements"), rows))
    return Part(title="Conflicts For Human Review", text=text, conflicts=tuple(conflicts))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table without the columns that no row fills; no lines without rows."""
    one_line_rows = [tuple(map(_one_line, row)) for row in rows]
    used = [at for at in range(len(columns)) if any(row[at] for row in one_line_rows)]
    if not used:
        return []
    lines = [[columns[at] for at in used], ["---"] * len(used)]
    lines += [[row[at] for at in used] for row in one_line_rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def code_marked(location: Location | None) -> str:
    """A place in code marks; empty where there is none."""
    return f"`{location}`" if location else ""


def write_result(result: AgentResult) -> str:
    """A result in the form that `read_results` reads."""
    return "\n".join(_lines(result)) + "\n"


# Private helpers

_ISSUE_COLUMNS: Final = (
    "ID",
    "Issue",
    "File:Line",
    "Severity",
    "Confidence",
    "Category",
    "Fingerprint",
    "Agents",
)


def _one_line(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")


def _agent(section: Section) -> str:
    """The agent whose result a section is; empty where it is none. A title inside a result counts
    as well, since agents repeat what others handed them."""
    *name, last = section.title.strip(_MARKS).split() or [""]
    if last.lower() != TITLE_END or not section.sections:
        return ""
    named = {_key(inner.title) for inner in section.sections}
    return " ".join(name) if name and "status" in named else ""


def _result(section: Section, path: str) -> AgentResult:
    known: dict[str, Section] = {}
    others: list[Section] = []
    for inner in section.sections:
        key = _key(inner.title)
        if key not in _KNOWN_SECTIONS:
            others.append(inner)
        elif key in known:
            raise AgentResultError(
                f"`{inner.title}` is given twice, first in line {known[key].line}",
                path,
                inner.line,
            )
        else:
            known[key] = inner
    return AgentResult(
        agent=_agent(section),
        status=_status(known.get("status")),
        summary=_prose(known.get("summary")),
        findings=tuple(_parts(known.get("findings"))),
        references=tuple(map(_reference, _section_rows(known.get("key references")))),
        confidence=_confidence(known.get("confidence")),
        listed_issues=tuple(map(_issue_of_item, _items(known.get("issues")))),
        next_steps=tuple(item.content for item in _items(known.get("next steps"))),
        blockers=tuple(map(_blocker, _items(known.get("blockers")))),
        error=_error(known.get("error details")),
        attempted_actions=tuple(item.content for item in _items(known.get("attempted actions"))),
        root_cause=_prose(known.get("root cause analysis")),
        recovery_options=tuple(item.content for item in _items(known.get("recovery options"))),
        others=tuple(map(_part, others)),
        line=section.line,
    )


_KNOWN_SECTIONS: Final = frozenset(
    {
        "status",
        "summary",
        "findings",
        "key references",
        "confidence",
        "issues",
        "next steps",
        "blockers",
        "error details",
        "attempted actions",
        "root cause analysis",
        "recovery options",
    }
)


def _key(title: str) -> str:
    """The name of a section: small letters, without what is in brackets behind it."""
    return title.partition("(")[0].strip(_MARKS + ":").lower()


def _status(section: Section | None) -> Status | None:
    return _word(_prose(section), STATUSES)


def _word(text: str, words: Sequence[_Word]) -> _Word | None:
    """The one of some words that a text begins with, in whatever case and marks."""
    first = text.strip(_MARKS + "[]✅❌⚠️ ").split()[:1]
    said = "".join(first).strip(_MARKS + _DASHES + "[].").lower()
    return next((word for word in words if word.lower() == said), None)


def _prose(section: Section | None) -> str:
    return section.body if section else ""


def _section_rows(section: Section | None) -> tuple[Row, ...]:
    return section.rows if section else ()


def _items(section: Section | None) -> tuple[Text, ...]:
    """What a section lists; where it lists nothing, its paragraphs, but for `none`."""
    if section is None:
        return ()
    found = section.items or section.paragraphs
    return tuple(one for one in found if one.content.strip(_MARKS + ".").lower() not in _NOTHING)


_NOTHING: Final = frozenset({"", "none", "n/a", "-", "—", "[]"})


def _parts(findings: Section | None) -> Iterator[Part]:
    if findings is None:
        return
    if findings.body:
        yield _part(replace(findings, title="", sections=()))
    for inner in findings.sections:
        yield _part(inner)


def _part(section: Section) -> Part:
    """A section with all that is within it, the headings included."""
    inside = list(section.walk())
    texts = [section.body]
    for inner in inside[1:]:
        texts += [f"{'#' * inner.level} {inner.title}", inner.body]
    return Part(
        title=section.title,
        text="\n\n".join(each for each in texts if each),
        issues=tuple(issue for inner in inside for issue in _issues_of_table(inner)),
        compliance=tuple(check for inner in inside for check in _compliance(inner)),
        conflicts=tuple(conflict for inner in inside for conflict in _conflicts(inner)),
        line=section.line,
    )


def _cell(row: Row, columns: Sequence[str]) -> str:
    return next((row.cells[name] for name in columns if row.cells.get(name)), "")


def _reference(row: Row) -> Reference:
    return Reference(
        item=_cell(row, ("item", "name")),
        location=read_location(_cell(row, _PLACE_COLUMNS)),
        relevance=_cell(row, ("relevance", "why")),
        line=row.line,
    )


def _confidence(section: Section | None) -> Confidence | None:
    text = _prose(section).strip(_MARKS)
    number = ""
    for char in text:
        if not (char.isascii() and (char.isdigit() or (char == "." and "." not in number))):
            break
        number += char
    if section is None or not number.strip("."):
        return None
    rest = text[len(number) :].lstrip(_MARKS).removeprefix("%").removeprefix("/100")
    return Confidence(
        score=float(number),
        justification=rest.lstrip(_MARKS + _DASHES).strip(),
        line=section.paragraphs[0].line if section.paragraphs else section.line,
    )


def _issues_of_table(section: Section) -> Iterator[Issue]:
    """The rows of a table with a column of severities."""
    for row in section.rows:
        if "severity" in row.cells:
            identifier = row.cells.get("id", "").strip(_MARKS)
            yield Issue(
                id=identifier,
                title=_cell(row, _TITLE_COLUMNS),
                description=row.cells.get("description", ""),
                location=read_location(_cell(row, _PLACE_COLUMNS)),
                severity=_word(row.cells["severity"], SEVERITIES),
                category=row.cells.get("category", "").strip(_MARKS) or _letters(identifier),
                confidence=_number(row.cells.get("confidence", "")),
                fingerprint=row.cells.get("fingerprint", "").strip(_MARKS),
                agents=tuple(
                    name.strip() for name in row.cells.get("agents", "").split(",") if name.strip()
                ),
                line=row.line,
            )


def _issue_of_item(item: Text) -> Issue:
    """An item `[title]: [description] | Severity: critical`."""
    said, *fields = item.content.split("|")
    named = {
        name.strip(_MARKS).lower(): value.strip(_MARKS)
        for name, _, value in (field.partition(":") for field in fields)
    }
    title, _, description = said.partition(": ")
    identifier = title.strip(_MARKS + "[]")
    is_id = bool(_letters(identifier)) and bool(description)
    return Issue(
        id=identifier if is_id else "",
        title=(description if is_id else title).strip("*_ \t"),
        description="" if is_id else description.strip(),
        location=read_location(named.get("location", "")) or _first_location(said),
        severity=_word(named.get("severity", ""), SEVERITIES),
        category=named.get("category", "") or (_letters(identifier) if is_id else ""),
        confidence=_number(named.get("confidence", "")),
        fingerprint=named.get("fingerprint", ""),
        line=item.line,
    )


def _first_location(text: str) -> Location | None:
    """The first place in code marks that a text names."""
    for marked in text.split("`")[1::2]:
        if found := read_location(marked):
            return found
    return None


def _letters(identifier: str) -> str:
    """`SEC` of `SEC-001`; empty for anything that is no such id."""
    letters, _, digits = identifier.rpartition("-")
    is_id = digits.isascii() and digits.isdigit() and letters.replace("-", "").isalnum()
    return letters if is_id else ""


def _number(text: str) -> float | None:
    bare = text.strip(_MARKS).removesuffix("/100").removesuffix("%").strip()
    try:
        found = float(bare)
    except ValueError:
        return None
    return found if 0 <= found <= 100 else None


def _compliance(section: Section) -> Iterator[ComplianceCheck]:
    """The rows of a table of standards."""
    for row in section.rows:
        if row.cells.keys() >= {"standard", "status"}:
            yield ComplianceCheck(
                standard=row.cells["standard"].strip(_MARKS),
                outcome=row.cells["status"].strip(_MARKS).upper(),
                notes=row.cells.get("notes", ""),
                line=row.line,
            )


def _conflicts(section: Section) -> Iterator[Conflict]:
    """The rows of a table of conflicts."""
    for row in section.rows:
        if row.cells.keys() >= {"subject", "conflict", "statements"}:
            yield Conflict(
                subject=row.cells["subject"],
                about=row.cells["conflict"],
                statements=row.cells["statements"],
            )


def _blocker(item: Text) -> Blocker:
    """An item `[description] | Resolution: […]`, or with the resolution in a line of its own."""
    description, mark, resolution = item.content.replace("\n", "|").partition("|")
    if not mark or not resolution.strip(_MARKS).lower().startswith("resolution"):
        return Blocker(description=" ".join(item.content.split()), line=item.line)
    return Blocker(
        description=description.strip(),
        resolution=resolution.partition(":")[2].strip(_MARKS),
        line=item.line,
    )


def _error(section: Section | None) -> ErrorDetails | None:
    if section is None:
        return None
    said = {row.cells.get("aspect", "").lower(): row.cells.get("value", "") for row in section.rows}
    return ErrorDetails(
        type=said.get("type", ""),
        message=said.get("message", ""),
        occurred_at=said.get("occurred at", ""),
        recoverable=_WORDS_OF_TRUTH.get(said.get("recoverable", "").strip(_MARKS).lower()),
        line=section.line,
    )


def _lines(result: AgentResult) -> Iterator[str]:
    yield f"## {result.agent} Result"
    for title, content in _sections(result):
        if content:
            yield from ("", f"### {title}", *content)
    for part in result.others:
        yield from ("", f"### {part.title}", part.text)


def _sections(result: AgentResult) -> Iterator[tuple[str, Sequence[str]]]:
    """The sections that the form names, and the lines of each."""
    yield "Status", [result.status or "none"]
    yield "Summary", [result.summary] if result.summary else []
    yield "Findings", [line for part in result.findings for line in _part_lines(part)][1:]
    yield "Error Details", list(_error_lines(result.error))
    yield "Attempted Actions", _numbered_list(result.attempted_actions)
    yield "Root Cause Analysis", [result.root_cause] if result.root_cause else []
    yield "Recovery Options", _numbered_list(result.recovery_options)
    yield "Key References", table(("Item", "Location", "Relevance"), map(_cells, result.references))
    yield "Confidence", list(_confidence_lines(result.confidence))
    yield "Issues", [f"- {_issue_item(issue)}" for issue in result.listed_issues]
    yield "Next Steps", _numbered_list(result.next_steps)
    yield "Blockers", [f"- {_blocker_item(blocker)}" for blocker in result.blockers]


def _part_lines(part: Part) -> list[str]:
    title = ["", f"#### {part.title}"] if part.title else []
    return [*title, "", part.text]


def _numbered_list(texts: Sequence[str]) -> list[str]:
    return [f"{number}. {_indent(text)}" for number, text in enumerate(texts, 1)]


def _indent(text: str) -> str:
    return text.replace("\n", "\n   ")


def _cells(reference: Reference) -> tuple[str, ...]:
    return (reference.item, code_marked(reference.location), reference.relevance)


def _confidence_lines(confidence: Confidence | None) -> Iterator[str]:
    if confidence is not None:
        reason = f" - {confidence.justification}" if confidence.justification else ""
        yield f"{confidence.score:g}{reason}"


def _error_lines(error: ErrorDetails | None) -> Iterator[str]:
    if error is None:
        return
    recoverable = "" if error.recoverable is None else str(error.recoverable).lower()
    yield from table(
        ("Aspect", "Value"),
        (
            ("Type", error.type),
            ("Message", error.message),
            ("Occurred At", error.occurred_at),
            ("Recoverable", recoverable),
        ),
    )


def _issue_item(issue: Issue) -> str:
    said = f"{issue.id}: {issue.title}" if issue.id else issue.title
    if issue.description:
        said += f": {issue.description}"
    fields = (
        ("Location", code_marked(issue.location)),
        ("Severity", issue.severity or ""),
        ("Category", "" if issue.category == _letters(issue.id) else issue.category),
        ("Confidence", "" if issue.confidence is None else f"{issue.confidence:g}"),
        ("Fingerprint", issue.fingerprint),
    )
    return " | ".join((said, *(f"{name}: {value}" for name, value in fields if value)))


def _blocker_item(blocker: Blocker) -> str:
    resolution = f" | Resolution: {blocker.resolution}" if blocker.resolution else ""
    return f"{blocker.description}{resolution}"
