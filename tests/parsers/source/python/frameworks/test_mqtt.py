"""MQTT: Paho, aiomqtt, Flask-MQTT and FastAPI-MQTT."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_paho(tmp_path: Path) -> None:
    source = """
        import json
        import paho.mqtt.client as mqtt
        from paho.mqtt import publish
        TOPIC = "sensors/+/readings"
        def on_connect(client, userdata, flags, rc):
            client.subscribe(TOPIC, qos=1)
        def on_message(client, userdata, msg):
            reading = json.loads(msg.payload.decode())
            print(reading["value"], reading.get("unit"))
        client = mqtt.Client()
        client.on_connect = on_connect
        client.on_message = on_message
        def tell(device):
            client.publish(f"devices/{device}/commands", json.dumps({"on": True}), qos=1)
            publish.single("status", json.dumps({"n": 1}), hostname="broker")
            publish.multiple([{"topic": "a", "payload": json.dumps({"a": 1})}, ("b", "x", 0)])
        """
    assert exchanged(tmp_path, "MQTT", source) == [
        "receive sensors/+/readings: {value: anything, unit-: anything}~",
        "send devices/{}/commands: {on: boolean[True]}",
        "send status: {n: integer[1]}",
        "send a: {a: integer[1]}",
        "send b: unknown: the message is a text",
    ]


def test_callbacks_are_handed_the_client(tmp_path: Path) -> None:
    source = """
        import json
        from paho.mqtt.client import Client
        class Bridge:
            def __init__(self):
                self._c = Client()
                self._c.on_connect = self._connected
                self._c.on_message = self._taken
            def _connected(self, c, userdata, flags, rc):
                c.subscribe("lamps")
            def _taken(self, c, userdata, message):
                print(json.loads(message.payload)["on"])
                c.publish("answers", json.dumps({"ok": True}))
        def other(c):
            c.subscribe("elsewhere")
        """
    assert exchanged(tmp_path, "MQTT", source) == [
        "receive lamps: {on: anything}~",
        "send answers: {ok: boolean[True]}",
    ]


def test_callbacks_of_several_topics(tmp_path: Path) -> None:
    source = """
        import json
        import paho.mqtt.client as paho
        class Hub:
            def __init__(self):
                self.client = paho.Client()
                self.client.on_message = self._on_message
                self.client.message_callback_add("doors/#", self._on_door)
                self.client.subscribe([("doors/#", 0), ("lamps/#", 1)])
            def _on_message(self, client, userdata, message):
                lamp = json.loads(message.payload)
                print(lamp["brightness"])
            def _on_door(self, client, userdata, message):
                door = json.loads(message.payload)
                print(door["open"])
        class Others:
            def __init__(self, client: paho.Client):
                client.subscribe("x")
                client.subscribe("y")
                client.on_message = self.taken
            def taken(self, client, userdata, message):
                print(json.loads(message.payload)["id"])
        """
    assert exchanged(tmp_path, "MQTT", source) == [
        "receive doors/#: {open: anything}~",
        "receive lamps/#: {brightness: anything}~",
        "receive x: unknown: several topics share one handler",
        "receive y: unknown: several topics share one handler",
    ]


def test_aiomqtt(tmp_path: Path) -> None:
    source = """
        import json
        import aiomqtt
        async def run():
            async with aiomqtt.Client("broker") as client:
                await client.publish("started", payload=json.dumps({"at": 1}))
                await client.subscribe("orders/+")
                async for message in client.messages:
                    order = json.loads(message.payload)
                    print(order["id"])
        """
    assert exchanged(tmp_path, "MQTT", source) == [
        "send started: {at: integer[1]}",
        "receive orders/+: {id: anything}~",
    ]


def test_extensions_of_web_frameworks(tmp_path: Path) -> None:
    flask = """
        import json
        from flask_mqtt import Mqtt
        mqtt = Mqtt()
        @mqtt.on_connect()
        def connected(client, userdata, flags, rc):
            mqtt.subscribe("home/temperature")
        @mqtt.on_topic("home/temperature")
        def temperature(client, userdata, message):
            print(json.loads(message.payload)["celsius"])
        """
    assert exchanged(tmp_path / "flask", "MQTT", flask) == [
        "receive home/temperature: {celsius: anything}~"
    ]
    fastapi = """
        import json
        from fastapi_mqtt import FastMQTT
        mqtt = FastMQTT()
        @mqtt.subscribe("shop/orders", "shop/returns", qos=1)
        async def order(client, topic, payload, qos, properties):
            print(json.loads(payload)["id"])
        async def tell():
            mqtt.publish("shop/paid", {"id": "x"})
        """
    assert exchanged(tmp_path / "fastapi", "MQTT", fastapi) == [
        "receive shop/orders: {id: anything}~",
        "receive shop/returns: {id: anything}~",
        "send shop/paid: {id: string['x']}",
    ]


def test_other_clients_are_no_clients_of_mqtt(tmp_path: Path) -> None:
    source = """
        import paho.mqtt.client as mqtt
        class Bus:
            def publish(self, name, what): ...
        def run(bus: Bus):
            bus.publish("orders", {"id": 1})
        """
    assert exchanged(tmp_path, "MQTT", source) == []
