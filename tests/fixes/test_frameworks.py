"""Fixes of what frameworks and libraries declare in their own ways, made by the real command."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.cli.main import main
from contract_scan.fixes.parsing import parse_of
from tests.fixes.projects import NAMES, contract, csharp, java, request_contract, write
from tests.fixes.test_languages import ID_ONLY, JSON, VALUES, schema

TEXT_OR_NULL = schema(type=["string", "null"])
MAY_BE_ABSENT = {**TEXT_OR_NULL, "required": ["id"]}
CREATED = contract(ID_ONLY, "201", "post")
PARAMETER = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
GONE = {
    **CREATED,
    "paths": {
        "/orders/{id}": {
            "delete": {"parameters": [PARAMETER], "responses": {"204": {"description": "gone"}}}
        }
    },
}


def flask(answer: str) -> str:
    return f"""\
from http import HTTPStatus

from flask import Flask, jsonify

app = Flask(__name__)


@app.post("/orders/<id>")
def create(id: str):
    return {answer}
"""


def django(answer: str) -> str:
    return f"""\
from django.http import JsonResponse
from django.urls import path
from django.views.decorators.http import require_POST


@require_POST
def create(request, id):
    return {answer}


urlpatterns = [path("orders/<str:id>", create)]
"""


def rest_framework(answer: str) -> str:
    return f"""\
from django.urls import path
from rest_framework import status
from rest_framework.decorators import api_view
from rest_framework.response import Response


@api_view(["POST"])
def create(request, id):
    return {answer}


urlpatterns = [path("orders/<str:id>", create)]
"""


def marshmallow(state: str) -> str:
    return f"""\
from flask import Flask
from marshmallow import Schema, fields, validate

app = Flask(__name__)


class OrderSchema(Schema):
    id = fields.Str(required=True)
{state}

@app.get("/orders/<id>")
def get(id: str):
    return OrderSchema().dump(load(id))
"""


def serializer(state: str, *, reads: bool = False) -> str:
    view = (
        """\
@api_view(["POST"])
def take(request):
    serializer = OrderSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    return Response(status=204)


urlpatterns = [path("orders", take)]
"""
        if reads
        else """\
@api_view(["GET"])
def get(request, id):
    return Response(OrderSerializer(load(id)).data)


urlpatterns = [path("orders/<str:id>", get)]
"""
    )
    return f"""\
from django.urls import path
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response


class OrderSerializer(serializers.Serializer):
    id = serializers.CharField()
{state}

{view}"""


def zod(state: str) -> str:
    return f"""\
import express from "express";
import {{ z }} from "zod";

const app = express();
const Order = z.object({{
  id: z.string(),
  state: {state}, // of the order
}});

app.post("/orders", (req, res) => {{
  const order = Order.parse(req.body);
  res.status(204).end();
}});
"""


def express(answer: str, method: str = "post") -> str:
    return f"""\
import express from "express";

const app = express();

app.{method}("/orders/:id", (req, res) => {{
  {answer}
}});
"""


NULLNESS = """\
import com.fasterxml.jackson.annotation.JsonInclude;
import jakarta.annotation.Nullable;
"""


def validated(state: str) -> str:
    source = java(f"String id, {state}", mapping="@PostMapping")
    return source.replace(
        "public Order find(@PathVariable String id) {\n        return store.find(id);",
        "@ResponseStatus(HttpStatus.NO_CONTENT)\n"
        "    public void take(@Valid @RequestBody Order order) {\n        store.put(order);",
    ).replace(
        "import org",
        "import jakarta.validation.Valid;\nimport jakarta.validation.constraints.*;\nimport org",
        1,
    )


def nullable(components: str) -> str:
    return java(components).replace("import org", f"{NULLNESS}import org", 1)


def controller(answer: str) -> str:
    return (
        csharp("    public string Id { get; init; }")
        .replace('HttpGet("{id}")', 'HttpPost("{id}")')
        .replace("_orders.Find(id)", answer)
    )


MINIMAL = """\
using Microsoft.AspNetCore.Builder;

var app = WebApplication.Create();
app.MapPost("/orders/{id}", (string id) => Results.Ok(new Order(id)));
app.Run();

