"""What is said of a shared model whose name no type in the code has."""

from __future__ import annotations

from typing import Literal, TypeAlias

from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.differences.definitions import UsageVerdict
from contract_scan.scanners.pairing.models import ModelPair
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import PairedUnit

Absence: TypeAlias = Literal["known", "unread", "strange"]
"""What it means that no type has the name of a model. `known`: the code does not have the model.
`unread`: it may stand in what could not be read. `strange`: no model at all has a type, so that the
names of the code may be others throughout."""

_NO_TYPE = Reason("type-not-found")
_REASONS: dict[Absence, Reason] = {
    "known": Reason("no-type-stands-for-model"),
    "unread": Reason("no-type-and-code-unread", no_type=_NO_TYPE),
    "strange": Reason("no-type-for-any-model", no_type=_NO_TYPE),
}


def absence(paired: PairedUnit, any_compared: bool) -> Absence:
    """What it means in this code that no type has a name. `any_compared`: some model has one."""
    if not any_compared:
        return "strange"
    return "unread" if paired.unit.code.problems else "known"


def without_type(
    rule: str, pair: ModelPair, verdict: UsageVerdict | None, meaning: Absence, paired: PairedUnit
) -> Finding | Undetermined | Verdict:
    """What is said of a model without a type. `told`: what comparing at its uses says of it."""
    if verdict is not None:
        return _at_uses(rule, pair, verdict)
    name, origin = pair.model.called, pair.model.origin
    if pair.ambiguous:
        names = ", ".join(sorted({item.name for item in pair.ambiguous}))
        return Undetermined(
            rule=rule,
            reason=Reason("several-types-for-model", names=names),
            origin=pair.ambiguous[0].origin,
            model=name,
        )
    if pair.model.name in paired.options.required_models:
        return Finding(
            rule=rule,
            kind="missing-model",
            evidence="inferred",
            severity="error",
            message=f"no type in the code implements the shared model `{name}`",
            origin=origin,
            model=name,
            expected=name,
            contract=origin,
            help="define the type, or take the model off the list of required ones",
        )
    return Undetermined(
        rule=rule,
        reason=_REASONS[meaning],
        origin=origin,
        model=name,
        absent=meaning == "known",
    )


def _at_uses(rule: str, pair: ModelPair, verdict: UsageVerdict) -> Undetermined | Verdict:
    """What is known of a model without a type by what code has where the contract uses it. What
    differs there is a finding of the model that uses it."""
    match verdict.verdict:
        case "fits":
            return Verdict.VERIFIED
        case "differs":
            return Verdict.VIOLATED
        case "undetermined":
            return Undetermined(
                rule=rule, reason=verdict.reason, origin=pair.model.origin, model=pair.model.called
            )
