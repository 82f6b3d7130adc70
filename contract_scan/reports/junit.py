"""The report as JUnit XML: a suite for each file, a failed case for each problem.

A scan without problems holds one passed case, since many readers take a report without any for a
run that never took place. What was not analysed is an error rather than a failure.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.problem import Problem
from contract_scan.reports.display import display
from contract_scan.reports.listed import affected_text, fields
from contract_scan.reports.order import problems_in_order
from contract_scan.reports.report import Report, Setting, fails
from contract_scan.reports.repository_path import repository_path

PACKAGE = "org.contract-scan"

_Item: TypeAlias = "Problem | NotAnalysed"


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The whole document."""
    items: list[_Item] = [*report.problems, *problems_in_order(report.not_analysed)]
    items.sort(key=_path)
    root = Element(
        "testsuites",
        name="contract-scan",
        tests=str(len(items) or 1),
        failures=str(_failures(items, setting)),
        errors=str(sum(map(_is_error, items))),
    )
    for path, group in groupby(items, key=_path):
        _suite(root, _text(repository_path(path or ".", setting)), list(group), setting)
    if not items:
        suite = SubElement(root, "testsuite", name="contract-scan", tests="1", package=PACKAGE)
        SubElement(suite, "testcase", name="No violation", classname="contract-scan")
    indent(root)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, path: str, items: list[_Item], setting: Setting) -> None:
    suite = SubElement(
        root,
        "testsuite",
        name=path,
        tests=str(len(items)),
        disabled="0",
        errors=str(sum(map(_is_error, items))),
        failures=str(_failures(items, setting)),
        package=PACKAGE,
    )
    names: Counter[str] = Counter()
    for item in items:
        name = _name(item)
        names[name] += 1
        if names[name] > 1:
            name = f"{name} ({names[name]})"
        _case(suite, path, name, item, setting)


def _name(item: _Item) -> str:
    """What a case is known by from one run to the next, so that no line is part of it."""
    if isinstance(item, NotAnalysed):
        return f"{PACKAGE}.not-analysed"
    return f"{PACKAGE}.{_text(f'{item.name}: {item.title}')}"


def _case(suite: Element, path: str, name: str, item: _Item, setting: Setting) -> None:
    classname = posixpath.splitext(path)[0]
    if isinstance(item, NotAnalysed):
        line, column, message = item.line, 0, item.reason
    else:
        span = item.places[0].origin.span
        line, column, message = span.line, span.column, item.title
    case = SubElement(
        suite,
        "testcase",
        name=name,
        classname=classname,
        line=str(line),
        column=str(column),
    )
    if isinstance(item, NotAnalysed):
        kind = "error" if _is_error(item) else "skipped"
        SubElement(case, kind, message=_text(message)).text = f"line {line}, {_text(message)}"
        return
    if _is_failure(item, setting):
        element = SubElement(case, "failure", message=_text(message), type=item.severity)
    else:
        element = SubElement(case, "system-out")
    element.text = f"line {line}, col {column}, {_text(_details(item))}"


def _is_error(item: _Item) -> bool:
    """Whether a case could not be judged: what is expected to be left out is skipped."""
    return isinstance(item, NotAnalysed) and not item.expected


def _is_failure(item: _Item, setting: Setting) -> bool:
    """Whether a case fails: what does not fail the run is told in one that passes."""
    return isinstance(item, Problem) and fails(item.severity, setting.fail_on)


def _failures(items: list[_Item], setting: Setting) -> int:
    return sum(_is_failure(item, setting) for item in items)


def _details(problem: Problem) -> str:
    contract = problem.places[0].contract
    place = f" (contract: {contract.path}:{contract.span.line})" if contract is not None else ""
    said = [f"{problem.title}{place}"]
    said += (f"fields: {listed}" for listed in (fields(problem),) if listed)
    said += (f"affects {affected}" for affected in (affected_text(problem),) if affected)
    return "\n".join(said)


def _path(item: _Item) -> str:
    return item.path if isinstance(item, NotAnalysed) else item.places[0].origin.path


def _text(text: str) -> str:
    """Text without the characters that XML 1.0 cannot carry in any form."""
    return display(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
