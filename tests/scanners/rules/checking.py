"""One rule over one unit, its answer in a form that tests can write down."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import Options, PairedUnit, Rule, RuleResult
from contract_scan.scanners.unit import Unit


def check(
    rule: Rule,
    documents: ContractDocument | Iterable[ContractDocument],
    code: CodeModel,
    options: Options | None = None,
) -> RuleResult:
    """Run one rule."""
    if isinstance(documents, ContractDocument):
        documents = [documents]
    answer = RuleResult()
    unit = Unit(documents=tuple(documents), code=code)
    rule.check(PairedUnit(unit, options or Options()), answer)
    return answer


def about(entry: Finding | Undetermined) -> str:
    """What an entry is about, in short: `GET /a 200 response`."""
    if entry.operation is not None:
        operation = entry.operation
        parts = (operation.method, operation.path, operation.status, operation.direction)
        return " ".join(part for part in parts if part)
    return entry.channel or entry.model or ""


def found(answer: RuleResult) -> list[str]:
    """The findings, sorted: `error type @GET /a 200 response: total`."""
    return sorted(
        f"{f.severity} {f.kind} @{about(f)}" + (f": {f.field}" if f.field else "")
        for f in answer.findings
    )


def undetermined(answer: RuleResult) -> list[str]:
    """What is undetermined, sorted: `GET /a 200 response: total (reason)`."""
    return sorted(
        about(entry) + (f": {entry.field}" if entry.field else "") + f" ({entry.reason})"
        for entry in answer.undetermined
    )


def absent(answer: RuleResult) -> list[str]:
    """The shared models that the code does not have, sorted: `Customer (reason)`."""
    return sorted(f"{about(entry)} ({entry.reason})" for entry in answer.absent.values())


def verdicts(answer: RuleResult) -> dict[str, Verdict]:
    """What became of each promise."""
    return {
        name: verdict
        for table in (answer.operations, answer.channels, answer.models)
        for (_, name), verdict in table.items()
    }
