"""SignalR: what hubs receive, what is sent to clients, where hubs are mapped."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    namespace App;
    public record Order(int OrderId, string? Note);
"""
CAMEL = "{orderId: integer(int32), note: string|null}"
CAMEL_WITH_NULL = CAMEL.replace("string|null", "nothing|null")
READ = "{orderId?: integer(int32), note?: string|null}"


def project(folder: Path, source: str, start: str = "") -> Project:
    files = {
        "App.csproj": CSPROJ,
        "Dtos.cs": DTOS,
        "Hubs.cs": f"using Microsoft.AspNetCore.SignalR;\nnamespace App;\n{source}",
        "Program.cs": f"using App;\nvar app = WebApplication.CreateBuilder(args).Build();\n{start}",
    }
    return Project(folder, files)


def test_methods_of_hubs(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IClock { }
        public abstract class BaseHub : Hub { public void Ping() { } }
        public class OrdersHub : BaseHub
        {
            public async Task Place(Order order, CancellationToken ct) { }
            [HubMethodName("cancel-order")] public Task Cancel(int id, IClock clock) => null!;
            public Task Move(int from, int to) => null!;
            public Task Upload(IAsyncEnumerable<Order> orders) => null!;
            public override Task OnConnectedAsync() => null!;
            [HubMethodName(Names.Odd)] public void Odd() { }
            Task Hidden(Order order) => null!;
        }
        """,
        'app.MapGroup("/api").MapHub<OrdersHub>("/hubs/orders");',
    )
    where = "/api/hubs/orders"
    assert found.events() == [
        f"<- ?the name of the message is not constant ({where}, OrdersHub) nothing|null",
        f"<- Move ({where}, {where}/Move, OrdersHub) ?several values are passed, not one?",
        f"<- Ping ({where}, {where}/Ping, OrdersHub) nothing|null",
        f"<- Place ({where}, {where}/Place, OrdersHub) {READ}",
        f"<- Upload ({where}, {where}/Upload, OrdersHub) {READ}",
        f"<- cancel-order ({where}, {where}/cancel-order, OrdersHub) integer(int32)",
    ]


def test_messages_to_clients(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IOrdersClient { Task Placed(Order order); Task Gone(); }
        public class TypedHub : Hub<IOrdersClient>
        {
            async Task Tell(Order order, CancellationToken ct)
            {
                await Clients.Group("x").Placed(order);
                await Clients.Caller.Gone();
            }
        }
        public class PlainHub : Hub
        {
            const string Name = "placed";
            async Task Tell(Order order, CancellationToken ct)
            {
                await Clients.All.SendAsync(Name, order, ct);
                await Clients.User("x").SendAsync("both", 1, 2);
                var others = Clients.Others;
                await others.SendCoreAsync("core", new object[] { order });
                await Clients.All.SendAsync(order.Note, order);
            }
        }
        public class Service(IHubContext<PlainHub> hub, IHubContext<TypedHub, IOrdersClient> typed)
        {
            public async Task Run()
            {
                await hub.Clients.All.SendAsync("from-service", new { Done = true });
                await typed.Clients.All.Placed(new Order(1, null));
                await other.Bus.SendAsync("not-me", 1);
            }
        }
        """,
        'app.MapHub<PlainHub>("plain");',
    )
    assert found.events() == [
        f"-> ?the name of the message is not constant (/plain, PlainHub) {CAMEL}",
        "-> Gone (TypedHub) nothing|null",
        f"-> Placed (TypedHub) {CAMEL_WITH_NULL}",
        f"-> Placed (TypedHub) {CAMEL}",
        "-> both (/plain, /plain/both, PlainHub) ?several values are sent, not one?",
        f"-> core (/plain, /plain/core, PlainHub) {CAMEL}",
        "-> from-service (/plain, /plain/from-service, PlainHub) {done!: True}",
        f"-> placed (/plain, /plain/placed, PlainHub) {CAMEL}",
    ]


def test_a_method_that_is_told_what_to_send_is_followed_to_its_callers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class MessageHub : Hub { }
        public class Sender(IHubContext<MessageHub> hub)
        {
            public async Task Tell(string name, object message, bool admins)
            {
                var users = hub.Clients.All;
                if (admins) users = hub.Clients.Users("x");
                await users.SendAsync(name, message);
            }
        }
        public class Shop(Sender sender)
        {
            public async Task Sell() => await sender.Tell("sold", new Order(1, null), false);
            public async Task Close() => await sender.Tell("closed", new { At = 1 }, true);
        }
        """,
    )
    assert found.events() == [
        "-> closed (MessageHub) {at!: 1}",
        f"-> sold (MessageHub) {CAMEL_WITH_NULL}",
    ]


def test_parts_of_a_hub_in_several_files(tmp_path: Path) -> None:
    files = {
        "App.csproj": CSPROJ,
        "Dtos.cs": DTOS,
        "Hub.cs": """
            using Microsoft.AspNetCore.SignalR;
            namespace App;
            public partial class OrdersHub : Hub { public void Ping() { } }
        """,
        "Server.cs": """
            namespace App;
            public partial class OrdersHub { public Task Place(Order order) => null!; }
        """,
        "Client.cs": """
            using Saunter.Attributes;
            namespace App;
            public partial class OrdersHub
            {
                [Channel(nameof(Placed))] [SubscribeOperation(typeof(Order))]
                public void Placed(Order order) { }
            }
        """,
    }
    assert Project(tmp_path, files).events() == [
        "<- Ping (OrdersHub) nothing|null",
        f"<- Place (OrdersHub) {READ}",
    ]


def test_clients_that_a_member_holds(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class OrdersHub : Hub { }
        public class Sender(IHubContext<OrdersHub> hub, Current current)
        {
            private readonly IClientProxy all = hub.Clients.All;
            private IClientProxy One => hub.Clients.Client(current.Id);

            public Task Tell(Order order) => Send("told", order, default);
            public Task TellAll(Order order) => all.SendAsync("all", order);
            private Task Send<T>(string name, T message, CancellationToken ct)
                => One.SendAsync(name, message, cancellationToken: ct);
        }
        """,
    )
    assert found.events() == [
        f"-> all (OrdersHub) {CAMEL}",
        f"-> told (OrdersHub) {CAMEL}",
    ]


def test_names_on_the_wire(tmp_path: Path) -> None:
    source = """
        public class H : Hub
        { Task Tell() => Clients.All.SendAsync("x", new { OrderId = 1 }); }
    """
    told = project(
        tmp_path / "told",
        source,
        "builder.Services.AddSignalR().AddJsonProtocol(o => "
        "o.PayloadSerializerOptions.PropertyNamingPolicy = null);",
    )
    assert told.events() == ["-> x (H) {OrderId!: 1}"]
    assert project(tmp_path / "plain", source).events() == ["-> x (H) {orderId!: 1}"]
    older = "using Microsoft.AspNet.SignalR;\n" + source
    files = {"App.csproj": CSPROJ, "Hubs.cs": older}
    assert Project(tmp_path / "older", files).events() == ["-> x (H) {OrderId!: 1}"]


def test_hubs_of_other_libraries(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Hub { }
        public class EventHub : Hub { public void Send(Order order) { } }
        """,
    )
    assert found.events() == []
