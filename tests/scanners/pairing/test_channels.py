"""Which places in code use which channel."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from contract_scan.ir.event import Channel
from contract_scan.scanners.pairing.addresses import canonical, is_open, may_be_same
from contract_scan.scanners.pairing.channels import pair_channels
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import STRING, FakeCode, asyncapi, channel, message, openapi, use


@pytest.mark.parametrize(
    ("contract", "code", "pattern"),
    [
        ("orders.created", "orders.created", False),
        ("orders.{id}.created", "orders.42.created", False),
        ("orders.{id}.created", "orders.{orderId}.created", False),
        ("orders.{id}", "orders.{x}.{y}", False),
        ("orders.created", "orders.*", True),
        ("orders.created", "orders.#", True),
        ("orders", "orders.#", True),
        ("orders.eu.created", "orders.#", True),
        ("orders/created", "+/created", True),
        ("orders.created", r"^orders\..*$", True),
        ("orders.created", r"orders\.(.+)".replace("(", "").replace(")", ""), True),
        ("saga.reply.#", "saga.reply.a.b", False),
    ],
)
def test_addresses_that_may_be_the_same(contract: str, code: str, pattern: bool) -> None:
    assert may_be_same(contract, code, pattern)


@pytest.mark.parametrize(
    ("contract", "code", "pattern"),
    [
        ("orders.created", "orders.deleted", False),
        ("orders.{id}.created", "orders..created", False),
        ("orders.{id}.created", "orders.42.deleted", False),
        ("orders.created", "payments.*", True),
        ("orders", "orders.created", False),
        ("a.b", "a*b", False),
    ],
)
def test_addresses_that_are_different(contract: str, code: str, pattern: bool) -> None:
    assert not may_be_same(contract, code, pattern)


def test_parameters_are_written_alike() -> None:
    assert canonical("a.{x}.{y}") == "a.{}.{}"
    assert is_open("{topic}") and is_open("")
    assert not is_open("a.{x}")


def test_uses_go_to_their_channel() -> None:
    orders, payments = channel("orders", "send"), channel("payments.{id}", "receive")
    uses = [
        use("send", "orders", STRING),
        use("receive", "payments.7", STRING),
        use("send", "other", STRING),
        use("send", "other", STRING, line=2),
        use("send", "{topic}", STRING),
        use("receive", "", STRING, unresolved="the topic is an argument"),
    ]
    unit = Unit(documents=(asyncapi(orders, payments),), code=FakeCode(events=uses))
    result = pair_channels(unit)
    assert [(p.channel.key, p.uses) for p in result.pairs] == [
        ("orders", (uses[0],)),
        ("payments.{id}", (uses[1],)),
    ]
    assert result.undocumented == (uses[2],)
    assert result.pairs[0].possible == (uses[4], uses[5])


def test_a_default_address_counts_only_where_a_channel_has_it() -> None:
    orders, payments = channel("orders", "send"), channel("payments", "send")
    fitting = use("send", "orders", STRING, is_default_address=True)
    other = use("send", "dev.payments", STRING, is_default_address=True)
    unit = Unit(documents=(asyncapi(orders, payments),), code=FakeCode(events=[fitting, other]))
    result = pair_channels(unit)
    undetermined = replace(
        other,
        address="",
        unresolved="its address `dev.payments` is only the default of a setting",
    )
    assert [(p.uses, p.possible) for p in result.pairs] == [
        ((fitting,), (undetermined,)),
        ((), (undetermined,)),
    ]
    assert result.undocumented == ()


def test_an_exact_address_wins_over_a_parameter() -> None:
    exact, open_ = channel("orders.eu", "send"), channel("orders.{region}", "send")
    sent = use("send", "orders.eu", STRING)
    unit = Unit(documents=(asyncapi(exact, open_),), code=FakeCode(events=[sent]))
    assert [p.uses for p in pair_channels(unit).pairs] == [(sent,), ()]


def test_bindings_name_a_channel_too() -> None:
    orders = msgspec.structs.replace(channel("orders", "send"), aliases=("orders-queue",))
    sent = use("send", "orders-queue", STRING)
    unit = Unit(documents=(asyncapi(orders),), code=FakeCode(events=[sent]))
    assert [p.uses for p in pair_channels(unit).pairs] == [(sent,)]


def test_an_exchange_is_known_where_the_routing_key_is_not() -> None:
    shop = msgspec.structs.replace(channel("shop", "send"), aliases=("shop.events",))
    other = channel("other", "send")
    sent = use("send", "", STRING, unresolved="the key is computed", aliases=("shop.events",))
    unit = Unit(documents=(asyncapi(shop, other),), code=FakeCode(events=[sent]))
    result = pair_channels(unit)
    assert [(p.uses, p.possible) for p in result.pairs] == [((sent,), (sent,)), ((), (sent,))]
    assert result.undocumented == ()


def test_without_an_asyncapi_document_no_channel_is_undocumented() -> None:
    unit = Unit(documents=(openapi(),), code=FakeCode(events=[use("send", "a", STRING)]))
    assert pair_channels(unit) == pair_channels(Unit(documents=(), code=FakeCode()))


def test_jobs_of_a_task_queue_need_no_contract_and_may_have_one() -> None:
    orders = replace(channel("orders", "send"), protocols=("redis",))
    job = use("send", "app.tasks.tidy", STRING, internal=True, protocols=("redis",))
    result = pair_channels(Unit(documents=(asyncapi(orders),), code=FakeCode(events=[job])))
    assert [(p.uses, p.recognised) for p in result.pairs] == [((), False)]
    assert (result.undocumented, result.foreign) == ((), ())
    named = use("send", "orders", STRING, internal=True)
    result = pair_channels(Unit(documents=(asyncapi(orders),), code=FakeCode(events=[named])))
    assert [p.uses for p in result.pairs] == [(named,)]


def test_a_use_whose_address_is_open_may_be_a_channel_of_its_protocol_alone() -> None:
    orders = replace(channel("orders", "send"), protocols=("kafka",))
    chat = replace(channel("chat", "send"), protocols=("http", "ws"))
    unsaid = channel("unsaid", "send")
    socket = use("send", "", STRING, unresolved="the path is open", protocols=("ws",))
    any_ = use("send", "", STRING, unresolved="the topic is an argument")
    unit = Unit(documents=(asyncapi(orders, chat, unsaid),), code=FakeCode(events=[socket, any_]))
    assert [(p.channel.key, p.possible) for p in pair_channels(unit).pairs] == [
        ("orders", (any_,)),
        ("chat", (socket, any_)),
        ("unsaid", (socket, any_)),
    ]


def test_patterns_match_within_their_protocol_and_equal_names_beyond_it() -> None:
    rooms = replace(channel("{room}", "send"), protocols=("ws",))
    orders = replace(channel("orders", "send"), protocols=("ws",))
    sent = [
        use("send", "payments", STRING, protocols=("kafka",)),
        use("send", "orders", STRING, protocols=("kafka",)),
        use("send", "lobby", STRING, protocols=("ws",)),
    ]
    unit = Unit(documents=(asyncapi(rooms, orders),), code=FakeCode(events=sent))
    result = pair_channels(unit)
    assert [(p.channel.key, p.uses) for p in result.pairs] == [
        ("{room}", (sent[2],)),
        ("orders", (sent[1],)),
    ]
    assert (result.undocumented, result.foreign) == ((), (sent[0],))


def test_channels_know_whether_their_protocol_is_used_at_all() -> None:
    kafka = replace(channel("orders", "send"), protocols=("kafka",))
    redis = replace(channel("jobs", "send"), protocols=("redis",))
    sent = use("send", "other", STRING, protocols=("kafka",))
    unit = Unit(documents=(asyncapi(kafka, redis),), code=FakeCode(events=[sent]))
    result = pair_channels(unit)
    assert [(p.channel.key, p.recognised) for p in result.pairs] == [
        ("orders", True),
        ("jobs", False),
    ]
    assert (result.undocumented, result.foreign) == ((sent,), ())


def test_a_parameter_that_the_address_forgot_may_stand_anywhere_in_the_code() -> None:
    commands = replace(channel("/boards/commands", "receive"), unplaced=("boardId",))
    received = [
        use("receive", "/boards/{id}/commands", STRING),
        use("receive", "/boards/{id}/{more}/commands", STRING),
        use("receive", "/boards/new/commands", STRING),
    ]
    unit = Unit(documents=(asyncapi(commands),), code=FakeCode(events=received))
    result = pair_channels(unit)
    assert [p.uses for p in result.pairs] == [(received[0],)]
    assert result.undocumented == (received[1], received[2])


def test_what_serves_every_address_serves_the_only_channel_of_its_protocol() -> None:
    chat, news = (replace(channel(name, "send"), protocols=("ws",)) for name in ("/a", "/b"))
    orders = replace(channel("orders", "send"), protocols=("kafka",))
    sent = use("send", "*", STRING, pattern=True, protocols=("ws",))
    one = Unit(documents=(asyncapi(chat, orders),), code=FakeCode(events=[sent]))
    assert [(p.uses, p.possible) for p in pair_channels(one).pairs] == [((sent,), ()), ((), ())]
    two = Unit(documents=(asyncapi(chat, news),), code=FakeCode(events=[sent]))
    assert [(p.uses, p.possible) for p in pair_channels(two).pairs] == [((), (sent,))] * 2


def test_a_message_that_bears_its_name_is_of_the_only_channel_that_has_it() -> None:
    game = channel("/game", "send", message("moved", STRING), message("both", STRING))
    chat = channel("/chat", "send", message("said", STRING), message("both", STRING))
    sent = [
        use("send", name, STRING, message=name, has_wire_name=True) for name in ("moved", "both")
    ]
    unit = Unit(documents=(asyncapi(game, chat),), code=FakeCode(events=sent))
    result = pair_channels(unit)
    assert [p.uses for p in result.pairs] == [(sent[0],), ()]
    assert result.undocumented == (sent[1],)


def test_paths_of_sockets_are_the_same_with_and_without_a_slash_at_their_front() -> None:
    created = replace(channel("pub/room/create", "receive"), protocols=("ws",))
    left = replace(channel("/rooms/{id}/leave", "receive"), protocols=("ws",))
    topic = replace(channel("orders", "receive"), protocols=("mqtt",))
    received = [
        use("receive", "/pub/room/create", STRING, protocols=("stomp", "ws")),
        use("receive", "rooms/{room}/leave", STRING, protocols=("ws",)),
        use("receive", "/orders", STRING, protocols=("mqtt",)),
        use("receive", "/pub/room/{id}", STRING, protocols=("stomp", "ws")),
    ]
    unit = Unit(documents=(asyncapi(created, left, topic),), code=FakeCode(events=received))
    result = pair_channels(unit)
    assert [p.uses for p in result.pairs] == [(received[0],), (received[1],), ()]
    assert result.undocumented == (received[2], received[3])


def test_sockets_have_the_path_of_a_server_before_their_own() -> None:
    chat = socket("/rooms/{id}", "/ws")
    written_twice = socket("/feed", "/api/v1/feed/")
    whole = socket("/", "/live")
    received = [
        use("receive", "/ws/rooms/{room}", STRING, protocols=("ws",)),
        use("receive", "/api/v1/feed", STRING, protocols=("ws",)),
        use("receive", "live", STRING, protocols=("ws",)),
        use("receive", "/other/rooms/{room}", STRING, protocols=("ws",)),
        use("receive", "/ws/rooms/{room}", STRING, protocols=("kafka",)),
    ]
    unit = Unit(documents=(asyncapi(chat, written_twice, whole),), code=FakeCode(events=received))
    result = pair_channels(unit)
    assert [p.uses for p in result.pairs] == [(received[0],), (received[1],), (received[2],)]
    assert result.undocumented == (received[3],)
    assert result.foreign == (received[4],)


def test_one_connection_may_carry_what_several_channels_list() -> None:
    alone, ping, pong = socket("news", "/news"), socket("ping", "/ws"), socket("pong", "/ws")
    received = [use("receive", path, STRING, protocols=("ws",)) for path in ("/news", "/ws")]
    unit = Unit(documents=(asyncapi(alone, ping, pong),), code=FakeCode(events=received))
    result = pair_channels(unit)
    assert [(p.uses, p.possible) for p in result.pairs] == [
        ((received[0],), ()),
        ((), (received[1],)),
        ((), (received[1],)),
    ]
    assert result.undocumented == ()


def test_methods_of_hubs_are_the_same_in_any_case() -> None:
    place, moved = (
        replace(channel(name, "receive"), protocols=("ws",)) for name in ("placeOrder", "moved")
    )
    received = [
        use(
            "receive",
            "PlaceOrder",
            STRING,
            protocols=("ws",),
            has_wire_name=True,
            case_insensitive=True,
        ),
        use("receive", "Moved", STRING, protocols=("ws",), has_wire_name=True),
    ]
    unit = Unit(documents=(asyncapi(place, moved),), code=FakeCode(events=received))
    result = pair_channels(unit)
    assert [p.uses for p in result.pairs] == [(received[0],), ()]
    assert result.undocumented == (received[1],)


def socket(address: str, mount: str) -> Channel:
    return replace(channel(address, "receive"), protocols=("ws",), mounts=(mount,))
