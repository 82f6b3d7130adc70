"""# SCOPE-002: files of siblings

A scope leaves files of its siblings alone, and its branch can be merged with theirs.

## What it promises

A file that several scopes would change belongs to one of them; the contracts of the others list it
in `shared_files`. The owner may change it, nobody else.

| kind | severity | meaning |
|---|---|---|
| `forbidden-file` | error | a file of `shared_files` was changed or removed |
| `merge-conflict` | error | the branch cannot be merged with what the scopes before it changed |

## Why it matters

Scopes are built at the same time. Two that change one file overwrite each other, or are in conflict
when they are put together.

## Example

```text
Scope Contract: Refunds page
Identity:
  scope_id: page
Constraints:
  shared_files:
    - shared/money.py   # SCOPE-002/forbidden-file where the branch of the page changes it
```

## How to fix

Put the file back, and have its owner make the change. Merge the branches of the other scopes into
the one that is in conflict, and resolve it there.

## When it stays silent

About files that git ignores. What was changed before the scope began is not its doing.
"""

from contract_scan.scanners.rule import Rule, documentation, judged_for_scopes

RULE = Rule(
    id="SCOPE-002",
    name="FilesOfSiblings",
    summary="A scope leaves files of its siblings alone, and its branch can be merged with theirs.",
    severity="error",
    check=judged_for_scopes,
    documentation=documentation(__doc__),
)
