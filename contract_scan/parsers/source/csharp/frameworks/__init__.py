"""The frameworks that are read in C# code, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.csharp.frameworks import (
    aspnet_controllers,
    aspnet_minimal,
    aspnet_web_api,
    aws_eventbridge,
    aws_sdk,
    azure_event_grid,
    azure_functions,
    azure_functions_messages,
    azure_service_bus,
    cap,
    carter,
    confluent_kafka,
    dapr,
    fast_endpoints,
    masstransit,
    mqttnet,
    nservicebus,
    rabbitmq_client,
    rebus,
    service_stack,
    signalr,
    wolverine,
)
from contract_scan.parsers.source.language import Framework

FRAMEWORKS: tuple[Framework, ...] = (
    aspnet_controllers.FRAMEWORK,
    aspnet_minimal.FRAMEWORK,
    aspnet_web_api.FRAMEWORK,
    azure_functions.FRAMEWORK,
    carter.FRAMEWORK,
    confluent_kafka.FRAMEWORK,
    fast_endpoints.FRAMEWORK,
    masstransit.FRAMEWORK,
    mqttnet.FRAMEWORK,
    azure_service_bus.FRAMEWORK,
    azure_functions_messages.FRAMEWORK,
    nservicebus.FRAMEWORK,
    rebus.FRAMEWORK,
    aws_sdk.FRAMEWORK,
    aws_eventbridge.FRAMEWORK,
    azure_event_grid.FRAMEWORK,
    rabbitmq_client.FRAMEWORK,
    signalr.FRAMEWORK,
    cap.FRAMEWORK,
    dapr.FRAMEWORK,
    service_stack.FRAMEWORK,
    wolverine.FRAMEWORK,
)
