"""From findings to problems: what is to be mended once is told once, with all its places.

A finding is a broken promise in one place. One cause often breaks many: a type that a hundred
operations send lacks a field in all of them. What tells causes apart is the *key* below. On six
services with 3,437 findings it gave 339 problems; of 24 large ones that were read place by place
one held two causes.

- Of a field: the type in the code and the component of the contract that hold it, whichever
  operation leads there. Schemas that are written in place count as one component for each type of
  the code, and each as its own where the code's object has no name either. An object that has
  hardly a field in common with the contract's is one problem, not one for each field.
- Of a status: the function that sets it. Of a whole body: the function, and what is expected of it.
- Of a parameter: its name, and what is expected and found, in one file.
- Routes that are in no contract: their controller, else their file.
- What a scope contract promises: the scope and the item.
- Everything else: the promise that is broken.

The fingerprint of a problem is made of its key, and holds no operation (but where the promise is an
operation), no wire path, no line and no words of a message. Its last part is the kind: what comes
before it is the same for everything wrong between one type and one component, so that a baseline
stays valid where one kind becomes another.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from contract_scan.counted import counted
from contract_scan.ir.origin import Origin
from contract_scan.ir.problem import Member, Problem, ProblemGroup, difference_of
from contract_scan.ir.violation import Finding, Kind, ObjectPair, Severity
from contract_scan.scanners.pairing.paths import common_folder

_ARITY = re.compile("`[0-9]+")
"""The number of type parameters in the name of a generic type of .NET."""
VERSION = "p1"
ANOTHER_TYPE = "another-type"
"""Stands for the kinds of a problem of which the two objects have hardly a field in common."""

_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
_COMPONENT = re.compile(
    r"/(?:components/[^/]+|definitions|\$defs|components/messages/[^/]+)/[^/]+(?:/payload)?"
)
"""Pointers of what has a name in a contract: the rest is written in place."""
_OF_SENDER: Mapping[Kind, str] = {
    "missing-field": "lacks {what}{that} {contract} requires",
    "extra-field": "has {what}{that} {contract} does not define",
    "required": "may omit {what}{that} {contract} requires",
    "nullable": "may have null for {what}, which {contract} does not allow",
}
_OF_RECEIVER: Mapping[Kind, str] = {
    "missing-field": "does not read {what}{that} {contract} defines",
    "extra-field": "requires {what}{that} {contract} does not define",
    "required": "requires {what}{that} {contract} makes optional",
    "nullable": "rejects null for {what}, which {contract} allows",
}
_OF_BOTH: Mapping[Kind, str] = {
    "name-case": "spells {what} in another case than {contract}",
    "type": "has another type than {contract} for {what}",
    "shape": "has another type than {contract} for {what}",
    "enum": "has other values than {contract} for {what}",
}
"""What a type does, by the kind of drift and whether the code sends or receives it."""


def with_problems(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Give every finding the fingerprint of its problem."""
    digests: dict[tuple[str, ...], str] = {}
    return tuple(
        msgspec.structs.replace(finding, problem=_fingerprint(finding, digests))
        for finding in findings
    )


