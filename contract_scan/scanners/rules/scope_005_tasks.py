"""# SCOPE-005: tasks

The task of every scope was done.

## What it promises

A task that could not be done is completed as well; its metadata say why.

| kind | severity | meaning |
|---|---|---|
| `stalled` | error | the task ended without its work: `{"stalled": true, "reason": "…"}` |
| `blocked` | error | another task has to be done first: `{"blocked": true, "blocker_task": "…"}` |

## Why it matters

What such a scope did not deliver follows from that, and is not told one by one: the reason is what
has to be dealt with.

## Example

```json
{"id": "page", "status": "completed", "metadata": {"stalled": true, "reason": "no design"}}
```

## How to fix

Deal with the reason, then have the scope done again.

## When it stays silent

Where nobody says what became of the tasks (`--tasks`), and about tasks that are not completed.
"""

from contract_scan.scanners.rule import Rule, documentation, judged_for_scopes

RULE = Rule(
    id="SCOPE-005",
    name="Tasks",
    summary="The task of every scope was done.",
    severity="error",
    check=judged_for_scopes,
    documentation=documentation(__doc__),
)
