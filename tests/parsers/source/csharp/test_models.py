"""How C# types look on the wire."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.facts.nodes import NamedType
from tests.parsers.source.csharp.project import Project, models


def test_members_are_written_in_camel_case_where_nothing_else_is_said(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        public class Order
        {
            public int Id { get; set; }
            public string URLPath { get; set; } = "";
            public string? Note { get; init; }
            public decimal Total => 1;
            public DateTime? PaidAt { get; private set; }
            internal int Hidden { get; set; }
            public static int Count { get; set; }
            public int Field;
            private string Secret { get; set; } = "";
            public string Written { private get; set; } = "";
            public string this[int i] => "";
        }
        """,
    )
    assert project.shape("Order") == (
        "{id: integer(int32), urlPath: string, note: string|null, total-: 1, "
        "paidAt-: string(date-time)|null}"
    )


def test_records_and_primary_constructors(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        public record Order(int Id, [property: JsonPropertyName("n")] string? Name = null)
        { public List<Line> Lines { get; init; } = []; }
        public readonly record struct Line(string Sku, double Price);
        public class Service(Db db) { public int Size { get; } = 1; }
        public record Big(int Id) : Base(Id) { public int Own { get; set; } }
        public abstract record Base(int Key) { public string Shared { get; set; } = ""; }
        """,
    )
    assert project.shape("Order") == (
        "{id: integer(int32), n: string|null, lines: [{sku: string, price: number(double)}]}"
    )
    assert project.shape("Service") == "{size-: 1}"
    assert project.shape("Big") == (
        "{id: integer(int32), own: integer(int32), key: integer(int32), shared: string}"
    )


def test_required_and_ignored_members(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        public class A
        {
            public required string Req { get; set; }
            [JsonRequired] public int Json { get; set; }
            [Required] public string Checked { get; set; }
            [Required] public string WithValue { get; set; } = "x";
            [Required] public int Number { get; set; }
            [Required] public string? Validated { get; set; }
            [JsonIgnore] public int Never { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.Never)] public int Always { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
            public string? MayLack { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
            public int NotZero { get; set; }
            [JsonPropertyName("odd-name")] public bool Odd { get; set; }
            [JsonInclude] internal int Included { get; set; }
            [JsonExtensionData] public Dictionary<string, object> More { get; set; }
        }
        """,
    )
    assert project.shape("A") == (
        "{req!: string, json!: integer(int32), checked!: string, withValue: string, "
        "number: integer(int32), validated!: string~, always: integer(int32), mayLack?: string, "
        "notZero?: integer(int32), odd-name: boolean, included: integer(int32), "
        "…: ?extension data?}"
    )


def test_what_is_left_out_when_null_may_still_be_read_as_null(tmp_path: Path) -> None:
    source = """
        public class A
        {
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
            public string? Note { get; set; }
        }
    """
    project = models(tmp_path, source)
    assert project.shape("A") == "{note?: string}"
    assert project.shape("A", "read:") == "{note?: string|null}"


def test_a_type_parameter_takes_null_whatever_it_stands_for(tmp_path: Path) -> None:
    source = """
        public record Given<T>(T Value, List<T> Values, string Name);
        public record Text(Given<string> Given);
        public record Number(Given<int> Given);
    """
    project = models(tmp_path, source)
    assert project.shape("Text") == "{given: {value: string, values: [string], name: string}}"
    assert project.shape("Text", "read:") == (
        "{given?: {value?: string|null, values?: [string|null], name?: string}}"
    )
    assert project.shape("Number", "read:") == (
        "{given?: {value?: integer(int32), values?: [integer(int32)], name?: string}}"
    )


def test_nullable_reference_types(tmp_path: Path) -> None:
    source = "public class A { public string S { get; set; } public int? I { get; set; } }"
    off = Project(tmp_path / "off", {"App.csproj": "<Project/>", "A.cs": source})
    assert off.shape("A") == "{s: string~, i: integer(int32)|null}"
    on = models(tmp_path / "on", source)
    assert on.shape("A") == "{s: string, i: integer(int32)|null}"
    props = "<Project><PropertyGroup><Nullable>enable</Nullable></PropertyGroup></Project>"
    above = {"Directory.Build.props": props, "src/App.csproj": "<Project/>", "src/A.cs": source}
    assert Project(tmp_path / "above", above).shape("A") == on.shape("A")
    directive = Project(tmp_path / "directive", {"A.cs": "#nullable enable\n" + source})
    assert directive.shape("A") == on.shape("A")
    disabled = models(tmp_path / "disabled", "#nullable disable\n" + source)
    assert disabled.shape("A") == off.shape("A")


