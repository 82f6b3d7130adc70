"""The report as SARIF 2.1.0, with everything that GitHub code scanning asks for and shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.fix import Fix
from contract_scan.ir.problem import Problem
from contract_scan.ir.violation import Finding, Suppressed
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.order import in_order, problems_in_order
from contract_scan.reports.place import expected_text, subject, way_to
from contract_scan.reports.report import Report, RuleInfo, Setting
from contract_scan.reports.rule_url import REPOSITORY, rule_url
from contract_scan.reports.sarif_places import SarifLocations

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_RESULTS = 25_000
"""GitHub refuses a run with more."""
MAX_TEXT = 1024

MAX_RELATED = 100
"""Places of one problem that a result lists; how many there are stands in its properties."""


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The whole report as one SARIF log."""
    yield indented_json(log(report, setting))


def log(report: Report, setting: Setting) -> dict[str, Any]:
    """The SARIF log as plain values."""
    found = report.problems
    left_out = max(0, len(found) - MAX_RESULTS)
    problems = sorted(found[:MAX_RESULTS], key=lambda problem: _place_key(problem.places[0]))
    suppressed = _suppressed_in_order(report, MAX_RESULTS - len(problems), setting)
    findings = [*(each.places[0] for each in problems), *(each.finding for each in suppressed)]
    rules = _rules(setting.rules, findings)
    index = {rule["id"]: position for position, rule in enumerate(rules)}
    places = SarifLocations(setting)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "contract-scan",
                "semanticVersion": setting.version,
                "informationUri": REPOSITORY,
                "rules": rules,
            }
        },
        "automationDetails": {"id": f"contract-scan/{places.part}/"},
        "columnKind": "utf16CodeUnits",
        "results": [
            *(_problem_result(problem, index, places) for problem in problems),
            *(_suppressed_result(each, index, places) for each in suppressed),
        ],
        "properties": {"undetermined": sum(not item.absent for item in report.undetermined)},
    }
    run["invocations"] = [_invocation(problems_in_order(report.not_analysed), left_out, places)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(rules: Sequence[RuleInfo], findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The kinds of drift that are found, each as a rule of its own."""
    found = {finding.name for finding in findings}
    described = [_rule(rule) for rule in rules if rule.id in found]
    others = sorted(found - {rule.id for rule in rules})
    return described + [_undescribed_rule(name) for name in others]


def _rule(rule: RuleInfo) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "deprecatedIds": [rule.id.partition("/")[0]],
        "helpUri": rule_url(rule.id),
        "shortDescription": {"text": rule.summary[:MAX_TEXT]},
        "fullDescription": {"text": rule.summary[:MAX_TEXT]},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "precision": "high",
            "problem.severity": "recommendation" if rule.severity == "note" else rule.severity,
            "tags": ["contract"],
        },
    }


def _undescribed_rule(rule: str) -> dict[str, Any]:
    text = {"text": rule}
    return {"id": rule, "shortDescription": text, "fullDescription": text, "help": text}


def _place_key(finding: Finding) -> tuple[str, int, int, str]:
    span = finding.origin.span
    return finding.origin.path, span.line, span.column, finding.problem


def _problem_result(
    problem: Problem, index: dict[str, int], places: SarifLocations
) -> dict[str, Any]:
    """One result for a problem: its first place, with the others as related locations."""
    first = problem.places[0]
    result = _result(first, index, places)
    result["level"] = problem.severity
    result["message"] = {"text": _message(problem.title or problem.kind, first)}
    related = [*result.get("relatedLocations", ()), *_further(problem, places)]
    if related:
        result["relatedLocations"] = related
    fixes = {each.fix.title: each.fix for each in problem.places if each.fix is not None}
    if fixes:
        result["fixes"] = [_fix(fix, places) for fix in fixes.values()]
    result["properties"] |= {
        "places": len(problem.places),
        "operations": list(problem.operations[:MAX_RELATED]),
        "channels": list(problem.channels[:MAX_RELATED]),
        "models": list(problem.models[:MAX_RELATED]),
        "members": [member.name for member in problem.members[:MAX_RELATED]],
    }
    return result


def _further(problem: Problem, places: SarifLocations) -> Iterator[dict[str, Any]]:
    """The other places of a problem, each once."""
    shown = {problem.places[0].origin}
    for finding in problem.places[1:]:
        if len(shown) >= MAX_RELATED:
            return
        if finding.origin not in shown:
            shown.add(finding.origin)
            text = subject(finding) or finding.kind
            location = places.location(finding.origin)
            yield {"id": len(shown) + 1, "message": {"text": text}, **location}


def _result(finding: Finding, index: dict[str, int], places: SarifLocations) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.name,
        "ruleIndex": index[finding.name],
        "level": finding.severity,
        "message": {"text": _message(finding.message or finding.kind, finding)},
        "locations": [places.location(finding.origin)],
        "partialFingerprints": _fingerprints(finding, places),
    }
    related = list(_related_locations(finding, places))
    if related:
        result["relatedLocations"] = related
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix, places)]
    result["properties"] = {"kind": finding.kind, "evidence": finding.evidence}
    if finding.scopes:
        result["properties"]["scopes"] = list(finding.scopes)
    if finding.withheld is not None:
        withheld = finding.withheld
        withheld_fix = {"title": withheld.title, "safe": withheld.safe, "reason": withheld.reason}
        result["properties"]["withheldFix"] = withheld_fix
    return result


def _suppressed_in_order(report: Report, room: int, setting: Setting) -> list[Suppressed]:
    """What was left out on purpose, as far as a run has room for it."""
    if not setting.suppressed:
        return []
    entries = {id(each.finding): each for each in report.suppressed}
    ordered = in_order([each.finding for each in report.suppressed])
    return [entries[id(finding)] for finding in ordered[:room]]


def _suppressed_result(
    entry: Suppressed, index: dict[str, int], places: SarifLocations
) -> dict[str, Any]:
    """A result that somebody chose not to be told, and why."""
    suppression: dict[str, Any] = {
        "kind": "inSource" if entry.by == "comment" else "external",
        "status": "accepted",
    }
    if entry.justification:
        suppression["justification"] = entry.justification
    if entry.origin is not None:
        suppression["location"] = places.location(entry.origin)
    return {**_result(entry.finding, index, places), "suppressions": [suppression]}


def _fix(fix: Fix, places: SarifLocations) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": places.replaced_region(edit), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": places.uri(fix.path)},
                "replacements": replacements,
            }
        ],
        "properties": {"safe": fix.safe},
    }


def _related_locations(finding: Finding, places: SarifLocations) -> Iterator[dict[str, Any]]:
    """The contract line, which the message links to, and the way that leads to the place."""
    if finding.contract is not None:
        expected = expected_text(finding)
        text = f"expected: {expected}" if expected else "the contract says this"
        yield {"id": 1, "message": {"text": text}, **places.location(finding.contract)}
    if (way := way_to(finding)) is not None:
        yield {"id": 2, "message": {"text": "reached from here"}, **places.location(way)}


def _message(message: str, finding: Finding) -> str:
    """The message, with a link to the contract line. Foreign text cannot make links of its own."""
    text = message.replace("](", "] (")
    if finding.contract is None:
        return text
    return f"{text.removesuffix('.')}. See [the contract](1)."


def _fingerprints(finding: Finding, places: SarifLocations) -> dict[str, str]:
    fingerprints = {}
    line_hash = places.line_hash(finding.origin)
    if line_hash:
        fingerprints["primaryLocationLineHash"] = line_hash
    for name, of in (("", finding.fingerprint), ("problem/", finding.problem)):
        version, _, value = of.partition(":")
        if value:
            fingerprints[f"contractScan/{name}{version}"] = value
    return fingerprints


def _invocation(
    problems: Sequence[NotAnalysed], left_out: int, places: SarifLocations
) -> dict[str, Any]:
    notifications = [_notification(problem, places) for problem in problems]
    if left_out:
        text = f"{left_out} more results left out: a run may hold {MAX_RESULTS}."
        notifications.append({"level": "warning", "message": {"text": text}})
    invocation: dict[str, Any] = {"executionSuccessful": _is_complete(problems)}
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    if places.working_directory:
        invocation["workingDirectory"] = {"uri": places.working_directory}
    return invocation


def _is_complete(problems: Sequence[NotAnalysed]) -> bool:
    """Whether the results are all there are: else a file or contract of which a part could not be
    read would close the alerts that it had. As the exit status has it (`cli/status.py`)."""
    return all(problem.expected for problem in problems)


def _notification(problem: NotAnalysed, places: SarifLocations) -> dict[str, Any]:
    notification: dict[str, Any] = {
        "level": "error" if problem.is_grave else "warning",
        "message": {"text": problem.reason or "not analysed"},
    }
    if problem.path:
        location: dict[str, Any] = {"artifactLocation": {"uri": places.uri(problem.path)}}
        if problem.line:
            location["region"] = {"startLine": problem.line}
        notification["locations"] = [{"physicalLocation": location}]
    return notification
