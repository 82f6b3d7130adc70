"""NestJS controllers: paths, versions and modules, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

MAIN = """
    import { NestFactory } from '@nestjs/core';
    import { VersioningType } from '@nestjs/common';
    import { AppModule } from './app.module';
    async function bootstrap() {
      const app = await NestFactory.create(AppModule);
      %s
      await app.listen(3000);
    }
    bootstrap();
"""

MODULE = """
    import { Module } from '@nestjs/common';
    import { OrdersController } from './orders.controller';
    @Module({ controllers: [OrdersController] })
    export class AppModule {}
"""


def controller(body: str, decorators: str = "@Controller('orders')", extra: str = "") -> str:
    return f"""
        import * as nest from '@nestjs/common';
        import {{ Controller, Get, Post, Put, Delete, All, Body, Query, Param, Headers, HttpCode,
          HttpStatus, Res, Req, Version, VERSION_NEUTRAL, Header, Redirect, UseInterceptors,
          ParseIntPipe, DefaultValuePipe, ClassSerializerInterceptor, SerializeOptions,
          UploadedFile, Sse }} from '@nestjs/common';
        {extra}
        {decorators}
        export class OrdersController {{
          {body}
        }}
    """


def test_paths_of_controllers_and_methods(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "constants.ts": "export enum Paths { One = ':id' } export const ALL = 'all';",
            "base.ts": """
                import { Get } from '@nestjs/common';
                export abstract class Base<T> {
                  @Get('inherited') inherited(): T { return null }
                  @Get('hidden') overridden(): T { return null }
                }
            """,
            "orders.controller.ts": controller(
                """
                @Get() list() {}
                @Get(Paths.One) one() {}
                @Get([ALL, `${ALL}/really`]) all() {}
                @nest.Post('/:id/items/*rest') items() {}
                @All('any') any() {}
                overridden(): Order { return null }
                @Get(computed()) unknown() {}
                helper() {}
                """,
                "@Controller({ path: ['orders', '/o/'] })",
                "import { Paths, ALL } from './constants'; import { Base } from './base';"
                "declare function computed(): string; class Order { id: number }",
            ).replace("class OrdersController", "class OrdersController extends Base<Order>"),
        },
    )
    own = {
        "GET {}",
        "GET {}/{{id}}",
        "GET {}/all",
        "GET {}/all/really",
        "POST {}/{{id}}/items/{{rest*}}",
        "* {}/any",
        "GET {}/inherited",
        "GET {} <the path is not constant>",
    }
    assert project.routes() == {route.format(p) for route in own for p in ("/orders", "/o")}
    assert project.responses("GET /o/inherited") == {"200*": "{id: numeric}"}


def test_global_prefix_with_exclusions(tmp_path: Path) -> None:
    setup = (
        "app.setGlobalPrefix(process.env.PREFIX ?? 'api/v1',"
        " { exclude: ['orders/health', { path: 'orders/:id/raw', method: 0 }] });"
    )
    project = Project(
        tmp_path,
        {
            "main.ts": MAIN % setup,
            "app.module.ts": MODULE,
            "orders.controller.ts": controller(
                "@Get() list() {} @Get('health') health() {} @Get(':id/raw') raw() {}"
            ),
        },
    )
    assert project.routes() == {
        "GET /api/v1/orders",
        "GET /orders/health",
        "GET /orders/{id}/raw",
    }


def test_the_prefix_may_be_a_default_of_the_configuration(tmp_path: Path) -> None:
    setup = (
        "const config = app.get(ConfigService);"
        "app.setGlobalPrefix(config.getOrThrow('app.prefix', { infer: true }));"
    )
    project = Project(
        tmp_path,
        {
            "main.ts": MAIN % setup + "\n    import { ConfigService } from '@nestjs/config';",
            "app.module.ts": MODULE,
            "app.config.ts": """
                import { registerAs } from '@nestjs/config';
                export default registerAs<AppConfig>('app', () => {
                  validate(process.env);
                  return { port: 1, prefix: process.env.API_PREFIX || 'api' };
                });
                interface AppConfig { prefix: string }
                declare function validate(env: any): void;
            """,
            "orders.controller.ts": controller("@Get() list() {}"),
        },
    )
    assert project.routes() == {"GET /api/orders"}


def test_versions_in_the_path(tmp_path: Path) -> None:
    setup = "app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });"
    project = Project(
        tmp_path,
        {
            "main.ts": MAIN % setup,
            "app.module.ts": MODULE,
            "orders.controller.ts": controller(
                "@Get() list() {} @Version(['2', '3']) @Get('new') fresh() {}"
                "@Version(VERSION_NEUTRAL) @Get('any') any() {}"
            ),
        },
    )
    assert project.routes() == {
        "GET /v1/orders",
        "GET /v2/orders/new",
        "GET /v3/orders/new",
        "GET /orders/any",
    }


def test_versions_in_a_header_do_not_change_the_path(tmp_path: Path) -> None:
    setup = "app.enableVersioning({ type: VersioningType.HEADER, header: 'V' });"
    project = Project(
        tmp_path,
        {
            "main.ts": MAIN % setup,
            "app.module.ts": MODULE,
            "orders.controller.ts": controller(
                "@Get() list() {}", "@Controller({ path: 'orders', version: '2' })"
            ),
        },
    )
    assert project.routes() == {"GET /orders"}


def test_modules_place_controllers_below_paths_and_in_applications(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "shop/main.ts": (MAIN % "app.setGlobalPrefix('shop');"),
            "shop/app.module.ts": """
                import { Module, forwardRef } from '@nestjs/common';
                import { RouterModule } from '@nestjs/core';
                import { AdminModule } from '../admin.module';
                @Module({ imports: [
                  forwardRef(() => AdminModule),
                  RouterModule.register([{ path: 'admin', children: [
                    { path: 'inner', module: AdminModule },
                  ] }]),
                ] })
                export class AppModule {}
            """,
            "other/main.ts": (MAIN % "app.setGlobalPrefix('other');"),
            "other/app.module.ts": """
                import { Module } from '@nestjs/common';
                import { Dynamic } from './dynamic';
                @Module({ imports: [Dynamic.forRoot()] })
                export class AppModule {}
            """,
            "other/dynamic.ts": """
                import { Controller, Get } from '@nestjs/common';
                @Controller('dynamic') export class C { @Get() get() {} }
                export class Dynamic {
                  static forRoot() { return { module: Dynamic, controllers: [C] } }
                }
            """,
            "admin.module.ts": """
                import { Controller, Get, Module } from '@nestjs/common';
                @Controller('users') export class Users { @Get() list() {} }
                @Module({ controllers: [Users] }) export class AdminModule {}
            """,
        },
    )
    assert project.routes() == {"GET /shop/admin/inner/users", "GET /other/dynamic"}


def test_composed_decorators(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "decorators.ts": """
                import { applyDecorators, Controller, Get, HttpCode } from '@nestjs/common';
                export const ApiController = (path: string) =>
                  applyDecorators(Controller(`api/${path}`));
                export function Fetch(path: string) {
                  return applyDecorators(Get(path), HttpCode(202));
                }
            """,
            "orders.controller.ts": """
                import { ApiController, Fetch } from './decorators';
                import { Injectable } from '@nestjs/common';
                @ApiController('orders')
                export class Orders { @Fetch('x') x(): string { return '' } }
            """,
        },
    )
    assert project.routes() == {"GET /api/orders/x"}
    assert project.responses("GET /api/orders/x") == {"202": "string (*/*)"}


def test_values_that_are_no_objects(tmp_path: Path) -> None:
    files = {
        "notes.controller.ts": controller(
            """
            @Get('text') text(): string { return '' }
            @Get('count') count(): number { return 1 }
            @Get('list') list(): string[] { return [] }
            @Get('either') either(@Query('list') list: string) { return list ? [''] : '' }
            @Get('said') @Header('Content-Type', 'application/json') said(): string { return '' }
            @Get('set') set(@Res({ passthrough: true }) res: any): string {
              res.type('csv'); return '';
            }
            """,
        ),
    }
    start = """
        import { Module } from '@nestjs/common';
        import { NestFactory } from '@nestjs/core';
        import { FastifyAdapter } from '@nestjs/platform-fastify';
        import { OrdersController } from './notes.controller';
        @Module({ controllers: [OrdersController] }) class AppModule {}
        async function start() {
          const app = await NestFactory.create(AppModule, ADAPTER); await app.listen(3000);
        }
        start();
    """
    sent = {}
    for adapter in ("{ cors: true }", "new FastifyAdapter({ logger: true })", "adapterOf()"):
        main = start.replace("ADAPTER", adapter)
        project = Project(tmp_path / str(len(sent)), {**files, "main.ts": main})
        sent[adapter] = [
            project.responses(f"GET /orders/{path}")["200*"]
            for path in ("text", "count", "list", "either", "said", "set")
        ]
    by_either = ["[string]", "([''] | '') (*/*)", "unknown", "string (text/csv)"]
    assert sent == {
        "{ cors: true }": ["string (text/html)", "numeric (text/html)", *by_either],
        "new FastifyAdapter({ logger: true })": ["string (text/plain)", "numeric", *by_either],
        "adapterOf()": ["string (*/*)", "numeric (*/*)", *by_either],
    }


def test_what_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "service.ts": """
                export interface Order { id: string; total: number }
                export class Page<T> { items: T[]; count: number }
                export class OrderService {
                  async all() { return [{ id: '1', paid: true }] }
                  async page(): Promise<Page<Order>> { return null }
                }
            """,
            "orders.controller.ts": controller(
                """
                constructor(private readonly service: OrderService) {}
                @Get('declared') declared(): Promise<Page<Order>> { return this.service.page() }
                @Get('inferred') async inferred() { return this.service.all() }
                @Get('stream') stream(): Observable<Order[]> { return null }
                @Get('any') any(): Promise<any> { return Promise.resolve({ a: 1 }) }
                @Post() create(@Body() order: Order) { return { ...order, isNew: true } }
                @Post('accepted') @HttpCode(HttpStatus.ACCEPTED) accepted(): void {}
                @Delete(':id') @HttpCode(204) remove() { return this.service.all() }
                @Get('express') express(@Res() res: Response) { res.status(206).json({ b: 2 }) }
                @Get('passthrough') pass(@Res({ passthrough: true }) res): Order { return null }
                @Get('csv') @Header('Content-Type', 'text/csv') csv(): string { return '' }
                @Get('go') @Redirect('https://x', 301) go() {}
                @Sse('events') events(): Observable<Order> { return null }
                """,
                extra="import { OrderService, Order, Page } from './service';"
                "import { Observable } from 'rxjs'; import { Response } from 'express';",
            ),
        },
    )
    order = "{id: string, total: numeric}"
    assert {
        route.split(" /orders")[1]: project.responses(route)
        for route in project.routes()
        if " /orders" in route
    } == {
        "/declared": {"200*": "{items: [" + order + "], count: numeric}"},
        "/inferred": {"200*": "[{id: '1', paid: True}]"},
        "/stream": {"200*": f"[{order}]"},
        "/any": {"200*": "{a: 1}"},
        "": {"201*": "{id: string, total: numeric, isNew: True}"},
        "/accepted": {"202": ""},
        "/{id}": {"204": ""},
        "/express": {"206": "{b: 2}"},
        "/passthrough": {"200*": order},
        "/csv": {"200*": "string (text/csv)"},
        "/go": {"301": ""},
        "/events": {"200*": order + " (text/event-stream)"},
    }


def test_what_handlers_take(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "orders.controller.ts": controller(
                """
                @Post('whole') whole(@Body() dto: CreateOrder) {}
                @Post('part') part(
                  @Body('order') order: CreateOrder, @Body('note') note?: string) {}
                @Post('zod') zod(@Body(new ZodPipe(schema)) dto: any) {}
                @Post('file') file(@UploadedFile() file: any) {}
                @Get('named') named(
                  @Query('page', ParseIntPipe) page: number,
                  @Query('size', new DefaultValuePipe(10), ParseIntPipe) size: number,
                  @Query('q') q: string,
                  @Headers('x-tenant') tenant: string,
                ) {}
                @Get('whole/:id') query(@Query() query: Filter, @Param('id') id: string) {}
                @Get('raw/:a/:b') raw(@Req() request, @Param() params: { a: string }) {}
                """,
                extra="""
                import { IsInt, IsOptional, IsString } from 'class-validator';
                import { z } from 'zod';
                const schema = z.object({ n: z.number().optional() });
                class ZodPipe { constructor(private schema: any) {} }
                class CreateOrder {
                  @IsString() name: string; @IsOptional() @IsInt() amount: number; free: string;
                  note = 'none'; @IsString() maybe?: string
                }
                class Filter { @IsString() tag: string; @IsOptional() @IsString() sort?: string }
                """,
            )
        },
    )
    dto = "{name: string, amount=: numeric, free=: string, note=: string, maybe?: string}"
    assert project.request("POST /orders/whole") == dto
    assert project.request("POST /orders/part") == "{order=: " + dto + ", note?=: string}"
    assert project.request("POST /orders/zod") == "{n?: numeric}"
    assert project.request("POST /orders/file") == "unknown (multipart/form-data)"
    assert project.parameters("GET /orders/named") == {
        "query page: numeric",
        "query size?=: numeric",
        "query q?: string",
        "header x-tenant?: string",
    }
    assert project.parameters("GET /orders/whole/{id}") == {
        "query tag: string",
        "query sort?=: string",
        "path id: string",
    }
    assert project.parameters("GET /orders/raw/{a}/{b}") == {"path a: string", "path b: string"}
    assert project.operation("GET /orders/raw/{a}/{b}").parameters_complete is False


ENTITY = """
    import { Exclude, Expose, Transform } from 'class-transformer';
    export class User {
      id: number;
      @Exclude() password: string;
      @Expose({ name: 'e_mail' }) email: string;
      @Transform(({ value }) => value.name) role: string;
      @Expose() get initials(): string { return '' }
      get unseen(): string { return '' }
      @Expose({ groups: ['admin'] }) secret: string;
    }
