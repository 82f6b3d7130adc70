"""Who deals with breaches of scope contracts: the agent of the scope, its parent, or nobody yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.scopes.tasks import HAND_BACK, TaskOutcome
from contract_scan.scopes.verification import Deviation, Kind, is_breach

Action: TypeAlias = Literal["mend", "decide", "wait"]
"""`mend`: the agent of the scope can; `decide`: the contracts do not fit each other, or the scope
could not be done, which is up to the parent; `wait`: another task has to be done first."""

_ACTIONS: Final[Mapping[Kind, Action]] = {
    "unmet-import": "decide",
    "double-export": "decide",
    "stalled": "decide",
    "blocked": "wait",
}
"""Every other breach is mended by the scope that it is of."""


class Assignment(Struct, frozen=True, kw_only=True):
    """What is to be done about breaches of one scope."""

    scope_id: str
    branch: str
    action: Action
    breaches: tuple[str, ...]
    """`kind: message`, in the order of the contract."""
    blocker_task: str = ""
    """What is waited for, as the task of the scope names it."""
    prompt: str = ""
    """What the agent of the scope is told; empty where it can do nothing."""


def triage(
    deviations: Sequence[Deviation],
    branches: Mapping[str, str],
    outcomes: Mapping[str, TaskOutcome],
) -> tuple[Assignment, ...]:
    """What is to be done about the breaches among deviations, by scope in their order, and of each
    scope by action. `branches` and `outcomes` are by scope id."""
    found: dict[tuple[str, Action], list[str]] = {}
    for one in filter(is_breach, deviations):
        key = (one.scope_id, _ACTIONS.get(one.kind, "mend"))
        found.setdefault(key, []).append(f"{one.kind}: {one.message}")
    return tuple(
        Assignment(
            scope_id=scope_id,
            branch=branches[scope_id],
            action=action,
            breaches=tuple(breaches_of_scope),
            blocker_task=outcomes[scope_id].reason if action == "wait" else "",
            prompt=_prompt(scope_id, branches[scope_id], breaches_of_scope)
            if action == "mend"
            else "",
        )
        for (scope_id, action), breaches_of_scope in found.items()
    )


def write_assignments(assignments: Iterable[Assignment]) -> str:
    """As indented JSON."""
    return msgspec.json.format(msgspec.json.encode(list(assignments)), indent=2).decode() + "\n"


def _prompt(scope_id: str, branch: str, breaches: Sequence[str]) -> str:
    listed = "".join(f"- {breach}\n" for breach in breaches)
    return (
        f"The scope `{scope_id}` does not keep its contract. Mend this on the branch `{branch}`:"
        f"\n\n{listed}\n{HAND_BACK}\n"
    )
