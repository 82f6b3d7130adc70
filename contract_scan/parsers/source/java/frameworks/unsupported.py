"""Libraries of Java that are known by their names, and not read."""

from __future__ import annotations

from contract_scan.parsers.source.unsupported_libraries import Unread, unread

ROUTERS = (
    Unread("ActiveJ", ("io.activej.http",)),
    Unread("Akka HTTP", ("akka.http.javadsl", "org.apache.pekko.http.javadsl")),
    Unread("Avaje", ("io.avaje.http.api",)),
    Unread("Azure Functions", ("com.microsoft.azure.functions",)),
    Unread("Blade", ("com.blade", "com.hellokaton.blade")),
    Unread("Camel", ("org.apache.camel",), ("RouteBuilder",)),
    Unread("Cloud Endpoints", ("com.google.api.server.spi",)),
    Unread("Hilla", ("com.vaadin.hilla", "dev.hilla")),
    Unread("JFinal", ("com.jfinal",)),
    Unread("Jooby", ("io.jooby", "org.jooby")),
    Unread("light-4j", ("com.networknt.handler",)),
    Unread("Mu Server", ("io.muserver",)),
    Unread("Ninja", ("ninja",)),
    Unread("Pippo", ("ro.pippo",)),
    Unread("Rapidoid", ("org.rapidoid",)),
    Unread("Ratpack", ("ratpack",)),
    Unread("Rest.li", ("com.linkedin.restli.server",)),
    Unread("Restlet", ("org.restlet",)),
    Unread("Sling", ("org.apache.sling.api.servlets",)),
    Unread("Solon", ("org.noear.solon",)),
    Unread("Spring Cloud Gateway", ("org.springframework.cloud.gateway",)),
    Unread("Struts", ("org.apache.struts2",)),
    Unread("Takes", ("org.takes",)),
    Unread("Undertow", ("io.undertow",), ("HttpHandler", "HttpServerExchange", "RoutingHandler")),
)
BROKERS = (
    Unread("Azure Event Hubs", ("com.azure.messaging.eventhubs",)),
    Unread("Camel", ("org.apache.camel",), ("RouteBuilder",)),
    Unread("Eventuate Tram", ("io.eventuate.tram",)),
    Unread("NATS", ("io.nats.client",)),
    Unread("Pulsar", ("org.apache.pulsar",)),
    Unread("Reactor Kafka", ("reactor.kafka",)),
    Unread("Redisson", ("org.redisson.api",), ("RReliableTopic", "RStream", "RTopic")),
    Unread("RocketMQ", ("org.apache.rocketmq",)),
    Unread("Solace", ("com.solacesystems",)),
    Unread("Spring Integration", ("org.springframework.integration",)),
    Unread("ZeroMQ", ("org.zeromq",)),
)

FRAMEWORK = unread(ROUTERS, BROKERS, ".", "import {}")
