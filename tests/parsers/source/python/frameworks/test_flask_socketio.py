"""Flask-SocketIO: events of servers, of the library's own functions and of namespaces."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import events, exchanged, project

FLASK = "Flask-SocketIO"


def test_events_of_a_server_and_of_the_functions_of_the_library(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from flask_socketio import SocketIO, emit, join_room, send
        from pydantic import BaseModel
        from typing import TypedDict
        app = Flask(__name__)
        socketio = SocketIO(app, cors_allowed_origins="*")
        class Said(BaseModel):
            text: str
        class Moved(TypedDict):
            x: int
        @socketio.on("connect")
        def connect(auth): ...
        @socketio.on("said")
        def handle_said(data):
            message = Said(**data)
            emit("heard", message.model_dump(), broadcast=True, include_self=False)
        @socketio.on("joined", namespace="/rooms")
        def handle_joined(data):
            join_room(data["room"])
            emit("welcome", {"room": data["room"], "n": 1}, to=data["room"])
            send("done")
        @socketio.event
        def left(): ...
        @socketio.event(namespace="/rooms")
        def moved(data: Moved): ...
        def asked(data):
            print(data.get("q"))
        socketio.on_event("asked", asked, namespace="/rooms")
        def tick():
            socketio.emit("tick", {"n": 1})
            socketio.emit("closed", namespace="/rooms")
        """
    assert sorted(exchanged(tmp_path, FLASK, source)) == [
        "receive asked asked: {q-: anything}~",
        "receive joined joined: {room: anything}~",
        "receive left left: unknown: the event carries nothing",
        "receive moved moved: {x: integer}",
        "receive said said: {text: string}",
        "send closed closed: unknown: the event carries nothing",
        "send heard heard: {text: string}",
        "send message message: unknown: the message is a text",
        "send tick tick: {n: integer[1]}",
        "send welcome welcome: {room: unknown: parameter `data` has no declared type, "
        "n: integer[1]}",
    ]
    used = {use.address: use.aliases for use in events(project(tmp_path, {}), FLASK)}
    assert used == {
        "said": ("/",),
        "heard": ("/",),
        "joined": ("/rooms",),
        "welcome": ("/rooms",),
        "message": ("/rooms",),
        "left": ("/",),
        "moved": ("/rooms",),
        "asked": ("/rooms",),
        "tick": ("/",),
        "closed": ("/rooms",),
    }


def test_namespaces_that_are_classes(tmp_path: Path) -> None:
    source = """
        from flask_socketio import Namespace, SocketIO, emit
        socketio = SocketIO()
        class Rooms(Namespace):
            def on_connect(self): ...
            def on_joined(self, data):
                emit("welcome", {"n": len(data["room"])})
                self.emit("told", {"n": 1})
        socketio.on_namespace(Rooms("/rooms"))
        """
    assert sorted(exchanged(tmp_path, FLASK, source)) == [
        "receive joined joined: {room: anything}~",
        "send told told: {n: integer[1]}",
        "send welcome welcome: {n: integer}",
    ]
    used = {use.address: use.aliases for use in events(project(tmp_path, {}), FLASK)}
    assert used == {"joined": ("/rooms",), "told": ("/rooms",), "welcome": ("/rooms",)}


def test_servers_of_other_files_and_wrappers(tmp_path: Path) -> None:
    source = """
        from extensions import socketio
        from flask_socketio import emit as reply
        @socketio.on("ping")
        def ping(data):
            reply("pong", {"n": 1})
        def tell(event, payload):
            socketio.emit(event, payload, room="all")
        def run():
            tell("started", {"id": "x"})
        """
    extensions = """
        from flask_socketio import SocketIO
        socketio = SocketIO()
        def create(app):
            socketio.init_app(app)
        """
    assert sorted(exchanged(tmp_path, FLASK, source, extensions=extensions)) == [
        "receive ping ping: unknown: the handler declares no type for what the event carries",
        "send pong pong: {n: integer[1]}",
        "send started started: {id: string['x']}",
    ]
    assert exchanged(tmp_path, "python-socketio", source, extensions=extensions) == []


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        from flask_socketio import SocketIO, emit
        import settings
        socketio = SocketIO()
        @socketio.on("pair")
        def pair(x, y):
            emit("moved", x, y)
            emit(settings.load(), {"n": 1})
        def helper():
            emit("somewhere", {"n": 1})
        """
    several = "unknown: the event carries several values, which no contract can say alike"
    assert sorted(exchanged(tmp_path, FLASK, source)) == [
        "receive pair pair: " + several,
        "send  (its address is not constant): {n: integer[1]}",
        "send moved moved: " + several,
        "send somewhere somewhere: {n: integer[1]}",
    ]
    used = {use.address: use.aliases for use in events(project(tmp_path, {}), FLASK)}
    assert used["somewhere"] == ()
