"""Actions of one name: overloads are actions of their own, an override takes the place of one."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

HEAD = "using Microsoft.AspNetCore.Mvc;\nnamespace App;\n"


def routes(folder: Path, source: str) -> list[str]:
    return Project(folder, {"App.csproj": CSPROJ, "C.cs": HEAD + source}).routes()


def test_a_nullable_enum_and_a_nullable_text_tell_actions_apart(tmp_path: Path) -> None:
    source = """
        public enum Rank { Junior, Senior }
        [ApiController, Route("members")] public class MembersController : ControllerBase
        {
            [HttpGet] public int Find([FromQuery] Rank? rank) => 1;
            [HttpGet("by-team")] public int Find([FromQuery] string? team) => 1;
        }
    """
    assert routes(tmp_path, source) == ["GET /members", "GET /members/by-team"]


def test_arrays_tuples_and_type_arguments_tell_actions_apart(tmp_path: Path) -> None:
    source = """
        [ApiController, Route("x")] public class XController : ControllerBase
        {
            [HttpPost("a")] public int Put(int[] ids) => 1;
            [HttpPost("b")] public int Put(string[] names) => 1;
            [HttpPost("c")] public int Put(List<int> ids) => 1;
            [HttpPost("d")] public int Put(List<string> names) => 1;
            [HttpPost("e")] public int Put(int? id) => 1;
            [HttpPost("f")] public int Put(int id) => 1;
        }
    """
    assert routes(tmp_path, source) == [f"POST /x/{letter}" for letter in "abcdef"]


def test_an_override_replaces_the_overload_of_its_own_parameters_alone(tmp_path: Path) -> None:
    source = """
        public abstract class Base<T> : ControllerBase
        {
            [HttpGet("base/{id}")] public virtual int Get(T id) => 1;
            [HttpGet("all")] public virtual int Get(DateTime[] days) => 1;
            [HttpGet("page")] public virtual int Get(int? page) => 1;
        }
        [ApiController, Route("x")] public class XController : Base<Guid>
        {
            [HttpGet("own/{id}")] public override int Get(Guid id) => 2;
            [HttpGet("own-page")] public override int Get(int? page) => 2;
        }
    """
    # The type parameter may be bound to any type, so the override with a `Guid` may hide it.
    assert routes(tmp_path, source) == [
        "GET /x/all",
        "GET /x/own-page",
        "GET /x/own/{id}",
    ]


def test_an_override_takes_the_route_of_the_overload_that_it_overrides(tmp_path: Path) -> None:
    source = """
        public abstract class Base : ControllerBase
        {
            [HttpGet("by-name")] public virtual int Find(string name) => 1;
            [HttpGet("by-day")] public virtual int Find(DateTime day) => 1;
        }
        [ApiController, Route("x")] public class XController : Base
        {
            public override int Find(DateTime day) => 2;
        }
    """
    assert routes(tmp_path, source) == ["GET /x/by-day", "GET /x/by-name"]


def test_an_interface_is_implemented_by_the_overload_of_its_parameters(tmp_path: Path) -> None:
    source = """
        public record Order(int Id);
        public record Item(string Name);
        public interface IStore { object Load(int id); }
        public class Store : IStore
        {
            public object Load(string name) => new Item(name);
            public object Load(int id) => new Order(id);
        }
        [ApiController, Route("x")] public class XController(IStore store) : ControllerBase
        {
            [HttpGet] public IActionResult Get() => Ok(store.Load(1));
        }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "C.cs": HEAD + source})
    assert found.responses("GET /x") == ["200 {id: integer(int32)}"]


def test_what_another_path_of_the_action_has_is_marked(tmp_path: Path) -> None:
    source = """
        [ApiController] public class BoatsController : ControllerBase
        { [HttpGet("boats"), HttpGet("boats/{id}")] public int Get(int? id, int? page) => 1; }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "C.cs": HEAD + source})
    read = {
        route: [(p.name, p.location, p.of_other_path) for p in found.operation(route).parameters]
        for route in ("GET /boats", "GET /boats/{id}")
    }
    assert read == {
        "GET /boats": [("id", "query", True), ("page", "query", False)],
        "GET /boats/{id}": [("id", "path", False), ("page", "query", False)],
    }
