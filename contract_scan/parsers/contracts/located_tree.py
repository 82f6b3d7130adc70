"""The text of a contract as a tree whose every key and value knows its line and column.

`open_text` turns bytes into a `File`; `Node` is a place in it: a value and where it stands.
Containers are ordinary `dict`s and `list`s that carry the offsets of their members, so reading a
value costs nothing extra and a line is only counted when somebody asks for it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from hashlib import blake2b
from re import compile as regex

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason


class Limits(Struct, frozen=True, kw_only=True):
    """How much of a contract is read before it is refused; larger ones need the limit raised."""

    max_bytes: int = 20_000_000
    max_depth: int = 200
    max_nodes: int = 1_000_000
    """Values after every alias and merge key is written out."""
    max_files: int = 2_000
    """Files one contract may spread over."""


DEFAULT_LIMITS = Limits()

DATA_KEYS = frozenset({"example", "examples", "default"})
"""Under these keys stands data, which no promise depends on."""

Place = tuple[int, int, int, int]
"""Offsets of a member: start and end of its key, start and end of its value."""


class Mapping(dict[str, object]):
    """A mapping that knows where its members stand."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, Place] = {}

    __hash__ = object.__hash__  # type: ignore[assignment]


class MergedMapping(Mapping):
    """A mapping whose members stand in several files."""

    __slots__ = ("nodes",)

    def __init__(self, nodes: dict[str, Node]) -> None:
        super().__init__()
        self.nodes = nodes
        self.update((key, node.value) for key, node in nodes.items())


class Sequence(list[object]):
    """A list that knows where its elements stand."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        super().__init__()
        self.places: list[tuple[int, int]] = []


class Tree(Struct, frozen=True):
    """What a reader of one syntax hands back."""

    value: object
    start: int
    end: int
    duplicates: tuple[tuple[str, int], ...] = ()
    """Keys given twice in one mapping, with the offset of the later one."""


class File:
    """One opened contract file."""

    __slots__ = ("_line_starts", "conflicts", "content_hash", "path", "text", "tree")

    def __init__(
        self,
        path: str,
        text: str,
        tree: Tree,
        content_hash: str = "",
        conflicts: tuple[NotAnalysed, ...] = (),
    ) -> None:
        self.path = path
        self.text = text
        self.tree = tree
        self.content_hash = content_hash
        self.conflicts = conflicts
        """What its parts in other files define differently."""
        self._line_starts: array[int] | None = None

    @property
    def root(self) -> Node:
        """The outermost value. Made anew each time: kept here it would hold the file and the file
        it, and a contract that was read would stay in memory to the end."""
        return Node(self, "", self.tree.value, self.tree.start, self.tree.end)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        if self._line_starts is None:
            self._line_starts = array("L", _starts_of_lines(self.text))
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The stretch of text between two offsets."""
        line, column = self.position(start)
        assert self._line_starts is not None
        end_column = column + end - start
        if line == len(self._line_starts) or end < self._line_starts[line]:
            return Span(line, column, line, end_column)
        return Span(line, column, *self.position(end))

    def duplicate_key_problems(self) -> tuple[NotAnalysed, ...]:
        """One problem for each key that a mapping gives twice, or that parts of it define
        differently."""
        return self.conflicts + tuple(
            NotAnalysed(
                path=self.path,
                line=self.position(offset)[0],
                reason=Reason("duplicate-key", key=shortened_text(key)),
                fatal=False,
            )
            for key, offset in self.tree.duplicates
        )


