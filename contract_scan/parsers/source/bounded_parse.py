"""Parsing with limits of work, memory and time.

A grammar's recovery from errors may take minutes for one line. The parser says how far it is after
every hundred operations, and is stopped where these are too many for the length of the text: they
are the same on every machine. A clock stops what takes long in few operations.

One operation may take gigabytes as well: where a long text ends within ambiguous operators, the
parser makes a list of everything before for each way to read them, and a parser that gets no more
memory ends its process. A text of many operations is therefore first parsed to its end by a copy of
this process with a limit of memory; this process goes on where the copy has got through.
"""

from __future__ import annotations

import os
import time

from contract_scan.errors import SourceError

TYPE_CHECKING = False  # who only looks for changes does not wait for `typing`
if TYPE_CHECKING:
    from tree_sitter import Parser, Point, Tree

    from contract_scan.ir.reasons import Reason

OPERATIONS_PER_CALL = 100
"""Operations of the parser between two calls (`OP_COUNT_PER_PARSER_CALLBACK_CHECK` of its core)."""
CALLS_PER_LOOK = 8
"""Calls between two looks at the clock."""
OPERATIONS_PER_BYTE = 8
"""Code that people write takes 0.5 to 1.8, tables of numbers and other dense text up to 6."""
FREE_OPERATIONS = 10_000
"""What a text of any length may take."""
MOST_OPERATIONS = 8_000_000
OPERATIONS_ALONE = 40_000
"""What is done without a copy that goes ahead: some 50 KB of code. Fewer take a part of `MEMORY`
only, however ambiguous the text."""
MEMORY = 512 << 20
"""Bytes that parsing one text may take."""
SECONDS = 5.0
"""Processor time that parsing one text may take; a megabyte of code takes about 0.1."""
_PATIENCE = 60.0
"""Seconds after which a copy is ended."""
_SMALL = 4096
"""Bytes of a text that is parsed without counting: not even quadratic work takes long there."""
_CHUNK = 1 << 16
"""Bytes that the parser is handed at a time."""
_NODE = 1 << 8
"""Bytes that are handed over at a time where the text of a node is asked for: most are names."""

TOO_MUCH_WORK = "parser-step-limit"
TOO_MUCH_MEMORY = "parser-memory-limit"
TOO_SLOW = "parser-time-limit"
"""Codes of the reasons why a text is not parsed. What rests on `TOO_SLOW` is not kept: a faster
machine may read the same text."""

_last: tuple[Parser, bytes, Tree] | None = None
"""The last text that took many operations, with its tree: bodies and fixes ask for it again, and it
may take seconds."""


def limit_reason(code: str) -> Reason:
    """The reason why a text is not parsed, of its code. The table of reasons is read here, where
    one is told: most texts need none."""
    from contract_scan.ir.reasons import Reason

    if code == TOO_MUCH_MEMORY:
        return Reason("parser-memory-limit", memory=MEMORY >> 20)
    if code == TOO_SLOW:
        return Reason("parser-time-limit", seconds=f"{SECONDS:.0f}")
    return Reason("parser-step-limit")


class ParseLimitError(SourceError):
    """A text that takes too much to parse; `code` is one of the three above."""

    def __init__(self, code: str) -> None:
        super().__init__(limit_reason(code))
        self.code = code


def parse(parser: Parser, content: bytes) -> Tree:
    """The syntax tree of a text.

    Raises:
        ParseLimitError: it takes too much work, memory or time.
    """
    global _last
    if len(content) <= _SMALL:
        return parser.parse(content)
    if _last is not None and _last[0] is parser and _last[1] == content:
        return _last[2]
    limits = _Limits(len(content))
    size = _CHUNK

    def read(offset: int, _point: Point) -> bytes:
        return content[offset : offset + size]

    try:
        tree = parser.parse(read, progress_callback=limits.are_reached)
    except ValueError:
        parser.reset()
        raise ParseLimitError(limits.code) from None
    except SystemError as error:
        # What a signal raises while a text is read (an interrupt, too much memory), the parser does
        # not hand on: it asks for more, and Python complains of that.
        parser.reset()
        raise error.__cause__ or error from None
    finally:
        if limits.is_copy:
            os._exit(0)
    size = _NODE  # the tree asks again for the text of each node
    if limits.are_many:
        _last = (parser, content, tree)
    return tree


class _Limits:
    """What parsing one text may still take."""

    def __init__(self, length: int) -> None:
        most = min(MOST_OPERATIONS, FREE_OPERATIONS + OPERATIONS_PER_BYTE * length)
        self._most = most // OPERATIONS_PER_CALL
        self._done = 0
        self._end = time.thread_time() + SECONDS
        self.code = TOO_MUCH_WORK
        """Of the reason why parsing ended, where it did not reach the end."""
        self.is_copy = False
        """Whether this process is the copy that goes ahead."""

    @property
    def are_many(self) -> bool:
        """Whether the parser took so many operations that a copy went ahead."""
        return self._done * OPERATIONS_PER_CALL >= OPERATIONS_ALONE

    def are_reached(self, _offset: int, _has_error: bool) -> bool:
        """Whether to stop; the parser asks after each hundred operations."""
        self._done += 1
        if self._done > self._most:
            return True
        if self._done * OPERATIONS_PER_CALL == OPERATIONS_ALONE and hasattr(os, "fork"):
            self.is_copy, self.code = _try_in_copy()
            if self.code:
                return True
            self.code = TOO_MUCH_WORK
        # The system is asked for the time, which costs as much as some of the work of the parser.
        is_asked = self._done % CALLS_PER_LOOK == 1
        if is_asked and time.thread_time() > self._end and not self.is_copy:
            self.code = TOO_SLOW
            return True
        return False


def _try_in_copy() -> tuple[bool, str]:
    """In the copy of this process: (True, ""), at once. In this process: False, and the code of why
    the copy did not get to the end with the memory and time it may take; empty where it did."""
    import select
    import signal

    reading, writing = os.pipe()
    copy = os.fork()
    if not copy:
        _limit_this_process()
        return True, ""
    os.close(writing)
    try:
        ended, _, _ = select.select([reading], [], [], _PATIENCE)  # its end closes the pipe
        if not ended:
            os.kill(copy, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        if status in (-signal.SIGXCPU, -signal.SIGKILL):
            return False, TOO_SLOW
        return False, TOO_MUCH_MEMORY if status else ""
    except BaseException:
        os.kill(copy, signal.SIGKILL)
        os.waitpid(copy, 0)
        raise
    finally:
        os.close(reading)


def _limit_this_process() -> None:
    """Give this process so much more memory and time, and no dump of it."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_CPU, int(SECONDS))
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 (pathlib is slow)
            pages = int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return  # not a system that tells; there the limit would be a guess
    _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY)


def _lower(kind: int, most: int) -> None:
    import resource

    soft, hard = resource.getrlimit(kind)
    if soft == resource.RLIM_INFINITY or most < soft:
        resource.setrlimit(kind, (most, hard))
