"""The text of a source file without what changes nothing that a scan takes from it.

Comments between statements, blank lines, and the statements of functions that nobody read. Two
texts that have the same rest give the same facts, on other lines. The syntax tree tells what is a
comment and what is a text that looks like one; where it is not sure, nothing is left out.

Imports nothing that takes time: what was printed last time is given again by way of this. The
parser is therefore loaded without the packages around it, which take longer than it does.
"""

# ruff: noqa: PTH110, PTH118 (pathlib takes longer than all of this)
from __future__ import annotations

import os
import sys

from contract_scan.parsers.source.bounded_parse import ParseLimitError, parse
from contract_scan.parsers.source.discovery.source_text import is_as_written

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

GRAMMARS = {
    ".cs": ("tree_sitter_c_sharp", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".py": ("tree_sitter_python", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".mts": ("tree_sitter_typescript", "language_typescript"),
    ".cts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".js": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".cjs": ("tree_sitter_javascript", "language"),
    ".jsx": ("tree_sitter_javascript", "language"),
}
"""File suffix -> the package of its grammar, and the function that gives it."""
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_AROUND = frozenset(
    {
        "array",
        "block",
        "class_body",
        "class_declaration",
        "class_definition",
        "compilation_unit",
        "constructor_body",
        "constructor_declaration",
        "declaration_list",
        "dictionary",
        "enum_body",
        "enum_body_declarations",
        "enum_declaration",
        "enum_member_declaration_list",
        "file_scoped_namespace_declaration",
        "function_definition",
        "interface_body",
        "interface_declaration",
        "list",
        "method_declaration",
        "module",
        "object",
        "program",
        "property_declaration",
        "record_declaration",
        "record_struct_declaration",
        "statement_block",
        "struct_declaration",
    }
)
"""Nodes in which a comment stands between two declarations, statements or entries."""
_TEXTS = ("string", "template", "interpol", "char", "regex", "jsx", "text")
"""In the names of nodes in which blanks are no blanks."""
_FUNCTIONS = frozenset(
    {
        "arrow_function",
        "constructor_declaration",
        "function_declaration",
        "function_definition",
        "function_expression",
        "generator_function_declaration",
        "local_function_statement",
        "method_declaration",
        "method_definition",
    }
)
_ELSEWHERE = (b"import", b"require")
"""What a function may name a module with, which its file then imports."""
UNREAD = 0
"""Of a function the declaration was read, the statements were not."""
LOOKED_THROUGH = 1
"""The text of a function was searched: every byte of it counts."""
_MARK = b"\xef\xbb\xbf"
"""What UTF-8 may start with."""
_HEAD = 2
"""Lines at the top of a file of which the comments may count."""
_TOP = 500
"""Bytes that these lines may have, and the next."""


def same_essence(
    path: str, old: bytes, new: bytes, functions: Sequence[int], calls: Sequence[bytes]
) -> list[int] | None:
    """Whether two texts of a file differ only in what changes nothing that is taken from it; None
    where they may differ in more. `functions` are three numbers for each function of the old text
    of which something is known: its first line, its last, how it was read (`UNREAD` …); the same is
    given of the new one. A function whose text holds one of the `calls` is always read."""
    parser = parser_of(path[path.rfind(".") :])
    old, new = old.removeprefix(_MARK), new.removeprefix(_MARK)
    if parser is None or not all(_is_plain(text, path) for text in (old, new)):
        return None
    start, rest = common_ends(old, new)
    # Lines at the top that come or go may make another one the place to name Python's encoding.
    named = path.endswith(".py") and any(b"coding" in text[:_TOP] for text in (old, new))
    if named and start < _TOP:
        return None
    read = dict(zip(_lines(functions), functions[2::3], strict=True))
    if 3 * len(read) != len(functions):
        return None
    before = _Normaliser(old, calls, (start, len(old) - rest), read)
    moved = _moved_functions(read, before, new.count(b"\n") - old.count(b"\n"))
    if moved is None:
        return None
    after = _Normaliser(new, calls, (start, len(new) - rest), moved)
    # Where nothing at all was before, there is nothing to leave out.
    if not before.is_empty() and not before.goes_through(parser):
        return None
    if len(moved) != len(read) or not after.goes_through(parser):
        return None
    if after.left() != before.left():
        return None
    return [number for lines, how in moved.items() for number in (*lines, how)]


def _moved_functions(
    read: Mapping[tuple[int, int], int], walk: _Normaliser, more: int
) -> dict[tuple[int, int], int] | None:
    """The functions of a text where a stretch of it has so many lines more; None where the text of
    one that it is in was looked through."""
    first, last = walk.lines()
    found = {}
    for (top, bottom), how in read.items():
        if how == LOOKED_THROUGH and top < last and bottom >= first:
            return None
        found[top if top < last else top + more, bottom if bottom < first else bottom + more] = how
    return found


def _lines(functions: Sequence[int]) -> zip[tuple[int, int]]:
    return zip(functions[::3], functions[1::3], strict=True)


def common_ends(old: bytes, new: bytes) -> tuple[int, int]:
    """In whole lines: how many bytes two texts have in common at their beginning, and how many at
    their end."""
    before, after = old.split(b"\n"), new.split(b"\n")
    most = min(len(before), len(after))
    same = 0
    while same < most and before[same] == after[same]:
        same += 1
    most -= same
    ends = 0
    while ends < most and before[-1 - ends] == after[-1 - ends]:
        ends += 1
    start = sum(map(len, before[:same])) + same
    rest = sum(map(len, before[len(before) - ends :])) + max(0, ends - 1)
    return min(start, len(old), len(new)), rest


def _is_plain(text: bytes, path: str) -> bool:
    """Whether lines and letters are what they seem to be to everyone."""
    if b"\0" in text or not is_as_written(text, path) or text.count(b"\r") != text.count(b"\r\n"):
        return False
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Normaliser:
    """Gathers what may be left out of a stretch of a text, and what stands there as it is."""

    def __init__(
        self,
        text: bytes,
        calls: Sequence[bytes],
        stretch: tuple[int, int],
        read: Mapping[tuple[int, int], int],
    ) -> None:
        """The `stretch` is one of whole lines. `read` says how functions were, by their lines."""
        self._start, self._end = stretch
        self._text = text
        self._read = read
        self._literals = (*_ELSEWHERE, *calls)
        self._found: list[tuple[int, int, bytes | None]] = []
        """Where pieces begin and end, and what stands in their place; None: they stay."""

    def is_empty(self) -> bool:
        """Whether there are no lines in the stretch."""
        return self._start == self._end

    def lines(self) -> tuple[int, int]:
        """The line on which the stretch begins, and the one on which what follows it does."""
        first = self._text.count(b"\n", 0, self._start) + 1
        return first, first + self._text.count(b"\n", self._start, self._end)

    def goes_through(self, parser: Any) -> bool:
        """Look at every node in the stretch, but not into what is left out or stays. False where
        the grammar cannot read the text."""
        try:
            root = parse(parser, self._text).root_node
        except ParseLimitError:
            return False
        if root.has_error:
            return False
        pending = [(root, root.type)]
        while pending:
            node, around = pending.pop()
            if node.end_byte <= self._start or node.start_byte >= self._end:
                continue
            if self._goes_into(node, around):
                pending += ((child, node.type) for child in self._children(node))
        return True

    def _children(self, node: Any) -> Iterator[Any]:
        """Those that reach into the stretch: what lies far from it is not even asked for."""
        cursor = node.walk()
        more = cursor.goto_first_child_for_byte(self._start) is not None
        while more and cursor.node.start_byte < self._end:
            yield cursor.node
            more = cursor.goto_next_sibling()

    def _goes_into(self, node: Any, around: str) -> bool:
        sort = node.type
        if sort in _COMMENTS:
            self._comment(node, around)
            return False
        if sort in _FUNCTIONS:
            return node.start_byte >= self._start or self._function(node)
        if not node.child_count or any(part in sort for part in _TEXTS):
            start, end = node.start_byte, node.end_byte
            if b"\n" in self._text[start:end]:
                self._found.append((start, end, None))
            return False
        return True

    def _comment(self, node: Any, around: str) -> None:
        start, end = node.start_byte, node.end_byte
        # One at the top may name the encoding, or what runs the file.
        counts = (
            around not in _AROUND
            or node.start_point[0] < _HEAD
            or self._text[end : self._text.find(b"\n", end)].strip() != b""
            or self._contains_literal(start, end)
        )
        self._found.append((start, end, None if counts else b""))

    def _contains_literal(self, start: int, end: int) -> bool:
        """Whether a piece holds something that is taken from wherever it stands."""
        piece = self._text[start:end]
        return any(literal in piece for literal in self._literals)

    def _function(self, node: Any) -> bool:
        """Whether to look into a function that begins before the stretch."""
        how = self._read.get((node.start_point[0] + 1, node.end_point[0] + 1))
        body = node.child_by_field_name("body") if how == UNREAD else None
        if body is None:
            return True
        start, end = body.start_byte, body.end_byte
        outside = self._text[self._start : start] + self._text[end : self._end]
        if outside.strip() or self._contains_literal(start, end):
            return True
        self._found.append((start, end, b"\0"))
        return False

    def left(self) -> bytes:
        """The text without what is left out, and without blank lines around there. What stands
        before and behind is not looked at: the other text has the same."""
        text = self._text
        start, end = self._search_range()
        at, pending = start, b""
        found = [text[:start]]
        for first, last, instead in sorted(self._found):
            pending += text[at:first]
            at = last
            if instead is None:
                found += (_without_blanks(pending), text[first:last])
                pending = b""
            else:
                pending += instead
        tail = _without_blanks(pending + text[at:end])
        return b"".join(
            (*found, tail, text[end:].rstrip()) if end < len(text) else (*found, tail.rstrip())
        )

    def _search_range(self) -> tuple[int, int]:
        """Where to begin and to end looking: with the break before the first line that counts, and
        at the end of the text where only blanks follow."""
        text = self._text
        start = min((self._start, *(first for first, _, _ in self._found)))
        end = max((self._end, *(last for _, last, _ in self._found)))
        return max(0, text.rfind(b"\n", 0, start)), end if text[end:].strip() else len(text)


def _without_blanks(piece: bytes) -> bytes:
    """A piece of a text without blank lines and blanks at the ends of lines. It may begin and end
    within a line."""
    first, *others = piece.split(b"\n")
    if not others:
        return piece
    inner = (line.rstrip() for line in others[:-1])
    return b"\n".join((first.rstrip(), *(line for line in inner if line), others[-1]))


_parsers: dict[str, Any] = {}


def parser_of(suffix: str) -> Any:
    """The parser of files of a suffix; None where it cannot be loaded so."""
    if suffix not in GRAMMARS:
        return None
    if suffix not in _parsers:
        try:
            core = _load_binding("tree_sitter")
            package, function = GRAMMARS[suffix]
            grammar = getattr(_load_binding(package), function)()
            _parsers[suffix] = core.Parser(core.Language(grammar))
        except (ImportError, AttributeError, TypeError, ValueError):
            _parsers[suffix] = None
    return _parsers[suffix]


def _load_binding(package: str) -> Any:
    """The compiled part of a package. Who imports the package later gets the same."""
    name = f"{package}._binding"
    if name not in sys.modules:
        from importlib.machinery import ExtensionFileLoader, ModuleSpec

        file = next(_binding_files(package), "")
        loader = ExtensionFileLoader(name, file)
        module = loader.create_module(ModuleSpec(name, loader, origin=file))
        loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def _binding_files(package: str) -> Iterator[str]:
    """Where the compiled part of a package may lie."""
    from importlib.machinery import EXTENSION_SUFFIXES

    for folder in sys.path:
        for suffix in EXTENSION_SUFFIXES:
            file = os.path.join(folder, package, f"_binding{suffix}")
            if os.path.exists(file):
                yield file
