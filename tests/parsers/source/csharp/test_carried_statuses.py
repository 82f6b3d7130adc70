"""Statuses that travel in a result or an error: which are sent follows from the objects that get to
the place where they become an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

RESULT = """
    namespace Core;
    using System.Net;
    public enum ErrorType { Failure, Validation, NotFound, Conflict }
    public record Error
    {
        public static readonly Error None = new("", ErrorType.Failure);
        public static readonly Error NullValue = new("null", ErrorType.Validation);
        public Error(string code, ErrorType type) { Code = code; Type = type; }
        public string Code { get; }
        public ErrorType Type { get; }
        public static Error NotFound(string code) => new(code, ErrorType.NotFound);
        public static Error Conflict(string code) => new(code, ErrorType.Conflict);
    }
    public sealed record Missing(string What) : Error(What, ErrorType.NotFound);
    public class Result
    {
        public Result(bool isSuccess, Error error)
        {
            if (isSuccess && error != Error.None) throw new ArgumentException("error");
            IsSuccess = isSuccess;
            Error = error;
        }
        public bool IsSuccess { get; }
        public bool IsFailure => !IsSuccess;
        public Error Error { get; }
        public static Result<T> Success<T>(T value) => new(value, true, Error.None);
        public static Result<T> Failure<T>(Error error) => new(default, false, error);
    }
    public class Result<T> : Result
    {
        private readonly T? _value;
        public Result(T? value, bool isSuccess, Error error) : base(isSuccess, error)
        {
            _value = value;
        }
        public T Value => IsSuccess ? _value! : throw new InvalidOperationException();
        public static implicit operator Result<T>(T? value) =>
            value is not null ? Success(value) : Failure<T>(Error.NullValue);
        public static implicit operator Result<T>(Error error) => Failure<T>(error);
    }
    public class Reply<T>
    {
        public bool Success { get; set; }
        public HttpStatusCode StatusCode { get; set; }
        public T? Data { get; set; }
        public static Reply<T> Ok(T data) =>
            new() { Success = true, StatusCode = HttpStatusCode.OK, Data = data };
        public static Reply<T> Fail(HttpStatusCode code = HttpStatusCode.BadRequest) =>
            new() { StatusCode = code };
    }
"""
SERVICE = """
    namespace Core;
    public record Todo(int Id);
    public record GetTodo(int Id);
    public interface IHandler<TQuery, T> { Task<Result<T>> Handle(TQuery query); }
    public record Other(int Id);
    public class OtherHandler : IHandler<Other, Todo>
    {
        public async Task<Result<Todo>> Handle(Other query) => Error.Conflict("other");
    }
    public class GetTodoHandler(Store store) : IHandler<GetTodo, Todo>
    {
        public async Task<Result<Todo>> Handle(GetTodo query)
        {
            Todo? found = await store.Find(query.Id);
            if (found is null) return Result.Failure<Todo>(TodoErrors.NotFound(query.Id));
            return found;
        }
    }
    public class Logged<TQuery, T>(IHandler<TQuery, T> inner) : IHandler<TQuery, T>
    {
        public async Task<Result<T>> Handle(TQuery query)
        {
            var result = await inner.Handle(query);
            return result;
        }
    }
    public static class TodoErrors
    {
        public static Error NotFound(int id) => Error.NotFound($"no {id}");
        public static readonly Error Taken = Error.Conflict("taken");
    }
    public class Todos(Store store)
    {
        public async Task<Result<Todo>> Add(Todo todo)
        {
            var free = await Check(todo);
            if (!free.IsSuccess) return free.Error;
            await store.Save(todo);
            return Result.Success(todo);
        }
        private async Task<Result<bool>> Check(Todo todo)
        {
            if (await store.Has(todo)) return TodoErrors.Taken;
            return true;
        }
        public async Task<Reply<Todo>> Find(int id)
        {
            var found = await store.Find(id);
            if (found == null) return Reply<Todo>.Fail(System.Net.HttpStatusCode.Gone);
            return Reply<Todo>.Ok(found);
        }
        public Result<Todo> Class(int id) =>
            id == 0 ? new Missing("x") : Result.Success(new Todo(id));
        public Task<Result<Todo>> Foreign(int id) => Company.Client.Get<Result<Todo>>(id);
    }
