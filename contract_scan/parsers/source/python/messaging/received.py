"""What handlers receive, those of base classes as each class below fills them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Instance, Scope
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Attribute, Expr, Loop, Name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import handler_payload
from contract_scan.parsers.source.python.messaging.trace import attribute_values
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    is_own_attribute,
    receive,
    texts,
)


def received_by(
    program: Program,
    framework: Framework,
    address: Expr | None,
    scope: Scope,
    handler: FunctionValue | None,
    origin: Origin,
    *,
    parsed: str = "",
    is_pattern: Callable[[str], bool] = lambda _: False,
) -> Iterator[EventUse]:
    """What a handler receives from an address. Where that is an attribute which the classes below
    set, each takes its own messages its own way."""
    own = _own_attribute(address, scope)
    found: set[tuple[str, str]] = set()
    if own is not None and scope.owner is not None:
        for value, symbol in attribute_values(program, scope.owner, own.name):
            for text in texts(program, value):
                if (text, symbol.key) in found:
                    continue
                found.add((text, symbol.key))
                on_class = handler and replace(handler, receiver=Instance(symbol))
                content = handler_payload(program, on_class, parsed)
                yield receive(framework, text, content, symbol.origin, pattern=is_pattern(text))
    if found:
        return
    content = handler_payload(program, handler, parsed)
    for text, why in addresses(program, address, scope):
        yield receive(framework, text, content, origin, unresolved=why, pattern=is_pattern(text))


def _own_attribute(address: Expr | None, scope: Scope) -> Attribute | None:
    """The attribute of the object that an address is, or is an item of: in a loop, in a list."""
    if is_own_attribute(address):
        return address
    match address:
        case ArrayLiteral(items=(only,)):
            return _own_attribute(only, scope)
        case Name(id=name):
            for definition in reaching_definitions.reaching_definitions(
                scope.statements or (), name, address.span
            ):
                statement = definition.statement
                if isinstance(statement, Loop) and is_own_attribute(statement.iterable):
                    return statement.iterable
        case _:
            pass
    return None
