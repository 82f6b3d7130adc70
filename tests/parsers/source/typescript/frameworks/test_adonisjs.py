"""AdonisJS routes: groups, resources, controllers, validators, models, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

CONTROLLER = """
    export default class UsersController {
      async index() { return []; }
      async create() {}
      async store({ response }) { return response.created({ id: 1 }); }
      async show({ params }) { return { id: params.id }; }
      async update() {}
      async destroy({ response }) { response.noContent(); }
      async handle() { return { handled: true }; }
    }
"""


def test_routes_groups_and_controllers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": '{"imports": {"#controllers/*": "./app/controllers/*.js"}}',
            "start/routes.ts": """
                import router from '@adonisjs/core/services/router';
                import Direct from '#controllers/users_controller';
                import { more } from './more.js';
                const Users = () => import('#controllers/users_controller');
                router.get('/', async ({ response }) => response.ok({ hello: 'world' }));
                router.route('/two', ['PUT', 'PATCH'], [Users, 'show']);
                router.any('/any', [Direct]);
                router.on('/page').render('page');
                router.group(() => {
                  router.group(() => {
                    router.get('/users/:id?', [Users, 'show']).as('users.show');
                    more();
                  }).prefix('v1').middleware([auth]);
                  router.post('/single', Direct);
                }).prefix('/api');
                const named = () => { router.delete('/named', [Users, 'destroy']); };
                router.group(named).prefix('/n');
            """,
            "start/more.ts": """
                import router from '@adonisjs/core/services/router';
                export function more() { router.get('/more', [null, 'x']); }
                export function lost() { router.get('/lost', () => 1); }
            """,
            "app/controllers/users_controller.ts": CONTROLLER,
        },
    )
    assert project.routes() == {
        "GET /",
        "PUT /two",
        "PATCH /two",
        "* /any",
        "GET /page",
        "GET /api/v1/users",
        "GET /api/v1/users/{id}",
        "GET /api/v1/more",
        "POST /api/single",
        "DELETE /n/named",
        "GET /lost <no call is seen of the function that registers the route>",
    }
    assert project.operation("GET /api/v1/users").handler == "UsersController.show"
    assert project.responses("GET /") == {"200": "{hello: 'world'}"}
    assert project.responses("* /any") == {"200*": "{handled: True}"}
    assert project.responses("POST /api/single") == {"200*": "{handled: True}"}
    assert project.responses("DELETE /n/named") == {"204": ""}
    assert project.responses("GET /api/v1/more") == {"200*": "unknown"}


def test_resources(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": '{"imports": {"#controllers/*": "./app/controllers/*.js"}}',
            "start/routes.ts": """
                import router from '@adonisjs/core/services/router';
                const Users = () => import('#controllers/users_controller');
                router.resource('users', Users).apiOnly();
                router.resource('users.posts', Users).only(['index', 'show']);
                router.shallowResource('teams.members', Users).only(['store', 'destroy']);
                router.resource('photos', Users).except(['create', 'edit', 'store', 'update'])
                  .params({ photos: 'photo' });
            """,
            "app/controllers/users_controller.ts": CONTROLLER,
        },
    )
    assert project.routes() == {
        "GET /users",
        "POST /users",
        "GET /users/{id}",
        "PUT /users/{id}",
        "PATCH /users/{id}",
        "DELETE /users/{id}",
        "GET /users/{user_id}/posts",
        "GET /users/{user_id}/posts/{id}",
        "POST /teams/{team_id}/members",
        "DELETE /members/{id}",
        "GET /photos",
        "GET /photos/{photo}",
        "DELETE /photos/{photo}",
    }
    assert project.responses("POST /users") == {"201": "{id: 1}"}


def test_routes_of_older_versions(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "start/routes.ts": """
                import Route from '@ioc:Adonis/Core/Route';
                Route.group(() => {
                  Route.get('/users', 'Admin/UsersController.index');
                  Route.get('/lost', 'NobodyController.index');
                }).prefix('admin');
                Route.put('/checked', async ({ request, response }) => {
                  const data = await request.validate(CheckValidator);
                  const more = await request.validate({ schema: schema.create({}) });
                  return response.status(202).send(data);
                });
                import CheckValidator from 'App/Validators/CheckValidator';
                import { schema } from '@ioc:Adonis/Core/Validator';
            """,
            "app/Controllers/Http/Admin/UsersController.ts": CONTROLLER,
            "app/Validators/CheckValidator.ts": """
                import { schema, rules } from '@ioc:Adonis/Core/Validator';
                export default class CheckValidator {
                  public schema = schema.create({
                    name: schema.string({ trim: true }, [rules.maxLength(3)]),
                    age: schema.number.optional(),
                    tags: schema.array().members(schema.string()),
                    place: schema.object().members({ city: schema.string.nullable() }),
                  });
                }
            """,
            "legacy.js": """
                const Route = use('Route');
                Route.get('/legacy', () => ({ old: true }));
            """,
            ".adonisrc.json": "{}",
        },
    )
    assert project.routes() == {
        "GET /admin/users",
        "GET /admin/lost",
        "PUT /checked",
        "GET /legacy",
    }
    assert project.responses("GET /admin/users") == {"200*": "[nothing]"}
    assert project.responses("GET /admin/lost") == {"200*": "unknown"}


def test_validators_and_requests(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "routes.ts": """
                import router from '@adonisjs/core/services/router';
                import vine from '@vinejs/vine';
                const user = vine.compile(vine.object({
                  name: vine.string().minLength(2),
                  email: vine.string().email().optional(),
                  age: vine.number().withoutDecimals().nullable(),
                  role: vine.enum(['admin', 'user']),
                  tags: vine.array(vine.string()),
                  meta: vine.record(vine.number()),
                  place: vine.object({ city: vine.string() }).allowUnknownProperties(),
                  born: vine.date(),
                  params: vine.object({ id: vine.number() }),
                }));
                const filter = vine.compile(vine.object({ page: vine.number().optional() }));
                router.post('/users/:id', async ({ request }) => {
                  const payload = await request.validateUsing(user);
                  return { done: true };
                });
                router.get('/users', async ({ request }) => {
                  await request.validateUsing(filter);
                  return [];
                });
                router.put('/all', async ({ request }) => {
                  const data = await filter.validate(request.all());
                  return { data };
                });
                router.patch('/read', ({ request }) => ({ name: request.input('name') }));
            """
        },
    )
    assert project.request("POST /users/{id}") == (
        "{name: string, email?: string(email)?, age: integer?, role: 'admin'/'user', "
        "tags: [string], meta: {*: numeric}, place: {city: string, *: anything}, born: string}"
    )
    assert project.parameters("POST /users/{id}") == {"path id: numeric"}
    assert project.request("GET /users") == ""
    assert project.parameters("GET /users") == {"query page?: numeric?"}
    assert project.request("PUT /all") == "{page?: numeric?}"
    assert project.responses("PUT /all") == {"200*": "{data: {page?: numeric}}"}
    assert project.request("PATCH /read") == "{name?: value~}~"


def test_what_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "routes.ts": """
                import router from '@adonisjs/core/services/router';
                import { Exception } from '@adonisjs/core/exceptions';
                router.get('/value', () => ({ a: 1 }));
                router.get('/text', () => 'hello');
                router.get('/set', ({ response }) => { response.status(202); return { a: 1 }; });
                router.get('/chain', ({ response }) => response.status(203).json({ a: 1 }));
                router.get('/statement', ({ response }) => {
                  if (bad()) { response.badRequest({ error: 'x' }); return; }
                  response.ok({ a: 1 });
                });
                router.get('/abort', ({ response }) => response.abort('no', 410));
                router.get('/thrown', () => { throw new Exception('x', { status: 418 }); });
                router.get('/go', ({ response }) => response.redirect().toPath('/x'));
                router.get('/view', ({ view }) => view.render('x'));
                router.get('/file', ({ response }) => response.download('x'));
                router.get('/ctx', (ctx) => ctx.response.created({ made: true }));
            """
        },
    )
    assert {route: project.responses(route) for route in project.routes()} == {
        "GET /value": {"200*": "{a: 1}"},
        "GET /text": {"200*": "'hello' (text/plain)"},
        "GET /set": {"202": "{a: 1}"},
        "GET /chain": {"203": "{a: 1}"},
        "GET /statement": {"400": "{error: 'x'}", "200": "{a: 1}"},
        "GET /abort": {"410": "'no' (text/plain)"},
        "GET /thrown": {"418": "unknown (*/*)"},
        "GET /go": {"302": ""},
        "GET /view": {"200*": "unknown (text/html)"},
        "GET /file": {"200*": "unknown (*/*)"},
        "GET /ctx": {"201": "{made: True}"},
    }


def test_models_of_lucid(tmp_path: Path) -> None:
    files = {
        "routes.ts": """
            import router from '@adonisjs/core/services/router';
            import User from './user';
            router.post('/users', async () => {
              const user = new User();
              await user.save();
              return user;
            });
        """,
        "user.ts": """
            import { BaseModel, column, computed, hasMany } from '@adonisjs/lucid/orm';
            import { DateTime } from 'luxon';
            export default class User extends BaseModel {
              static table = 'users';
              @column({ isPrimary: true }) declare id: number;
              @column() declare firstName: string | null;
              @column({ serializeAs: null }) declare password: string;
              @column({ serializeAs: 'mail' }) declare email: string;
              @column.dateTime({ autoCreate: true }) declare createdAt: DateTime;
              @hasMany(() => Post) declare posts: HasMany<typeof Post>;
              declare helper: string;
            }
        """,
    }
    assert Project(tmp_path / "a", files).responses("POST /users") == {
        "200*": "{id~: numeric, first_name~: string?, mail~: string, "
        "created_at~: string(date-time), posts~: unknown}"
    }
    files["naming.ts"] = "BaseModel.namingStrategy = new CamelCase();"
    assert Project(tmp_path / "b", files).responses("POST /users") == {"200*": "unknown"}
