"""Reports of findings that something else than a scan made, such as a check of scope contracts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.kinds.records import RECORDS
from contract_scan.scanners.report import Report


def report_of(
    findings: Sequence[Finding],
    undetermined: Sequence[Undetermined],
    not_analysed: Sequence[NotAnalysed],
    *,
    files: int,
) -> Report:
    """A report of findings, `files` files of code being read: each that has no fingerprint yet gets
    one, and where it says no help that of its kind."""
    new = [
        replace(each, help=each.help or RECORDS[each.kind].mend)
        for each in findings
        if not each.fingerprint
    ]
    known = [each for each in findings if each.fingerprint]
    return Report(
        findings=(*with_fingerprints(new), *known),
        undetermined=tuple(undetermined),
        not_analysed=tuple(not_analysed),
        files=files,
    )
