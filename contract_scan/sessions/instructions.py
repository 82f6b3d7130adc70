"""What the agent of a session is told: its task, what is expected of such a task, its inputs and
its scope contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from contract_scan.scopes.contract import ScopeContract
from contract_scan.scopes.markdown_form import write_markdown
from contract_scan.scopes.tasks import HAND_BACK
from contract_scan.sessions.session import Session, TaskType

GO_ON: Final = "Go on with your task where you stopped."
"""What an agent is told that takes up its conversation, where nobody says anything else."""

_BY_TYPE: Final[Mapping[TaskType, str]] = {
    "explore": """\
## Task Type: Explore
Your goal is to understand, not modify. Return:
- Key insights about the code structure
- Relevant file paths
- Patterns or conventions observed
Do NOT make changes. Focus on what the caller needs to know.
""",
    "implement": """\
## Task Type: Implement
Write or modify code to accomplish the task. Return:
- Files changed (list)
- Brief summary of approach
- Any assumptions made
""",
    "test": """\
## Task Type: Test
Run and validate. Return:
- Pass/fail status
- Failure details (if any)
- Coverage or confidence notes
""",
    "review": """\
## Task Type: Review
Analyze the code. Return:
- Assessment (good/concerning/needs work)
- Specific concerns or issues
- Suggestions for improvement
Do NOT make changes unless explicitly asked.
""",
    "refactor": """\
## Task Type: Refactor
Transform the code while preserving behavior. Return:
- Files changed
- What was preserved (behavior guarantees)
- What was improved (structure, clarity, performance)
""",
}
"""The sentences of the document that describes sessions."""

_COMMITTED: Final = (
    "Where you may not run git, leave that out: what you leave in a working tree of its own is"
    " committed when you end."
)
_RETURN: Final = """\
## Returning
Your last message is the result that whoever started this session reads. Nobody reads the rest.
"""


def instructions_for(session: Session, task: str, contract: ScopeContract | None) -> str:
    """The instructions of a session, as Markdown. `task` is the whole text of its task."""
    parts = [f"# Task\n\n{task.strip() or 'You are told it in the first message.'}\n"]
    parts.append(_BY_TYPE[session.task_type])
    if session.inputs:
        listed = "\n".join(f"- {path}" for path in session.inputs)
        parts.append(f"## Inputs\nLook at these first:\n{listed}\n")
    if contract is not None:
        parts.append(
            f"## Scope Contract\n\n{write_markdown([contract])}\n{HAND_BACK} {_COMMITTED}\n"
        )
    return "\n".join([*parts, _RETURN])


def with_message(instructions: str, message: str) -> str:
    """The instructions of a session that begins anew, with what is said to it now."""
    return f"{instructions.rstrip()}\n\n## Said Since Then\n\n{message.strip()}\n"
