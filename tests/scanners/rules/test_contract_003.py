"""CONTRACT-003 over channels and uses written down by hand."""

from __future__ import annotations

import msgspec
import pytest

from contract_scan.ir.event import Channel, ChannelOperation, EventUse, MessageKind
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Field, Schema, Union, Unknown
from contract_scan.scanners.channel_check import NO_MESSAGE
from contract_scan.scanners.pairing.document_direction import REASONS
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import RuleResult
from contract_scan.scanners.rules.contract_003_event_payload import (
    NO_EVENTS,
    RULE,
)
from tests.scanners.builders import (
    INTEGER,
    STRING,
    FakeCode,
    asyncapi,
    at,
    channel,
    enum,
    message,
    obj,
    optional,
    text,
    use,
)
from tests.scanners.rules.checking import check, found, undetermined, verdicts

CREATED = obj({"orderId": STRING, "total": INTEGER}, name="Created")


def answer(channels: list[Channel], uses: list[EventUse], version: str = "3.0.0") -> RuleResult:
    return check(RULE, asyncapi(*channels, version=version), FakeCode(events=uses))


def test_a_channel_that_agrees_is_verified() -> None:
    created = channel("created", "send", message("Created", CREATED))
    shipped = channel("shipped", "receive", message("Shipped", CREATED))
    result = answer(
        [created, shipped], [use("send", "created", CREATED), use("receive", "shipped", CREATED)]
    )
    assert (found(result), undetermined(result)) == ([], [])
    assert verdicts(result) == {"created": Verdict.VERIFIED, "shipped": Verdict.VERIFIED}


def test_what_is_sent_must_fit() -> None:
    created = channel("created", "send", message("Created", CREATED))
    result = answer([created], [use("send", "created", obj({"order_id": STRING, "more": STRING}))])
    assert found(result) == [
        "error missing-field @created: total",
        "error name-case @created: orderId",
        "warning extra-field @created: more",
    ]
    assert verdicts(result) == {"created": Verdict.VIOLATED}
    assert result.findings[0].message.startswith("the message to `created` ")


def test_what_is_received_must_be_read() -> None:
    payload = obj({"id": STRING, "kind": enum("a", "b"), "note": text(nullable=True), "n": INTEGER})
    created = channel("created", "receive", message("Created", payload))
    reader = obj(
        {
            "id": INTEGER,
            "kind": enum("a"),
            "note": STRING,
            "extra": STRING,
            "more": optional(STRING),
        },
        name="Reader",
    )
    result = answer([created], [use("receive", "created", reader)])
    assert found(result) == [
        "error enum @created: kind",
        "error extra-field @created: extra",
        "error nullable @created: note",
        "error type @created: id",
        "warning extra-field @created: more",
        "warning missing-field @created: n",
    ]


def test_a_consumer_may_insist_on_less_and_know_more() -> None:
    payload = obj({"id": optional(STRING), "kind": enum("a"), "n": optional(INTEGER)})
    created = channel("created", "receive", message("Created", payload))
    reader = obj({"id": Field(name="id", schema=text(nullable=True)), "kind": enum("a", "b")})
    result = answer([created], [use("receive", "created", reader)])
    assert found(result) == ["warning enum @created: kind"]


def test_an_unused_channel_is_missing() -> None:
    result = answer([channel("created", "send")], [use("send", "other", STRING)])
    assert found(result) == [
        "error missing-channel @created",
        "warning undocumented-channel @other",
    ]
    assert verdicts(result) == {"created": Verdict.MISSING}
    assert result.findings[0].origin == at("asyncapi.yaml")


def test_a_channel_that_the_code_has_a_name_for_may_be_used_unseen() -> None:
    contract = asyncapi(channel("shop.created", "send"), channel("paid", "send"))
    events = [use("send", "other", STRING)]
    result = check(RULE, contract, FakeCode(events=events, texts=["shop.created", "paid"]))
    assert found(result) == [
        "error missing-channel @paid",
        "warning undocumented-channel @other",
    ]
    assert undetermined(result) == [
        f"shop.created ({Reason('address-only-mentioned', path='app.py')})"
    ]
    taken = [use("receive", "shop.created", STRING)]
    result = check(RULE, contract, FakeCode(events=taken, texts=["shop.created"]))
    assert found(result)[0] == "error missing-channel @paid"
    assert "error missing-channel @shop.created" in found(result)


