"""Rebus: `Publish` and `Send` of typed messages, `IHandleMessages<T>`, sagas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.messaging.typed_buses import TypedBus, bus_uses
from contract_scan.parsers.source.language import Framework


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, sent or handled."""
    return bus_uses(program, framework, _BUS)


_BUS = TypedBus(
    name="Rebus",
    namespace="Rebus",
    senders=frozenset({"IBus"}),
    sends=frozenset({"Publish", "Send", "SendLocal", "Reply", "Defer", "DeferLocal"}),
    handlers=frozenset({"IHandleMessages", "IAmInitiatedBy"}),
    calls=(*(b".Publish(", b".Send(", b".SendLocal(", b".Reply(", b".Defer(", b".DeferLocal("),),
    not_json=(b".UseProtobuf(", b".UseMsgPack(", b".UseHyperion(", b".UseWire("),
    newtonsoft=(b".UseNewtonsoftJson(",),
    # https://github.com/rebus-org/Rebus/blob/master/CHANGELOG.md, 7.0.0
    newtonsoft_before=7,
    options=re.compile(rb"\.Use(?:SystemText|System|Newtonsoft)Json\(\s*[^)\s]"),
)
FRAMEWORK = Framework(
    name=_BUS.name,
    markers=(b"Rebus",),
    calls=_BUS.calls,
    events=events,
)
