"""Classes that a build makes of Avro schemas."""

from __future__ import annotations

import json
from pathlib import Path

from tests.parsers.source.java.project import Project

LISTENER = """package shop;
import shop.events.Order;
import org.springframework.kafka.annotation.KafkaListener;
class L {
  @KafkaListener(topics = "orders") void take(Order order) {}
}
"""


def schema(type: str) -> str:
    fields = [{"name": "orderId", "type": type}, {"name": "n", "type": ["null", "int"]}]
    record = {"type": "record", "name": "Order", "namespace": "shop.events", "fields": fields}
    return json.dumps(record)


def events(folder: Path, files: dict[str, str]) -> list[str]:
    return Project(folder, {"src/main/java/shop/L.java": LISTENER, **files}).events()


def test_classes_of_avro_schemas(tmp_path: Path) -> None:
    files = {"src/main/avro/order.avsc": schema("long"), "src/main/avro/broken.avsc": "{"}
    shape = "{orderId!: integer(int64), n!: integer(int32)|null}"
    assert events(tmp_path, files) == [f"<- orders {shape}"]


def test_two_schemas_of_one_name_tell_nothing(tmp_path: Path) -> None:
    files = {"src/main/avro/a.avsc": schema("long"), "src/main/avro/b.avsc": schema("string")}
    assert events(tmp_path, files) == ["<- orders <type `Order` comes from a library>"]


def test_a_module_has_its_own_schema(tmp_path: Path) -> None:
    files = {
        "src/main/avro/order.avsc": schema("string"),
        "other/pom.xml": "<project/>",
        "other/src/main/avro/order.avsc": schema("long"),
    }
    shape = "{orderId!: string, n!: integer(int32)|null}"
    assert events(tmp_path, files) == [f"<- orders {shape}"]