"""


def test_class_transformer_counts_where_its_interceptor_is_in_force(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "user.ts": ENTITY,
            "orders.controller.ts": controller(
                """
                @Get('plain') plain(): User { return null }
                @Get('written') @UseInterceptors(ClassSerializerInterceptor)
                written(): User { return null }
                @Get('exposed') @UseInterceptors(ClassSerializerInterceptor)
                @SerializeOptions({ strategy: 'excludeAll' }) exposed(): User[] { return null }
                """,
                extra="import { User } from './user';",
            ),
        },
    )
    assert project.responses("GET /orders/plain") == {
        "200*": "{id: numeric, password: string, email: string, role: string, secret: string}"
    }
    assert project.responses("GET /orders/written") == {
        "200*": "{id: numeric, e_mail: string, role: unknown, initials: string}"
    }
    assert project.responses("GET /orders/exposed") == {
        "200*": "[{e_mail: string, initials: string}]"
    }


def test_what_is_laid_over_an_instance_leaves_it_of_its_class(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "user.ts": ENTITY,
            "orders.controller.ts": controller(
                """
                find(): User { return null }
                @Get('own') @UseInterceptors(ClassSerializerInterceptor)
                own(@Body() body: { password: string }) {
                  return Object.assign(this.find(), body);
                }
                @Get('more') @UseInterceptors(ClassSerializerInterceptor)
                more() { return Object.assign({ count: 1 }, { password: 'x' }); }
                """,
                extra="import { User } from './user';",
            ),
        },
    )
    assert project.responses("GET /orders/own") == {
        "200*": "{id: numeric, e_mail: string, role: unknown, initials: string}"
    }
    assert project.responses("GET /orders/more") == {"200*": "{count: 1, password: 'x'}"}


def test_a_loose_declared_type_is_read_together_with_what_is_returned(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "profiles.ts": """
                import { Repository } from 'typeorm';
                interface User { name: string; image: string }
                interface Profile { name: string; image?: string; following?: boolean }
                export interface Answer { profile: Profile }
                export class Profiles {
                  constructor(private readonly users: Repository<User>) {}
                  async one(name: string, viewer: number): Promise<Answer> {
                    const found = await this.users.findOne({ name });
                    if (!found) return;
                    const profile: Profile = { name: found.name, image: found.image };
                    if (viewer) { profile.following = true; }
                    return { profile };
                  }
                  async followed(name: string): Promise<Answer> {
                    const profile: Profile = { name, image: '', following: true };
                    return { profile };
                  }
                }
            """,
            "orders.controller.ts": controller(
                """
                constructor(private readonly profiles: Profiles) {}
                @Get('a') async a(): Promise<Answer> { return await this.profiles.one('x', now()) }
                @Get('b') async b(): Promise<Answer> { return this.profiles.followed('x') }
                @Get('c') async c(): Promise<Answer> { return other() }
                """,
                extra="import { Profiles, Answer } from './profiles'; "
                "declare function other(); declare function now();",
            ),
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /orders/a": "{profile: {name: string, image: string, following?: True}}",
        "GET /orders/b": "{profile: {name: 'x', image: '', following: True}}",
        "GET /orders/c": "{profile: {name: string, image?: string, following?: boolean}}",
    }


def test_interceptors_of_the_project(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "interceptors.ts": """
                import { map, tap } from 'rxjs/operators';
                export class Envelope {
                  intercept(context, next) {
                    return next.handle().pipe(
                      tap(() => log()), map((data) => ({ data, ok: true })));
                  }
                }
                export class Logging {
                  intercept(context, next) { return next.handle().pipe(tap(() => log())); }
                }
                export class Strange { intercept(context, next) { return other(next); } }
                export class Maybe {
                  intercept(context, next) {
                    return next.handle().pipe(map((x) => (context.raw ? x : { data: x })));
                  }
                }
                export class Handing {
                  async intercept(context, next) {
                    if (context.getType() !== 'http') return this.others(context, next);
                    const sent = next.handle().pipe(map((data) => ({ data })));
                    return sent.pipe(tap(() => log()));
                  }
                  others(context, next) {
                    const begun = Date.now();
                    return next.handle().pipe(map((data) => ({ data })), tap(() => log(begun)));
                  }
                }
                export class Setting {
                  intercept(context, next) {
                    return next.handle().pipe(tap((data) => { data.at = 1; }));
                  }
                }
                declare function log(): void; declare function other(x: any): any;
            """,
            "orders.controller.ts": controller(
                """
                @Get('e') @UseInterceptors(Handing) e(): string { return '' }
                @Get('f') @UseInterceptors(Setting) f(): { id: string } { return one() }
                @Get('a') @UseInterceptors(Logging) a(): string { return '' }
                @Get('b') @UseInterceptors(Strange) b(): string { return '' }
                @Get('c') @UseInterceptors(Envelope, new Logging()) c(): string { return '' }
                @Get('d') @UseInterceptors(Maybe) d(): string { return '' }
                """,
                extra="import { Logging, Strange, Envelope, Maybe, Handing, Setting } from"
                " './interceptors'; declare function one(): any;",
            ),
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /orders/a": "string (*/*)",
        "GET /orders/b": "unknown",
        "GET /orders/c": "{data: string, ok: True}",
        "GET /orders/d": "unknown",
        "GET /orders/e": "{data: string}",
        "GET /orders/f": "unknown",
    }


def test_interceptors_that_ask_what_they_are_given(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "envelope.ts": """
                import { map } from 'rxjs/operators';
                export class Envelope {
                  intercept(context, next) {
                    const request = context.switchToHttp().getRequest();
                    const path = request.url;
                    return next.handle().pipe(map((data) => {
                      if (path.includes('/raw')) { return data; }
                      if (data && typeof data === 'object' && 'success' in data) {
                        return { ...data, path };
                      }
                      if (Array.isArray(data) || data === null) return { list: data };
                      const inner = data && typeof data === 'object' && 'data' in data
                        ? data.data : data;
                      return { success: true, data: inner, message: data?.message ?? 'fine' };
                    }));
                  }
                }
            """,
            "orders.controller.ts": controller(
                """
                @Get('raw') raw(): { id: string } { return one() }
                @Get('told') told(): { success: boolean; id: string } { return one() }
                @Get('list') list(): string[] { return one() }
                @Get('data') data(): { data: { id: string }; message: string } { return one() }
                @Get('text') text(): string { return one() }
                @Get('maybe') maybe(): { data?: string } { return one() }
                """,
                extra="import { Envelope } from './envelope'; declare function one(): any;",
            ).replace("@Controller", "@UseInterceptors(Envelope) @Controller"),
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /orders/raw": "{id: string}",
        "GET /orders/told": "{success: boolean, id: string, path: unknown}",
        "GET /orders/list": "{list: [string]}",
        "GET /orders/data": "{success: True, data: {id: string}, message: string}",
        "GET /orders/text": "{success: True, data: string, message: 'fine'}",
        "GET /orders/maybe": "{success: True, data~: (string | {data?: string}), message: 'fine'}",
    }


def test_global_interceptors_of_the_start_up_code(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "main.ts": (MAIN % "app.useGlobalInterceptors(new Envelope());")
            + "\n    import { Envelope } from './envelope';",
            "app.module.ts": MODULE,
            "envelope.ts": """
                import { map } from 'rxjs/operators';
                export class Envelope {
                  intercept(context, next) {
                    return next.handle().pipe(map((data) => ({ data, ok: true })));
                  }
                }
            """,
            "orders.controller.ts": controller("@Get('a') a(): string { return '' }"),
        },
    )
    assert project.responses("GET /orders/a") == {"200*": "{data: string, ok: True}"}


def test_hidden_endpoints(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "orders.controller.ts": controller(
                "@Get('a') @ApiExcludeEndpoint() a() {} @Get('b') b() {}",
                extra="import { ApiExcludeEndpoint } from '@nestjs/swagger';",
            )
        },
    )
    assert {o.path: o.excluded_from_docs for o in project.code.operations} == {
        "/orders/a": True,
        "/orders/b": False,
    }


def test_a_body_whose_type_may_be_undefined_may_be_left_out(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "orders.controller.ts": controller(
                "@Post('a') a(@Body() body: { n: number } | undefined) {}"
                " @Post('b') b(@Body() body: { n: number }) { this.save(body.n); }"
            )
        },
    )
    assert {o.path: [body.required for body in o.request] for o in project.code.operations} == {
        "/orders/a": [False],
        "/orders/b": [True],
    }


def test_routes_that_a_decorator_of_a_library_adds_may_be_any_below_the_path(
    tmp_path: Path,
) -> None:
    source = controller(
        "@Get('own') own(): string { return 'x' }",
        "@Crud({ model: { type: Order } })\n@Controller('orders')",
        "import { Crud } from '@nestjsx/crud';",
    )
    project = Project(tmp_path, {"orders.controller.ts": source})
    assert [
        (f"{o.method} {o.path}", o.excluded_from_docs, o.unresolved)
        for o in project.code.operations
    ] == [
        ("* /orders/{rest*}", True, "the routes that `@Crud` adds are not read"),
        ("GET /orders/own", False, ""),
    ]


def test_modules_of_libraries_may_have_controllers(tmp_path: Path) -> None:
    files = {
        "main.ts": MAIN % "app.setGlobalPrefix('api');",
        "orders.controller.ts": controller("@Get() list() {}"),
        "app.module.ts": """
            import { Module } from '@nestjs/common';
            import { ConfigModule } from '@nestjs/config';
            import { StripeModule } from '@golevelup/nestjs-stripe';
            import { OrdersController } from './orders.controller';
            @Module({
              imports: [
                ConfigModule.forRoot(),
                (StripeModule as any).forRootAsync(StripeModule, {
                  useFactory: () => ({ webhookConfig: { controllerPrefix: 'money' } }),
                }),
                MODULE,
              ],
              controllers: [OrdersController],
            })
            export class AppModule {}
        """,
    }
    module = files["app.module.ts"]
    listed = Project(tmp_path / "listed", {**files, "app.module.ts": module.replace("MODULE,", "")})
    answers = (
        "<the plugin `@golevelup/nestjs-stripe.StripeModule`, which is not read, may answer it>"
    )
    assert listed.routes() == {
        "GET /api/orders",
        f"POST /money/webhook {answers}",
        f"POST /api/money/webhook {answers}",
    }
    other = module.replace("MODULE,", "ReportsModule,").replace(
        "import { Orders", "import { ReportsModule } from '@company/reports'; import { Orders"
    )
    open_to_any = Project(tmp_path / "other", {**files, "app.module.ts": other})
    registers = "<the plugin `@company/reports.ReportsModule`, which is not read, may register it>"
    assert open_to_any.routes() - listed.routes() == {
        f"* /{{computed}} {registers}",
        f"* /api/{{computed}} {registers}",
    }
