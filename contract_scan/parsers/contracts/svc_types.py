"""The notation of types in SVC tables: `{ id: string, lines: [{ sku: string }], note?: string }`.

Written by people and models, so it is read leniently, and what is not understood is `Unknown`.
"""

from __future__ import annotations

from collections.abc import Collection
from re import compile as regex

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    LiteralValue,
    Object,
    Reference,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)

_TOKEN = regex(
    r"\s*(?:(?P<text>\"[^\"]*\"|'[^']*')"
    r"|(?P<number>-?\d+(?:\.\d+)?(?![\w.]))"
    r"|(?P<dots>\.\.\.|…)"
    r"|(?P<word>[A-Za-z_$@][\w$.-]*)"
    r"|(?P<mark>\[\]|[{}\[\]<>(),:;?|&=]))"
)
_MAX_DEPTH = 30

_SCALARS: dict[str, tuple[ScalarType, str]] = {
    "string": ("string", ""),
    "str": ("string", ""),
    "text": ("string", ""),
    "char": ("string", ""),
    "uuid": ("string", "uuid"),
    "guid": ("string", "uuid"),
    "date": ("string", "date"),
    "datetime": ("string", "date-time"),
    "date-time": ("string", "date-time"),
    "timestamp": ("string", "date-time"),
    "iso8601": ("string", "date-time"),
    "email": ("string", "email"),
    "url": ("string", "uri"),
    "uri": ("string", "uri"),
    "number": ("numeric", ""),
    "numeric": ("numeric", ""),
    "int": ("integer", ""),
    "integer": ("integer", ""),
    "long": ("integer", "int64"),
    "float": ("number", ""),
    "double": ("number", "double"),
    "boolean": ("boolean", ""),
    "bool": ("boolean", ""),
}
_LISTS = frozenset({"array", "list", "sequence", "set", "ienumerable", "ilist", "readonlyarray"})
_MAPS = frozenset({"record", "map", "dict", "dictionary"})
_FREE = frozenset({"object", "json", "dict", "map", "record"})
_ANY = frozenset({"any", "unknown", "mixed"})
_NULL = frozenset({"null", "none", "undefined", "nil"})


def read_type(text: str, origin: Origin, known: Collection[str] = ()) -> Schema:
    """The schema that a cell describes. Names of `known` types become references. Never raises."""
    reader = _Reader(text, origin, known)
    schema = reader.alternatives(0)
    if reader.failed or reader.peek() is not None:
        return reader.unknown(Reason("table-type-not-understood", text=text[:80]))
    return schema


