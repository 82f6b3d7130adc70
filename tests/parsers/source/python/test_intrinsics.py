"""Well-known calls: what they give where the arguments are known."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.parsers.source.python.project import project, shape

HEAD = """
import asyncio, copy, enum, os, uuid
from collections import OrderedDict
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pydantic import BaseModel, Field, parse_obj_as
from flask import request, url_for
from flask_jwt_extended import create_access_token
class State(enum.Enum):
    OPEN = "open"
    DONE = "done"
states: list[State] = load()
class Order(BaseModel):
    id: int = Field(alias="ID")
    note: str | None = None
@dataclass
class Line:
    at: datetime
orders: list[Order] = load()
table: dict[str, Order] = load()
counts: dict[int, int] = load()
when = date(2020, 1, 1)
order = Order(ID=1)
"""


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("dict(a=1, **{'b': 'x'})", "{a: integer[1], b: string['x']}"),
        ("dict([('a', 1)])", "{a: integer[1]}"),
        ("OrderedDict([('a', len('x'))])", "{a: integer}"),
        ("{'a': 1} | {'b': 2}", "{a: integer[1], b: integer[2]}"),
        ("list(o.id for o in orders)", "[integer]"),
        ("sorted(orders, key=lambda o: o.id)", "[{ID: integer, note=: string?}]"),
        ("[i for i, o in enumerate(orders)]", "[integer]"),
        ("[o.id for o in orders][1:]", "[integer]"),
        ("orders[:5]", "[{ID: integer, note=: string?}]"),
        ("[1, 'x'][:1]", "[(integer[1] | string['x'])]"),
        ("'text'[2:]", "string"),
        ("[a.id for a, b in zip(orders, orders)]", "[integer]"),
        ("list(map(lambda o: o.note, orders))", "[string?]"),
        ("[v.id for v in table.values()]", "[integer]"),
        ("{k: v.note for k, v in table.items()}", "{*: string?}"),
        (
            "[a for a, b in [(1, 'x') if when else ('y', 2)]]",
            "[(integer[1] | string['y'])]",
        ),
        ("order and order.id", "integer"),
        ("order.id and 'x'", "(integer[0] | string['x'])"),
        ("(1 < 2) and (2 < 3)", "boolean"),
        ("orders and orders[0]", "unknown: `and` may give its left side here"),
        ("{'a': 1}.get('a')", "integer[1]"),
        ("{'a': 1}.get('b', 'x')", "string['x']"),
        ("max(orders, key=len).id", "integer"),
        ("str(1)", "string"),
        ("round(1.5, 1)", "number"),
        ("sum(o.id for o in orders)", "integer"),
        ("when.isoformat()", "string:date"),
        ("datetime.now().isoformat()", "string:date-time"),
        ("str(uuid.uuid4())", "string"),
        ("'a-{}'.format('b')", "string['a-b']"),
        ("'/'.join(['a', 'b'])", "string['a/b']"),
        ("' A '.strip().lower()", "string['a']"),
        ("copy.deepcopy(order)", "{ID: integer, note=: string?}"),
        ("order.model_dump()", "{id<ID>: integer, note=: string?}"),
        ("order.dict(by_alias=True, exclude_none=True)", "{ID: integer, note-=: string}"),
        ("order.model_dump(exclude_unset=True)", "{id<ID>: integer, note~=: string~}"),
        ("order.model_dump(exclude={'note'})", "{id<ID>: integer}"),
        (
            "order.model_dump(include=chosen())",
            "unknown: which fields are left out is not constant",
        ),
        ("asdict(Line(datetime.now()))", "{at: string:date-time}"),
        ("Order.model_validate(load())", "{ID: integer, note=: string?}"),
        ("parse_obj_as(list[Order], load())", "[{ID: integer, note=: string?}]"),
        ("os.getenv('X', 'y')", "string['y']"),
        ("request.args.get('q')", "string?"),
        ("request.args.get('page', 1, type=int)", "integer"),
        ("request.args.get('page', type=float)", "number?"),
        (
            "request.args.get('x', type=load)",
            "unknown: the result of `flask.request.args.get` comes from a library",
        ),
        ("url_for('index')", "string"),
        ("[k for k, v in table.items()]", "[string]"),
        ("[k for k in counts.keys()]", "[integer]"),
        (
            "[k for k, v in {n: 0 for n in range(9)}.items()]",
            "[unknown: the keys of the dict are computed]",
        ),
        ("[k for k, v in {'a': 1, 'b': 2}.items()]", "[string['a', 'b']]"),
        ("create_access_token(identity=1)", "string"),
        ("states[0].value", "string['open', 'done']"),
        ("states[0].name", "string"),
    ],
)
def test_what_calls_give(tmp_path: Path, expression: str, result: str) -> None:
    source = f"{HEAD}value = {expression}\n"
    program = project(tmp_path, {"app.py": dedent(source)})
    file = program.facts("app.py")
    scope = program.module_scope(file)
    statement = file.statements[-1]
    value = getattr(statement, "value", None)
    assert value is not None
    assert shape(program, program.infer(value, scope)) == result


def test_questions_to_query_sets_of_django(tmp_path: Path) -> None:
    source = """
        from django.db import models
        class Article(models.Model):
            fans = models.ManyToManyField("Article", related_name="liked_by")
        def liked(article: Article):
            return article.fans.filter(pk=1).exists()
        def likes(article: Article):
            return article.fans.count()
        def like(article: Article):
            return article.liked_by.filter(pk=1).exists()
        def known(store):
            return store.exists("key")
        """
    program = project(tmp_path, {"app.py": source})
    shapes = {}
    for name in ("liked", "likes", "like", "known"):
        found = program.names.lookup(name, program.module_scope(program.facts("app.py")))
        [result] = program.function_exits(found)  # type: ignore[arg-type]
        shapes[name] = shape(program, program.infer(result.value, result.scope))  # type: ignore[arg-type]
    assert shapes == {
        "liked": "boolean",
        "likes": "integer",
        "like": "boolean",
        "known": "unknown: parameter `store` has no declared type",
    }
