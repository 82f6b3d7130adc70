"""The wire: messages over standard input and output, whatever a client sends.

pygls stops at a header that it cannot read, and leaves requests without an answer that are not
formed as JSON-RPC 2.0 and the Language Server Protocol 3.17 say. Here every request gets a
response, an error where it has to be one, and the server lives on.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from lsprotocol import types
from msgspec import Struct
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from contract_scan.reports.display import display

MOST_BYTES: Final = 64 << 20
"""Of one message: far more than any file that is scanned."""
_MOST_HEADER_BYTES: Final = 8 << 10
_CHUNK: Final = 64 << 10
_BETWEEN_LOOKS: Final = 1.0
"""Seconds between two looks at whether the client's process lives."""

_HEADER_END = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(rb"([!-9;-~]++):(.*)")
_LENGTH = re.compile(rb"content-length:[ \t]*[0-9]{1,8}[ \t]*\r?\n", re.IGNORECASE)
_LONGEST_LENGTH: Final = 64
"""Bytes that a field with a length takes at most; that many are kept while one is looked for."""


class Unreadable(Struct, frozen=True):
    """Bytes that are no message, and why."""

    reason: str


_TOO_LONG: Final = Unreadable(f"a header is longer than {_MOST_HEADER_BYTES} bytes")


def frames(read: Callable[[int], bytes]) -> Iterator[bytes | Unreadable]:
    """The content of every message of a stream. `read` gives at most so many bytes, none at the
    end. Behind bytes that are no message, reading goes on at the next header with a length."""
    held = bytearray()

    def more() -> bool:
        new = read(_CHUNK)
        held.extend(new)
        return bool(new)

    while True:
        del held[: len(held) - len(held.lstrip(b"\r\n"))]
        end = _HEADER_END.search(held)
        if end is None and len(held) <= _MOST_HEADER_BYTES:
            if not more():
                return
            continue
        header = bytes(held[: end.start()]) if end is not None else None
        length = _TOO_LONG if header is None else _content_length(header)
        if isinstance(length, Unreadable):
            yield length
            if not _skip_to_length(held, more):
                return
            continue
        start = end.end() if end is not None else 0
        while len(held) < start + length:
            if not more():
                return
        content = bytes(held[start : start + length])
        del held[: start + length]
        yield content


def _content_length(header: bytes) -> int | Unreadable:
    """The length that a header gives; else why it gives none."""
    given: set[bytes] = set()
    for line in re.split(rb"\r?\n", header):
        field = _FIELD.fullmatch(line)
        if field is None:
            return Unreadable("a header has a line that is not `name: value`")
        if field[1].lower() == b"content-length":
            given.add(field[2].strip(b" \t"))
    if len(given) != 1:
        return Unreadable("a header needs one Content-Length")
    (length,) = given
    if not re.fullmatch(rb"[0-9]{1,8}", length) or int(length) > MOST_BYTES:
        return Unreadable(f"Content-Length has to be a number of bytes up to {MOST_BYTES}")
    return int(length)


def _skip_to_length(held: bytearray, more: Callable[[], bool]) -> bool:
    """Drop what stands before the next field with a length; whether there is one."""
    del held[:1]  # so that the same header is not found again
    while (found := _LENGTH.search(held)) is None:
        del held[:-_LONGEST_LENGTH]
        if not more():
            return False
    del held[: found.start()]
    return True