def test_the_other_end_of_a_channel_that_is_contracted_both_ways_may_be_elsewhere() -> None:
    both = channel("lag", "send")
    operations = (*both.operations, *channel("lag", "receive").operations)
    both = msgspec.structs.replace(both, operations=operations)
    result = check(RULE, asyncapi(both), FakeCode(events=[use("send", "lag", STRING)]))
    assert found(result) == []
    assert f"lag ({Reason('document-describes-both-sides')})" in undetermined(result)
    result = check(RULE, asyncapi(both), FakeCode(events=[use("send", "other", STRING)]))
    assert found(result)[0] == "error missing-channel @lag"


def test_a_channel_used_the_wrong_way_round_is_missing() -> None:
    result = answer(
        [channel("created", "send"), channel("shipped", "send")],
        [use("receive", "created", STRING), use("send", "shipped", STRING)],
    )
    assert found(result) == ["error missing-channel @created"]
    assert result.findings[0].message == (
        "nothing in the code sends to channel `created`; the code only receives from it"
    )


def test_the_other_end_of_a_channel_may_be_in_the_same_code() -> None:
    created = channel("created", "send", message("Created", CREATED))
    result = answer(
        [created],
        [
            use("send", "created", CREATED),
            use("receive", "created", obj({"orderId": INTEGER}, name="Reader")),
        ],
    )
    assert found(result) == [
        "error type @created: orderId",
        "warning missing-field @created: total",
    ]


def test_an_address_that_is_undetermined_may_be_any_channel() -> None:
    unresolved = use("send", "", STRING, unresolved="the topic is an argument")
    result = answer([channel("created", "send"), channel("shipped", "receive")], [unresolved])
    assert found(result) == ["error missing-channel @shipped"]
    assert undetermined(result) == [
        "created (a place that may use the channel: the topic is an argument)"
    ]


def test_no_event_at_all_says_nothing_of_the_code() -> None:
    result = answer([channel("created", "send")], [])
    assert (found(result), undetermined(result)) == ([], [f"created ({NO_EVENTS})"])
    assert verdicts(result) == {"created": Verdict.UNDETERMINED}


def test_jobs_of_a_task_queue_say_nothing_of_channels_but_their_own() -> None:
    jobs = [
        use("send", "app.tasks.tidy", STRING, internal=True),
        use("send", "paid", obj({"orderId": INTEGER}), internal=True),
    ]
    channels = [channel("created", "send"), channel("paid", "send", message("Paid", CREATED))]
    result = answer(channels, jobs)
    assert undetermined(result) == [f"created ({NO_EVENTS})"]
    assert found(result) == [
        "error missing-field @paid: total",
        "error type @paid: orderId",
    ]


def test_an_asyncapi_2_document_may_be_written_from_the_other_side() -> None:
    payload = message("Created", CREATED)
    channels = [channel("created", "send", payload), channel("shipped", "receive", payload)]
    uses = [use("receive", "created", CREATED), use("send", "shipped", obj({"orderId": STRING}))]
    result = answer(channels, uses, version="2.6.0")
    assert found(result) == ["error missing-field @shipped: total"]
    [note] = result.undetermined
    assert (note.origin, note.channel) == (Origin("asyncapi.yaml"), None)
    assert verdicts(result) == {"created": Verdict.VERIFIED, "shipped": Verdict.VIOLATED}
    strict = answer(channels, uses, version="3.0.0")
    assert [f.kind for f in strict.findings if f.kind == "missing-channel"] == [
        "missing-channel",
        "missing-channel",
    ]


