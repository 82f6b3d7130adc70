"""Flask-SocketIO: events that servers and the library's own functions emit, and handlers take."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Call, Name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.socket_io.handlers import Reader
from contract_scan.parsers.source.python.frameworks.socket_io.servers import FLASK_SOCKETIO
from contract_scan.parsers.source.python.messaging.uses import method_calls
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls
from contract_scan.parsers.source.python.resolution.program_files import program_files

_NAME = b"flask_socketio"
_MARKERS = (b"socketio", b"socket_io", b"sio.", b"Namespace")
_CALLS = (b".emit(", b".send(", b".call(", b".on_event(")
_FUNCTIONS = {"flask_socketio.emit": "emit", "flask_socketio.send": "send"}


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every event that is emitted or handled."""
    if not program_files(program, _NAME):
        return
    reader = Reader(program, framework, FLASK_SOCKETIO)
    for call, callee, scope in method_calls(program, *_CALLS):
        yield from reader.call_uses(call, callee, scope)
    for path in program_files(program, _NAME):
        for found, inside in all_calls(program, path):
            if isinstance(found, Call) and found.args and isinstance(found.callee, Name):
                function = _FUNCTIONS.get(program.qualified_name(found.callee, inside))
                if function is not None:
                    yield from reader.function(found, function, inside)
    for path in program_files(program, *_MARKERS):
        yield from reader.declared_uses(program.facts(path))


FRAMEWORK = Framework(
    name="Flask-SocketIO",
    markers=(_NAME, *_CALLS, b"emit(", b"send(", b"socketio.", b"sio.on", b"sio.event"),
    calls=(*_CALLS, b"emit(", b"send(", b"socketio.", b"sio.on", b"sio.event"),
    events=events,
    protocols=("ws", "http"),
)
