"""Differences that one transformation explains, of which nothing that was read tells.

Where every handler of an application differs from its contract in one way, something that was not
read may see to it in one place: a hook of a library that rewrites keys, an interceptor or a gateway
that wraps bodies, a helper that takes an answer apart. To tell each operation that it is wrong
would be one guess told many times. So a transformation counts where it explains several operations
and speaks against none of those that it would concern; where one of them keeps the contract as it
stands, or code that is known to write the very names is seen, the others differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.document import Resolver
from contract_scan.ir.operation import Body, with_answers
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Object, Schema, Unknown
from contract_scan.ir.violation import Finding, Kind, OperationRef, RuleId, Undetermined
from contract_scan.scanners.differences import Comparison
from contract_scan.scanners.differences.names import SEVERAL_WORDS, fold
from contract_scan.scanners.differences.union_members import alternatives, target_schema
from contract_scan.scanners.direction import Comparers, Said
from contract_scan.scanners.media import is_json, is_success, json_bodies, response_for
from contract_scan.scanners.pairing.paired import OperationPair


class ComparedBody(Struct, frozen=True):
    """A JSON body of an operation beside the contract's, with what was found to differ."""

    pair: OperationPair
    direction: Literal["response", "request"]
    status: str
    contract: Schema
    code: Schema
    findings: tuple[Finding, ...]
    is_kept: bool
    """Whether all of it was compared, and nothing differs."""
    sent: tuple[Schema, ...]
    """All bodies that the code sends in the operation."""


class Signs(Struct, frozen=True):
    """What a body says of a transformation."""

    way: str = ""
    """Which of several of its sort."""
    seen: frozenset[str] = frozenset()
    """What shows it, in words; empty where the transformation explains nothing of the body."""
    against: frozenset[str] = frozenset()
    """What it would have changed, and did not."""
    types: frozenset[Origin] = frozenset({NOWHERE})
    """The types of the code that show it, where it is about types."""


_Test: TypeAlias = Callable[[ComparedBody, Comparers], Signs | None]
"""What a body says of a transformation; None: that there is none."""
_NO_SIGN = Signs()
_Side: TypeAlias = tuple[Literal["response", "request"], str, Sequence[Body], Sequence[Body]]
"""(direction, status, what the contract has, what the code has)"""


class Transformation(Struct, frozen=True, kw_only=True):
    """One thing that code which was not read may do to all bodies."""

    kind: Kind
    """Of the one statement that is made of it."""
    says: str
    """What it comes to, with the `way` and a `sign` of it."""
    explains: Callable[[Finding], bool]
    """Which findings about a body it takes away."""
    test: _Test
    fewest_operations: int = 3
    fewest_signs: int = 1
    fewest_types: int = 1
    signs_for_one_against: int = 1
    share: float = 0.8
    """The part of the bodies with such findings that it has to explain."""


class SystematicDifference(Struct, frozen=True):
    """Bodies of one document that differ from it in one way."""

    transformation: Transformation
    first: OperationPair
    parts: Mapping[int, frozenset[tuple[str, str]]]
    """By the identity of a pair: the direction and the status of each body."""
    words: str

    def left_of(self, pair: OperationPair, said: Iterable[Said], rule: RuleId) -> Iterator[Said]:
        """What is left of what is said of an operation."""
        parts = self.parts.get(id(pair), frozenset())
        reason = Reason("systematic-difference", operations=len(self.parts), way=self.words)
        told: set[OperationRef] = set()
        for one in said:
            of = one.operation
            is_here = of is not None and (of.direction, of.status) in parts
            if not is_here or not isinstance(one, Finding) or not self.transformation.explains(one):
                yield one
            elif of is not None and of not in told:
                told.add(of)
                yield Undetermined(rule=rule, reason=reason, origin=one.origin, operation=of)

    def statement(self, rule: RuleId) -> Finding:
        """The one thing that is said of the application."""
        first = self.first
        return Finding(
            rule=rule,
            kind=self.transformation.kind,
            severity="warning",
            evidence="inferred",
            message=f"{len(self.parts)} operations of `{first.document.path}` differ in one way: "
            f"{self.words}",
            origin=first.routes[0].origin,
            contract=first.contract.origin,
            help="find out whether code that was not read (a hook, a gateway) changes all bodies: "
            "if none does, mend the code or the contract",
        )