def test_a_question_mark_behind_a_reference_shows_that_they_are_on(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {"A.cs": "class A { public string S { get; set; } public string? N { get; set; } }"},
    )
    assert project.shape("A") == "{s: string, n: string|null}"
    # A project file that is seen says that they are off: the compiler does no more than warn.
    off = {"App.csproj": "<Project/>", "A.cs": "class A { public string? N { get; set; } }"}
    told = off | {"B.cs": "class B { public string S { get; set; } }"}
    assert Project(tmp_path / "off", told).shape("B") == "{s: string~}"


@pytest.mark.parametrize(
    ("type", "shape"),
    [
        ("int", "integer(int32)"),
        ("long", "integer(int64)"),
        ("System.Int16", "integer"),
        ("decimal", "number"),
        ("float", "number(float)"),
        ("bool", "boolean"),
        ("char", "string"),
        ("Guid", "string(uuid)"),
        ("DateTimeOffset", "string(date-time)"),
        ("DateOnly", "string(date)"),
        ("TimeSpan", "string"),
        ("Uri", "string(uri)"),
        ("byte[]", "string(byte)"),
        ("int[]", "[integer(int32)]"),
        ("List<string>", "[string]"),
        ("IReadOnlyCollection<Guid>", "[string(uuid)]"),
        ("System.Collections.Generic.HashSet<int>", "[integer(int32)]"),
        ("Dictionary<string, int>", "{…: integer(int32)}"),
        ("IDictionary<string, List<bool>>", "{…: [boolean]}"),
        ("Nullable<int>", "integer(int32)|null"),
        ("object", "?declared as object?~"),
        ("JsonElement", "?declared as JsonElement?~"),
        ("(int, string)", "?how a tuple is written depends on the serializer?"),
        ("KeyValuePair<string, int>", "{key!: string, value!: integer(int32)}"),
        ("Foo", "?type `Foo` comes from a library?"),
    ],
)
def test_library_types(tmp_path: Path, type: str, shape: str) -> None:
    project = models(tmp_path, f"public class A {{ public {type} X {{ get; set; }} }}")
    assert project.shape("A") == f"{{x: {shape}}}"


def test_enums_are_numbers_unless_a_converter_is_seen(tmp_path: Path) -> None:
    source = """
        public enum Plain { A, B = 5, C, D = B | 8 }
        [Flags] public enum Flags { X = 1, Y = 2 }
        [JsonConverter(typeof(JsonStringEnumConverter))] public enum Texts { InStock, Gone }
        [JsonConverter(typeof(JsonStringEnumConverter<Named>))]
        public enum Named { [JsonStringEnumMemberName("in-stock")] InStock, Gone }
        [JsonConverter(typeof(MyConverter))] public enum Odd { A }
        public class Holder
        {
            public Plain P { get; set; }
            public Flags F { get; set; }
            public Texts? T { get; set; }
            public Named N { get; set; }
            public Odd O { get; set; }
            [JsonConverter(typeof(JsonStringEnumConverter))] public Plain Text { get; set; }
        }
    """
    project = models(tmp_path, source)
    assert project.shape("Holder") == (
        "{p: 0|5|6|13, f: integer, t: 'InStock'|'Gone'|null, n: 'in-stock'|'Gone', "
        "o: ?`MyConverter` writes it?, text: 'A'|'B'|'C'|'D'}"
    )


def test_generic_types_and_recursion(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        public class Page<T> { public List<T> Items { get; set; } public Meta Meta { get; set; } }
        public class Page { public int Number { get; set; } }
        public class Meta { public int Total { get; set; } }
        public class Node { public Node? Parent { get; set; } public int Id { get; set; } }
        public class Holder
        { public Page<Node> Nodes { get; set; } public Page Plain { get; set; } }
        """,
    )
    assert project.shape("Holder") == (
        "{nodes: {items: [{parent: {parent: {parent: Node|null, id: integer(int32)}|null, "
        "id: integer(int32)}|null, id: integer(int32)}], meta: "
        "{total: integer(int32)}}, plain: {number: integer(int32)}}"
    )


def test_a_member_may_bear_the_name_of_its_type(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        "record Envelope(Order Order); record Order(int Id); class List { }"
        " record Many(List<Order> Orders);",
    )
    assert project.shape("Envelope") == "{order: {id: integer(int32)}}"
    assert project.shape("Many") == "{orders: [{id: integer(int32)}]}"


def test_inheritance_overrides_interfaces_and_parts(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        public class Base { public virtual int Id { get; set; } public string A { get; set; } }
        public partial class Own : Base, INamed
        { public override int Id { get; set; } public string Name { get; set; } }
        public interface INamed { string Name { get; } int Other => 1; }
        public interface IMore : INamed { bool Flag { get; } }
        public class Foreign : LibraryBase { public int X { get; set; } }
        public class Names : List<string> { public int Ignored { get; set; } }
        """,
        Part="public partial class Own { public int Extra { get; set; } }",
    )
    assert project.shape("IMore") == "{flag-: boolean, name-: string, other-: 1}"
    assert project.shape("Foreign") == (
        "{x: integer(int32), ?`LibraryBase`, which it inherits from, comes from a library?}"
    )
    assert project.shape("Names") == "[string]"
    paths = project.program.files_defining("Own")
    assert paths == ("Models.cs", "Part.cs")
    scope = project.program.module_scope(project.program.facts("Models.cs"))
    assert project.show(project.program.schema(NamedType(name="Own"), scope)) == (
        "{id: integer(int32), name: string, extra: integer(int32), a: string}"
    )


