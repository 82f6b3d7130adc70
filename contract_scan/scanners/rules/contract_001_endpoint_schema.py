"""# CONTRACT-001: endpoint schema

What a handler sends and accepts has the shape that the endpoint's schema says.

## What it promises

For every contracted operation that has a route: each value the code may send as a success response
is acceptable to the response schema, each request the contract permits is acceptable to the code,
and the status codes agree. Names are compared as they stand on the wire, after aliases, naming
policies and serializer settings. `verified` means that everything was compared and agrees;
fields that are undetermined, or of which there is a warning, leave an operation partly verified.

| kind | meaning |
|---|---|
| `missing-field` | the contract requires a field that the code does not send (or does not read) |
| `extra-field` | the code has a field that the contract does not mention |
| `name-case` | the same words in another case style: `book_id` for `bookId` |
| `type` | a scalar of another type, or a date where the contract says date-time |
| `shape` | an array, an object, a scalar, a form or no body where the other side has another |
| `required` | one side may leave out what the other needs |
| `nullable` | one side may send null where the other does not take it |
| `enum` | a value that the other side does not list |
| `status` | a status that the contract does not list, or its only success is never sent |
| `parameter` | a query, path, header or cookie parameter on which the two disagree |

Parameters are compared by place, name, need and type: one that the code reads in another place,
one that it needs and the contract makes optional or does not mention, one of which it takes fewer
values. A header or cookie that the code needs and the contract does not mention is a warning, and
so is a default that differs, where both sides write it down as a plain value.
Fields of forms (`multipart/form-data`, `application/x-www-form-urlencoded`) are compared as text.

An error status that the handler itself answers with (`HTTPException(404)`, `abort(404)`,
`NotFoundException`, `ResponseStatusException`, `NotFound()`, `res.status(404)`) and that the
contract lists neither by itself nor as `4XX`, `5XX` or `default` is a note, never more. A note does
not break the promise and does not change the exit status. That a listed error is never sent is
never said: middleware, validation and handlers of exceptions may send it.

An extra field in a response is a warning, and an error where the contract says
`additionalProperties: false`. A required field that the code does not read from a request is a
warning, since the request is still accepted; so are a query parameter that is not read, and one
that is read and that the contract does not mention (where the handler is wholly known), a body
where the contract documents none (a `default` response without content documents nothing), and a
request field or a parameter that the code limits to some values.

### What has to be known

A finding says how it is known what the code does (`evidence`). The weaker that is, the milder is
the finding:

| | declared | inferred | guessed |
|---|---|---|---|
| a request without a field or a body, or with null, is refused | open | open | open |
| a request is taken for another type or shape | warning | warning | open |
| values or fields of a request are not taken | warning | note | open |
| a response lacks a field, or holds something else | warning | error | open |
| a response has a field too many | warning | as above | note |

What is *enforced* or *checked* has no such limit; *open* is undetermined. *Enforced*: by code that
runs (a validator, a schema, a response model, a value that is written out, a use that fails
otherwise). *Checked*: by a type that the run time or the compiler holds every value against.
*Declared*: by a type that nobody checks (`as T`, `Request<…, Body>`, a Nest body without a
validation pipe, `cast`, type arguments of HTTP clients, what collections of C# hold, `@NotNull`
without `@Valid`), or by an annotation that lists a response. Beside a declared body, what the
handler does with it decides: a part that is taken apart is needed, one that is read behind guards
alone is not.

## Why it matters

Clients are written, generated and tested against the contract. A renamed or retyped field passes
every test of the server and breaks each of them at run time.

## Example

The contract says that `GET /orders/{id}` answers with

```yaml
type: object
required: [id, total]
properties:
  id: { type: string }
  total: { type: number }
```

Each of these sends `total` as a string:

```python
class Order(BaseModel):
    id: str
    total: str  # error: [CONTRACT-001] type

@app.get("/orders/{id}")
def get_order(id: str) -> Order: ...
```

```typescript
interface Order { id: string; total: string }  // error: [CONTRACT-001] type

@Get("orders/:id")
getOrder(@Param("id") id: string): Promise<Order> { ... }
```

```csharp
public record Order(string Id, string Total);  // error: [CONTRACT-001] type

[HttpGet("orders/{id}")]
public ActionResult<Order> GetOrder(string id) => ...;
```

```java
record Order(String id, String total) {}  // error: [CONTRACT-001] type

@GetMapping("/orders/{id}")
Order getOrder(@PathVariable String id) { ... }
```

## How to fix

Change the side that is wrong. In code: the field's type, or its name on the wire by an alias
(`Field(alias=…)`, `@Expose({ name })`, `[JsonPropertyName]`, `@JsonProperty`). In the contract: the
schema, with a new version where clients depend on the old one.

## When it stays silent

- Where a type is undetermined, or an object may have more fields than could be seen: the place is
  listed as undetermined with the reason, and what else is known is still compared.
- Where the code says any string and the contract lists values: also undetermined.
- For a required field that no declared type reads from a request, where the shape was told from the
  places that read it: it need not be all that is read, so the field is undetermined.
- For optional fields that the code never sends; for extra fields where the contract allows further
  properties explicitly; for string formats other than dates, times, UUIDs, e-mail and IP addresses.
- For bodies that are neither JSON nor, in requests, forms. They are listed as undetermined, unless
  both sides have the same content type, or the code sends an object where the contract promises
  text, an image or a file (a finding). Where the contract offers several content types, the code
  need not take each of them.
- For a request body that the contract does not expressly let clients leave out
  (`required: false`): many contracts that mean to require theirs forget to say so.
- For errors of middleware, validation and services, of exceptions where the project itself says
  what becomes of them, and where the contract names no error anywhere (but the 422 that FastAPI
  and the 400 that Litestar list by themselves). Bodies of errors are compared where the handler
  writes them out for a contracted status; that it writes none is told of Spring MVC.
- For headers and cookies that only the contract mentions, for keys of its security schemes, and for
  headers that every client sends: security schemes and middleware read them.
- For a query parameter of which the code reads members under names of their own (`filter[name]`).
- For values of enums that ASP.NET reads from a path or query: it takes names in any letter case.
- For lengths, ranges, patterns and numbers of items; for what a validator of the code asks of a
  value or of several fields together, beyond the need of a field; for headers of responses.
- In Java, and in C# without nullable reference types, for null in a member that is not annotated
  and to which no code that was followed gives null: one that nothing sets counts as sent all the
  same.
- For default values of parameters, and for how lists are written in a query (`style`,
  `collectionFormat`).
- Where the language does not say whether a value may be null, and a field is left out where it is.
- Where several operations of an application differ from the contract in one way, and nothing that
  was read speaks against it: names of several words are in another case style (those of two types
  or more, and five for each that agrees), the contract has in one property of an envelope what
  handlers give, or the other way round, a handler gives the bodies of several statuses for any, or
  one place gives several statuses of which each operation lists its own.
  Something that was not read may see to that in one place: one warning says so, and the operations
  are undetermined. Where one body keeps the contract as it stands, envelopes are errors; names that
  code which was read is known to write are errors.
- Where the contract has a path twice (`/orders/{id}`, `/orders/{ids}`): which of the two describes
  an answer is undetermined, so what differs is listed as undetermined.
- Where two documents that differ in a version by name (`openapi-v1.json`, `openapi-v2.json`)
  describe a path that one route answers, and the route keeps to one of them: which of the two it is
  meant for is undetermined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from contract_scan.ir.operation import Operation, with_answers
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import Finding, OperationRef, RuleId, Undetermined
from contract_scan.scanners.direction import Comparers, Said, comparers
from contract_scan.scanners.media import share_a_type
from contract_scan.scanners.pairing.paired import OperationPair
from contract_scan.scanners.pairing.paths import Segments, segments
from contract_scan.scanners.pairing.versions import without_versions
from contract_scan.scanners.parameters import with_alternatives
from contract_scan.scanners.requests import Requests
from contract_scan.scanners.responses import Responses
from contract_scan.scanners.rule import PairedUnit, Rule, RuleResult, documentation, mark
from contract_scan.scanners.systematic_differences import systematic_differences
from contract_scan.scanners.verdicts import promised_by_operation, verdict_of

ID: Final = "CONTRACT-001"


def check(paired: PairedUnit, answer: RuleResult) -> None:
    """Compare every contracted operation that has routes with each of them."""
    tools: dict[str, Comparers] = {}
    spellings: dict[_Request, list[str]] = defaultdict(list)
    for pair in paired.operations.pairs:
        spellings[_request_key(pair)].append(pair.contract.path)
    compared: list[tuple[OperationPair, _VersionedRequest, list[Said]]] = []
    kept: dict[_VersionedRequest, list[str]] = defaultdict(list)
    for pair in paired.operations.pairs:
        path = pair.document.path
        if path not in tools:
            tools[path] = comparers(pair.document, paired.unit.code)
        others = [other for other in spellings[_request_key(pair)] if other != pair.contract.path]
        said = list(_said_of(pair, tools[path], others))
        versioned = _versioned_key(pair)
        compared.append((pair, versioned, said))
        if not any(_differs(one) for one in said):
            kept[versioned].append(path)
    systematic = list(systematic_differences([(pair, said) for pair, _, said in compared], tools))
    answer.add(one.statement(ID) for one in systematic)
    for pair, versioned, said in compared:
        documents = kept.get(versioned, ())
        other = next((document for document in documents if document != pair.document.path), None)
        if other is not None and pair.document.path not in documents:
            reason = Reason("path-of-other-version", document=other)
            said = [_undetermined_because(one, reason) if _differs(one) else one for one in said]
        for difference in systematic:
            said = list(difference.left_of(pair, said, ID))
        _conclude(pair, said, answer)


_Request: TypeAlias = tuple[str, str, Segments]
_VersionedRequest: TypeAlias = tuple[_Request, frozenset[int]]


def _request_key(pair: OperationPair) -> _Request:
    """What identifies a request: the names of parameters are not part of it."""
    return pair.document.path, pair.contract.method, segments(pair.contract.path)


def _versioned_key(pair: OperationPair) -> _VersionedRequest:
    """What requests of several versions of one document share that the same routes answer."""
    path, method, parts = _request_key(pair)
    return (without_versions(path), method, parts), frozenset(id(route) for route in pair.routes)


def _said_of(pair: OperationPair, tools: Comparers, spelled: Sequence[str]) -> Iterator[Said]:
    """What is said of a contracted operation and its routes, each thing once."""
    seen: set[tuple[object, ...]] = set()
    for route in pair.routes:
        contract = _contract_for(pair, route)
        code = with_answers(with_alternatives(route, pair.routes))
        if contract.method == "HEAD":
            contract, code = _without_sent_bodies(contract), _without_sent_bodies(code)
        for said in _compare_endpoint(contract, code, tools, ID):
            if spelled and _differs(said):
                said = _undetermined_because(said, Reason("path-spelled-twice", spelled=spelled[0]))
            key = _identity(said)
            if key not in seen:
                seen.add(key)
                yield said


def _differs(said: Said) -> bool:
    """Whether code and contract differ: a note tells of something beside the promise."""
    return isinstance(said, Finding) and said.severity != "note"


def _conclude(pair: OperationPair, said: Sequence[Said], answer: RuleResult) -> None:
    answer.add(said)
    subject = (pair.document.path, f"{pair.contract.method} {pair.contract.path}")
    promised = promised_by_operation(pair.contract, pair.document)
    mark(answer.operations, subject, verdict_of(said, promised))


def _contract_for(pair: OperationPair, route: Operation) -> Operation:
    """The contract as it stands for a route: where each of several takes bodies of content types of
    its own, with the bodies of these types alone; without the parameters of the query that another
    one beside it reads, which answers other types."""
    others = [other for other in pair.routes if other is not route]
    read = {p.name for p in route.parameters} | {
        p.name for p in pair.contract.parameters if p.location != "query"
    }
    read_beside = {
        p.name for o in others if o.origin.path == route.origin.path for p in o.parameters
    } - read
    contract = pair.contract
    if read_beside:
        left = tuple(p for p in contract.parameters if p.name not in read_beside)
        contract = replace(contract, parameters=left)
    own = tuple(body for body in pair.contract.request if share_a_type((body,), route.request))
    is_distinguished = all(
        other.request and not share_a_type(other.request, route.request) for other in others
    )
    return replace(contract, request=own) if own and others and is_distinguished else contract


def _without_sent_bodies(operation: Operation) -> Operation:
    """An operation whose responses have no bodies: none is sent in answer to HEAD (RFC 9110,
    section 9.3.2), whatever handler and contract give."""
    responses = tuple(replace(response, bodies=()) for response in operation.responses)
    return replace(operation, responses=responses)


def _undetermined_because(said: Said, reason: Reason) -> Undetermined:
    return Undetermined(
        rule=ID,
        reason=reason,
        origin=said.origin,
        operation=said.operation,
        field=said.field,
    )


def _identity(said: Said) -> tuple[object, ...]:
    """What makes two entries of one operation the same."""
    operation: OperationRef | None = said.operation
    place = (operation.status, operation.direction) if operation else ("", "")
    match said:
        case Finding():
            return (*place, said.field, said.kind)
        case Undetermined():
            return (*place, said.field, "", said.reason)


def _compare_endpoint(
    contract: Operation, route: Operation, tools: Comparers, rule: RuleId
) -> Iterator[Said]:
    """Everything on which a route and its contract differ, or that is undetermined."""
    requests = Requests(contract, route, tools, rule)
    yield from requests.parameters()
    yield from requests.request()
    yield from Responses(contract, route, tools, rule).responses()


RULE = Rule(
    id=ID,
    name="EndpointSchema",
    summary="What a handler sends and accepts has the shape that the endpoint's schema says.",
    severity="error",
    check=check,
    documentation=documentation(__doc__),
)
