"""C# literals and interpolated strings -> values and texts."""

from __future__ import annotations

import re

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering.context import LowerExpression, Lowering
from contract_scan.parsers.source.facts.nodes import Expr, LiteralExpr, Text, UnsupportedSyntax

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{1,4}|[\s\S])")
_NAMED_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
}
_SUFFIXES = "uUlLfFdDmM"
_MAX_DIGITS = 400
"""Longer numbers are no number that any program means."""


def lower_literal(low: Lowering, node: Node) -> Expr:
    """The value of a literal node of any kind."""
    span = low.span(node)
    text = low.text(node)
    match node.type:
        case "null_literal":
            return LiteralExpr(span=span, value=None)
        case "boolean_literal":
            return LiteralExpr(span=span, value=text == "true")
        case "integer_literal":
            return _number(_integer(text), span)
        case "real_literal":
            return _number(_real(text), span)
        case "character_literal":
            return LiteralExpr(span=span, value=unescape(text[1:-1]))
        case "verbatim_string_literal":
            return LiteralExpr(span=span, value=text[2:-1].replace('""', '"'))
        case "raw_string_literal":
            return LiteralExpr(span=span, value=_raw(text))
        case _:
            if any(child.type == "string_literal_encoding" for child in node.named_children):
                return UnsupportedSyntax(span=span, description="UTF-8 string literal")
            return LiteralExpr(span=span, value=unescape(text[1:-1]))


def lower_interpolation(low: Lowering, node: Node) -> Expr:
    """`$"…{value}…"` in all its forms."""
    start = next((low.text(c) for c in node.children if c.type == "interpolation_start"), "$")
    raw = start.count("$") > 1 or any(c.type == "interpolation_quote" for c in node.named_children)
    verbatim = "@" in start
    parts: list[Expr] = []
    pending: list[str] = []
    pending_nodes: list[Node] = []

    def flush() -> None:
        if pending:
            span = low.span(pending_nodes[0], pending_nodes[-1])
            parts.append(LiteralExpr(span=span, value="".join(pending)))
            pending.clear()
            pending_nodes.clear()

    for child in node.named_children:
        if child.type in ("string_content", "escape_sequence"):
            pending.append(_content(low.text(child), raw, verbatim))
            pending_nodes.append(child)
        elif child.type == "interpolation":
            inner = next(
                (
                    c
                    for c in child.named_children
                    if not c.type.startswith("interpolation_") and c.type != "comment"
                ),
                None,
            )
            flush()
            if inner is not None:
                parts.append(low.expression(inner))
    flush()
    span = low.span(node)
    if not parts:
        return LiteralExpr(span=span, value="")
    if len(parts) == 1 and isinstance(parts[0], LiteralExpr) and isinstance(parts[0].value, str):
        return LiteralExpr(span=span, value=parts[0].value)
    return Text(span=span, parts=tuple(parts))


def unescape(text: str) -> str:
    """The value of the text between the quotes of a regular string or character literal."""
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    escape = match.group(1)
    if len(escape) == 1:
        return _NAMED_ESCAPES.get(escape, escape)
    code = int(escape[1:], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _content(text: str, raw: bool, verbatim: bool) -> str:
    if raw:
        return text
    text = text.replace("{{", "{").replace("}}", "}")
    return text.replace('""', '"') if verbatim else unescape(text)


def _raw(text: str) -> str:
    """The value of a raw string: without the line breaks next to the quotes, and without the
    indentation of the closing quotes where it runs over several lines."""
    quotes = len(text) - len(text.lstrip('"'))
    inner = text[quotes : len(text) - quotes]
    if "\n" not in inner:
        return inner
    lines = inner.replace("\r\n", "\n").split("\n")
    indent = lines[-1] if not lines[-1].strip() else ""
    return "\n".join(line.removeprefix(indent) for line in lines[1:-1])


def _number(value: int | float | None, span: Span) -> Expr:
    if value is None:
        return UnsupportedSyntax(span=span, description="number out of range")
    return LiteralExpr(span=span, value=value)


def _integer(text: str) -> int | None:
    digits = text.replace("_", "").rstrip("uUlL")
    base = {"0x": 16, "0b": 2}.get(digits[:2].lower(), 10)
    if len(digits) > _MAX_DIGITS:
        return None
    try:
        return int(digits if base == 10 else digits[2:], base)
    except ValueError:
        return None


def _real(text: str) -> float | None:
    try:
        value = float(text.replace("_", "").rstrip(_SUFFIXES))
    except ValueError:
        return None
    return value if abs(value) != float("inf") else None


LITERALS: dict[str, LowerExpression] = {
    **dict.fromkeys(
        (
            "null_literal",
            "boolean_literal",
            "integer_literal",
            "real_literal",
            "character_literal",
            "string_literal",
            "verbatim_string_literal",
            "raw_string_literal",
        ),
        lower_literal,
    ),
    "interpolated_string_expression": lower_interpolation,
}
