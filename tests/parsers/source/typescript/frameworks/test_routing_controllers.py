"""Controllers of routing-controllers."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

SERVER = """
    import { createExpressServer } from 'routing-controllers';
    import { Users } from './users';
    const options = { routePrefix: '/api', controllers: [Users] };
    createExpressServer(options).listen(3000);
"""


def test_paths_of_controllers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": SERVER,
            "users.ts": """
                import { All, Controller, Delete, Get, JsonController, Method, Post }
                  from 'routing-controllers';
                const BASE = '/users';
                @JsonController(BASE)
                export class Users {
                  @Get() list(): string[] { return []; }
                  @Get('/:id(\\\\d+)') one(): string { return ''; }
                  @Post('/:id/posts/:post?') posts(): string { return ''; }
                  @Method('options', '/x') options(): string { return ''; }
                  @All('/every') every(): string { return ''; }
                  @Delete(/^regex$/) undetermined(): string { return ''; }
                  helper() {}
                }
                @Controller() export class Pages { @Get('/page') page(): string { return ''; } }
            """,
        },
    )
    assert project.routes() == {
        "GET /api/users",
        "GET /api/users/{id}",
        "POST /api/users/{id}/posts",
        "POST /api/users/{id}/posts/{post}",
        "OPTIONS /api/users/x",
        "* /api/users/every",
        "DELETE /api/users <the path is not constant>",
        "GET /api/page",
    }
    assert project.responses("GET /api/page") == {"200*": "string (text/html)"}


def test_what_actions_take(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "users.ts": """
                import { Body, BodyParam, CookieParam, CurrentUser, Get, HeaderParam,
                  JsonController, Param, Post, Put, QueryParam, QueryParams, Req, UploadedFile }
                  from 'routing-controllers';
                import { IsString } from 'class-validator';
                class NewUser { @IsString() name: string; }
                class Filter { @IsString() from: string; }
                @JsonController('/users')
                export class Users {
                  @Get('/:id') get(
                    @Param('id') id: number, @QueryParam('q', { required: true }) q: string,
                    @QueryParam('page') page: number, @HeaderParam('x-trace') trace: string,
                    @CookieParam('sid') sid: string, @CurrentUser() user: User,
                  ) { return { id }; }
                  @Get() list(@QueryParams() filter: Filter, @Req() request: any) { return []; }
                  @Post() add(@Body({ required: true }) user: NewUser) { return user; }
                  @Put() change(@BodyParam('name') name: string) { return name; }
                  @Post('/file') file(@UploadedFile('image') image: any) { return 1; }
                }
            """
        },
    )
    assert project.parameters("GET /users/{id}") == {
        "path id: numeric",
        "query q: string",
        "query page?: numeric",
        "header x-trace?: string",
        "cookie sid?: string",
    }
    assert project.parameters("GET /users") == {"query from: string"}
    assert not project.operation("GET /users").parameters_complete
    assert project.request("POST /users") == "{name: string}"
    assert project.request("PUT /users") == "{name?=: string}"
    assert project.request("POST /users/file") == "{image?=: unknown} (multipart/form-data)"


def test_what_actions_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "users.ts": """
                import { ContentType, Get, HttpCode, JsonController, OnUndefined, Post, Redirect,
                  Res, UseInterceptor } from 'routing-controllers';
                import { Exclude } from 'class-transformer';
                class User { id: number; @Exclude() password: string; }
                @JsonController()
                export class Users {
                  @Get('/declared') async declared(): Promise<User> { return find(); }
                  @Get('/inferred') inferred() { const a = 1; return { a, b: 'x' }; }
                  @Post('/created') @HttpCode(201) create(): User { return user; }
                  @Get('/maybe') maybe(): User | null { return find(); }
                  @Get('/nothing') nothing(): void {}
                  @Get('/empty') @OnUndefined(204) empty(): void {}
                  @Get('/text') @ContentType('text/csv') text(): string { return ''; }
                  @Get('/away') @Redirect('/x') away() {}
                  @Get('/own') own(@Res() response: any) {
                    return response.status(202).json({ own: 1 });
                  }
                  @Get('/wrapped') @UseInterceptor(wrap) wrapped(): User { return user; }
                }
            """
        },
    )
    assert {o.path: project.responses(f"{o.method} {o.path}") for o in project.code.operations} == {
        "/declared": {"200*": "{id: numeric}"},
        "/inferred": {"200*": "{a: 1, b: 'x'}"},
        "/created": {"201": "{id: numeric}"},
        "/maybe": {"200*": "{id: numeric}"},
        "/nothing": {"404*": ""},
        "/empty": {"204": ""},
        "/text": {"200*": "string (text/csv)"},
        "/away": {"302*": ""},
        "/own": {"202": "{own: 1}"},
        "/wrapped": {"200*": "unknown"},
    }


def test_what_the_start_up_code_changes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import { useExpressServer } from 'routing-controllers';
                useExpressServer(app, {
                  routePrefix: process.env.PREFIX,
                  classTransformer: false,
                  interceptors: [Wrap],
                  defaults: { paramOptions: { required: true } },
                });
            """,
            "users.ts": """
                import { Get, JsonController, QueryParam } from 'routing-controllers';
                @JsonController('/users')
                export class Users {
                  @Get() list(@QueryParam('q') q: string): string[] { return []; }
                }
            """,
        },
    )
    route = "GET /{computed}/users"
    assert project.routes() == {f"{route} <`routePrefix` is not constant>"}
    assert project.parameters(route) == {"query q: string"}
    assert project.responses(route) == {"200*": "unknown"}
