"""The dispatcher: asks for an artifact that is missing. It chooses nothing: the gates say what is
missing, and who supplies it.

There are two providers. `local_exec` runs here, and is the librarian alone. `manual_outbox` writes
a prompt for whoever carries the role out, a person or a program of agents.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.roles import layout
from contract_scan.roles.gates import ClosedGate
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.run_folder import RunFolder
from contract_scan.roles.state import RunState
from contract_scan.roles.team import Role, RoleName

Provider: TypeAlias = Literal["local_exec", "manual_outbox"]
PromptStatus: TypeAlias = Literal["outbox_created", "outbox_exists", "budget_exceeded"]

_LOCAL: Final[RoleName] = "librarian"


class Budgets(Struct, frozen=True, forbid_unknown_fields=True):
    """How much the dispatcher may do."""

    max_outbox_prompts: int


class DispatchConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Which provider carries out which role."""

    budgets: Budgets
    schema_version: Literal["ctcp-dispatch-config-v1"] = "ctcp-dispatch-config-v1"
    mode: Literal["manual_outbox"] = "manual_outbox"
    """For roles that are not named."""
    role_providers: dict[RoleName, Provider] = {}


class Dispatched(Struct, frozen=True):
    """What became of asking."""

    status: PromptStatus
    path: str
    """The prompt, in the folder of the run; empty where there is none."""


def write_config(most_prompts: int) -> bytes:
    """The configuration of a new run: the librarian here, all others by prompts."""
    config = DispatchConfig(Budgets(most_prompts), role_providers={_LOCAL: "local_exec"})
    return msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n"


def read_config(raw: bytes, path: str) -> DispatchConfig:
    """A configuration. Raises ArtifactError where it is none, or another role than the librarian
    would run here."""
    try:
        config = msgspec.json.decode(raw, type=DispatchConfig)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ArtifactError(f"is no configuration of the dispatcher: {error}", path) from None
    for role, provider in config.role_providers.items():
        if (provider == "local_exec") != (role == _LOCAL):
            raise ArtifactError(f"`local_exec` is for `{_LOCAL}`, and that for it alone", path)
    if not 0 <= config.budgets.max_outbox_prompts <= 10_000:
        raise ArtifactError("`budgets.max_outbox_prompts` must be 0 to 10000", path)
    return config


def ask_by_prompt(
    folder: RunFolder, state: RunState, closed: ClosedGate, role: Role, config: DispatchConfig
) -> Dispatched:
    """Write the prompt for the artifact that a gate waits for, once for each round and iteration,
    while there may be more. Raises UsageError where it cannot be written."""
    action = f"{role.name}-{closed.step}"
    target = closed.gate.target.rpartition("/")[2].partition(".")[0].lower()
    name = f"{action}-{target}-r{state.review_round}-i{state.iteration}.md"
    prompts = sorted(
        path
        for path in folder.fingerprints()
        if path.startswith("outbox/") and path.endswith(".md")
    )
    there = next((path for path in prompts if path.endswith(f"-{name}")), "")
    if there:
        return Dispatched("outbox_exists", there)
    if len(prompts) >= config.budgets.max_outbox_prompts:
        return Dispatched("budget_exceeded", "")
    path = f"outbox/{len(prompts) + 1:03}-{name}"
    folder.write(path, prompt(folder, state, closed, role).encode())
    return Dispatched("outbox_created", path)


def prompt(folder: RunFolder, state: RunState, closed: ClosedGate, role: Role) -> str:
    """What whoever carries out a role is told: what to write, and where, and nothing else to."""
    target = closed.gate.target
    there = [one for one in role.inputs if "/" not in one or (folder.path / one).exists()]
    inputs = "".join(f"- {one}\n" for one in there) or "- nothing yet\n"
    allowed = [one.path for one in role.outputs if closed.step in one.steps]
    prohibitions = "".join(f"- {one.text}\n" for one in role.prohibitions)
    reason = "" if closed.is_absent else f"\nWhat is there cannot be used: {closed.reason}\n"
    return (
        f"Role: {role.name}\nAction: {closed.step}\nProvider: manual_outbox\n"
        f"Target-Path: {target}\nWrite-Abs: {folder.path / target}\n\n"
        f"# {role.title}: {target}\n\nGoal: {_one_line(state.goal)}\n\n"
        f"Write to: {folder.path / target}\n{reason}\n"
        f"{_FORMS.get(target, '')}"
        f"## What you are handed, in {folder.path}\n\n{inputs}\n"
        f"## What you must not do\n\n{prohibitions}"
        f"- write anything but {', '.join(allowed)}. What else is written, in the folder of the "
        "run or in the repository, is refused and recorded.\n"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


_FORMS: Final = {
    layout.ANALYSIS: "Say what is asked for, what it touches, and what may go wrong.\n\n",
    layout.PLAN_DRAFT: (
        "Needed lines: `Status: DRAFT`, `Scope-Allow:` (files, or folders with `/` at the end), "
        "`Gates:`, `Stop:`; as you need them `Scope-Deny:`, `Budgets: max_files N, "
        "max_added_lines N`.\n\n"
    ),
    layout.PLAN: f"A copy of {layout.PLAN_DRAFT} in which the status is `Status: SIGNED`.\n\n",
    layout.CONTRACT_REVIEW: (
        "Needed: `Verdict: APPROVE`, or `Verdict: BLOCK` and `Blocking Reasons:`.\n\n"
    ),
    layout.COST_REVIEW: (
        "Needed: `Verdict: APPROVE`, or `Verdict: BLOCK` and `Blocking Reasons:`.\n\n"
    ),
    layout.ADJUDICATION: (
        "Needed: `Reason:`, and `Decision: REVISE` (write the draft anew in the next round) or "
        "`Decision: DISPUTE` (have the reviewers look again).\n\n"
    ),
    layout.PATCH: "A patch as `git diff` writes it, within the scope and budgets of the plan.\n\n",
    layout.DEPLOYMENT: "Needed: `Decision: DEPLOY` or `Decision: REJECT`, and `Reason:`.\n\n",
}
"""What an artifact has to hold."""