def problems_of(findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """The problems that findings are places of, the worst and most far-reaching first."""
    places: dict[str, list[Finding]] = {}
    digests: dict[tuple[str, ...], str] = {}
    for finding in findings:
        name = finding.problem or _fingerprint(finding, digests)
        places.setdefault(name, []).append(finding)
    found = [_problem(name, own) for name, own in places.items()]
    return tuple(sorted(found, key=_order))


def member_of(finding: Finding) -> str:
    """What a finding is about inside its problem, as a baseline writes it: a field with the kind of
    drift, a route; empty where the problem is about one thing alone."""
    if finding.objects is not None:
        return f"{finding.kind} {field_name(finding.field)}"
    if finding.kind == "undocumented-endpoint" and finding.operation is not None:
        return f"{finding.operation.method} {finding.operation.path}"
    return ""


def cause_of(fingerprint: str) -> str:
    """The part of a problem's fingerprint that its kinds share."""
    return ":".join(fingerprint.split(":")[:2])


def cause_if_moved(finding: Finding, *, code: str = "", contract: str = "") -> str:
    """What `cause_of` would be if the file of the code, or that of the contract, had another path:
    a file that was moved is known again by it."""
    pair, origin = finding.objects, finding.origin
    if contract and pair is not None:
        moved = msgspec.structs.replace(pair.contract, path=contract)
        pair = msgspec.structs.replace(pair, contract=moved)
    if code and pair is not None:
        pair = msgspec.structs.replace(pair, code=msgspec.structs.replace(pair.code, path=code))
    elif code:
        origin = msgspec.structs.replace(origin, path=code)
    return cause_of(_fingerprint(msgspec.structs.replace(finding, origin=origin, objects=pair), {}))


def field_name(path: str) -> str:
    """The innermost name of a wire path, with the items or values that are meant: `tags[]`."""
    return path.rpartition(".")[2]


def _problem(fingerprint: str, places: list[Finding]) -> Problem:
    places.sort(key=_place_key)
    first = min(places, key=lambda finding: _RANK[finding.severity])
    # Of an object that is another type altogether, reports show a place of the kind they name.
    places.sort(key=lambda finding: finding.kind != first.kind)
    pair = first.objects
    members = {
        (member.name, member.kind): member for member in map(_member, reversed(places)) if member
    }
    problem = Problem(
        fingerprint=fingerprint,
        rule=first.rule,
        kind=first.kind,
        severity=first.severity,
        title="",
        places=tuple(places),
        code_type=_ARITY.sub("", pair.code_type if pair else first.origin.symbol),
        contract_type=pair.contract_type if pair and _is_component(pair.contract) else "",
        code=_code(first),
        contract=_contract(first),
        members=tuple(
            sorted(
                members.values(), key=lambda each: (each.kind != first.kind, each.name, each.kind)
            )
        ),
        operations=_sorted_names(_operation(finding) for finding in places),
        channels=_sorted_names(finding.channel or "" for finding in places),
        models=_sorted_names(finding.model or "" for finding in places),
    )
    return msgspec.structs.replace(problem, title=_title_of(problem))


def _member(finding: Finding) -> Member | None:
    if finding.objects is None:
        return None
    return Member(
        name=field_name(finding.field),
        kind=finding.kind,
        expected=finding.expected,
        found=finding.found,
    )


def _code(finding: Finding) -> Origin | None:
    if finding.objects is not None and finding.objects.code.span.line:
        return finding.objects.code
    if finding.origin == finding.contract:
        return None
    return finding.origin


def _contract(finding: Finding) -> Origin | None:
    if finding.objects is not None and finding.objects.contract.span.line:
        return finding.objects.contract
    return finding.contract


def _operation(finding: Finding) -> str:
    operation = finding.operation
    return f"{operation.method} {operation.path}" if operation else ""


def _sorted_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))


def _fingerprint(finding: Finding, digests: dict[tuple[str, ...], str]) -> str:
    pair = finding.objects
    if pair is not None:
        key = _key_of_objects(finding, pair)
        kind = ANOTHER_TYPE if pair.shares_little else finding.kind
    else:
        key, kind = _key(finding), finding.kind
    known = digests.get(key)
    if known is None:
        text = "\0".join(part.replace("\0", "") for part in key)
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
        known = digests[key] = digest.hexdigest()
    return f"{VERSION}:{known}:{kind}"


def _key_of_objects(finding: Finding, pair: ObjectPair) -> tuple[str, ...]:
    component = pair.contract.pointer
    if pair.code_type and not _is_component(pair.contract):
        component = "written in place"
    direction = "sends" if pair.code_sends else "reads"
    code = pair.code.path or finding.origin.path
    return (finding.rule, direction, code, pair.code_type, pair.contract.path, component)


def _key(finding: Finding) -> tuple[str, ...]:
    origin, operation = finding.origin, finding.operation
    start = (finding.rule, finding.kind, origin.path)
    promise = _promise(finding)
    function = (origin.symbol,) if origin.symbol else promise
    if finding.scopes:
        return (*start, *finding.scopes, finding.field)
    match finding.kind:
        case "status":
            return (*start, *function, operation.status if operation else finding.found)
        case "parameter":
            return (*start, finding.field, finding.expected, finding.found)
        case "undocumented-endpoint":
            return (*start, origin.symbol.rpartition(".")[0])
        case _ if finding.rule == "CONTRACT-000":
            return (*start, origin.symbol)
        case "type" | "shape" | "enum" | "nullable":
            direction = operation.direction if operation else ""
            return (*start, *function, direction, finding.field, finding.expected)
        case _:
            return (*start, *promise)


def _promise(finding: Finding) -> tuple[str, ...]:
    """What a finding is about in the contract."""
    operation = finding.operation
    pointer = finding.contract.pointer if finding.contract else ""
    if operation is not None:
        return (operation.method, operation.path, operation.status, operation.direction)
    return (finding.channel or "", finding.model or "", pointer, finding.field)


def _is_component(origin: Origin) -> bool:
    return not origin.pointer or _COMPONENT.fullmatch(origin.pointer) is not None


