"""The Java libraries that are read, one file each."""

from contract_scan.parsers.source.java.frameworks import (
    aws_sdk,
    jackson,
    javalin,
    jaxrs,
    kafka_clients,
    micronaut,
    rabbitmq_client,
    servlets,
    smallrye_messaging,
    spark_java,
    spring_amqp,
    spring_cloud_aws,
    spring_cloud_stream,
    spring_data_rest,
    spring_functional,
    spring_jms,
    spring_kafka,
    spring_mvc,
    springwolf,
    vertx_web,
)
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
    springwolf.FRAMEWORK,
    spring_functional.FRAMEWORK,
    micronaut.FRAMEWORK,
    javalin.FRAMEWORK,
    vertx_web.FRAMEWORK,
    servlets.FRAMEWORK,
    spark_java.FRAMEWORK,
    spring_data_rest.FRAMEWORK,
    jackson.FRAMEWORK,
)
"""In the order in which they are asked."""
