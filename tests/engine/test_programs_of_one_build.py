"""Several programs in one repository of .NET or Java: build files tell them apart."""

from __future__ import annotations

from pathlib import Path

from tests.engine.judged import judged

WEB = '<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup>{}</ItemGroup></Project>'
LIBRARY = '<Project Sdk="Microsoft.NET.Sdk"></Project>'
TO_SHARED = '<ProjectReference Include="..\\Shared\\Shared.csproj" />'


def counted(*paths: str) -> str:
    """Operations whose responses have a count."""
    body = "{type: object, required: [count], properties: {count: {type: integer}}}"
    content = f"{{description: ok, content: {{application/json: {{schema: {body}}}}}}}"
    return "".join(f"{path}: {{get: {{responses: {{'200': {content}}}}}}}\n" for path in paths)


def controller(name: str, type: str, *paths: str) -> str:
    actions = "".join(
        f'[HttpGet("{path}")] public {type} Get{number}() => new {type}();\n'
        for number, path in enumerate(paths)
    )
    member = "int" if type == "Tally" else "string"
    return f"""
        using Microsoft.AspNetCore.Mvc;
        namespace {name};
        public class {type} {{ public {member} Count {{ get; set; }} }}
        [ApiController] public class {name}Controller : ControllerBase {{ {actions} }}
        """


def test_projects_that_start_a_program_of_their_own(tmp_path: Path) -> None:
    files = {
        "Backend/Backend.csproj": WEB.format(TO_SHARED),
        "Backend/Backend.cs": controller("Backend", "Tally", "/orders", "/shelves", "/unknown"),
        "Mock/Mock.csproj": WEB.format(TO_SHARED),
        "Mock/Mock.cs": controller("Mock", "Words", "/orders", "/batch"),
        "Shared/Shared.csproj": LIBRARY,
        "Shared/Shared.cs": controller("Shared", "Words", "/info", "/shared"),
    }
    found = judged(tmp_path, files, counted("/orders", "/shelves", "/info"))
    assert found.findings == [
        "GET /info type: count",
        "GET /shared undocumented-endpoint (warning)",
        "GET /unknown undocumented-endpoint (warning)",
        "other-application (note)",
    ]


SERVER = """
    using Microsoft.AspNetCore.Builder;
    namespace Agent;
    public class AgentServer
    {
        public Task StartAsync()
        {
            var app = WebApplication.CreateBuilder().Build();
            app.MapGet("/orders", () => new { Count = "many" });
            app.MapGet("/machine", () => new { Count = "one" });
            return app.StartAsync();
        }
    }
    """
PROGRAM = (
    '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>'
    '<ItemGroup><ProjectReference Include="..\\Agent\\Agent.csproj" /></ItemGroup></Project>'
)


def test_a_library_that_runs_a_server_for_several_programs_is_one_of_its_own(
    tmp_path: Path,
) -> None:
    files = {
        "Backend/Backend.csproj": WEB.format(""),
        "Backend/Backend.cs": controller("Backend", "Tally", "/orders", "/shelves", "/unknown"),
        "Agent/Agent.csproj": LIBRARY,
        "Agent/AgentServer.cs": SERVER,
        "Windows/Windows.csproj": PROGRAM,
        "Linux/Linux.csproj": PROGRAM,
    }
    found = judged(tmp_path, files, counted("/orders", "/shelves"))
    assert found.findings == [
        "GET /unknown undocumented-endpoint (warning)",
        "other-application (note)",
    ]


SPRING = """
    package {package};
    import org.springframework.web.bind.annotation.*;
    class {type} {{ public {member} count; }}
    @RestController class {type}Controller {{ {methods} }}
    """
MAIN = """
    package shop;
    @org.springframework.boot.autoconfigure.SpringBootApplication
    class Main { public static void main(String[] args) { } }
    """


def pom(name: str, *uses: str) -> str:
    dependencies = "".join(
        f"<dependency><groupId>shop</groupId><artifactId>{other}</artifactId></dependency>"
        for other in uses
    )
    return (
        f"<project><groupId>shop</groupId><artifactId>{name}</artifactId>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )


def spring(package: str, type: str, member: str, *paths: str) -> str:
    methods = "".join(
        f'@GetMapping("{path}") public {type} get{number}() {{ return new {type}(); }}\n'
        for number, path in enumerate(paths)
    )
    return SPRING.format(package=package, type=type, member=member, methods=methods)


def test_modules_that_no_program_uses_are_programs_of_their_own(tmp_path: Path) -> None:
    files = {
        "backend/pom.xml": pom("shop-backend", "shop-api"),
        "backend/src/main/java/shop/Main.java": MAIN,
        "backend/src/main/java/shop/Tally.java": spring(
            "shop", "Tally", "int", "/orders", "/shelves", "/unknown"
        ),
        "api/pom.xml": pom("shop-api"),
        "api/src/main/java/api/Words.java": spring("api", "Words", "boolean", "/info"),
        "client/pom.xml": pom("shop-client", "shop-api"),
        "client/src/main/java/client/Calls.java": spring(
            "client", "Calls", "boolean", "/orders", "/calls"
        ),
    }
    found = judged(tmp_path, files, counted("/orders", "/shelves", "/info"))
    assert found.findings == [
        "GET /info type: count",
        "GET /unknown undocumented-endpoint (warning)",
        "other-application (note)",
    ]
