"""Findings under the name of their file, for people who work through a list file by file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from contract_scan.ir.violation import Finding
from contract_scan.reports.display import display
from contract_scan.reports.order import in_order
from contract_scan.reports.paint import BOLD, Paint, severity_color
from contract_scan.reports.place import shown_path
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.summary_text import summary


def render(report: Report, setting: Setting) -> Iterator[str]:
    """Each file once, its findings below it as `line:column  RULE [severity] message`."""
    paint = Paint(setting.color)
    findings = in_order(report.findings)
    for path, group in groupby(findings, key=lambda finding: finding.origin.path):
        own = list(group)
        yield paint(shown_path(path, setting), BOLD) + "\n"
        width = max(len(_place(finding)) for finding in own)
        for finding in own:
            color = severity_color(finding.severity)
            rule = paint(finding.rule, BOLD, color)
            severity = paint(f"[{finding.severity}]", color)
            place = _place(finding).rjust(width)
            yield f"  {place}  {rule} {severity} {display(finding.message)}\n"
        yield "\n"
    if not setting.quiet:
        yield from summary(report, setting, paint)


def _place(finding: Finding) -> str:
    span = finding.origin.span
    return f"{span.line}:{span.column}" if span.line else "-"
