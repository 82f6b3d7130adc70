"""Which code implements or uses what changed in a contract."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.contract_changes import ChangeImpact, ChangeSubject, ContractChange
from contract_scan.ir.document import Resolver
from contract_scan.ir.event import Channel, Direction
from contract_scan.ir.operation import Operation, with_answers
from contract_scan.ir.schema import Array, Object, Reference, Schema, Union
from contract_scan.scanners.pairing.document_direction import contracted_directions
from contract_scan.scanners.rule import PairedUnit

_STEP = re.compile(r"[^.\[\]{}]+|\[\d*\]|\{\}")
_MAX_OPTIONS = 64


class CodePairing(Struct, frozen=True):
    """Promises of contracts paired with the code of one folder."""

    paired: PairedUnit
    resolver: Resolver
    """Of the references in that code."""
    label: str
    """What comes before its paths in reports."""


def with_impacts(
    changes: Iterable[ContractChange], pairings: Sequence[CodePairing]
) -> list[ContractChange]:
    """The changes, each with the places in code that its promises are paired with."""
    found: list[ContractChange] = []
    for change in changes:
        impacts = (
            replace(impact, origin=replace(impact.origin, path=one.label + impact.origin.path))
            for one in pairings
            for subject in change.subjects
            for impact in _impacts(subject, one.paired, one.resolver)
        )
        found.append(replace(change, impacts=tuple(dict.fromkeys(impacts))))
    return found


def _impacts(
    subject: ChangeSubject, paired: PairedUnit, resolver: Resolver
) -> Iterator[ChangeImpact]:
    if subject.operation:
        for pair in paired.operations.pairs:
            if f"{pair.contract.method} {pair.contract.path}" == subject.operation:
                for route in pair.routes:
                    yield ChangeImpact(
                        role="provides",
                        subject=subject.operation,
                        origin=route.origin,
                        fields=_named_fields(subject, _values_of(route, subject), resolver),
                    )
    if subject.channel:
        for channel_pair in paired.channels.pairs:
            if channel_pair.channel.address != subject.channel:
                continue
            ends = _ends_using(subject, channel_pair.channel)
            for use in channel_pair.uses:
                if use.direction in ends:
                    yield ChangeImpact(
                        role="sends" if use.direction == "send" else "receives",
                        subject=subject.channel,
                        origin=use.origin,
                        fields=_named_fields(subject, (use.payload,), resolver),
                    )
    if subject.model:
        for model_pair in paired.models:
            if model_pair.model.name == subject.model:
                for model in model_pair.types:
                    yield ChangeImpact(
                        role="has",
                        subject=subject.model,
                        origin=model.origin,
                        fields=_named_fields(subject, (model.schema,), resolver),
                    )


def _ends_using(subject: ChangeSubject, channel: Channel) -> Collection[Direction]:
    """The ends of a channel that have to do with the messages that changed. Where a contract
    declares one direction, the code of other applications is at the other end of it."""
    declared = contracted_directions(channel)
    both: tuple[Direction, ...] = ("send", "receive")
    if len(declared) < len(both):
        return both
    return [end for end in both if subject.action in ("", end)]


def _values_of(route: Operation, subject: ChangeSubject) -> tuple[Schema, ...]:
    """What a route reads or sends in the part of the operation that changed."""
    if subject.part.startswith("request body"):
        return tuple(body.schema for body in route.request)
    status = subject.part.removeprefix("response ").partition(" ")[0]
    return tuple(
        body.schema
        for response in with_answers(route).responses
        if response.status == status
        for body in response.bodies
    )


def _named_fields(
    subject: ChangeSubject, values: tuple[Schema, ...], resolver: Resolver
) -> tuple[str, ...]:
    """The changed field, where code names it."""
    steps = _STEP.findall(subject.field)
    if not steps or not any(_has_value(value, steps, resolver) for value in values):
        return ()
    return (subject.field,)


def _has_value(value: Schema, steps: Sequence[str], resolver: Resolver) -> bool:
    pending: list[tuple[Schema, int]] = [(value, 0)]
    looked_at = 0
    while pending and looked_at < _MAX_OPTIONS:
        looked_at += 1
        schema, done = pending.pop()
        if done == len(steps):
            return True
        match schema:
            case Reference():
                pending.append((resolver.resolve(schema), done))
            case Union(options=options):
                pending += ((option, done) for option in options)
            case Array(items=items) if steps[done].startswith("["):
                pending.append((items, done + 1))
            case Object(additional=additional) if steps[done] == "{}":
                pending += [(additional, done + 1)] if additional is not None else []
            case Object(fields=fields):
                pending += ((f.schema, done + 1) for f in fields if f.name == steps[done])
            case _:
                pass
    return False
