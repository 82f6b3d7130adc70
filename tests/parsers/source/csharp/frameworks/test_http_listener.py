"""HttpListener: functions that compare the method and the path of a request."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

MODELS = """
    public record Order(int Id, string? Note);
    public record NewOrder(string Sku);
"""
ORDER = "{Id: integer(int32), Note: string|null}"


def project(folder: Path, members: str, **others: str) -> Project:
    source = f"using System.Net; using System.Text.Json; public class Server {{ {members} }}"
    files = {"App.csproj": CSPROJ, "Server.cs": source, "Models.cs": MODELS}
    return Project(folder, files | {f"{name}.cs": text for name, text in others.items()})


def test_comparisons_of_method_and_path(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        private readonly HttpListener _listener = new();
        public async Task Run()
        {
            _listener.Prefixes.Add("http://localhost:8080/");
            _listener.Start();
            while (true)
            {
                var context = await _listener.GetContextAsync();
                _ = Task.Run(() => Handle(context));
            }
        }
        private void Handle(HttpListenerContext context)
        {
            var request = context.Request;
            var path = request.Url!.AbsolutePath.TrimEnd('/').ToLower();
            if (request.HttpMethod == "GET" && path == "/orders")
            { List(context.Response); return; }
            if (path.Equals("/orders") && request.HttpMethod == HttpMethod.Post.Method)
            {
                var text = new StreamReader(request.InputStream).ReadToEnd();
                var order = JsonSerializer.Deserialize<NewOrder>(text);
                context.Response.StatusCode = (int)HttpStatusCode.Created;
                Send(context.Response, new Order(1, order.Sku));
            }
            else if (path.StartsWith("/orders/") && request.HttpMethod == "DELETE")
            {
                context.Response.StatusCode = 204;
                context.Response.Close();
            }
            else if (path == "/page")
            {
                var page = request.QueryString["number"];
                context.Response.ContentType = "text/html; charset=utf-8";
                using var writer = new StreamWriter(context.Response.OutputStream);
                writer.Write("<p>");
            }
            else
            {
                context.Response.StatusCode = 404;
                context.Response.Close();
            }
        }
        private void List(HttpListenerResponse response) => Send(response, new List<Order>());
        private static void Send<T>(HttpListenerResponse response, T body)
        {
            response.ContentType = "application/json";
            var buffer = Encoding.UTF8.GetBytes(JsonSerializer.Serialize(body));
            response.ContentLength64 = buffer.Length;
            response.OutputStream.Write(buffer, 0, buffer.Length);
            response.Close();
        }
        """,
    )
    assert found.routes() == [
        "* /page",
        "DELETE /orders/{path*}",
        "GET /orders",
        "POST /orders",
    ]
    assert found.responses("GET /orders") == [f"(200) [{ORDER}]"]
    # What `Sku` is, was read from JSON, which may leave it out.
    assert found.responses("POST /orders") == ["201 {Id: integer(int32), Note: string~}"]
    assert found.responses("DELETE /orders/{path*}") == ["204"]
    assert found.responses("* /page") == ["(200) text/html string"]
    assert found.request("POST /orders") == ["{Sku?: string}"]
    assert found.parameters("* /page") == ["query number?: string", "…"]


