"""LoopBack 4 controllers: paths, parameters, bodies and models, what methods give."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

USER = """
    import { Entity, model, property, hasMany } from '@loopback/repository';
    import { Order } from './order';
    @model({ settings: { hiddenProperties: ['secret'] } })
    export class User extends Entity {
      @property({ type: 'number', id: true, generated: true }) id?: number;
      @property({ type: 'string', required: true }) name: string;
      @property({ type: 'string', jsonSchema: { nullable: true } }) nick?: string | null;
      @property({ type: 'date' }) born?: string;
      @property.array(String) tags?: string[];
      @property({ type: 'array', itemType: 'number' }) marks?: number[];
      @property({ type: 'string', jsonSchema: { enum: ['a', 'b'] } }) kind?: string;
      @property({ type: 'string', hidden: true }) password?: string;
      @property({ type: 'string' }) secret?: string;
      @property({ type: 'object' }) meta?: object;
      @hasMany(() => Order) orders?: Order[];
      helper(): void {}
    }
"""
ORDER = """
    import { Entity, model, property } from '@loopback/repository';
    @model() export class Order extends Entity { @property({ type: 'number' }) id: number; }
"""
SENT = (
    "{id~: numeric, name: string, nick~: string~, born~: string(date-time), "
    "tags~: [string], marks~: [numeric], kind~: 'a'/'b', meta~: unknown, orders~: unknown}"
)


def test_paths_of_controllers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "application.ts": """
                import { RestApplication } from '@loopback/rest';
                export class App extends RestApplication {
                  constructor() { super(); this.basePath('/api'); }
                }
            """,
            "controllers.ts": """
                import { get, post, put, patch, del, operation, api } from '@loopback/rest';
                import * as rest from '@loopback/rest';
                const base = 'users';
                export class UserController {
                  @get(`/${base}/{id}`) one() { return { a: 1 }; }
                  @get(base) list(): string[] { return []; }
                  @post('/users') create() { return {}; }
                  @rest.put('/users/{id}') replace(): void {}
                  @patch('/users') some(): void {}
                  @del('/users/{id}') remove(): Promise<void> { return null; }
                  @operation('head', '/users/{id}') exists(): void {}
                  @get('/hidden', { 'x-visibility': 'undocumented' }) hidden() { return 1; }
                  @get(process.env.SPOT + '/x') computed() { return 1; }
                  helper() {}
                }
                @api({ basePath: '/admin', paths: {} })
                export class AdminController extends UserController {
                  @get('/all') all() { return []; }
                }
            """,
        },
    )
    own = {
        "GET /{base}/users/{id}",
        "GET /{base}/users",
        "POST /{base}/users",
        "PUT /{base}/users/{id}",
        "PATCH /{base}/users",
        "DELETE /{base}/users/{id}",
        "HEAD /{base}/users/{id}",
        "GET /{base}/hidden",
        "GET /{base}/{computed}/x <the path is not constant>",
    }
    assert project.routes() == {
        *(route.replace("/{base}", "/api") for route in own),
        *(route.replace("/{base}", "/api/admin") for route in own),
        "GET /api/admin/all",
    }
    assert {o.path for o in project.code.operations if o.excluded_from_docs} == {
        "/api/hidden",
        "/api/admin/hidden",
    }
    assert project.responses("PUT /api/users/{id}") == {"204*": ""}
    assert project.operation("PUT /api/users/{id}").handler == "UserController.replace"


def test_parameters_and_bodies(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "user.ts": USER,
            "order.ts": ORDER,
            "controller.ts": """
                import { get, post, patch, put, param, requestBody, getModelSchemaRef }
                  from '@loopback/rest';
                import { Filter } from '@loopback/repository';
                import { User } from './user';
                export class UserController {
                  @get('/users/{id}') one(
                    @param.path.number('id') id: number,
                    @param.query.string('q') q?: string,
                    @param.query.integer('page', { required: true }) page: number,
                    @param.header.string('x-key', { required: true }) key: string,
                    @param.filter(User) filter?: Filter<User>,
                    @param({ name: 'sort', in: 'query', schema: { type: 'string' } }) sort?: string,
                    @param.query.object('where') where?: object,
                  ) { return {}; }
                  @post('/users') create(
                    @requestBody({ content: { 'application/json': {
                      schema: getModelSchemaRef(User, { exclude: ['id'], title: 'NewUser' }),
                    } } }) user: Omit<User, 'id'>,
                  ): void {}
                  @patch('/users') some(
                    @requestBody({ content: { 'application/json': {
                      schema: getModelSchemaRef(User, { partial: true }),
                    } } }) user: User,
                  ): void {}
                  @put('/users') whole(@requestBody() user: User): void {}
                  @post('/spelled') spelled(
                    @requestBody({ required: false, content: { 'application/json': { schema: {
                      type: 'object', required: ['a'], properties: { a: { type: 'string' } },
                    } } } }) body: { a: string },
                  ): void {}
                  @post('/unseen') unseen(
                    @requestBody({ content: { 'application/json': { schema: SPEC } } }) body: User,
                  ): void {}
                }
            """,
        },
    )
    assert project.parameters("GET /users/{id}") == {
        "path id: numeric",
        "query q?: string",
        "query page: integer",
        "header x-key: string",
        "query filter?: unknown",
        "query sort?: string",
        "query where?: unknown",
    }
    rest = (
        "nick?: string?, born?: string(date-time), tags?: [string], marks?: [numeric], "
        "kind?: 'a'/'b', password?: string, secret?: string, meta?: unknown}"
    )
    assert project.request("POST /users") == "{name: string, " + rest
    assert project.request("PATCH /users") == "{id?=: numeric, name?: string, " + rest
    assert project.request("PUT /users") == "{id?=: numeric, name: string, " + rest
    assert project.request("POST /spelled") == "{a: string}"
    assert [b.required for b in project.operation("POST /spelled").request] == [False]
    assert project.request("POST /unseen") == "unknown"


def test_what_methods_give(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "user.ts": USER,
            "order.ts": ORDER,
            "controller.ts": """
                import { get, response, HttpErrors, getModelSchemaRef, Response }
                  from '@loopback/rest';
                import { Count, repository, DefaultCrudRepository } from '@loopback/repository';
                import { User } from './user';
                export class UserController {
                  constructor(private users: DefaultCrudRepository<User, number>) {}
                  @get('/list') async list(): Promise<User[]> { return this.users.find(); }
                  @get('/count') async count(): Promise<Count> { return this.users.count(); }
                  @get('/text') text() { return 'hello'; }
                  @get('/noted')
                  @response(200, { content: { 'application/json': {
                    schema: { type: 'array', items: getModelSchemaRef(User) } } } })
                  async noted() { return this.users.execute('x'); }
                  @get('/spec', { responses: { '200': { content: { 'application/json': {
                    schema: { type: 'object', properties: { a: { type: 'string' } } } } } } } })
                  async spec(): Promise<object> { return this.users.execute('x'); }
                  @get('/thrown') thrown() {
                    if (bad()) throw new HttpErrors.NotFound('none');
                    return { a: 1 };
                  }
                  @get('/itself') itself(): Response { return this.sent; }
                }
            """,
        },
    )
    error = "{error: {statusCode: integer, name: string, message: string, ...}}"
    noted = (
        "{id?=: numeric, name: string, nick?: string?, born?: string(date-time), tags?: [string], "
        "marks?: [numeric], kind?: 'a'/'b', password?: string, secret?: string, meta?: unknown}"
    )
    assert {route: project.responses(route) for route in project.routes()} == {
        "GET /list": {"200*": f"[{SENT}]"},
        "GET /count": {"200*": "{count: numeric}"},
        "GET /text": {"200*": "'hello' (text/plain)"},
        "GET /noted": {"200*": f"[{noted}]"},
        "GET /spec": {"200*": "{a?: string}"},
        "GET /thrown": {"200*": "{a: 1}", "404": error},
        "GET /itself": {"200*": "unknown (*/*)"},
    }
