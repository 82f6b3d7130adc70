"""Express routers that objects of the project's classes hold, and routers of listed folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

INTERFACE = {
    "routes.ts": """
        import { Router } from 'express';
        export interface Routes { path?: string; router: Router }
    """,
    "users.ts": """
        import { Router } from 'express';
        import { Routes } from './routes';
        export class UserRoute implements Routes {
          public path = '/users';
          public router = Router();
          constructor() { this.register(); }
          private register() {
            this.router.get(`${this.path}/:id`, (req, res) => { res.json({ id: 1 }); });
          }
        }
    """,
    "posts.ts": """
        import { Router } from 'express';
        import { Routes } from './routes';
        export class PostRoute implements Routes {
          public router = Router();
          constructor() {
            const router = this.router;
            router.get('/posts', (req, res) => { res.json({ title: 'x' }); });
          }
        }
    """,
}


@pytest.mark.parametrize(
    "mounts",
    [
        "for (const route of routes) this.app.use('/api', route.router);",
        "routes.forEach(route => { this.app.use('/api', route.router); });",
        "this.mount(routes);",
    ],
)
def test_routers_of_objects_that_implement_an_interface(tmp_path: Path, mounts: str) -> None:
    project = Project(
        tmp_path,
        {
            **INTERFACE,
            "app.ts": """
                import express from 'express';
                import { Routes } from './routes';
                export class App {
                  public app: express.Application;
                  constructor(routes: Routes[]) { this.app = express(); MOUNTS }
                  private mount(all: Routes[]) {
                    all.forEach(route => { this.app.use('/api', route.router); });
                  }
                }
            """.replace("MOUNTS", mounts),
            "server.ts": """
                import { App } from './app';
                import { UserRoute } from './users';
                import { PostRoute } from './posts';
                new App([new UserRoute(), new PostRoute()]);
            """,
        },
    )
    assert project.routes() == {"GET /api/users/{id}", "GET /api/posts"}
    assert project.responses("GET /api/users/{id}") == {"200*": "{id: 1}"}


BASE = """
    import express, { Router, RequestHandler } from 'express';
    export abstract class Controller<T> {
      private _router: Router = express.Router();
      constructor(protected service: T, private _path: string) {}
      get path(): string { return this._path; }
      get router(): Router { return this._router; }
      protected abstract initRoutes(): void;
      protected mountAll(list: [string, RequestHandler][]): void {
        for (const pair of list) {
          const [suffix, handler] = pair;
          this.router.get(`${this.path}${suffix}`, Controller.wrap(handler as RequestHandler));
        }
      }
      protected static wrap = (f: RequestHandler): RequestHandler => async (req, res, next) => {
        try { await f(req, res, next); } catch (error) { next(error); }
      };
    }
"""


def test_methods_of_a_base_class_register_what_each_call_gives_for_each_class(
    tmp_path: Path,
) -> None:
    project = Project(
        tmp_path,
        {
            "base.ts": BASE,
            "users.ts": """
                import { RequestHandler } from 'express';
                import { Controller } from './base';
                export class Users extends Controller<string> {
                  constructor(service: string) { super(service, '/users'); this.initRoutes(); }
                  protected initRoutes() { this.mountAll([['', this.list], ['/:id', this.one]]); }
                  private list: RequestHandler = async (req, res) => { res.json([1]); };
                  private one: RequestHandler = async (req, res) => { res.json({ id: 1 }); };
                }
            """,
            "posts.ts": """
                import { RequestHandler } from 'express';
                import { Controller } from './base';
                export class Posts extends Controller<string> {
                  constructor() { super('blog', '/posts'); this.initRoutes(); }
                  protected initRoutes() { this.mountAll([['/latest', this.latest]]); }
                  private latest: RequestHandler = async (req, res) => { res.json({ t: 'x' }); };
                }
            """,
            "app.ts": """
                import express from 'express';
                import { Controller } from './base';
                import { load } from './load';
                const app = express();
                const controllers: Controller<unknown>[] = load();
                for (const controller of controllers) app.use('/v1', controller.router);
            """,
            "load.ts": "export function load(): any { return JSON.parse('[]'); }",
        },
    )
    assert project.routes() == {
        "GET /v1/users",
        "GET /v1/users/{id}",
        "GET /v1/posts/latest",
    }
    assert project.responses("GET /v1/users/{id}") == {"200*": "{id: 1}"}


def test_an_inherited_router_is_another_one_in_each_object(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "all.ts": """
                import express, { Router } from 'express';
                class Base {
                  router: Router = Router();
                  constructor() { this.router.get('/health', (req, res) => { res.json(1); }); }
                }
                class Users extends Base {
                  constructor() { super(); this.router.get('/me', (req, res) => res.json(2)); }
                }
                class Posts extends Base {
                  constructor() { super(); this.router.get('/all', (req, res) => res.json(3)); }
                }
                const app = express();
                app.use('/users', new Users().router);
                app.use('/posts', new Posts().router);
            """,
        },
    )
    assert project.routes() == {
        "GET /users/health",
        "GET /users/me",
        "GET /posts/health",
        "GET /posts/all",
    }


def test_objects_are_told_by_the_constructions_where_nothing_is_declared(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                class App {
                  constructor(controllers) {
                    this.app = express();
                    this.mount(controllers);
                  }
                  mount(controllers) {
                    controllers.forEach((c) => { this.app.use(c.path, c.router); });
                  }
                }
                module.exports = App;
            """,
            "users.js": """
                const express = require('express');
                class Users {
                  constructor() {
                    this.path = '/users';
                    this.router = express.Router();
                    this.router.get('/me', this.me);
                  }
                  me(req, res) { res.json({ id: 1 }); }
                }
                module.exports = Users;
            """,
            "server.js": """
                const App = require('./app');
                const Users = require('./users');
                new App([new Users()]);
            """,
        },
    )
    assert project.routes() == {"GET /users/me"}


