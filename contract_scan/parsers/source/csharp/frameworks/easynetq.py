"""EasyNetQ: `PubSub`, `SendReceive` and `Rpc` of typed messages, queues with names of their own,
consumers that are found by their interface."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.messaging.typed_buses import TypedBus, framework
from contract_scan.parsers.source.csharp.messaging.typed_messages import qualified_type_name
from contract_scan.parsers.source.csharp.resolution.annotations import find, text
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.facts.nodes import Call, Lambda


def _names(program: Program, symbol: ClassSymbol) -> tuple[str, ...]:
    """The exchange of a type: named by an attribute, else `Namespace.Type, Assembly`
    (https://github.com/EasyNetQ/EasyNetQ: Conventions, DefaultTypeNameSerializer)."""
    scope = program.class_scope(symbol)
    marks = symbol.decl.annotations
    exchange, queue = find(marks, "Exchange"), find(marks, "Queue")
    named: list[str | None] = []
    if exchange is not None:
        named.append(text(program, exchange, scope, 0, "Name"))
    if queue is not None:
        named.append(text(program, queue, scope, -1, "ExchangeName"))
        named.append(text(program, queue, scope, 0, "Name"))
    project = project_of(program, symbol.file.path)
    assembly = [f"{qualified_type_name(symbol, '.')}, {project.name}"] if project.name else []
    return tuple(name for name in (*named, *assembly) if name)


def _topics_and_queues(program: Program, call: Call, scope: Scope) -> tuple[str, ...]:
    """`PublishAsync(message, "topic")`, `x => x.WithTopic("topic")`, `x.WithQueueName("queue")`."""
    found: list[str | None] = []
    is_publish = getattr(call.callee, "name", "") in ("Publish", "PublishAsync")
    for argument in call.args[1:]:
        value = argument.value
        if is_publish and not isinstance(value, Lambda):
            found.append(program.text(value, scope))
        function = program.function_value(value, scope) if isinstance(value, Lambda) else None
        if function is None:
            continue
        inside = program.function_scope(function.function, function.scope)
        for inner, place in calls_in(program, inside.statements or (), inside):
            if getattr(getattr(inner, "callee", None), "name", "") in _NAMING and inner.args:
                found.append(program.text(inner.args[0].value, place))
    return tuple(name for name in found if name and not {"*", "#"} & set(name))


_NAMING = frozenset({"WithTopic", "WithQueueName"})
FRAMEWORK = framework(
    TypedBus(
        name="EasyNetQ",
        markers=(b"EasyNetQ",),
        protocols=("amqp",),
        namespace="EasyNetQ",
        senders=frozenset(
            {
                *("IBus", "IPubSub", "ISendReceive", "IRpc", "IScheduler"),
                *("PubSub", "SendReceive", "Rpc", "Scheduler"),
            }
        ),
        sends=frozenset(
            {
                *("Publish", "PublishAsync", "Send", "SendAsync", "Request", "RequestAsync"),
                *("FuturePublish", "FuturePublishAsync"),
            }
        ),
        subscribes=frozenset(
            {"Subscribe", "SubscribeAsync", "Receive", "ReceiveAsync", "Respond", "RespondAsync"}
        ),
        queued=frozenset({"Send", "SendAsync", "Receive", "ReceiveAsync"}),
        handlers=frozenset({"IConsume", "IConsumeAsync"}),
        names=_names,
        routed=_topics_and_queues,
        not_json=(b"UseProtobuf", b"Register<ISerializer", b"<ISerializer,"),
        # System.Text.Json writes since version 8 (ServiceCollectionExtensions).
        newtonsoft=(b".EnableNewtonsoftJson(", b".UseNewtonsoftJson(", b"NewtonsoftJsonSerializer"),
        newtonsoft_before=8,
        options=re.compile(
            rb"\.(?:Enable|Use)(?:SystemTextJson(?:V2)?|NewtonsoftJson)\(\s*[^)\s]"
            rb"|new SystemTextJsonSerializer(?:V2)?\(\s*[^)\s]"
        ),
    )
)
