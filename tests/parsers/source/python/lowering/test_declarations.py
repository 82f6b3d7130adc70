"""Declarations of Python files, each construct with the exact facts it gives."""

from __future__ import annotations

import re
from textwrap import dedent

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import FileFacts
from contract_scan.parsers.source.python.lowering.lower import lower, lower_body
from tests.parsers.source.python.show import (
    show_alias,
    show_block,
    show_class,
    show_function,
    show_type,
)


def facts(source: str, markers: bytes = b"") -> FileFacts:
    pattern = re.compile(re.escape(markers)) if markers else None
    read = lower(dedent(source).encode(), "a.py", pattern)
    assert read.errors == ()
    return read


def classes(source: str) -> list[str]:
    return [line for declaration in facts(source).classes for line in show_class(declaration)]


def imports(source: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(i.module, i.name, i.local, i.modifiers) for i in facts(source).imports]


def test_imports() -> None:
    assert imports(
        """
        from __future__ import annotations
        import a.b, a.c as d
        from ..pkg . mod import (x as y,  # why
                                 z)
        from . import views
        from all import *
        if TYPE_CHECKING:
            from slow import Slow
        try:
            import fast
        except ImportError:
            fast = None
        """
    ) == [
        ("a.b", "", "a", ()),
        ("a.c", "", "d", ()),
        ("..pkg.mod", "x", "y", ()),
        ("..pkg.mod", "z", "z", ()),
        (".", "views", "views", ()),
        ("all", "*", "", ()),
        ("slow", "Slow", "Slow", ()),
        ("fast", "", "fast", ()),
    ]


def test_imports_inside_functions_are_facts_of_the_file() -> None:
    assert imports(
        """
        def create_app():
            from . import auth
            "from . import nothing"
            return auth
        """
    ) == [(".", "auth", "auth", ("local",))]


def test_imports_inside_functions_keep_apart_where_names_collide() -> None:
    read = facts(
        """
        from top import bp
        def create_app():
            from .orders import bp
            app.register_blueprint(bp)
        """,
        b"register_blueprint",
    )
    assert [(i.module, i.local) for i in read.imports] == [("top", "bp"), (".orders", "bp@4")]
    assert [show_function(f) for f in read.functions] == [
        "def create_app() {bp = bp@4; app.register_blueprint(bp)}"
    ]


def test_class_with_generics_bases_and_keywords() -> None:
    assert classes(
        """
        T = TypeVar("T", bound="Base")
        class A(Page[T], metaclass=Meta): pass
        class B(Generic[K, V], t.Protocol): pass
        class C[S: (int, str), *Ts](list[S]): pass
        class D(namedtuple("D", "x"), **options): pass
        """
    ) == [
        "class A[T: Base](Page[T], metaclass=Meta)",
        "class B[K, V](Generic[K, V], t.Protocol)",
        "class C[S: ?annotation of kind tuple?](list[S])",
        "class D(namedtuple[D, x] with namedtuple('D', 'x'), **options)",
    ]


def test_of_classes_of_one_name_the_last_is_meant() -> None:
    assert classes(
        """
        class User: id: int
        class Admin: name: str
        class User: name: str
        class Order: id: int
        class Order(Order): total: int
        try:
            class Page: size: int
        except ImportError:
            class Page: limit: int
        """
    ) == [
        "class Admin()",
        "  field name: str",
        "class User()",
        "  field name: str",
        "class Order()",
        "  field id: int",
        "class Order(Order)",
        "  field total: int",
        "class Page()",
        "  field size: int",
        "class Page()",
        "  field limit: int",
    ]


def test_members_in_order_with_types_and_values() -> None:
    assert classes(
        """
        class Order(BaseModel):
            '''Text.'''
            id: int
            items: list["Item"] = Field(default_factory=list, alias="lines")
            a, b = 1, 2
            c = d = None
            if TYPE_CHECKING:
                only_typed: str
            else:
                other = 1
            class Config:
                orm_mode = True
            type Alias[X] = list[X]
        """
    ) == [
        "class Order(BaseModel)",
        "  field id: int",
        "  field items: list[Item] = Field(default_factory=list, alias='lines')",
        "  field a = 1",
        "  field b = 2",
        "  field c = None",
        "  field d = None",
        "  field only_typed: str",
        "  field other = 1",
        "  class Config()",
        "    field orm_mode = True",
        "  Alias[X] = list[X]",
    ]


