"""Tornado: lists of handlers that are joined, changed and loaded, and what their bases write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import handled, routes

HANDLERS = {
    "svc/__init__.py": "",
    "svc/one.py": """
        from tornado.web import RequestHandler
        class One(RequestHandler):
            def get(self): self.write({"one": 1})
        handlers = [("/one", One)]
        """,
    "svc/two.py": """
        from tornado.web import RequestHandler
        class Two(RequestHandler):
            def get(self): self.write({"two": 2})
            def delete(self): self.set_status(204)
        handlers = [("/two", Two)]
        """,
}


@pytest.mark.parametrize(
    "applications",
    [
        """
        joined = []
        for module in (one, two):
            joined.extend(module.handlers)
        Application([("/hub" + path, handler) for path, handler in joined])
        """,
        """
        def below(prefix, entries):
            found = []
            for path, handler in entries:
                found.append((join(prefix, path), handler))
            return found
        def join(*pieces):
            return "/" + "/".join(piece.strip("/") for piece in pieces if piece.strip("/"))
        Application(below("/hub/", one.handlers + two.handlers))
        """,
        """
        class Server:
            prefix = "/hub"
            def init(self):
                every = []
                every.extend(one.handlers)
                every += two.handlers
                self.handlers = self.below(every)
            def below(self, entries):
                for i, entry in enumerate(entries):
                    parts = list(entry)
                    parts[0] = self.prefix + parts[0]
                    entries[i] = tuple(parts)
                return entries
            def start(self):
                self.init()
                Application(self.handlers)
        """,
        """
        def make():
            handlers = []
            for entry in [*one.handlers, *two.handlers]:
                pattern = "/hub" + entry[0]
                handlers.append((pattern, entry[1]))
            return Application(handlers)
        """,
    ],
)
def test_lists_that_are_joined_and_put_below_a_prefix(tmp_path: Path, applications: str) -> None:
    app = f"""
        from tornado.web import Application
        from svc import one, two
        {applications}
        """
    assert sorted(routes(tmp_path, "Tornado", {**HANDLERS, "app.py": app})) == [
        "DELETE /hub/two",
        "GET /hub/one",
        "GET /hub/two",
    ]


def test_lists_of_modules_that_are_loaded_by_name(tmp_path: Path) -> None:
    app = """
        import importlib, os
        from tornado.web import Application
        handlers = []
        for name in os.environ["MODULES"].split(","):
            handlers.extend(importlib.import_module(name).handlers)
        Application(handlers)
        """
    reason = (
        "(how this list of handlers gets to an application, and below which prefix, "
        "is not followed)"
    )
    assert sorted(routes(tmp_path, "Tornado", {**HANDLERS, "app.py": app})) == [
        "* /{path*} hidden (its path is not constant)",
        f"DELETE /{{computed}}/two {reason}",
        f"GET /{{computed}}/one {reason}",
        f"GET /{{computed}}/two {reason}",
    ]


def test_groups_that_list_words_and_groups_that_hold_slashes(tmp_path: Path) -> None:
    app = r"""
        from tornado.web import Application, RequestHandler
        class Files(RequestHandler):
            def get(self, path): self.write({"a": 1})
        class Action(RequestHandler):
            def post(self, id, action):
                if action == "stop":
                    self.set_status(204)
                    return
                self.write({"id": id})
        path = r"(?P<path>(?:(?:/[^/]+)+|/?))"
        Application([
            (r"/files%s/marks" % path, Files),
            (r"/jobs/(?P<id>\w+)/(?P<action>start|stop)", Action),
        ])
        """
    assert sorted(routes(tmp_path, "Tornado", {"app.py": app})) == [
        "GET /files/{path*}/marks",
        "POST /jobs/{id}/start",
        "POST /jobs/{id}/stop",
    ]


def test_what_a_base_class_hands_on_to_the_library(tmp_path: Path) -> None:
    app = """
        import json
        from tornado.web import Application, RequestHandler
        class Base(RequestHandler):
            def finish(self, *args, **kwargs):
                self.set_header("Content-Type", "application/json")
                return super().finish(*args, **kwargs)
        class One(Base):
            def get(self): self.finish(json.dumps({"a": 1}))
            def delete(self):
                self.set_status(204)
                self.finish()
        Application([("/one", One)])
        """
    assert handled(tmp_path, "Tornado", app) == [
        "DELETE /one",
        "  and other parameters",
        "  204",
        "GET /one",
        "  and other parameters",
        "  200 application/json {a: integer[1]}",
    ]
