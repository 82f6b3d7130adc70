"""What is known of a promise, by everything that is said of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from contract_scan.ir.document import Resolver
from contract_scan.ir.event import Channel
from contract_scan.ir.evidence import Grade
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation
from contract_scan.ir.schema import Array, Object, Schema
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.differences.union_members import Shape, alternatives
from contract_scan.scanners.media import is_error, is_success
from contract_scan.scanners.report import Verdict

_MISSING: Final = frozenset({"missing-channel", "missing-model"})
_PROVED: Final[frozenset[Grade]] = frozenset({"enforced", "checked"})

_Part: TypeAlias = str | None
"""The status of a response, or `_REQUEST`; None for a channel or a model."""
_REQUEST: Final = ""


class Promised(Struct, frozen=True):
    """What a contract says in one promise."""

    resolver: Resolver
    schemas: Mapping[_Part, Collection[Schema]]
    parameters: frozenset[str] = frozenset()


def promised_by_operation(operation: Operation, document: Resolver) -> Promised:
    """The parameters of an operation, and its bodies: of the request, of responses by status."""
    schemas: dict[_Part, Collection[Schema]] = {
        _REQUEST: [body.schema for body in operation.request]
    }
    for response in operation.responses:
        schemas[response.status] = [body.schema for body in response.bodies]
    parameters = frozenset(parameter.name for parameter in operation.parameters)
    return Promised(document, schemas, parameters)


def promised_by_channel(channel: Channel, document: Resolver) -> Promised:
    """The messages of a channel."""
    return Promised(document, {None: [message.payload for message in channel.messages]})


def promised_by_model(model: Model, document: Resolver) -> Promised:
    """A shared model."""
    return Promised(document, {None: [model.schema]})


def verdict_of(said: Iterable[Finding | Undetermined], promised: Promised) -> Verdict:
    """What is known of a promise of which this is said.

    An error violates it; a note says nothing of it. A field that is undetermined, or of which there
    is a warning, leaves it partly verified, if the contract has others beside it. Where a whole
    body is undetermined, by more than null of its fields, the promise is; the body of an error is
    like a field, unless errors are all that is promised.
    """
    verdict = Verdict.VERIFIED
    open_fields: dict[_Part, set[str]] = defaultdict(set)
    for entry in said:
        verdict = max(verdict, _verdict_of_entry(entry))
        if _leaves_open(entry):
            part = entry.operation.status if entry.operation else None
            open_fields[part].add(entry.field)
    if verdict != Verdict.PARTLY:
        return verdict
    bodies = [
        part
        for part, held in promised.schemas.items()
        if held and not _is_of_errors(part, promised)
    ]
    parameters = promised.parameters
    has_nothing_else = parameters and not bodies and parameters <= open_fields[_REQUEST]
    if has_nothing_else or any(
        not _is_of_errors(part, promised) and _is_wholly_open(part, fields, promised)
        for part, fields in open_fields.items()
    ):
        return Verdict.UNDETERMINED
    return verdict


def _is_of_errors(part: _Part, promised: Promised) -> bool:
    """Whether a part is the response of an error, and not all are: `default` beside a success."""
    if part == "default":
        return any(is_success(other or "") for other in promised.schemas)
    return is_error(part or "") and any(other and not is_error(other) for other in promised.schemas)


def _verdict_of_entry(entry: Finding | Undetermined) -> Verdict:
    """What one entry alone leaves of a promise of which everything else was compared."""
    if isinstance(entry, Undetermined) or entry.severity == "warning":
        return Verdict.PARTLY
    if entry.severity == "note":
        return Verdict.VERIFIED
    return Verdict.MISSING if entry.kind in _MISSING else Verdict.VIOLATED


def _leaves_open(entry: Finding | Undetermined) -> bool:
    """Whether nothing is known of the field that an entry is about: of one that null alone is
    undetermined of, the name and the type are."""
    if isinstance(entry, Undetermined):
        return not entry.null_alone
    return entry.severity == "warning" and entry.evidence not in _PROVED


def _is_wholly_open(part: _Part, fields: Collection[str], promised: Promised) -> bool:
    schemas = promised.schemas.get(part, ())
    return "" in fields or any(_is_open(one, "", fields, promised.resolver) for one in schemas)


def _is_open(schema: Schema, path: str, fields: Collection[str], resolver: Resolver) -> bool:
    """Whether all that a schema says of the value at a path is among these fields."""
    if path in fields:
        return True
    if not any(field.startswith(path) for field in fields):
        return False
    inner = [_values_in(one.shape, path) for one in alternatives(schema, resolver).options]
    return bool(inner) and all(
        values and all(_is_open(value, below, fields, resolver) for below, value in values)
        for values in inner
    )


def _values_in(shape: Shape, path: str) -> list[tuple[str, Schema]]:
    """The values inside one, each with its path."""
    match shape:
        case Array(items=items):
            return [(f"{path}[]", items)]
        case Object(fields=own) if own:
            return [(f"{path}.{one.name}".removeprefix("."), one.schema) for one in own]
        case Object(additional=further) if further is not None:
            return [(f"{path}{{}}", further)]
        case _:
            return []