def test_an_asyncapi_3_document_of_which_every_channel_is_reversed_is_written_for_clients() -> None:
    channels = [channel(name, "send", message("Created", CREATED)) for name in "abc"]
    uses = [use("receive", name, CREATED) for name in "abc"]
    result = answer(channels, uses, version="3.0.0")
    assert found(result) == []
    assert [entry.channel for entry in result.undetermined] == [None]
    one_agrees = answer(channels, [use("send", "a", CREATED), *uses[1:]], version="3.0.0")
    assert [f.channel for f in one_agrees.findings if f.kind == "missing-channel"] == ["b", "c"]


def test_a_document_that_was_converted_from_version_2_is_read_like_one() -> None:
    order = message("Order", CREATED)
    operation = ChannelOperation(direction="receive", messages=(order,), name="orders.publish")
    orders = msgspec.structs.replace(channel("orders", "receive", order), operations=(operation,))
    result = answer([orders], [use("send", "orders", CREATED)])
    assert (found(result), undetermined(result)) == ([], [f" ({REASONS['other side']})"])


def test_what_messages_carry_tells_the_viewpoint_where_both_directions_are_contracted() -> None:
    said, heard = obj({"text": STRING}), obj({"id": STRING, "text": STRING, "by": STRING})
    asked = obj({"room": STRING})
    channels = [
        Channel(
            key=name,
            address=name,
            operations=(
                ChannelOperation(direction="receive", messages=(message("Heard", heard),)),
                ChannelOperation(direction="send", messages=(message("Asked", asked),)),
            ),
            origin=at("asyncapi.yaml"),
        )
        for name in ("one", "two", "three")
    ]
    reversed_ = [
        one
        for name in ("one", "two", "three")
        for one in (use("receive", name, asked), use("send", name, heard))
    ]
    result = answer(channels, reversed_)
    assert (found(result), undetermined(result)) == ([], [f" ({REASONS['other side']})"])
    as_written = [
        one
        for name in ("one", "two", "three")
        for one in (use("receive", name, said), use("send", name, asked))
    ]
    assert undetermined(answer(channels, as_written)) == []


def test_a_channel_that_both_ends_use_tells_nothing_of_the_viewpoint() -> None:
    channels = [channel("a", "receive"), channel("b", "receive")]
    uses = [use("send", "a", STRING), use("send", "b", STRING), use("receive", "b", STRING)]
    assert found(answer(channels, uses, version="2.6.0")) == []
    assert found(answer(channels, uses[1:], version="2.6.0")) == ["error missing-channel @a"]


def test_an_asyncapi_2_document_may_describe_a_whole_system() -> None:
    channels = [channel(name, "receive", message("M", CREATED)) for name in ("a", "b", "c", "d")]
    uses = [
        use("send", "a", CREATED),
        use("receive", "a", CREATED),
        use("send", "b", obj({"orderId": STRING})),
        use("receive", "c", CREATED),
    ]
    result = answer(channels, uses, version="2.6.0")
    assert found(result) == ["error missing-channel @d", "error missing-field @b: total"]
    [note] = result.undetermined
    assert note.channel is None
    strict = answer(channels, uses, version="3.0.0")
    assert found(strict)[:2] == ["error missing-channel @b", "error missing-channel @d"]


def test_most_channels_decide_the_viewpoint() -> None:
    channels = [channel(name, "send") for name in "abc"]
    forward = [use("send", name, STRING) for name in "abc"]
    reverse = [use("receive", name, STRING) for name in "abc"]
    one_reverse = answer(channels, [reverse[0], *forward[1:]], version="2.6.0")
    assert found(one_reverse) == ["error missing-channel @a"]
    one_forward = answer(channels, [forward[0], *reverse[1:]], version="2.6.0")
    assert found(one_forward) == ["error missing-channel @a"]
    even = answer(channels[:2], [forward[0], reverse[1]], version="2.6.0")
    assert found(even) == ["error missing-channel @b"]


CANCELLED = obj({"orderId": STRING, "reason": STRING})


