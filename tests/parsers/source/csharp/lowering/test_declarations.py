"""C# declarations, each construct with the exact facts it gives."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering.lower import lower_file
from contract_scan.parsers.source.facts.nodes import NamedType
from tests.parsers.source.csharp.show import (
    classes,
    facts_of,
    show_block,
    show_class,
    show_function,
    show_type,
)


def test_usings() -> None:
    facts = facts_of(
        "using System;\nglobal using A . B;\nusing static A.B.C;\nusing X = A.B.C;\n"
        "using L = A.List<int>;\nglobal using static G.H;\nnamespace N { using I.J; }\n"
    )
    assert [(i.module, i.name, i.local, i.modifiers) for i in facts.imports] == [
        ("System", "*", "", ()),
        ("A.B", "*", "", ("global",)),
        ("A.B.C", "*", "", ("static",)),
        ("A.B", "C", "X", ()),
        ("A", "List`1", "L", ()),
        ("G.H", "*", "", ("global", "static")),
        ("I.J", "*", "", ("relative",)),
    ]


def test_an_alias_is_written_out_in_types() -> None:
    facts = facts_of("using X = A.B.C;\nusing D = A.Dtos;\nclass E { X? A; D.F<X[]> B; }")
    assert [line for c in facts.classes for line in show_class(c)] == [
        "class E",
        "  field A.B.C? A",
        "  field A.Dtos.F<A.B.C[]> B",
    ]


def test_namespaces() -> None:
    assert facts_of("namespace A.B;\nclass C { class D { } }").package == "A.B"
    assert facts_of("namespace A { namespace B.C { class D { } } }").package == "A.B.C"
    several = facts_of("class A { }\nnamespace N { class B { class C { } } }")
    assert several.package == ""
    assert several.namespaces == {"A": "", "B": "N", "B.C": "N"}


def test_classes_with_attributes_generics_and_bases() -> None:
    assert classes(
        """
        /// <summary>text</summary>
        [Route("api/[controller]"), ApiController] // why
        [A.B<int>(1, X = typeof(C), y: "z")]
        public sealed partial class Orders<T, [D] U>(IFoo foo, int x = 3)
            : Base<T>(foo), IThing where T : class, IBar, new() where U : struct { }
        """
    ) == [
        "[Route('api/[controller]')] [ApiController] [A.B<int>(1, X: type(C), y: 'z')] "
        "public sealed partial class Orders<T: IBar><U: struct> : Base<T>, IThing(foo)",
        "  private parameter IFoo foo",
        "  private parameter int x = 3",
        "  public constructor primary Orders(IFoo foo, int x = 3) []",
    ]


def test_records_and_structs() -> None:
    assert classes(
        """
        public record Order([property: JsonPropertyName("i")] int Id, string? Name = null)
            : Base(Id) { public int Total { get; set; } }
        public readonly record struct Point(int X);
        record struct Pair(int A);
        public struct Money { public decimal Amount; }
        record Empty;
        """
    ) == [
        "public record Order : Base(Id)",
        "  [property:JsonPropertyName('i')] public get init parameter int Id",
        "  public get init parameter string? Name = None",
        "  public get set property int Total",
        "  public constructor primary Order([property:JsonPropertyName('i')] int Id, "
        "string? Name = None) []",
        "public readonly struct record Point",
        "  public get init parameter int X",
        "  public constructor primary Point(int X) []",
        "struct record Pair",
        "  public get set parameter int A",
        "  public constructor primary Pair(int A) []",
        "public struct Money",
        "  public field decimal Amount",
        "record Empty",
    ]


def test_fields_and_properties() -> None:
    assert classes(
        """
        class A {
            private readonly List<int?> _a = new(), _b;
            public const string P = "/a" + "b", Q = P;
            [J("c")] public required string? C { get; init; } = "x";
            public int D { get; private set; }
            public int E { get; } = 1;
            public int F => 3;
            public int G { get => _g; }
            public int H { get { return _h; } }
            public int I { get { x(); return 1; } }
            public int J { get => field; set => field = value; }
            public int K { set { } }
            string IFoo.L { get; }
            public (int A, string B)[] M { get; set; }
            internal int[,] N;
            dynamic O { get; set; }
            public virtual string this[int i] => "a";
            public event EventHandler Q1;
            ~A() { }
        }
        """
    ) == [
        "class A",
        "  private readonly field List<int?> _a = new List<int?>()",
        "  private readonly field List<int?> _b",
        "  public const constant string P = text('/a', 'b')",
        "  public const constant string Q = P",
        "  [J('c')] public required get init property string? C = 'x'",
        "  public get private set, property int D",
        "  public get property int E = 1",
        "  public get getter int F = 3",
        "  public get getter int G = _g",
        "  public get getter int H = _h",
        "  public get getter int I",
        "    get int I() [x(); return 1]",
        "  public get set property int J",
        "    get int J() [return field]",
        "    set J(int value) [field = value]",
        "  public set setter int K",
        "    set K(int value) []",
        "  explicit get property string L",
        "  public get set property (int, string)[] M",
        "  internal field int[][] N",
        "  get set property dynamic O",
    ]


def test_methods_and_constructors() -> None:
    assert classes(
        """
        abstract class A {
            [HttpGet("{id}")] [return: X]
            public async Task<ActionResult<B>> Get<T>([FromQuery(Name = "q")] string? q = null,
                this C c, params int[] rest) => x(q);
            public A(int a) : base(a) { B = a; }
            protected abstract void D();
            partial void E();
            extern static int F();
            void IFoo.G() { }
            public static A operator +(A a, A b) => a;
        }
        """
    ) == [
        "abstract class A",
        "  [HttpGet('{id}')] [return:X] public async Task<ActionResult<B>> "
        "Get<T>([FromQuery(Name: 'q')] string? q = None, this C c, int[] *rest) [return x(q)]",
        "  public constructor A(int a) [super(a); B = a]",
        "  protected abstract void D()",
        "  partial abstract void E()",
        "  extern static abstract int F()",
        "  explicit void G() []",
    ]


def test_interfaces_enums_delegates_and_nested_types() -> None:
    assert classes(
        """
        interface IA<in T> : IB { int X { get; } Task<T> F(); }
        [Flags] enum E : byte { [EnumMember(Value = "a")] A = 1, B, C = A | B }
        class Outer { delegate R D<R>(int x); class Inner { enum F { G } } }
        """
    ) == [
        "interface IA<T> : IB",
        "  get property int X",
        "  abstract Task<T> F()",
        "[Flags] enum E : byte",
        "  [EnumMember(Value: 'a')] enum A = 1",
        "  enum B",
        "  enum C = op(|, A, B)",
        "class Outer",
        "  alias D = (int x) -> R",
        "  class Inner",
        "    enum F",
        "      enum G",
    ]


def test_types() -> None:
    assert classes(
        "class A { global::B.C<D>.E<F> a; int* b; void C() {} List<List<int>> d; G.H? i; }"
    ) == [
        "class A",
        "  field B.C.E<F, D> a",
        "  field ?pointer type? b",
        "  field List<List<int>> d",
        "  field G.H? i",
        "  void C() []",
    ]


def test_names_may_be_keywords() -> None:
    assert classes("class @class { int @int; void @void(int @in) { @out = 1; } }") == [
        "class class",
        "  field int int",
        "  void void(int in) [out = 1]",
    ]


def test_members_under_a_condition() -> None:
    source = """
        class A {
        #if MINE
            public int B;
        #else
            public string B;
            public int C;
        #endif
        #region r
            public int D;
        #endregion
        #if NETFRAMEWORK
            public int E;
        #endif
        }
    """
    assert classes(source) == [
        "class A",
        "  public field string B",
        "  public field int C",
        "  public field int D",
    ]


def test_nullable_directives() -> None:
    facts = facts_of("#nullable enable\nclass A { }\n  # nullable disable\n#nullable restore\n")
    assert facts.nullability == ((1, "enable"), (3, "disable"), (4, "restore"))


def test_places_count_code_points() -> None:
    facts = facts_of('class Ä { /* é */ string B = "é"; }')
    (declared,) = facts.classes
    assert declared.name_span == Span(1, 7, 1, 8)
    assert declared.members[0].name_span == Span(1, 26, 1, 27)
    assert declared.members[0].span == Span(1, 26, 1, 33)
    assert declared.span == Span(1, 1, 1, 36)


def test_what_the_grammar_cannot_parse_is_named_and_the_rest_is_read() -> None:
    source = b"class A { int x; void F() { a(1; } int z; }\nclass B { int y; }"
    facts = lower_file(source, "A.cs", None)
    assert facts.errors == (Span(1, 32, 1, 32),)
    assert [line for c in facts.classes for line in show_class(c)] == [
        "class A",
        "  field int x",
        "  field int z",
        "  void F() [a(1)]",
        "class B",
        "  field int y",
    ]


def test_delegates_and_functions_at_the_top_level() -> None:
    facts = facts_of("static int F(int a) => a;\ndelegate void D(int a);")
    assert [show_function(f) for f in facts.functions] == ["static int F(int a) [return a]"]
    assert [(a.name, show_type(a.type)) for a in facts.aliases] == [("D", "(int a) -> void")]
    assert show_block(facts.statements) == []


def test_generic_types_are_told_apart_by_the_number_of_their_parameters() -> None:
    facts = facts_of(
        "class R { R<A, B> C; N.R<A>.S<B> D; byte[] E; }\nclass R<T> { }\ndelegate T F<T>();"
    )
    assert [c.name for c in facts.classes] == ["R", "R`1"]
    names = [m.type.name for m in facts.classes[0].members if isinstance(m.type, NamedType)]
    assert names == ["R`2", "N.R`1.S`1", "byte[]"]
    assert [a.name for a in facts.aliases] == ["F`1"]