class _Reader:
    """Recursive descent over one cell, bounded in depth."""

    def __init__(self, text: str, origin: Origin, known: Collection[str]) -> None:
        self.origin = origin
        self._known = known
        self.failed = False
        self._at = 0
        self._tokens: list[tuple[str, str]] = []
        offset, end = 0, len(text.rstrip())
        while offset < end:
            found = _TOKEN.match(text, offset)
            if found is None or found.lastgroup is None:
                self.failed = True
                break
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            offset = found.end()

    def unknown(self, reason: Reason) -> Unknown:
        """A shape that is undetermined."""
        return Unknown(reason=reason, nullable=None, origin=self.origin)

    def peek(self) -> str | None:
        """The text of the next token."""
        return self._tokens[self._at][1] if self._at < len(self._tokens) else None

    def _accept(self, expected: str) -> bool:
        if self.peek() != expected:
            return False
        self._at += 1
        return True

    def _fail(self) -> Schema:
        self.failed = True
        return self.unknown(Reason("table-notation-not-understood"))

    def alternatives(self, depth: int) -> Schema:
        """`A | B | null`"""
        if depth > _MAX_DEPTH:
            return self._fail()
        self._accept("|")
        options = [self._suffixed_type(depth)]
        while not self.failed and self._accept("|"):
            options.append(self._suffixed_type(depth))
        shapes = [option for option in options if option is not None]
        nullable = len(shapes) < len(options)
        if not shapes:
            return self._fail()
        shape = _merge_shapes(shapes)
        return with_nullable(shape, True) if nullable else shape

    def _suffixed_type(self, depth: int) -> Schema | None:
        """A type with any number of `[]` after it; None for null."""
        shape = self._single(depth)
        while shape is not None and not self.failed and self._accept("[]"):
            shape = Array(items=shape, origin=self.origin)
        return shape

    def _single(self, depth: int) -> Schema | None:
        if self._at >= len(self._tokens):
            return self._fail()
        kind, text = self._tokens[self._at]
        self._at += 1
        match kind, text:
            case "text", _:
                return Scalar(type="string", values=(text[1:-1],), origin=self.origin)
            case "number", _:
                number: LiteralValue = float(text) if "." in text else int(text)
                scalar: ScalarType = "number" if "." in text else "integer"
                return Scalar(type=scalar, values=(number,), origin=self.origin)
            case "mark", "{":
                return self._object(depth, "")
            case "mark", "[":
                items = self.alternatives(depth + 1)
                if not self._accept("]"):
                    return self._fail()
                return Array(items=items, origin=self.origin)
            case "mark", "[]":
                return Array(
                    items=self.unknown(Reason("table-item-type-missing")), origin=self.origin
                )
            case "mark", "(":
                inside = self.alternatives(depth + 1)
                return inside if self._accept(")") else self._fail()
            case "word", _:
                return self._word(text, depth)
            case _:
                return self._fail()

    def _word(self, word: str, depth: int) -> Schema | None:
        plain = word.lower()
        if plain in _NULL:
            return None
        if plain in ("true", "false"):
            return Scalar(type="boolean", values=(plain == "true",), origin=self.origin)
        if plain in _LISTS:
            return self._list(depth)
        if plain in _MAPS and self.peek() in ("<", "["):
            return self._map(depth)
        if plain in _SCALARS:
            scalar, form = _SCALARS[plain]
            if word == "Date":
                form = ""  # in TypeScript an instant, elsewhere a day
            return Scalar(type=scalar, format=form, origin=self.origin)
        if plain in _FREE:
            free = Anything(nullable=True, origin=self.origin)
            return Object(additional=free, origin=self.origin)
        if plain in _ANY:
            return Anything(nullable=True, origin=self.origin)
        if self._accept("{"):
            return self._object(depth, word)
        if word in self._known:
            return Reference(key=word, origin=self.origin)
        if self.peek() in ("<", "["):
            return self._generic(word, depth)
        return self.unknown(Reason("table-type-without-fields", word=word))

    def _list(self, depth: int) -> Schema:
        if self.peek() is not None and self.peek() in ("of", "Of"):
            self._at += 1
            return Array(items=self._read_type(depth), origin=self.origin)
        for opening, closing in (("<", ">"), ("[", "]")):
            if self._accept(opening):
                items = self.alternatives(depth + 1)
                if not self._accept(closing):
                    return self._fail()
                return Array(items=items, origin=self.origin)
        return Array(items=self.unknown(Reason("table-item-type-missing")), origin=self.origin)

    def _read_type(self, depth: int) -> Schema:
        shape = self._suffixed_type(depth + 1)
        return shape if shape is not None else self._fail()

    def _map(self, depth: int) -> Schema:
        closing = ">" if self.peek() == "<" else "]"
        self._at += 1
        self.alternatives(depth + 1)
        values: Schema = self.unknown(Reason("table-value-type-missing"))
        if self._accept(","):
            values = self.alternatives(depth + 1)
        if not self._accept(closing):
            return self._fail()
        return Object(additional=values, origin=self.origin)

    def _generic(self, word: str, depth: int) -> Schema:
        closing = ">" if self.peek() == "<" else "]"
        self._at += 1
        inner = self.alternatives(depth + 1)
        while self._accept(","):
            self.alternatives(depth + 1)
        if not self._accept(closing):
            return self._fail()
        if word == "Promise":
            return inner
        return self.unknown(Reason("table-type-without-fields", word=word))

    def _object(self, depth: int, name: str) -> Schema:
        """What follows `{`."""
        if depth >= _MAX_DEPTH:
            return self._fail()
        fields: dict[str, Field] = {}
        partial = NO_REASON
        while not self.failed and not self._accept("}"):
            if self._at >= len(self._tokens):
                return self._fail()
            kind, text = self._tokens[self._at]
            self._at += 1
            if kind == "dots":
                if self.peek() not in (",", ";", "}", None):
                    self._at += 1  # `...Base`
                partial = Reason("table-omits-fields")
            elif kind in ("word", "text", "number"):
                field = self._field(text.strip("\"'"), depth)
                fields[field.name] = field
            else:
                return self._fail()
            if not (self._accept(",") or self._accept(";")) and self.peek() != "}":
                return self._fail()
        return Object(
            fields=tuple(fields.values()),
            additional=None,
            incomplete_reason=partial,
            name=name,
            origin=self.origin,
        )

    def _field(self, name: str, depth: int) -> Field:
        optional = self._accept("?")
        schema: Schema = self.unknown(Reason("table-field-without-type"))
        if self._accept(":"):
            schema = self.alternatives(depth + 1)
            optional = self._accept("?") or optional
        has_default = False
        if self._accept("="):
            has_default = True
            self._at += 1
        return Field(
            name=name,
            schema=schema,
            required=not optional,
            has_default=has_default,
            origin=self.origin,
        )


def _merge_shapes(shapes: list[Schema]) -> Schema:
    """Several literals of one type are one scalar; anything else is a union."""
    if len(shapes) == 1:
        return shapes[0]
    first = shapes[0]
    if isinstance(first, Scalar):
        values: list[LiteralValue] = []
        for shape in shapes:
            if not isinstance(shape, Scalar) or shape.type != first.type or shape.values is None:
                break
            values.extend(shape.values)
        else:
            return Scalar(type=first.type, values=tuple(values), origin=first.origin)
    return Union(options=tuple(shapes), origin=first.origin)
