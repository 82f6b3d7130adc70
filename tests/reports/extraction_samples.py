"""What code may have, made by hand: every sort of schema, route and event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)


@dataclass(frozen=True)
class Names:
    """A resolver made of a table."""

    schemas: Mapping[str, Schema]

    def resolve(self, reference: Reference) -> Schema:
        return self.schemas[reference.key]


@dataclass(frozen=True)
class Code:
    endpoints: tuple[Operation, ...] = ()
    models: tuple[Model, ...] = ()
    events: tuple[EventUse, ...] = ()
    resolver: Names = Names({})
    problems: tuple[NotAnalysed, ...] = ()


STRING = Scalar(type="string")
ORDER = Object(
    name="Order",
    fields=(
        Field(name="id", schema=Scalar(type="string", format="uuid")),
        Field(name="total", schema=Scalar(type="numeric")),
        Field(name="state", schema=Scalar(type="string", values=("open", "paid")), required=None),
        Field(name="note", schema=Scalar(type="string", nullable=True), required=False),
        Field(name="tags", schema=Array(items=STRING)),
        Field(name="extra", schema=Unknown(reason="declared as any")),
    ),
)
TREE = Object(
    name="Tree",
    fields=(Field(name="children", schema=Array(items=Reference(key="py:Tree"))),),
)
NAMES = Names({"py:Order": ORDER, "py:Tree": TREE, "ts:Order": Object(name="Order")})


def place(line: int) -> Origin:
    return Origin("src/app.py", Span(line, 1, line, 2))


GET_ORDER = Operation(
    method="GET",
    path="/orders/{order_id}",
    parameters=(
        Parameter(name="order_id", location="path", schema=STRING, required=True),
        Parameter(
            name="expand",
            location="query",
            schema=Scalar(type="string", nullable=True),
            required=False,
        ),
        Parameter(name="trace", location="header", schema=Anything()),
    ),
    responses=(
        Response(status="200", bodies=(Body(schema=Reference(key="py:Order")),)),
        Response(status="404"),
    ),
    operation_id="getOrder",
    handler="get_order",
    framework="FastAPI",
    origin=place(10),
)
PUT_ORDER = Operation(
    method="PUT",
    path="/orders/{id}",
    parameters=(Parameter(name="id", location="path", schema=STRING, required=True),),
    request=(Body(schema=Reference(key="py:Order"), required=True),),
    responses=(
        Response(status="200", bodies=(Body(schema=STRING),)),
        Response(status="200", bodies=(Body(schema=Nothing(nullable=True)),)),
    ),
    handler="put_order",
    framework="FastAPI",
    origin=place(20),
)
FILES = Operation(method="*", path="/files/{path*}", handler="files", origin=place(30))
COMPUTED = Operation(
    method="GET", path="/", unresolved="the path is computed at run time", origin=place(40)
)
SECOND = Operation(method="GET", path="/orders/{x}", handler="again", origin=place(50))

SENT = EventUse(
    direction="send",
    address="order.placed/v1",
    payload=Reference(key="py:Order"),
    message="Order",
    framework="aiokafka",
    origin=place(60),
)
DYNAMIC_SEGMENT = EventUse(
    direction="receive",
    address="",
    payload=Unknown(reason="no handler"),
    unresolved="the topic is computed at run time",
    origin=place(70),
)

CODE = Code(
    endpoints=(COMPUTED, SECOND, FILES, PUT_ORDER, GET_ORDER),
    models=(
        Model(name="Order", schema=ORDER, language="python", kind="pydantic", origin=place(1)),
        Model(name="Order", schema=Reference(key="ts:Order"), language="typescript"),
        Model(name="Tree", schema=Reference(key="py:Tree"), language="python", origin=place(5)),
    ),
    events=(DYNAMIC_SEGMENT, SENT),
    resolver=NAMES,
    problems=(NotAnalysed(path="src/broken.py", reason="cannot be parsed", line=3, fatal=False),),
)

ALL_SORTS: tuple[Schema, ...] = (
    Union(options=(STRING, Scalar(type="integer")), exclusive=True, nullable=True),
    Union(options=(Reference(key="py:Order"), ORDER), discriminator="state"),
    Object(additional=Scalar(type="integer")),
    Object(additional=Nothing(), incomplete_reason="spread of something unknown"),
    Array(items=STRING, prefix=(STRING, Scalar(type="boolean")), nullable=True),
    Scalar(type="string", values=("a", 1, 1.5, True, None, float("nan")), nullable=True),
    Scalar(type="integer", nullable=None),
    Reference(key="py:Tree", nullable=True),
    Nothing(),
    Anything(),
)
