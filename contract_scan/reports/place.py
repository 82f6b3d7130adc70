"""Places and subjects in words, for the reports that people read."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, Kind, Undetermined
from contract_scan.reports.display import display
from contract_scan.reports.paint import terminal_link
from contract_scan.reports.report import Setting


def shown_path(path: str, setting: Setting) -> str:
    """A path as it leads to its file from the working directory."""
    return display(posixpath.normpath(posixpath.join(setting.prefix, path)))


def place_text(origin: Origin, setting: Setting) -> str:
    """A place as `path:line:column`, seen from the working directory."""
    path = shown_path(origin.path, setting)
    span = origin.span
    return f"{path}:{span.line}:{span.column}" if span.line else path


def linked_place(origin: Origin, setting: Setting) -> str:
    """That, as a link to the file where the terminal has links."""
    text = place_text(origin, setting)
    return terminal_link(text, (setting.root / origin.path).as_uri(), shown=setting.links)


def problem_place(problem: NotAnalysed, setting: Setting) -> str:
    """Where a problem is, seen from the working directory."""
    path = shown_path(problem.path, setting)
    return f"{path}:{problem.line}" if problem.line else path


def way_to(finding: Finding) -> Origin | None:
    """The place through which a finding was reached, unless it starts at the finding itself."""
    way, origin = finding.reached_from, finding.origin
    if way is None or (way.path, *_start(way)) == (origin.path, *_start(origin)):
        return None
    return way


_NOTHING: Mapping[Kind, str] = {
    "extra-field": "no such field",
    "parameter": "no such parameter",
    "shape": "no body",
}
"""What a contract expects where it has nothing to show."""


def expected_text(finding: Finding) -> str:
    """What the contract expects at the line that a finding breaks; empty where that line is all
    there is to say."""
    return finding.expected or _NOTHING.get(finding.kind, "")


def subject(item: Finding | Undetermined) -> str:
    """What a finding or undetermined promise is about: `GET /orders 200 response items[].id`."""
    parts: list[str] = []
    operation = item.operation
    if operation is not None:
        parts += [operation.method, operation.path, operation.status, operation.direction]
    if item.channel is not None:
        parts += ["channel", item.channel]
    if item.model is not None:
        parts += ["model", item.model]
    parts.append(item.field)
    return display(" ".join(part for part in parts if part))


def _start(origin: Origin) -> tuple[int, int]:
    return origin.span.line, origin.span.column
