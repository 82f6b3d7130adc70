"""Which keys of a received message or request a handler reads.

A handler need not say what it takes a message for: it parses the text and reads keys. What it reads
by index it needs, what it reads by `.get` it can do without, and of all other fields nothing is
said: the shape has no name. What is read only in some cases (a handler that tells kinds of messages
apart) belongs to some messages alone: a contract without it is left in doubt, unless kinds are told
by a constant: then the handler is read for each of them. Where the whole
message is given to what cannot be looked into, the shape says that it is not complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Expr
from contract_scan.parsers.source.python.messaging.kinds import Kinds
from contract_scan.parsers.source.python.messaging.part_reader import LEVELS, function_scope
from contract_scan.parsers.source.python.messaging.parts import shape
from contract_scan.parsers.source.python.messaging.reader import Reader


class MessageUsage(Struct, frozen=True, eq=False):
    """What a handler takes a message for."""

    read: Schema | None
    """What it reads of it; None where it reads no keys."""
    models: tuple[ClassSymbol, ...] = ()
    """Classes that it makes of the whole of it."""
    is_open: str = ""
    """Why more may be read."""


def of_message(program: Program, handler: FunctionValue, parsed: str = "") -> MessageUsage:
    """What a handler takes the message that it parses for; nothing where it parses more than one
    thing, so that it is undetermined which is the message. `parsed`: what a library that has parsed
    it calls it (`message.value`)."""
    return _message_reads(_run_reader(program, handler, parsed, Kinds()))


def of_kinds(
    program: Program, handler: FunctionValue, parsed: str = ""
) -> Iterator[tuple[str, MessageUsage]]:
    """What a handler takes each kind of message for, where it tells kinds apart: the text that it
    compares a key of the message, or its address, with."""
    kinds = _run_reader(program, handler, parsed, Kinds()).reads.kinds
    for name in kinds.names():
        reader = _run_reader(program, handler, parsed, Kinds(kinds.values, name))
        if reader.reads.roots == 1:
            yield name, _message_reads(reader)


def _run_reader(program: Program, handler: FunctionValue, parsed: str, kinds: Kinds) -> Reader:
    reader = Reader(program, parsed, kinds=kinds)
    reader.function(function_scope(program, handler), {}, 0, LEVELS)
    return reader


def _message_reads(reader: Reader) -> MessageUsage:
    found = reader.reads
    models = {model.key: model for model in found.models}
    read = shape(found.root) if found.roots == 1 else None
    return MessageUsage(read, tuple(models.values()), found.root.open)


def of_parameter(program: Program, handler: FunctionValue, name: str) -> Schema | None:
    """What a function reads of what it is given for a parameter; None where it reads no keys."""
    reader = Reader(program)
    reader.function(function_scope(program, handler), {name: reader.reads.root}, 0, LEVELS)
    return shape(reader.reads.root)


def of_request(
    program: Program,
    handler: FunctionValue,
    begins: Callable[[Expr, Scope], bool],
    *,
    parses: bool = True,
    holds: Callable[[Expr, Scope], bool | None] | None = None,
) -> Schema | None:
    """What a handler reads of a part of its request; None where it reads no keys. `begins` says
    whether an expression is that part; `parses`: what the handler parses is that part, too;
    `holds`: whether a test holds for the requests that are meant, where that is known."""
    reader = Reader(program, begins=begins, parses=parses, is_request=True, holds=holds)
    return _read_from(reader, function_scope(program, handler))


def of_received(
    program: Program, handler: FunctionValue, begins: Callable[[Expr, Scope], bool]
) -> Schema | None:
    """What a handler reads of messages that it waits for itself; None where it reads no keys.
    `begins` says whether an expression is such a message."""
    return _read_from(Reader(program, begins=begins), function_scope(program, handler))


def _read_from(reader: Reader, inside: Scope) -> Schema | None:
    reader.function(inside, {}, 0, LEVELS)
    return shape(reader.reads.root) if reader.reads.roots else None
