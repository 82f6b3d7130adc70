"""A stand-in for the Messages API on the loopback interface, for the real Claude Code.

It answers by a script: for a conversation whose first message of the user holds a rule's `when`, it
gives the rule's turns one after the other. A turn is a list of texts and of `(tool, input)` pairs.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = str | tuple[str, dict[str, Any]]
Turn = Sequence[Block]


@dataclass(frozen=True)
class Conversation:
    """What the model says in a conversation that begins with such a message."""

    when: str
    """A pattern."""
    turns: Sequence[Turn]


class LoopbackApi:
    """The server, while it runs."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self._conversations = conversations
        self._ids = itertools.count(1)
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The message that follows a conversation so far."""
        self.requests.append(request)
        turn = self._turn(request["messages"])
        content: list[dict[str, Any]] = []
        for block in turn:
            if isinstance(block, str):
                content.append({"type": "text", "text": block})
            else:
                id = f"toolu_{next(self._ids):04}"
                name, arguments = block
                content.append({"type": "tool_use", "id": id, "name": name, "input": arguments})
        calls = any(block["type"] == "tool_use" for block in content)
        return {
            "id": f"msg_{next(self._ids):04}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 100},
        }

    def _turn(self, messages: Sequence[Mapping[str, Any]]) -> Turn:
        first = json.dumps(messages[0]["content"])
        said = sum(message["role"] == "assistant" for message in messages)
        for conversation in self._conversations:
            if re.search(conversation.when, first):
                turns = conversation.turns
                return turns[min(said, len(turns) - 1)]
        return ["There is nothing to do."]


@contextmanager
def loopback_api(*conversations: Conversation) -> Iterator[LoopbackApi]:
    """Serve until the block ends."""
    api = LoopbackApi(conversations)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if "count_tokens" in self.path:
                self._send("application/json", b'{"input_tokens": 1000}')
                return
            if "/v1/messages" not in self.path:
                self._send("application/json", b"{}")
                return
            request = json.loads(body)
            message = api.answer(request)
            if request.get("stream"):
                self._send("text/event-stream", b"".join(_events(message)))
            else:
                self._send("application/json", json.dumps(message).encode())

        def do_GET(self) -> None:
            self._send("application/json", b"{}")

        def do_HEAD(self) -> None:
            self._send("application/json", b"{}")

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    api.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()


def _events(message: dict[str, Any]) -> Iterator[bytes]:
    """The message as the events of a stream."""
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = (
                {"type": "text", "text": ""},
                {"type": "text_delta", "text": block["text"]},
            )
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=stopped, usage={"output_tokens": 100})
    yield _event("message_stop")


def _event(type: str, **fields: Any) -> bytes:
    return f"event: {type}\ndata: {json.dumps({'type': type, **fields})}\n\n".encode()
