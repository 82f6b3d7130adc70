"""Oak routes: routers from a module by address, what handlers set and read."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_routers_and_what_handlers_set(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "deps.ts": """
                export { Application, Router } from "https://deno.land/x/oak@v12.6.1/mod.ts";
            """,
            "main.ts": """
                import { Application, Router } from "./deps.ts";
                import { users } from "./users.ts";
                const app = new Application();
                const router = new Router();
                router
                  .get("/", (ctx) => { ctx.response.body = "hello"; })
                  .get("/items/:id?", ({ response, params }) => {
                    if (!params.id) {
                      response.status = 404;
                      response.body = { msg: "no" };
                      return;
                    }
                    response.body = { id: params.id };
                  })
                  .post("/items", async (ctx) => {
                    const body = ctx.request.body();
                    const item: Item = await body.value;
                    ctx.response.status = 201;
                    ctx.response.body = kept(item);
                  })
                  .put("/new", async ({ request, response }) => {
                    const page = request.url.searchParams.get("page");
                    response.body = save(await request.body.json());
                  });
                router.use("/api", users.routes(), users.allowedMethods());
                app.use(router.routes());
                interface Item { id: number; name?: string }
                function kept(item: Item): Item { return load(item); }
                function save(item: Item): Item { return item; }
            """,
            "users.ts": """
                import { Router } from "jsr:@oak/oak@17";
                export const users = new Router({ prefix: "/users" });
                users.delete("/:id", (ctx) => { ctx.response.status = 204; });
            """,
        },
    )
    item = "{id: numeric, name~: string}"  # `load` is a library's: nobody checks that it omits it
    assert project.routes() == {
        "GET /",
        "GET /items",
        "GET /items/{id}",
        "POST /items",
        "PUT /new",
        "DELETE /api/users/{id}",
    }
    assert project.responses("GET /") == {"200*": "'hello' (text/plain)"}
    assert project.responses("GET /items") == {"404": "{msg: 'no'}"}
    assert project.responses("GET /items/{id}") == {"200*": "{id: string}"}
    assert project.responses("POST /items") == {"201": item}
    lenient = "{id=: numeric, name?=: string}"
    assert project.request("POST /items") == lenient
    assert project.request("PUT /new") == lenient
    assert {p.name for p in project.operation("PUT /new").parameters} == {"page"}
    assert project.responses("DELETE /api/users/{id}") == {"204": ""}


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "main.ts": """
                import { Application, Router } from "@oak/oak";
                const app = new Application();
                const lost = new Router();
                lost.get("/lost", (ctx) => { ctx.response.body = 1; });
                const router = new Router({ prefix: Deno.env.get("PREFIX") });
                router.get("/x", (ctx) => { ctx.response.body = 1; });
                app.use(router.routes());
                api.get("/no", () => 1);
            """
        },
    )
    assert project.routes() == {
        "GET /{computed}/lost <the router is mounted by no application that can be seen>",
        "GET /{computed}/x <the prefix is not constant>",
    }