@pytest.mark.parametrize("direction", ["send", "receive"])
def test_of_several_messages_the_named_or_the_likest_counts(direction: str) -> None:
    both = channel(
        "orders",
        direction,  # type: ignore[arg-type]
        message("OrderCreated", CREATED),
        message("OrderCancelled", CANCELLED),
    )

    def run(payload: object, name: str = "") -> list[str]:
        one = use(direction, "orders", payload, message=name)  # type: ignore[arg-type]
        return found(answer([both], [one]))

    assert run(CREATED) == run(CANCELLED) == []
    severity = "error" if direction == "send" else "warning"
    assert run(CREATED, "events.OrderCancelled")[-1] == (
        f"{severity} missing-field @orders: reason"
        if direction == "receive"
        else "warning extra-field @orders: total"
    )
    assert run(obj({"orderId": STRING, "reason": INTEGER})) == ["error type @orders: reason"]
    if direction == "send":
        assert run(Union(options=(CREATED, CANCELLED))) == []


def test_a_payload_that_is_unknown_or_not_json_is_undetermined() -> None:
    plain = channel("a", "send", message("A", CREATED))
    avro = channel("b", "send", message("B", CREATED, content_type="avro/binary"))
    uses = [use("send", "a", Unknown(reason="built at run time")), use("send", "b", CREATED)]
    result = answer([plain, avro], uses)
    assert (found(result), undetermined(result)) == (
        [],
        ["a (built at run time)", "b (only JSON is compared, not avro/binary)"],
    )


def test_avro_is_compared_with_what_avro_makes_and_with_maps() -> None:
    record = msgspec.structs.replace(obj({"orderId": STRING}, name="Created"), is_avro=True)
    declared = obj({"orderId": STRING, "total": INTEGER}, name="Created")
    for one in (
        message("A", declared, content_type="application/avro"),
        message("A", msgspec.structs.replace(declared, is_avro=True)),
    ):
        created = channel("a", "send", one)
        for made in (record, obj({"orderId": STRING})):
            assert found(answer([created], [use("send", "a", made)])) == [
                "error missing-field @a: total"
            ]
        form = one.content_type or "Avro"
        result = answer([created], [use("send", "a", declared)])
        assert (found(result), undetermined(result)) == (
            [],
            [f"a (only JSON is compared, not {form})"],
        )


def test_a_channel_without_operations_promises_no_direction() -> None:
    bare = Channel(key="a", address="a", messages=(message("A", CREATED),))
    assert found(
        answer([bare], [use("receive", "a", obj({"orderId": INTEGER}, name="Reader"))])
    ) == [
        "error type @a: orderId",
        "warning missing-field @a: total",
    ]
    unused = answer([bare], [use("send", "b", STRING)])
    assert undetermined(unused) == ["a (no operation of the contract uses the channel)"]


def test_a_channel_that_is_only_described_promises_nothing() -> None:
    queue = Channel(key="queue", address="queue")
    result = answer(
        [queue, channel("a", "send", message("A", CREATED))], [use("send", "a", CREATED)]
    )
    assert (found(result), undetermined(result)) == ([], [])


def test_a_channel_without_messages_is_not_compared() -> None:
    result = answer([channel("orders", "send")], [use("send", "orders", CREATED)])
    assert (found(result), undetermined(result)) == ([], [f"orders ({NO_MESSAGE})"])
    assert verdicts(result) == {"orders": Verdict.UNDETERMINED}


def test_a_direction_may_have_messages_of_its_own() -> None:
    created = message("Created", CREATED)
    both = Channel(
        key="a",
        address="a",
        messages=(created, message("Cancelled", CANCELLED)),
        operations=(ChannelOperation(direction="send", messages=(created,)),),
    )
    wrong = answer([both], [use("send", "a", obj({"orderId": STRING}))])
    assert found(wrong) == ["error missing-field @a: total"]
    assert found(answer([both], [use("send", "a", CANCELLED, message="Cancelled")])) == []


def test_equal_findings_of_one_type_are_said_once() -> None:
    created = channel("created", "send", message("Created", CREATED))
    payload = msgspec.structs.replace(obj({"orderId": STRING}), origin=at("types.py", 3))
    uses = [use("send", "created", payload, line=n) for n in (1, 2)]
    assert found(answer([created], uses)) == ["error missing-field @created: total"]


