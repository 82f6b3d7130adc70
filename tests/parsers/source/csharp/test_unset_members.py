"""Members that nothing sets in an object that code makes: null, where nothing keeps null out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

OBLIVIOUS = '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup></PropertyGroup></Project>'
OWNER = "public class Owner { public string Name { get; set; } public string Title { get; set; } }"


def response_shape(
    folder: Path, body: str, owner: str = OWNER, others: str = "", csproj: str = OBLIVIOUS
) -> str:
    """What an action of the body sends, by the type of its answer."""
    source = f"""
    namespace App;
    {owner}
    {others}
    [ApiController, Route("owners")]
    public class OwnersController(IStore store) : ControllerBase
    {{
        [HttpGet("{{id}}")]
        public IActionResult Get(string id) {{ {body} }}
    }}
    """
    found = Project(folder, {"App.csproj": csproj, "Owners.cs": source})
    (response,) = found.responses("GET /owners/{id}")
    return response.partition(" ")[2]


MADE = 'return Ok(new Owner { Name = "x" });'


def test_a_member_that_nothing_sets_is_null(tmp_path: Path) -> None:
    assert response_shape(tmp_path, MADE) == "{name: 'x', title: string|null}"


def test_the_compiler_is_believed_where_it_looks_for_null(tmp_path: Path) -> None:
    assert response_shape(tmp_path, MADE, csproj=CSPROJ) == "{name: 'x', title: string}"


def test_a_serializer_that_leaves_null_out(tmp_path: Path) -> None:
    owner = OWNER.replace(
        "public string Title",
        "[JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] public string Title",
    )
    assert response_shape(tmp_path, MADE, owner) == "{name: 'x'}"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ('return Ok(new Owner { Name = "x", Title = "y" });', "'y'"),
        ('return Ok(new Owner { Name = "x", Title = null });', "nothing|null"),
        ('return Ok(new Owner { Name = "x", Title = id });', "string~"),
        ('return Ok(new Owner { Name = "x", Title = $"{id}!" });', "string"),
        ('var owner = new Owner { Name = "x" }; owner.Title = "y"; return Ok(owner);', "'y'"),
        (
            'var owner = new Owner { Name = "x" }; owner.Title = store.Of(); return Ok(owner);',
            "string~",
        ),
        ('var owner = new Owner { Name = "x" }; return Ok(owner);', "string|null"),
        ('var owner = new Owner { Name = "x" }; store.Add(owner); return Ok(owner);', "string~"),
        (
            'var owner = new Owner { Name = "x" }; if (id != "1") owner.Title = "y";'
            " return Ok(owner);",
            "string~",
        ),
    ],
)
def test_what_the_action_does_to_the_object(tmp_path: Path, body: str, title: str) -> None:
    assert response_shape(tmp_path, body) == f"{{name: 'x', title: {title}}}"


@pytest.mark.parametrize(
    ("owner", "title"),
    [
        ('public string Title { get; set; } = "";', "string"),
        ("public string Title { get; set; } = null;", "string|null"),
        ("public string Title { get; set; } = Titles.Usual();", "string~"),
        ("public string Title { get; set; } public Owner() { Title = Titles.Usual(); }", "string~"),
        (
            "public string Title { get; set; } public Owner(IStore store = null)"
            " => (Name, Title) = (store.Name, store.Title);",
            "string~",
        ),
        (
            "public string Title { get; set; } public Owner() { (Name, Id) = (A.B(), Title); }",
            "string|null",
        ),
        (
            "public string Title { get; set; } internal string Label { set { Title = value; } }",
            "string~",
        ),
        (
            "public string Title { get; set; } internal string Label { set => Title ??= value; }",
            "string~",
        ),
        (
            "public string Title { get; set; } string l; internal string Of { set => l = value; }",
            "string|null",
        ),
        ('string t; public string Title { get { return t ?? ""; } set { t = value; } }', "string~"),
        ("public int Title { get; set; }", "integer(int32)"),
    ],
)
def test_what_the_class_says_of_the_member(tmp_path: Path, owner: str, title: str) -> None:
    whole = f"public class Owner {{ public string Name {{ get; set; }} {owner} }}"
    assert response_shape(tmp_path, MADE, whole) == f"{{name: 'x', title: {title}}}"


@pytest.mark.parametrize(
    ("others", "title"),
    [
        ('class Tool { public void Fill(Owner owner) { owner.Title = "y"; } }', "string~"),
        ('class Tool { public void Fill(Owner owner) { (owner.Name, owner.Title) = ("x", "y"); } }',
         "string~"),
        ("class Tool { public void Fill(Owner owner) { (_, owner.Title) = Titles.Of(); } }",
         "string~"),
        ('class Tool { public void Fill(Owner owner) { (owner.Name, _) = (owner.Title, ""); } }',
         "string|null"),
        ("class Tool { public void Fill(object any) { Known.Of(any).Title = null; } }", "string~"),
        ("class Book { public string Title; } class Tool {"
         " void Fill(Book book) { book.Title = null; } }", "string|null"),
        ('class Tool { Owner Of() { var o = new Owner(); o.Title = "y"; return o; } }',
         "string|null"),
    ],
)  # fmt: skip
def test_what_others_set_on_what_may_be_the_object(tmp_path: Path, others: str, title: str) -> None:
    assert response_shape(tmp_path, MADE, others=others) == f"{{name: 'x', title: {title}}}"


def test_a_copy_with_another_value(tmp_path: Path) -> None:
    owner = OWNER.replace("class", "record")
    copied = 'var one = new Owner { Name = "x" }; return Ok(one with { Title = "y" });'
    assert response_shape(tmp_path, copied, owner) == "{name: 'x', title: 'y'}"


MAPPED = """
    public class Settings
    {
        public string Secret { get; set; }
        public T ToData<T>() where T : Owner, new() =>
            new T { Name = "x", IsSecret = !string.IsNullOrEmpty(Secret) };
    }
    public class Shop { public Settings Settings { get; set; } }
