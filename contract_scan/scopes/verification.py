"""What a scope really did, held against its contract: files that changed, endpoints and types that
the code has, and what its handoff says of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias, assert_never

from msgspec import Struct

from contract_scan.ir import violation
from contract_scan.ir.violation import KINDS_OF_SCOPE_RULE, Finding
from contract_scan.scopes.contract import Item, ScopeContract
from contract_scan.scopes.handoff import DeliverableOutcome, Fulfillment
from contract_scan.scopes.items import NamedItem, key_of, named_by, without_parameter_names
from contract_scan.scopes.paths import covers, is_pattern

Kind: TypeAlias = Literal[
    "undelivered",
    "forbidden-file",
    "missing-export",
    "wrong-claim",
    "unmentioned",
    "merge-conflict",
    "unmet-import",
    "double-export",
    "type-conflict",
    "broken-promise",
    "stalled",
    "blocked",
    "undetermined",
]
"""Those from `merge-conflict` to `blocked` show where all scopes are looked at together.
`undetermined` is no breach: it says what nobody has looked at."""


class Delivery(Struct, frozen=True, kw_only=True):
    """The state of the working tree that a scope leaves behind."""

    files: frozenset[str]
    """Every file, relative to the root."""
    changed: frozenset[str]
    """Those that are new, changed or gone since the scope began."""
    endpoints: frozenset[str] = frozenset()
    """`GET /orders/{id}` of every route that was found."""
    addresses: frozenset[str] = frozenset()
    """Of the channels that the code uses."""
    types: frozenset[str] = frozenset()
    """Names of the types of the code."""
    unknown_routes: str = ""
    """Why the code may answer more than these endpoints; empty: it does not."""
    unknown_channels: str = ""
    """The same of channels."""
    code_files: int = 0
    """How many files of code were read."""


class Deviation(Struct, frozen=True, kw_only=True):
    """One item of a contract that was not kept, or of which nothing can be said."""

    kind: Kind
    scope_id: str
    message: str
    path: str = ""
    """The file that breaks the contract; empty where there is none, or it is gone."""
    line: int = 0
    """Of the contract, or of the handoff for what that says."""
    in_handoff: bool = False
    item: str = ""
    """The item of the contract, or the file, that it is about; empty: the scope as a whole."""
    suspected: Kind = "undetermined"
    """What it would be if it were a breach, where that is undetermined."""
    findings: tuple[Finding, ...] = ()
    """What the engine found of it, where the code itself says it."""


def verify(
    contract: ScopeContract, delivery: Delivery, fulfillment: Fulfillment | None = None
) -> list[Deviation]:
    """Everything in which a scope departs from its contract, in the order of the contract.

    A file counts as delivered where it is there and differs from what it was when the scope began.
    A name that is no type of the code is undetermined: it may be that of something else. Of what
    would be undetermined, the word of the handoff counts that it is undelivered.
    """
    check = _Check(contract, delivery)
    outcomes = () if fulfillment is None else fulfillment.outcomes
    given_up = {
        key_of(named_by(Item(outcome.item))): outcome
        for outcome in outcomes
        if not outcome.delivered
    }
    found = [*check.deliverables(given_up), *check.exports(), *check.forbidden()]
    return found if fulfillment is None else [*found, *check.claims(fulfillment)]


def is_breach(deviation: Deviation) -> bool:
    """Whether the contract was not kept."""
    return deviation.kind != "undetermined"


def rule_of(deviation: Deviation) -> tuple[str, violation.Kind]:
    """The rule that a deviation breaks, or may break where that is undetermined, and which kind of
    problem it is there."""
    if deviation.findings and deviation.kind == "broken-promise":
        return deviation.findings[0].rule, deviation.findings[0].kind
    kind = deviation.suspected if deviation.kind == "undetermined" else deviation.kind
    return _RULES[kind]


_RULES: Final[Mapping[str, tuple[str, violation.Kind]]] = {
    kind: (rule, kind) for rule, kinds in KINDS_OF_SCOPE_RULE.items() for kind in kinds
}


class _Check:
    def __init__(self, contract: ScopeContract, delivery: Delivery) -> None:
        self._contract = contract
        self._delivery = delivery
        self._endpoints = frozenset(map(without_parameter_names, delivery.endpoints))

    def deliverables(
        self, given_up: Mapping[tuple[str, str], DeliverableOutcome]
    ) -> Iterator[Deviation]:
        """What is not there. `given_up` is what the handoff calls undelivered, by its key."""
        for item in self._contract.deliverables:
            outcome = given_up.get(key_of(named_by(item)))
            if outcome is not None and self._reason(item) is None:
                why = f": {outcome.detail}" if outcome.detail else ""
                yield self._deviation(
                    "undelivered",
                    f"{item.text}: the handoff calls it undelivered{why}",
                    outcome.line,
                    in_handoff=True,
                    item=item.text,
                )
            else:
                yield from self._unmet(item, "undelivered")

    def exports(self) -> Iterator[Deviation]:
        delivered = {key_of(named_by(item)) for item in self._contract.deliverables}
        for item in self._contract.exports:
            if key_of(named_by(item)) not in delivered:
                yield from self._unmet(item, "missing-export")

    def forbidden(self) -> Iterator[Deviation]:
        for item in self._contract.shared_files:
            pattern = named_by(item).name
            for file in sorted(self._delivery.changed):
                if covers(pattern, file):
                    yield self._deviation(
                        "forbidden-file",
                        f"{file} was changed; it belongs to a sibling (`{item.text}`)",
                        item.line,
                        path=file if file in self._delivery.files else "",
                        item=file,
                    )

    def claims(self, fulfillment: Fulfillment) -> Iterator[Deviation]:
        """What the handoff says, as far as it is wrong or leaves something out."""
        promised = {key_of(named_by(item)): item for item in self._contract.deliverables}
        mentioned = set()
        for outcome in fulfillment.outcomes:
            key = key_of(named_by(Item(outcome.item)))
            mentioned.add(key)
            if key not in promised:
                yield self._claim(outcome, f"{outcome.item} is no deliverable of the contract")
                continue
            reason = self._reason(promised[key])
            if outcome.delivered and reason:
                yield self._claim(outcome, f"{outcome.item} is said to be delivered, but {reason}")
            elif not outcome.delivered and reason == "":
                yield self._claim(
                    outcome, f"{outcome.item} is said to be undelivered, but is there"
                )
            elif outcome.delivered and (gone := self._missing_file(outcome.detail)):
                yield self._claim(
                    outcome, f"{outcome.item} is said to be {gone}, which is not there"
                )
        for key, item in promised.items():
            if key not in mentioned:
                yield self._deviation(
                    "unmentioned",
                    f"the handoff says nothing of the deliverable {item.text}",
                    fulfillment.line,
                    in_handoff=True,
                    item=item.text,
                )

    def _unmet(self, item: Item, kind: Kind) -> Iterator[Deviation]:
        reason = self._reason(item)
        if reason is None:
            message = f"{item.text}: {self._unknown_reason(item)}"
            yield self._deviation(
                "undetermined", message, item.line, item=item.text, suspected=kind
            )
        elif reason:
            yield self._deviation(kind, f"{item.text}: {reason}", item.line, item=item.text)

    def _reason(self, item: Item) -> str | None:
        """Why an item is not there; empty where it is, None where that is undetermined."""
        named, delivery = named_by(item), self._delivery
        match named.kind:
            case "file" | "pattern":
                return _file_reason(named, delivery)
            case "endpoint":
                if without_parameter_names(named.name) in self._endpoints:
                    return ""
                if delivery.unknown_routes or self._below_a_prefix(named):
                    return None
                return "no route answers it"
            case "event":
                if named.name in delivery.addresses:
                    return ""
                return None if delivery.unknown_channels else "no code sends or receives it"
            case "type" | "name":
                return "" if named.name in delivery.types else None
            case _:
                assert_never(named.kind)

    def _unknown_reason(self, item: Item) -> str:
        """Why nothing can be said of an item."""
        named = named_by(item)
        match named.kind:
            case "endpoint" if route := self._below_a_prefix(named):
                return f"the code has {route}; whether that is meant is unknown"
            case "endpoint":
                return f"no route was found for it, and {self._delivery.unknown_routes}"
            case "event":
                return f"no use of it was found, and {self._delivery.unknown_channels}"
            case _:
                return "no type of this name was found; whether something else is meant is unknown"

    def _below_a_prefix(self, named: NamedItem) -> str:
        """A route that answers the endpoint but for what stands before its path, since contracts of
        scopes have no base path."""
        method, _, path = without_parameter_names(named.name).partition(" ")
        return next(
            (
                route
                for route in sorted(self._delivery.endpoints)
                if route.startswith(f"{method} ")
                and without_parameter_names(route).endswith(path.rstrip("/") or " ")
            ),
            "",
        )

    def _missing_file(self, detail: str) -> str:
        """The file that an outcome names and that is not there."""
        named = named_by(Item(detail)) if detail else None
        if named is None or named.kind != "file" or named.name in self._delivery.files:
            return ""
        return named.name

    def _claim(self, outcome: DeliverableOutcome, message: str) -> Deviation:
        return self._deviation(
            "wrong-claim", message, outcome.line, in_handoff=True, item=outcome.item
        )

    def _deviation(
        self,
        kind: Kind,
        message: str,
        line: int,
        *,
        item: str,
        path: str = "",
        in_handoff: bool = False,
        suspected: Kind = "undetermined",
    ) -> Deviation:
        return Deviation(
            kind=kind,
            scope_id=self._contract.scope_id,
            message=message,
            path=path,
            line=line,
            in_handoff=in_handoff,
            item=item,
            suspected=suspected,
        )


def endpoints(routes: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Methods and paths as `Delivery.endpoints` has them."""
    return frozenset(f"{method.upper()} {path}" for method, path in routes)


def _file_reason(named: NamedItem, delivery: Delivery) -> str:
    there = _matching_files(named, delivery.files)
    if not there:
        return "no such file" if named.kind == "file" else "no file is meant by it"
    if delivery.changed.isdisjoint(there):
        return "is as it was before the scope began"
    return ""


def _matching_files(named: NamedItem, files: Iterable[str]) -> Sequence[str]:
    if not is_pattern(named.name):
        return [file for file in files if file == named.name]
    return [file for file in files if covers(named.name, file)]
