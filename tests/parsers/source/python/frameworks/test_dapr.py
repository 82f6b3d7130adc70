"""Dapr: published events and subscriptions."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import events, exchanged, project


def test_events_are_published(tmp_path: Path) -> None:
    source = """
        import json
        from dapr.clients import DaprClient
        TOPIC = "orders.created"
        def run(topic):
            with DaprClient() as client:
                client.publish_event("pubsub", TOPIC, json.dumps({"id": 1}))
                client.publish_event(
                    pubsub_name="pubsub", topic_name=f"orders.{topic}", data=json.dumps({"n": "x"})
                )
                client.publish_event("pubsub", topic, "text")
        """
    assert exchanged(tmp_path, "Dapr", source) == [
        "send orders.created: {id: integer[1]}",
        "send orders.{}: {n: string['x']}",
        "send  (its address is not constant): unknown: the message is a text",
    ]
    uses = events(project(tmp_path, {"app.py": source}), "Dapr")
    assert [use.aliases for use in uses] == [
        ("pubsub/orders.created",),
        ("pubsub/orders.{}",),
        (),
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        import json
        from cloudevents.sdk.event import v1
        from dapr.ext.fastapi import DaprApp
        from dapr.ext.grpc import App
        from fastapi import Body, FastAPI
        from other import broker
        grpc = App()
        web = DaprApp(FastAPI())
        @grpc.subscribe(pubsub_name="pubsub", topic="orders.created")
        def created(event: v1.Event):
            print(json.loads(event.Data())["orderId"])
        @web.subscribe(pubsub="pubsub", topic="orders.paid")
        def paid(event_data=Body()):
            data = event_data["data"]
            print(data["orderId"], data.get("note"))
        @web.subscribe("pubsub", "orders.lost")
        def lost(): ...
        @broker.subscribe("pubsub", "theirs")
        def theirs(): ...
        """
    assert exchanged(tmp_path, "Dapr", source) == [
        "receive orders.created: {orderId: anything}~",
        "receive orders.paid: {orderId: anything, note-: anything}~",
        "receive orders.lost: unknown: the handler validates the message with no model",
    ]
