"""The frameworks that are read in C# code, one file each."""

from __future__ import annotations

from contract_scan.parsers.source.csharp.frameworks import (
    aspnet_controllers,
    aspnet_minimal,
    carter,
    confluent_kafka,
    fast_endpoints,
    masstransit,
)
from contract_scan.parsers.source.language import Framework

FRAMEWORKS: tuple[Framework, ...] = (
    aspnet_controllers.FRAMEWORK,
    aspnet_minimal.FRAMEWORK,
    confluent_kafka.FRAMEWORK,
    fast_endpoints.FRAMEWORK,
    masstransit.FRAMEWORK,
    carter.FRAMEWORK,
)