def _order(problem: Problem) -> tuple[object, ...]:
    first = problem.places[0].origin
    return (
        _RANK[problem.severity],
        -problem.reach,
        -len(problem.places),
        first.path,
        first.span.line,
        first.span.column,
        problem.rule,
        problem.title,
        problem.fingerprint,
    )


def _place_key(finding: Finding) -> tuple[object, ...]:
    origin, operation = finding.origin, finding.operation
    return (
        origin.path,
        origin.span.line,
        origin.span.column,
        *((operation.path, operation.method, operation.status) if operation else ("", "", "")),
        finding.channel or "",
        finding.model or "",
        finding.field,
        finding.kind,
        finding.message,
    )


FOLDED_FROM = 3
"""Problems that read alike from which one entry tells them together."""


def groups_of(problems: Sequence[Problem]) -> tuple[ProblemGroup, ...]:
    """Problems in their order, those together that one entry can tell: three or more that say the
    same of several places (an envelope that all responses lack), or that hold one component of the
    contract against several types of the code (one schema for all commands)."""
    keys = _folding_keys(problems)
    groups: dict[object, list[Problem]] = {}
    for problem in problems:
        key = next((key for key in _wordings(problem) if keys[key] >= FOLDED_FROM), problem)
        groups.setdefault(id(key) if key is problem else key, []).append(problem)
    return tuple(
        ProblemGroup(title=_title_of_group(group), problems=tuple(group))
        for group in groups.values()
    )


def _folding_keys(problems: Sequence[Problem]) -> Counter[object]:
    """How many problems each key would fold. What the first key folds, the second does not."""
    first: Counter[object] = Counter()
    for problem in problems:
        first.update(_wordings(problem)[:1])
    keys = +first
    for problem in problems:
        wordings = _wordings(problem)
        if wordings and keys[wordings[0]] < FOLDED_FROM:
            keys.update(wordings[1:])
    return keys


def _wordings(problem: Problem) -> tuple[object, ...]:
    """What problems share that can be told together, the closest first."""
    first = problem.places[0]
    start = (problem.rule, problem.kind, problem.severity)
    direction = first.operation.direction if first.operation else ""
    pair = first.objects
    if pair is not None:
        if len({member.kind for member in problem.members}) > 1:
            return ()
        said = tuple((member.name, member.expected, member.found) for member in problem.members)
        same = (*start, direction, "members", said)
        if not problem.contract_type:
            return (same,)
        return same, (*start, direction, "component", pair.contract.path, pair.contract.pointer)
    match problem.kind:
        case "status":
            status = first.operation.status if first.operation else ""
            return ((*start, status, _of_contracted_status(first)),)
        case "shape" | "type" | "enum" | "nullable":
            body = (first.expected, first.found) if first.expected else ()
            return ((*start, direction, *body),)
        case "parameter":
            return ((*start, direction, first.field, first.expected, first.found),)
        case "missing-endpoint":
            return (start,)
        case "undocumented-endpoint":
            return ((*start, first.expected),)
        case _:
            return ()


def _title_of(problem: Problem) -> str:
    """One sentence that is true of all places of a problem. One place speaks for itself."""
    first = problem.places[0]
    if len(problem.places) == 1:
        return first.message
    if problem.members:
        return f"{_subject(problem)} {_of_fields(problem)}"
    match problem.kind:
        case "parameter" if len(said := {place.predicate for place in problem.places}) == 1:
            return f"{_subject(problem)} {said.pop()}"
        case "parameter":
            told = f"is {first.found or 'missing'}; the contract defines {first.expected or 'none'}"
            return f"parameter `{first.field}` {told}"
        case "undocumented-endpoint":
            routes = counted(len(problem.operations), "route")
            verb = "is" if len(problem.operations) == 1 else "are"
            return f"{routes} of {_home(problem)} {verb} in no contract{_covered(first)}"
        case "status" | "shape" | "type" | "enum" | "nullable" if not first.field:
            return f"{_subject(problem)} {_of_response(problem)}"
        case _:
            return first.message


def _title_of_group(problems: Sequence[Problem]) -> str:
    """One sentence for problems that are told together."""
    first = problems[0]
    more = len(problems) - 1
    if not more:
        return first.title
    match first.kind:
        case "missing-endpoint":
            operations = _operations(problems)
            return (
                f"{len(operations)} operations{_common_path(operations)} have no route in the code"
            )
        case "undocumented-endpoint":
            operations = _operations(problems)
            routes = f"{len(operations)} routes{_common_path(operations)} are in no contract"
            return f"{routes}{_most(operations)}{_covered(first.places[0])}"
        case "parameter":
            return f"{first.title}; so in {counted(more, 'more place')}"
        case _ if first.members:
            alike = len({_names(each.members) for each in problems}) == 1
            said = "does the same" if alike else "differs from it in the same way"
            if more > 1:
                said = "do the same" if alike else "differ from it in the same way"
            words = f"{_subject(first)} {_of_fields(first)}"
            return f"{words}; {more} more {said}"  # types, or functions that make objects
        case _:
            words = f"{_subject(first)} {_of_response(first)}"
            noun = "function" if first.code_type else "operation"
            said = f"{counted(more, f'more {noun}')} {'does' if more == 1 else 'do'} the same"
            return f"{words}; {said}"


