"""Spring's messages over WebSocket (STOMP)."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "org.springframework.messaging.handler.annotation.*"
    " org.springframework.messaging.simp.*"
    " org.springframework.messaging.simp.annotation.*"
    " org.springframework.messaging.simp.config.MessageBrokerRegistry"
    " org.springframework.messaging.support.MessageBuilder"
    " org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker"
    " java.security.Principal"
)
CONFIG = """
    @EnableWebSocketMessageBroker class Config {
      static final String APP = "/app";
      void configureMessageBroker(MessageBrokerRegistry registry) {
        registry.enableSimpleBroker("/topic").setRelayHost("x");
        registry.setApplicationDestinationPrefixes(APP);
        registry.setUserDestinationPrefix("/me");
      } }
"""


def test_handlers(tmp_path: Path) -> None:
    source = """
        @MessageMapping("orders") class C {
          @MessageMapping("/add") void add(@Payload Order order, Principal who) {}
          @MessageMapping("/{id}/items") @SendTo("/topic/items")
          Item item(@DestinationVariable long id, Order order) { return null; }
          @MessageMapping("/mine") @SendToUser("/queue/mine") Item mine(Item item) { return null; }
          @MessageMapping("/echo") Order echo(Order order, SimpMessageHeaderAccessor headers) {
            return order; }
          @SubscribeMapping("/all") List<Order> all() { return null; }
          @MessageMapping("/ping") void ping() {}
          @MessageMapping(Library.NAME) void open(Order order) {}
        }
        """
    assert read(tmp_path, LIBRARY, CONFIG + source) == [
        f"-> /app/orders/all (/orders/all) [{ORDER}]",
        f"-> /me/queue/mine (/queue/mine, /app/queue/mine) {ITEM}",
        f"-> /topic/items (/app/topic/items) {ITEM}",
        f"-> /topic/orders/echo {ORDER}",
        f"<- /app/orders/add (/orders/add) {ORDER}",
        f"<- /app/orders/echo (/orders/echo) {ORDER}",
        f"<- /app/orders/mine (/orders/mine) {ITEM}",
        f"<- /app/orders/{{id}}/items (/orders/{{id}}/items) {ORDER}",
        "<- ?the address is not a constant that can be followed " + ORDER,
    ]


def test_templates(tmp_path: Path) -> None:
    source = """
        class P { private SimpMessagingTemplate template; private SimpMessageSendingOperations ops;
          void a(Order order) { template.convertAndSend("/topic/orders", order); }
          void b(Item item, String user) { ops.convertAndSendToUser(user, "/queue/items", item); }
          void c(Order order, long id) {
            ops.convertAndSend("/topic/orders/" + id, order, headers); }
          void d(Item item) {
            template.send("/topic/built", MessageBuilder.withPayload(item).build()); }
          void e(Item item) { template.convertAndSend(item); }
        }
        """
    assert read(tmp_path, LIBRARY, CONFIG + source) == [
        f"-> /me/queue/items (/queue/items) {ITEM}",
        f"-> /topic/built {ITEM}",
        f"-> /topic/orders {ORDER}",
        f"-> /topic/orders/{{}} {ORDER}",
        "-> ?no address is given " + ITEM,
    ]


def test_without_prefixes(tmp_path: Path) -> None:
    source = (
        'class C { @MessageMapping("/add") @SendToUser("/q") Item a(Order o) { return null; } }'
    )
    assert read(tmp_path, LIBRARY, source) == [f"-> /user/q (/q) {ITEM}", f"<- /add {ORDER}"]


def test_prefixes_that_are_undetermined(tmp_path: Path) -> None:
    source = 'class C { @MessageMapping("/add") void add(Order order) {} }'
    config = CONFIG.replace("Prefixes(APP)", "Prefixes(Library.prefix())")
    assert read(tmp_path, LIBRARY, config + source) == [
        f"<- ?a prefix of destinations is not a constant that can be followed {ORDER}"
    ]


def test_the_mappings_of_rsocket_are_no_channels(tmp_path: Path) -> None:
    imports = "org.springframework.messaging.handler.annotation.MessageMapping"
    source = 'class C { @MessageMapping("add") void add(Order order) {} }'
    assert read(tmp_path, imports, source) == []
