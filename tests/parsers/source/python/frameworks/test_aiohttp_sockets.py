"""Web sockets of aiohttp's server."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_what_sockets_take_and_send(tmp_path: Path) -> None:
    source = """
        import json
        from aiohttp import WSMsgType, web
        from pydantic import BaseModel
        class Said(BaseModel):
            room: str
            text: str
        async def room(request):
            ws = web.WebSocketResponse()
            await ws.prepare(request)
            async for msg in ws:
                if msg.type == WSMsgType.TEXT:
                    data = msg.json()
                    print(data["text"], data.get("to"))
                    await ws.send_json({"ok": True})
            return ws
        async def chat(request: web.Request) -> web.WebSocketResponse:
            ws = web.WebSocketResponse(heartbeat=30)
            await ws.prepare(request)
            while not ws.closed:
                said = Said.model_validate_json(await ws.receive_str())
                await ws.send_str(said.model_dump_json())
            return ws
        class Ticks(web.View):
            async def get(self):
                socket = web.WebSocketResponse()
                await socket.prepare(self.request)
                await socket.send_str(json.dumps({"n": 1}))
                return socket
        async def asked(request):
            ws = web.WebSocketResponse()
            await ws.prepare(request)
            question = await ws.receive_json()
            await ws.send_json({"answer": 42, "to": question["id"]})
            return ws
        api = web.Application()
        api.add_routes([web.get(r"/rooms/{room_id:\\\\d+}", room), web.view("/ticks", Ticks)])
        app = web.Application()
        app.router.add_get("/chat", chat)
        app.router.add_get("/asked", asked)
        app.add_subapp("/api", api)
        """
    assert exchanged(tmp_path, "aiohttp", source) == [
        "send /api/rooms/{room_id}: {ok: boolean[True]}",
        "send /chat Said: {room: string, text: string}",
        "send /api/ticks: {n: integer[1]}",
        "send /asked: {answer: integer[42], to: unknown: the value of "
        "`aiohttp.web.WebSocketResponse().receive_json().id` comes from a library}",
        "receive /api/rooms/{room_id}: {text: anything, to-: anything}~",
        "receive /chat Said: {room: string, text: string}",
        "receive /asked: {id: anything}~",
    ]


def test_sockets_that_are_kept_and_handed_on(tmp_path: Path) -> None:
    source = """
        from aiohttp import web
        async def opened(request) -> web.WebSocketResponse:
            ws = web.WebSocketResponse()
            await ws.prepare(request)
            return ws
        class Hub:
            def __init__(self):
                self.open: set[web.WebSocketResponse] = set()
            async def tell(self, n: int):
                for ws in self.open:
                    await ws.send_json({"n": n})
            async def listen(self, ws: web.WebSocketResponse):
                while True:
                    message = await ws.receive_json()
                    await self.tell(message["n"])
        hub = Hub()
        async def handler(request):
            ws = await opened(request)
            await hub.listen(ws)
            return ws
        app = web.Application()
        app.router.add_get("/ws", handler)
        """
    assert exchanged(tmp_path, "aiohttp", source) == [
        "receive /ws: {n: anything}~",
        "send /ws: {n: unknown: the value of "
        "`aiohttp.web.WebSocketResponse().receive_json().n` comes from a library}",
    ]


def test_sockets_that_are_undetermined_are_said(tmp_path: Path) -> None:
    source = """
        import os
        from aiohttp import web
        async def tell(ws: web.WebSocketResponse):
            await ws.send_json({"n": 1})
        async def a(request):
            ws = web.WebSocketResponse()
            async for msg in ws:
                await tell(ws)
            return ws
        async def b(request):
            ws = web.WebSocketResponse()
            await tell(ws)
            return ws
        app = web.Application()
        app.router.add_get(os.environ["SOCKET"], a)
        app.router.add_get("/b", b)
        """
    assert exchanged(tmp_path, "aiohttp", source) == [
        "send  (which socket it is sent to is undetermined): {n: integer[1]}",
        "receive  (the path of the socket is undetermined): unknown: the handler validates the "
        "message with no model",
    ]


def test_sockets_of_the_client_are_no_channels(tmp_path: Path) -> None:
    source = """
        import aiohttp
        from aiohttp import web
        async def ask(session: aiohttp.ClientSession):
            async with session.ws_connect("https://example.org/ws") as ws:
                await ws.send_json({"asked": True})
                async for msg in ws:
                    print(msg.json()["answer"])
        async def forward(ws):
            await ws.send_json({"forwarded": True})
        async def handler(request):
            ws = web.WebSocketResponse()
            await ws.prepare(request)
            await ws.send_json({"hello": True})
            return ws
        app = web.Application()
        app.router.add_get("/ws", handler)
        """
    assert exchanged(tmp_path, "aiohttp", source) == ["send /ws: {hello: boolean[True]}"]