def _of_fields(problem: Problem) -> str:
    """What is wrong with fields of a type."""
    component = problem.contract_type
    is_named = component and component != problem.code_type.rpartition(".")[2]
    contract = f"`{component}`" if is_named else "the contract"
    if len({member.kind for member in problem.members}) > 1:
        return f"is another type than {contract}: {_counts_text(problem.members)}"
    pair = problem.places[0].objects
    sends = pair is None or pair.code_sends
    words = (_OF_SENDER if sends else _OF_RECEIVER).get(problem.kind)
    words = words or _OF_BOTH.get(problem.kind, "differs from {contract} in {what}")
    several = len(problem.members) > 1
    member = problem.members[0]
    alike = len({(place.expected, place.found) for place in problem.places}) == 1
    if not several and alike and problem.kind in ("type", "shape"):
        return f"has {member.found} for `{member.name}`, expected {member.expected}"
    if not several and problem.kind == "name-case":
        verb = "has" if sends else "reads"
        return f"{verb} `{member.found}` instead of `{member.expected}`"
    what = f"{len(problem.members)} fields" if several else f"`{member.name}`"
    return words.format(what=what, that=" that" if several else ", which", contract=contract)


def _of_response(problem: Problem) -> str:
    """What is wrong with a status or a whole body."""
    first = problem.places[0]
    if said := _of_contracted_status(first):
        return said
    if problem.kind == "status":
        status = first.operation.status if first.operation else first.found
        return f"returns {status}, which the contract does not define"
    if not first.expected:
        return "returns a body; the contract defines none"
    return f"has {first.found or 'something else'}, expected {first.expected}"


def _of_contracted_status(finding: Finding) -> str:
    """What is said of a contracted status in place of which another one is returned; empty where
    the finding is about the one that is."""
    status = finding.operation.status if finding.operation else ""
    is_contracted = finding.kind == "status" and finding.found not in ("", status)
    return finding.predicate if is_contracted else ""


def _counts_text(members: Sequence[Member]) -> str:
    """ "3 fields missing, 5 not in the contract"."""
    numbers: dict[str, int] = {}
    for member in members:
        words = difference_of(member)
        numbers[words] = numbers.get(words, 0) + 1
    (words, number), *rest = numbers.items()
    return ", ".join([f"{counted(number, 'field')} {words}", *(f"{n} {w}" for w, n in rest)])


def _operations(problems: Sequence[Problem]) -> list[str]:
    return sorted({name for each in problems for name in each.operations})


def _common_path(operations: Sequence[str]) -> str:
    """The path that operations have in common: " below `/ui`"; empty where they have none."""
    shared = common_folder(name.partition(" ")[2] for name in operations)
    return f" below `{shared}`" if shared else ""


def _most(operations: Sequence[str]) -> str:
    """Where most of operations are that have no path in common: ", 90 of them below `/cron`"."""
    starts = Counter(name.partition(" /")[2].partition("/")[0] for name in operations)
    if len(starts) == 1:
        return ""
    ((start, number),) = starts.most_common(1)
    return f", {number} of them below `/{start}`" if 2 * number > len(operations) else ""


def _covered(route: Finding) -> str:
    """What the contract covers instead, where a route stands outside of it."""
    return f"; the contract covers {route.expected} only" if route.expected else ""


def _names(members: Sequence[Member]) -> tuple[str, ...]:
    return tuple(member.name for member in members)


def _subject(problem: Problem) -> str:
    """The type or function in the code; where it has no name the one operation, else its file."""
    if problem.code_type and problem.kind != "parameter":
        return f"`{problem.code_type}`"
    if len(problem.operations) == 1:
        return f"`{problem.operations[0]}`"
    origin = problem.places[0].origin
    return f"`{origin.path.rpartition('/')[2]}`" if origin.path else "the code"


def _home(problem: Problem) -> str:
    """The controller of routes; where there is none, their file."""
    controller = problem.code_type.rpartition(".")[0]
    return f"`{controller or problem.places[0].origin.path.rpartition('/')[2]}`"
