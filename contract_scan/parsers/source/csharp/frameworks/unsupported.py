"""Libraries of C# that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import Unread, unread

ROUTERS = (
    Unread("ABP application services", ("Volo.Abp.Application.Services",)),
    Unread("DotVVM", ("DotVVM.Framework",)),
    Unread("EmbedIO", ("EmbedIO",)),
    Unread("Eventuous", ("Eventuous.AspNetCore",)),
    Unread("GenHTTP", ("GenHTTP.Api", "GenHTTP.Modules")),
    Unread("Grapevine", ("Grapevine",)),
    Unread("JsonApiDotNetCore", ("JsonApiDotNetCore.Controllers", "JsonApiDotNetCore.Resources")),
    Unread("Nancy", ("Nancy",)),
    Unread("Ocelot", ("Ocelot",)),
    Unread(
        "OData",
        (
            "Microsoft.AspNet.OData.Routing",
            "Microsoft.AspNetCore.OData.Routing",
            "System.Web.OData.Routing",
        ),
    ),
    Unread("Sisk", ("Sisk.Core",)),
    Unread("Suave", ("Suave",)),
    Unread("Umbraco", ("Umbraco.Cms.Web.Common.Controllers",)),
    Unread("Watson", ("WatsonWebserver",)),
    Unread("WCF REST", ("System.ServiceModel.Web",)),
    Unread("YARP", ("Yarp.ReverseProxy",)),
)
BROKERS = (
    Unread("AMQP.Net Lite", ("Amqp",)),
    Unread("Apache NMS", ("Apache.NMS",)),
    Unread("Azure Event Hubs", ("Azure.Messaging.EventHubs", "Microsoft.Azure.EventHubs")),
    Unread("Brighter", ("Paramore.Brighter",)),
    Unread("DotPulsar", ("DotPulsar",)),
    Unread("JustSaying", ("JustSaying",)),
    Unread("KafkaFlow", ("KafkaFlow",)),
    Unread("NetMQ", ("NetMQ",)),
    Unread("Silverback", ("Silverback.Messaging",)),
    Unread("SlimMessageBus", ("SlimMessageBus",)),
    Unread("Solace", ("SolaceSystems",)),
)

FRAMEWORK = unread(ROUTERS, BROKERS, ".", "using {}")
