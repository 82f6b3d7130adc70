"""Code is changed at one declaration or route, and the scan has to say just that."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.accuracy.contract_text import load
from bench.accuracy.mutate_source import Change, source_mutants
from bench.accuracy.run import Pair
from bench.accuracy.score_source import score_source
from contract_scan import api

CONTRACT = """
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders:
    get:
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Order" } }
  /orders/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: ok
          content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
components:
  schemas:
    Order:
      type: object
      required: [orderId]
      properties:
        orderId: { type: string }
"""

PYTHON = """
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()

class Order(BaseModel):
    orderId: str

@app.get("/orders")
def orders() -> list[Order]: ...

@app.get("/orders/{order_id}")
def order(order_id: str) -> Order: ...
"""

DJANGO_MODELS = """
from django.db import models

class Order(models.Model):
    orderId = models.CharField(max_length=20)
"""

DJANGO_VIEWS = """
from django.urls import path
from rest_framework import serializers
from rest_framework.generics import ListAPIView, RetrieveAPIView

from models import Order

class OrderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Order
        fields = ("orderId",)

class Orders(ListAPIView):
    queryset = Order.objects.all()
    serializer_class = OrderSerializer
    pagination_class = None

class OneOrder(RetrieveAPIView):
    queryset = Order.objects.all()
    serializer_class = OrderSerializer

urlpatterns = [
    path("orders", Orders.as_view()),
    path("orders/<str:id>", OneOrder.as_view()),
]
"""

NEST = """
import { Controller, Get, Param } from '@nestjs/common';

export class Order {
  orderId: string;
}

@Controller('orders')
export class Orders {
  @Get()
  all(): Order[] { return []; }

  @Get(':id')
  one(@Param('id') id: string): Order { return new Order(); }
}
"""

SPRING = """
import java.util.List;
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/orders")
class Orders {
  record Order(String orderId) {}

  @GetMapping
  public List<Order> all() { return List.of(); }

  @GetMapping("/{id}")
  public Order one(@PathVariable String id) { return null; }
}
"""

ASPNET = """
using Microsoft.AspNetCore.Mvc;

public class Order { public string OrderId { get; set; } = ""; }

[ApiController]
[Route("orders")]
public class OrdersController : ControllerBase
{
    [HttpGet]
    public ActionResult<List<Order>> All() => new List<Order>();

    [HttpGet("{id}")]
    public ActionResult<Order> One(string id) => new Order();
}
"""

EXPRESS = """
import express from 'express';

const app = express();
interface Order { orderId: string }

app.get('/orders', (req, res: express.Response<Order[]>) => { res.json([]); });
app.get('/orders/:id', (req, res: express.Response<Order>) => { res.json({ orderId: 'a' }); });
"""

PROGRAMS = {
    "app.py": PYTHON,
    "orders.ts": NEST,
    "Orders.java": SPRING,
    "Orders.cs": ASPNET,
    "app.ts": EXPRESS,
}


def shop(folder: Path, name: str, text: str) -> Pair:
    code = folder / "repository" / "src"
    code.mkdir(parents=True)
    (code / name).write_text(text)
    (folder / "openapi.yaml").write_text(CONTRACT)
    return Pair("shop", "", "", code, folder / "openapi.yaml", folder / "repository")


def changes(pair: Pair) -> list[Change]:
    with api.open_code(pair.source, cache=False) as code:
        return list(
            source_mutants(
                load(pair.contract),
                code.code.operations_with_answers,
                code.code,
                lambda path: (pair.source / path).read_text().splitlines(keepends=True),
                3,
                1,
            )
        )


def test_a_field_is_changed_where_it_is_declared(tmp_path: Path) -> None:
    made = {c.mutant.operator: c for c in changes(shop(tmp_path, "app.py", PYTHON))}
    assert made["rename_field"].text == PYTHON.replace("orderId: str", "orderIdRenamed: str")
    assert made["retype_field"].text == PYTHON.replace("orderId: str", "orderId: int")


def test_every_response_that_holds_the_field_has_to_be_named(tmp_path: Path) -> None:
    made = {c.mutant.operator: c for c in changes(shop(tmp_path, "app.py", PYTHON))}
    assert {(e.subject, e.fields) for e in made["retype_field"].mutant.expected} == {
        ("GET /orders", frozenset({"[].orderId"})),
        ("GET /orders/{id}", frozenset({"orderId"})),
    }


def test_a_field_whose_name_on_the_wire_is_an_alias_is_left_alone(tmp_path: Path) -> None:
    aliased = SPRING.replace("String orderId", '@JsonProperty("orderId") String orderId')
    operators = {c.mutant.operator for c in changes(shop(tmp_path, "Orders.java", aliased))}
    assert "rename_field" not in operators


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("Orders.java", SPRING, "String orderId", "OrderId orderId"),
        ("Orders.cs", ASPNET, "public string OrderId", "public OrderId OrderId"),
    ],
)
def test_the_name_of_a_field_is_changed_and_not_the_type_called_alike(
    tmp_path: Path, name: str, text: str, old: str, new: str
) -> None:
    typed = text.replace(old, new)
    made = {c.mutant.operator: c for c in changes(shop(tmp_path, name, typed))}
    assert made["rename_field"].text == typed.replace(new, new + "Renamed")


def test_what_is_made_of_a_changed_field_belongs_to_the_change(tmp_path: Path) -> None:
    copied = EXPRESS.replace(
        "res.json({ orderId: 'a' });",
        "const made: Order = load();\n  res.json({\n    owner: made.orderId,\n  });",
    ).replace("res.json([]);", "const all: Order[] = load(); res.json(all);")
    pair = shop(tmp_path, "app.ts", copied)
    owned = "orderId: { type: string }\n        owner: { type: string }"
    pair.contract.write_text(CONTRACT.replace("orderId: { type: string }", owned))
    made = {c.mutant.operator: c for c in changes(pair)}
    assert made["retype_field"].text == copied.replace("orderId: string", "orderId: number")
    assert made["retype_field"].mutant.names == {"orderId", "owner"}


def test_a_path_that_differs_in_case_alone_is_told_apart_by_nobody(tmp_path: Path) -> None:
    cased = (
        PYTHON.replace('"/orders"', '"/Orders"')
        + """