"""
ANSWERS = """
    namespace Api;
    using Core;
    using Microsoft.AspNetCore.Http;
    public static class Answers
    {
        public static TOut Match<T, TOut>(
            this Result<T> result, Func<T, TOut> ok, Func<Result<T>, TOut> failed)
            => result.IsSuccess ? ok(result.Value) : failed(result);
        public static IResult Problem(Result result)
        {
            if (result.IsSuccess) throw new InvalidOperationException();
            var status = StatusOf(result.Error.Type);
            return Results.Problem(title: result.Error.Code, statusCode: status);

            static int StatusOf(ErrorType type) => type switch
            {
                ErrorType.Validation or ErrorType.Failure => StatusCodes.Status400BadRequest,
                ErrorType.NotFound => StatusCodes.Status404NotFound,
                ErrorType.Conflict => StatusCodes.Status409Conflict,
                _ => StatusCodes.Status500InternalServerError
            };
        }
        public static IResult Sent<T>(this Result<T> result)
        {
            if (result.IsSuccess) return Results.Ok(result.Value);
            return result.Error.Type switch
            {
                ErrorType.NotFound => Results.NotFound(),
                ErrorType.Conflict => Results.Conflict(),
                _ => Results.BadRequest()
            };
        }
        public static IResult Assigned(this Error error)
        {
            int status;
            switch (error.Type)
            {
                case ErrorType.NotFound: status = 404; break;
                case ErrorType.Conflict: status = 409; break;
                default: status = 400; break;
            }
            return Results.StatusCode(status);
        }
        public static IResult ByClass(Error error) => error switch
        {
            Missing => Results.NotFound(),
            { Type: ErrorType.Conflict } => Results.Conflict(),
            _ => Results.BadRequest()
        };
    }
"""
ROUTES = """
    using Core;
    using Api;
    var app = WebApplication.CreateBuilder(args).Build();
    app.MapGet("/match/{id}", async (int id, IHandler<GetTodo, Todo> handler) =>
    {
        Result<Todo> result = await handler.Handle(new GetTodo(id));
        return result.Match(Results.Ok, Answers.Problem);
    });
    app.MapGet("/option/{id}", async (int id, IHandler<GetTodo, Todo> handler) =>
    {
        var result = await handler.Handle(new GetTodo(id));
        return result.IsFailure ? Answers.Problem(result) : Results.NoContent();
    });
    app.MapPost("/sent", async (Todo todo, Todos todos) => (await todos.Add(todo)).Sent());
    app.MapPost("/assigned", async (Todo todo, Todos todos) =>
    {
        var result = await todos.Add(todo);
        if (!result.IsSuccess) return result.Error.Assigned();
        return Results.NoContent();
    });
    app.MapGet("/reply/{id}", async (int id, Todos todos) =>
    {
        var reply = await todos.Find(id);
        return Results.StatusCode((int)reply.StatusCode);
    });
    app.MapGet("/class/{id}", (int id, Todos todos) =>
    {
        var result = todos.Class(id);
        return result.IsSuccess ? Results.NoContent() : Answers.ByClass(result.Error);
    });
    app.MapGet("/foreign/{id}", async (int id, Todos todos) => (await todos.Foreign(id)).Sent());
    app.MapGet("/unknown/{id}", async (int id, Todos todos) =>
        Answers.ByClass((await todos.Foreign(id)).Error));
    app.Run();
