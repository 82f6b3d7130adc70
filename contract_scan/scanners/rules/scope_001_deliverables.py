"""# SCOPE-001: deliverables

What a scope contract lists as deliverables is there when the scope is done.

## What it promises

A scope contract lists what a scope delivers: files and patterns of files, endpoints, channels and
types. A file counts as delivered where it is there and differs from what it was when the scope
began; an endpoint where a route of the code answers it; a channel where code sends to it or
receives from it.

| kind | severity | meaning |
|---|---|---|
| `undelivered` | error | a deliverable is not there, or is as it was |

## Why it matters

Agents report what they meant to do. Whoever goes on with the feature needs what is there.

## Example

```text
Scope Contract: Refunds backend
Identity:
  scope_id: backend
Deliverables:
  - services/app.py
  - services/test_app.py        # SCOPE-001/undelivered: no such file
  - POST /orders/{id}/refunds   # SCOPE-001/undelivered: no route answers it
```

## How to fix

Deliver it, or take it out of the scope contract.

## When it stays silent

About names that are no type of the code, about endpoints that are only there below a prefix, and
about endpoints and channels where the code is not known whole: these are undetermined.
"""

from contract_scan.scanners.rule import Rule, documentation, judged_for_scopes

RULE = Rule(
    id="SCOPE-001",
    name="Deliverables",
    summary="What a scope contract lists as deliverables is there when the scope is done.",
    severity="error",
    check=judged_for_scopes,
    documentation=documentation(__doc__),
)
