"""What returned expressions look like on the wire, told from the text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.analysis.domain.schemas import describe
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from tests.parsers.source.analysis.support import function, program, returned


def test_a_literal_keeps_its_keys_and_values(tmp_path: Path) -> None:
    assert returned(tmp_path, "def f():\n    return {'id': 1, 'tags': ['a', 'b']}\n") == [
        "{idTrue:integer:(1,),tagsTrue:[;string:('a', 'b')];;}"
    ]


def test_a_default_says_nothing_of_what_else_is_given(tmp_path: Path) -> None:
    source = "def f(a={}, b=[], c=None, d=1):\n    return [a, b, c, d]\n"
    undetermined = "|".join(f"<parameter `{name}` has no declared type>" for name in "abcd")
    assert returned(tmp_path, source) == [f"[;({undetermined})]"]


def test_a_default_is_what_a_call_that_leaves_it_out_gives(tmp_path: Path) -> None:
    source = """
    def f():
        return made()

    def made(a=1, b={"size": 2}, *, debug=False):
        return {"a": a, "b": b, "c": "open"} if debug else {"a": a, "b": b}
    """
    assert returned(tmp_path, source) == ["{aTrue:integer:(1,),bTrue:{sizeTrue:integer:(2,);;};;}"]


def test_a_test_of_a_default_does_not_say_how_it_ends(tmp_path: Path) -> None:
    source = """
    def f(debug=False):
        return {"all": True} if debug else {"some": True}
    """
    assert returned(tmp_path, source) == [
        "({allTrue:boolean:(True,);;}|{someTrue:boolean:(True,);;})"
    ]


def test_a_local_dict_takes_what_is_put_into_it_later(tmp_path: Path) -> None:
    source = """
    def f(flag):
        body = {"id": 1}
        if flag:
            body["extra"] = "x"
        body["name"] = "n"
        return body
    """
    assert returned(tmp_path, source) == [
        "{idTrue:integer:(1,),extraFalse:string:('x',),nameTrue:string:('n',);;}"
    ]


def test_a_later_assignment_hides_an_earlier_one(tmp_path: Path) -> None:
    source = """
    def f():
        body = {"old": 1}
        body = {"new": body["old"]}
        return body
    """
    assert returned(tmp_path, source) == ["{newTrue:integer:(1,);;}"]


def test_branches_join_and_a_branch_that_returns_does_not(tmp_path: Path) -> None:
    source = """
    def f(flag):
        value = "a"
        if flag == 1:
            value = "b"
        elif flag == 2:
            value = "c"
            return {"early": value}
        return {"late": value}
    """
    assert returned(tmp_path, source) == [
        "{earlyTrue:string:('c',);;}",
        "{lateTrue:string:('b', 'a');;}",
    ]


def test_a_list_that_a_loop_fills_has_the_shape_of_what_is_added(tmp_path: Path) -> None:
    source = """
    def f(rows: list[int]):
        result = []
        for row in rows:
            result.append({"row": row})
        return result
    """
    assert returned(tmp_path, source) == ["[;{rowTrue:integer:;;}]"]


def test_a_comprehension_sees_the_items_of_its_source(tmp_path: Path) -> None:
    source = """
    class Row:
        name: str

    def f(rows: list[Row]):
        return [{"name": row.name} for row in rows]
    """
    assert returned(tmp_path, source) == ["[;{nameTrue:string:;;}]"]


def test_calls_are_followed_into_other_files_with_their_arguments(tmp_path: Path) -> None:
    source = """
    from helpers import wrap

    def f():
        return wrap({"id": 1}, total=2)
    """
    helpers = "def wrap(data, total):\n    return {'data': data, 'total': total}\n"
    assert returned(tmp_path, source, helpers=helpers) == [
        "{dataTrue:{idTrue:integer:(1,);;},totalTrue:integer:(2,);;}"
    ]


def test_a_declared_return_type_is_worth_more_than_the_body(tmp_path: Path) -> None:
    source = """
    class Order:
        id: int

    def load() -> Order:
        return object()

    def f():
        return {"order": load()}
    """
    assert returned(tmp_path, source) == ["{orderTrue:python:app.py#Order;;}"]


def test_a_declared_type_that_says_nothing_leads_into_the_body(tmp_path: Path) -> None:
    source = """
    def load() -> dict:
        return {"id": 1}

    def f():
        return load()
    """
    assert returned(tmp_path, source) == ["{idTrue:integer:(1,);;}"]


def test_spreading_something_unknown_makes_an_object_partial(tmp_path: Path) -> None:
    source = """
    def f(rest):
        return {"id": 1, **rest}
    """
    assert returned(tmp_path, source) == [
        "{idTrue:integer:(1,);;parameter `rest` has no declared type}"
    ]


def test_members_of_typed_attributes_are_found_through_base_classes(tmp_path: Path) -> None:
    source = """
    class Repository:
        def one(self) -> int: ...

    class Base:
        repository: Repository

    class Service(Base):
        def f(self):
            return {"one": self.repository.one()}

    def f(service: Service):
        return service.f()
    """
    assert returned(tmp_path, source) == ["{oneTrue:integer:;;}"]


def test_recursion_ends_with_a_reason(tmp_path: Path) -> None:
    source = """
    def f(n):
        return {"n": n, "next": f(n)}
    """
    assert returned(tmp_path, source) == [
        "{nTrue:<parameter `n` has no declared type>,"
        "nextTrue:{nTrue:<parameter `n` has no declared type>,"
        "nextTrue:<`f` is called too deeply>;;};;}"
    ]


def test_a_generic_class_binds_its_parameter_through_inheritance(tmp_path: Path) -> None:
    source = """
    from typing import Generic, TypeVar
    T = TypeVar("T")

    class Page(Generic[T]):
        items: list[T]

    class Order:
        id: int

    class Orders(Page[Order]):
        total: int

    def f(orders: Orders):
        return orders
    """
    assert returned(tmp_path, source) == ["{totalTrue:integer:,itemsTrue:[;python:app.py#Order];;}"]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'/a' + PREFIX", "/a/v1"),
        ("f'{PREFIX}/x'", "/v1/x"),
        ("Paths.ORDERS", "/orders"),
        ("Paths.ORDERS.value", "/orders"),
        ("settings.prefix", "/api"),
        ("unknown", None),
    ],
)
def test_constant_strings_resolve_across_files(
    tmp_path: Path, expression: str, text: str | None
) -> None:
    linked = program(
        tmp_path,
        {
            "app.py": f"""
            import enum
            from config import PREFIX, Settings
            settings = Settings()
            class Paths(enum.Enum):
                ORDERS = "/orders"
            value = {expression}
            """,
            "config.py": """
            PREFIX = "/v1"
            class Base:
                prefix: str = "/api"
            class Settings(Base):
                debug: bool = False
            """,
        },
    )
    file = linked.facts("app.py")
    statement = file.statements[-1]
    assert linked.text(statement.value, linked.module_scope(file)) == text  # type: ignore[union-attr]


def test_re_exports_lead_to_the_object_that_was_made(tmp_path: Path) -> None:
    linked = program(
        tmp_path,
        {
            "app/__init__.py": "",
            "app/main.py": "from app.api import router as api\nuse(api)\n",
            "app/api/__init__.py": "from .routes import router\n",
            "app/api/routes.py": "from lib import Router\nrouter = Router()\n",
        },
    )
    file = linked.facts("app/main.py")
    call, scope = next(linked.calls(file))
    made = linked.evaluate(call.args[0].value, scope)
    assert linked.qualified_name(call.args[0].value, scope) == "lib.Router"
    assert made.identity[0] == "app/api/routes.py"  # type: ignore[union-attr]


def test_an_inner_function_sees_what_the_outer_one_assigned_before_it(tmp_path: Path) -> None:
    source = """
    def outer():
        label = "a"
        def inner():
            return {"label": label}
        label = "b"
        return inner

    def f():
        return outer()()
    """
    linked = program(tmp_path, {"app.py": source})
    outer = function(linked, "app.py", "outer")
    (result,) = linked.function_exits(outer)
    assert result.value is not None
    inner = linked.evaluate(result.value, result.scope)
    assert isinstance(inner, FunctionValue)
    (inside,) = linked.function_exits(inner)
    assert inside.value is not None
    assert describe(linked.infer(inside.value, inside.scope)) == "{labelTrue:string:('a',);;}"


def test_values_that_double_at_every_step_are_given_up_on(tmp_path: Path) -> None:
    steps = "\n".join(f"    v{n} = [v{n - 1}, v{n - 1}]" for n in range(1, 30))
    source = f"def f():\n    v0 = 'x'\n{steps}\n    return v29\n"
    assert "<it takes too many steps to follow>" in returned(tmp_path, source)[0]


def test_what_hangs_on_a_call_too_deep_to_follow_takes_few_steps(
    tmp_path: Path,
) -> None:
    members = ", ".join(f"'k{k}': x.k{k}" for k in range(9))
    functions = "".join(
        f"def f{i}(n):\n    x = f{i + 1}(n)\n    return {{{members}, 'id': {i}}}\n"
        for i in range(8)
    )
    source = f"{functions}def f8(n): return {{'id': 8}}\ndef f(n): return f0(n)"
    parts = "".join(f"k{k}True:<`f6` is called too deeply>," for k in range(9))
    assert returned(tmp_path, source) == [f"{{{parts}idTrue:integer:(0,);;}}"]


def test_what_leads_on_and_on_is_given_up_on(tmp_path: Path) -> None:
    steps = "\n".join(f"    v{n} = same(v{n - 1})" for n in range(1, 300))
    source = f"def same(a):\n    return a\n\ndef f():\n    v0 = 'x'\n{steps}\n    return v299\n"
    assert returned(tmp_path, source) in (
        ["<following it nests too deeply>"],
        ["<the expression nests too deeply>"],
    )


def test_calls_under_many_conditions_are_followed_once(tmp_path: Path) -> None:
    conditions = "".join(f"    if flags[{n}]:\n        q = q.filter({n})\n" for n in range(60))
    source = f"from lib import Query\n\ndef f(flags):\n    q = Query()\n{conditions}"
    assert returned(tmp_path, source + "    return {'rows': q.count()}\n") == [
        "{rowsTrue:<the result of `lib.Query().count` comes from a library>;;}"
    ]


def test_an_attribute_that_starts_as_none_may_hold_anything_later(tmp_path: Path) -> None:
    source = """
    class Store:
        def __init__(self):
            self.settings = None
            self.limit = 10

    def f():
        store = Store()
        return {"settings": store.settings, "limit": store.limit}
    """
    assert returned(tmp_path, source) == [
        "{settingsTrue:<`settings` starts as null; what it is given later is not declared>,"
        "limitTrue:integer:(10,);;}"
    ]


def test_a_comprehension_that_tests_its_items_gives_none_that_are_null(tmp_path: Path) -> None:
    source = """
    class Row:
        number: str | None
        name: str | None

    def f(rows: list[Row]):
        return {
            "tested": [row.number for row in rows if row.number],
            "compared": [row.number for row in rows if row.number is not None and row.name],
            "other": [row.number for row in rows if row.name],
        }
    """
    assert returned(tmp_path, source) == [
        "{testedTrue:[;string:],comparedTrue:[;string:],otherTrue:[;string:?];;}"
    ]


def test_keys_of_an_object_that_a_list_spells_out(tmp_path: Path) -> None:
    source = """
    def found() -> str | None: ...

    NAMES = ["a", "b"]

    class Table:
        class Meta:
            names = ("c", "d")

        def row(self, x):
            return {name: None for name in self.Meta.names}

    def f(x):
        if x == 1:
            return {name: 1 for name in NAMES}
        if x == 2:
            return {name: 1 for name in NAMES if x}
        if x == 3:
            return {key: value for key, value in [("a", 1), ("b", True)]}
        if x == 4:
            return Table().row(x)
        if x == 5:
            pairs = [("a", 1), ("b", None), ("c", found()), ("d", unknown())]
            return {key: value for key, value in pairs if value is not None}
        return {name: 1 for name in x}
    """
    assert returned(tmp_path, source) == [
        "{aTrue:integer:(1,),bTrue:integer:(1,);;}",
        "{aNone:integer:(1,),bNone:integer:(1,);;}",
        "{aTrue:integer:(1,),bTrue:boolean:(True,);;}",
        "{cTrue:null,dTrue:null;;}",
        "{aTrue:integer:(1,),cFalse:string:,"
        "dNone:<the result of `unknown` comes from a library>;;}",
        "{;integer:(1,);}",
    ]


def test_arguments_that_have_no_parameter_of_their_own(tmp_path: Path) -> None:
    source = """
    def made(first, *rest, **others):
        others["many"] = True
        return others

    def f(x):
        if x:
            return made(1, a=2)
        return made(1, **{"b": 1}, c=2)
    """
    assert returned(tmp_path, source) == [
        "{aTrue:integer:(2,),manyTrue:boolean:(True,);;}",
        "{bTrue:integer:(1,),cTrue:integer:(2,),manyTrue:boolean:(True,);;}",
    ]
