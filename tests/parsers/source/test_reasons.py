"""The texts that say why something is undetermined: they name what people see in their code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from contract_scan.api import extract
from contract_scan.reports.formats import extract_renderer

KOA = """
import Koa from "koa";
import Router from "@koa/router";
const router = new Router();
router.get("/value", ctx => { ctx.body = ctx.state.user; });
router.get("/items", ctx => { ctx.body = [...ctx.state.users]; });
new Koa().use(router.routes());
"""
HONO = """
import { Hono } from "hono";
const app = new Hono();
app.get("/result", c => c.json(c.get("user")));
export default app;
"""
HAPI = """
import Hapi from "@hapi/hapi";
const server = Hapi.server();
server.route({ method: "GET", path: "/made", handler: (request, h) => h.view("index") });
"""
JAVALIN = """
import io.javalin.Javalin;
class A {
  public static void main(String[] args) {
    Javalin.create().get("/result", ctx -> ctx.json(ctx.body()));
  }
}
"""
LIBRARY = """
import io.javalin.Javalin;
import com.example.Users;
class A {
  public static void main(String[] args) {
    Javalin.create().get("/result", ctx -> ctx.json(Users.first()));
  }
}
"""


@pytest.mark.parametrize(
    ("file", "code", "reasons"),
    [
        (
            "app.ts",
            KOA,
            {
                "the value of `context.state.user` comes from the framework",
                "the items of `context.state.users` come from the framework",
            },
        ),
        ("app.ts", HONO, {"the result of `context.get` comes from the framework"}),
        ("app.ts", HAPI, set()),
        ("A.java", JAVALIN, {"the result of `request.body` comes from the framework"}),
        ("A.java", LIBRARY, {"the result of `com.example.Users.first` comes from a library"}),
    ],
)
def test_what_a_framework_hands_to_a_handler_is_named_without_internal_markers(
    tmp_path: Path, file: str, code: str, reasons: set[str]
) -> None:
    (tmp_path / file).write_text(code)
    document = "".join(extract_renderer("json")(extract(tmp_path, cache=False)))
    assert set(re.findall(r"[^\"]* comes? from [^\"]*", document)) == reasons
    assert "`<" not in json.dumps(json.loads(document))
