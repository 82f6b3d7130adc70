"""The plan of a build: milestones with their requirements, waves of them, and how healthy they
are.

MASTER_PLAN.md holds the milestones of a build:

    ## Milestone 1: Orders

    - ID: milestone-1
    - Status: PENDING
    - Dependencies: none
    - Description: The orders service with its API.

    - [ ] REQ-001: An order can be placed (review_cycles: 0)

A requirements document whose milestones are written like this is its own plan.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Final, cast, get_args

from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.state import ContractReport, Health, MilestoneStatus

_HALF = 0.5
MASTER_PLAN_FILE: Final = "MASTER_PLAN.md"

_TITLE: Final = re.compile(r"# +(.+)")
_HEADING: Final = re.compile(r"## +Milestone +[\w.]+ *[:.–—-]? *(.*)", re.IGNORECASE)
_END: Final = re.compile(r"##? ")
_FIELD: Final = re.compile(r"[-*] +(ID|Status|Dependencies|Description): *(.*)")
_REQUIREMENT: Final = re.compile(r"[-*] \[[ xX]\] +(.+)")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_STATUSES: Final = get_args(MilestoneStatus)
_NOTHING: Final = ("", "-", "none")
_BOX: Final = re.compile(r"\s*[-*+] \[([ xX])\]\s")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True)
class MilestoneHealth:
    """What is known of a milestone, or of a whole build."""

    checkbox_ratio: float
    contract_compliance_ratio: float | None
    """None where there are no contracts to comply with."""
    health_ratio: float
    """The smaller of the two."""
    health: Health


def check_milestone_health(
    checkboxes: Checkboxes,
    min_convergence_ratio: float,
    contract_report: ContractReport | None = None,
) -> MilestoneHealth:
    """How healthy a milestone is (REQ-061, REQ-078).

    It has passed where the ratio is reached, and failed where not half of that is. Without
    requirements and without contracts nothing is known.
    """
    compliance = contract_compliance_ratio(contract_report)
    if not checkboxes.total and compliance is None:
        return MilestoneHealth(0.0, None, 0.0, "unknown")
    ratio = checkboxes.ratio if checkboxes.total else 1.0
    if compliance is not None:
        ratio = min(ratio, compliance)
    health: Health = "partial"
    if ratio >= min_convergence_ratio:
        health = "passed"
    elif ratio < min_convergence_ratio * _HALF:
        health = "failed"
    return MilestoneHealth(checkboxes.ratio, compliance, ratio, health)


def contract_compliance_ratio(report: ContractReport | None) -> float | None:
    """The part of the contracts that is verified; None where there is none."""
    if report is None or report.total_contracts == 0:
        return None
    return report.verified_contracts / report.total_contracts


def milestone_waves(
    plan: MasterPlan, complete: Collection[str] = ()
) -> list[tuple[Milestone, ...]]:
    """The milestones that are not complete yet, in waves: those of a wave depend on earlier waves
    only. Raises PlanError where milestones depend on each other in a circle."""
    order = TopologicalSorter(
        {milestone.id: milestone.dependencies for milestone in plan.milestones}
    )
    try:
        order.prepare()
    except CycleError as error:
        circle = " → ".join(error.args[1])
        raise PlanError(f"milestones depend on each other in a circle: {circle}") from None
    waves: list[tuple[Milestone, ...]] = []
    while order.is_active():
        ready = set(order.get_ready())
        order.done(*ready)
        wave = tuple(
            milestone
            for milestone in plan.milestones
            if milestone.id in ready and milestone.id not in complete
        )
        if wave:
            waves.append(wave)
    return waves


class PlanError(ContractScanError):
    """A plan cannot be used."""


@dataclass(frozen=True)
class Milestone:
    """A part of a build that is done as a whole."""

    id: str
    title: str
    status: MilestoneStatus = "PENDING"
    dependencies: tuple[str, ...] = ()
    """Ids of milestones that have to be complete before it."""
    description: str = ""
    requirements: tuple[str, ...] = ()
    """What stands behind the check boxes."""


@dataclass(frozen=True)
class MasterPlan:
    """The milestones of a build, in their order."""

    title: str
    milestones: tuple[Milestone, ...]


@dataclass
class _Draft:
    title: str
    line: int
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    requirements: list[str] = field(default_factory=list)


def parse_master_plan(text: str, path: str = MASTER_PLAN_FILE) -> MasterPlan | None:
    """The plan that a text holds; None where it has no milestones.

    Raises PlanError, with the line, for a milestone without a usable id, an id given twice, an
    unknown status or dependency.
    """
    title, drafts = "", list[_Draft]()
    open_draft: _Draft | None = None
    for number, line in enumerate(map(str.rstrip, _lines_outside_code(text)), start=1):
        if heading := _HEADING.match(line):
            open_draft = _Draft(heading[1], number)
            drafts.append(open_draft)
        elif _END.match(line):
            open_draft = None
            if not title and (found := _TITLE.match(line)):
                title = found[1]
        elif open_draft is not None and (field := _FIELD.match(line)):
            open_draft.fields.setdefault(field[1], (field[2], number))
        elif open_draft is not None and (requirement := _REQUIREMENT.match(line)):
            open_draft.requirements.append(requirement[1])
    if not drafts:
        return None
    milestones = [_milestone(draft, path) for draft in drafts]
    _check(milestones, drafts, path)
    return MasterPlan(title, tuple(milestones))


def _milestone(draft: _Draft, path: str) -> Milestone:
    name, line = draft.fields.get("ID", ("", draft.line))
    if not _NAME.fullmatch(name):
        raise PlanError(
            "the milestone needs an id (`- ID: milestone-1`) of letters, digits, `.`, `_` and `-`",
            path,
            line,
        )
    status, line = draft.fields.get("Status", ("PENDING", draft.line))
    if status.upper() not in _STATUSES:
        raise PlanError(f"the status must be one of {', '.join(_STATUSES)}", path, line)
    needed = draft.fields.get("Dependencies", ("", 0))[0]
    names = [] if needed.lower() in _NOTHING else [each.strip() for each in needed.split(",")]
    return Milestone(
        id=name,
        title=draft.title or name,
        status=cast("MilestoneStatus", status.upper()),
        dependencies=tuple(filter(None, names)),
        description=draft.fields.get("Description", ("", 0))[0],
        requirements=tuple(draft.requirements),
    )


def _check(milestones: list[Milestone], drafts: list[_Draft], path: str) -> None:
    known = [milestone.id for milestone in milestones]
    for milestone, draft in zip(milestones, drafts, strict=True):
        if known.count(milestone.id) > 1:
            raise PlanError(f"the id `{milestone.id}` is given twice", path, draft.line)
        for other in milestone.dependencies:
            if other not in known:
                line = draft.fields["Dependencies"][1]
                raise PlanError(f"there is no milestone `{other}` to depend on", path, line)


def render_master_plan(plan: MasterPlan) -> str:
    """The plan as a text that `parse_master_plan` reads."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: MasterPlan) -> Iterator[str]:
    yield f"# {plan.title or 'Master plan'}"
    for number, milestone in enumerate(plan.milestones, start=1):
        yield from (
            "",
            f"## Milestone {number}: {milestone.title}",
            "",
            f"- ID: {milestone.id}",
            f"- Status: {milestone.status}",
            f"- Dependencies: {', '.join(milestone.dependencies) or 'none'}",
            f"- Description: {milestone.description}",
        )
        if milestone.requirements:
            yield ""
        yield from (f"- [ ] {requirement}" for requirement in milestone.requirements)


