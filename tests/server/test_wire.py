"""What the server makes of bytes that no editor should send: a real process, spoken to in bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.server.editor import ROOT

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED = -32002
PATIENCE = 60
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "init",
    "method": "initialize",
    "params": {"capabilities": {}},
}
PROBE = {
    "jsonrpc": "2.0",
    "id": "probe",
    "method": "textDocument/definition",
    "params": {
        "textDocument": {"uri": "file:///no/such.py"},
        "position": {"line": 0, "character": 0},
    },
}


def framed(content: bytes | object) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Wire:
    """Both ends of the streams of one server."""

    def __init__(self, process: subprocess.Popen[bytes], errors: BinaryIO) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin, self.stdout = process, process.stdin, process.stdout
        self._errors = errors

    def send(self, raw: bytes) -> None:
        self.stdin.write(raw)
        self.stdin.flush()

    def response(self) -> dict[str, object]:
        """The next message that is a response."""
        while True:
            length = 0
            while line := self.stdout.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name == b"Content-Length" else length
            assert length, "the server has gone"
            message: dict[str, object] = json.loads(self.stdout.read(length))
            if "method" not in message:
                return message

    def error(self) -> tuple[object, object]:
        """Id and code of the next response, which is an error."""
        response = self.response()
        error = response["error"]
        assert isinstance(error, dict)
        assert error["message"]
        return response["id"], error["code"]

    def initialize(self, **params: object) -> None:
        self.send(framed({**INITIALIZE, "params": {"capabilities": {}, **params}}))
        response = self.response()
        assert (response["id"], "result" in response) == ("init", True)

    def lives(self) -> None:
        """Show that the next request gets its answer."""
        self.send(framed(PROBE))
        assert self.response() == {"jsonrpc": "2.0", "id": "probe", "result": []}
        self._errors.seek(0)
        assert self._errors.read() == b""


@contextmanager
def server(patience: float = PATIENCE) -> Iterator[Wire]:
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, with the process
    process = subprocess.Popen(
        [sys.executable, "-m", "contract_scan", "server", "--no-cache"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
    )
    watchdog = threading.Timer(patience, process.kill)  # a response that never comes ends the test
    watchdog.start()
    wire = Wire(process, errors)
    try:
        yield wire
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        with suppress(BrokenPipeError):
            wire.stdin.close()
        wire.stdout.close()
        errors.close()


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    """A server that lives on from test to test, whatever it is sent."""
    with server(10 * PATIENCE) as started:
        started.initialize()
        yield started


HEADERS = {
    "huge length": b"Content-Length: 99999999999\r\n\r\n",
    "length of 5,000 digits": b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    "negative length": b"Content-Length: -5\r\n\r\n",
    "length that is no number": b"Content-Length: many\r\n\r\n",
    "hexadecimal length": b"Content-Length: 0x10\r\n\r\n",
    "no length": b"Content-Type: application/vscode-jsonrpc\r\n\r\n",
    "two lengths": b"Content-Length: 99999999991\r\nContent-Length: 99999999992\r\n\r\n",
    "no header": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "endless line": b"x" * 200_000,
    "NUL and other bytes": b"\x00\xff\xfe\x80\r\n\r\n",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS.keys())
def test_a_header_that_gives_no_length_is_a_parse_error(header: bytes, wire: Wire) -> None:
    wire.send(header)
    assert wire.error() == (None, PARSE_ERROR)
    wire.lives()


def test_a_message_behind_one_that_is_too_long_for_its_header_is_found(wire: Wire) -> None:
    wire.send(b"Content-Length: 2\r\n\r\n{}" + b'"more": "than announced"}' + framed(PROBE))
    assert wire.error() == (None, INVALID_REQUEST)
    assert wire.error() == (None, PARSE_ERROR)
    assert wire.response() == {"jsonrpc": "2.0", "id": "probe", "result": []}


def test_headers_are_read_in_any_case_and_order(wire: Wire) -> None:
    body = json.dumps(PROBE).encode()
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    wire.send(kind + b"content-LENGTH:%d\r\n\r\n" % len(body) + body)
    assert wire.response() == {"jsonrpc": "2.0", "id": "probe", "result": []}


def call(**members: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 7, **members}


MALFORMED: dict[str, tuple[object, tuple[object, int]]] = {
    "nothing": (b"", (None, PARSE_ERROR)),
    "half of an object": (b'{"jsonrpc": "2.0", "id": 7, "meth', (None, PARSE_ERROR)),
    "no UTF-8": (b'{"jsonrpc": "\xff\xfe"}', (None, PARSE_ERROR)),
    "deep nesting": (b"[" * 200_000, (None, PARSE_ERROR)),
    "a number of 5,000 digits": (b'{"id": ' + b"9" * 5_000 + b"}", (None, PARSE_ERROR)),
    "a batch": ([PROBE], (None, INVALID_REQUEST)),
    "an empty batch": ([], (None, INVALID_REQUEST)),
    "a text": ("hello", (None, INVALID_REQUEST)),
    "null": (b"null", (None, INVALID_REQUEST)),
    "no version": ({"id": 7, "method": "shutdown"}, (7, INVALID_REQUEST)),
    "another version": (
        {"jsonrpc": "1.0", "id": 7, "method": "shutdown"},
        (7, INVALID_REQUEST),
    ),
    "no method": (call(), (7, INVALID_REQUEST)),
    "a method that is a number": (call(method=1, params="bar"), (7, INVALID_REQUEST)),
    "a method that is null": (call(method=None), (7, INVALID_REQUEST)),
    "an id that is null": (call(id=None, method="shutdown"), (None, INVALID_REQUEST)),
    "an id that is an object": (call(id={}, method="shutdown"), (None, INVALID_REQUEST)),
    "an id that is true": (call(id=True, method="shutdown"), (None, INVALID_REQUEST)),
    "a notification without a method": ({"jsonrpc": "2.0"}, (None, INVALID_REQUEST)),
    "no such method": (call(method="no/such"), (7, NO_METHOD)),
    "no such method, with parameters": (call(method="no/such", params={}), (7, NO_METHOD)),
    "no such method, with a list": (call(method="no/such", params=[1]), (7, NO_METHOD)),
    "no parameters": (call(method="textDocument/hover"), (7, INVALID_PARAMS)),
    "parameters that are a text": (
        call(method="textDocument/hover", params="x"),
        (7, INVALID_PARAMS),
    ),
    "parameters that are a list": (
        call(method="textDocument/hover", params=[]),
        (7, INVALID_PARAMS),
    ),
    "parameters that are null": (
        call(method="textDocument/hover", params=None),
        (7, INVALID_PARAMS),
    ),
    "a position without a line": (
        call(
            method="textDocument/hover",
            params={"textDocument": {"uri": "file:///x"}, "position": {"character": 1}},
        ),
        (7, INVALID_PARAMS),
    ),
    "a negative line": (
        call(
            method="textDocument/hover",
            params={
                "textDocument": {"uri": "file:///x"},
                "position": {"line": -1, "character": 1},
            },
        ),
        (7, INVALID_PARAMS),
    ),
    "exit, which wants no response": (call(method="exit"), (7, NO_METHOD)),
    "initialize once more": ({**INITIALIZE, "id": 7}, (7, INVALID_REQUEST)),
}


@pytest.mark.parametrize(("content", "expected"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_request_gets_its_error(
    content: object, expected: tuple[object, int], wire: Wire
) -> None:
    wire.send(framed(content))
    assert wire.error() == expected
    wire.lives()


@pytest.mark.parametrize(
    "content",
    [
        {"jsonrpc": "2.0", "method": "no/such", "params": {}},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen"},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest"},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": []}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": {}}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "never made"}},
        {"jsonrpc": "2.0", "id": "nobody asked", "result": 1},
        {"jsonrpc": "2.0", "id": {}, "result": 1},
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "yours"}},
        {"jsonrpc": "2.0", "id": 1, "error": "no object"},
    ],
    ids=json.dumps,
)
def test_what_wants_no_response_gets_none(content: object, wire: Wire) -> None:
    wire.send(framed(content))
    wire.lives()


@pytest.mark.parametrize(
    "uri",
    [
        "file:",
        "file://[",
        "file:///a%00b.py",
        "file:///\ud800.py",
        "file:///" + "a/" * 50_000,
        "file://elsewhere/etc/passwd",
    ],
    ids=lambda uri: ascii(uri[:20]),
)
def test_an_address_of_no_file_is_no_file(uri: str, wire: Wire) -> None:
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "x"}
    position = {"line": 0, "character": 0}
    for method, params in {
        "textDocument/didOpen": {"textDocument": item},
        "textDocument/didClose": {"textDocument": {"uri": uri}},
        "workspace/didChangeWatchedFiles": {"changes": [{"uri": uri, "type": 1}]},
        "workspace/didChangeWorkspaceFolders": {
            "event": {"added": [{"uri": uri, "name": "x"}], "removed": []}
        },
    }.items():
        wire.send(framed({"jsonrpc": "2.0", "method": method, "params": params}))
    hover = {"textDocument": {"uri": uri}, "position": position}
    wire.send(framed(call(method="textDocument/hover", params=hover)))
    assert wire.response() == {"jsonrpc": "2.0", "id": 7, "result": None}
    wire.lives()


def test_requests_before_initialize_and_after_shutdown_are_refused() -> None:
    with server() as wire:
        wire.send(framed(PROBE))
        assert wire.error() == ("probe", NOT_INITIALIZED)
        wire.send(framed({**INITIALIZE, "params": {"capabilities": 3}}))
        assert wire.error() == ("init", INVALID_PARAMS)
        wire.initialize()
        wire.lives()
        wire.send(framed(call(method="shutdown")))
        assert wire.response() == {"jsonrpc": "2.0", "id": 7, "result": None}
        wire.send(framed(PROBE))
        assert wire.error() == ("probe", INVALID_REQUEST)
        wire.send(framed({"jsonrpc": "2.0", "method": "exit"}))
        assert wire.process.wait(PATIENCE) == 0


def test_exit_without_shutdown_is_status_1() -> None:
    for begin in ((), (INITIALIZE,)):
        with server() as wire:
            for message in (*begin, {"jsonrpc": "2.0", "method": "exit"}):
                wire.send(framed(message))
            assert wire.process.wait(PATIENCE) == 1


def test_the_end_of_the_input_ends_the_server_also_within_a_message() -> None:
    for last in (b"", b"Content-Le", b"Content-Length: 500\r\n\r\n{"):
        with server() as wire:
            wire.initialize()
            wire.send(last)
            wire.stdin.close()
            assert wire.process.wait(PATIENCE) == 1


@pytest.mark.skipif(os.name != "posix", reason="processes are watched on POSIX systems only")
@pytest.mark.parametrize("is_reaped", [True, False], ids=["gone", "a zombie"])
def test_a_client_that_dies_ends_the_server_though_its_streams_stay_open(is_reaped: bool) -> None:
    client = subprocess.Popen(["sleep", "600"])
    with server() as wire:
        wire.initialize(processId=client.pid)
        wire.lives()
        client.kill()
        if is_reaped:
            client.wait()
        assert wire.process.wait(PATIENCE) == 1
    client.wait()


def test_a_client_that_is_gone_before_it_speaks_ends_the_server() -> None:
    client = subprocess.Popen([sys.executable, "-c", ""], cwd=Path("/"))
    client.wait()
    with server() as wire:
        wire.initialize(processId=client.pid)
        assert wire.process.wait(PATIENCE) == 1


def test_a_client_without_a_process_is_not_watched() -> None:
    with server() as wire:
        wire.initialize(processId=None)
        wire.lives()
