"""The way from a promise to a place: from the operation, channel or model of a contract down to one
property, and from the route, use or type in code down to the field that stands for it.

A report says where two things disagree. This says how one gets there, on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from contract_scan.ir.document import ContractDocument, Resolver
from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Body, Operation, Response, with_answers
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Reference, Schema, Union, Unknown
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.differences.describe import describe
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.media import is_success, json_bodies, response_for
from contract_scan.scanners.rule import PairedUnit

DEEPEST = 60
"""Schemas within each other that are followed."""
_AFTER_A_NAME = re.compile(r"$|[.\[{]")


class ProvenanceStep(Struct, frozen=True):
    """One stop on the way."""

    words: str
    origin: Origin


class Provenance(Struct, frozen=True, kw_only=True):
    """Both ways, from the outside in."""

    contract: tuple[ProvenanceStep, ...] = ()
    code: tuple[ProvenanceStep, ...] = ()


def trail_of(entry: Finding | Undetermined, units: Sequence[PairedUnit]) -> Provenance:
    """How one gets to what a finding, or a place that is undetermined, is about."""
    if entry.operation is not None:
        return _of_operation(entry, units)
    if entry.channel is not None:
        return _of_channel(entry, units)
    if entry.model is not None:
        return _of_model(entry, units)
    return _of_base_path(entry, units)


# ---------------------------------------------------------------------- operations


def operation_step(operation: Operation) -> ProvenanceStep:
    """What a contract promises."""
    return ProvenanceStep(f"operation `{operation.method} {operation.path}`", operation.origin)


def route_step(route: Operation) -> ProvenanceStep:
    """What answers in the code."""
    words = f"route `{route.method} {route.path}`"
    if route.framework:
        words += f" ({route.framework})"
    name = route.handler or route.origin.symbol
    return ProvenanceStep(f"{words}, handled by `{name}`" if name else words, route.origin)


def _of_operation(entry: Finding | Undetermined, units: Sequence[PairedUnit]) -> Provenance:
    asked = entry.operation
    assert asked is not None
    found = [
        (_distance(entry, pair.document.path, route), number, paired, pair, route)
        for paired in units
        for pair in paired.operations.pairs
        if (pair.contract.method, pair.contract.path) == (asked.method, asked.path)
        for number, route in enumerate(map(with_answers, pair.routes))
    ]
    if found:
        # Services may promise operations of the same name: the entry's own places tell which.
        _, _, paired, pair, route = min(found, key=lambda each: each[:2])
        ours, theirs = _bodies_at_steps(
            entry, (pair.contract, pair.document), (route, paired.unit.code)
        )
        return Provenance(
            contract=(
                operation_step(pair.contract),
                *_steps_into_field(ours, pair.document, entry.field),
            ),
            code=(
                route_step(route),
                *(
                    (ProvenanceStep("sends a status that is not followed", entry.origin),)
                    if entry.origin == route.undetermined_status
                    else _steps_into_field(theirs, paired.unit.code, entry.field)
                ),
            ),
        )
    for paired in units:
        for document, operation in paired.unit.contracted_operations():
            same = (operation.method, operation.path) == (asked.method, asked.path)
            if same and entry.origin.path in (operation.origin.path, document.path):
                code = tuple(map(route_step, _unpaired_routes(operation, paired)))
                return Provenance(contract=(operation_step(operation),), code=code)
        for undocumented in paired.operations.undocumented:
            if undocumented.route.origin == entry.origin:
                return Provenance(code=(route_step(undocumented.route),))
    return Provenance()


def _unpaired_routes(operation: Operation, paired: PairedUnit) -> tuple[Operation, ...]:
    """The routes of the path of an operation that none answers."""
    missing = (each for each in paired.operations.missing if each.contract is operation)
    return next((each.other_methods for each in missing), ())


def _of_base_path(entry: Finding | Undetermined, units: Sequence[PairedUnit]) -> Provenance:
    """For what is said of a whole contract: the operation and the route that show it."""
    for paired in units:
        for pair in paired.operations.pairs:
            for route in pair.routes:
                if route.origin == entry.origin and pair.contract.origin == _promise(entry):
                    contract = operation_step(pair.contract)
                    return Provenance(contract=(contract,), code=(route_step(route),))
    return Provenance()


def _promise(entry: Finding | Undetermined) -> Origin | None:
    return entry.contract if isinstance(entry, Finding) else None


def _distance(
    entry: Finding | Undetermined, document: str, route: Operation
) -> tuple[bool, bool, bool, int]:
    """How far a route is from the places of an entry: not named, in another file, of another
    contract, lines away."""
    places = [entry.origin]
    contract = ""
    if isinstance(entry, Finding):
        places += [entry.reached_from] if entry.reached_from is not None else []
        contract = entry.contract.path if entry.contract is not None else ""
    own = [route.origin, *(body.origin for body in route.request)]
    own += [origin for response in route.responses for origin in _origins(response)]
    own += [route.undetermined_status] if route.undetermined_status is not None else []
    near = [place for place in places if place.path == route.origin.path]
    lines = min((abs(place.span.line - route.origin.span.line) for place in near), default=0)
    named = any(place in own for place in places)
    return (not named, not near, document not in (contract, entry.origin.path), lines)


def _origins(response: Response) -> list[Origin]:
    return [response.origin, *(body.origin for body in response.bodies)]


class _BodyAtStep(Struct, frozen=True):
    """A body of one side, with the step that names it."""

    step: ProvenanceStep | None = None
    body: Body | None = None


def _bodies_at_steps(
    entry: Finding | Undetermined,
    promise: tuple[Operation, Resolver],
    answer: tuple[Operation, Resolver],
) -> tuple[_BodyAtStep, _BodyAtStep]:
    asked = entry.operation
    contract, route = promise[0], answer[0]
    assert asked is not None
    kind = entry.kind if isinstance(entry, Finding) else ""
    if kind == "parameter" or _is_parameter(entry, contract, route):
        return _parameter(*promise, entry.field), _parameter(*answer, entry.field)
    if asked.direction == "request":
        ours, theirs = json_bodies(contract.request, route.request)
        return _request(ours), _request(theirs)
    if asked.direction == "response":
        promised = response_for(contract.responses, asked.status)
        response = compared_response(asked.status, route)
        ours, theirs = json_bodies(
            promised.bodies if promised else (), response.bodies if response else ()
        )
        return _BodyAtStep(_response(promised, "promises"), ours), _BodyAtStep(
            _response(response, "sends"), theirs
        )
    return _BodyAtStep(), _BodyAtStep()


def _is_parameter(entry: Finding | Undetermined, contract: Operation, route: Operation) -> bool:
    asked = entry.operation
    if asked is None or asked.direction != "request" or not entry.field:
        return False
    ours, theirs = json_bodies(contract.request, route.request)
    return ours is None and theirs is None


def compared_response(status: str, route: Operation) -> Response | None:
    """The response of a route that a contracted status is compared with."""
    exact = next((r for r in route.responses if r.status == status), None)
    successes = [r for r in route.responses if is_success(r.status)]
    return exact or (successes[0] if successes and is_success(status) else None)


def _parameter(operation: Operation, resolver: Resolver, name: str) -> _BodyAtStep:
    for parameter in operation.parameters:
        if parameter.name == name or fold(parameter.name) == fold(name):
            named = f"{parameter.location} parameter `{parameter.name}`"
            need = "" if parameter.required is None else _CONTRACTED[parameter.required]
            words = f"{named}: {describe(parameter.schema, resolver)}{need}"
            return _BodyAtStep(ProvenanceStep(words, parameter.origin))
    return _BodyAtStep()


def _request(body: Body | None) -> _BodyAtStep:
    return _BodyAtStep(None if body is None else ProvenanceStep("request body", body.origin), body)


def _response(response: Response | None, verb: str) -> ProvenanceStep | None:
    return (
        None
        if response is None
        else ProvenanceStep(f"{verb} status {response.status}", response.origin)
    )


def _steps_into_field(
    part: _BodyAtStep, resolver: Resolver, field: str
) -> tuple[ProvenanceStep, ...]:
    steps = [] if part.step is None else [part.step]
    if part.body is not None:
        words = f"a body of {part.body.content_type}: {describe(part.body.schema, resolver)}"
        steps.append(ProvenanceStep(words, part.body.origin))
        steps += descend(part.body.schema, resolver, field)
    return tuple(steps)


# ---------------------------------------------------------------------- channels and models


def use_step(use: EventUse) -> ProvenanceStep:
    """A place that sends or receives."""
    verb = "sends to" if use.direction == "send" else "receives from"
    words = f"{verb} `{use.address}`" if use.address else f"{verb} a channel"
    if use.framework:
        words += f" ({use.framework})"
    inside = f", in `{use.origin.symbol}`" if use.origin.symbol else ""
    return ProvenanceStep(words + inside, use.origin)


def _of_channel(entry: Finding | Undetermined, units: Sequence[PairedUnit]) -> Provenance:
    for paired in units:
        for pair in paired.channels.pairs:
            if pair.channel.key != entry.channel:
                continue
            channel = pair.channel
            contract = [
                ProvenanceStep(f"channel `{channel.address or channel.key}`", channel.origin)
            ]
            use = _nearest_use(entry, pair.uses)
            messages = [m for o in channel.operations for m in o.messages] or channel.messages
            for message in messages:
                inside = descend(message.payload, pair.document, entry.field, strict=True)
                if inside is not None and (not entry.field or inside):
                    contract.append(ProvenanceStep(f"message `{message.name}`", message.origin))
                    contract += inside
                    break
            code = []
            if use is not None:
                code = [use_step(use), *descend(use.payload, paired.unit.code, entry.field)]
            return Provenance(contract=tuple(contract), code=tuple(code))
    used = [use for paired in units for use in paired.unit.code.events]
    here = tuple(use_step(use) for use in used if use.origin == entry.origin)
    return Provenance(code=here[:1])


def _nearest_use(entry: Finding | Undetermined, uses: Sequence[EventUse]) -> EventUse | None:
    places = [entry.origin]
    if isinstance(entry, Finding) and entry.reached_from is not None:
        places.insert(0, entry.reached_from)
    for place in places:
        for use in uses:
            if use.origin == place or use.payload.origin == place:
                return use
    return uses[0] if uses else None


def _of_model(entry: Finding | Undetermined, units: Sequence[PairedUnit]) -> Provenance:
    for paired in units:
        for pair in paired.models:
            if entry.model not in (pair.model.called, pair.model.name):
                continue
            contract = [ProvenanceStep(f"model `{pair.model.called}`", pair.model.origin)]
            contract += descend(pair.model.schema, pair.document, entry.field)
            same = [t for t in pair.types if t.origin.path == entry.origin.path]
            same.sort(key=lambda t: abs(t.origin.span.line - entry.origin.span.line))
            code: list[ProvenanceStep] = []
            for model in same[:1]:
                code = [ProvenanceStep(f"{model.kind or 'type'} `{model.name}`", model.origin)]
                code += descend(model.schema, paired.unit.code, entry.field)
            return Provenance(contract=tuple(contract), code=tuple(code))
    return Provenance()


# ---------------------------------------------------------------------- into a schema


def descend(
    schema: Schema, resolver: Resolver, path: str, *, strict: bool = False
) -> list[ProvenanceStep]:
    """The types and properties on the way to a place in a schema (`items[].price`), as far as the
    schema has them."""
    found = _descend(schema, resolver, path, DEEPEST)
    if found.reached or not strict:
        return found.steps
    return []


class _Descent(Struct, frozen=True):
    steps: list[ProvenanceStep]
    reached: bool


def _descend(schema: Schema, resolver: Resolver, path: str, depth: int) -> _Descent:
    if not depth:
        return _Descent([], False)
    path = path.removeprefix(".")
    match schema:
        case Reference():
            try:
                target = resolver.resolve(schema)
            except KeyError:
                return _Descent([], False)
            return _descend(target, resolver, path, depth - 1)
        case Object():
            return _into_object(schema, resolver, path, depth)
        case Array(items=items):
            if path.startswith("[]"):
                return _descend(items, resolver, path[2:], depth - 1)
            return _Descent([], not path)
        case Union(options=options):
            return _into_union(options, resolver, path, depth)
        case Unknown(reason=reason):
            return _Descent([ProvenanceStep(f"unknown: {reason}", schema.origin)], not path)
        case _:
            return _Descent([], not path)


def _into_union(options: Sequence[Schema], resolver: Resolver, path: str, depth: int) -> _Descent:
    best = _Descent([], not path)
    for option in options if path else ():
        found = _descend(option, resolver, path, depth - 1)
        if found.reached:
            return found
        if len(found.steps) > len(best.steps):
            best = found
    return best


def _into_object(schema: Object, resolver: Resolver, path: str, depth: int) -> _Descent:
    steps = [ProvenanceStep(f"type `{schema.name}`", schema.origin)] if schema.name else []
    if not path:
        return _Descent(steps, True)
    if path.startswith("{}") and schema.additional is not None:
        inside = _descend(schema.additional, resolver, path[2:], depth - 1)
        return _Descent(steps + inside.steps, inside.reached)
    for field, length in _matching_fields(schema, path):
        steps.append(_field_step(field, resolver))
        if not path[length:]:
            return _Descent(steps, True)
        inside = _descend(field.schema, resolver, path[length:], depth - 1)
        return _Descent(steps + inside.steps, inside.reached)
    return _Descent(steps, False)


def _matching_fields(schema: Object, path: str) -> Iterator[tuple[Field, int]]:
    """Fields that a path goes on with, and how much of it they take. The longest name comes first,
    since a name may hold a dot; one in another case style comes last."""
    for field in sorted(schema.fields, key=lambda field: -len(field.name)):
        if path.startswith(field.name) and _AFTER_A_NAME.match(path, len(field.name)):
            yield field, len(field.name)
    first = re.split(r"[.\[{]", path, maxsplit=1)[0]
    for field in schema.fields:
        if field.name != first and fold(field.name) == fold(first):
            yield field, len(first)


_CONTRACTED = {True: ", required", False: ", optional"}
_CODED = {True: ", always there", False: ", not always there"}


def _field_step(field: Field, resolver: Resolver) -> ProvenanceStep:
    declared = f", declared as `{field.declared_as}`" if field.declared_as else ""
    needs = _CONTRACTED if isinstance(resolver, ContractDocument) else _CODED
    need = "" if field.required is None else needs[field.required]
    words = f"property `{field.name}`{declared}: {describe(field.schema, resolver)}{need}"
    return ProvenanceStep(words, field.origin)
