"""Controllers of tsoa."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_paths_of_controllers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "tsoa.json": '{"routes": {"basePath": "/v1"}}',
            "paths.ts": "export const USERS = 'users';",
            "a.ts": """
                import { Controller, Delete, Get, Hidden, Post, Route } from 'tsoa';
                import { USERS } from './paths';
                @Route(USERS)
                export class UsersController extends Controller {
                  @Get() list(): string[] { return []; }
                  @Get('{userId}/posts/{postId}') posts(userId: number, postId: string) {}
                  @Delete('/:userId') remove(userId: number): void {}
                  @Hidden() @Post('secret') secret(): void {}
                  @Get(process.env.PATH) undetermined(): void {}
                  helper() {}
                }
                export class Base { @Get('health') health(): boolean { return true; } }
                @Route('base') export class Derived extends Base {}
            """,
        },
    )
    assert project.routes() == {
        "GET /v1/users",
        "GET /v1/users/{userId}/posts/{postId}",
        "DELETE /v1/users/{userId}",
        "POST /v1/users/secret",
        "GET /v1/users <the path is not constant>",
        "GET /v1/base/health",
    }
    assert [o.path for o in project.code.operations if o.excluded_from_docs] == ["/v1/users/secret"]


def test_what_methods_take(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { Body, BodyProp, FormField, Get, Header, Path, Post, Put, Queries, Query,
                  Request, Route, UploadedFile } from '@tsoa/runtime';
                interface Filter { from?: string; limit: number }
                interface User { name: string }
                @Route('x')
                export class X {
                  @Get('{id}')
                  async get(
                    @Path('id') key: number, @Query() page: number, @Query('q') text?: string,
                    @Query() size = 10, @Header('X-Trace') trace?: string, @Queries() rest?: Filter,
                  ): Promise<void> {}
                  @Post() add(@Body() user: User, @Request() request: any): User { return user; }
                  @Put() change(@BodyProp() name: string, @BodyProp('a_b') ab?: number): void {}
                  @Post('file') file(@UploadedFile() image: File, @FormField() title: string) {}
                  @Post('free') free(@UploadedFile() image?: File, @FormField() title?: string) {}
                }
            """,
        },
    )
    assert [
        [body.required for body in project.operation(f"POST /x/{name}").request]
        for name in ("file", "free")
    ] == [[True], [None]]
    assert project.parameters("GET /x/{id}") == {
        "path id: numeric",
        "query page: numeric",
        "query q?: string",
        "query size?=: numeric",
        "header X-Trace?: string",
        "query from?: string",
        "query limit: numeric",
    }
    assert project.request("POST /x") == "{name: string}"
    assert project.request("PUT /x") == "{name: string, a_b?=: numeric}"
    assert project.request("POST /x/file") == (
        "{image: unknown, title: string} (multipart/form-data)"
    )
    assert not project.operation("POST /x").parameters_complete


def test_what_methods_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { Body, Consumes, Controller, Get, Post, Produces, Put, Res, Route,
                  SuccessResponse, TsoaResponse } from 'tsoa';
                interface User { id: number }
                @Route('')
                export class X extends Controller {
                  @Get('user') async user(): Promise<User> { return find(); }
                  @Get('void') async nothing(): Promise<void> {}
                  @Get('inferred') inferred() { return { a: 1, b: 'x' }; }
                  @Post('created') @SuccessResponse('201', 'Created') create(): User { return u; }
                  @Post('set') set(): User { this.setStatus(202); return u; }
                  @Put('either') either(): User {
                    if (fresh) { this.setStatus(201); }
                    return u;
                  }
                  @Put('undetermined') undetermined(): User { this.setStatus(code()); return u; }
                  @Get('later') later(): Promise<User> {
                    return new Promise((done) => { this.setStatus(203); done(u); });
                  }
                  @Get('csv') @Produces('text/csv') csv(): string { return ''; }
                  @Get('res') res(@Res() missing: TsoaResponse<404, { reason: string }>): User {
                    if (!u) { return missing(404, { reason: 'x' }); }
                    return u;
                  }
                  @Post('media') @Consumes('a/b+json') @SuccessResponse(200, 'Fine', 'c/d+json')
                  media(@Body() user: User): User { return user; }
                }
            """,
        },
    )
    assert {o.path: project.responses(f"{o.method} {o.path}") for o in project.code.operations} == {
        "/user": {"200*": "{id: numeric}"},
        "/void": {"204*": ""},
        "/inferred": {"200*": "{a: 1, b: 'x'}"},
        "/created": {"201": "{id: numeric}"},
        "/set": {"202": "{id: numeric}"},
        "/either": {"200*": "{id: numeric}", "201": "{id: numeric}"},
        "/undetermined": {"200*": "{id: numeric}"},
        "/later": {"200*": "{id: numeric}", "203": "{id: numeric}"},
        "/csv": {"200*": "string (text/csv)"},
        "/res": {"200*": "{id: numeric}", "404": "{reason: string}"},
        "/media": {"200": "{id: numeric} (c/d+json)"},
    }
    assert project.request("POST /media") == "{id: numeric} (a/b+json)"
    incomplete = [o.path for o in project.code.operations_with_answers if not o.statuses_complete]
    assert incomplete == ["/undetermined"]


def test_routes_that_tsoa_made_are_not_read_again(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": '{"dependencies": {"express": "4", "tsoa": "6"}}',
            "tsoa.json": '{"routes": {"basePath": "/v1"}}',
            "users.ts": """
                import { Controller, Get, Route } from 'tsoa';
                @Route('users')
                export class UsersController extends Controller {
                  @Get('{id}') one(id: string): string { return id; }
                }
            """,
            "routes.ts": """
                import { fetchMiddlewares, ExpressTemplateService } from '@tsoa/runtime';
                import { UsersController } from './users';
                import type { Router, RequestHandler } from 'express';
                const templateService = new ExpressTemplateService({}, {});
                export function RegisterRoutes(app: Router) {
                  app.get('/v1/users/:id',
                    ...(fetchMiddlewares<RequestHandler>(UsersController)),
                    async function UsersController_one(request: any, response: any) {
                      const controller = new UsersController();
                      await templateService.apiHandler({ methodName: 'one', controller, response });
                    });
                }
            """,
            "app.ts": """
                import express from 'express';
                import { RegisterRoutes } from './routes';
                const app = express();
                RegisterRoutes(app);
                app.get('/health', (req, res) => res.json({ up: true }));
            """,
        },
    )
    assert sorted(o.framework for o in project.code.operations) == ["Express", "tsoa"]
    assert project.routes() == {"GET /health", "GET /v1/users/{id}"}
