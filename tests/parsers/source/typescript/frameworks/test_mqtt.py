"""Topics of MQTT."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_mqtt_js(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import mqtt from 'mqtt';
                interface Reading { sensor: string; value: number }
                const client = mqtt.connect('mqtt://broker');
                client.on('connect', () => { client.subscribe('sensors/+/readings', { qos: 1 }); });
                client.on('message', (topic, payload) => {
                  const reading: Reading = JSON.parse(payload.toString());
                });
                export function tell(id: string, reading: Reading) {
                  client.publish(`devices/${id}/commands`, JSON.stringify(reading), { qos: 1 });
                }
            """,
        },
    )
    assert project.events() == {
        "receive sensors/+/readings: {sensor: string, value: numeric}",
        "send devices/{value}/commands: {sensor: string, value: numeric}",
    }
    assert {use.protocols for use in project.code.events} == {("mqtt",)}


def test_several_topics_and_clients_with_a_type(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { connectAsync, MqttClient } from 'mqtt';
                export class Hub {
                  private client: MqttClient;
                  async start() {
                    this.client = await connectAsync('mqtt://broker');
                    await this.client.subscribeAsync(['a', 'b/#']);
                    this.client.on('message', (topic, payload) => { JSON.parse(payload); });
                  }
                  async stop() { await this.client.publishAsync('c', JSON.stringify({ n: 1 })); }
                }
            """,
            "b.js": """
                const mqtt = require('mqtt');
                const client = mqtt.connect(process.env.BROKER);
                client.subscribe({ 'x/y': { qos: 0 }, 'x/z': { qos: 1 } });
                client.publish(process.env.TOPIC || 'status', 'on');
            """,
        },
    )
    assert project.events() == {
        "receive a: unknown",
        "receive b/#: unknown",
        "send c: {n: 1}",
        "receive x/y: unknown",
        "receive x/z: unknown",
        "send status: 'on'",
    }


def test_other_buses_are_no_topics(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import mqtt from 'mqtt';
                const client = mqtt.connect('mqtt://broker');
                class Bus { publish(name: string, what: object) {} }
                export function run(bus: Bus) { bus.publish('orders', { id: 1 }); }
            """,
        },
    )
    assert project.events() == set()
