"""The Java libraries that are read, one file each."""

from contract_scan.parsers.source.java.frameworks import (
    aws_eventbridge,
    aws_sdk,
    google_pubsub,
    helidon_se,
    http_server,
    jackson,
    jakarta_websocket,
    javalin,
    jms,
    jooby,
    kafka_clients,
    mqtt,
    nats,
    panache_rest_data,
    play,
    rabbitmq_client,
    servlet_filters,
    servlets,
    smallrye_messaging,
    spark_java,
    springwolf,
)
from contract_scan.parsers.source.java.frameworks import unsupported as unread
from contract_scan.parsers.source.java.frameworks.armeria import framework as armeria
from contract_scan.parsers.source.java.frameworks.jaxrs import framework as jaxrs
from contract_scan.parsers.source.java.frameworks.micronaut import framework as micronaut
from contract_scan.parsers.source.java.frameworks.spring import data_rest as spring_data_rest
from contract_scan.parsers.source.java.frameworks.spring.functional import (
    framework as spring_functional,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging import amqp as spring_amqp
from contract_scan.parsers.source.java.frameworks.spring.messaging import (
    cloud_aws as spring_cloud_aws,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging import (
    cloud_stream as spring_cloud_stream,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging import jms as spring_jms
from contract_scan.parsers.source.java.frameworks.spring.messaging import kafka as spring_kafka
from contract_scan.parsers.source.java.frameworks.spring.messaging import (
    websocket as spring_websocket,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging import (
    websocket_handlers as spring_websocket_handlers,
)
from contract_scan.parsers.source.java.frameworks.spring.mvc import framework as spring_mvc
from contract_scan.parsers.source.java.frameworks.spring.security import (
    framework as spring_security,
)
from contract_scan.parsers.source.java.frameworks.vertx_web import framework as vertx_web
from contract_scan.parsers.source.language import Framework

FRAMEWORKS: tuple[Framework, ...] = (
    spring_mvc.FRAMEWORK,
    jaxrs.FRAMEWORK,
    spring_kafka.FRAMEWORK,
    spring_amqp.FRAMEWORK,
    spring_cloud_stream.FRAMEWORK,
    smallrye_messaging.FRAMEWORK,
    spring_jms.FRAMEWORK,
    spring_cloud_aws.FRAMEWORK,
    kafka_clients.FRAMEWORK,
    rabbitmq_client.FRAMEWORK,
    aws_sdk.FRAMEWORK,
    aws_eventbridge.FRAMEWORK,
    jms.FRAMEWORK,
    spring_websocket.FRAMEWORK,
    spring_websocket_handlers.FRAMEWORK,
    jakarta_websocket.FRAMEWORK,
    springwolf.FRAMEWORK,
    spring_functional.FRAMEWORK,
    micronaut.FRAMEWORK,
    mqtt.FRAMEWORK,
    nats.FRAMEWORK,
    google_pubsub.FRAMEWORK,
    javalin.FRAMEWORK,
    vertx_web.FRAMEWORK,
    servlets.FRAMEWORK,
    servlet_filters.FRAMEWORK,
    spark_java.FRAMEWORK,
    jooby.FRAMEWORK,
    http_server.FRAMEWORK,
    helidon_se.FRAMEWORK,
    armeria.FRAMEWORK,
    play.FRAMEWORK,
    panache_rest_data.FRAMEWORK,
    spring_data_rest.FRAMEWORK,
    spring_security.FRAMEWORK,
    jackson.FRAMEWORK,
    unread.FRAMEWORK,
)
"""In the order in which they are asked."""