"""
CODE = {
    "App.csproj": CSPROJ,
    "R.cs": RESULT,
    "S.cs": SERVICE,
    "A.cs": ANSWERS,
    "Program.cs": ROUTES,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("carried"), CODE)


@pytest.mark.parametrize(
    ("route", "statuses"),
    [
        ("GET /match/{id}", ["200", "404"]),
        ("GET /option/{id}", ["204", "404"]),
        ("POST /sent", ["200", "409"]),
        ("POST /assigned", ["204", "409"]),
        ("GET /reply/{id}", ["200", "410"]),
        ("GET /class/{id}", ["204", "404"]),
    ],
)
def test_the_statuses_of_the_objects_that_are_made(
    found: Project, route: str, statuses: list[str]
) -> None:
    assert [answer.partition(" ")[0] for answer in found.responses(route)] == statuses


def test_of_what_is_not_followed_no_error_is_certain(found: Project) -> None:
    operations = {each.path: each for each in found.code.operations_with_answers}
    foreign = operations["/foreign/{id}"].responses
    assert [(one.status, one.is_uncertain) for one in foreign] == [
        ("200", False),
        ("400", True),
        ("404", True),
        ("409", True),
    ]
    assert all(one.is_uncertain for one in operations["/unknown/{id}"].responses)


def test_behaviours_of_a_mediator_that_answer_themselves_leave_errors_open(tmp_path: Path) -> None:
    mediated = """
        using Core;
        using Api;
        public class GetTodoRequestHandler(Todos todos) : IRequestHandler<GetTodo, Result<Todo>>
        {
            public async Task<Result<Todo>> Handle(GetTodo query, CancellationToken ct) =>
                TodoErrors.NotFound(1);
        }
        public static class Routes
        {
            public static void Map(WebApplication app) =>
                app.MapGet("/sent/{id}", async (int id, ISender sender) =>
                {
                    var result = await sender.Send(new GetTodo(id));
                    if (result.IsSuccess) return Results.NoContent();
                    return Results.StatusCode(StatusOf(result.Error.Type));
                });
            private static int StatusOf(ErrorType type) =>
                type == ErrorType.NotFound ? 404 : 409;
        }
    """
    behaviour = """
        public class Timed<TRequest, TResponse> : IPipelineBehavior<TRequest, TResponse>
        {
            public async Task<TResponse> Handle(
                TRequest request, RequestHandlerDelegate<TResponse> next, CancellationToken ct)
            {
                var response = await next();
                return GIVEN;
            }
        }
    """
    files = {**CODE, "M.cs": mediated}
    handed_on = {**files, "B.cs": behaviour.replace("GIVEN", "response")}
    instead = {**files, "B.cs": behaviour.replace("GIVEN", "Wrapped<TResponse>(response)")}
    for name, given, statuses in (
        ("without", files, ["204", "404"]),
        ("handed", handed_on, ["204", "404"]),
        ("instead", instead, ["204", "404", ""]),
    ):
        (tmp_path / name).mkdir()
        made = Project(tmp_path / name, given)
        (operation,) = [o for o in made.code.operations_with_answers if o.path == "/sent/{id}"]
        known = [response.status for response in operation.responses]
        assert name and known + [""] * (not operation.statuses_complete) == statuses


def test_bodies_of_which_just_the_status_is_undetermined(tmp_path: Path) -> None:
    source = """
        using Microsoft.AspNetCore.Mvc;
        public record Order(int Id);
        public record Fault(string Why);
        [ApiController, Route("o")]
        public class OrdersController(IStore store) : ControllerBase
        {
            [HttpGet("told")] public IActionResult Told(int id)
            {
                var answer = store.Find(id);
                if (answer.Code != 0) return StatusCode(answer.Code, new Fault("x"));
                return Ok(new Order(id));
            }
            [HttpGet("open")] public IActionResult Open(int id)
            {
                if (id > 1) return StatusCode(store.Code(id), new Fault("x"));
                return id == 0 ? store.Answer() : Ok(new Order(id));
            }
        }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": source})
    told, left = (found.operation(f"GET /o/{name}") for name in ("told", "open"))
    assert [one.status for one in told.responses] == ["200"]
    assert not told.statuses_complete
    (body,) = [body for one in told.without_status for body in one.bodies]
    assert found.shown_shape(body.schema, 0) == "{why: 'x'}"
    assert left.without_status == ()


def test_variables_that_tests_ask_about_are_not_followed_each_by_way_of_all_others(
    tmp_path: Path,
) -> None:
    """To ask for every one of them so would not end."""
    names = [f"n{each}" for each in range(14)]
    made = "".join(f"var {name} = id;\n" for name in names)
    set_again = "".join(
        f"if (id != 1 && {name} != 2 && {other} != 3) {name} = id + {other};\n"
        for name, other in zip(names, reversed(names), strict=True)
    )
    source = f"""
        using Microsoft.AspNetCore.Mvc;
        [ApiController, Route("o")]
        public class OrdersController : ControllerBase
        {{
            [HttpGet("{{id}}")] public IActionResult Get(int id) => Answer(id);
            private IActionResult Answer(int id)
            {{
                {made}{set_again * 2}
                if (n0 == 4) return NotFound();
                return NoContent();
            }}
        }}
    """
    operation = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": source}).operation("GET /o/{id}")
    assert [one.status for one in operation.responses] == ["204", "404"]
    assert operation.statuses_complete
