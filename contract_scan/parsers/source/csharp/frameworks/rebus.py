"""Rebus: `Publish` and `Send` of typed messages, `IHandleMessages<T>`, sagas."""

from __future__ import annotations

import re

from contract_scan.parsers.source.csharp.messaging.typed_buses import TypedBus, framework

FRAMEWORK = framework(
    TypedBus(
        name="Rebus",
        markers=(b"Rebus",),
        namespace="Rebus",
        senders=frozenset({"IBus"}),
        sends=frozenset({"Publish", "Send", "SendLocal", "Reply", "Defer", "DeferLocal"}),
        handlers=frozenset({"IHandleMessages", "IAmInitiatedBy"}),
        not_json=(b".UseProtobuf(", b".UseMsgPack(", b".UseHyperion(", b".UseWire("),
        newtonsoft=(b".UseNewtonsoftJson(",),
        # https://github.com/rebus-org/Rebus/blob/master/CHANGELOG.md, 7.0.0
        newtonsoft_before=7,
        options=re.compile(rb"\.Use(?:SystemText|System|Newtonsoft)Json\(\s*[^)\s]"),
    )
)
