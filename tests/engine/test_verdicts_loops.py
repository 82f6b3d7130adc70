"""Items of loops, as the tests in the body of the loop leave them, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import judged

ITEMS = "{type: array, items: {type: object, properties: {k: {type: integer}}}}"
PATHS = "".join(
    f"{path}: {{get: {{responses: {{'200': {{description: ok, "
    f"content: {{application/json: {{schema: {ITEMS}}}}}}}}}}}}}\n"
    for path in ("/skipped", "/asked", "/all")
)
PROGRAMS = {
    "app.py": """
        from typing import Optional, TypedDict
        from flask import Flask, jsonify
        app = Flask(__name__)
        class A(TypedDict):
            k: int
        def pairs() -> list[tuple[Optional[A], int]]: ...
        @app.get("/skipped")
        def skipped():
            found = []
            for one, number in pairs():
                if one is None:
                    continue
                if number:
                    one["k"] = 1
                found.append(one)
            return jsonify(found)
        @app.get("/asked")
        def asked():
            found = []
            for one, _ in pairs():
                if one is not None:
                    found.append(one)
            return jsonify(found)
        @app.get("/all")
        def all_of_them():
            found = []
            for one, _ in pairs():
                found.append(one)
            return jsonify(found)
        """,
    "app.ts": """
        import express from "express";
        const app = express();
        type A = { k: number };
        declare function items(): (A | null)[];
        app.get("/skipped", (req, res) => {
          const found = [];
          for (const one of items()) {
            if (one === null) continue;
            found.push(one);
          }
          res.json(found);
        });
        app.get("/asked", (req, res) => {
          const found = [];
          for (const one of items()) {
            if (one) found.push(one);
          }
          res.json(found);
        });
        app.get("/all", (req, res) => {
          const found = [];
          for (const one of items()) found.push(one);
          res.json(found);
        });
        """,
    "A.cs": """
        #nullable enable
        using System.Collections.Generic;
        using Microsoft.AspNetCore.Mvc;
        public record A(int K);
        [ApiController]
        public class AsController : ControllerBase {
          private static List<A?> Items() => Store.Load();
          [HttpGet("/skipped")] public IActionResult Skipped() {
            var found = new List<object>();
            foreach (var one in Items()) {
              if (one == null) continue;
              found.Add(one);
            }
            return Ok(found);
          }
          [HttpGet("/asked")] public IActionResult Asked() {
            var found = new List<object>();
            foreach (var one in Items()) {
              if (one != null) { found.Add(one); }
            }
            return Ok(found);
          }
          [HttpGet("/all")] public IActionResult All() {
            var found = new List<object>();
            foreach (var one in Items()) { found.Add(one); }
            return Ok(found);
          }
        }
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_items_that_are_null_are_skipped(tmp_path: Path, name: str) -> None:
    found = judged(tmp_path, {name: PROGRAMS[name]}, PATHS)
    assert found.findings == ["GET /all nullable: []"]
    assert found.verified == 2
