"""NServiceBus: `Publish` and `Send` of typed messages, `IHandleMessages<T>`, sagas."""

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
    name="NServiceBus",
    namespace="NServiceBus",
    senders=frozenset(
        {
            *("IMessageSession", "IEndpointInstance", "IMessageHandlerContext"),
            *("IPipelineContext", "ITransactionalSession", "IFunctionEndpoint"),
            *("IUniformSession", "IMessageProcessingContext", "TestableMessageSession"),
        }
    ),
    sends=frozenset({"Publish", "Send", "SendLocal", "Reply"}),
    handlers=frozenset({"IHandleMessages", "IAmStartedByMessages"}),
    calls=(
        *(b".Publish(", b".Publish<", b".Send(", b".Send<", b".SendLocal(", b".SendLocal<"),
        *(b".Reply(", b".Reply<"),
    ),
    not_json=(b"UseSerialization<XmlSerializer>", b"UseSerialization(new XmlSerializer("),
    # A serializer has to be chosen (https://github.com/Particular/NServiceBus:
    # SerializationSettingsExtensions); before version 9, XML was written where none was.
    chosen=b"UseSerialization",
    newtonsoft=(b"NewtonsoftJsonSerializer", b"NewtonsoftSerializer"),
    options=re.compile(rb"UseSerialization\b(?s:.{0,600}?)\.(?:Settings|Options)\("),
)
FRAMEWORK = Framework(
    name=_BUS.name,
    markers=(b"NServiceBus", b"IHandleMessages<", b"IMessageHandlerContext", b"IMessageSession"),
    calls=_BUS.calls,
    events=events,
)