def systematic_differences(
    compared: Sequence[tuple[OperationPair, Sequence[Said]]], tools: Mapping[str, Comparers]
) -> Iterator[SystematicDifference]:
    """What differs in one way in the operations of a document, by direction."""
    by_part: dict[tuple[str, str], list[ComparedBody]] = defaultdict(list)
    differing = [said for _, said in compared if any(isinstance(one, Finding) for one in said)]
    for pair, said in compared if len(differing) > 1 else ():
        for body in _bodies(pair, said):
            by_part[pair.document.path, body.direction].append(body)
    for (path, _), bodies in by_part.items():
        for transformation in TRANSFORMATIONS:
            for way, explained in _explained_bodies(transformation, bodies, tools[path]).items():
                sign = min(min(one.seen) for _, one in explained)
                words = transformation.says.format(way=way, sign=sign)
                parts: dict[int, frozenset[tuple[str, str]]] = {}
                for body, _ in explained:
                    own = parts.get(id(body.pair), frozenset())
                    parts[id(body.pair)] = own | {(body.direction, body.status)}
                yield SystematicDifference(transformation, explained[0][0].pair, parts, words)


def _explained_bodies(
    transformation: Transformation, bodies: Sequence[ComparedBody], tools: Comparers
) -> dict[str, list[tuple[ComparedBody, Signs]]]:
    """The bodies that a transformation explains, by the way in which they differ; none where too
    few speak for it, or too much against it."""
    differing = [body for body in bodies if any(map(transformation.explains, body.findings))]
    if not _is_seen(transformation, differing):
        return {}
    by_way: dict[str, list[tuple[ComparedBody, Signs]]] = defaultdict(list)
    against: set[str] = set()
    for body in sorted(bodies, key=lambda body: not body.is_kept):  # they may settle it at once
        signs = transformation.test(body, tools)
        if signs is None:
            return {}
        against |= signs.against
        if signs.seen:
            by_way[signs.way].append((body, signs))
    return {
        way: found
        for way, found in by_way.items()
        if _is_seen(transformation, [body for body, _ in found])
        and len({sign for _, one in found for sign in one.seen})
        >= max(transformation.fewest_signs, transformation.signs_for_one_against * len(against))
        and len({place for _, one in found for place in one.types}) >= transformation.fewest_types
        and len(found) >= transformation.share * len(differing)
    }


def _is_seen(transformation: Transformation, bodies: Iterable[ComparedBody]) -> bool:
    """Whether bodies are of as many operations as a transformation has to explain."""
    return len({id(body.pair) for body in bodies}) >= transformation.fewest_operations


def _bodies(pair: OperationPair, said: Sequence[Said]) -> Iterator[ComparedBody]:
    """The JSON bodies of a pair that were compared, of which something is known; nothing on both
    sides for a status that the contract does not have."""
    findings: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    told: set[tuple[str, str]] = set()
    for one in said:
        if one.operation is not None:
            part = (one.operation.direction, one.operation.status)
            told.add(part)
            if isinstance(one, Finding) and one.severity != "note":
                findings[part].append(one)
    for route in map(with_answers, pair.routes):
        sent = tuple(body.schema for response in route.responses for body in response.bodies)
        sides: list[_Side] = [("request", "", pair.contract.request, route.request)]
        for response in route.responses:
            match = response_for(pair.contract.responses, response.status)
            if match is not None:
                sides.append(("response", match.status, match.bodies, response.bodies))
            own = findings["response", response.status]
            if any(one.kind == "status" for one in own):
                yield ComparedBody(
                    pair=pair,
                    direction="response",
                    status=response.status,
                    contract=Nothing(),
                    code=Nothing(),
                    findings=tuple(own),
                    is_kept=False,
                    sent=sent,
                )
        for direction, status, contracted, coded in sides:
            ours, theirs = json_bodies(contracted, coded)
            if ours is not None and theirs is not None and not isinstance(theirs.schema, Unknown):
                yield ComparedBody(
                    pair=pair,
                    direction=direction,
                    status=status,
                    contract=ours.schema,
                    code=theirs.schema,
                    findings=tuple(findings[direction, status]),
                    is_kept=(direction, status) not in told,
                    sent=sent,
                )


