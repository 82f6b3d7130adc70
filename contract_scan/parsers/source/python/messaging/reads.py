"""Which keys of a received message or request a handler reads.

A handler need not say what it takes a message for: it parses the text and reads keys. What it reads
by index it needs, what it reads by `.get` it can do without, and of all other fields nothing is
said: the shape has no name. What is read only in some cases (a handler that tells kinds of messages
apart) belongs to some messages alone: a contract without it is left in doubt. Where the whole
message is given to what cannot be looked into, the shape says that it is not complete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.facts import Expr
from contract_scan.parsers.source.link.values import FunctionValue, Scope
from contract_scan.parsers.source.python.messaging.parts import shape
from contract_scan.parsers.source.python.messaging.reader import LEVELS, Reader, function_scope

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


def of_message(program: Program, handler: FunctionValue, parsed: str = "") -> Schema | None:
    """What a handler reads of the message that it parses; None where it reads no keys, or parses
    more than one thing so that it cannot be told which is the message. `parsed`: what a library
    that has parsed it calls it (`message.value`)."""
    reader = Reader(program, parsed)
    scope = function_scope(program, handler)
    reader.function(scope, {}, 0, LEVELS)
    if reader.roots != 1:
        return None
    return shape(reader.root)


def of_parameter(program: Program, handler: FunctionValue, name: str) -> Schema | None:
    """What a function reads of what it is given for a parameter; None where it reads no keys."""
    reader = Reader(program)
    reader.function(function_scope(program, handler), {name: reader.root}, 0, LEVELS)
    return shape(reader.root)


def of_request(
    program: Program, handler: FunctionValue, begins: Callable[[Expr, Scope], bool]
) -> Schema | None:
    """What a handler reads of the body of its request; None where it reads no keys. `begins` says
    whether an expression is the body."""
    reader = Reader(program, begins=begins)
    reader.function(function_scope(program, handler), {}, 0, LEVELS)
    return shape(reader.root) if reader.roots else None
