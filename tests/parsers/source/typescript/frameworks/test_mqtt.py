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


def test_clients_that_functions_know_by_interfaces_of_their_own(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "heat.ts": """
                export interface HeatClient {
                  on(event: 'message', handle: (topic: string, payload: Buffer) => void): void;
                  subscribe(topic: string, done: (error: Error | null) => void): void;
                }
                export interface Heat { celsius: number }
                export function watch(input: { client: HeatClient; onHeat: (heat: Heat) => void }) {
                  input.client.on('message', (topic, payload) => {
                    const heat: Heat = JSON.parse(Buffer.from(payload).toString('utf8'));
                    input.onHeat(heat);
                  });
                  input.client.subscribe('kilns/+/heat', () => {});
                }
                export function follow(client, topic: string) { client.subscribe(topic); }
                export function listen(bus: HeatClient) { bus.subscribe('of/a/bus', () => {}); }
            """,
            "main.ts": """
                import mqtt from 'mqtt';
                import { Bus } from './bus.js';
                import { follow, listen, watch } from './heat.js';
                const client = mqtt.connect('mqtt://broker');
                watch({ client, onHeat: (heat) => console.log(heat.celsius) });
                follow(mqtt.connect('mqtt://doors'), 'doors/+');
                listen(new Bus());
            """,
            "bus.ts": "export class Bus { on() {} subscribe() {} }",
        },
    )
    assert project.events() == {
        "receive kilns/+/heat: {celsius: numeric}",
        "receive doors/+: unknown",
    }