# ---------------------------------------------------------------------- names in another case style


def _signs_of_case_style(body: ComparedBody, tools: Comparers) -> Signs | None:
    """Whether names of several words are written in another case style than the contract's, and by
    nothing that was read."""
    cased = [finding for finding in body.findings if finding.kind == "name-case"]
    if any(finding.evidence == "enforced" for finding in cased):
        return None
    return Signs(
        seen=frozenset(f"`{finding.found}` for `{finding.expected}`" for finding in cased),
        against=frozenset(_common_names(body.contract, body.code, tools)),
        types=frozenset(finding.objects.code for finding in cased if finding.objects is not None),
    )


def _common_names(contract: Schema, code: Schema, tools: Comparers) -> Iterator[str]:
    """The names of several words that both sides write alike."""
    waiting, seen = [(contract, code)], set[tuple[str | int, str | int]]()
    kept: list[object] = []  # identities hold only while their objects live
    while waiting:
        ours, theirs = waiting.pop()
        first, second = alternatives(ours, tools.document), alternatives(theirs, tools.code)
        kept += (first, second)
        for one, other in product(first.options, second.options):
            key = (one.key or id(one.shape), other.key or id(other.shape))
            if key in seen:
                continue
            seen.add(key)
            match one.shape, other.shape:
                case Array(items=item), Array(items=other_item):
                    waiting.append((item, other_item))
                case Object(fields=fields), Object(fields=other_fields):
                    named = {fold(field.name): field for field in other_fields}
                    for field in fields:
                        same = named.get(fold(field.name))
                        if same is None:
                            continue
                        if same.name == field.name and SEVERAL_WORDS.search(field.name):
                            yield field.name
                        waiting.append((field.schema, same.schema))
                case _:
                    pass


# ---------------------------------------------------------------------- envelopes


def _signs_of_envelope(body: ComparedBody, tools: Comparers, *, in_code: bool) -> Signs | None:
    """Whether the contract has what a handler gives in one property of an envelope; or, where the
    envelope is `in_code`, a handler gives so what the contract has, and nothing that was read sends
    the envelope."""
    if not _is_success_response(body):
        return _NO_SIGN
    if body.is_kept or (in_code and any(one.evidence == "enforced" for one in body.findings)):
        return None if _says_something(body, tools) else _NO_SIGN
    contract, code = (body.contract, tools.document), (body.code, tools.code)
    compare = tools.response.compare
    if in_code:
        name = _holding_property(
            code, contract, lambda held: compare(contract=body.contract, code=held)
        )
    else:
        name = _holding_property(
            contract, code, lambda held: compare(contract=held, code=body.code)
        )
    return Signs(way=name, seen=frozenset({body.pair.contract.path})) if name else _NO_SIGN


def _holding_property(
    envelope: tuple[Schema, Resolver],
    bare: tuple[Schema, Resolver],
    compare: Callable[[Schema], Comparison],
) -> str:
    """The property of an object that holds all of another body; empty where it has none, or the
    other has that property itself."""
    outer, inner = target_schema(*envelope), target_schema(*bare)
    own = {field.name for field in inner.fields} if isinstance(inner, Object) else set()
    for field in outer.fields if isinstance(outer, Object) else ():
        held = target_schema(field.schema, envelope[1])
        says = isinstance(held, Array) or (isinstance(held, Object) and held.fields)
        if says and field.name not in own and not compare(held).differences:
            return field.name
    return ""


