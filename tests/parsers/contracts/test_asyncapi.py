"""Channels of AsyncAPI 2.x and 3.x documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.event import Message
from contract_scan.ir.origin import Span
from tests.parsers.contracts.rendering import load, problems, render


def lines(document: ContractDocument) -> list[str]:
    """One line for each channel, and one for each thing the application does with it."""
    found: list[str] = []
    for channel in document.channels:
        aliases = f" alias {', '.join(channel.aliases)}" if channel.aliases else ""
        found.append(f"{channel.key} @ {channel.address}{aliases}: {messages(channel.messages)}")
        found += [
            f"  {one.direction} {one.name}: {messages(one.messages)}" for one in channel.operations
        ]
    return found


def messages(given: tuple[Message, ...]) -> str:
    return ", ".join(f"{one.name} {render(one.payload)}" for one in given)


def test_version_2_speaks_from_the_other_side(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 2.6.0
        info: {title: Orders, version: '1'}
        channels:
          orders.created:
            publish:
              operationId: onCreated
              message: {name: Created, payload: {type: object, properties: {id: {type: string}}}}
          orders/{id}/changed:
            parameters: {id: {schema: {type: string}}}
            subscribe:
              message:
                oneOf:
                  - $ref: '#/components/messages/Paid'
                  - {messageId: sent, payload: {type: integer}}
        components:
          messages:
            Paid: {payload: {$ref: '#/components/schemas/Paid'}}
          schemas:
            Paid: {type: [object, 'null'], properties: {amount: {type: number}}}
        """,
    )
    assert (document.kind, document.version, document.title) == ("asyncapi", "2.6.0", "Orders")
    assert lines(document) == [
        "orders.created @ orders.created: Created {id?: string}",
        "  receive onCreated: Created {id?: string}",
        "orders/{id}/changed @ orders/{id}/changed: Paid <Paid>, sent integer",
        "  send : Paid <Paid>, sent integer",
    ]
    assert [render(one) for one in document.schemas.values()] == ["Paid{amount?: number}|null"]


def test_a_message_has_every_name_that_the_document_gives_it(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 2.6.0
        channels:
          /:
            publish:
              message:
                oneOf:
                  - $ref: '#/components/messages/CreatedMessage'
                  - $ref: '#/components/messages/Paid'
                  - {title: sent, payload: {type: string}}
        components:
          messages:
            CreatedMessage: {title: created, payload: {type: string}}
            Paid: {name: paid, messageId: Paid, title: A payment, payload: {type: string}}
        """,
    )
    (channel,) = document.channels
    assert [(message.name, message.aliases) for message in channel.messages] == [
        ("CreatedMessage", ("created",)),
        ("paid", ("Paid", "A payment")),
        ("sent", ()),
    ]


def test_bindings_of_operations_name_channels_and_shared_names_tell_none(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 2.0.0
        channels:
          made:
            publish: {bindings: {kafka: {topic: orders-made}}}
          lost:
            publish: {bindings: {kafka: {topic: errors}}}
          failed:
            subscribe: {bindings: {kafka: {topic: errors}}}
        """,
    )
    assert [(c.key, c.aliases, c.shared) for c in document.channels] == [
        ("made", ("orders-made",), ()),
        ("lost", (), ("errors",)),
        ("failed", (), ("errors",)),
    ]


def test_version_3_names_channels_and_operations_apart(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 3.0.0
        channels:
          orders:
            address: shop.orders.{kind}
            messages:
              Created: {$ref: '#/components/messages/Created'}
              Deleted: {name: OrderDeleted, payload: {type: string}}
          replies:
            address: null
            messages: {Done: {payload: {type: boolean}}}
          unused: {address: shop.unused}
        operations:
          sendAll: {action: send, channel: {$ref: '#/channels/orders'}}
          sendOne:
            action: send
            channel: {$ref: '#/channels/orders'}
            messages: [{$ref: '#/channels/orders/messages/Deleted'}]
          ask:
            action: receive
            channel: {$ref: '#/channels/orders'}
            messages: [{$ref: '#/channels/orders/messages/Created'}]
            reply: {channel: {$ref: '#/channels/replies'}}
        components:
          messages:
            Created: {payload: {type: integer}}
        """,
    )
    assert lines(document) == [
        "orders @ shop.orders.{kind}: Created integer, OrderDeleted string",
        "  send sendAll: Created integer, OrderDeleted string",
        "  send sendOne: OrderDeleted string",
        "  receive ask: Created integer",
        "replies @ : Done boolean",
        "  send ask (reply): Done boolean",
        "unused @ shop.unused: ",
    ]
    assert problems(document) == []


def test_channels_operations_and_messages_know_their_places(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        asyncapi: 3.0.0
        channels:
          orders:
            address: shop.orders
            messages:
              Created: {payload: {type: integer}}
        operations:
          sendAll: {action: send, channel: {$ref: '#/channels/orders'}}
        """,
    )
    (channel,) = document.channels
    (operation,) = channel.operations
    assert [
        (one.origin.span, one.origin.pointer) for one in (channel, operation, operation.messages[0])
    ] == [
        (Span(3, 3, 3, 9), "/channels/orders"),
        (Span(8, 3, 8, 10), "/operations/sendAll"),
        (Span(6, 7, 6, 14), "/channels/orders/messages/Created"),
    ]
    assert channel.document == "contract.yaml"