class Connection:
    """One client. All but the reading happens in the event loop."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._is_initialized = self._is_shut_down = False
        self._ended = asyncio.Event()
        self._watch: asyncio.Task[None] | None = None
        self._writer: StdoutWriter | None = None

    async def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Answer until the client says `exit`, closes its end, or its process is gone."""
        loop = asyncio.get_running_loop()
        self._writer = StdoutWriter(stdout)
        self._server.protocol.set_writer(self._writer)

        def read_frames() -> None:
            # From the descriptor itself: an interpreter that ends does not wait for the lock of a
            # buffer that a thread holds for ever.
            with suppress(OSError, RuntimeError):  # the loop is closed: nobody reads any more
                for frame in frames(lambda size: os.read(stdin.fileno(), size)):
                    asyncio.run_coroutine_threadsafe(self._handle_frame(frame), loop).result()
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._ended.set)

        threading.Thread(target=read_frames, name="messages", daemon=True).start()
        await self._ended.wait()

    async def _handle_frame(self, frame: bytes | Unreadable) -> None:
        if isinstance(frame, Unreadable):
            self._refuse(None, types.ErrorCodes.ParseError, frame.reason)
            return
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError) as error:
            self._refuse(None, types.ErrorCodes.ParseError, f"not JSON: {error}")
            return
        identity = message.get("id") if isinstance(message, dict) else None
        if isinstance(identity, bool) or not isinstance(identity, int | str):
            identity = None
        reason = _malformed_reason(message)
        if reason:
            self._refuse(identity, types.ErrorCodes.InvalidRequest, reason)
        else:
            try:
                self._dispatch(identity, message)
            except BrokenPipeError:
                self._ended.set()
            except Exception as error:  # one message that upsets a library is not the end
                if identity is None:
                    self._ignore(message.get("method", "a response"))
                    return
                reason = f"internal error: {type(error).__name__}: {error}"
                self._refuse(identity, types.ErrorCodes.InternalError, reason)

    def _dispatch(self, identity: int | str | None, message: dict[str, Any]) -> None:
        if "method" not in message:
            with suppress(JsonRpcException):  # a response; nobody waits for one that is broken
                self._deliver(message)
        elif identity is not None:
            self._request(identity, message["method"], message)
        else:
            self._notification(message["method"], message)

    def _request(self, identity: int | str, method: str, message: dict[str, Any]) -> None:
        refusal = self._why_not(method)
        if refusal is not None:
            self._refuse(identity, *refusal)
            return
        try:
            self._deliver(message)
        except JsonRpcException:
            reason = f"the parameters of {method} are not those of the protocol"
            self._refuse(identity, types.ErrorCodes.InvalidParams, reason)
            return
        if method == types.INITIALIZE:
            self._is_initialized = True
            self._watch_client()
        self._is_shut_down |= method == types.SHUTDOWN

    def _why_not(self, method: str) -> tuple[types.ErrorCodes, str] | None:
        """The error for a request that cannot be made now, or ever."""
        if self._is_shut_down:
            return types.ErrorCodes.InvalidRequest, "the server is shut down"
        if not self._is_initialized and method != types.INITIALIZE:
            return types.ErrorCodes.ServerNotInitialized, "initialize comes first"
        if self._is_initialized and method == types.INITIALIZE:
            return types.ErrorCodes.InvalidRequest, "the server is initialized already"
        if not self._is_known(method) or method == types.EXIT:  # exit is a notification alone
            return types.ErrorCodes.MethodNotFound, f"no such method: {method}"
        return None

    def _notification(self, method: str, message: dict[str, Any]) -> None:
        if method == types.EXIT:
            self._ended.set()
            return
        if self._is_shut_down or not self._is_initialized:
            return
        if not self._is_known(method) and method != types.CANCEL_REQUEST:
            return
        try:
            self._deliver(message)
        except JsonRpcException:
            self._ignore(method)

    def _ignore(self, method: str) -> None:
        """Say why nothing is done about a notification: nobody waits for a response to one."""
        text = display(f"{method} is ignored: its parameters are not those of the protocol")
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))

    def _is_known(self, method: str) -> bool:
        features = self._server.protocol.fm
        return method in features.features or method in features.builtin_features

    def _deliver(self, message: dict[str, Any]) -> None:
        """Hand a message to its handler. Raises JsonRpcException where its parameters have another
        shape."""
        protocol = self._server.protocol
        protocol.handle_message(protocol.structure_message(message))

    def _refuse(self, identity: int | str | None, code: types.ErrorCodes, reason: str) -> None:
        error = {"code": code.value, "message": display(reason)}
        response = {"jsonrpc": "2.0", "id": identity, "error": error}
        content = json.dumps(response).encode()
        if self._writer is not None:
            with suppress(BrokenPipeError):  # reading tells of the end
                self._writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))

    def _watch_client(self) -> None:
        process = self._server.process_id
        if process is not None and process > 0 and os.name == "posix":
            self._watch = asyncio.create_task(self._end_with(process))

    async def _end_with(self, process: int) -> None:
        while is_alive(process):
            await asyncio.sleep(_BETWEEN_LOOKS)
        self._ended.set()


def _malformed_reason(message: object) -> str:
    """Why something is no message of JSON-RPC 2.0; empty where it is one."""
    if not isinstance(message, dict):
        return "a message has to be one object"
    if message.get("jsonrpc") != "2.0":
        return 'a message needs "jsonrpc": "2.0"'
    if "method" not in message and ("result" in message or "error" in message):
        return ""  # a response, whatever its id
    if "id" in message:
        identity = message["id"]
        if isinstance(identity, bool) or not isinstance(identity, int | str):
            return "the id of a request has to be a number or a string"
    if not isinstance(message.get("method"), str):
        return "a message needs a method, which is a string"
    return ""


def is_alive(process: int) -> bool:
    """Whether a process of that number runs. One that has ended does not, also where its parent
    has not asked how."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        # It has ended since, or this is a system without that folder.
        return not Path("/proc/self/stat").exists()
    return state not in (b"Z", b"X")