@app.get("/daily/orders")
def daily() -> list[Order]: ...
"""
    )
    made = changes(shop(tmp_path, "app.py", cased))
    deleted = {
        e.subject for c in made if c.mutant.operator == "delete_route" for e in c.mutant.expected
    }
    assert deleted == {"GET /orders/{id}"}


def test_a_deleted_route_may_show_that_others_of_its_path_are_missing(tmp_path: Path) -> None:
    made = changes(shop(tmp_path, "app.py", PYTHON))
    deleted = [c.mutant for c in made if c.mutant.operator == "delete_route"]
    assert [sorted(mutant.also) for mutant in deleted] == [
        [f"{method} {path}" for method in ("DELETE", "GET", "PATCH", "POST", "PUT")]
        for path in (mutant.expected[0].subject.removeprefix("GET ") for mutant in deleted)
    ]


def test_a_name_that_the_class_says_again_in_its_meta_is_changed_there_too(tmp_path: Path) -> None:
    declared = DJANGO_VIEWS.replace(
        "    class Meta", "    orderId = serializers.CharField()\n\n    class Meta"
    )
    pair = shop(tmp_path, "views.py", declared)
    (pair.source / "models.py").write_text(DJANGO_MODELS)
    made = {c.mutant.operator: c for c in changes(pair)}
    assert made["rename_field"].text == declared.replace("orderId", "orderIdRenamed")
    scored = score_source(pair, count=3, seed=1)
    assert scored is not None
    assert {o.verdict for o in scored.outcomes} == {"found"}


def test_a_field_that_another_file_names_is_left_alone(tmp_path: Path) -> None:
    pair = shop(tmp_path, "views.py", DJANGO_VIEWS)
    (pair.source / "models.py").write_text(DJANGO_MODELS)
    assert "rename_field" not in {c.mutant.operator for c in changes(pair)}
    (pair.source / "views.py").write_text(DJANGO_VIEWS.replace('("orderId",)', '"__all__"'))
    made = {c.mutant.operator: c for c in changes(pair)}
    assert made["rename_field"].text == DJANGO_MODELS.replace("orderId", "orderIdRenamed")


@pytest.mark.parametrize(("name", "text"), PROGRAMS.items())
def test_all_that_is_planted_in_small_programs_is_found(
    tmp_path: Path, name: str, text: str
) -> None:
    pair = shop(tmp_path, name, text)
    made = score_source(pair, count=3, seed=1)
    assert made is not None
    verdicts = {(o.operator, o.verdict) for o in made.outcomes if o.verdict != "found"}
    assert (verdicts, made.alarms) == (set(), [])
    assert made.operators["delete_route"].mutants == 2
    assert (pair.source / name).read_text() == text
