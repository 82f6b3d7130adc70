"""Which list of a listener is a batch, and which is the payload."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package meter;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.springframework.amqp.rabbit.annotation.*;
import org.springframework.kafka.annotation.*;
import org.springframework.messaging.*;
class Reading { public String meter; }
"""
ONE = "{meter: string~}"
MANY = f"[{ONE}~]"
"""Null may stand among the items: no mapper keeps it out."""


def received(folder: Path, listener: str, **files: str) -> list[str]:
    source = f"{HEAD} class L {{ {listener} }}"
    return Project(folder, {"src/main/java/meter/L.java": source, **files}).events()


@pytest.mark.parametrize(
    ("annotation", "type", "payload"),
    [
        ('topics = "t", batch = "true"', "List<ConsumerRecord<String, List<Reading>>>", MANY),
        ('topics = "t", batch = "true"', "List<ConsumerRecord<String, Reading>>", ONE),
        ('topics = "t", batch = "true"', "List<Reading>", ONE),
        ('topics = "t", batch = "true"', "List<List<Reading>>", MANY),
        ('topics = "t", batch = "true"', "ConsumerRecords<String, List<Reading>>", MANY),
        ('topics = "t", batch = "true"', "List<Message<List<Reading>>>", MANY),
        ('topics = "t", batch = "false"', "List<Reading>", MANY),
        ('topics = "t"', "ConsumerRecord<String, List<Reading>>", MANY),
        ('topics = "t"', "List<Reading>", MANY),
        ('topics = "t"', "List<ConsumerRecord<String, Reading>>", ONE),
        ('topics = "t"', "Reading", ONE),
    ],
)
def test_the_outermost_list_alone_may_be_a_batch(
    tmp_path: Path, annotation: str, type: str, payload: str
) -> None:
    listener = f"@KafkaListener({annotation}) void on({type} given) {{}}"
    assert received(tmp_path, listener) == [f"<- t {payload}"]


def test_a_setting_makes_listeners_take_batches(tmp_path: Path) -> None:
    listener = '@KafkaListener(topics = "t") void on(List<Reading> given) {}'
    settings = "spring.kafka.listener.type=BATCH\n"
    files = {"src/main/resources/application.properties": settings}
    assert received(tmp_path, listener, **files) == [f"<- t {ONE}"]


def test_a_factory_of_containers_makes_listeners_take_batches(tmp_path: Path) -> None:
    listener = '@RabbitListener(queues = "t") void on(List<Reading> given) {}'
    factory = "package meter; class Config { void f(Factory f) { f.setBatchListener(true); } }"
    files = {"src/main/java/meter/Config.java": factory}
    (with_factory,) = received(tmp_path / "with", listener, **files)
    (without,) = received(tmp_path / "without", listener)
    assert (with_factory[-len(ONE) :], without[-len(MANY) :]) == (ONE, MANY)