TABLE = """
    const registrations = { list, remove };
    module.exports = function register(router, names) {
      const chosen = Array.isArray(names) && names[0] !== '*' ? names : Object.keys(registrations);
      chosen.forEach((name) => { registrations[name](router); });
    };
    function list(router) { router.get('/', (req, res) => { res.json([]); }); }
    function remove(router) { router.delete('/:id', (req, res) => { res.sendStatus(204); }); }
"""


def test_functions_of_a_table_that_are_given_the_router(tmp_path: Path) -> None:
    router = """
        const router = require('express').Router();
        require('./register')(router, NAMES);
        module.exports = router;
    """
    project = Project(
        tmp_path,
        {
            "app.js": """
                const app = require('express')();
                app.use('/some', require('./some'));
                app.use('/all', require('./all'));
                app.use('/none', require('./none'));
                app.use('/asked', require('./asked'));
            """,
            "register.js": TABLE,
            "some.js": router.replace("NAMES", "['list']"),
            "all.js": router.replace("NAMES", "['*']"),
            "none.js": router.replace("NAMES", "[]"),
            "asked.js": router.replace("NAMES", "process.env.NAMES.split(',')"),
        },
    )
    reason = "<which of several functions is called with the router is undetermined>"
    assert project.routes() == {
        "GET /some",
        "GET /all",
        "DELETE /all/{id}",
        f"GET /asked {reason}",
        f"DELETE /asked/{{id}} {reason}",
    }


