"""Strings and numbers -> neutral expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Expr,
    LiteralExpr,
    ObjectLiteral,
    OperationExpr,
    Text,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering.scope import Scope, named_children

_LARGEST_INTEGER = 2**63 - 1
_LONGEST_STRING = 20_000


_ESCAPE = re.compile(
    r"\\(?:\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}\\]*\}|.)",
    re.DOTALL,
)
_SIMPLE_ESCAPES = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    kind = text[1]
    if kind in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[kind]
    if kind in "\r\n":
        return ""
    if kind in "xuU" and len(text) > 2:
        return _character(int(text[2:], 16))
    if kind in "01234567":
        return _character(int(text[1:], 8))
    if kind == "N" and len(text) > 2:
        import unicodedata

        try:
            return unicodedata.lookup(text[3:-1])
        except KeyError:
            return text
    return text


def _character(code: int) -> str:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}"
    return chr(code)


def string(scope: Scope, node: Node) -> Expr:
    """A string; a text where it has interpolations."""
    span = scope.span(node)
    parts = _string_parts(scope, node)
    if parts is None:
        return UnsupportedSyntax("bytes", span=span)
    return join_text(parts, span)


def _string_parts(scope: Scope, node: Node) -> list[Expr] | None:
    """Literal pieces and interpolated expressions; None for bytes."""
    source = scope.source
    children = node.children
    if not children:
        return [LiteralExpr("", span=scope.span(node))]
    prefix = source.text(children[0]).rstrip("\"'").lower()
    if "b" in prefix:
        return None
    raw = "r" in prefix
    formatted = "f" in prefix or "t" in prefix
    parts: list[Expr] = []
    for child in children[1:]:
        match child.type:
            case "string_content":
                text = source.text(child)
                if len(text) > _LONGEST_STRING:
                    text = text[:_LONGEST_STRING]
                text = text.replace("\r\n", "\n")
                if not raw and "\\" in text:
                    text = _ESCAPE.sub(_escape, text)
                if formatted:
                    text = text.replace("{{", "{").replace("}}", "}")
                parts.append(LiteralExpr(text, span=scope.span(child)))
            case "interpolation":
                parts.append(scope.field(child, "expression"))
            case _:
                continue
    return parts or [LiteralExpr("", span=scope.span(node))]


def concatenated_string(scope: Scope, node: Node) -> Expr:
    """`"a" "b"`."""
    parts: list[Expr] = []
    for child in named_children(node):
        if child.type != "string":
            continue
        pieces = _string_parts(scope, child)
        if pieces is None:
            return UnsupportedSyntax("bytes", span=scope.span(node))
        parts.extend(pieces)
    return join_text(parts, scope.span(node))


def join_text(parts: Iterable[Expr], span: Span) -> Expr:
    """The string made of these parts: one literal where all of them are."""
    flat: list[Expr] = []
    for part in parts:
        for piece in part.parts if isinstance(part, Text) else (part,):
            last = flat[-1] if flat else None
            if (
                isinstance(piece, LiteralExpr)
                and isinstance(piece.value, str)
                and isinstance(last, LiteralExpr)
                and isinstance(last.value, str)
            ):
                flat[-1] = LiteralExpr(last.value + piece.value, span=span)
            else:
                flat.append(piece)
    if len(flat) == 1 and isinstance(flat[0], LiteralExpr) and isinstance(flat[0].value, str):
        return LiteralExpr(flat[0].value, span=span)
    return Text(tuple(flat), span=span)


def integer(scope: Scope, node: Node) -> Expr:
    """An integer, opaque beyond 64 bits."""
    span = scope.span(node)
    text = scope.source.text(node).replace("_", "")
    if len(text) <= 70:
        try:
            value = int(text, 0)
        except ValueError:
            return UnsupportedSyntax("number", span=span)
        if value <= _LARGEST_INTEGER:
            return LiteralExpr(value, span=span)
    return UnsupportedSyntax("number", span=span)


def float_literal(scope: Scope, node: Node) -> Expr:
    """A floating-point number."""
    span = scope.span(node)
    try:
        value = float(scope.source.text(node).replace("_", ""))
    except ValueError:
        return UnsupportedSyntax("number", span=span)
    if value in (float("inf"), float("-inf")):
        return UnsupportedSyntax("number", span=span)
    return LiteralExpr(value, span=span)


def constant(scope: Scope, node: Node) -> Expr:
    """`True`, `False` and `None`."""
    value = {"true": True, "false": False, "none": None}[node.type]
    return LiteralExpr(value, span=scope.span(node))


def is_text(value: Expr) -> bool:
    """Whether an expression is plainly a string."""
    return isinstance(value, Text) or (
        isinstance(value, LiteralExpr) and isinstance(value.value, str)
    )


_PERCENT = re.compile(r"%(?:\((\w+)\))?([sdir%])")


def percent(template: Expr, given: Expr, span: Span) -> Expr:
    """`"/%s/x" % value` and `"/%(a)s" % {"a": value}` as a text."""
    if not isinstance(template, LiteralExpr) or not isinstance(template.value, str):
        return OperationExpr("%", (template, given), span=span)
    positional = list(given.items) if isinstance(given, ArrayLiteral) else [given]
    keyed = (
        {entry.key: entry.value for entry in given.entries}
        if isinstance(given, ObjectLiteral)
        else {}
    )
    parts: list[Expr] = []
    end = 0
    for match in _PERCENT.finditer(template.value):
        parts.append(LiteralExpr(template.value[end : match.start()], span=span))
        end = match.end()
        if match[2] == "%":
            parts.append(LiteralExpr("%", span=span))
        elif match[1]:
            parts.append(keyed.get(match[1], UnsupportedSyntax("formatted value", span=span)))
        elif positional:
            parts.append(positional.pop(0))
        else:
            parts.append(UnsupportedSyntax("formatted value", span=span))
    parts.append(LiteralExpr(template.value[end:], span=span))
    return join_text(parts, span)
