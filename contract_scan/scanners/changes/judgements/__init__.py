"""The table of judgements: what each kind of difference means, and how bad that is."""

from contract_scan.scanners.changes.judgements.http import HTTP
from contract_scan.scanners.changes.judgements.judgement import (
    PREFIXES,
    Example,
    Judgement,
    identifier,
)
from contract_scan.scanners.changes.judgements.messages import MESSAGES
from contract_scan.scanners.changes.judgements.schemas import SCHEMAS

JUDGEMENTS: dict[str, Judgement] = {
    judgement.kind: judgement for judgement in (*HTTP, *MESSAGES, *SCHEMAS)
}
"""Kind of difference -> what it means."""

CHANGE_IDS: frozenset[str] = frozenset(
    identifier(judgement.kind, prefix)
    for judgement in JUDGEMENTS.values()
    for prefix in judgement.prefixes
)
"""Every id that a change can bear."""

__all__ = ["CHANGE_IDS", "JUDGEMENTS", "PREFIXES", "Example", "Judgement", "identifier"]
