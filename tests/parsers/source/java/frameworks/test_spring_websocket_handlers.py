"""Spring's sockets without STOMP."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

READ = f"{ORDER[:-1]}, *: nothing}}"
"""What a mapper of the class's own reads."""

LIBRARY = (
    "com.fasterxml.jackson.databind.ObjectMapper"
    " org.springframework.beans.factory.annotation.Value"
    " org.springframework.web.socket.*"
    " org.springframework.web.socket.config.annotation.*"
    " org.springframework.web.socket.handler.*"
)
ORDERS = """
    class Orders extends TextWebSocketHandler {
      private final ObjectMapper mapper = new ObjectMapper();
      @Override protected void handleTextMessage(WebSocketSession session, TextMessage message) {
        Order order = mapper.readValue(message.getPayload(), Order.class);
        session.sendMessage(new TextMessage(mapper.writeValueAsString(new Item())));
      }
      void all(Set<WebSocketSession> sessions, Item item) {
        String json = mapper.writeValueAsString(item);
        for (WebSocketSession session : sessions) { session.sendMessage(new TextMessage(json)); }
      }
    }
"""


def test_handlers(tmp_path: Path) -> None:
    source = """
        class Config implements WebSocketConfigurer {
          private Orders orders;
          @Override public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(orders, "/ws/orders", "/ws/old").setAllowedOrigins("*");
            registry.addHandler(raw(), "/ws/raw").addHandler(new Bytes(), "/ws/bytes");
          }
          Raw raw() { return new Raw(); } }
        class Raw implements WebSocketHandler {
          public void handleMessage(WebSocketSession session, WebSocketMessage<?> message) {
            System.out.println(message.getPayload()); } }
        class Bytes extends BinaryWebSocketHandler {
          protected void handleBinaryMessage(WebSocketSession session, BinaryMessage message) {} }
        """
    assert read(tmp_path, LIBRARY, ORDERS + source) == [
        f"-> /ws/old {ITEM}",
        f"-> /ws/old {ITEM}",
        f"-> /ws/orders {ITEM}",
        f"-> /ws/orders {ITEM}",
        "<- /ws/bytes <`handleBinaryMessage` takes the payload as bytes>",
        f"<- /ws/old {READ}",
        f"<- /ws/orders {READ}",
        "<- /ws/raw <`handleMessage` takes the payload as text or bytes>",
    ]


def test_sends_outside_of_handlers(tmp_path: Path) -> None:
    source = """
        class Config implements WebSocketConfigurer {
          public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(new Orders(), "/ws/orders"); } }
        class Hub { private ObjectMapper mapper;
          void tell(WebSocketSession session, Order order) {
            TextMessage message = new TextMessage(mapper.writeValueAsString(order));
            session.sendMessage(message); }
          void other(Mail mail, String text) { mail.sendMessage(text); } }
        """
    assert read(tmp_path, LIBRARY, ORDERS + source) == [
        f"-> /ws/orders {ORDER}",
        f"-> /ws/orders {ITEM}",
        f"-> /ws/orders {ITEM}",
        f"<- /ws/orders {READ}",
    ]


def test_which_of_several_sockets_a_send_is_for_is_undetermined(tmp_path: Path) -> None:
    source = """
        class Config implements WebSocketConfigurer {
          public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(new A(), "/a");
            registry.addHandler(new B(), "/b"); } }
        class A extends TextWebSocketHandler {}
        class B extends TextWebSocketHandler {}
        class Hub { private ObjectMapper mapper;
          void tell(WebSocketSession session, Order order) {
            session.sendMessage(new TextMessage(mapper.writeValueAsString(order))); } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> ?which socket it is sent to is undetermined {ORDER}",
    ]


def test_the_path_of_the_application_comes_before(tmp_path: Path) -> None:
    source = """
        class Config implements WebSocketConfigurer {
          @Value("${socket.path}") String path;
          public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(new Raw(), "ws", path, "/all/**"); } }
        class Raw extends TextWebSocketHandler {
          public void handleTextMessage(WebSocketSession session, TextMessage message) {} }
        """
    settings = "server.servlet.context-path=/api\n"
    assert read(tmp_path, LIBRARY, source, properties=settings) == [
        "<- /api/ws (ws) <`handleTextMessage` takes the payload as text or bytes>",
        "<- ?the path `/all/**` stands for several"
        " <`handleTextMessage` takes the payload as text or bytes>",
        "<- ?the property `socket.path` is set in no settings file"
        " <`handleTextMessage` takes the payload as text or bytes>",
    ]


def test_a_handler_that_is_registered_nowhere_is_no_channel(tmp_path: Path) -> None:
    assert read(tmp_path, LIBRARY, ORDERS) == []
