"""Rebus."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read
from tests.parsers.source.csharp.project import CSPROJ, Project

LIBRARY = "Rebus.Bus Rebus.Handlers Rebus.Sagas"
ORDERS = "Shop.Order (Order, order)"
ITEMS = "Shop.Item (Item, item)"


def test_sent_messages(tmp_path: Path) -> None:
    source = """
        public class P(IBus bus)
        {
            Task A(Order order) => bus.Publish(order);
            Task B(Item item) => bus.Defer(TimeSpan.FromSeconds(1), item);
            Task C(object message) => bus.Send(message);
            Task D(IMediator mediator, Item item) => mediator.Send(item);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the type of the message is undetermined ?declared as object?~",
        f"-> {ITEMS} {ITEM}",
        f"-> {ORDERS} {ORDER}",
    ]


def test_handled_messages(tmp_path: Path) -> None:
    source = """
        public class H : IHandleMessages<Order> { public Task Handle(Order order) => null; }
        public class S : Saga<State>, IAmInitiatedBy<Item> { }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- {ITEMS} {READ_ITEM}",
        f"<- {ORDERS} {READ_ORDER}",
    ]


def test_messages_that_are_not_written_as_json_are_undetermined(tmp_path: Path) -> None:
    source = "public class P(IBus bus) { Task A(Order order) => bus.Publish(order); }"
    program = "configure.Serialization(s => s.UseProtobuf());"
    assert read(tmp_path, LIBRARY, source, Program=program) == [
        f"-> {ORDERS} ?messages are not written as JSON?"
    ]


def test_options_of_the_serializer_are_not_followed(tmp_path: Path) -> None:
    source = "public class P(IBus bus) { Task A(Order order) => bus.Publish(order); }"
    own = "configure.Serialization(s => s.UseSystemTextJson());"
    assert read(tmp_path / "own", LIBRARY, source, Program=own) == [f"-> {ORDERS} {ORDER}"]
    given = "configure.Serialization(s => s.UseSystemTextJson(options));"
    assert read(tmp_path / "given", LIBRARY, source, Program=given) == [
        f"-> {ORDERS} ?the options that are passed to the serializer cannot be followed?"
    ]


def test_versions_before_7_write_with_newtonsoft(tmp_path: Path) -> None:
    source = """
        using Rebus.Bus;
        namespace Shop;
        public class Note { public int Id { get; set; } public int Field; }
        public class P(IBus bus) { Task A(Note note) => bus.Publish(note); }
    """
    own = "Id: integer(int32)"
    for version, written in (("6.6.5", f"{own}, Field: integer(int32)"), ("8.4.2", own)):
        reference = f'<PackageReference Include="Rebus" Version="{version}" />'
        files = {
            "App.csproj": CSPROJ.replace("</Project>", f"{reference}</Project>"),
            "P.cs": source,
        }
        found = Project(tmp_path / version, files)
        assert found.events() == [f"-> Shop.Note (Note, note) {{{written}}}"]
