"""# CONTRACT-002: missing endpoint

Every contracted endpoint has a route, and every route is contracted.

## What it promises

Each operation of a contract (method and path) is answered by a route of the code, found through
every prefix and mount. Path parameters match by position, whatever their names; slashes at the end
do not count. The base path of the contract's `servers` may or may not be part of the routes.

| kind | severity | meaning |
|---|---|---|
| `missing-endpoint` | error | nothing in the code answers the path |
| `method` | error | the path is answered, but not to this method |
| `undocumented-endpoint` | warning | a route that no contract mentions |
| `base-path` | warning | all paths are off by one constant prefix: said once |
| `other-application` | note | an application beside the service, whose routes are not compared |

An operation whose path stands as a text in the code beside the routes that are read may be
answered by a route that is registered in a way that is not read: it is undetermined, and the text
is named.

A base path is a warning, since what stands in front of the code (a proxy, a gateway, a container)
may add a prefix or take one off, and the code does not say whether it does.

## Why it matters

A missing endpoint is a 404 for every client that trusts the contract. An undocumented one is an
interface nobody reviews, tests or secures on purpose.

## Example

The contract has `POST /orders/{id}/cancel`. In each of these it is missing, since the route says
`PUT` (kind `method`), and the `PUT` is not contracted:

```python
@router.put("/orders/{order_id}/cancel")  # warning: [CONTRACT-002] undocumented-endpoint
def cancel(order_id: str): ...
```

```typescript
// warning: [CONTRACT-002] undocumented-endpoint
router.put("/orders/:orderId/cancel", cancel);
```

```csharp
[HttpPut("orders/{orderId}/cancel")]  // warning: [CONTRACT-002] undocumented-endpoint
public IActionResult Cancel(string orderId) => ...;
```

```java
@PutMapping("/orders/{orderId}/cancel")  // warning: [CONTRACT-002] undocumented-endpoint
void cancel(@PathVariable String orderId) { ... }
```

## How to fix

Implement the endpoint with the contract's method and path, or take it out of the contract. Add
routes that are meant for clients to the contract; mark others as hidden where the framework can
(`include_in_schema=False`).

## When it stays silent

- Where a route's method or path is undetermined: operations it may stand for are undetermined.
  Not for routes of a router that no other file uses: nothing can serve them.
- Where the prefix of routes is undetermined (it comes from the environment), but half of the
  contract's operations, three at least, are what stands behind it: these are its routes. That the
  base path is undetermined is said once, and is no promise that is broken.
- Where another route may answer the path, as a catch-all below a fixed prefix, or with a parameter
  where the contract has a word: undetermined. The catch-all is then no undocumented route. A
  parameter that is a part of its segment (`/{device}-settings`), or whose expression has a few
  words alone (`{format: svg|txt}`), answers the words that it takes.
- Where not one operation of a document has a route of its own, and a route answers every path of
  the server, or a file names the contract's and functions have the names of its operations: what is
  answered is undetermined.
- Where the path stands in a file of a language that is not read (Rust, Go, Kotlin, Ruby, PHP, …),
  as routers write it (`/orders/:id`, `/orders/{id}`, `/orders/<id>`), whole or behind the prefixes
  of groups that stand there too: a service in that language may answer, and the statement names
  file and line. Not for what stands in tests, documentation, libraries or clients alone.
- Where contracts were looked for, not named, and not one operation of a document has a route: it
  may be another service's, or (ten operations and more) its routes may not be read: undetermined.
- Where contracts were looked for, not named, and a document is that of a service that the code
  calls: the build generates a client from it, and less than half of it has a route; or nothing but
  data classes (or its folder is called `consumed`, `integrations`, `clients`, …), and nothing of it
  has one. So does a client that was generated elsewhere and committed, whose file has every path of
  the document. One statement names the document and what says so; its operations count as "not in
  code".
- Likewise where a build generates server stubs from other contracts that were found, most of which
  have routes, and from this one none: a gateway's, a bundle's, that of another version. Not where a
  route ends as one of its paths does, or where the paths of some routes are undetermined.
- For operations that the contract of a gateway (`x-amazon-apigateway-integration`) hands to a
  function, or answers itself: undetermined. What it forwards to a service (`http_proxy`) is looked
  for below the prefix of its `uri`, which counts as declared.
- Routes are told to be in no contract only where one of the contracts is the code's own.
- For the routes of an application (`app = FastAPI()`) that implements a strict subset of the
  contracted operations that another one does: a script, a tool, a mock server. A note names it.
- For routes that a loop over the routes of their application registers again under paths that are
  not constant: whether they are documented is undetermined.
- Where not one route was recognised: that is a problem of the scan, reported once.
- For three operations or more of whose paths the code is seen to answer nothing but `OPTIONS`: what
  answers the rest was not read. One warning says so; they are undetermined.
- For routes that are hidden, for `HEAD` and `OPTIONS`, for pages that are rendered for people, for
  what these are made of (`GET /app.js`), and for a catch-all at the root (a page for everything
  else, a 404 handler).
- For a base path that the code lacks where a plugin that is not read may put routes below a prefix,
  or where other paths of the contract are where it says: that is undetermined.
- For routes beside the area that all of the contract's paths are below (`/v1/users`, `/v1/orders`,
  `/v1/items`: three names at least): a service may have an interface of its own there. Each is a
  note, no warning.
- For routes without a contract where the only contract is an SVC table, which lists what services
  call of each other rather than every endpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import DYNAMIC_PREFIX, UNREACHABLE_ROUTE, Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.violation import Finding, OperationRef, Undetermined
from contract_scan.scanners.pairing.base_path_offset import DocumentMount
from contract_scan.scanners.pairing.paired import (
    CopiedRoute,
    MissingOperation,
    OperationPairing,
    OtherApplication,
    OtherServices,
    UndocumentedRoute,
)
from contract_scan.scanners.pairing.paths import common_folder, path_text, segments
from contract_scan.scanners.report import NO_ROUTES, Subject, Verdict
from contract_scan.scanners.rule import PairedUnit, Rule, RuleResult, documentation, mark
from contract_scan.scanners.unit import Unit
from contract_scan.wildcards import Wildcard, fits, joined_by

ID: Final = "CONTRACT-002"
COVERED_FROM = 3
"""Contracted operations from which a folder that they share is what their contract covers."""
AREA_FROM = 3
"""Names directly below such a folder from which it is an area of the service, such as its public
interface (`/v1/users`, `/v1/orders`, `/v1/items`), beside which it may serve others on purpose."""

PREFLIGHTS_FROM = 3
"""Operations from which on something that was not read is taken to answer where only `OPTIONS` is
seen to be answered."""
_PREFLIGHT = "the code was seen to answer nothing but `OPTIONS`"


def check(paired: PairedUnit, answer: RuleResult) -> None:
    """Report operations without a route, routes without a contract, and shifted base paths."""
    unit = paired.unit
    contracted = list(unit.contracted_operations())
    pairing = paired.operations
    for other in pairing.other_services:
        _other_services(other, answer)
    elsewhere = {
        id(operation) for other in pairing.other_services for operation in other.operations
    }
    contracted = [each for each in contracted if id(each[1]) not in elsewhere]
    own = any(_is_own(operation) for operation in unit.code.operations)
    if contracted and not own and not pairing.pairs:
        # Hidden routes are what libraries answer by themselves: the project's own are not seen.
        _nothing_recognised(contracted, answer)
        return
    for pair in pairing.pairs:
        mark(answer.operations, _subject(pair.document, pair.contract), Verdict.VERIFIED)
    preflights = [each for each in pairing.missing if _is_preflight_alone(each)]
    are_answered = len(preflights) >= PREFLIGHTS_FROM
    if are_answered:
        answer.findings.append(_preflights_finding(preflights))
    for missing in pairing.missing:
        subject = _subject(missing.document, missing.contract)
        if are_answered and _is_preflight_alone(missing):
            answer.undetermined.append(_beside_preflight(missing, len(preflights)))
            mark(answer.operations, subject, Verdict.UNDETERMINED)
        else:
            answer.findings.append(_missing_finding(missing))
            mark(answer.operations, subject, Verdict.MISSING)
    for possible in pairing.possible:
        subject = _subject(possible.document, possible.contract)
        answer.undetermined.append(
            Undetermined(
                rule=ID,
                reason=possible.reason,
                origin=possible.contract.origin,
                operation=_reference(possible.contract),
            )
        )
        mark(answer.operations, subject, Verdict.UNDETERMINED)
    covered = _covered_folder([document for document, _ in pairing.mountings])
    answer.findings += [_undocumented_finding(entry, covered) for entry in pairing.undocumented]
    for undetermined in pairing.undetermined:
        reason = Reason("base-path-undetermined", unresolved=undetermined.route.unresolved)
        answer.undetermined.append(
            Undetermined(rule=ID, reason=reason, origin=undetermined.route.origin)
        )
    for named in pairing.unplaced:
        reason = Reason("paths-of-names-undetermined", unresolved=named.route.unresolved)
        answer.undetermined.append(Undetermined(rule=ID, reason=reason, origin=named.route.origin))
    for copied in pairing.copied:
        answer.undetermined.append(_copied_route_entry(copied))
    answer.findings += [
        _other_application_note(other) for other in pairing.others if _visible_routes(other)
    ]
    for document, mounting in pairing.mountings:
        finding = _base_path(document, mounting, pairing)
        doubt = (
            _base_path_doubt(document, mounting, pairing, unit)
            if finding is not None
            else NO_REASON
        )
        if finding is not None and doubt:
            told = Reason("base-path-doubted", message=finding.message, doubt=doubt)
            answer.undetermined.append(Undetermined(rule=ID, reason=told, origin=finding.origin))
        elif finding is not None:
            answer.findings.append(finding)


def _other_services(other: OtherServices, answer: RuleResult) -> None:
    """One statement for all operations of a document that this code does not provide."""
    answer.undetermined.append(
        Undetermined(rule=ID, reason=other.reason, origin=Origin(path=other.document.path))
    )
    for operation in other.operations:
        mark(answer.operations, _subject(other.document, operation), Verdict.ABSENT)


def _is_own(operation: Operation) -> bool:
    """Whether a route shows that the project's own routes are read."""
    if operation.added_by_framework:
        return False
    if operation.unresolved:
        return operation.unresolved != UNREACHABLE_ROUTE
    return not operation.excluded_from_docs


