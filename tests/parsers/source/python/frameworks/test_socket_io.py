"""python-socketio: events of servers and namespaces."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import events, exchanged, project

SOCKET_IO = "python-socketio"


def test_events_that_servers_emit_and_take(tmp_path: Path) -> None:
    source = """
        import socketio
        from pydantic import BaseModel
        from typing import TypedDict
        sio = socketio.AsyncServer(async_mode="asgi")
        class Said(BaseModel):
            text: str
            to: str | None = None
        class Moved(TypedDict):
            x: int
        @sio.event
        async def connect(sid, environ, auth): ...
        @sio.event
        async def said(sid, data):
            message = Said.model_validate(data)
            await sio.emit("heard", message.model_dump(), room=sid, skip_sid=sid)
        @sio.on("moved")
        async def on_moved(sid: str, data: Moved):
            await sio.call("place", data={"x": 1}, to=sid)
        @sio.event(namespace="/rooms")
        def joined(sid, data):
            print(data["room"], data.get("name"))
        def left(sid): ...
        sio.on("left", left, namespace="/rooms")
        async def told(sio: socketio.AsyncServer):
            await sio.send({"news": True})
            await sio.emit("closed")
            await sio.emit("pair", (1, 2))
        """
    assert exchanged(tmp_path, SOCKET_IO, source) == [
        "receive said said: {text: string, to=: string?}",
        "send heard heard: {text: string, to=: string?}",
        "receive moved moved: {x: integer}",
        "send place place: {x: integer[1]}",
        "receive joined joined: {room: anything, name-: anything}~",
        "receive left left: unknown: the event carries nothing",
        "send message message: {news: boolean[True]}",
        "send closed closed: unknown: the event carries nothing",
        "send pair pair: unknown: the event carries several values, which no contract can say "
        "alike",
    ]


def test_namespaces_that_are_classes(tmp_path: Path) -> None:
    source = """
        import socketio
        class Rooms(socketio.AsyncNamespace):
            def on_connect(self, sid, environ): ...
            async def on_joined(self, sid, data: dict):
                await self.emit("welcome", {"room": data["room"]})
            def helper(self): ...
        class Chat(socketio.Namespace):
            def __init__(self):
                super().__init__("/chat")
            def on_said(self, sid, *data):
                self.server.emit("root", {"n": 1})
        class Either(socketio.AsyncNamespace):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
            async def emit(self, event, data):
                await super().emit(event, data)
            async def on_asked(self, sid):
                await self.emit("answered", {"n": 1})
        sio = socketio.AsyncServer()
        sio.register_namespace(Either("/a"))
        sio.register_namespace(Either("/b"))
        sio.register_namespace(Rooms("/rooms"))
        sio.register_namespace(Chat())
        """
    program = project(tmp_path, {"app.py": source})
    found = [
        (use.direction, use.address, use.aliases, use.has_wire_name)
        for use in events(program, SOCKET_IO)
    ]
    assert found == [
        ("receive", "joined", ("/rooms",), True),
        ("send", "welcome", ("/rooms",), True),
        ("receive", "said", ("/chat",), True),
        ("send", "root", ("/",), True),
        ("receive", "asked", (), True),
        ("send", "answered", (), True),
    ]


def test_servers_that_are_handed_on_and_managers(tmp_path: Path) -> None:
    source = """
        import socketio
        class Server(socketio.AsyncServer): ...
        outside = socketio.RedisManager("redis://", write_only=True)
        own = Server()
        async def notify(sio, event, n: int):
            await sio.emit(event, {"n": n})
        async def paid():
            await notify(own, "paid", 1)
            outside.emit("stored", {"ok": True})
            await own.emit("done", {"ok": True})
        """
    assert exchanged(tmp_path, SOCKET_IO, source) == [
        "send paid paid: {n: integer[1]}",
        "send stored stored: {ok: boolean[True]}",
        "send done done: {ok: boolean[True]}",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        import socketio
        sio = socketio.Server()
        @sio.on("*")
        def every(event, sid, data): ...
        @sio.on("untyped")
        def untyped(sid, data): ...
        @sio.on("several")
        def several(sid, one, two): ...
        class Chosen(socketio.Namespace):
            async def trigger_event(self, event, *args): ...
            def on_something(self, sid, data): ...
        sio.emit(os.environ["EVENT"], {"n": 1})
        """
    assert exchanged(tmp_path, SOCKET_IO, source) == [
        "receive  (the handler takes every event that no other one takes): unknown: the handler "
        "takes every event",
        "receive untyped untyped: unknown: the handler declares no type for what the event carries",
        "receive several several: unknown: the event carries several values, which no contract "
        "can say alike",
        "receive  (the class decides itself which method handles an event): unknown: the handler "
        "declares no type for what the event carries",
        "send  (its address is not constant): {n: integer[1]}",
    ]


def test_clients_and_emitters_inside_the_process_are_no_channels(tmp_path: Path) -> None:
    source = """
        import socketio
        from pyee import EventEmitter
        sio = socketio.AsyncClient()
        ee = EventEmitter()
        @sio.event
        async def said(data): ...
        @ee.on("inside")
        def inside(data): ...
        async def talk(sio):
            await sio.emit("asked", {"n": 1})
            ee.emit("inside", {"n": 1})
        """
    assert exchanged(tmp_path, SOCKET_IO, source) == []