def test_enum_constants() -> None:
    assert classes(
        """
        class Color(str, enum.Enum):
            RED = "red"
            GREEN = auto()
            _ignore_ = ["x"]
            label: str
        """
    ) == [
        "enum Color(str, enum.Enum)",
        "  enum RED = 'red'",
        "  enum GREEN = auto()",
        "  field _ignore_ = ['x']",
        "  field label: str",
    ]


def test_attributes_assigned_by_the_constructor_are_members() -> None:
    assert classes(
        """
        class A:
            known: int
            def __init__(me, name: str, size=1):
                super().__init__()
                me.known = size
                me.name, other.x = name, 1
                me.label = name
                me.items: list[int] = []
        """
    ) == [
        "class A()",
        "  field known: int",
        "  constructor field label: str = name",
        "  constructor field items: list[int] = []",
        "  constructor def __init__(name: str, size = 1)",
    ]


def test_methods_and_their_receivers() -> None:
    assert classes(
        """
        class A(B):
            @property
            def total(self) -> int: return self.x
            @total.setter
            def total(self, value): ...
            @classmethod
            @action("make")
            def make(cls, x): return cls(x, cls.y)
            @staticmethod
            def plain(self): ...
            @abc.abstractmethod
            async def later(self): ...
            @get("/x")
            def parent(self): return super().parent()
        """
    ) == [
        "class A(B)",
        "  @property property def total() -> int",
        "  @total.setter set def total(value)",
        "  @classmethod @action('make') classmethod def make(x) {return A(x, this.y)}",
        "  @staticmethod static def plain(self)",
        "  @abc.abstractmethod async abstract def later()",
        "  @get('/x') def parent() {return super.parent()}",
    ]


def test_parameters_of_every_kind() -> None:
    read = facts(
        """
        def f(a, b: int, /, c=1, *args: str, d, e: "X | None" = None, **kw: int): ...
        def g(*, a: Annotated[str, Query(alias="q")]): ...
        """
    )
    assert [show_function(f) for f in read.functions] == [
        "def f(a, b: int, c = 1, *args: str, keyword d, keyword e: X | None = None, **kw: int)",
        "def g(keyword a: str with Query(alias='q'))",
    ]


def test_decorators_with_comments_and_line_breaks() -> None:
    read = facts(
        """
        @router.get(  # the list
            "/orders",
            response_model=list[Order],  # of orders
        )
        @(lambda f: f)
        @cache
        async def orders(): ...
        """
    )
    (function,) = read.functions
    names = [(a.name, a.has_parentheses) for a in function.annotations]
    assert names == [("router.get", True), ("(lambda f: f)", False), ("cache", False)]
    assert show_function(function).startswith(
        "@router.get('/orders', response_model=type list[Order]) "
    )


def test_types() -> None:
    source = """
        from typing import Optional as Maybe
        a: Maybe[int]
        b: typing.Union[A, "B", None]
        c: A | m.B[int] | None
        d: Literal["a", 1, -2, None, E.X]
        e: tuple[int, ...]
        f: Tuple[int, str]
        g: Callable[[int, str], None]
        h: "dict[str, 'Order']"
        i: conlist(Item, min_items=1)
        j: ClassVar[int]
        k: Annotated[int, Field(gt=1), "x"]
        l: a + b
        m: f"{x}"
        """
    assigned = [show_type(getattr(s, "type", None)) for s in facts(source).statements]
    assert assigned == [
        "int | None",
        "A | B | None",
        "A | m.B[int] | None",
        "'a' | 1 | -2 | None | typeof E.X",
        "array[int]",
        "(int, str)",
        "(int, str) -> None",
        "dict[str, Order]",
        "conlist[Item] with conlist(Item, min_items=1)",
        "ClassVar[int]",
        "int with Field(gt=1), 'x'",
        "?annotation that computes?",
        "?annotation that computes?",
    ]


def test_aliases() -> None:
    read = facts(
        """
        type Pages[T] = list[Page[T]]
        Body: TypeAlias = "Order | None"
        Many = Union[A, B]
        Either = A | B
        Id = NewType("Id", int)
        Old = TypeAliasType("Old", "A | Old")
        MASK = FLAG_A | FLAG_B
        FIRST = ROWS[0]
        """
    )
    assert [show_alias(alias) for alias in read.aliases] == [
        "Pages[T] = list[Page[T]]",
        "Body = Order | None",
        "Many = A | B",
        "Either = A | B",
        "Id = int",
        "Old = A | Old",
    ]
    assert show_block(read.statements) == "{MASK = |(FLAG_A, FLAG_B); FIRST = ROWS[0]}"