def test_traits_fill_in_what_a_message_does_not_say(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 2.6.0
        defaultContentType: application/json
        channels:
          a:
            publish:
              message:
                traits: [{$ref: '#/components/messageTraits/Named'}, {contentType: text/plain}]
                payload: {type: string}
          b: {publish: {message: {name: Own, payload: {type: string}}}}
        components:
          messageTraits:
            Named: {name: FromTrait, contentType: application/cbor}
        """,
    )
    assert [
        (message.name, message.content_type)
        for channel in document.channels
        for message in channel.messages
    ] == [("FromTrait", "application/cbor"), ("Own", "application/json")]


def test_payloads_in_other_languages_are_unknown(tmp_path: Path) -> None:
    avro = "application/vnd.google.protobuf;version=3"
    old = load(
        tmp_path,
        f"""
        asyncapi: 2.6.0
        channels:
          a: {{publish: {{message: {{schemaFormat: '{avro}', payload: {{type: record}}}}}}}}
          b:
            publish:
              message:
                schemaFormat: application/vnd.oai.openapi;version=3.0.0
                payload: {{type: string, nullable: true}}
          c: {{publish: {{message: {{name: Bare}}}}}}
        """,
    )
    new = load(
        tmp_path,
        f"""
        asyncapi: 3.0.0
        channels:
          a: {{messages: {{M: {{payload: {{schemaFormat: '{avro}', schema: {{type: record}}}}}}}}}}
          b:
            messages:
              M:
                payload:
                  schemaFormat: application/schema+json;version=draft-07
                  schema: {{$ref: '#/components/schemas/Order'}}
        components:
          schemas:
            Order:
              schemaFormat: application/vnd.aai.asyncapi+yaml;version=3.0.0
              schema: {{type: string}}
        """,
        "new.yaml",
    )
    unread = f"unknown <the schema is written in `{avro}`, which is not read>"
    assert lines(old) == [
        f"a @ a:  {unread}",
        f"  receive :  {unread}",
        "b @ b:  string|null",
        "  receive :  string|null",
        "c @ c: Bare unknown <the contract gives no payload for this message>",
        "  receive : Bare unknown <the contract gives no payload for this message>",
    ]
    assert lines(new) == [f"a @ : M {unread}", "b @ : M <Order>"]
    assert [render(one) for one in new.schemas.values()] == ["string"]


def test_names_at_the_broker_are_aliases_unless_shared(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 2.6.0
        channels:
          created:
            bindings: {amqp: {is: routingKey, exchange: {name: shop.events}}}
            subscribe: {bindings: {amqp: {cc: [created.copy]}}, message: {payload: {type: string}}}
          deleted:
            bindings: {amqp: {is: routingKey, exchange: {name: shop.events}}}
          jobs:
            bindings: {amqp: {is: queue, queue: {name: shop.jobs}}}
          shop.other_paid.now:
            bindings: {amqp: {is: routingKey, exchange: {name: shop.other}}}
          stream:
            bindings: {$ref: '#/components/channelBindings/Stream'}
        components:
          channelBindings:
            Stream: {kafka: {topic: shop-stream}}
        """,
    )
    assert lines(document) == [
        "created @ created alias created.copy:  string",
        "  send :  string",
        "deleted @ deleted: ",
        "jobs @ jobs alias shop.jobs: ",
        "shop.other_paid.now @ shop.other_paid.now alias shop.other, paid.now: ",
        "stream @ stream alias shop-stream: ",
    ]


