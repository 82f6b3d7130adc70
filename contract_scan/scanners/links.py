"""What in contracts has its counterpart in code: which line stands for which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from contract_scan.ir.document import ContractDocument, Resolver
from contract_scan.ir.operation import Operation, with_answers
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Object, Reference, Schema, Union
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.media import is_success, json_bodies
from contract_scan.scanners.provenance import DEEPEST, compared_response
from contract_scan.scanners.rule import PairedUnit


class Link(Struct, frozen=True, kw_only=True):
    """A place in a contract and the place in code that stands for it."""

    sort: str
    """`operation`, `parameter`, `request`, `response`, `channel`, `model`, `type`, `property`."""
    name: str
    promise: str
    """The operation, channel or model that it is a part of."""
    contract: Origin
    code: Origin
    schema: Schema | None = None
    """What the contract says of it."""
    document: ContractDocument


MOST_LINKS = 200_000


def links_of(units: Sequence[PairedUnit]) -> list[Link]:
    """Everything in contracts that has its counterpart in code, each pair of places once."""
    found: dict[tuple[Origin, Origin, str], Link] = {}
    for paired in units:
        for link in _links(paired):
            if link.contract.path and link.code.path:
                found.setdefault((link.contract, link.code, link.name), link)
            if len(found) >= MOST_LINKS:
                return list(found.values())
    return list(found.values())


def _links(paired: PairedUnit) -> Iterator[Link]:
    code = paired.unit.code
    seen: set[tuple[Origin, Origin]] = set()
    for pair in paired.operations.pairs:
        name = f"{pair.contract.method} {pair.contract.path}"
        together = _ParallelWalk(name, pair.document, code, seen)
        for route in map(with_answers, pair.routes):
            yield from together.operation(pair.contract, route)
    for channel in paired.channels.pairs:
        together = _ParallelWalk(channel.channel.key, channel.document, code, seen)
        for use in channel.uses:
            yield together.link("channel", channel.channel.key, channel.channel.origin, use.origin)
            messages = channel.channel.messages or tuple(
                m for o in channel.channel.operations for m in o.messages
            )
            for message in messages:
                if len(messages) == 1 or fold(message.name) == fold(use.message):
                    yield from together.schemas(message.payload, use.payload)
    for model in paired.models:
        together = _ParallelWalk(model.model.called, model.document, code, seen)
        for item in model.types:
            schema = model.model.schema
            name = model.model.called
            yield together.link("model", name, model.model.origin, item.origin, schema)
            yield from together.schemas(schema, item.schema)


class _ParallelWalk:
    """Walks both sides of one promise at once."""

    def __init__(
        self,
        promise: str,
        document: ContractDocument,
        code: Resolver,
        seen: set[tuple[Origin, Origin]],
    ) -> None:
        """`seen` are the pairs of types that need not be entered again."""
        self.promise, self._document, self._code = promise, document, code
        self._seen = seen

    def link(
        self, sort: str, name: str, contract: Origin, code: Origin, schema: Schema | None = None
    ) -> Link:
        return Link(
            sort=sort,
            name=name,
            promise=self.promise,
            contract=contract,
            code=code,
            schema=schema,
            document=self._document,
        )

    def operation(self, contract: Operation, route: Operation) -> Iterator[Link]:
        """An operation and its route, with what both take and send."""
        yield self.link("operation", self.promise, contract.origin, route.origin)
        by_name = {fold(each.name): each for each in route.parameters}
        for parameter in contract.parameters:
            own = by_name.get(fold(parameter.name))
            if own is not None:
                yield self.link(
                    "parameter", parameter.name, parameter.origin, own.origin, parameter.schema
                )
        ours, theirs = json_bodies(contract.request, route.request)
        if ours is not None and theirs is not None:
            yield self.link("request", "request body", ours.origin, theirs.origin, ours.schema)
            yield from self.schemas(ours.schema, theirs.schema)
        for response in contract.responses:
            success = (
                compared_response(response.status, route) if is_success(response.status) else None
            )
            if success is None:
                continue
            name = f"response {response.status}"
            ours, theirs = json_bodies(response.bodies, success.bodies)
            schema = ours.schema if ours is not None else None
            yield self.link("response", name, response.origin, success.origin, schema)
            if ours is not None and theirs is not None:
                yield self.link("response", name, ours.origin, theirs.origin, schema)
                yield from self.schemas(ours.schema, theirs.schema)

    def schemas(self, contract: Schema, code: Schema) -> Iterator[Link]:
        """The types and properties of two schemas that stand for each other."""
        pending = [(contract, code, 0)]
        while pending:
            ours, theirs, depth = pending.pop()
            ours, theirs = _resolve(ours, self._document), _resolve(theirs, self._code)
            match ours, theirs:
                case _ if depth > DEEPEST:
                    continue
                case Object(), Object():
                    places = (ours.origin, theirs.origin)
                    if ours.origin.path and theirs.origin.path:
                        if places in self._seen:
                            continue
                        self._seen.add(places)
                        if ours.name or theirs.name:
                            name = ours.name or theirs.name
                            yield self.link("type", name, *places, ours)
                    by_name = {fold(field.name): field for field in theirs.fields}
                    for field in ours.fields:
                        other = by_name.get(fold(field.name))
                        if other is None:
                            continue
                        yield self.link(
                            "property", field.name, field.origin, other.origin, field.schema
                        )
                        pending.append((field.schema, other.schema, depth + 1))
                    if ours.additional is not None and theirs.additional is not None:
                        pending.append((ours.additional, theirs.additional, depth + 1))
                case Array(), Array():
                    pending.append((ours.items, theirs.items, depth + 1))
                case Union(), Object():
                    pending += [(option, theirs, depth + 1) for option in ours.options]
                case Object(), Union():
                    pending += [(ours, option, depth + 1) for option in theirs.options]
                case _:
                    continue


def _resolve(schema: Schema, resolver: Resolver) -> Schema:
    for _ in range(DEEPEST):
        if not isinstance(schema, Reference):
            return schema
        try:
            schema = resolver.resolve(schema)
        except KeyError:
            return schema
    return schema
