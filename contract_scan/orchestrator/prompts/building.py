"""Prompts for planning and building."""

from __future__ import annotations

from contract_scan.orchestrator.plan import Milestone
from contract_scan.orchestrator.prompts.fences import fence_text, section
from contract_scan.orchestrator.prompts.roles import ROLE_PROMPTS
from contract_scan.orchestrator.prompts.standards import standards_for
from contract_scan.reports.markdown_text import code

_PLAN_FORM = """\
# <title>

## Milestone 1: <title>

- ID: milestone-1
- Status: PENDING
- Dependencies: none
- Description: <one sentence>

- [ ] REQ-001: <what has to be true> (review_cycles: 0)
"""


def build_decomposition_prompt(
    prd: str,
    plan_path: str,
    *,
    service_map: str = "",
    codebase_map: str = "",
    tech_research_content: str = "",
    contract_context: str = "",
    codebase_index_context: str = "",
    resume_context: str = "",
) -> str:
    """Have requirements split into milestones, written to a file of the form of MASTER_PLAN.md.

    All texts are fenced as data, and left out where they are empty.
    """
    return (
        f"""\
{ROLE_PROMPTS["architect"]}
Split the requirements below into milestones, and write them to the file {code(plan_path)}, in
this form:

```
{_PLAN_FORM}```

- A milestone can be built and checked as a whole. `Dependencies` names ids of milestones that
  have to be complete before it, separated by commas.
- Every requirement stands in exactly one milestone, with its suffix `(review_cycles: N)`.
- Write that file and nothing else.
"""
        + section("REQUIREMENTS", prd)
        + section("SERVICE MAP", service_map)
        + _surroundings(
            codebase_map,
            tech_research_content,
            contract_context,
            codebase_index_context,
            resume_context,
        )
    )


def build_orchestrator_prompt(
    task: str,
    *,
    role: str = "code-writer",
    codebase_map: str = "",
    tech_research_content: str = "",
    contract_context: str = "",
    codebase_index_context: str = "",
    resume_context: str = "",
) -> str:
    """One task for one agent, with what is known of its surroundings (REQ-060, TECH-032).

    `task` is our own text; all else is fenced as data, and left out where it is empty.
    """
    return "\n".join(
        filter(None, (ROLE_PROMPTS[role], standards_for(role), f"## Task\n\n{task}"))
    ) + _surroundings(
        codebase_map,
        tech_research_content,
        contract_context,
        codebase_index_context,
        resume_context,
    )


def _surroundings(
    codebase_map: str,
    tech_research_content: str,
    contract_context: str,
    codebase_index_context: str,
    resume_context: str,
) -> str:
    """What is known of the surroundings of a task, each text fenced as data."""
    return (
        section("CODEBASE MAP", codebase_map)
        + section("TECH RESEARCH RESULTS", tech_research_content)
        + section("CONTRACT ENGINE CONTEXT", contract_context)
        + section("CODEBASE INTELLIGENCE CONTEXT", codebase_index_context)
        + section("STATE OF THE RUN", resume_context)
    )


def build_milestone_execution_prompt(
    milestone: Milestone,
    requirements_path: str,
    *,
    role: str = "code-writer",
    service_name: str = "",
    codebase_map: str = "",
    tech_research_content: str = "",
    contract_context: str = "",
    codebase_index_context: str = "",
    resume_context: str = "",
) -> str:
    """The work of one role on one milestone, in nine steps (REQ-060A, TECH-033)."""
    service = code(service_name) if service_name else "this milestone's service"
    task = f"""\
Do your part of the milestone {code(milestone.id)}. Its requirements stand in
{code(requirements_path)}.

MILESTONE WORKFLOW
1. Analysis: read the requirements and the code they concern. Query Contract Engine for all
   contracts with provider_service or consumer_service matching {service}.
2. Design: decide what has to change, and where.
3. Tasks: list the changes in their order.
4. Implementation: make the changes. After creating each new file, call register_artifact(file_path,
   service_name) via Codebase Intelligence MCP.
5. Review: read what you wrote as somebody else's code, and correct it.
6. Tests: write and run them.
7. Fixes: mend what failed, until nothing does.
8. Integration Verification: make sure that everything is wired. For each SVC-xxx contract
   implemented in this milestone, call validate_endpoint() and report CONTRACT-001 violations.
9. Handover: set the check box of each requirement that is now satisfied (`- [x]`), in the file
   of the requirements, and keep its suffix `(review_cycles: N)`. Leave those that are not.

{fence_text("MILESTONE", _milestone_text(milestone))}"""
    return build_orchestrator_prompt(
        task,
        role=role,
        codebase_map=codebase_map,
        tech_research_content=tech_research_content,
        contract_context=contract_context,
        codebase_index_context=codebase_index_context,
        resume_context=resume_context,
    )


def _milestone_text(milestone: Milestone) -> str:
    lines = [milestone.title, milestone.description, *milestone.requirements]
    return "\n".join(filter(None, lines))
