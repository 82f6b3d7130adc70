"""NServiceBus."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "NServiceBus MediatR"
NAMES = "(Order, order)"
SETUP = "endpoint.UseSerialization<SystemJsonSerializer>();"
P = "public class P(IMessageSession session) { Task A(Order order) => session.Publish(order); }"


def test_sent_messages(tmp_path: Path) -> None:
    source = """
        public interface IPlaced : IEvent { int Id { get; set; } }
        public abstract record Base(int Id);
        public record OrderPaid(int Id) : Base(Id);
        public class P(IMessageSession session, IMediator mediator)
        {
            Task A() => session.Publish<IPlaced>(e => e.Id = 1);
            Task B(Order order) => session.Send("Sales", order);
            Task C(IMessageHandlerContext context) => context.Reply(new OrderPaid(1));
            Task D(Base message) => session.Publish(message);
            Task E() => D(new OrderPaid(1));
            Task F(object message) => session.SendLocal(message);
            Task G(Order order) => mediator.Publish(order);
            Task H(Order order) => session.Send(order, new SendOptions());
        }
    """
    paid = "-> Shop.OrderPaid (OrderPaid, order-paid, order_paid, order.paid) {Id: integer(int32)}"
    assert read(tmp_path, LIBRARY, source, Setup=SETUP) == [
        "-> ?the type of the message is undetermined ?declared as object?~",
        "-> Shop.IPlaced (IPlaced, Placed, placed) {Id: integer(int32)}",
        f"-> Shop.Order {NAMES} {ORDER}",
        f"-> Shop.Order {NAMES} {ORDER}",
        paid,
        paid,
    ]


def test_handled_messages(tmp_path: Path) -> None:
    source = """
        public class H : IHandleMessages<Order>, NServiceBus.IHandleMessages<Item>
        {
            public Task Handle(Order order, IMessageHandlerContext context) => Task.CompletedTask;
        }
        public class S : Saga<State>, IAmStartedByMessages<Order>, IHandleTimeouts<Item> { }
        public interface IMine : IHandleMessages<Order> { }
        public class Other : IHandleMessages<Library.Message> { }
    """
    assert read(tmp_path, LIBRARY, source, Setup=SETUP) == [
        "<- ?the type of the message is undetermined ?type `Library.Message` comes from a library?",
        f"<- Shop.Item (Item, item) {READ_ITEM}",
        f"<- Shop.Order {NAMES} {READ_ORDER}",
        f"<- Shop.Order {NAMES} {READ_ORDER}",
    ]


def test_messages_that_are_written_as_xml_are_undetermined(tmp_path: Path) -> None:
    source = """
        public class P(IMessageSession session) { Task A(Order order) => session.Publish(order); }
        public class H : IHandleMessages<Order> { }
    """
    program = "endpoint.UseSerialization<XmlSerializer>();"
    assert read(tmp_path, LIBRARY, source, Program=program) == [
        f"-> Shop.Order {NAMES} ?messages are not written as JSON?",
        f"<- Shop.Order {NAMES} ?messages are not written as JSON?",
    ]


def test_the_serializer_that_start_up_code_chooses(tmp_path: Path) -> None:
    unknown = "the options that are passed to the serializer cannot be followed"
    for number, (setup, payload) in enumerate(
        {
            SETUP: ORDER,
            "endpoint.UseSerialization<NewtonsoftJsonSerializer>();": ORDER,
            "var s = endpoint.UseSerialization<SystemJsonSerializer>(); s.Options(o);": (
                f"?{unknown}?"
            ),
            "endpoint.Start();": "?which serializer NServiceBus is told to use was not found?",
        }.items()
    ):
        found = read(tmp_path / str(number), LIBRARY, P, Setup=setup)
        assert found == [f"-> Shop.Order {NAMES} {payload}"]
