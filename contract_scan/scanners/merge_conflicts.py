"""What can be said while some file is two versions at once.

Nothing is taken from such a file: what it declares is neither there nor missing, and what it
mounts has no known path. What other files say of themselves stands.
"""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import Undetermined
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import RuleResult

REASON = Reason("merge-conflict")
_RESTS_ON_ALL = frozenset(
    {
        "base-path",
        "method",
        "missing-channel",
        "missing-endpoint",
        "missing-model",
        "other-application",
        "undocumented-channel",
        "undocumented-endpoint",
    }
)
"""Kinds of findings that are made of all files together."""


def leave_open(answer: RuleResult) -> None:
    """Take what rests on all files together for undetermined."""
    left = [finding for finding in answer.findings if finding.kind in _RESTS_ON_ALL]
    answer.findings = [finding for finding in answer.findings if finding not in left]
    answer.undetermined += (
        Undetermined(
            rule=finding.rule,
            reason=REASON,
            origin=finding.origin,
            operation=finding.operation,
            channel=finding.channel,
            model=finding.model,
        )
        for finding in left
    )
    for verdicts in (answer.operations, answer.channels, answer.models):
        for subject, verdict in verdicts.items():
            if verdict == Verdict.MISSING:
                verdicts[subject] = Verdict.UNDETERMINED