def _nothing_recognised(
    contracted: list[tuple[ContractDocument, Operation]], answer: RuleResult
) -> None:
    """Zero routes say more about the scan than about the code: no finding for each operation."""
    for document, operation in contracted:
        answer.undetermined.append(
            Undetermined(
                rule=ID,
                reason=NO_ROUTES,
                origin=operation.origin,
                operation=_reference(operation),
            )
        )
        mark(answer.operations, _subject(document, operation), Verdict.UNDETERMINED)


def _missing_finding(missing: MissingOperation) -> Finding:
    contract = missing.contract
    name = f"`{contract.method} {contract.path}`"
    if missing.other_methods:
        methods = ", ".join(dict.fromkeys(route.method for route in missing.other_methods))
        return Finding(
            rule=ID,
            kind="method",
            severity="error",
            message=f"{name} has no route; the code defines only {methods} for this path",
            origin=contract.origin,
            operation=_reference(contract),
            expected=contract.method,
            found=methods,
            contract=contract.origin,
            reached_from=missing.other_methods[0].origin,
            help="answer the contract's method, or correct the contract",
        )
    return Finding(
        rule=ID,
        kind="missing-endpoint",
        evidence="inferred",
        severity="error",
        message=f"{name} has no route in the code",
        origin=contract.origin,
        operation=_reference(contract),
        contract=contract.origin,
        help="implement the endpoint, or remove it from the contract",
    )


