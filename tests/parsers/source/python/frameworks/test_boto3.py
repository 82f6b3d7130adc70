"""boto3 and aioboto3: SNS, SQS and EventBridge."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import events, exchanged, project

MODELS = """
    from pydantic import BaseModel
    class Order(BaseModel):
        id: int
    """


def test_topics(tmp_path: Path) -> None:
    source = """
        import json, os
        import boto3
        from models import Order
        sns = boto3.client("sns")
        PAID = "arn:aws:sns:eu-west-1:123:orders-paid"
        def run(order: Order, region):
            sns.publish(TopicArn=PAID, Message=order.model_dump_json())
            sns.publish(
                TopicArn=f"arn:aws:sns:{region}:1:orders-late", Message=json.dumps({"id": 1})
            )
            sns.publish(
                TargetArn=PAID,
                MessageStructure="json",
                Message=json.dumps({"default": json.dumps({"d": "x"})}),
            )
            sns.publish(TopicArn=os.environ["TOPIC"], Message="text")
            sns.publish(TopicArn=f"arn:aws:sns:{region}:1:{order.id}", Message="text")
            sns.publish(PhoneNumber="+1", Message="your code")
            arn = sns.create_topic(Name="orders-made")["TopicArn"]
            sns.publish(TopicArn=arn, Message=json.dumps({"m": "x"}))
            topic = boto3.resource("sns").Topic("arn:aws:sns:eu-west-1:123:orders-object")
            topic.publish(Message=json.dumps({"o": "x"}))
            sns.publish_batch(
                TopicArn=PAID,
                PublishBatchRequestEntries=[{"Id": "1", "Message": json.dumps({"b": "x"})}],
            )
        class Publisher:
            def __init__(self, client):
                self.client = client
            def publish(self, Message, TopicArn):
                self.client.publish(TopicArn=TopicArn, Message=json.dumps(Message))
        def use(publisher: Publisher):
            publisher.publish(TopicArn="arn:aws:sns:x:1:orders-wrapped", Message={"w": "x"})
        """
    assert exchanged(tmp_path, "boto3", source, models=MODELS) == [
        "send orders-paid Order: {id: integer}",
        "send orders-late: {id: integer[1]}",
        "send orders-paid: {d: string['x']}",
        "send  (its address is not constant): unknown: the message is a text",
        "send  (its address is not constant): unknown: the message is a text",
        "send orders-made: {m: string['x']}",
        "send orders-object: {o: string['x']}",
        "send orders-paid: {b: string['x']}",
        "send orders-wrapped: {w: string['x']}",
    ]


def test_queues(tmp_path: Path) -> None:
    source = """
        import json
        import aioboto3, boto3
        URL = "https://sqs.eu-west-1.amazonaws.com/123/orders"
        sqs = boto3.client("sqs")
        def send(items):
            sqs.send_message(QueueUrl=URL, MessageBody=json.dumps({"id": 1}))
            found = sqs.get_queue_url(QueueName="orders-found")["QueueUrl"]
            sqs.send_message(QueueUrl=found, MessageBody=json.dumps({"f": "x"}))
            queue = boto3.resource("sqs").get_queue_by_name(QueueName="orders-named")
            queue.send_message(MessageBody=json.dumps({"n": "x"}))
            batch = [{"Id": str(item), "MessageBody": json.dumps({"b": "x"})} for item in items]
            sqs.send_message_batch(QueueUrl=URL, Entries=batch)
        async def asynchronous():
            async with aioboto3.Session().client("sqs") as client:
                await client.send_message(QueueUrl=URL, MessageBody=json.dumps({"a": "x"}))
        def mail(server, message):
            server.send_message(message)
        def receive():
            answer = sqs.receive_message(QueueUrl=URL, MaxNumberOfMessages=10)
            for message in answer.get("Messages", []):
                body = json.loads(message["Body"])
                print(body["orderId"])
        """
    found = exchanged(tmp_path, "boto3", source)
    assert found == [
        "send orders: {id: integer[1]}",
        "send orders-found: {f: string['x']}",
        "send orders-named: {n: string['x']}",
        "send orders: {b: string['x']}",
        "send orders: {a: string['x']}",
        "receive orders: {orderId: anything}~",
    ]


def test_envelopes_of_topics_and_rules_in_queues(tmp_path: Path) -> None:
    source = """
        import json
        import boto3
        sqs = boto3.client("sqs")
        def from_topic():
            for record in sqs.receive_message(QueueUrl="https://sqs/1/topic")["Messages"]:
                envelope = json.loads(record["Body"])
                order = json.loads(envelope["Message"])
                print(order["orderId"])
        def from_rule():
            for record in sqs.receive_message(QueueUrl="https://sqs/1/rule")["Messages"]:
                event = json.loads(record["Body"])
                print(event["detail-type"], event["detail"]["orderId"])
        def unread():
            for record in sqs.receive_message(QueueUrl="https://sqs/1/unread")["Messages"]:
                print(json.loads(record["Body"])["Message"])
        """
    found = exchanged(tmp_path, "boto3", source)
    assert found == [
        "receive topic: {orderId: anything}~",
        "receive rule: {orderId: anything}~",
        "receive unread: unknown: the handler does not parse the message of the topic",
    ]


def test_event_bridge(tmp_path: Path) -> None:
    source = """
        import json
        import boto3
        from models import Order
        client = boto3.client("events")
        def put(kind, detail):
            client.put_events(Entries=[{"DetailType": kind, "Detail": json.dumps(detail)}])
        def run(order: Order):
            client.put_events(
                Entries=[
                    {
                        "Source": "shop",
                        "DetailType": "OrderPaid",
                        "Detail": order.model_dump_json(),
                        "EventBusName": "orders",
                    },
                    {"Source": "shop", "DetailType": "OrderLost", "Detail": json.dumps({"l": "x"})},
                ]
            )
            put("OrderWrapped", {"w": "x"})
        """
    program = project(tmp_path, {"app.py": source, "models.py": MODELS})
    assert [(use.address, use.aliases, use.message) for use in events(program, "boto3")] == [
        (
            "OrderLost",
            ("shop", "shop/OrderLost", "shop.OrderLost"),
            "",
        ),
        (
            "OrderPaid",
            (
                *("orders", "shop", "orders/OrderPaid", "shop/OrderPaid"),
                *("orders.OrderPaid", "shop.OrderPaid"),
            ),
            "Order",
        ),
        ("OrderWrapped", (), ""),
    ]
    assert exchanged(tmp_path, "boto3", source, models=MODELS) == [
        "send OrderLost: {l: string['x']}",
        "send OrderPaid Order: {id: integer}",
        "send OrderWrapped: {w: string['x']}",
    ]
