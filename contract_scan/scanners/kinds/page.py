"""The page of a kind, made of its record, the table of severities and its example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.violation import KINDS_OF_SCOPE_RULE, Kind, RuleId, Severity
from contract_scan.scanners.differences import Direction
from contract_scan.scanners.kinds.programs import LANGUAGES, MARK, Language, program_of
from contract_scan.scanners.kinds.records import NAMES, RECORDS, SUBJECTS, rule_and_kind
from contract_scan.scanners.severity_table import JUDGEMENTS, Judgement

_DIRECTIONS: Mapping[str, tuple[tuple[Direction, str], ...]] = {
    "CONTRACT-001": (("response", "what is sent"), ("request", "what is read")),
    "CONTRACT-003": (("response", "what is published"), ("consumer", "what is consumed")),
    "CONTRACT-004": (("model", "the definition"),),
}
_LANGUAGES: Mapping[Language, str] = {
    "python": "Python:",
    "typescript": "TypeScript:",
    "csharp": "C#:",
    "java": "Java:",
}
_MARKED = re.compile(rf"{MARK}(?P<level>[a-z]+)(?::(?P<kind>[a-z-]+))?$", re.MULTILINE)


def summary_of(name: str) -> str:
    """A kind in one line: "a required field is missing, in requests and responses"."""
    rule, kind = rule_and_kind(name)
    return f"{RECORDS[kind].title}, in {SUBJECTS[rule]}"


def severity_of(name: str) -> Severity:
    """The gravest severity of a kind."""
    rule, kind = rule_and_kind(name)
    own = RECORDS[kind].severity
    if own is not None:
        return own
    return max((row.severity for _, row in _severity_rows(rule, kind)), key=_GRAVITY.index)


_GRAVITY: tuple[Severity, ...] = ("note", "warning", "error")


def page_of(name: str) -> str:
    """The page of a kind, in Markdown."""
    rule, kind = rule_and_kind(name)
    record = RECORDS[kind]
    parts = [
        f"# {name}: {record.title}",
        f"About {SUBJECTS[rule]}; one of the kinds of [{rule}](../{rule}.md).",
        f"## What is found\n\n{record.found}",
        *_severities(rule, kind),
        f"## Why it matters\n\n{record.matters}",
        *_example(name),
        f"## How to fix\n\n{record.mend}",
    ]
    if record.silent:
        parts.append(f"## When it stays silent\n\n{record.silent}")
    parts += _turning_off(rule, name)
    return "\n\n".join(parts) + "\n"


class KindInfo(Struct, frozen=True, kw_only=True):
    """A kind as reports describe it that describe rules."""

    id: str
    name: str
    """In a word, in CamelCase."""
    summary: str
    severity: Severity
    documentation: str


def kind_infos() -> tuple[KindInfo, ...]:
    """Every kind, by rule."""
    return tuple(
        KindInfo(
            id=name,
            name="".join(map(str.capitalize, rule_and_kind(name)[1].split("-"))),
            summary=summary_of(name).capitalize() + ".",
            severity=severity_of(name),
            documentation=page_of(name),
        )
        for name in NAMES
    )


def _severity_rows(rule: str, kind: Kind) -> list[tuple[str, Judgement]]:
    """The rows of the table of severities that speak of a kind, with what they are about."""
    return [
        (words, row)
        for direction, words in _DIRECTIONS.get(rule, ())
        for (_, of), row in JUDGEMENTS.items()
        if of == direction and row.kind == kind
    ]


def _severities(rule: str, kind: Kind) -> Iterator[str]:
    record = RECORDS[kind]
    if record.severity is not None:
        yield f"Severity: {record.severity}."
        return
    rows = [
        f"| {words} | {row.severity}{_weaker(row)} | {row.help} |"
        for words, row in _severity_rows(rule, kind)
    ]
    yield "\n".join(["| of | severity | in short |", "|---|---|---|", *rows])


def _weaker(row: Judgement) -> str:
    return f", {row.weak} where the other side tolerates it" if row.weak is not None else ""


def _example(name: str) -> Iterator[str]:
    program = program_of(name)
    if program is None:
        return
    yield "## Example"
    if program.configuration:
        yield f"With this configuration:\n\n```toml\n{program.configuration}```"
    file, text = program.contract
    yield f"The contract, `{file}`:\n\n{_fence(file, text, name)}"
    for language in LANGUAGES:
        if language in program.code:
            file, text = program.code[language]
            yield f"{_LANGUAGES[language]}\n\n{_fence(file, text, name)}"


def _fence(file: str, text: str, name: str) -> str:
    suffix = file.rpartition(".")[2]
    language, sign = {
        "yaml": ("yaml", "#"),
        "json": ("jsonc", "//"),
        "py": ("python", "#"),
        "ts": ("typescript", "//"),
        "cs": ("csharp", "//"),
        "java": ("java", "//"),
    }[suffix]
    gap = "  " if suffix == "py" else " "
    rule, own = rule_and_kind(name)
    shown = _MARKED.sub(
        lambda found: f"{gap}{sign} {found['level']}: {rule}/{found['kind'] or own}", text
    )
    return f"```{language}\n{shown}```"


def _turning_off(rule: RuleId, name: str) -> Iterator[str]:
    yield "## Leaving it out"
    if rule in KINDS_OF_SCOPE_RULE:
        yield "Not by comments or the configuration: take it out of the scope contract."
        return
    place = (
        ""
        if rule == "CONTRACT-000"
        else (
            "On one line, by a comment (`//` where the language has that) with the reason; "
            "`contract-scan check --add-ignore` writes such comments:\n\n"
            f"```python\n# contract-scan: ignore[{name}] why it is so\n```\n\n"
        )
    )
    yield (
        f"{place}Everywhere, or milder, in `contract-scan.toml`:\n\n"
        f'```toml\nignore = ["{name}"]\n\n[severities]\n"{name}" = "note"\n```'
    )