def test_a_protocol_that_the_code_does_not_use_says_nothing_of_its_channels() -> None:
    text_ = message("Text", STRING)
    orders = msgspec.structs.replace(channel("orders", "send", text_), protocols=("kafka",))
    jobs = msgspec.structs.replace(channel("jobs", "send"), protocols=("redis",))
    sent = use("send", "orders", STRING, protocols=("kafka",))
    result = answer([orders, jobs], [sent])
    assert (found(result), undetermined(result)) == (
        [],
        [f"jobs ({Reason('no-events-of-protocol-recognised', protocols='redis')})"],
    )


def test_events_by_a_protocol_that_no_contract_speaks_of_are_said_once() -> None:
    text_ = message("Text", STRING)
    chat = msgspec.structs.replace(channel("chat", "send", text_), protocols=("ws",))
    uses = [
        use("send", "chat", STRING, protocols=("ws",)),
        use("send", "orders", STRING, protocols=("kafka",)),
        use("send", "payments", STRING, protocols=("kafka",)),
    ]
    result = answer([chat], uses)
    assert (found(result), undetermined(result)) == (
        [],
        [f" ({Reason('no-channel-of-protocol', protocols='kafka')})"],
    )


def test_a_web_socket_sends_nothing_that_it_is_contracted_to_receive() -> None:
    commands = channel("/commands", "receive", message("Created", CREATED))
    uses = [
        use("receive", "/commands", CREATED, protocols=("ws",)),
        use("send", "/commands", obj({"error": STRING}), protocols=("ws",)),
    ]
    result = answer([commands], uses)
    assert (found(result), undetermined(result)) == (
        ["warning undocumented-channel @/commands"],
        [],
    )


def test_messages_that_are_told_by_name_must_all_be_there() -> None:
    kinds = [
        obj({"type": enum(kind), "id": STRING}, name=name, origin=at("asyncapi.yaml", line))
        for line, (name, kind) in enumerate([("Add", "add"), ("Move", "move"), ("Drop", "drop")], 2)
    ]
    board = channel("/board", "receive", message("Commands", Union(options=tuple(kinds))))
    adds = use("receive", "/board", kinds[0], message="add", has_wire_name=True)
    moves = use("receive", "/board", kinds[1], message="Move", has_wire_name=True)
    result = answer([board], [adds, moves])
    assert (found(result), undetermined(result)) == (["error missing-channel @/board"], [])
    (finding,) = result.findings
    assert finding.message == "nothing in the code receives the message `Drop` from `/board`"
    assert finding.contract == at("asyncapi.yaml", 4)
    unnamed = use("receive", "/board", Unknown(reason="not declared"))
    assert found(answer([board], [adds, unnamed])) == []
    open_ = use("receive", "", kinds[1], unresolved="the path is open")
    assert found(answer([board], [adds, moves, open_])) == []


def test_a_message_that_no_channel_has_is_undocumented() -> None:
    root = channel("/", "send", message("created", CREATED), message("moved", CREATED))
    sent = [
        use("send", name, CREATED, message=name, has_wire_name=True, aliases=("/",))
        for name in ("created", "moved", "dropped")
    ]
    result = answer([root], sent)
    assert (found(result), undetermined(result)) == (["warning undocumented-channel @/"], [])
    assert result.findings[0].message == "the code sends `dropped` to `/`, which is in no contract"


def test_a_message_may_be_named_otherwise_than_the_channel_of_its_event() -> None:
    chat = channel("chat:message", "send", message("ChatMessage", CREATED))
    sent = use(
        "send", "chat:message", CREATED, message="chat:message", has_wire_name=True, aliases=("/",)
    )
    result = answer([chat], [sent])
    assert (found(result), undetermined(result)) == ([], [])


def test_a_method_of_a_hub_is_its_channel_in_any_case() -> None:
    place = channel("placeOrder", "receive", message("Order", CREATED))
    received = use(
        "receive",
        "PlaceOrder",
        CREATED,
        message="PlaceOrder",
        has_wire_name=True,
        case_insensitive=True,
    )
    result = answer([place], [received])
    assert (found(result), undetermined(result)) == ([], [])


