"""What is decided by one line: verdicts of reviews, and the answers of the chair."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct

from contract_scan.roles.key_lines import choice_value, read_keys, required_value

Verdict: TypeAlias = Literal["APPROVE", "BLOCK"]

_VERDICTS: Final = ("APPROVE", "BLOCK")
_ADJUDICATIONS: Final = ("REVISE", "DISPUTE")
_DEPLOYMENTS: Final = ("DEPLOY", "REJECT")
_KEYS: Final = frozenset(
    {
        *("verdict", "blocking-reasons", "required-fix/artifacts", "required-fix"),
        *("decision", "reason", "decided-by", "signed-by"),
    }
)


class Review(Struct, frozen=True):
    """The verdict on a draft."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Why it is blocked; none where it is approved."""


class Adjudication(Struct, frozen=True):
    """How the chair answers reviews that block, or a patch that passed."""

    decision: str
    reason: str
    decided_by: str
    """Who says to have decided, as it is written; empty: nobody is named."""


def read_review(text: str, path: str) -> Review:
    """A review. Raises ArtifactError where it has no verdict, or blocks without a reason."""
    found = read_keys(text, _KEYS)
    verdict = cast(Verdict, choice_value(found, "verdict", _VERDICTS, path))
    if verdict == "APPROVE":
        return Review(verdict, ())
    return Review(verdict, required_value(found, "blocking-reasons", path).values)


def read_adjudication(text: str, path: str) -> Adjudication:
    """The answer to reviews that block: the draft is revised, or the reviewers are asked again.
    Raises ArtifactError where it is neither, or has no reason."""
    return _decision(text, path, _ADJUDICATIONS)


def read_deployment(text: str, path: str) -> Adjudication:
    """Whether a patch that passed is deployed. Raises ArtifactError where it does not say so, or
    has no reason."""
    return _decision(text, path, _DEPLOYMENTS)


def _decision(text: str, path: str, options: tuple[str, ...]) -> Adjudication:
    found = read_keys(text, _KEYS)
    decision = choice_value(found, "decision", options, path)
    reason = required_value(found, "reason", path).text
    named = [found[key].text for key in ("decided-by", "signed-by") if key in found]
    return Adjudication(decision, reason, ", ".join(named))
