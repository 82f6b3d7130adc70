"""YAML text -> positioned tree.

Built from the parser's event stream rather than from a node graph: depth, number of values and
written-out aliases are bounded while reading, nothing recurses, and scalars mean what YAML 1.2's
core schema says they mean (`no`, `on` and `2024-01-31` are strings, `010` is ten).
"""

from __future__ import annotations

from collections.abc import Iterator
from re import compile as regex
from typing import Any

import yaml
from yaml import events

from contract_scan.errors import ContractError
from contract_scan.parsers.contracts.located_tree import (
    DATA_KEYS,
    Limits,
    Mapping,
    Sequence,
    Tree,
    shortened_text,
)

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = regex(r"[-+]?[0-9]+")
_OCTAL = regex(r"0o[0-7]+")
_HEXADECIMAL = regex(r"0x[0-9a-fA-F]+")
_FLOAT = regex(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = regex(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MAY_BE_NUMBER = frozenset("+-.0123456789")
_LONGEST_NUMBER = 300
_TAG = "tag:yaml.org,2002:"
_MERGE = object()
_TOO_DEEP_FOR_LIBYAML = "exceeded maximum nesting depth"
"""What libyaml says, from PyYAML 6.0.4 on, before our own limit, which is lower, can be met."""

_COLON_IN_LIBYAML = "found unexpected ':'"
"""What libyaml says of `{tags:[ ]}`, valid in YAML 1.2, which PyYAML reads by itself."""
_LONGEST_READ_AGAIN = 500_000
"""Letters of a text that PyYAML, which takes many times as long, reads without libyaml."""

_FILLED_IN = regex(
    r"(?m)^([ \t]*(?:- +)?(?:version|title|description|summary|url|host|basePath): +)"
    r"\{\{([^{}\"\\\n]*)\}\}(?=[ \t\r]*$)"
)
"""What a template engine fills in (`version: {{ release }}`: Connexion, by Jinja) where any text
will do; YAML takes it for a mapping with a mapping for its key."""
_OF_TEMPLATE = regex(r"\{\{|\{%")
_IS_TEMPLATE = (
    "is a template, which cannot be read before `{{ … }}` and `{% … %}` in it are filled in; "
    "scan what is made of it"
)


def read_yaml(text: str, path: str, limits: Limits) -> Tree:
    """Read the only document of a YAML text. Raises `ContractError` with the line."""
    text = _FILLED_IN.sub(r'\1"{\2}"', text)  # as long as before: places stay as they are
    try:
        return _tree(text, path, limits)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        last_line = text.rstrip().count("\n") + 1
        line = min(mark.line + 1, last_line) if mark else 0
        if mark and _OF_TEMPLATE.search(text.splitlines()[line - 1]):
            raise ContractError(_IS_TEMPLATE, path, line) from error
        if error.problem == _TOO_DEEP_FOR_LIBYAML:
            raise ContractError(
                f"is nested more than {limits.max_depth} levels deep; flatten it", path, line
            ) from error
        raise ContractError(
            f"is not valid YAML: {shortened_text(what, 160)}", path, line
        ) from error
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
        reason = getattr(error, "reason", "") or "unreadable characters"
        raise ContractError(f"is not valid YAML: {reason}", path, line) from error


def _tree(text: str, path: str, limits: Limits) -> Tree:
    try:
        return _Builder(text, path, limits).build_tree(
            getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
    except yaml.MarkedYAMLError as error:
        if error.problem != _COLON_IN_LIBYAML or len(text) > _LONGEST_READ_AGAIN:
            raise
        return _Builder(text, path, limits).build_tree(yaml.SafeLoader)


def resolve_scalar(text: str) -> str | int | float | bool | None:
    """What a plain scalar without a tag means in YAML 1.2's core schema."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if text[0] not in _MAY_BE_NUMBER or len(text) > _LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", "", 1).lower())
    return text


class _Frame:
    """A container that is still open."""

    __slots__ = ("anchor", "before", "container", "key", "key_place", "merges", "start")

    def __init__(
        self, container: Mapping | Sequence, start: int, anchor: str | None, before: int
    ) -> None:
        self.container = container
        self.start = start
        self.anchor = anchor
        self.before = before
        """How many values had been counted when it was opened."""
        self.key: object = None
        self.key_place: tuple[int, int] | None = None
        self.merges: list[tuple[object, int]] = []


class _Anchored:
    __slots__ = ("end", "size", "start", "value")

    def __init__(self, value: object, start: int, end: int, size: int) -> None:
        self.value = value
        self.start = start
        self.end = end
        self.size = size


class _Builder:
    def __init__(self, text: str, path: str, limits: Limits) -> None:
        self.text = text
        self.path = path
        self.limits = limits
        self.count = 0
        self.stack: list[_Frame] = []
        self.anchors: dict[str, _Anchored] = {}
        self.open_anchors: set[str] = set()
        self.duplicates: list[tuple[str, int]] = []
        self.root: Tree | None = None

    def build_tree(self, loader: Any) -> Tree:
        """Read the stream to its end."""
        documents = 0
        events_of_text: Iterator[Any] = yaml.parse(self.text, Loader=loader)
        for event in events_of_text:
            kind = type(event)
            if kind is events.ScalarEvent:
                self._scalar(event)
            elif kind is events.MappingStartEvent:
                self._open(Mapping(), event)
            elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
                self._close(event.end_mark.index)
            elif kind is events.SequenceStartEvent:
                self._open(Sequence(), event)
            elif kind is events.AliasEvent:
                self._alias(event)
            elif kind is events.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise self._error(
                        "holds several YAML documents; keep one in each file",
                        event.start_mark.index,
                    )
        return self.root or Tree(None, 0, len(self.text))

    def _error(self, message: str, offset: int) -> ContractError:
        return ContractError(message, self.path, self.text.count("\n", 0, offset) + 1)

    def _count_nodes(self, amount: int, offset: int) -> None:
        self.count += amount
        if self.count > self.limits.max_nodes:
            raise self._error(
                f"holds more than {self.limits.max_nodes:,} values once its aliases are written "
                "out; split it, or raise the limit",
                offset,
            )

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        text: str = event.value
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.key_place is None and type(frame.container) is Mapping:
            # Keys are names on the wire: `200:` and `null:` mean the texts "200" and "null".
            frame.key = _MERGE if text == "<<" and event.implicit[0] else text
            frame.key_place = (start, end)
            return
        value = self._meaning(event, text)
        if event.anchor:
            self.anchors[event.anchor] = _Anchored(value, start, end, 1)
        self._count_nodes(1, start)
        self._add(value, start, end)

    def _meaning(self, event: Any, text: str) -> object:
        tag: str | None = event.tag
        if tag is None or tag == "!":
            # `implicit[0]`: written plainly, so that its text decides what it is.
            return resolve_scalar(text) if event.implicit[0] else text
        if tag.startswith(_TAG) and tag[len(_TAG) :] in ("int", "float", "bool", "null"):
            return resolve_scalar(text)
        return text

    def _open(self, container: Mapping | Sequence, event: Any) -> None:
        start: int = event.start_mark.index
        if len(self.stack) >= self.limits.max_depth:
            raise self._error(
                f"is nested more than {self.limits.max_depth} levels deep; flatten it", start
            )
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.key_place is None and type(frame.container) is Mapping:
            if self.text[start - 1 : start + 1] == "{{":
                raise self._error(_IS_TEMPLATE, start)
            raise self._error("uses a mapping or a list as a key; keys must be texts", start)
        self._count_nodes(1, start)
        self.stack.append(_Frame(container, start, event.anchor, self.count - 1))
        if event.anchor:
            self.open_anchors.add(event.anchor)

    def _close(self, end: int) -> None:
        frame = self.stack.pop()
        # A block collection ends where the next token begins: leave the blank space out.
        while end > frame.start and self.text[end - 1].isspace():
            end -= 1
        if frame.merges:
            self._merge(frame)
        if frame.anchor:
            self.open_anchors.discard(frame.anchor)
            self.anchors[frame.anchor] = _Anchored(
                frame.container, frame.start, end, self.count - frame.before
            )
        self._add(frame.container, frame.start, end)

    def _alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor in self.open_anchors:
            raise self._error(
                f"the alias `*{shortened_text(event.anchor)}` stands inside what it repeats", start
            )
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            raise self._error(f"the alias `*{shortened_text(event.anchor)}` has no anchor", start)
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.key_place is None and type(frame.container) is Mapping:
            if isinstance(anchored.value, (Mapping, Sequence)):
                raise self._error("uses a mapping or a list as a key; keys must be texts", start)
            frame.key, frame.key_place = str(anchored.value), (start, end)
            return
        self._count_nodes(anchored.size, start)
        self._add(anchored.value, start, end)

    def _add(self, value: object, start: int, end: int) -> None:
        if not self.stack:
            self.root = Tree(value, start, end, tuple(self.duplicates))
            return
        frame = self.stack[-1]
        container = frame.container
        if type(container) is Sequence:
            container.append(value)
            container.places.append((start, end))
            return
        assert type(container) is Mapping
        assert frame.key_place is not None
        key, (key_start, key_end) = frame.key, frame.key_place
        frame.key_place = None
        if key is _MERGE:
            frame.merges.append((value, start))
            return
        assert isinstance(key, str)
        if key in container and not any(
            isinstance(above.key, str) and above.key in DATA_KEYS for above in self.stack
        ):
            self.duplicates.append((key, key_start))
        container[key] = value
        container.places[key] = (key_start, key_end, start, end)

    def _merge(self, frame: _Frame) -> None:
        """Merge keys: keys written out win over merged ones, earlier merges over later ones."""
        target = frame.container
        assert type(target) is Mapping
        for value, start in frame.merges:
            for source in value if type(value) is Sequence else (value,):
                if type(source) is not Mapping:
                    raise self._error("the merge key `<<` takes mappings only", start)
                self._count_nodes(len(source) + 1, start)
                for key, member in source.items():
                    if key not in target:
                        target[key] = member
                        target.places[key] = source.places[key]
