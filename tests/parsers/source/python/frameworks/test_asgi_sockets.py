"""Web sockets of FastAPI and Starlette."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    source = """
        import json
        from fastapi import APIRouter, FastAPI, WebSocket, WebSocketDisconnect
        from pydantic import BaseModel
        app = FastAPI()
        router = APIRouter(prefix="/live")
        class Message(BaseModel):
            room: str
            text: str
        @router.websocket("/rooms/{room_id}")
        async def room(websocket: WebSocket, room_id: str):
            await websocket.accept()
            try:
                while True:
                    data = await websocket.receive_json()
                    print(data["text"], data.get("to"))
                    await websocket.send_json({"ok": True})
            except WebSocketDisconnect:
                pass
        @app.websocket("/chat")
        async def chat(ws: WebSocket):
            async for line in ws.iter_text():
                message = Message.model_validate_json(line)
                await ws.send_text(message.model_dump_json())
        @app.websocket("/ticks")
        async def ticks(websocket: WebSocket):
            await websocket.send_text(json.dumps({"n": 1}))
        app.include_router(router, prefix="/api")
        """
    assert exchanged(tmp_path, "FastAPI", source) == [
        "receive /api/live/rooms/{room_id}: {text-: anything, to-: anything}~",
        "send /api/live/rooms/{room_id}: {ok: boolean[True]}",
        "receive /chat Message: {room: string, text: string}",
        "send /chat Message: {room: string, text: string}",
        "send /ticks: {n: integer[1]}",
    ]


def test_managers_send_to_the_only_socket(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI, WebSocket
        app = FastAPI()
        class Manager:
            def __init__(self):
                self.active: list[WebSocket] = []
            async def broadcast(self, message: dict):
                for connection in self.active:
                    await connection.send_json(message)
        manager = Manager()
        @app.websocket("/ws")
        async def ws(websocket: WebSocket):
            text = await websocket.receive_text()
            await manager.broadcast({"kind": "said", "text": text})
        """
    assert exchanged(tmp_path, "FastAPI", source) == [
        "receive /ws: unknown: the handler validates the message with no model",
        "send /ws: {kind: string['said'], text: unknown: the result of "
        "`fastapi.WebSocket.receive_text` comes from a library}",
    ]


HANDED_ON = """
    import json
    from fastapi import APIRouter, FastAPI, WebSocket
    from pydantic import BaseModel
    app = FastAPI()
    class Said(BaseModel):
        text: str
        to: str | None = None
    class Session:
        def __init__(self, websocket: WebSocket):
            self.websocket = websocket
        async def run(self):
            while True:
                await self.process(await self.websocket.receive_text())
        async def process(self, raw: str):
            said = Said.model_validate(json.loads(raw))
            await self.websocket.send_json(said.model_dump(exclude_none=True))
    @app.websocket("/ws")
    async def ws(websocket: WebSocket):
        await Session(websocket).run()
    """


def test_what_a_socket_is_handed_to_takes_messages(tmp_path: Path) -> None:
    assert exchanged(tmp_path, "FastAPI", HANDED_ON) == [
        "send /ws Said: {text: string, to-=: string}",
        "receive /ws Said: {text: string, to=: string?}",
    ]
    several = (
        HANDED_ON
        + """
    @app.websocket("/more")
    async def more(websocket: WebSocket):
        await Session(websocket).run()
    """
    )
    assert exchanged(tmp_path / "several", "FastAPI", several) == [
        "send  (which socket it is sent to is undetermined) Said: {text: string, to-=: string}",
        "receive  (which socket it is taken from is undetermined) Said: "
        "{text: string, to=: string?}",
    ]


def test_managers_of_several_sockets_are_undetermined(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI, WebSocket
        app = FastAPI()
        async def tell(connection: WebSocket):
            await connection.send_json({"n": 1})
        @app.websocket("/a")
        async def a(websocket: WebSocket):
            await tell(websocket)
        @app.websocket("/b")
        async def b(websocket: WebSocket):
            await tell(websocket)
        """
    assert exchanged(tmp_path, "FastAPI", source) == [
        "send  (which socket it is sent to is undetermined): {n: integer[1]}"
    ]


def test_routes_of_starlette(tmp_path: Path) -> None:
    source = """
        from starlette.applications import Starlette
        from starlette.routing import Mount, WebSocketRoute
        async def echo(websocket):
            await websocket.accept()
            data = await websocket.receive_json()
            await websocket.send_json({"echo": data["word"]})
        app = Starlette(routes=[Mount("/v1", routes=[WebSocketRoute("/echo", echo)])])
        """
    assert exchanged(tmp_path, "Starlette", source) == [
        "send /v1/echo: {echo: unknown: parameter `websocket` has no declared type}",
        "receive /v1/echo: {word: anything}~",
    ]