def test_a_queue_may_carry_what_sns_puts_around_messages() -> None:
    orders = channel("orders", "send", message("Order", CREATED))
    wrapped = obj({"Message": STRING, "TopicArn": STRING})
    around = use("send", "orders", wrapped, protocols=("sqs",))
    assert found(answer([orders], [around])) == []
    assert undetermined(answer([orders], [around])) == [
        "orders (the message is put into a notification of SNS as a text)"
    ]
    elsewhere = use("send", "orders", wrapped, protocols=("kafka",))
    more = use("send", "orders", obj({"Message": STRING, "id": STRING}), protocols=("sqs",))
    for other in (elsewhere, more):
        assert {one.kind for one in answer([orders], [other]).findings} == {
            "extra-field",
            "missing-field",
        }


def test_a_contract_may_write_the_name_of_an_event_into_its_payload() -> None:
    envelope = obj({"event": enum("moved"), "data": CREATED})
    game = channel("/game", "send", message("moved", envelope), message("other", STRING))
    inner = use("send", "moved", CREATED, message="moved", has_wire_name=True, aliases=("/game",))
    whole = use(
        "send", "moved", envelope, message="moved", has_wire_name=True, aliases=("/game",), line=2
    )
    wrong = use(
        "send",
        "moved",
        obj({"id": STRING}),
        message="moved",
        has_wire_name=True,
        aliases=("/game",),
        line=3,
    )
    other = use(
        "send", "other", STRING, message="other", has_wire_name=True, aliases=("/game",), line=4
    )
    assert found(answer([game], [inner, whole, other])) == []
    assert found(answer([game], [wrong, other])) == [
        "error missing-field @/game: data.orderId",
        "error missing-field @/game: data.total",
        "warning extra-field @/game: data.id",
    ]


def test_an_envelope_may_have_more_than_name_and_contents() -> None:
    more = {"at": optional(STRING), "from": STRING}
    envelope = obj({"event": enum("moved"), "data": CREATED, **more})
    game = channel("/game", "send", message("moved", envelope))
    inner = use("send", "moved", CREATED, message="moved", has_wire_name=True, aliases=("/game",))
    assert found(answer([game], [inner])) == ["error missing-field @/game: from"]
    flat = obj({"event": enum("moved"), "place": CREATED, "from": STRING})
    game = channel("/game", "send", message("moved", flat))
    sent = obj({"place": CREATED, "from": STRING})
    flat_use = use("send", "moved", sent, message="moved", has_wire_name=True, aliases=("/game",))
    assert found(answer([game], [flat_use])) == ["error missing-field @/game: event"]


def by_amqp(made: Channel, *names: str) -> Channel:
    return msgspec.structs.replace(made, aliases=names, protocols=("amqp",))


def test_a_binding_that_names_another_queue_than_the_address_leaves_the_channel_open() -> None:
    queue = by_amqp(channel("orders.new", "receive", message("Created", CREATED)), "orders")
    result = answer([queue], [use("receive", "orders", CREATED)])
    assert (found(result), undetermined(result)) == (
        [],
        [
            "orders.new (the address is `orders.new`, and the code uses `orders`, which the "
            "channel's binding names)"
        ],
    )
    same = answer([queue], [use("receive", "orders.new", CREATED, aliases=("orders",))])
    assert (found(same), undetermined(same)) == ([], [])


def test_an_exchange_is_not_each_of_the_channels_that_are_bound_to_it() -> None:
    bound = by_amqp(channel("x_key", "receive", message("Created", CREATED)), "x")
    uses = [use("receive", "x_key", CREATED), use("send", "x", obj({"other": STRING}))]
    result = answer([bound], uses)
    assert (found(result), undetermined(result)) == (
        [],
        ["x_key (whether `x` is this channel is undetermined)"],
    )


ANYTHING = Anything(nullable=None)
PAID = obj({"type": enum("paid"), "amount": INTEGER}, name="Paid")
MADE = obj({"type": enum("made"), "lines": STRING}, name="Made")
READS_ALL = obj({"type": ANYTHING, "amount": optional(ANYTHING), "lines": optional(ANYTHING)})
READS_AMOUNT = obj({"type": ANYTHING, "sum": INTEGER}, name="")