def _is_preflight_alone(missing: MissingOperation) -> bool:
    """Whether nothing was read of a path but what browsers ask before they ask for it: that is
    there for the sake of something that answers."""
    methods = {route.method for route in missing.other_methods}
    return "OPTIONS" in methods and methods <= {"OPTIONS", "HEAD"}


def _preflights_finding(missing: Sequence[MissingOperation]) -> Finding:
    first = missing[0]
    return Finding(
        rule=ID,
        kind="method",
        evidence="inferred",
        severity="warning",
        message=f"of the paths of {len(missing)} operations {_PREFLIGHT}",
        origin=first.other_methods[0].origin,
        contract=first.contract.origin,
        help="find out what answers these paths: if nothing does, mend the code or the contract",
    )


def _beside_preflight(missing: MissingOperation, operations: int) -> Undetermined:
    return Undetermined(
        rule=ID,
        reason=Reason("systematic-difference", operations=operations, way=_PREFLIGHT),
        origin=missing.other_methods[0].origin,
        operation=_reference(missing.contract),
    )


class _Covered(NamedTuple):
    """The folder that all contracted paths are below."""

    folder: str = ""
    is_area: bool = False
    """Whether several parts of the service lie below it."""


def _covered_folder(documents: Sequence[ContractDocument]) -> _Covered:
    """The folder that all contracted paths are below; none where the documents have several base
    paths, and where they have so few operations that it is chance."""
    paths = [each.path for document in documents for each in document.operations]
    if len(paths) < COVERED_FROM or len({document.base_paths for document in documents}) > 1:
        return _Covered()
    folder = common_folder(paths)
    below = {path.removeprefix(f"{folder}/").partition("/")[0] for path in paths}
    return _Covered(folder, len({name for name in below if "{" not in name}) >= AREA_FROM)


