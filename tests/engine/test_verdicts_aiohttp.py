"""aiohttp programs beside their contracts: helpers that dump what is sent, and parse bodies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import Judged, judged

REQUIREMENTS = {"requirements.txt": "aiohttp==3.9.5\npydantic==2.7.1\n"}
FERRY = """
    %s:
      get:
        responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
          required: [cars], properties: {cars: {type: %s}}}}}}}
"""


@pytest.mark.parametrize(
    "sent",
    [
        "text=dumped(ferry.model_dump())",
        "text=json.dumps(ferry.model_dump())",
        "text=ferry.model_dump_json()",
        "body=dumped(ferry.model_dump()).encode()",
        "body=twice(ferry)",
        "text=text",
    ],
)
def test_the_text_of_a_response_is_the_json_of_what_is_dumped(tmp_path: Path, sent: str) -> None:
    source = f"""
import json
from typing import Any
from aiohttp import web
from pydantic import BaseModel

class Ferry(BaseModel):
    cars: int

def dumped(value: Any) -> str:
    return json.dumps(value)

def twice(model: Any) -> bytes:
    written = dumped(model.model_dump())
    return written.encode("utf-8")

async def ferry(request: web.Request) -> web.Response:
    ferry = Ferry(cars=40)
    text = dumped(ferry.model_dump())
    return web.Response({sent}, content_type="application/json")

app = web.Application()
app.router.add_get("/ferries", ferry)
app.router.add_get("/ferries/old", ferry)
"""
    paths = FERRY % ("/ferries", "integer") + FERRY % ("/ferries/old", "string")
    found = judged(tmp_path, {**REQUIREMENTS, "app.py": source}, paths)
    assert found == Judged(["GET /ferries/old type: cars"], [], 1)


HIVE = """
    /hives:
      post:
        requestBody: {required: true, content: {application/json: {schema: {type: object,
          required: [bees], properties: {bees: {type: %s}}}}}}
        responses: {'204': {description: ok}}
"""
HELPERS = """
async def parse_as(model: type[M], request: web.Request) -> M:
    if not request.can_read_body:
        body = {}
    else:
        body = await request.json()
    if hasattr(model, "model_validate"):
        return model.model_validate(body)
    return TypeAdapter(model).validate_python(body)

async def validated(request, cls):
    return cls.model_validate(await request.json())

async def outer(request, kind):
    return await validated(request, kind)

async def by_keyword(*, request, schema):
    data = await request.json()
    return schema.model_validate(data)

class Parser:
    async def parse(self, request, model):
        return model(**(await request.json()))
"""


@pytest.mark.parametrize(
    "parse",
    [
        "await parse_as(Hive, request)",
        "await validated(request, Hive)",
        "await outer(request, Hive)",
        "await by_keyword(request=request, schema=Hive)",
        "await Parser().parse(request, Hive)",
    ],
)
def test_the_class_that_a_helper_is_handed_is_what_the_body_is_read_as(
    tmp_path: Path, parse: str
) -> None:
    source = f"""
from typing import TypeVar
from aiohttp import web
from pydantic import BaseModel, TypeAdapter

M = TypeVar("M", bound=BaseModel)

class Hive(BaseModel):
    bees: int
{HELPERS}
async def hive(request: web.Request) -> web.Response:
    body = {parse}
    return web.Response(status=204)

app = web.Application()
app.router.add_post("/hives", hive)
"""
    files = {**REQUIREMENTS, "app.py": source}
    assert judged(tmp_path / "a", files, HIVE % "integer") == Judged([], [], 1)
    guilty = judged(tmp_path / "b", files, HIVE % "string")
    assert guilty.findings == ["POST /hives type: bees"]


def test_a_helper_that_reads_the_query_reads_no_body(tmp_path: Path) -> None:
    source = """
from aiohttp import web
from pydantic import BaseModel

class Hive(BaseModel):
    bees: int

def remember(request, model):
    model.model_validate(request.query)

async def hive(request: web.Request) -> web.Response:
    remember(request, Hive)
    return web.Response(status=204)

app = web.Application()
app.router.add_post("/hives", hive)
"""
    found = judged(tmp_path, {**REQUIREMENTS, "app.py": source}, HIVE % "string")
    assert found.findings == ["POST /hives parameter: bees", "POST /hives shape (warning)"]
    assert found.undetermined == []
