"""CherryPy: trees of objects under both dispatchers, routes, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_trees_of_objects(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import cherrypy
            from orders import Admin, Late, Root
            def make():
                root = Root()
                root.late = Late()
                return root
            def start():
                cherrypy.quickstart(make(), "/shop", {"/": {"tools.sessions.on": True}})
                cherrypy.tree.mount(Admin(), config=None)
            """,
        "orders.py": """
            import cherrypy
            from cherrypy import expose
            class Lines:
                @cherrypy.expose
                def index(self): return "lines"
                @cherrypy.expose
                @cherrypy.tools.allow(methods=["POST"])
                def add(self, order, note=None): return "added"
                def hidden(self): return "no"
                def old(self): return "old"
                old.exposed = True
            class Root:
                lines = Lines()
                def __init__(self):
                    self.deep = Lines()
                @expose
                def index(self): return "home"
                @expose
                def default(self, *parts): return "any"
            class Late:
                @cherrypy.expose
                def index(self): return "late"
            @cherrypy.popargs("tenant")
            class Admin:
                @cherrypy.expose
                def users(self): return "users"
            """,
    }
    assert routes(tmp_path, "CherryPy", files) == [
        "* /shop",
        "* /shop/deep",
        "POST /shop/deep/add",
        "POST /shop/deep/add/{order} hidden",
        "POST /shop/deep/add/{order}/{note} hidden",
        "* /shop/deep/old",
        "* /shop/late",
        "* /shop/lines",
        "POST /shop/lines/add",
        "POST /shop/lines/add/{order} hidden",
        "POST /shop/lines/add/{order}/{note} hidden",
        "* /shop/lines/old",
        "* /shop/{parts*} hidden (the handler decides by what follows its path)",
        "* /users",
        "* /{tenant}/users",
    ]


def test_dispatch_by_method(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import cherrypy
            CONF = {"/": {"request.dispatch": cherrypy.dispatch.MethodDispatcher()}}
            class Lines:
                exposed = True
                def GET(self, number): return "line"
            @cherrypy.expose
            class Orders:
                def __init__(self):
                    self.lines = Lines()
                def GET(self, id=None): return "order"
                def POST(self): return "made"
                def helper(self): return "no"
            class Hidden:
                def GET(self): return "no"
            cherrypy.tree.mount(Orders(), "/api/orders", CONF)
            cherrypy.tree.mount(Hidden(), "/hidden", CONF)
            cherrypy.tree.mount(Orders(), "/file", "app.conf")
            cherrypy.tree.mount(find(), "/found", CONF)
            """,
    }
    assert routes(tmp_path, "CherryPy", files) == [
        "GET /api/orders",
        "POST /api/orders",
        "GET /api/orders/lines hidden",
        "GET /api/orders/lines/{number}",
        "GET /api/orders/{id} hidden",
        "GET /file",
        "POST /file",
        "GET /file/lines hidden",
        "GET /file/lines/{number}",
        "GET /file/{id} hidden",
        "* /found/{rest*} hidden (what is mounted here could not be read)",
    ]


def test_routes_of_a_dispatcher(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import cherrypy
            class Orders:
                def index(self): return "orders"
                def read(self, id): return "order"
            routes = cherrypy.dispatch.RoutesDispatcher()
            routes.connect("orders", "/orders", controller=Orders())
            routes.connect(
                "order", "/orders/{id:[0-9]+}", controller=Orders(), action="read",
                conditions={"method": ["GET", "PUT"]},
            )
            routes.connect("old", "/old/:id", Orders(), action="read")
            cherrypy.tree.mount(None, "/v1", {"/": {"request.dispatch": routes}})
            """,
    }
    assert routes(tmp_path, "CherryPy", files) == [
        "* /v1/old/{id}",
        "* /v1/orders",
        "GET /v1/orders/{id}",
        "PUT /v1/orders/{id}",
    ]


