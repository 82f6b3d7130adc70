"""Web sockets of Litestar."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_what_sockets_take_and_send(tmp_path: Path) -> None:
    source = """
        from litestar import Controller, Litestar, Router, WebSocket, websocket
        from litestar.handlers import WebsocketRouteHandler
        from pydantic import BaseModel
        class Said(BaseModel):
            room: str
            text: str
        class Rooms(Controller):
            path = "/rooms"
            @websocket("/{room_id:int}")
            async def room(self, socket: WebSocket, room_id: int) -> None:
                await socket.accept()
                data = await socket.receive_json()
                print(data["text"], data.get("to"))
                await socket.send_json({"ok": True})
        @WebsocketRouteHandler("/chat")
        async def chat(socket: WebSocket) -> None:
            async for line in socket.iter_text():
                said = Said.model_validate_json(line)
                await socket.send_text(said.model_dump_json())
        app = Litestar([Router(path="/api", route_handlers=[Rooms]), chat])
        """
    assert exchanged(tmp_path, "Litestar", source) == [
        "receive /api/rooms/{room_id}: {text: anything, to-: anything}~",
        "send /api/rooms/{room_id}: {ok: boolean[True]}",
        "receive /chat Said: {room: string, text: string}",
        "send /chat Said: {room: string, text: string}",
    ]


def test_listeners_and_streams(tmp_path: Path) -> None:
    source = """
        from collections.abc import AsyncGenerator
        from dataclasses import dataclass
        from litestar import Litestar, WebSocket, websocket_listener
        from litestar.handlers import WebsocketListener, websocket_stream
        @dataclass
        class Said:
            text: str
        @dataclass
        class Heard:
            ok: bool
        @websocket_listener("/said")
        async def said(data: Said) -> Heard: ...
        @websocket_listener("/only")
        async def only(data: Said, socket: WebSocket) -> None:
            await socket.send_json({"seen": True})
        @websocket_listener("/echo")
        async def echo(data: str) -> str: ...
        class Chat(WebsocketListener):
            path = "/chat"
            async def on_accept(self, socket: WebSocket) -> None: ...
            async def on_receive(self, data: Said):
                return {"n": 1}
        @websocket_stream("/ticks")
        async def ticks() -> AsyncGenerator[Heard, None]:
            yield Heard(True)
        app = Litestar([said, only, echo, Chat, ticks])
        """
    assert exchanged(tmp_path, "Litestar", source) == [
        "send /said Heard: {ok: boolean}",
        "receive /said Said: {text: string}",
        "receive /only Said: {text: string}",
        "send /only: {seen: boolean[True]}",
        "send /echo: unknown: the message is text of which nothing is known",
        "receive /echo: unknown: the message is text of which nothing is known",
        "send /chat: {n: integer[1]}",
        "receive /chat Said: {text: string}",
        "send /ticks Heard: {ok: boolean}",
    ]


def test_sockets_that_are_undetermined_are_said(tmp_path: Path) -> None:
    source = """
        import os
        from litestar import Litestar, WebSocket, websocket, websocket_listener
        @websocket(os.environ["SOCKET"])
        async def unknown(socket: WebSocket) -> None:
            await tell(socket)
        @websocket_listener("/open", connection_lifespan=opened)
        async def while_open(data: int) -> None: ...
        @websocket_listener("/nothing")
        async def nothing() -> None: ...
        async def tell(socket: WebSocket) -> None:
            await socket.send_json({"n": 1})
        app = Litestar([unknown, nothing, while_open])
        """
    assert exchanged(tmp_path, "Litestar", source) == [
        "send /open: unknown: what is sent while the connection is open is not followed",
        "receive /open: integer",
        "receive /nothing: unknown: the listener has no parameter `data`",
        "send  (which socket it is sent to is undetermined): {n: integer[1]}",
    ]