def kind(name: str, payload: Schema) -> MessageKind:
    return MessageKind(name=name, payload=payload)


def test_a_kind_that_is_called_like_the_channel_is_compared_with_it() -> None:
    paid = channel("orders.paid", "receive", message("Paid", PAID))
    made = channel("orders.made", "receive", message("Made", MADE))
    kinds = (kind("orders.paid", READS_AMOUNT), kind("orders.made", obj({"lines": STRING})))
    taken = use("receive", "orders.*", READS_ALL, pattern=True, kinds=kinds)
    result = answer([paid, made], [taken])
    assert found(result) == ["error extra-field @orders.paid: sum"]
    assert verdicts(result) == {"orders.paid": Verdict.VIOLATED, "orders.made": Verdict.VERIFIED}


def test_a_kind_that_a_message_names_is_compared_with_that_message() -> None:
    orders = channel("orders", "receive", message("Paid", PAID), message("Made", MADE))
    kinds = (kind("paid", READS_AMOUNT), kind("made", obj({"lines": STRING})))
    result = answer([orders], [use("receive", "orders", READS_ALL, kinds=kinds)])
    assert (found(result), undetermined(result)) == (["error extra-field @orders: sum"], [])


def test_a_message_that_no_handler_has_a_kind_for_is_not_passed_over() -> None:
    orders = channel("orders", "receive", message("Paid", PAID), message("Made", MADE))
    taken = use("receive", "orders", READS_ALL, kinds=(kind("paid", obj({"amount": INTEGER})),))
    result = answer([orders], [taken])
    assert undetermined(result) == ["orders (no handler was seen to take the message `Made`)"]


def test_kinds_that_the_contract_does_not_name_are_compared_as_one() -> None:
    orders = channel("orders", "receive", message("Paid", PAID))
    taken = use("receive", "orders", obj({"sum": INTEGER}), kinds=(kind("urgent", STRING),))
    assert found(answer([orders], [taken])) == ["error extra-field @orders: sum"]


def test_a_channel_of_which_only_keys_are_known_is_not_verified() -> None:
    orders = channel("orders", "receive", message("Paid", PAID))
    reads = use("receive", "orders", obj({"amount": ANYTHING}))
    result = answer([orders], [reads])
    assert undetermined(result) == [
        f"orders ({Reason('read-field-type-undetermined', key='amount')})"
    ]
    sends = use("send", "orders", PAID)
    assert undetermined(answer([orders], [reads, sends])) == []


def test_a_message_of_a_socket_has_the_direction_that_it_is_contracted_for() -> None:
    chat = Channel(
        key="/",
        address="/",
        operations=(
            ChannelOperation(direction="receive", messages=(message("say", CREATED),)),
            ChannelOperation(direction="send", messages=(message("told", CREATED),)),
        ),
    )
    socket = {"has_wire_name": True, "aliases": ("/",), "protocols": ("ws",)}
    says = use("receive", "say", CREATED, message="say", **socket)
    tells = use("send", "told", CREATED, message="told", **socket)
    repeats = use("send", "say", obj({"data": STRING}), message="say", **socket)
    result = answer([chat], [says, tells, repeats])
    assert found(result) == ["warning undocumented-channel @/"]
    assert result.findings[0].message == "the code sends `say` to `/`, which is in no contract"


def test_a_message_may_be_called_by_what_else_the_document_calls_it() -> None:
    titled = msgspec.structs.replace(message("CreatedMessage", CREATED), aliases=("orderCreated",))
    chat = channel("/", "receive", titled, message("Other", CREATED))
    taken = use("receive", "orderCreated", CREATED, message="orderCreated", has_wire_name=True)
    result = answer([chat], [taken])
    assert found(result) == ["error missing-channel @/"]
    assert result.findings[0].expected == "Other"