def test_messages_that_version_3_finds_written_as_in_version_2(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 3.0.0
        channels:
          orders:
            address: orders
            publish: {message: {name: Order, payload: {type: string}}}
        operations:
          send: {action: send, channel: {$ref: '#/channels/orders'}}
        """,
    )
    assert lines(document) == [
        "orders @ orders: Order string",
        "  send send: Order string",
    ]


def test_servers_of_web_sockets_say_which_path_stands_before_a_channel(tmp_path: Path) -> None:
    old = load(
        tmp_path / "old",
        """
        asyncapi: 2.6.0
        servers:
          one:
            url: 'wss://shop.example/{place}/ws/'
            protocol: wss
            variables: {place: {enum: [eu, us]}}
          two: {url: 'localhost:80', protocol: ws}
          broker: {url: 'kafka.example/topics', protocol: kafka}
        channels: {/all: {}, /one: {servers: [one]}, /none: {servers: [two]}}
        """,
    )
    assert [(one.key, one.mounts) for one in old.channels] == [
        ("/all", ("/eu/ws", "/us/ws")),
        ("/one", ("/eu/ws", "/us/ws")),
        ("/none", ()),
    ]
    new = load(
        tmp_path / "new",
        """
        asyncapi: 3.0.0
        servers:
          one: {host: 'localhost:80', pathname: /api/ws, protocol: ws}
          two: {host: 'localhost:81/v1', protocol: ws}
        channels: {all: {address: /}}
        """,
    )
    assert [one.mounts for one in new.channels] == [("/api/ws", "/v1")]


def test_what_is_wrong_in_one_place_leaves_the_rest(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        asyncapi: 3.0.0
        channels:
          a: {messages: {M: {$ref: '#/components/messages/Gone'}}}
          b: text
        operations:
          x: {action: publish, channel: {$ref: '#/channels/a'}}
          y: {action: send}
          z: {action: send, channel: {$ref: '#/components/channels/c'}}
        components:
          channels: {c: {address: c}}
        """,
    )
    assert lines(document) == ["a @ : "]
    assert [(line, reason) for _, line, reason in problems(document)] == [
        (
            3,
            "$ref `#/components/messages/Gone` leads nowhere: there is no `messages` "
            "in contract.yaml#/components",
        ),
        (4, "the channel `b` must be a mapping"),
        (6, "`action` must be `send` or `receive`"),
        (7, "the operation `y` names no channel"),
        (8, "the operation `z` uses a channel that is not listed"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "asyncapi: 1.2.0\n",
            "contract.yaml:1: `asyncapi: 1.2.0` is a version that is not read; "
            "readable are 2.x and 3.x",
        ),
        ("asyncapi: 2.0.0\nchannels: []\n", "contract.yaml:2: `channels` must be a mapping"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        load(tmp_path, text)
    assert str(caught.value) == message


def protocols(document: ContractDocument) -> dict[str, tuple[str, ...]]:
    return {channel.key: channel.protocols for channel in document.channels}


def test_channels_speak_the_protocols_of_their_servers_and_bindings(tmp_path: Path) -> None:
    version_2 = load(
        tmp_path,
        """
        asyncapi: 2.6.0
        info: {title: A, version: '1'}
        servers:
          bus: {url: 'a:9092', protocol: kafka-secure}
          sockets: {$ref: '#/components/servers/sockets'}
          own: {url: b, protocol: pigeon}
        channels:
          one: {servers: [bus]}
          two: {servers: [bus, sockets], bindings: {redis: {}}}
          all: {}
          other: {servers: [own]}
          asked: {bindings: {http: {type: request}}}
        components:
          servers: {sockets: {url: 'b', protocol: WSS}}
        """,
    )
    assert protocols(version_2) == {
        "one": ("kafka",),
        "two": ("kafka", "redis", "ws"),
        "all": (),
        "other": (),
        "asked": ("HTTP requests",),
    }
    version_3 = load(
        tmp_path,
        """
        asyncapi: 3.0.0
        info: {title: A, version: '1'}
        servers:
          bus: {host: a, protocol: amqps}
          sockets: {host: b, protocol: socket.io}
        channels:
          one: {address: one, servers: [{$ref: '#/servers/bus'}]}
          all: {address: all}
        """,
    )
    assert protocols(version_3) == {"one": ("amqp",), "all": ("amqp", "ws")}


def test_parameters_that_an_address_forgot_are_known(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        asyncapi: 3.0.0
        info: {title: A, version: '1'}
        channels:
          one: {address: 'a/{x}', parameters: {x: {}, y: {}}}
          none: {parameters: {x: {}}}
        """,
    )
    assert [channel.unplaced for channel in document.channels] == [("y",), ()]
