"""Libraries of C# that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import (
    UnsupportedLibrary,
    unsupported_framework,
)

ROUTERS = (
    UnsupportedLibrary("ABP application services", ("Volo.Abp.Application.Services",)),
    UnsupportedLibrary("DotVVM", ("DotVVM.Framework",)),
    UnsupportedLibrary("Eventuous", ("Eventuous.AspNetCore",)),
    UnsupportedLibrary("GenHTTP", ("GenHTTP.Api", "GenHTTP.Modules")),
    UnsupportedLibrary("Grapevine", ("Grapevine",)),
    UnsupportedLibrary(
        "JsonApiDotNetCore", ("JsonApiDotNetCore.Controllers", "JsonApiDotNetCore.Resources")
    ),
    UnsupportedLibrary("Nancy", ("Nancy",)),
    UnsupportedLibrary("Ocelot", ("Ocelot",)),
    UnsupportedLibrary(
        "OData",
        (
            "Microsoft.AspNet.OData.Routing",
            "Microsoft.AspNetCore.OData.Routing",
            "System.Web.OData.Routing",
        ),
    ),
    UnsupportedLibrary("Sisk", ("Sisk.Core",)),
    UnsupportedLibrary("Suave", ("Suave",)),
    UnsupportedLibrary("Umbraco", ("Umbraco.Cms.Web.Common.Controllers",)),
    UnsupportedLibrary("Watson", ("WatsonWebserver",)),
    UnsupportedLibrary("WCF REST", ("System.ServiceModel.Web",)),
    UnsupportedLibrary("YARP", ("Yarp.ReverseProxy",)),
)
BROKERS = (
    UnsupportedLibrary("AMQP.Net Lite", ("Amqp",)),
    UnsupportedLibrary("Apache NMS", ("Apache.NMS",)),
    UnsupportedLibrary(
        "Azure Event Hubs", ("Azure.Messaging.EventHubs", "Microsoft.Azure.EventHubs")
    ),
    UnsupportedLibrary("Brighter", ("Paramore.Brighter",)),
    UnsupportedLibrary("DotPulsar", ("DotPulsar",)),
    UnsupportedLibrary("JustSaying", ("JustSaying",)),
    UnsupportedLibrary("KafkaFlow", ("KafkaFlow",)),
    UnsupportedLibrary("NetMQ", ("NetMQ",)),
    UnsupportedLibrary("Silverback", ("Silverback.Messaging",)),
    UnsupportedLibrary("SlimMessageBus", ("SlimMessageBus",)),
    UnsupportedLibrary("Solace", ("SolaceSystems",)),
)

FRAMEWORK = unsupported_framework(ROUTERS, BROKERS, ".", "using {}")
