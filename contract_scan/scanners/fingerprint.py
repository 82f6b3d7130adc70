"""Names for findings that stay the same while the code around them moves."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

import msgspec

from contract_scan.ir.violation import Finding
from contract_scan.scanners.pairing.paths import path_text, segments
from contract_scan.scanners.problems import with_problems

VERSION = "v1"


def with_fingerprints(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Give every finding its fingerprint, and that of its problem.

    The first is made of the rule, the promise in the contract, the field, the file, the declaration
    around it and the scopes; never of a line, a column or the text of the message. Findings that
    are equal in all of that are told apart by their order, so the findings must come sorted.
    """
    counts: Counter[str] = Counter()
    result = []
    for finding in findings:
        key = _digest(finding)
        ordinal = counts[key]
        counts[key] += 1
        name = f"{VERSION}:{key}" if not ordinal else f"{VERSION}:{key}:{ordinal}"
        result.append(msgspec.structs.replace(finding, fingerprint=name))
    return with_problems(result)


def _digest(finding: Finding) -> str:
    operation = finding.operation
    parts = (
        finding.rule,
        finding.kind,
        *(
            (
                operation.method,
                path_text(segments(operation.path)),
                operation.status,
                operation.direction,
            )
            if operation
            else ("", "", "", "")
        ),
        finding.channel or "",
        finding.model or "",
        finding.field,
        finding.origin.path,
        finding.origin.symbol,
        *finding.scopes,
    )
    text = "\0".join(part.replace("\0", "") for part in parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
