"""Problems in one sentence each, whether they have one place or a thousand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from contract_scan.counted import counted
from contract_scan.ir.problem import Member, Problem
from contract_scan.ir.violation import Finding, Kind
from contract_scan.scanners.pairing.paths import common_folder

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


def title_of(problem: Problem) -> str:
    """One sentence that is true of all places of a problem. One place speaks for itself."""
    first = problem.places[0]
    if len(problem.places) == 1:
        return first.message
    if problem.members:
        return f"{_subject(problem)} {_of_fields(problem)}"
    match problem.kind:
        case "parameter" if len(said := {_predicate(place) for place in problem.places}) == 1:
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


def title_of_group(problems: Sequence[Problem]) -> str:
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
            return f"{words}; {counted(more, 'more type')} {said}"
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
    if not several and problem.kind in ("type", "shape"):
        return f"has {member.found} for `{member.name}`, expected {member.expected}"
    if not several and problem.kind == "name-case":
        verb = "has" if sends else "reads"
        return f"{verb} `{member.found}` instead of `{member.expected}`"
    what = f"{len(problem.members)} fields" if several else f"`{member.name}`"
    return words.format(what=what, that=" that" if several else ", which", contract=contract)


def _of_response(problem: Problem) -> str:
    """What is wrong with a status or a whole body."""
    first = problem.places[0]
    if problem.kind == "status":
        status = first.operation.status if first.operation else first.found
        return f"returns {status}, which the contract does not define"
    if not first.expected:
        return "returns a body; the contract defines none"
    return f"has {first.found or 'something else'}, expected {first.expected}"


_COUNTED: Mapping[Kind, str] = {
    "missing-field": "missing",
    "extra-field": "not in the contract",
    "required": "optional",
    "nullable": "with other nulls",
    "enum": "with other values",
    "type": "of another type",
    "shape": "of another type",
    "name-case": "in another case",
}


def _counts_text(members: Sequence[Member]) -> str:
    """ "3 fields missing, 5 not in the contract"."""
    numbers: dict[str, int] = {}
    for member in members:
        words = _COUNTED.get(member.kind, "different")
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


def _predicate(finding: Finding) -> str:
    """What a message says of the operation that it names."""
    operation = finding.operation
    name = f"`{operation.method} {operation.path}` " if operation else ""
    return finding.message.removeprefix(name)


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
