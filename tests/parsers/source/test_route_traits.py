"""What the routes of each library are like, as the comparison reads it off an operation."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.api import extract
from contract_scan.ir.operation import RouteTraits
from contract_scan.parsers.source.languages import LANGUAGES, load

NEUTRAL = RouteTraits()


def traits(*true: str) -> RouteTraits:
    return RouteTraits(**dict.fromkeys(true, True))


DOTNET = ("names_case_insensitive", "enum_values_case_insensitive")
ASPNET = (
    *DOTNET,
    "paths_case_insensitive",
    "paths_named_after_types",
    "form_fields_as_query",
    "json_only",
)


def test_the_traits_of_every_library() -> None:
    stated = {
        framework.name: framework.traits
        for language in LANGUAGES
        for framework in load(language).frameworks
        if framework.traits != NEUTRAL
    }
    assert stated == {
        "ASP.NET Core controllers": traits(*ASPNET, "all_json_types_alike"),
        "ASP.NET Core minimal APIs": traits(*ASPNET),
        "ASP.NET Web API 2 and MVC 5": traits(*ASPNET),
        "Azure Functions": traits(*DOTNET),
        "BlackSheep": traits("paths_case_insensitive"),
        "Bottle": traits("form_fields_as_query"),
        "Carter": traits(*DOTNET),
        "EmbedIO": traits(*DOTNET),
        "Express": traits("paths_case_insensitive", "query_brackets"),
        "FastAPI": traits("json_only"),
        "FastEndpoints": traits(*DOTNET),
        "HttpListener": traits(*DOTNET),
        "Menes": traits(*DOTNET),
        "NestJS": traits("paths_case_insensitive", "query_brackets"),
        "Pyramid": traits("form_fields_as_query"),
        "ServiceStack": traits(*DOTNET),
        "Servlets": traits("form_fields_as_query"),
        "Spring MVC": traits("form_fields_as_query", "json_only"),
        "Vert.x Web": traits("names_case_insensitive"),
        "Wolverine": traits(*DOTNET),
    }


EXPRESS = """
import express from "express";
const app = express();
app.get("/a", (req, res) => res.json({ id: 1 }));
"""
FASTAPI = """
from fastapi import FastAPI

app = FastAPI()

@app.get("/a")
def read() -> dict[str, int]:
    return {"id": 1}
"""
FLASK = """
from flask import Flask

app = Flask(__name__)

@app.get("/a")
def read():
    return {"id": 1}
"""
CONTROLLER = """
using Microsoft.AspNetCore.Mvc;

[ApiController]
[Route("a")]
public class OrdersController : ControllerBase
{
    [HttpGet]
    public string Read() => "x";
}
"""
SPRING = """
import org.springframework.web.bind.annotation.*;

@RestController
class Orders {
    @GetMapping("/a")
    String read() { return "x"; }
}
"""


@pytest.mark.parametrize(
    ("file", "code", "expected"),
    [
        ("app.ts", EXPRESS, traits("paths_case_insensitive", "query_brackets")),
        ("app.py", FASTAPI, traits("json_only")),
        ("app.py", FLASK, NEUTRAL),
        ("Orders.cs", CONTROLLER, traits(*ASPNET, "all_json_types_alike")),
        ("Orders.java", SPRING, traits("form_fields_as_query", "json_only")),
    ],
)
def test_a_route_has_the_traits_of_its_library(
    tmp_path: Path, file: str, code: str, expected: RouteTraits
) -> None:
    (tmp_path / file).write_text(code)
    found = extract(tmp_path, cache=False).endpoints
    assert [(route.path, route.traits) for route in found] == [("/a", expected)]