def test_messages_that_no_operation_names_go_either_way() -> None:
    made, paid, lost = (message(name, obj({name: STRING}, name=name)) for name in ("a", "b", "c"))
    made, paid, lost = (
        msgspec.structs.replace(one, origin=at("asyncapi.yaml", line))
        for line, one in enumerate((made, paid, lost), 2)
    )
    chat = Channel(
        key="/",
        address="/",
        operations=(ChannelOperation(direction="send", messages=(made, paid)),),
        messages=(made, paid, lost),
    )
    uses = [use("send", "/", obj({name: STRING}), protocols=("ws",)) for name in ("a", "b", "c")]
    result = answer([chat], uses)
    assert (found(result), undetermined(result)) == ([], [])
    assert undetermined(answer([chat], uses[2:])) == [
        "/ (no place was seen that sends the message `a`)"
    ]


def test_a_socket_may_go_either_way_where_no_operation_says_it() -> None:
    bare = Channel(key="a", address="a", messages=(message("A", CREATED),))
    sends = use("send", "a", CREATED, protocols=("ws",))
    takes = use("receive", "a", CREATED, protocols=("ws",))
    assert found(answer([bare], [sends, takes])) == []


def test_messages_that_code_names_tell_for_whom_a_document_is_written() -> None:
    names = ("ask", "answer", "fail")
    ask, reply, fail = (message(name, obj({name: STRING}, name=name)) for name in names)
    chat = Channel(
        key="/",
        address="/",
        operations=(
            ChannelOperation(direction="send", messages=(ask,)),
            ChannelOperation(direction="receive", messages=(reply, fail)),
        ),
        messages=(ask, reply, fail),
    )
    socket = {"has_wire_name": True, "aliases": ("/",), "protocols": ("ws",)}
    uses = [
        use("receive", "ask", obj({"ask": STRING}), message="ask", **socket),
        use("send", "answer", obj({"answer": STRING}), message="answer", **socket),
        use("send", "fail", obj({"fail": STRING}), message="fail", **socket),
    ]
    result = answer([chat], uses)
    assert (found(result), undetermined(result)) == ([], [f" ({REASONS['other side']})"])
    assert found(answer([chat], uses[:2])) == ["warning undocumented-channel @/"] * 2


def test_a_name_that_several_channels_bear_leaves_them_open() -> None:
    channels = [
        msgspec.structs.replace(channel(name, "send", message("A", CREATED)), shared=("errors",))
        for name in ("lost", "failed")
    ]
    result = answer(channels, [use("send", "errors", STRING)])
    why = "a place that may use the channel: several channels of the contract are called `errors`"
    assert (found(result), undetermined(result)) == ([], [f"failed ({why})", f"lost ({why})"])
    other = answer(channels, [use("send", "elsewhere", STRING)])
    assert len([f for f in other.findings if f.kind == "missing-channel"]) == 2


def test_an_empty_address_is_said_to_be_empty() -> None:
    result = answer([channel("a", "send", message("A", CREATED))], [use("send", "", STRING)])
    assert undetermined(result) == ["a (a place that may use the channel: its address is empty)"]


def test_a_message_of_several_that_nothing_is_seen_to_send_is_not_verified() -> None:
    orders = channel("/", "send", message("Paid", PAID), message("Made", MADE))
    paid = obj({"type": enum("paid"), "amount": INTEGER})
    result = answer([orders], [use("send", "/", paid)])
    why = "no place was seen that sends the message `Made`"
    assert (found(result), undetermined(result)) == ([], [f"/ ({why})"])
    both = Union(options=(paid, obj({"type": enum("made"), "lines": STRING})))
    assert undetermined(answer([orders], [use("send", "/", both)])) == []
    assert undetermined(answer([orders], [use("send", "/", paid), use("send", "/", MADE)])) == []
    loose = obj({"type": enum("made"), "line": STRING})
    assert found(answer([orders], [use("send", "/", paid), use("send", "/", loose)])) == [
        "error missing-field @/: lines",
        "warning extra-field @/: line",
    ]


def test_a_message_of_several_that_nothing_is_seen_to_take_is_not_verified() -> None:
    orders = channel("/", "receive", message("Paid", PAID), message("Made", MADE))
    reads = obj({"amount": INTEGER}, name="Payment")
    why = "no place was seen that takes the message `Made`"
    assert undetermined(answer([orders], [use("receive", "/", reads)])) == [f"/ ({why})"]
