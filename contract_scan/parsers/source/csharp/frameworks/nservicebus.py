"""NServiceBus: `Publish` and `Send` of typed messages, `IHandleMessages<T>`, sagas."""

from __future__ import annotations

import re

from contract_scan.parsers.source.csharp.messaging.typed_buses import TypedBus, framework

FRAMEWORK = framework(
    TypedBus(
        name="NServiceBus",
        markers=(
            b"NServiceBus",
            b"IHandleMessages<",
            b"IMessageHandlerContext",
            b"IMessageSession",
        ),
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
        not_json=(b"UseSerialization<XmlSerializer>", b"UseSerialization(new XmlSerializer("),
        # A serializer has to be chosen (https://github.com/Particular/NServiceBus:
        # SerializationSettingsExtensions); before version 9, XML was written where none was.
        chosen=b"UseSerialization",
        newtonsoft=(b"NewtonsoftJsonSerializer", b"NewtonsoftSerializer"),
        options=re.compile(rb"UseSerialization\b(?s:.{0,600}?)\.(?:Settings|Options)\("),
    )
)
