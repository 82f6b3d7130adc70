"""Problems under the name of their file, for people who work through a list file by file."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.violation import Finding
from contract_scan.reports.listed import listed_places, listed_problems, short_reach
from contract_scan.reports.paint import BOLD, Paint, terminal_link
from contract_scan.reports.place import shown_path
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.summary_text import summary
from contract_scan.reports.text import headline, statistics


def render(report: Report, setting: Setting) -> Iterator[str]:
    """Each file once, its problems below it as `line:column  RULE/kind [severity] message`."""
    paint = Paint(setting.color)
    by_file: dict[str, list[tuple[Finding, str]]] = {}
    if setting.statistics:
        yield from statistics(report)
    for finding, line in () if setting.statistics else _entries(report, setting, paint):
        by_file.setdefault(finding.origin.path, []).append((finding, line))
    for path, own in by_file.items():
        file = paint(shown_path(path, setting), BOLD)
        yield terminal_link(file, (setting.root / path).as_uri(), shown=setting.links) + "\n"
        width = max(len(_line_and_column(finding)) for finding, _ in own)
        for finding, line in own:
            yield f"  {_line_and_column(finding).rjust(width)}  {line}\n"
        yield "\n"
    if not setting.quiet:
        yield from summary(report, setting, paint)


def _entries(report: Report, setting: Setting, paint: Paint) -> Iterator[tuple[Finding, str]]:
    """What is listed, with the place at which it is: the file with the worst comes first."""
    if "places" in setting.show:
        for finding in listed_places(report, setting):
            yield finding, headline(finding, finding.message, paint, setting)
        return
    for problem in listed_problems(report, setting):
        affected = short_reach(problem)
        more = f" ({affected})" if affected else ""
        yield problem.places[0], headline(problem, problem.title, paint, setting) + more


def _line_and_column(finding: Finding) -> str:
    span = finding.origin.span
    return f"{span.line}:{span.column}" if span.line else "-"
