"""What is answered by the class that handles a message which is sent through a mediator."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

MESSAGES = """
    public record Dog(string Name);
    public record FindDog(int Id) : IRequest<IResult>;
    public record FindCat(int Id) : IRequest<IResult>;
    public record FindBird(int Id) : IRequest<IResult>;
    public class FindDogHandler : IRequestHandler<FindDog, IResult>
    {
        public async Task<IResult> Handle(FindDog query, CancellationToken token)
        {
            if (query.Id > 3) return Results.NotFound();
            return Results.Accepted("/dogs", new Dog("Rex"));
        }
    }
    public class FindCatHandler
    {
        public IResult Handle(FindCat query) => Results.NoContent();
    }
"""
OWN_MEDIATOR = """
    public interface IRequest<T> {}
    public interface ISender { Task<T> Send<T>(IRequest<T> message); }
    public class Sender(IServiceProvider services) : ISender
    {
        public Task<T> Send<T>(IRequest<T> message) => (Task<T>)Handler(message).Run(message);
    }
"""


def answers(folder: Path, code: str, handler: str) -> tuple[dict[str, list[str]], bool]:
    source = f"""
        {code}
        namespace App;
        {MESSAGES}
        public static class Program
        {{
            public static void Main(string[] args)
            {{
                var app = WebApplication.CreateBuilder(args).Build();
                app.MapGet("/pets/{{id}}", {handler});
            }}
        }}
    """
    found = Project(folder, {"App.csproj": CSPROJ, "C.cs": source})
    (route,) = found.code.operations_with_answers
    return (
        {r.status: [found.body(body) for body in r.bodies] for r in route.responses},
        route.statuses_complete,
    )


@pytest.mark.parametrize("library", ["using MediatR;", "using Mediator;", OWN_MEDIATOR])
def test_the_handler_of_the_message_answers(tmp_path: Path, library: str) -> None:
    handler = "async (int id, ISender sender) => await sender.Send(new {}(id))"
    dog = {"202": ["{name: 'Rex'}"], "404": []}
    assert answers(tmp_path / "a", library, handler.format("FindDog")) == (dog, True)
    assert answers(tmp_path / "b", library, handler.format("FindCat")) == ({"204": []}, True)
    _, complete = answers(tmp_path / "c", library, handler.format("FindBird"))
    assert not complete  # nothing handles it


def test_a_bus_gives_what_it_is_asked_for(tmp_path: Path) -> None:
    handler = "async (int id, IMessageBus bus) => await bus.InvokeAsync<Dog>(new Find(id))"
    assert answers(tmp_path, "using Wolverine;", handler) == ({"200": ["{name: string}"]}, True)
