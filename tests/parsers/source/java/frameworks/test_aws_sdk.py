"""AWS SDK for Java."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "software.amazon.awssdk.services.sqs.SqsClient software.amazon.awssdk.services.sqs.model.*"
    " software.amazon.awssdk.services.sns.SnsClient software.amazon.awssdk.services.sns.model.*"
    " com.amazonaws.services.sqs.AmazonSQS"
    " org.springframework.beans.factory.annotation.Value"
)


def test_sends(tmp_path: Path) -> None:
    source = """
        class P {
          private SqsClient sqs; private SnsClient sns; private AmazonSQS old;
          @Value("${queues.items}") private String url;
          static final String URL = "https://sqs.eu-west-1.amazonaws.com/1/orders";
          void a(Order order) throws Exception {
            SendMessageRequest request = SendMessageRequest.builder().queueUrl(URL)
              .messageBody(mapper.writeValueAsString(order)).delaySeconds(1).build();
            sqs.sendMessage(request); }
          void b(Item item) { sqs.sendMessage(r -> r.queueUrl(url).messageBody(json(item))); }
          String json(Object value) { return mapper.writeValueAsString(value); }
          void c(Order order) { sns.publish(PublishRequest.builder()
            .topicArn("arn:aws:sns:eu-west-1:1:orders-topic")
            .message(mapper.writeValueAsString(order)).build()); }
          void d(Item item) { old.sendMessage("old", mapper.writeValueAsString(item)); }
          void e(Item item) { old.sendMessage(new SendMessageRequest()
            .withQueueUrl("with").withMessageBody(mapper.writeValueAsString(item))); }
          void f(Item item) { old.sendMessage(new SendMessageRequest("made", gson.toJson(item))); }
          void g(Order order) {
            String asked = sqs.getQueueUrl(
              GetQueueUrlRequest.builder().queueName("asked").build()).queueUrl();
            sqs.sendMessage(SendMessageRequest.builder().queueUrl(asked)
              .messageBody(mapper.writeValueAsString(order)).build()); }
          void h(SendMessageRequest request) { sqs.sendMessage(request); }
          void phone() {
            sns.publish(PublishRequest.builder().phoneNumber("1").message("x").build()); }
          void i(Other other) { other.sendMessage("no", "queue"); }
        }
        """
    assert read(tmp_path, LIBRARY, source, yml="queues: {items: items-queue}\n") == [
        "-> ?the request is made elsewhere <no payload is given>",
        f"-> asked {ORDER}",
        f"-> items-queue {ITEM}",
        f"-> made {ITEM}",
        f"-> old {ITEM}",
        f"-> orders {ORDER}",
        f"-> orders-topic {ORDER}",
        f"-> with {ITEM}",
    ]


def test_polled_queues(tmp_path: Path) -> None:
    source = """
        class L { private SqsClient sqs;
          void a() {
            for (Message m : sqs.receiveMessage(ReceiveMessageRequest.builder()
                .queueUrl("orders").maxNumberOfMessages(1).build()).messages()) {
              Order order = mapper.readValue(m.body(), Order.class); } }
          void b() { sqs.receiveMessage(r -> r.queueUrl("lambda")).messages().forEach(m -> {
              Item item = mapper.readValue(m.body(), Item.class); }); }
        }
        class Raw { private AmazonSQS sqs; void a() { sqs.receiveMessage("raw"); } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- lambda {ITEM}",
        f"<- orders {ORDER}",
        "<- raw <what is made of the messages cannot be followed>",
    ]