def test_classes_made_by_calls() -> None:
    read = facts(
        """
        Row = TypedDict("Row", {"a-b": int, "c": NotRequired[str]}, total=False)
        Point = NamedTuple("Point", [("x", int), ("y", "float")])
        Pair = namedtuple("Pair", "left, right")
        Color = Enum("Color", ["RED", "BLUE"])
        Size = StrEnum("Size", {"S": "small"})
        Model = create_model("Model", a=(int, ...), b=(str, "x"), __base__=Base)
        Data = make_dataclass("Data", [("a", int), ("b", int, 1), "c"])
        UserSchema = Schema.from_dict({"name": fields.Str()})
        order = Order.from_dict({"name": 1})
        Computed = TypedDict("Computed", make())
        """
    )
    assert [line for declared in read.classes for line in show_class(declared)] == [
        "made class Row(TypedDict, total=False)",
        "  field a-b: int",
        "  field c: NotRequired[str]",
        "made class Point(NamedTuple)",
        "  field x: int",
        "  field y: float",
        "made class Pair(NamedTuple)",
        "  field left",
        "  field right",
        "made enum Color(Enum)",
        "  enum RED = 1",
        "  enum BLUE = 2",
        "made enum Size(StrEnum)",
        "  enum S = 'small'",
        "made class Model(Base)",
        "  field a: int = ?...?",
        "  field b: str = 'x'",
        "made class Data(make_dataclass)",
        "  field a: int",
        "  field b: int = 1",
        "  field c",
        "made class UserSchema(Schema)",
        "  field name = fields.Str()",
    ]
    assert show_block(read.statements) == (
        "{order = Order.from_dict({name: 1}); Computed = TypedDict('Computed', make())}"
    )


def test_declarations_in_conditions_belong_to_the_file() -> None:
    read = facts(
        """
        try:
            class A: pass
        except ImportError:
            def f(): pass
        if x:
            B = Union[A, int]
        """
    )
    assert [c.name for c in read.classes] == ["A"]
    assert [f.name for f in read.functions] == ["f"]
    assert [a.name for a in read.aliases] == ["B"]


def test_bodies_are_lowered_where_a_marker_or_route_asks_for_it() -> None:
    source = """
        def quiet(): return 1
        def marked():
            def inner(): send(2)
            return inner
        @app.get("/")
        def route(): return 3
        """
    assert [show_function(f) for f in facts(source, b"send(").functions] == [
        "def quiet()",
        "def marked() {def inner() {send(2)}; return inner}",
        "@app.get('/') def route() {return 3}",
    ]


def test_bodies_are_lowered_on_demand() -> None:
    source = dedent(
        """
        é = 1
        class A:
            @classmethod
            def make(cls, x): return cls(x)
            async def get(self): return await self.load("ü"), 1
        """
    ).encode()
    read = lower(source, "a.py")
    bodies = [show_block(lower_body(source, "a.py", m.span)) for m in read.classes[0].methods]
    assert bodies == ["{return A(x)}", "{return (this.load('ü'), 1)}"]
    assert lower_body(source, "a.py", Span(1, 1, 1, 2)) == ()
    assert lower_body(source, "a.py", Span(90, 1, 90, 2)) == ()


def test_places_are_counted_in_code_points() -> None:
    (first, second) = facts("class Ä: x = 1\nclass B: pass").classes
    assert first.name_span == Span(1, 7, 1, 8)
    assert first.members[0].name_span == Span(1, 10, 1, 11)
    assert second.span == Span(2, 1, 2, 14)


def test_overloads_give_way_to_what_they_describe() -> None:
    source = """
        from typing import overload
        class Model:
            @overload
            def dump(self, text: bool) -> str: ...
            @overload
            def dump(self) -> dict: ...
            def dump(self, text=False): return {}
        @overload
        def only_described() -> str: ...
        """
    file = facts(source)
    assert [method.returns for method in file.classes[0].methods] == [None]
    assert [function.name for function in file.functions] == ["only_described"]
