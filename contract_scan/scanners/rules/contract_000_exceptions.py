"""# CONTRACT-000: exceptions

Every exception from a rule is one that is understood and still needed.

## What it promises

A finding can be excepted where it stands, by a comment on its line or alone on the line above; in
the configuration, with a reason, an owner and a last day; and old debt as a whole by a baseline.
Each of them has to name a rule that there is, and a finding that there is: an exception that nobody
needs any more hides the next mistake.

| kind | severity | meaning |
|---|---|---|
| `invalid-ignore` | warning | a comment names no rule, an unknown one, or says something else |
| `unused-ignore` | warning | a comment excepts what is not found |
| `stale-baseline` | warning | the baseline has a finding that is not there any more |
| `unused-exception` | warning | an exception of the configuration excepts what is not found |
| `expired-exception` | warning | the last day of an exception is over: what it excepted is back |

## Why it matters

Exceptions outlive their reasons. A misspelt one silently does nothing; a needless one silently does
too much.

## Example

The line that a comment is about may be the one in the code, the one in a YAML contract, or the
route that leads there; of a declaration with attributes or decorators any line from the first of
them to its name. A comment in a string is none.

```python
class Order(BaseModel):
    total: str  # contract-scan: ignore[CONTRACT-001] clients read both, see issue 12
```

```typescript
// contract-scan: ignore[CONTRACT-002] internal, behind the gateway
router.get("/health", health);
```

```csharp
public long Amount { get; init; } // contract-scan: ignore[CONTRACT-001, CONTRACT-003] in cents
```

```java
/* contract-scan: ignore[CONTRACT-004] the old name until version 3 */
private String isbn;
```

```yaml
paths:
  /orders/{id}/refunds:
    post: # contract-scan: ignore[CONTRACT-002] planned for autumn
```

```toml
[[exceptions]]
rules = ["CONTRACT-002"]
operation = "POST /orders/{id}/refunds"
reason = "planned for autumn"
owner = "team-orders"
expires = 2027-10-31
```

## How to fix

Write `contract-scan: ignore[ID, ID] reason`. Remove a comment or an exception that is not needed;
mend what an expired one is about, or agree on a new day; tidy a baseline with
`contract-scan baseline prune`.

## When it stays silent

About exceptions from rules that did not run, and about files that could not be read whole: what
they except may be there; about exceptions of the configuration also where contracts are named or a
part of what it describes is scanned. JSON knows no comments; there the configuration or a baseline
does it.
"""

from contract_scan.scanners.rule import PairedUnit, Rule, RuleResult, documentation


def check(paired: PairedUnit, answer: RuleResult) -> None:
    """Nothing here: exceptions are judged once every other rule has spoken, by
    `scanners.suppressions` and `scanners.baseline`."""


RULE = Rule(
    id="CONTRACT-000",
    name="Exceptions",
    summary="Every exception from a rule is one that is understood and still needed.",
    severity="warning",
    check=check,
    documentation=documentation(__doc__),
)
