"""# SCOPE-004: handoffs

What a scope says that it delivered is so, and it says it of everything.

## What it promises

A scope hands back which items of its contract it fulfilled. Each claim is held against the working
tree, and each deliverable has to be mentioned.

| kind | severity | meaning |
|---|---|---|
| `wrong-claim` | error | a claim is not so, or is about something that the contract does not have |
| `unmentioned` | error | nothing is said of a deliverable |

## Why it matters

Whoever puts scopes together reads handoffs rather than code. A claim that nobody checks is worth
nothing.

## Example

```text
Contract Fulfillment:
  Deliverables:
    - ✅ services/test_app.py → services/test_app.py   # SCOPE-004/wrong-claim: no such file
```

## How to fix

Correct the handoff, or do what it says. Say of every deliverable whether it is delivered (✅) or
not (❌), and why not.

## When it stays silent

Where no handoff is given, and about deliverables of which nobody can tell whether they are there.
"""

from contract_scan.scanners.rule import Rule, documentation, judged_for_scopes

RULE = Rule(
    id="SCOPE-004",
    name="Handoffs",
    summary="What a scope says that it delivered is so, and it says it of everything.",
    severity="error",
    check=judged_for_scopes,
    documentation=documentation(__doc__),
)
