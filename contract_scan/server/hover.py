"""A contracted schema in a few lines, and what is known of a promise: for hovers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.schema import Array, Object, Reference, Schema, Union
from contract_scan.reports.display import display
from contract_scan.reports.markdown_text import code, prose
from contract_scan.scanners.differences.describe import describe
from contract_scan.scanners.links import Link
from contract_scan.scanners.report import Report

DEEPEST = 4
"""Objects within each other that are written out."""
LONGEST = 40
"""Lines of an outline."""


def hover_text(links: Sequence[Link], report: Report) -> str:
    """What contracts say of a place, in Markdown."""
    parts = []
    for link in _distinct_links(links)[:3]:
        lines = [f"**{code(link.name)}** — {_link_text(link)}"]
        if link.schema is not None:
            lines.append(code_block(outline(link.schema, link.document)))
        parts.append("\n\n".join(lines))
    promises = dict.fromkeys(link.promise for link in links)
    parts += filter(None, (_state(name, report) for name in list(promises)[:3]))
    return "\n\n---\n\n".join(parts)


def _distinct_links(links: Sequence[Link]) -> list[Link]:
    return list({(link.name, link.contract): link for link in links}.values())


def _link_text(link: Link) -> str:
    place = code(f"{link.contract.path}:{link.contract.span.line}")
    if link.sort in ("operation", "channel", "model"):
        return f"{link.sort} contracted in {place}"
    return f"{link.sort} of {code(link.promise)}, contracted in {place}"


def _state(name: str, report: Report) -> str:
    """What became of a promise, and why."""
    states = dict.fromkeys(p.state for p in report.promises if p.name == name)
    if not states:
        return ""
    lines = [f"{code(name)}: {', '.join(states)}"]
    for entry in report.undetermined:
        operation = entry.operation
        about = f"{operation.method} {operation.path}" if operation is not None else None
        if name in (about, entry.channel, entry.model):
            said = prose(entry.reason)
            lines.append(f"- {said}" if entry.absent else f"- undetermined: {said}")
    return "\n".join(dict.fromkeys(lines[:6]))


def code_block(lines: Sequence[str]) -> str:
    """Lines as a block of code that nothing in them can end."""
    text = "\n".join(map(display, lines))
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def outline(schema: Schema, document: ContractDocument) -> list[str]:
    """A schema as indented lines: `name: type`, with `?` behind what may be missing."""
    lines: list[str] = []
    for line in _lines(schema, document, 0, frozenset()):
        if len(lines) == LONGEST:
            return [*lines, "…"]
        lines.append(line)
    return lines


def _lines(
    schema: Schema, document: ContractDocument, depth: int, above: frozenset[str]
) -> Iterator[str]:
    if not depth:
        yield describe(schema, document)
    inner, above = _object(schema, document, above)
    if inner is None or depth >= DEEPEST:
        return
    for field in inner.fields:
        need = "" if field.required else "?"
        yield f"{'  ' * (depth + 1)}{field.name}{need}: {describe(field.schema, document)}"
        yield from _lines(field.schema, document, depth + 1, above)
    if inner.additional is not None and inner.fields:
        yield f"{'  ' * (depth + 1)}…: {describe(inner.additional, document)}"


def _object(
    schema: Schema, document: ContractDocument, above: frozenset[str]
) -> tuple[Object | None, frozenset[str]]:
    """The object that a schema, or each item of it, is; None within itself."""
    for _ in range(20):
        match schema:
            case Reference(key=key):
                if key in above:
                    return None, above
                above |= {key}
                try:
                    schema = document.resolve(schema)
                except KeyError:
                    return None, above
            case Array(items=items):
                schema = items
            case Union(options=(only,)):
                schema = only
            case Object():
                return schema, above
            case _:
                return None, above
    return None, above