def test_switches_and_functions_that_are_given_the_request(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public void Run()
        {
            var listener = new HttpListener();
            for (;;) ThreadPool.QueueUserWorkItem(Handle, listener.GetContext());
        }
        private void Handle(object state)
        {
            var context = (HttpListenerContext)state;
            switch (context.Request.HttpMethod)
            {
                case "GET": Read(context.Request.RawUrl, context.Response); break;
                case "POST" when context.Request.RawUrl == "/orders":
                    context.Response.Close(); break;
                default: _log.Count(); break;
            }
            switch ((context.Request.HttpMethod, context.Request.RawUrl))
            {
                case ("PUT", "/orders/last"): context.Response.Close(); break;
            }
        }
        private void Read(string url, HttpListenerResponse response)
        {
            switch (url) { case "/a": case "/b": response.Close(); break; }
        }
        """,
    )
    assert found.routes() == ["GET /a", "GET /b", "POST /orders", "PUT /orders/last"]


def test_statuses_and_bodies_that_helpers_are_given(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        private void Handle(HttpListenerContext context)
        {
            var request = context.Request;
            var path = request.Url == null ? "/" : request.Url.AbsolutePath.Trim('/');
            try
            {
                if (path is "orders" or "bestellungen")
                { Reply(context, 200, new { Ok = true }); return; }
                if (path == "teapot") { Reply(context, 418, null); return; }
                Reply(context, 404, null);
            }
            catch (Exception) { Reply(context, 500, null); }
        }
        private static void Reply(HttpListenerContext context, int status, object? body)
        {
            using var response = context.Response;
            response.StatusCode = status;
            if (body is not null)
            {
                var bytes = JsonSerializer.SerializeToUtf8Bytes(body, JsonSerializerOptions.Web);
                response.ContentType = "application/json";
                response.OutputStream.Write(bytes);
            }
        }
        """,
    )
    assert found.routes() == ["* /bestellungen", "* /orders", "* /teapot"]
    assert found.responses("* /orders") == ["200 {ok!: True}"]
    assert found.responses("* /teapot") == ["418"]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        private Dictionary<string, Action<HttpListenerContext>> _routes = new();
        private void Handle(HttpListenerContext context)
        {
            var path = context.Request.Url.AbsolutePath;
            if (path == "/a") { Answer(context.Response); return; }
            if (path == "/b") { context.Response.StatusCode = code; return; }
            if (path == "/c") { _library.Answer(context.Response); return; }
            if (_routes.TryGetValue(path, out var handler)) handler(context);
        }
        private void Answer(HttpListenerResponse response)
        {
            response.OutputStream.Write(File.ReadAllBytes("a.json"));
        }
        """,
    )
    assert found.routes() == [
        "* /a",
        "* /b",
        "* /c",
        "* /{path*} ?which paths are answered is told by parts of the path or by a table",
    ]
    assert found.responses("* /a") == ["(200) ?what is written to the response cannot be followed?"]
    assert found.responses("* /b") == ["…"]
    assert found.responses("* /c") == ["…"]


def test_servers_on_the_side_are_not_expected_in_a_contract(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        private void Handle(HttpListenerContext context)
        {
            if (context.Request.Url.AbsolutePath == "/metrics") context.Response.Close();
        }
        """,
    )
    assert found.routes() == ["* /metrics hidden"]


def test_a_server_that_answers_every_path_alike_has_no_routes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        private void Handle(HttpListenerContext context)
        {
            var bytes = File.ReadAllBytes(_root + context.Request.Url.AbsolutePath);
            context.Response.OutputStream.Write(bytes);
        }
        """,
    )
    assert found.routes() == []


def test_options_that_are_made_where_they_are_passed(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        private readonly HttpListener _listener = new();
        private void Handle(HttpListenerContext context)
        {
            var path = context.Request.Url.AbsolutePath;
            var body = context.Response.OutputStream;
            if (context.Request.HttpMethod == "GET" && path == "/web")
            {
                body.Write(JsonSerializer.SerializeToUtf8Bytes(
                    new Order(), new JsonSerializerOptions(JsonSerializerDefaults.Web)));
            }
            else if (context.Request.HttpMethod == "GET" && path == "/kebab")
            {
                body.Write(JsonSerializer.SerializeToUtf8Bytes(
                    new Order(), new() { PropertyNamingPolicy = JsonNamingPolicy.KebabCaseUpper }));
            }
        }
        """,
    )
    assert found.responses("GET /web") == ["(200) {id: integer(int32), note: string|null}"]
    assert found.responses("GET /kebab") == ["(200) {ID: integer(int32), NOTE: string|null}"]
