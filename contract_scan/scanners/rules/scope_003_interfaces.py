"""# SCOPE-003: interfaces

What scopes export is there, and what they import is offered and fits.

## What it promises

A scope contract says what siblings may use (`exports`) and what is expected of them (`imports`).
Exports are looked for in the code; imports are held against the exports and deliverables of the
siblings, and imported types against what the sibling that provides them declares.

| kind | severity | meaning |
|---|---|---|
| `missing-export` | error | an endpoint or channel that is exported is not in the code |
| `unmet-import` | error | no sibling offers what is imported, or not the one that is named |
| `double-export` | error | two scopes export the same |
| `type-conflict` | error | an imported type is declared otherwise than by its provider |

## Why it matters

Each scope can be right by itself and wrong with the others. That shows when they are put together,
which is late; this rule says it for each place.

## Example

```text
Scope Contract: Refunds page
Identity:
  scope_id: page
Interfaces:
  imports:
    - type Order from backend    # SCOPE-003/unmet-import: `backend` does not export it
    - type Refund from backend   # SCOPE-003/type-conflict where the page declares other fields
```

## How to fix

Build what is exported, take out what nobody needs, and declare imported types as their providers
do.

## When it stays silent

About names that are no type of the code: these are undetermined. About types where the contract of
an endpoint says the same of the provider: that is told once, by CONTRACT-001.
"""

from contract_scan.scanners.rule import Rule, documentation, judged_for_scopes

RULE = Rule(
    id="SCOPE-003",
    name="Interfaces",
    summary="What scopes export is there, and what they import is offered and fits.",
    severity="error",
    check=judged_for_scopes,
    documentation=documentation(__doc__),
)
