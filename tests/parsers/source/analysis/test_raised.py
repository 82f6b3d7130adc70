"""Errors that handlers raise themselves, as statuses of their operations, in every language."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.api import extract

FASTAPI = """
    import fastapi
    from fastapi import FastAPI, HTTPException, status
    from starlette.exceptions import HTTPException as Raised

    app = FastAPI()

    def refuse():
        raise HTTPException(400)

    @app.get("/named")
    def named(a: int) -> int:
        if a == 1:
            raise HTTPException(status_code=404, detail="missing")
        for b in range(a):
            raise fastapi.HTTPException(status.HTTP_409_CONFLICT)
        raise Raised(410)

    @app.get("/caught")
    def caught(a: int) -> int:
        try:
            if a:
                raise HTTPException(404)
        except ValueError:
            raise HTTPException(422)
        finally:
            done()
        return a

    @app.get("/elsewhere")
    def elsewhere(a: int, code: int) -> int:
        refuse()
        raise HTTPException(code)

    @app.get("/listed", responses={404: {"model": dict}, 409: {"model": dict}})
    def listed(a: int) -> int:
        raise HTTPException(404)
    """
FLASK = """
    import flask
    from flask import Flask, abort
    from werkzeug.exceptions import Conflict, NotFound

    app = Flask(__name__)

    @app.get("/named")
    def named():
        if flask.request.args:
            abort(404)
        if flask.request.data:
            raise Conflict("taken")
        flask.abort(410, "gone")
        return {}

    @app.get("/bare")
    def bare():
        raise NotFound

    @app.get("/made")
    def made():
        abort(flask.make_response("no"))
        return {}
    """
NEST = """
    import { ConflictException, Controller, Get, Param } from "@nestjs/common";
    import { HttpException, HttpStatus } from "@nestjs/common";

    @Controller()
    export class Orders {
      @Get("named")
      named(@Param("id") id: string): string {
        if (id) throw new ConflictException("taken");
        if (!id) { throw new HttpException("gone", HttpStatus.GONE); }
        throw new Error("a server's own");
      }

      @Get("inside")
      inside(): string[] {
        return ["a"].map((each) => { throw new ConflictException(each); });
      }

      @Get("computed")
      computed(@Param("code") code: number): string {
        throw new HttpException("any", code);
      }
    }
    """
SPRING = """
    import org.springframework.http.HttpStatus;
    import org.springframework.web.bind.annotation.*;
    import org.springframework.web.server.ResponseStatusException;

    @ResponseStatus(HttpStatus.CONFLICT)
    class Taken extends RuntimeException {}

    class Other extends RuntimeException {}

    @RestController
    class Orders {
      @GetMapping("/named")
      String named(String id) {
        if (id == null) throw new ResponseStatusException(HttpStatus.NOT_FOUND, "missing");
        if (id.isEmpty()) throw new Taken();
        throw new Other();
      }

      @GetMapping("/caught")
      String caught(String id) {
        try {
          throw new Taken();
        } catch (Taken taken) {
          throw new ResponseStatusException(HttpStatus.GONE);
        }
      }
    }
    """
JAXRS = """
    import jakarta.ws.rs.*;
    import jakarta.ws.rs.core.Response;

    @Path("/")
    class Orders {
      @GET @Path("named")
      public String named(String id) {
        if (id == null) throw new NotFoundException();
        if (id.isEmpty()) throw new WebApplicationException(Response.Status.CONFLICT);
        throw new WebApplicationException("gone", 410);
      }
    }
    """


def errors(root: Path, file: str, source: str) -> dict[str, list[str]]:
    """Path of each route with the error statuses that it sends itself."""
    (root / file).write_text(dedent(source))
    return {
        operation.path: [
            response.status
            for response in operation.responses
            if response.status[0] in "45" and response.explicit_status and not response.documented
        ]
        for operation in extract(root, cache=False).endpoints
    }


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        (
            "app.py",
            FASTAPI,
            {
                "/named": ["404", "409", "410"],
                "/caught": ["422"],
                "/elsewhere": [],
                "/listed": ["404"],
            },
        ),
        ("app.py", FLASK, {"/named": ["404", "409", "410"], "/bare": ["404"], "/made": []}),
        ("orders.ts", NEST, {"/named": ["409", "410"], "/inside": [], "/computed": []}),
        ("Orders.java", SPRING, {"/named": ["404", "409"], "/caught": ["410"]}),
        ("Orders.java", JAXRS, {"/named": ["404", "409", "410"]}),
    ],
)
def test_statuses_of_exceptions(
    tmp_path: Path, file: str, source: str, expected: dict[str, list[str]]
) -> None:
    assert errors(tmp_path, file, source) == expected


@pytest.mark.parametrize(
    ("file", "source", "handler"),
    [
        (
            "app.py",
            FASTAPI,
            """
            @app.exception_handler(HTTPException)
            def answer(request, error): ...
            """,
        ),
        (
            "orders.ts",
            NEST,
            """
            @Catch()
            export class Every { catch(error: unknown) {} }
            """,
        ),
        (
            "Orders.java",
            JAXRS,
            """
            class Mapper implements ExceptionMapper<WebApplicationException> {}
            """,
        ),
    ],
)
def test_where_the_project_answers_exceptions_itself_no_status_is_told(
    tmp_path: Path, file: str, source: str, handler: str
) -> None:
    found = errors(tmp_path, file, dedent(source) + dedent(handler))
    assert set(map(tuple, found.values())) == {()}
