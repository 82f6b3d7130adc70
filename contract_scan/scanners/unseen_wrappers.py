"""Contracts that wrap every body in an envelope which no handler makes.

Where the contract of every operation has what its handler sends as one property of the body
(`{"ok": true, "data": …}`), and no handler sends that property itself, something that was not read
wraps what handlers give: a renderer, an interceptor, a gateway. To tell each operation that its
body is wrong would be one guess told many times. Where some handlers send what the contract says,
the others differ from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from contract_scan.ir.operation import Body, with_answers
from contract_scan.ir.schema import Array, Object, Schema, Unknown
from contract_scan.scanners.differences.union_members import target_schema
from contract_scan.scanners.direction import Comparers
from contract_scan.scanners.media import is_success, json_bodies, response_for
from contract_scan.scanners.pairing.paired import OperationPair

FEWEST = 3
"""Operations from which on an envelope is taken for the work of something that was not read."""


def wrapped_operations(
    pairs: Sequence[OperationPair], tools: Mapping[str, Comparers]
) -> dict[int, str]:
    """The identities of pairs of a document whose bodies something unseen wraps -> the property of
    the envelope in which the contract has them."""
    by_document: dict[str, list[OperationPair]] = {}
    for pair in pairs:
        by_document.setdefault(pair.document.path, []).append(pair)
    found: dict[int, str] = {}
    for path, own in by_document.items():
        found |= _wrapping_properties(own, tools[path])
    return found


def _wrapping_properties(pairs: Sequence[OperationPair], tools: Comparers) -> dict[int, str]:
    found: dict[int, str] = {}
    for pair in pairs:
        for ours, theirs in _bodies(pair):
            name = _wrapping_property(ours.schema, theirs.schema, tools)
            if name is None:
                return {}
            found[id(pair)] = name
    return found if len(found) >= FEWEST else {}


def _bodies(pair: OperationPair) -> Iterator[tuple[Body, Body]]:
    """The JSON bodies of successes to compare, of which something is known."""
    for route in pair.routes:
        for response in with_answers(route).responses:
            match = response_for(pair.contract.responses, response.status)
            if match is None or not is_success(response.status):
                continue
            ours, theirs = json_bodies(match.bodies, response.bodies)
            if ours is not None and theirs is not None and not isinstance(theirs.schema, Unknown):
                yield ours, theirs


def _wrapping_property(contract: Schema, sent: Schema, tools: Comparers) -> str | None:
    """The property of a contracted object that takes what a handler sends; None where it has none,
    or the handler sends that property itself."""
    envelope, code = target_schema(contract, tools.document), target_schema(sent, tools.code)
    own = {field.name for field in code.fields} if isinstance(code, Object) else set()
    for field in envelope.fields if isinstance(envelope, Object) else ():
        inner = target_schema(field.schema, tools.document)
        says = isinstance(inner, Array) or (isinstance(inner, Object) and inner.fields)
        if field.name in own or not says:
            continue
        if not tools.response.compare(contract=inner, code=sent).differences:
            return field.name
    return None