def test_what_handlers_send(tmp_path: Path) -> None:
    source = """
        import json
        import cherrypy
        @cherrypy.expose
        class Orders:
            @cherrypy.tools.json_out()
            def GET(self, id):
                if id == "0":
                    raise cherrypy.HTTPError(404, "none")
                if id == "1":
                    raise cherrypy.NotFound()
                return {"id": 1}
            @cherrypy.tools.json_in()
            def POST(self):
                data = cherrypy.request.json
                cherrypy.response.status = "201 Created"
                return json.dumps({"made": True})
            def PUT(self, id): return "text"
            def DELETE(self, id):
                cherrypy.response.status = 204
            def PATCH(self, id):
                cherrypy.response.status = found()
                return json.dumps([1])
        class Page:
            _cp_config = {"tools.json_out.on": True}
            @cherrypy.expose
            def index(self): return [1]
            @cherrypy.expose
            def either(self):
                if cherrypy.request.method == "POST":
                    return [1]
                return {}
        DISPATCH = {"request.dispatch": cherrypy.dispatch.MethodDispatcher()}
        cherrypy.tree.mount(Orders(), "/orders", {"/": DISPATCH})
        cherrypy.tree.mount(Page(), "/page")
        """
    shown = [
        line for line in handled(tmp_path, "CherryPy", source) if line != "  and other parameters"
    ]
    assert [line for line in shown if "path id" not in line] == [
        "DELETE /orders",
        "  query id: string",
        "  204",
        "GET /orders",
        "  query id: string",
        "  200 application/json {id: integer[1]}",
        "  404",
        "PATCH /orders",
        "  query id?: string",
        "POST /orders",
        "  takes application/json unknown: the handler reads the request itself",
        "  201 application/json {made: boolean[True]}",
        "PUT /orders",
        "  query id?: string",
        "  200 text/html unknown: it is text",
        "DELETE /orders/{id}",
        "  204",
        "GET /orders/{id}",
        "  200 application/json {id: integer[1]}",
        "  404",
        "PATCH /orders/{id}",
        "PUT /orders/{id}",
        "  200 text/html unknown: it is text",
        "* /page",
        "  200 application/json [integer[1]]",
        "* /page/either",
        "  200 application/json unknown: the handler decides by the method of the request",
    ]


def test_each_path_of_a_method_has_what_its_parameters_lead_to(tmp_path: Path) -> None:
    source = """
        import cherrypy
        @cherrypy.expose
        @cherrypy.tools.json_out()
        class Orders:
            def GET(self, id=None, status=None, *, page=1):
                if id is None:
                    return {"orders": [1]}
                if id == "0":
                    raise cherrypy.HTTPError(404)
                return {"id": 1}
            @cherrypy.tools.json_in()
            def POST(self, draft=False):
                data = cherrypy.request.json
                cherrypy.response.status = 201
                store(data["quantity"], data.get("note"))
                return {"id": 2}
        DISPATCH = {"request.dispatch": cherrypy.dispatch.MethodDispatcher()}
        cherrypy.tree.mount(Orders(), "/orders", {"/": DISPATCH})
        """
    lines = handled(tmp_path, "CherryPy", source)
    assert lines == [
        "GET /orders",
        "  query id?: string",
        "  query status?: string",
        "  and other parameters",
        "  200 application/json {orders: [integer[1]]}",
        "POST /orders",
        "  query draft?: string",
        "  and other parameters",
        "  takes application/json {quantity: anything, note-: anything}~",
        "  201 application/json {id: integer[2]}",
        "POST /orders/{draft}",
        "  path draft: string",
        "  and other parameters",
        "  takes application/json {quantity: anything, note-: anything}~",
        "  201 application/json {id: integer[2]}",
        "GET /orders/{id}",
        "  path id: string",
        "  query status?: string",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
        "  404",
        "GET /orders/{id}/{status}",
        "  path id: string",
        "  path status: string",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
        "  404",
    ]


def test_parameters_that_may_come_from_the_query_leave_both_ways_open(tmp_path: Path) -> None:
    source = """
        import cherrypy
        from accounts import with_account
        class Search:
            @cherrypy.expose
            @cherrypy.tools.json_out()
            def index(self, text=None):
                if text is None:
                    return {"all": 1}
                return {"found": 1}
            @cherrypy.expose
            @cherrypy.tools.json_out()
            def default(self, text=None):
                if text is None:
                    raise cherrypy.HTTPError(400)
                return {"found": 1}
            @cherrypy.expose
            @cherrypy.tools.json_out()
            @with_account
            def own(self, account=None):
                if account is None:
                    return {"nobody": True}
                return {"account": 1}
        cherrypy.tree.mount(Search(), "/search")
        """
    assert handled(tmp_path, "CherryPy", source) == [
        "* /search",
        "  query text?: string",
        "  and other parameters",
        "  200 application/json ({all: integer[1]} | {found: integer[1]})",
        "* /search/own",
        "  query account?: string",
        "  and other parameters",
        "  200 application/json ({nobody: boolean[True]} | {account: integer[1]})",
        "* /search/own/{account}",
        "  path account: string",
        "  and other parameters",
        "  200 application/json {account: integer[1]}",
        "* /search/{text}",
        "  path text: string",
        "  and other parameters",
        "  200 application/json {found: integer[1]}",
    ]


def test_a_method_that_answers_nothing_without_a_parameter_takes_it_from_the_query(
    tmp_path: Path,
) -> None:
    source = """
        import cherrypy
        @cherrypy.expose
        @cherrypy.tools.json_out()
        class Search:
            def GET(self, text=None):
                if text is None:
                    raise cherrypy.HTTPError(400)
                return {"found": 1}
        DISPATCH = {"request.dispatch": cherrypy.dispatch.MethodDispatcher()}
        cherrypy.tree.mount(Search(), "/search", {"/": DISPATCH})
        """
    assert handled(tmp_path, "CherryPy", source)[:5] == [
        "GET /search",
        "  query text?: string",
        "  and other parameters",
        "  200 application/json {found: integer[1]}",
        "  400",
    ]
