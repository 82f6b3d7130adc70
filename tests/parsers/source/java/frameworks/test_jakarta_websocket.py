"""Jakarta WebSocket."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "com.fasterxml.jackson.databind.ObjectMapper"
    " jakarta.websocket.*"
    " jakarta.websocket.server.PathParam"
    " jakarta.websocket.server.ServerEndpoint"
)


def test_endpoints(tmp_path: Path) -> None:
    source = """
        @ServerEndpoint("/orders/{shop}") class Orders {
          private ObjectMapper mapper;
          @OnOpen public void open(Session session) {
            session.getAsyncRemote().sendText(mapper.writeValueAsString(new Item())); }
          @OnMessage public void take(Session session, String text, @PathParam("s") String shop) {
            Order order = mapper.readValue(text, Order.class);
            session.getBasicRemote().sendObject(order); }
          @OnMessage public void pong(PongMessage message) {} }
        @ServerEndpoint(value = "/items", decoders = ItemDecoder.class) class Items {
          @OnMessage public Item take(Item item) { return item; } }
        @ServerEndpoint("/echo") class Echo {
          @OnMessage public String take(String text, Session session) { return text; } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        "-> /echo <`take` gives the payload as text>",
        "-> /items <the payload is written by an encoder, which is not followed>",
        "-> /orders/{shop} <the payload is written by an encoder, which is not followed>",
        f"-> /orders/{{shop}} {ITEM}",
        "<- /echo <`take` takes the payload as text or bytes>",
        "<- /items <the payload is read by a decoder, which is not followed>",
        f"<- /orders/{{shop}} {ORDER}",
    ]


def test_sends_outside_of_endpoints(tmp_path: Path) -> None:
    source = """
        @ServerEndpoint("/orders") class Orders { @OnOpen public void open(Session session) {} }
        class Hub { private ObjectMapper mapper;
          void tell(List<Session> sessions, Order order) {
            sessions.forEach(s -> s.getAsyncRemote().sendText(mapper.writeValueAsString(order)));
          } }
        """
    assert read(tmp_path, LIBRARY, source) == [f"-> /orders {ORDER}"]


def test_without_an_endpoint_it_is_a_client(tmp_path: Path) -> None:
    source = """
        @ClientEndpoint class Client { private ObjectMapper mapper;
          @OnMessage public void take(String text) { mapper.readValue(text, Order.class); }
          void tell(Session session, Order order) {
            session.getBasicRemote().sendText(mapper.writeValueAsString(order)); } }
        """
    assert read(tmp_path, LIBRARY, source) == []