def _says_something(body: ComparedBody, tools: Comparers) -> bool:
    """Whether both sides of a body are lists, or objects with fields."""
    return all(
        isinstance(shape, Array) or (isinstance(shape, Object) and bool(shape.fields))
        for shape in (
            target_schema(body.contract, tools.document),
            target_schema(body.code, tools.code),
        )
    )


def _is_success_response(body: ComparedBody) -> bool:
    return body.direction == "response" and is_success(body.status)


# ---------------------------------------------------------------------- statuses


def _signs_of_crossed_statuses(body: ComparedBody, tools: Comparers) -> Signs | None:
    """Whether what does not fit a status, of several things that are given for any, is what the
    contract has for another one."""
    is_shared = body.sent.count(body.code) > 1
    options = alternatives(body.code, tools.code).options if is_shared else ()
    misfits = [
        option.shape
        for option in options
        if tools.response.compare(contract=body.contract, code=option.shape).differences
    ]
    if not misfits or any(one.evidence == "enforced" for one in body.findings):
        return _NO_SIGN
    others = [
        other.schema
        for response in body.pair.contract.responses
        for other in response.bodies
        if response.status != body.status and is_json(other.content_type)
    ]
    fit = all(
        any(not tools.response.compare(contract=other, code=one).differences for other in others)
        for one in misfits
    )
    return Signs(seen=frozenset({body.pair.contract.path})) if fit else _NO_SIGN


def _signs_of_status_by_argument(body: ComparedBody, _: Comparers) -> Signs | None:
    """Whether the place that gives an unlisted status gives a listed one as well: which of them it
    is here depends on what the place is handed, where others list others of them."""
    wrong = [one for one in body.findings if one.kind == "status" and one.severity == "error"]
    if not wrong:
        return _NO_SIGN
    place = wrong[0].origin
    listed = {response.status for response in body.pair.contract.responses}
    given = {
        response.status
        for route in map(with_answers, body.pair.routes)
        for response in route.responses
        if (response.origin.path, response.origin.symbol) == (place.path, place.symbol)
    }
    successes = filter(is_success, listed & given)
    return Signs(way=place.symbol or place.path, seen=frozenset(successes))


# ---------------------------------------------------------------------- the table


def _is_of_body(finding: Finding) -> bool:
    return finding.kind != "status"


def _is_of_success_body(finding: Finding) -> bool:
    of = finding.operation
    return of is not None and is_success(of.status) and _is_of_body(finding)


TRANSFORMATIONS = (
    Transformation(
        kind="name-case",
        says="names of several words are written in another case style ({sign})",
        explains=lambda finding: finding.kind == "name-case",
        test=_signs_of_case_style,
        fewest_operations=2,
        fewest_signs=3,
        fewest_types=2,
        signs_for_one_against=5,
        share=1,
    ),
    Transformation(
        kind="shape",
        says="the contract has in `{way}` what the handler gives",
        explains=_is_of_success_body,
        test=partial(_signs_of_envelope, in_code=False),
    ),
    Transformation(
        kind="shape",
        says="the handler gives in `{way}` what the contract has",
        explains=_is_of_success_body,
        test=partial(_signs_of_envelope, in_code=True),
    ),
    Transformation(
        kind="shape",
        says="the handler gives, for any status, what the contract has for several",
        explains=_is_of_body,
        test=_signs_of_crossed_statuses,
        share=0,
    ),
    Transformation(
        kind="status",
        says="`{way}` gives any of several statuses, of which each operation lists its own",
        explains=lambda finding: finding.kind == "status",
        test=_signs_of_status_by_argument,
        fewest_signs=2,
        share=0,
    ),
)