public record Order(string Id);
"""

SAFE: dict[str, tuple[str, str, Any, str, str]] = {
    "flask: a number": ("python", flask('{"id": id}, 200'), CREATED, "}, 200", "}, 201"),
    "flask: a constant": (
        "python",
        flask('jsonify({"id": id}), HTTPStatus.OK'),
        CREATED,
        "HTTPStatus.OK",
        "HTTPStatus.CREATED",
    ),
    "flask: a dictionary alone": ("python", flask('{"id": id}'), CREATED, "id}", "id}, 201"),
    "flask: jsonify alone": (
        "python",
        flask('jsonify({"id": id})'),
        CREATED,
        'jsonify({"id": id})',
        'jsonify({"id": id}), 201',
    ),
    "django: none": (
        "python",
        django('JsonResponse({"id": id})'),
        CREATED,
        '"id": id})',
        '"id": id}, status=201)',
    ),
    "django: a number": (
        "python",
        django('JsonResponse({"id": id}, status=202)'),
        CREATED,
        "202",
        "201",
    ),
    "rest_framework: a constant": (
        "python",
        rest_framework('Response({"id": id}, status=status.HTTP_200_OK)'),
        CREATED,
        "HTTP_200_OK",
        "HTTP_201_CREATED",
    ),
    "rest_framework: by its place": (
        "python",
        rest_framework('Response({"id": id}, 202)'),
        CREATED,
        "202",
        "201",
    ),
    "rest_framework: none": (
        "python",
        rest_framework('Response({"id": id})'),
        CREATED,
        '"id": id})',
        '"id": id}, status=201)',
    ),
    "express: sendStatus": (
        "typescript",
        express("res.sendStatus(200);", "delete"),
        GONE,
        "200",
        "204",
    ),
    "express: an answer without a body": (
        "typescript",
        express("res.status(200).end();", "delete"),
        GONE,
        "200",
        "204",
    ),
    "express: nothing said": (
        "typescript",
        express("res.end();", "delete"),
        GONE,
        "res.end",
        "res.status(204).end",
    ),
    "express: a constant": (
        "typescript",
        express("return res.status(StatusCodes.OK).json({ id: req.params.id });"),
        CREATED,
        "StatusCodes.OK",
        "StatusCodes.CREATED",
    ),
    "asp.net: a body": (
        "csharp",
        controller("Ok(_orders.Find(id))"),
        CREATED,
        "Ok(_o",
        "StatusCode(201, _o",
    ),
    "asp.net: a number": (
        "csharp",
        controller("StatusCode(202, _orders.Find(id))"),
        CREATED,
        "202",
        "201",
    ),
    "asp.net: a minimal endpoint": (
        "csharp",
        MINIMAL,
        CREATED,
        "Results.Ok(new Order(id))",
        "Results.Json(new Order(id), statusCode: 201)",
    ),
}
UNSAFE: dict[str, tuple[str, str, Any, str, str]] = {
    "marshmallow: a type": (
        "python",
        marshmallow("    state = fields.Int(required=True)\n"),
        contract(schema(type="string")),
        "fields.Int(",
        "fields.String(",
    ),
    "marshmallow: values": (
        "python",
        marshmallow('    state = fields.Str(validate=validate.OneOf(["new", "gone", "paid"]))\n'),
        contract(schema(**VALUES)),
        '["new", "gone", "paid"]',
        '["new", "paid", "sent"]',
    ),
    "marshmallow: a field": (
        "python",
        marshmallow(""),
        contract(schema(type=["integer", "null"])),
        "Str(required=True)\n",
        "Str(required=True)\n    state = fields.Integer(allow_none=True)\n",
    ),
    "rest_framework: a type": (
        "python",
        serializer('    state = serializers.IntegerField(help_text="of it")\n'),
        contract(schema(type="string", format="uuid")),
        "IntegerField",
        "UUIDField",
    ),
    "rest_framework: null": (
        "python",
        serializer("    state = serializers.CharField(allow_null=True)\n"),
        contract(schema(type="string")),
        "allow_null=True",
        "allow_null=False",
    ),
    "rest_framework: values": (
        "python",
        serializer("    state = serializers.ChoiceField(['new', 'gone'])\n"),
        contract(schema(**VALUES)),
        "['new', 'gone']",
        "['new', 'paid', 'sent']",
    ),
    "rest_framework: a field": (
        "python",
        serializer(""),
        contract(schema(type="boolean")),
        "CharField()\n",
        "CharField()\n    state = serializers.BooleanField()\n",
    ),
    "rest_framework: absent and null": (
        "python",
        serializer("    state = serializers.CharField()\n", reads=True),
        request_contract(MAY_BE_ABSENT),
        "state = serializers.CharField()",
        "state = serializers.CharField(allow_null=True, required=False)",
    ),
    "rest_framework: a field that is read": (
        "python",
        serializer("", reads=True),
        request_contract(schema(type="integer")),
        "CharField()\n",
        "CharField()\n    state = serializers.IntegerField(required=False)\n",
    ),
    "zod: absent and null": (
        "typescript",
        zod("z.string()"),
        request_contract(MAY_BE_ABSENT),
        "state: z.string()",
        "state: z.string().nullable().optional()",
    ),
    "zod: null": (
        "typescript",
        zod("z.string().min(1)"),
        request_contract(TEXT_OR_NULL),
        ".min(1)",
        ".min(1).nullable()",
    ),
    "zod: a type": (
        "typescript",
        zod("z.number().nullable()"),
        request_contract(TEXT_OR_NULL),
        "z.number()",
        "z.string()",
    ),
    "zod: values": (
        "typescript",
        zod("z.enum(['new', 'paid'])"),
        request_contract(schema(**VALUES)),
        "['new', 'paid']",
        "['new', 'paid', 'sent']",
    ),
    "java: a member that must be given": (
        "java",
        validated("@NotBlank String state"),
        request_contract(MAY_BE_ABSENT),
        "@NotBlank String",
        "String",
    ),
    "java: null": (
        "java",
        nullable("String id, @Nullable String state"),
        contract(schema(type="string")),
        "@Nullable String",
        "String",
    ),
    "java: a member that is left out where it is null": (
        "java",
        nullable("String id, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String state"),
        contract(TEXT_OR_NULL),
        "NON_NULL",
        "ALWAYS",
    ),
    "java: a class whose members are": (
        "java",
        nullable("String id, @Nullable String state").replace(
            "record", "@JsonInclude(JsonInclude.Include.NON_NULL)\nrecord"
        ),
        contract({**TEXT_OR_NULL, "required": ["state"]}),
        "@Nullable String",
        "@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String",
    ),
    "c#: a member that is left out where it is null": (
        "csharp",
        csharp(
            "    public string Id { get; init; }\n"
            "    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]\n"
            "    public string? State { get; init; }",
            head=JSON,
        ),
        contract(TEXT_OR_NULL),
        "WhenWritingNull",
        "Never",
    ),
}


NO_VIOLATION = (0, 2)
"""Nothing is left broken; 2 where the names of libraries keep the rest from being verified."""


def assert_fixed(
    folder: Path, case: tuple[str, str, Any, str, str], options: list[str], head: str, end: str
) -> None:
    language, source, document, old, new = case
    assert source.count(old) == 1
    before, wanted = (
        f"{head}{text}".replace("\n", end).encode() for text in (source, source.replace(old, new))
    )
    file = write(folder, NAMES[language], "", document)
    file.write_bytes(before)
    command = ["check", str(folder), "--isolated", "--no-cache", "--fix", "--quiet", *options]
    assert main(command) in NO_VIOLATION
    assert file.read_bytes() == wanted
    assert not parse_of(file.name)(wanted).has_error
    assert main(command) in NO_VIOLATION
    assert file.read_bytes() == wanted


@pytest.mark.parametrize("what", SAFE)
def test_a_safe_fix(what: str, tmp_path: Path) -> None:
    assert_fixed(tmp_path / "p", SAFE[what], [], "", "\n")


@pytest.mark.parametrize("what", UNSAFE)
def test_an_unsafe_fix(what: str, tmp_path: Path) -> None:
    assert_fixed(tmp_path / "p", UNSAFE[what], ["--unsafe-fixes"], "", "\n")


@pytest.mark.parametrize("what", UNSAFE)
def test_an_unsafe_fix_is_not_made_unasked(what: str, tmp_path: Path) -> None:
    language, source, document, _, _ = UNSAFE[what]
    file = write(tmp_path / "p", NAMES[language], source, document)
    main(["check", str(tmp_path / "p"), "--isolated", "--no-cache", "--fix", "--quiet"])
    assert file.read_bytes() == source.encode()


@given(
    what=st.sampled_from([*SAFE, *UNSAFE]),
    noise=st.lists(st.text("abZ 09_é日𝒳'\"`{}()<>;,@$-", max_size=10), max_size=3),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=25, deadline=None)
def test_whatever_stands_above(what: str, noise: list[str], end: str) -> None:
    case = SAFE[what] if what in SAFE else UNSAFE[what]
    mark = "#" if case[0] == "python" else "//"
    head = "".join(f"{mark} {line}\n" for line in noise)
    with tempfile.TemporaryDirectory() as folder:
        assert_fixed(Path(folder) / "p", case, ["--unsafe-fixes"], head, end)


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", flask("load(id)")),
        ("python", flask("jsonify({}), STATUS")),
        ("python", django("answer(id)")),
        ("python", rest_framework('Response({"id": id}, **options)')),
        ("typescript", express("res.status(code()).json({});")),
        ("csharp", controller("TypedResults.Ok(_orders.Find(id))")),
    ],
)
def test_a_status_that_is_written_otherwise_is_left_alone(
    tmp_path: Path, language: str, source: str
) -> None:
    file = write(tmp_path / "p", NAMES[language], source, CREATED)
    main(["check", str(tmp_path / "p"), "--isolated", "--no-cache", "--fix", "--quiet"])
    assert file.read_bytes() == source.encode()
