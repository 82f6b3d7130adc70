"""Google Cloud Pub/Sub: topics and subscriptions."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import events, exchanged, project


def test_topics(tmp_path: Path) -> None:
    source = """
        import json, os
        from google.cloud import pubsub_v1
        publisher = pubsub_v1.PublisherClient()
        PROJECT = os.environ["PROJECT"]
        def run(project, topic):
            path = publisher.topic_path(PROJECT, "orders-created")
            future = publisher.publish(path, data=json.dumps({"id": 1}).encode("utf-8"), origin="x")
            publisher.publish(f"projects/{project}/topics/orders-paid", json.dumps({"p": "x"}))
            publisher.publish(publisher.topic_path(project, topic), b"x")
        class Bus:
            def __init__(self, publisher):
                self.publisher = publisher
            def emit(self, topic: str, event: dict):
                self.publisher.publish(self.publisher.topic_path(PROJECT, topic), json.dumps(event))
        def use(bus: Bus):
            bus.emit("orders-wrapped", {"w": "x"})
        """
    assert exchanged(tmp_path, "Google Cloud Pub/Sub", source) == [
        "send orders-created: {id: integer[1]}",
        "send orders-paid: {p: string['x']}",
        "send  (its address is not constant): unknown: bytes",
        "send orders-wrapped: {w: string['x']}",
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        import json
        from google.cloud import pubsub_v1
        subscriber = pubsub_v1.SubscriberClient()
        paid = subscriber.subscription_path("shop", "billing")
        def make(project):
            topic = subscriber.topic_path(project, "orders-paid")
            subscriber.create_subscription(request={"name": paid, "topic": topic})
        def on_paid(message):
            print(json.loads(message.data.decode("utf-8"))["orderId"])
            message.ack()
        def listen():
            subscriber.subscribe(paid, callback=on_paid)
            subscriber.subscribe("projects/shop/subscriptions/elsewhere", on_paid)
        def pull(path):
            answer = subscriber.pull(request={"subscription": paid, "max_messages": 3})
            for received in answer.received_messages:
                print(json.loads(received.message.data)["late"])
            subscriber.pull(subscription=path)
        """
    found = exchanged(tmp_path, "Google Cloud Pub/Sub", source)
    why = "the topic of subscription `elsewhere` is not in the code"
    assert found == [
        "receive orders-paid: {orderId: anything}~",
        f"receive  ({why}): {{orderId: anything}}~",
        "receive orders-paid: {late: anything}~",
        "receive  (its subscription is not constant): {late: anything}~",
    ]
    uses = events(project(tmp_path, {"app.py": source}), "Google Cloud Pub/Sub")
    assert [use.aliases for use in uses] == [("billing",), ("elsewhere",), ("billing",), ()]
