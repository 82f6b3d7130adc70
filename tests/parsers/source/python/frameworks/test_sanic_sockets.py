"""Web sockets of Sanic."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_what_sockets_take_and_send(tmp_path: Path) -> None:
    source = """
        import json
        from pydantic import BaseModel
        from sanic import Blueprint, Sanic
        app = Sanic("shop")
        live = Blueprint("live", url_prefix="/live", version=1)
        class Said(BaseModel):
            room: str
            text: str
        @live.websocket("/rooms/<room_id:int>")
        async def room(request, socket, room_id):
            while True:
                data = json.loads(await socket.recv())
                print(data["text"], data.get("to"))
                await socket.send(json.dumps({"ok": True}))
        @app.websocket("/chat")
        async def chat(request, ws):
            async for line in ws:
                said = Said.model_validate_json(line)
                await ws.send(said.model_dump_json())
        async def ticks(request, ws):
            await ws.send(json.dumps({"n": 1}))
        app.add_websocket_route(ticks, "/ticks")
        app.blueprint(live)
        """
    assert exchanged(tmp_path, "Sanic", source) == [
        "receive /v1/live/rooms/{room_id}: {text: anything, to-: anything}~",
        "send /v1/live/rooms/{room_id}: {ok: boolean[True]}",
        "receive /chat Said: {room: string, text: string}",
        "send /chat Said: {room: string, text: string}",
        "send /ticks: {n: integer[1]}",
    ]


def test_sockets_that_are_kept(tmp_path: Path) -> None:
    source = """
        import json
        from sanic import Sanic, Websocket
        app = Sanic("shop")
        class Hub:
            def __init__(self):
                self.open: set[Websocket] = set()
            async def tell(self, n: int):
                for ws in self.open:
                    await ws.send(json.dumps({"n": n}))
        hub = Hub()
        @app.websocket("/feed")
        async def feed(request, ws):
            hub.open.add(ws)
            await hub.tell(1)
        """
    assert exchanged(tmp_path, "Sanic", source) == ["send /feed: {n: integer[1]}"]


def test_sockets_that_are_undetermined_are_said(tmp_path: Path) -> None:
    source = """
        import json
        import os
        from sanic import Sanic, Websocket
        app = Sanic("shop")
        async def tell(ws: Websocket):
            await ws.send(json.dumps({"n": 1}))
        @app.websocket(os.environ["SOCKET"])
        async def a(request, ws):
            await ws.recv()
            await tell(ws)
        @app.websocket("/b")
        async def b(request, ws):
            await tell(ws)
        """
    assert exchanged(tmp_path, "Sanic", source) == [
        "send  (which socket it is sent to is undetermined): {n: integer[1]}",
        "receive  (the path of the socket is undetermined): unknown: the handler validates the "
        "message with no model",
    ]


def test_sockets_of_clients_are_no_channels(tmp_path: Path) -> None:
    source = """
        import json
        import websockets
        from sanic import Sanic
        app = Sanic("shop")
        async def ask():
            async with websockets.connect("wss://example.org") as ws:
                await ws.send(json.dumps({"asked": True}))
                print(json.loads(await ws.recv())["answer"])
        @app.websocket("/feed")
        async def feed(request, ws):
            await ws.send(json.dumps({"hello": True}))
        """
    assert exchanged(tmp_path, "Sanic", source) == ["send /feed: {hello: boolean[True]}"]