def update_master_plan_status(text: str, milestone_id: str, status: MilestoneStatus) -> str:
    """The text of a plan with another status for one milestone; all else stays as it is.

    Raises PlanError for a milestone that the plan does not have.
    """
    plan = parse_master_plan(text)
    if plan is None or milestone_id not in [milestone.id for milestone in plan.milestones]:
        raise PlanError(f"there is no milestone `{milestone_id}`")
    lines = text.splitlines(keepends=True)
    place = within = -1
    for number, line in enumerate(map(str.rstrip, _lines_outside_code(text))):
        if _HEADING.match(line):
            within, place = number, -1
        field = _FIELD.match(line)
        if field is None or within < 0:
            continue
        if field[1] == "ID" and field[2] == milestone_id:
            found = _status_line(lines, within)
            place = number if found < 0 else found
            break
    end = lines[place][len(lines[place].rstrip("\r\n")) :] or "\n"
    field = _FIELD.match(lines[place].rstrip())
    if field is not None and field[1] == "Status":
        lines[place] = f"- Status: {status}{end}"
    else:
        lines[place] = f"{lines[place].rstrip()}{end}- Status: {status}{end}"
    return "".join(lines)


def _status_line(lines: list[str], heading: int) -> int:
    """The place of the status below a heading; -1 where there is none."""
    for number in range(heading + 1, len(lines)):
        if _END.match(lines[number]):
            return -1
        field = _FIELD.match(lines[number].rstrip())
        if field is not None and field[1] == "Status":
            return number
    return -1


@dataclass(frozen=True)
class Checkboxes:
    """How many there are, and how many of them are set."""

    checked: int = 0
    total: int = 0

    def __add__(self, other: Checkboxes) -> Checkboxes:
        return Checkboxes(self.checked + other.checked, self.total + other.total)

    @property
    def ratio(self) -> float:
        """The part that is set; 0 where there are none."""
        return self.checked / self.total if self.total else 0.0


def count_checkboxes(text: str) -> Checkboxes:
    """The check boxes of a Markdown text; those in code blocks are examples."""
    boxes = [box for line in _lines_outside_code(text) if (box := _BOX.match(line))]
    return Checkboxes(sum(box[1] != " " for box in boxes), len(boxes))


def _lines_outside_code(text: str) -> Iterator[str]:
    """The lines of a Markdown text, empty ones in place of those in fenced code."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark[1].startswith(fence):
                fence = ""
            yield ""
        elif mark is not None:
            fence = mark[1]
            yield ""
        else:
            yield line
