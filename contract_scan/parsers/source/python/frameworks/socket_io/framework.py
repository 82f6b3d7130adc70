"""python-socketio: events that servers emit and take."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.socket_io.handlers import Reader
from contract_scan.parsers.source.python.frameworks.socket_io.servers import PYTHON_SOCKETIO
from contract_scan.parsers.source.python.messaging.uses import method_calls
from contract_scan.parsers.source.python.resolution.program_files import program_files

_NAMES = (b"import socketio", b"from socketio")
_MARKERS = (b"socketio", b"sio.", b"Namespace")
_CALLS = (b".emit(", b".call(", b".on(", b".send(")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every event that is emitted or handled."""
    if not program_files(program, *_NAMES):
        return
    reader = Reader(program, framework, PYTHON_SOCKETIO)
    for call, callee, scope in method_calls(program, *_CALLS):
        yield from reader.call_uses(call, callee, scope)
    for path in program_files(program, *_MARKERS):
        yield from reader.declared_uses(program.facts(path))


FRAMEWORK = Framework(
    name="python-socketio",
    markers=(*_NAMES, *_CALLS, b"sio.event"),
    calls=(*_CALLS, b"sio.event"),
    events=events,
    protocols=("ws", "http"),
)
