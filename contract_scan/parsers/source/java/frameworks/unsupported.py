"""Libraries of Java that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import (
    UnsupportedLibrary,
    unsupported_framework,
)

ROUTERS = (
    UnsupportedLibrary("ActiveJ", ("io.activej.http",)),
    UnsupportedLibrary("Akka HTTP", ("akka.http.javadsl", "org.apache.pekko.http.javadsl")),
    UnsupportedLibrary("Avaje", ("io.avaje.http.api",)),
    UnsupportedLibrary("Azure Functions", ("com.microsoft.azure.functions",)),
    UnsupportedLibrary("Blade", ("com.blade", "com.hellokaton.blade")),
    UnsupportedLibrary("Camel", ("org.apache.camel",), ("RouteBuilder",)),
    UnsupportedLibrary("Cloud Endpoints", ("com.google.api.server.spi",)),
    UnsupportedLibrary("Hilla", ("com.vaadin.hilla", "dev.hilla")),
    UnsupportedLibrary("JFinal", ("com.jfinal",)),
    UnsupportedLibrary("Jooby 1", ("org.jooby",)),
    UnsupportedLibrary("light-4j", ("com.networknt.handler",)),
    UnsupportedLibrary("Mu Server", ("io.muserver",)),
    UnsupportedLibrary("Ninja", ("ninja",)),
    UnsupportedLibrary("Pippo", ("ro.pippo",)),
    UnsupportedLibrary(
        "Quarkus reactive routes", ("io.quarkus.vertx.web",), ("Route", "RouteBase")
    ),
    UnsupportedLibrary("Rapidoid", ("org.rapidoid",)),
    UnsupportedLibrary("Ratpack", ("ratpack",)),
    UnsupportedLibrary("Rest.li", ("com.linkedin.restli.server",)),
    UnsupportedLibrary("Restlet", ("org.restlet",)),
    UnsupportedLibrary("Sling", ("org.apache.sling.api.servlets",)),
    UnsupportedLibrary("Solon", ("org.noear.solon",)),
    UnsupportedLibrary("Spring Cloud Gateway", ("org.springframework.cloud.gateway",)),
    UnsupportedLibrary("Struts", ("org.apache.struts2",)),
    UnsupportedLibrary("Takes", ("org.takes",)),
    UnsupportedLibrary(
        "Undertow", ("io.undertow",), ("HttpHandler", "HttpServerExchange", "RoutingHandler")
    ),
)
BROKERS = (
    UnsupportedLibrary("Azure Event Hubs", ("com.azure.messaging.eventhubs",)),
    UnsupportedLibrary("Camel", ("org.apache.camel",), ("RouteBuilder",)),
    UnsupportedLibrary("Eventuate Tram", ("io.eventuate.tram",)),
    UnsupportedLibrary("Pulsar", ("org.apache.pulsar",)),
    UnsupportedLibrary("Reactor Kafka", ("reactor.kafka",)),
    UnsupportedLibrary("Redisson", ("org.redisson.api",), ("RReliableTopic", "RStream", "RTopic")),
    UnsupportedLibrary("RocketMQ", ("org.apache.rocketmq",)),
    UnsupportedLibrary("Solace", ("com.solacesystems",)),
    UnsupportedLibrary("Spring Integration", ("org.springframework.integration",)),
    UnsupportedLibrary("ZeroMQ", ("org.zeromq",)),
)

FRAMEWORK = unsupported_framework(ROUTERS, BROKERS, ".", "import {}")
