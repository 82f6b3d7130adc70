"""The roles of agents as data: what each is handed, what it hands back, and what it must not do.

From the contract of TeamNet, version 0.2. Every "must not" is checked by what was written: by where
it lies (`kinds`), or by what it says (`conduct`).
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.roles import layout
from contract_scan.roles.layout import FileKind

RoleName: TypeAlias = Literal[
    "chair",
    "orchestrator",
    "librarian",
    "web_researcher",
    "contract_guardian",
    "cost_controller",
    "patchmaker",
    "verifier",
]
Step: TypeAlias = Literal["analysis", "plan", "build", "verify", "fix", "deploy"]

STEPS: Final[tuple[Step, ...]] = ("analysis", "plan", "build", "verify", "fix", "deploy")


class Output(Struct, frozen=True):
    """A file that a role may write."""

    path: str
    """Relative to the folder of the run; `*` stands for any characters."""
    steps: tuple[Step, ...]
    """When it may."""


class Prohibition(Struct, frozen=True, kw_only=True):
    """Something that a role must not do."""

    id: str
    text: str
    kinds: frozenset[FileKind] = frozenset()
    """Files that are written by whoever does it; none: it shows in what an output says."""


class Role(Struct, frozen=True, kw_only=True):
    """What one role is for."""

    name: RoleName
    title: str
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    prohibitions: tuple[Prohibition, ...]

    def may_write(self, path: str, step: Step) -> bool:
        """Whether a file of the run is an output of the role in a step."""
        return any(
            step in output.steps and fnmatchcase(path, output.path) for output in self.outputs
        )


OUTSIDE_OUTPUTS: Final = Prohibition(
    id="outside-its-outputs", text="write what is none of its outputs in this step"
)
"""Holds for every role."""
DELEGATES_DECISION: Final = Prohibition(
    id="chair-delegates-decision", text="delegate the final decision"
)
WIDENS_SCOPE: Final = Prohibition(
    id="patchmaker-widens-scope", text="expand the scope outside of the plan"
)
SETS_POLICY: Final = Prohibition(
    id="verifier-sets-policy",
    text="decide the acceptance policy",
    kinds=frozenset({"verification", "plan", "policy", "review", "decision"}),
)
DECIDES_SOLUTION: Final = Prohibition(
    id="librarian-decides-solution",
    text="decide the solution",
    kinds=frozenset({"analysis", "find result", "plan", "decision", "review", "policy"}),
)

_CODE: Final[frozenset[FileKind]] = frozenset({"source", "repository", "patch"})
_BEFORE_SIGNING: Final[tuple[Step, ...]] = ("analysis", "plan")

TEAM: Final[tuple[Role, ...]] = (
    Role(
        name="chair",
        title="Chair/Planner",
        inputs=(
            layout.ANALYSIS,
            layout.FIND_RESULT,
            layout.CONTRACT_REVIEW,
            layout.COST_REVIEW,
            layout.CONTEXT_PACK,
            layout.REPORT,
        ),
        outputs=(
            Output(layout.ANALYSIS, ("analysis",)),
            Output(layout.FILE_REQUEST, _BEFORE_SIGNING),
            Output(layout.PLAN_DRAFT, ("plan",)),
            Output(layout.PLAN, ("plan",)),
            Output(layout.ADJUDICATION, ("plan",)),
            Output(layout.DEPLOYMENT, ("deploy",)),
        ),
        prohibitions=(DELEGATES_DECISION,),
    ),
    Role(
        name="orchestrator",
        title="Local Orchestrator",
        inputs=("presence and validity of artifacts", layout.PLAN, layout.REPORT),
        outputs=(Output(layout.PROMPTS, STEPS),),
        prohibitions=(
            Prohibition(
                id="orchestrator-decides",
                text="decide the workflow or the plan",
                kinds=frozenset({"analysis", "find result", "plan", "decision", "policy"}),
            ),
            Prohibition(id="orchestrator-patches", text="write a patch", kinds=_CODE),
            Prohibition(
                id="orchestrator-approves", text="approve reviews", kinds=frozenset({"review"})
            ),
        ),
    ),
    Role(
        name="librarian",
        title="Local Librarian",
        inputs=(layout.FILE_REQUEST,),
        outputs=(Output(layout.CONTEXT_PACK, _BEFORE_SIGNING),),
        prohibitions=(
            DECIDES_SOLUTION,
            Prohibition(id="librarian-patches", text="patch code", kinds=_CODE),
        ),
    ),
    Role(
        name="web_researcher",
        title="Web Researcher",
        inputs=(layout.GUARDRAILS,),
        outputs=(Output(layout.EXTERNALS, _BEFORE_SIGNING),),
        prohibitions=(
            Prohibition(
                id="researcher-replaces-resolver",
                text="replace the result of the resolver",
                kinds=frozenset({"find result"}),
            ),
            Prohibition(id="researcher-executes", text="execute a patch", kinds=_CODE),
        ),
    ),
    Role(
        name="contract_guardian",
        title="ContractGuardian",
        inputs=(layout.PLAN_DRAFT, "contracts of the repository"),
        outputs=(Output(layout.CONTRACT_REVIEW, ("plan",)),),
        prohibitions=(
            Prohibition(
                id="guardian-edits-code", text="edit source code or the patch", kinds=_CODE
            ),
        ),
    ),
    Role(
        name="cost_controller",
        title="CostController",
        inputs=(layout.PLAN_DRAFT, layout.GUARDRAILS),
        outputs=(Output(layout.COST_REVIEW, ("plan",)),),
        prohibitions=(
            Prohibition(
                id="controller-edits-code", text="edit source code or the patch", kinds=_CODE
            ),
        ),
    ),
    Role(
        name="patchmaker",
        title="PatchMaker/Fixer",
        inputs=(layout.PLAN, layout.CONTEXT_PACK, layout.BUNDLE),
        outputs=(Output(layout.PATCH, ("build", "fix")),),
        prohibitions=(
            WIDENS_SCOPE,
            Prohibition(
                id="patchmaker-approves",
                text="approve its own work",
                kinds=frozenset({"review", "decision", "plan", "verification", "policy"}),
            ),
        ),
    ),
    Role(
        name="verifier",
        title="Local Verifier",
        inputs=(layout.PLAN, layout.PATCH, "the command that verifies"),
        outputs=tuple(
            Output(path, ("verify",))
            for path in (
                layout.TRACE,
                layout.REPORT,
                layout.BUNDLE,
                layout.CONTRAST,
                layout.STDOUT_LOG,
                layout.STDERR_LOG,
            )
        ),
        prohibitions=(SETS_POLICY,),
    ),
)
ROLES: Final[dict[RoleName, Role]] = {role.name: role for role in TEAM}


def prohibition_of(role: Role, kind: FileKind) -> Prohibition:
    """What a role does that it must not, when it writes a file of a kind that is none of its
    outputs."""
    return next((one for one in role.prohibitions if kind in one.kinds), OUTSIDE_OUTPUTS)
