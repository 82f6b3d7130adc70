"""The frameworks that are read in C# code, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.csharp.frameworks import (
    aspnet_web_api,
    aws_eventbridge,
    aws_sdk,
    azure_event_grid,
    azure_service_bus,
    cap,
    carter,
    confluent_kafka,
    dapr,
    easynetq,
    embedio,
    google_pubsub,
    masstransit,
    menes,
    mqttnet,
    nats,
    nservicebus,
    rabbitmq_client,
    rebus,
    signalr,
    stackexchange_redis,
)
from contract_scan.parsers.source.csharp.frameworks import unsupported as unread
from contract_scan.parsers.source.csharp.frameworks.aspnet import minimal_apis as aspnet_minimal
from contract_scan.parsers.source.csharp.frameworks.aspnet import mvc as aspnet_controllers
from contract_scan.parsers.source.csharp.frameworks.azure_functions import (
    framework as azure_functions,
)
from contract_scan.parsers.source.csharp.frameworks.azure_functions import (
    messages as azure_functions_messages,
)
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints import (
    framework as fast_endpoints,
)
from contract_scan.parsers.source.csharp.frameworks.http_listener import framework as http_listener
from contract_scan.parsers.source.csharp.frameworks.service_stack import framework as service_stack
from contract_scan.parsers.source.csharp.frameworks.wolverine import framework as wolverine
from contract_scan.parsers.source.csharp.frameworks.wolverine import messages as wolverine_messages
from contract_scan.parsers.source.language import Framework

FRAMEWORKS: tuple[Framework, ...] = (
    aspnet_controllers.FRAMEWORK,
    aspnet_minimal.FRAMEWORK,
    aspnet_web_api.FRAMEWORK,
    azure_functions.FRAMEWORK,
    carter.FRAMEWORK,
    confluent_kafka.FRAMEWORK,
    fast_endpoints.FRAMEWORK,
    http_listener.FRAMEWORK,
    masstransit.FRAMEWORK,
    mqttnet.FRAMEWORK,
    azure_service_bus.FRAMEWORK,
    azure_functions_messages.FRAMEWORK,
    nservicebus.FRAMEWORK,
    rebus.FRAMEWORK,
    easynetq.FRAMEWORK,
    nats.FRAMEWORK,
    stackexchange_redis.FRAMEWORK,
    aws_sdk.FRAMEWORK,
    aws_eventbridge.FRAMEWORK,
    azure_event_grid.FRAMEWORK,
    google_pubsub.FRAMEWORK,
    rabbitmq_client.FRAMEWORK,
    signalr.FRAMEWORK,
    cap.FRAMEWORK,
    dapr.FRAMEWORK,
    service_stack.FRAMEWORK,
    wolverine.FRAMEWORK,
    wolverine_messages.FRAMEWORK,
    embedio.FRAMEWORK,
    menes.FRAMEWORK,
    unread.FRAMEWORK,
)