def test_derived_types_with_a_discriminator(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        [JsonPolymorphic(TypeDiscriminatorPropertyName = "kind")]
        [JsonDerivedType(typeof(Cat), "cat")]
        [JsonDerivedType(typeof(Dog), typeDiscriminator: "dog")]
        public abstract class Animal { public string Name { get; set; } }
        public class Cat : Animal { public int Lives { get; set; } }
        public class Dog : Animal { }
        """,
    )
    assert project.shape("Animal") == (
        "{kind!: 'cat', lives: integer(int32), name: string} or {kind!: 'dog', name: string}"
    )


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        "namespace App.Web;\npublic class Order { public Shared.Item Item { get; set; } = new(); }",
        Shared="\ufeffnamespace App.Shared;\npublic record Item(int Id);",
    )
    assert found.shape("Order") == "{item: {id: integer(int32)}}"


def test_usings_in_a_namespace_are_relative_to_it(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "App.csproj": "<Project />",
            "A.cs": """
                namespace App.Orders.Create;
                using Dtos;
                using Orders.Shared;
                using Elsewhere;
                public record Holder(Order A, Part B, Far C, Outside D);
            """,
            "B.cs": "namespace App.Orders.Dtos; public record Order(int Id);",
            "C.cs": "namespace App.Orders.Shared; public record Part(int B);",
            "D.cs": "namespace Elsewhere; public record Far(int C);",
            "E.cs": "namespace Other.Dtos; public record Outside(int D);",
        },
    )
    assert project.shape("Holder") == (
        "{a: {id: integer(int32)}~, b: {b: integer(int32)}~, c: {c: integer(int32)}~, "
        "d: ?type `Outside` comes from a library?}"
    )


def test_types_of_other_namespaces_are_found_as_the_compiler_finds_them(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "App.csproj": '<Project><ItemGroup><Using Include="Lib.C" /></ItemGroup></Project>',
            "Usings.cs": "global using Lib.B;",
            "A.cs": """
                using Alias = Lib.A.Same;
                namespace App.Sub;
                public class Holder
                {
                    public Parent P { get; set; }
                    public FromB B { get; set; }
                    public FromC C { get; set; }
                    public Alias S { get; set; }
                    public Lib.A.Same Q { get; set; }
                    public Near.Thing N { get; set; }
                    public Hidden H { get; set; }
                    public Outer.Inner I { get; set; }
                }
                public class Outer { public class Inner { public int X { get; set; } } }
            """,
            "Parent.cs": "namespace App { public class Parent { public int A { get; set; } } }",
            "B.cs": "namespace Lib.B; public class FromB { public int B { get; set; } }",
            "C.cs": "namespace Lib.C; public class FromC { public int C { get; set; } }",
            "S.cs": "namespace Lib.A; public class Same { public int S { get; set; } }",
            "S2.cs": "namespace Other; public class Same { public int Wrong { get; set; } }",
            "N.cs": "namespace App.Near; public class Thing { public int N { get; set; } }",
            "H.cs": "namespace Nowhere; public class Hidden { public int H { get; set; } }",
        },
    )
    assert project.shape("Holder") == (
        "{p: {a: integer(int32)}~, b: {b: integer(int32)}~, c: {c: integer(int32)}~, "
        "s: {s: integer(int32)}~, q: {s: integer(int32)}~, n: {n: integer(int32)}~, "
        "h: ?type `Hidden` comes from a library?, i: {x: integer(int32)}~}"
    )


def test_parts_of_a_class_see_what_others_declare(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        namespace App;
        public static partial class Bom
        {
            public class Item { public Kind Kind { get; set; } public Part? Part { get; set; } }
            public static void Map(WebApplication app) => app.MapGet(Route, () => Count());
        }
        public class Order
        { public Bom.Kind Kind { get; set; } public Bom.Part? Part { get; set; } }
        """,
        Other="""
        namespace App;
        public class Base { public class Deep { public int Y { get; set; } } }
        public static partial class Bom : Base
        {
            public enum Kind { A, B }
            public class Part { public Deep X { get; set; } = null!; }
            public const string Route = "/count";
            private static int Count() => 3;
        }
        """,
    )
    item = "{kind: 0|1, part: {x: {y: integer(int32)}}|null}"
    nested = NamedType(name="Bom.Item")
    scope = found.program.module_scope(found.program.facts("Models.cs"))
    assert found.show(found.program.schema(nested, scope)) == item
    assert found.shape("Order") == item
    assert found.responses("GET /count") == ["(200) integer(int32)"]