def _undocumented_finding(entry: UndocumentedRoute, covered: _Covered) -> Finding:
    """A route that no contract mentions, where all that they mention is below one folder."""
    route = entry.route
    folder = covered.folder
    is_outside = bool(folder) and not f"{entry.path}/".startswith(f"{folder}/")
    if is_outside:
        help_text = "add the endpoint, or write an exception for what is not meant to be covered"
    else:
        help_text = "add the endpoint to the contract, or remove it from the code"
    return Finding(
        rule=ID,
        kind="undocumented-endpoint",
        severity="note" if is_outside and _is_beside(entry, covered) else "warning",
        message=f"`{route.method} {route.path}` is in no contract",
        origin=route.origin,
        operation=OperationRef(method=route.method, path=entry.path),
        expected=f"paths below {folder}" if is_outside else "",
        help=help_text,
    )


def _is_beside(entry: UndocumentedRoute, covered: _Covered) -> bool:
    """Whether a route is surely beside the area that a contract covers: no parameter of it may
    stand for a name of the folder (`/v{version}/users`)."""
    depth = covered.folder.count("/")
    leading = entry.path.strip("/").split("/")[:depth]
    return covered.is_area and not any("{" in name for name in leading)


def _copied_route_entry(entry: CopiedRoute) -> Undetermined:
    place = f"{entry.loop.origin.path}:{entry.loop.origin.span.line}"
    return Undetermined(
        rule=ID,
        reason=Reason("routes-registered-again", place=place),
        origin=entry.route.origin,
        operation=_reference(entry.route),
    )


def _visible_routes(other: OtherApplication) -> list[Operation]:
    return [route for route in other.routes if not route.excluded_from_docs]


def _other_application_note(other: OtherApplication) -> Finding:
    count = len(_visible_routes(other))
    routes = "route" if count == 1 else f"{count} routes"
    return Finding(
        rule=ID,
        kind="other-application",
        evidence="inferred",
        severity="note",
        message=f"no contract describes this application; its {routes} "
        f"{'is' if count == 1 else 'are'} not compared",
        origin=other.application.origin,
        help="if it is a service of its own, name it with its contracts in the configuration",
    )


def _base_path(
    document: ContractDocument, mounting: DocumentMount, pairing: OperationPairing
) -> Finding | None:
    if document.base_path_undetermined:
        return None
    declared = document.base_paths[0] if document.base_paths else ""
    if mounting.offset is not None:
        offset = mounting.offset
        expected = declared or path_text(offset.removed) if offset.removed else declared or "/"
        found = path_text(offset.added) if offset.added else "/"
        if _prefix_matches(found, expected):
            return None
    elif mounting.declared_missing:
        expected, found = path_text(mounting.declared_missing), "/"
    else:
        return None
    pair = next((p for p in pairing.pairs if p.document is document), None)
    bases = pair.routes[0].also_below if pair else ()
    if any(base == "*" or segments(base + found) == segments(expected) for base in bases):
        return None
    contract = pair.contract.origin if pair else document.operations[0].origin
    code = pair.routes[0].origin if pair else contract
    return Finding(
        rule=ID,
        kind="base-path",
        evidence="inferred",
        severity="warning",
        message=f"the contract's endpoints are below `{expected}`, the code's below `{found}`",
        origin=code if code.path else contract,
        expected=expected,
        found=found,
        contract=contract,
        help="decide which is right: mount the routes below the contract's base path, correct "
        "`servers`, or configure `base-path` of the service where a proxy in front changes paths",
    )


def _base_path_doubt(
    document: ContractDocument, mounting: DocumentMount, pairing: OperationPairing, unit: Unit
) -> str:
    """Why the code may answer below the contract's base path all the same; empty: no sign of it."""
    for operation in unit.code.operations:
        if operation.added_by_framework and operation.path == DYNAMIC_PREFIX:
            place = f"{operation.origin.path}:{operation.origin.span.line}"
            return f"the plugin that {place} registers is not read, and may put routes below it"
    removed = mounting.offset.removed if mounting.offset is not None else ()
    for pair in pairing.pairs if removed else ():
        path = pair.contract.path
        if pair.document is document and segments(path)[: len(removed)] != removed:
            return f"`{path}` is where the contract says, so that something may add the prefix"
    return ""


def _prefix_matches(prefix: str, path: str) -> bool:
    """Whether a prefix with parameters in it takes a path: `/api/v{}` takes `/api/v1`."""
    return "{}" in prefix and fits(joined_by(Wildcard.IN_SEGMENT, prefix.split("{}")), path)


def _reference(operation: Operation) -> OperationRef:
    return OperationRef(method=operation.method, path=operation.path)


def _subject(document: ContractDocument, operation: Operation) -> Subject:
    return document.path, f"{operation.method} {operation.path}"


RULE = Rule(
    id=ID,
    name="MissingEndpoint",
    summary="Every contracted endpoint has a route, and every route is contracted.",
    severity="error",
    check=check,
    documentation=documentation(__doc__),
)
