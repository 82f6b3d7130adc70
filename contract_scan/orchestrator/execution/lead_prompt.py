"""What the lead of a wave and its workers are told.

The lead passes on where a task's instructions lie, never the instructions themselves: models do not
repeat long texts faithfully.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from contract_scan.orchestrator.execution.tasks import ScheduledTask

METADATA_KEY: Final = "builder_task_id"
"""Under which a task of the lead's list holds the id of ours."""


class LeadTask(Struct, frozen=True):
    """A task as the lead gets it."""

    id: str
    subject: str
    instructions: str
    """The file, relative to the project."""
    worker: str
    """The name of the worker that is to carry it out."""
    blocked_by: tuple[str, ...]
    """Ids of tasks of the same wave."""


def lead_prompt(tasks: Sequence[LeadTask], *, delegate: bool, most_workers: int) -> str:
    """The message that starts a wave."""
    own_work = (
        "You coordinate only: you write no files and run no commands yourself."
        if delegate
        else "You coordinate; carry out a task yourself only where no worker can."
    )
    return f"""\
You lead workers through the tasks below. {own_work}

{_as_json(tasks)}

1. For each task, call TaskCreate once: `subject` is the subject, `description` is
   "Carry out <instructions>", and `metadata` is {{"{METADATA_KEY}": "<id>"}}.
2. For each task with `blocked_by`, call TaskUpdate with `addBlockedBy`: the numbers of those tasks.
3. Start a worker for each task that nothing blocks any more, with the Agent tool: `description` is
   the id and nothing else, `name` is the worker, and `prompt` is:
   "Carry out <instructions>: read that file and do all that it says. You work on the task <id>.
   When you are done, send your report to your lead if you can send messages, and end your last
   message with a fenced JSON block: {{"task": "<id>", "status": "completed", "error": ""}}. Where
   you could not do it, the status is "failed" and the error says why in one sentence."
   At most {most_workers} workers run at the same time. Mark the task as in_progress by TaskUpdate.
4. When a worker reports its task as completed, mark the task as completed by TaskUpdate. When that
   is refused, start a worker for the task again and tell it the reason of the refusal.
5. When a worker reports that it failed, leave its task as it is.
6. End when no task is left that can be worked on. Do not start anything else.
"""


def reminder_prompt(tasks: Sequence[LeadTask]) -> str:
    """The message to a lead that has ended its turn without having started all tasks."""
    return f"""\
These tasks have not been started. Start them now, as you were told for all tasks:

{_as_json(tasks)}
"""


def shutdown_prompt(teammates: Sequence[str]) -> str:
    """The message to a lead that has to end its team."""
    names = json.dumps(list(teammates))
    return f"""\
Stop. Send each of these teammates a message by SendMessage, and then end:
`message` is {{"type": "shutdown_request", "reason": "the build has been stopped"}}.

```json
{names}
```
"""


def stop_prompt(teammate: str) -> str:
    """The message to a lead that has to end one teammate."""
    return f"""\
Stop the teammate {json.dumps(teammate)} only: send it a message by SendMessage, whose `message` is
{{"type": "shutdown_request", "reason": "its time is over"}}. Start nobody else for its task, and go
on with all others.
"""


def lead_tasks(
    tasks: Sequence[ScheduledTask], instructions: Sequence[str], wave: int
) -> list[LeadTask]:
    """The tasks of a wave, as the lead gets them."""
    ids = {task.id for task in tasks}
    return [
        LeadTask(
            id=task.id,
            subject=task.title,
            instructions=path,
            worker=f"{task.role}-{wave}-{number}",
            blocked_by=tuple(other for other in task.depends_on if other in ids),
        )
        for number, (task, path) in enumerate(zip(tasks, instructions, strict=True), start=1)
    ]


def _as_json(tasks: Sequence[LeadTask]) -> str:
    rows = [
        {
            "id": task.id,
            "subject": task.subject,
            "instructions": task.instructions,
            "worker": task.worker,
            "blocked_by": list(task.blocked_by),
        }
        for task in tasks
    ]
    return f"```json\n{json.dumps(rows, indent=2)}\n```"


class WorkerReport(Struct, frozen=True):
    """What a worker says of its task."""

    completed: bool
    error: str = ""


_FENCED: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


def report_of(text: str, task_id: str) -> WorkerReport | None:
    """The report at the end of a worker's last text; None where there is none."""
    for block in reversed(_FENCED.findall(text)):
        try:
            content: Any = json.loads(block)
        except ValueError:
            continue
        if isinstance(content, dict) and content.get("task") == task_id and "status" in content:
            error = content.get("error")
            return WorkerReport(
                content["status"] == "completed", error if isinstance(error, str) else ""
            )
    return None