class Node:
    """A value of a contract together with the place it stands at."""

    __slots__ = ("_end", "_key_end", "_key_start", "_origin", "_start", "file", "pointer", "value")

    def __init__(
        self,
        file: File,
        pointer: str,
        value: object,
        start: int,
        end: int,
        key_start: int = -1,
        key_end: int = -1,
    ) -> None:
        self.file = file
        self.pointer = pointer
        self.value = value
        self._start = start
        self._end = end
        self._key_start = key_start
        self._key_end = key_end
        self._origin: Origin | None = None

    @property
    def id(self) -> str:
        """The same for the same place, whatever way led to it."""
        return f"{self.file.path}#{self.pointer}"

    @property
    def name(self) -> str:
        """The key it stands under (or its index), empty for the root."""
        return unescape(self.pointer.rpartition("/")[2])

    @property
    def origin(self) -> Origin:
        """Where its key stands; elements of lists and the root: where the value stands."""
        known = self._origin
        if known is None:
            if self._key_start < 0:
                known = self.value_origin
            else:
                span = self.file.span(self._key_start, self._key_end)
                known = Origin(self.file.path, span, self.pointer)
            self._origin = known
        return known

    @property
    def is_given_twice(self) -> bool:
        """Whether the mapping that holds it gives its key before, with another value."""
        return any(start == self._key_start for _, start in self.file.tree.duplicates)

    @property
    def value_origin(self) -> Origin:
        """Where the value itself stands."""
        return Origin(self.file.path, self.file.span(self._start, self._end), self.pointer)

    @property
    def line(self) -> int:
        """The line of `origin`."""
        start = self._start if self._key_start < 0 else self._key_start
        return self.file.position(start)[0]

    def get(self, key: str) -> Node | None:
        """The member under a key, None where there is none (or this is no mapping)."""
        value = self.value
        if not isinstance(value, Mapping) or key not in value:
            return None
        if isinstance(value, MergedMapping):
            return value.nodes[key]
        key_start, key_end, start, end = value.places[key]
        return Node(
            self.file,
            f"{self.pointer}/{escape(key)}",
            value[key],
            start,
            end,
            key_start,
            key_end,
        )

    def with_value(self, value: object) -> Node:
        """The same place with another value."""
        return Node(
            self.file,
            self.pointer,
            value,
            self._start,
            self._end,
            self._key_start,
            self._key_end,
        )

    def element(self, index: int) -> Node | None:
        """The element at an index, None where there is none (or this is no list)."""
        value = self.value
        if not isinstance(value, Sequence) or not 0 <= index < len(value):
            return None
        start, end = value.places[index]
        return Node(self.file, f"{self.pointer}/{index}", value[index], start, end)

    def members(self) -> Iterator[tuple[str, Node]]:
        """Keys and members in the order of the text; nothing where this is no mapping."""
        value = self.value
        if isinstance(value, MergedMapping):
            yield from value.nodes.items()
        elif isinstance(value, Mapping):
            for key, member in value.items():
                key_start, key_end, start, end = value.places[key]
                pointer = f"{self.pointer}/{escape(key)}"
                yield key, Node(self.file, pointer, member, start, end, key_start, key_end)

    def elements(self) -> Iterator[Node]:
        """The elements of a list; nothing where this is no list."""
        if isinstance(self.value, Sequence):
            for index in range(len(self.value)):
                element = self.element(index)
                assert element is not None
                yield element

    def text(self, key: str) -> str:
        """The string under a key, empty where there is none."""
        value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return value if isinstance(value, str) else ""

    def flag(self, key: str) -> bool:
        """Whether the key says `true`."""
        return isinstance(self.value, Mapping) and self.value.get(key) is True

    def has(self, key: str) -> bool:
        """Whether this is a mapping with that key."""
        return isinstance(self.value, Mapping) and key in self.value

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping."""
        return isinstance(self.value, Mapping)

    def resolve_pointer(self, pointer: str) -> Node | None:
        """The place a JSON Pointer leads to from here."""
        node: Node | None = self
        for token in pointer.split("/")[1:]:
            if node is None:
                return None
            if isinstance(node.value, Sequence):
                node = node.element(int(token)) if _INDEX.fullmatch(token) else None
            else:
                node = node.get(unescape(token))
        return node


def _starts_of_lines(text: str) -> Iterator[int]:
    """The offset of each line of a text."""
    yield 0
    if "\r" in text:
        yield from (found.end() for found in _LINE_END.finditer(text))
        return
    offset = 0
    while offset := text.find("\n", offset) + 1:  # a fraction of the time of a pattern
        yield offset


_LINE_END = regex(r"\r\n|\n|\r")
_INDEX = regex(r"0|[1-9][0-9]{0,8}")


def escape(token: str) -> str:
    """A key as one token of a JSON Pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """The key that one token of a JSON Pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def shortened_text(text: str, limit: int = 80) -> str:
    """Foreign text for a message: never longer than `limit`."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def decode(content: bytes, path: str) -> str:
    """The text of a contract file. Raises `ContractError` where it is not UTF-8."""
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    elif content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ContractError("is encoded in UTF-16 or UTF-32; save it as UTF-8", path, 1)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ContractError(
            "holds bytes that are not UTF-8; save it as UTF-8", path, line
        ) from error


def _is_json(path: str, text: str) -> bool:
    """Whether a file that bears the name of JSON holds no YAML: plain keys, as no JSON begins."""
    start = text.lstrip()[:3]
    begins_as_yaml = start[:1].isalpha() or start[:1] == "#" or start == "---"
    return path.endswith(".json") and not (begins_as_yaml and ":" in text)


def open_text(content: bytes, path: str, limits: Limits = DEFAULT_LIMITS) -> File:
    """Parse the bytes of one YAML or JSON file.

    Raises `ContractError`, naming the line, where the text is neither, is too large, is nested too
    deeply, or writes out to too many values.
    """
    if len(content) > limits.max_bytes:
        raise ContractError(
            f"is larger than {limits.max_bytes // 1_000_000} MB; raise the limit to read it", path
        )
    text = decode(content, path)
    brackets = text.lstrip()[:1] in ("{", "[")
    if (brackets and not path.endswith((".yaml", ".yml"))) or _is_json(path, text):
        from contract_scan.parsers.contracts.json_text import read_json

        tree = read_json(text, path, limits)
    else:
        from contract_scan.parsers.contracts.yaml_text import read_yaml

        tree = read_yaml(text, path, limits)
    return File(path, text, tree, hash_of(content))


def hash_of(content: bytes) -> str:
    """The `content_hash` of a file."""
    return blake2b(content, digest_size=16).hexdigest()