def test_without_nullable_references_a_member_that_is_made_is_there(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "App.csproj": "<Project></Project>",
            "Models.cs": """
            public class Order
            {
                public string Sku { get; set; }
                public string Format => "v1";
                public List<string> Tags { get; set; } = new();
                public string Unit { get; set; } = string.Empty;
                public Part Part { get; set; } = null;
            }
            public class Part { public int X { get; set; } }
            """,
        },
    )
    assert project.shape("Order") == (
        "{sku: string~, format-: 'v1', tags: [string~], unit: string, part: {x: integer(int32)}~}"
    )


def test_what_a_member_begins_with_is_not_all_that_is_sent(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        public class Money
        {
            public string Currency { get; set; } = "EUR";
            public string Unit { get; } = "cent";
            public Dictionary<string, int> Rates { get; set; } = [];
        }
        public static class Routes
        {
            public static void Map(WebApplication app) => app.MapGet("/x", (Money m) => Results.Ok(
                new
                {
                    c = m.Currency,
                    u = m.Unit,
                    r = m.Rates.Select(rate => new { rate.Key, rate.Value })
                }));
        }
        """,
    )
    assert found.responses("GET /x") == [
        "200 {c!: string, u!: 'cent', r!: [{key!: string, value!: integer(int32)}]}"
    ]


def test_known_classes_of_libraries(tmp_path: Path) -> None:
    project = models(
        tmp_path,
        """
        using Microsoft.AspNetCore.Identity;
        public class Role : IdentityRole<Guid> { public override string? Name { get; set; } }
        public class Text : IdentityRole { }
        public class Holder
        {
            public SelectListItem Item { get; set; } = new();
            public DayOfWeek Day { get; set; }
            public List<IdentityError> Errors { get; set; } = [];
        }
        public class User : IdentityUser<int> { public string Bio { get; set; } = ""; }
        public static class Routes
        {
            public static void Map(WebApplication app) => app.MapGet("/x", (User u) =>
                Results.Ok(new { u.Id, u.Email, u.Bio, u.EmailConfirmed }));
        }
        """,
    )
    assert project.responses("GET /x") == [
        "200 {id!: integer(int32), email!: string|null, bio!: string, emailConfirmed!: boolean}"
    ]
    stamp = "normalizedName: string|null, concurrencyStamp: string|null"
    assert project.shape("Role") == f"{{name: string|null, id: string(uuid), {stamp}}}"
    assert project.shape("Text") == f"{{id: string, name: string|null, {stamp}}}"
    assert project.shape("Holder") == (
        "{item: {disabled: boolean, group: {disabled: boolean, name: string~}|null, "
        "selected: boolean, text: string~, value: string~}, day: 0|1|2|3|4|5|6, "
        "errors: [{code: string, description: string}]}"
    )


def test_null_of_a_type_parameter_depends_on_what_it_stands_for(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        public enum Kind { A, B }
        public record Line(int Id);
        public class Envelope<T> { public T? Data { get; set; } public List<T?> All { get; set; } }
        public class Value<T> where T : struct { public T? Data { get; set; } }
        public class Texts { public Envelope<string> Of { get; set; } }
        public class Lines { public Envelope<Line> Of { get; set; } }
        public class Flags { public Envelope<bool> Of { get; set; } }
        public class Kinds { public Envelope<Kind> Of { get; set; } }
        public class Maybe { public Envelope<bool?> Of { get; set; } }
        public class Structs { public Value<bool> Of { get; set; } }
        """,
    )
    assert found.shape("Texts") == "{of: {data: string|null, all: [string|null]}}"
    line = "{id: integer(int32)}|null"
    assert found.shape("Lines") == f"{{of: {{data: {line}, all: [{line}]}}}}"
    # `T?` of an unconstrained `T` that is a value type is that type.
    assert found.shape("Flags") == "{of: {data: boolean, all: [boolean]}}"
    assert found.shape("Kinds") == "{of: {data: 0|1, all: [0|1]}}"
    assert found.shape("Maybe") == "{of: {data: boolean|null, all: [boolean|null]}}"
    assert found.shape("Structs") == "{of: {data: boolean|null}}"