"""
SECRET = """
    public class Owner
    {
        public string Name { get; set; }
        public bool? IsSecret { get; set; }
        [JsonProperty(DefaultValueHandling = DefaultValueHandling.Ignore)]
        public string Password { get; set; }
    }
"""
NEWTONSOFT = OBLIVIOUS.replace(
    "</Project>",
    '<ItemGroup><PackageReference Include="Newtonsoft.Json" Version="13.0.0" /></ItemGroup>'
    "</Project>",
)


@pytest.mark.parametrize(
    ("others", "password"),
    [
        ("", ""),
        (
            "class Tool { void Hide(Owner owner) { owner.Password = Known.Secret(); } }",
            ", password~: string",
        ),
    ],
)
def test_an_object_of_a_type_parameter_and_what_null_leaves_out(
    tmp_path: Path, others: str, password: str
) -> None:
    body = "Settings settings = new(); var one = store.Shop().Settings ?? new();"
    source = f"""
    namespace App;
    {SECRET} {MAPPED} {others}
    public interface IStore {{ Shop Shop(); }}
    [ApiController, Route("owners")]
    public class OwnersController(IStore store) : ControllerBase
    {{
        [HttpGet] public IActionResult Get() {{ {body} return Ok(one.ToData<Owner>()); }}
    }}
    """
    startup = "services.AddControllers().AddNewtonsoftJson();"
    files = {"App.csproj": NEWTONSOFT, "Owners.cs": source, "Program.cs": startup}
    assert Project(tmp_path, files).responses("GET /owners") == [
        f"200 {{name: 'x', isSecret: boolean{password}}}"
    ]


def test_an_argument_with_a_fallback_is_not_null(tmp_path: Path) -> None:
    source = """
    namespace App;
    [ApiController, Route("owners")]
    public class OwnersController(IStore store) : ControllerBase
    {
        [HttpGet] public IActionResult Get() => Find(store.Name() ?? "");
        [HttpGet("some")] public IActionResult Some() => Find(store.Name());
        [NonAction] public IActionResult Find(string? name)
        {
            if (name is null) return Ok(new[] { 1 });
            return Ok(new { Name = name });
        }
    }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Owners.cs": source})
    assert [answer.count("[") for answer in found.responses("GET /owners")] == [0]
    assert [answer.count("[") for answer in found.responses("GET /owners/some")] == [1]
