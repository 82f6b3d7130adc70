"""Which addresses are only defaults of settings."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.java.language import LANGUAGE as JAVA
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.python.language import LANGUAGE as PYTHON
from contract_scan.parsers.source.typescript.language import LANGUAGE as TYPESCRIPT
from tests.parsers.source.project import LinkedProject


def addresses(folder: Path, language: Language, files: dict[str, str]) -> dict[str, bool]:
    """The addresses that code sends to, each with whether it is only a default."""
    project = LinkedProject(folder, files, language)
    return {use.address: use.is_default_address for use in project.code.events}


def test_of_the_environment_and_of_settings_classes_in_python(tmp_path: Path) -> None:
    source = """
        import os
        from kafka import KafkaProducer
        from pydantic_settings import BaseSettings
        class Base(BaseSettings):
            audit: str = "audit"
        class Settings(Base):
            topic: str = "of-settings"
        class Plain:
            topic = "of-class"
        settings = Settings()
        PREFIX = os.environ.get("PREFIX", "dev")
        producer = KafkaProducer()
        def send():
            producer.send("written")
            producer.send(Plain.topic)
            producer.send(settings.topic)
            producer.send(settings.audit)
            producer.send(os.getenv("TOPIC", "second"))
            producer.send(os.getenv("TOPIC") or "or")
            producer.send(f"{PREFIX}.orders")
    """
    assert addresses(tmp_path, PYTHON, {"app.py": source}) == {
        "written": False,
        "of-class": False,
        "of-settings": True,
        "audit": True,
        "second": True,
        "or": True,
        "dev.orders": True,
    }


def test_behind_what_comes_from_outside_in_typescript(tmp_path: Path) -> None:
    source = """
        import mqtt from 'mqtt';
        const client = mqtt.connect('mqtt://broker');
        const settings = { topic: process.env.TOPIC ?? 'nullish', other: 'written' };
        const none = undefined;
        client.publish(settings.topic, '1');
        client.publish(settings.other, '1');
        client.publish(process.env.TOPIC || 'falsy', '1');
        client.publish(none ?? 'always', '1');
    """
    assert addresses(tmp_path, TYPESCRIPT, {"a.ts": source}) == {
        "nullish": True,
        "written": False,
        "falsy": True,
        "always": False,
    }


def test_of_placeholders_in_java(tmp_path: Path) -> None:
    files = {
        "src/main/resources/application.yml": """
            app:
              of-file: ${TOPIC:default-of-file}
              set: set-in-file
        """,
        "src/main/java/shop/A.java": """
            package shop;
            import org.springframework.beans.factory.annotation.Value;
            import org.springframework.kafka.core.KafkaTemplate;
            class A {
              KafkaTemplate<String, String> kafka;
              @Value("${app.unset:default-of-code}") String unset;
              @Value("${app.of-file}") String ofFile;
              @Value("${app.set:not-used}") String set;
              void send() {
                kafka.send(unset, "1");
                kafka.send(ofFile, "1");
                kafka.send(set, "1");
                kafka.send("written", "1");
              }
            }
        """,
    }
    assert addresses(tmp_path, JAVA, files) == {
        "default-of-code": True,
        "default-of-file": True,
        "set-in-file": False,
        "written": False,
    }
