"""Objects of Ardalis.Result and FluentResults: their factory says the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

DOG = "{name: string}"
WRONG = "?Ardalis.Result writes what went wrong?"


def project(folder: Path, service: str, action: str, using: str = "Ardalis.Result") -> Project:
    source = f"""
        using {using};
        using {using}.AspNetCore;
        using Microsoft.AspNetCore.Mvc;
        namespace App;
        public record Dog(string Name);
        {service}
        [ApiController, Route("dogs")]
        public class DogsController(DogService dogs, IDogs other, IMediator mediator)
            : ControllerBase
        {{
            {action}
        }}
    """
    return Project(folder, {"App.csproj": CSPROJ, "C.cs": source})


SERVICE = """
    public interface IDogs { Result<Dog> Any(int id); }
    public class DogService
    {
        public Result<Dog> Register() => Result<Dog>.Created(new Dog("Rex"));
        public Result<Dog> Best() => Result<Dog>.Success(new Dog("Rex"));
        public async Task<Result<Dog>> Find(int id)
        {
            if (id == 0) return Result.NotFound();
            var dog = await Load(id);
            return dog;
        }
        public Result Drop(int id) => id == 0 ? Result.Forbidden() : Result.NoContent();
        private Task<Dog> Load(int id) => Task.FromResult(new Dog("Rex"));
    }
    public record FindDog(int Id);
    public class FindDogHandler
    {
        public Task<Result<Dog>> Handle(FindDog query, CancellationToken token) =>
            Task.FromResult(Result.Created(new Dog("Rex")));
    }
"""


@pytest.mark.parametrize(
    ("action", "answers"),
    [
        ("ActionResult<Dog> X() => dogs.Register().ToActionResult(this);", [f"201 {DOG}"]),
        (
            "ActionResult<Dog> X() { var best = dogs.Best(); return this.ToActionResult(best); }",
            [f"200 {DOG}"],
        ),
        (
            "async Task<ActionResult<Dog>> X() => (await dogs.Find(1)).ToActionResult(this);",
            [f"(200) {DOG}", f"404 {WRONG}"],
        ),
        ("ActionResult X() => dogs.Drop(1).ToActionResult(this);", ["204", f"403 {WRONG}"]),
        ("[TranslateResultToActionResult] Result<Dog> X() => dogs.Register();", [f"201 {DOG}"]),
    ],
)
def test_the_factory_is_followed_through_the_service(
    tmp_path: Path, action: str, answers: list[str]
) -> None:
    marked, _, rest = action.rpartition("] ")
    found = project(tmp_path, SERVICE, f"[HttpGet] {marked + ']' if marked else ''} public {rest}")
    assert found.responses("GET /dogs") == answers


def test_a_request_is_followed_to_its_handler(tmp_path: Path) -> None:
    action = """
        [HttpGet] [TranslateResultToActionResult]
        public async Task<Result<Dog>> X() => await mediator.Send(new FindDog(1));
    """
    assert project(tmp_path, SERVICE, action).responses("GET /dogs") == [f"201 {DOG}"]


def test_without_an_implementation_the_status_is_undetermined(tmp_path: Path) -> None:
    action = "[HttpGet] public ActionResult<Dog> X() => other.Any(1).ToActionResult(this);"
    assert project(tmp_path, SERVICE, action).responses("GET /dogs") == [f"(200) {DOG}", "…"]


def test_all_implementations_of_an_interface_count(tmp_path: Path) -> None:
    service = (
        SERVICE
        + """
        public class A : IDogs { public Result<Dog> Any(int id) => Result<Dog>.Created(new("A")); }
        public class B : IDogs { public Result<Dog> Any(int id) => Result<Dog>.Conflict(); }
    """
    )
    action = "[HttpGet] public ActionResult<Dog> X() => other.Any(1).ToActionResult(this);"
    found = project(tmp_path, service, action)
    assert found.responses("GET /dogs") == [f"201 {DOG}", f"409 {WRONG}"]


def test_fluent_results_succeed_or_fail(tmp_path: Path) -> None:
    service = """
        public interface IDogs { }
        public class DogService
        {
            public Result<Dog> Get(int id) =>
                id == 0 ? Result.Fail("none") : Result.Ok(new Dog(""));
        }
    """
    action = "[HttpGet] public ActionResult<Dog> X() => dogs.Get(1).ToActionResult();"
    found = project(tmp_path, service, action, using="FluentResults")
    assert found.responses("GET /dogs") == [
        f"200 {DOG}",
        "400 ?FluentResults writes what went wrong?",
    ]


def test_a_translation_of_the_projects_own_decides_what_is_sent(tmp_path: Path) -> None:
    service = (
        SERVICE
        + """
        public static class Translations
        {
            public static ActionResult ToActionResult<T>(this Result<T> result) =>
                new ObjectResult(new Dog("")) { StatusCode = 202 };
            public static ActionResult ToHttpResult<T>(this Result<T> result, IMapper mapper) =>
                mapper.MapResult(result);
        }
    """
    )
    translated = "[HttpGet] public ActionResult X() => dogs.Register().ToActionResult();"
    mapped = "[HttpPost] public ActionResult Y(IMapper m) => dogs.Register().ToHttpResult(m);"
    found = project(tmp_path, service, f"{translated} {mapped}")
    assert found.responses("GET /dogs") == ["202 {name: ''}"]
    assert found.responses("POST /dogs") == ["…"]