@pytest.mark.parametrize(
    "loads",
    [
        """
            const folder = path.join(__dirname, 'routes');
            fs.readdirSync(folder).forEach((file) => {
              app.use('/' + path.basename(file, '.js'), require(path.join(folder, file)));
            });
        """,
        """
            fs.readdirSync(`${__dirname}/routes`)
              .filter((file) => file.indexOf('.') !== 0 && file.slice(-3) === '.js')
              .forEach((file) => {
                const name = file.split('.').shift();
                app.use(`/${name}`, require(`./routes/${name}`));
              });
        """,
        """
            for (const file of fs.readdirSync(__dirname + '/routes')) {
              const router = require('./routes/' + file);
              app.use('/' + file.replace('.js', ''), router);
            }
        """,
        """
            const { globSync } = require('glob');
            globSync('routes/*.{js,mjs}', { cwd: __dirname }).forEach((file) => {
              app.use('/' + path.basename(file, '.js'), require('./' + file));
            });
        """,
        """
            const fg = require('fast-glob');
            for (const file of fg.sync(path.join(__dirname, '**/routes/*.js'))) {
              app.use('/' + path.parse(file).name, require(file));
            }
        """,
        """
            const files = fs.globSync('./routes/**', { ignore: 'routes/drafts/**' });
            files.map((file) => path.resolve(file)).forEach((file) => {
              app.use('/' + path.basename(file, path.extname(file)), require(file));
            });
        """,
        """
            glob('./routes/*.js', {}, (error, files) => {
              files.map((file) => path.parse(file)).forEach(({ name }) => {
                app.use('/' + name, require(path.resolve('routes', name)));
              });
            });
        """,
        """
            for (const entry of fs.readdirSync('./routes', { withFileTypes: true })) {
              app.use('/' + entry.name.split('.')[0], require(`./routes/${entry.name}`));
            }
        """,
        """
            const routers = require('require-all')(__dirname + '/routes');
            Object.entries(routers).forEach(([name, router]) => app.use('/' + name, router));
        """,
        """
            const routers = requireDirectory(module, './routes');
            Object.keys(routers).forEach((name) => app.use('/' + name, routers[name]));
        """,
    ],
)
def test_routers_of_the_files_of_a_folder(tmp_path: Path, loads: str) -> None:
    router = """
        const router = require('express').Router();
        router.get('/all', (req, res) => { res.json([]); });
        module.exports = router;
    """
    project = Project(
        tmp_path,
        {
            "app.js": f"""
                const express = require('express');
                const fs = require('fs');
                const path = require('path');
                const glob = require('glob');
                const requireDirectory = require('require-directory');
                const app = express();
                {loads}
            """,
            "package.json": "{}",
            "routes/users.js": router,
            "routes/posts.js": router,
        },
    )
    assert project.routes() == {"GET /users/all", "GET /posts/all"}


def test_routers_in_the_entries_of_an_object(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const app = express();
                const users = express.Router();
                users.get('/me', (req, res) => { res.json({}); });
                Object.entries({ '/users': users }).forEach(([path, r]) => app.use(path, r));
            """,
        },
    )
    assert project.routes() == {"GET /users/me"}


def test_handlers_of_the_one_class_that_implements_an_interface(tmp_path: Path) -> None:
    """What the class declares is narrower than the interface; where the class declares nothing,
    the interface says what a call gives. Of two classes neither is taken."""
    project = Project(
        tmp_path,
        {
            "tags.ts": """
                import { RequestHandler, Request, Response } from 'express';
                export interface ITagStore { first(): string | null; last: () => string | null }
                export class TagStore implements ITagStore {
                  first = (): string => 'a';
                  last = () => JSON.parse('1');
                }
                export interface ITags {
                  list: RequestHandler;
                  one(req: Request, res: Response): void;
                  first: RequestHandler;
                  last: RequestHandler;
                }
                const caught = (f: (req: Request, res: Response) => void): RequestHandler =>
                  (req, res, next) => { f(req, res); };
                export class Tags implements ITags {
                  constructor(private store: ITagStore) {}
                  list = caught((req, res) => { res.json({ listed: 1 }); });
                  one(req: Request, res: Response) { res.json({ one: 1 }); }
                  first = (req: Request, res: Response) => { res.json({ t: this.store.first() }); };
                  last = (req: Request, res: Response) => { res.json({ t: this.store.last() }); };
                }
                export interface IPages { show: RequestHandler }
                export class Pages implements IPages {
                  show = (req: Request, res: Response) => { res.json({ a: 1 }); };
                }
                export class OtherPages implements IPages {
                  show = (req: Request, res: Response) => { res.json({ b: 1 }); };
                }
            """,
            "app.ts": """
                import express, { Router } from 'express';
                import { IPages, ITags, Pages, Tags, TagStore } from './tags';
                const tagRoutes = (tags: ITags, pages: IPages): Router => {
                  const router = Router();
                  router.get('/', tags.list);
                  router.get('/one', tags.one);
                  router.get('/first', tags.first);
                  router.get('/last', tags.last);
                  router.get('/page', pages.show);
                  return router;
                };
                const app = express();
                app.use('/tags', tagRoutes(new Tags(new TagStore()), new Pages()));
            """,
        },
    )
    assert {
        operation.path: [
            project.shape(body.schema) for r in operation.responses for body in r.bodies
        ]
        for operation in project.code.operations_with_answers
    } == {
        "/tags": ["{listed: 1}"],
        "/tags/one": ["{one: 1}"],
        "/tags/first": ["{t: string}"],
        "/tags/last": ["{t: string?}"],
        "/tags/page": [],
    }
