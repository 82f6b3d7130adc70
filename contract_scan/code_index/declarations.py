"""The symbols that a file declares."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from contract_scan.code_index.records import Symbol
from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Assign,
    Branch,
    ClassDecl,
    Define,
    FileFacts,
    Function,
    FunctionType,
    Lambda,
    Loop,
    Member,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import children

_LONGEST_SIGNATURE = 200
_LINE_END = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"\s+")
_KINDS_OF_MEMBERS = {
    "field": "field",
    "property": "property",
    "getter": "property",
    "setter": "property",
    "constant": "constant",
    "enum": "constant",
    "parameter": "property",
}
_COMMENT = re.compile(r"\s*(?://|/\*|\*|#|@|\[)")
"""How lines above a declaration begin that belong to it."""
_MOST_DOC_LINES = 12


class SourceText:
    """The text of a file, cut by spans."""

    def __init__(self, content: bytes) -> None:
        self.text = content.decode("utf-8", "replace").removeprefix("\ufeff")
        self.lines = _LINE_END.split(self.text)

    def text_at(self, span: Span) -> str:
        """The text at a span on one line; empty where there is none."""
        if span == NO_SPAN or span.end_line > len(self.lines):
            return ""
        if span.line == span.end_line:
            found = self.lines[span.line - 1][span.column - 1 : span.end_column - 1]
        else:
            found = "\n".join(
                (
                    self.lines[span.line - 1][span.column - 1 :],
                    *self.lines[span.line : span.end_line - 1],
                    self.lines[span.end_line - 1][: span.end_column - 1],
                )
            )
        return _SPACE.sub(" ", found).strip()

    def documentation(self, place: Span, language: str) -> str:
        """What is written at a declaration for people: the comment lines above it, in Python the
        string below its heading. A guess by the look of lines, good enough to search in."""
        if language != "python":
            above = itertools.takewhile(_COMMENT.match, reversed(self.lines[: place.line - 1]))
            return "\n".join(reversed([*itertools.islice(above, _MOST_DOC_LINES)]))
        heading = self.lines[place.line - 1 : place.line + _MOST_DOC_LINES]
        end = next((n for n, line in enumerate(heading) if line.rstrip().endswith(":")), None)
        below = [] if end is None else heading[end + 1 :]
        if not below or not below[0].lstrip("\t rRuU").startswith(('"""', "'''")):
            return ""
        quote = below[0].lstrip("\t rRuU")[:3]
        return "\n".join(below).split(quote)[1]


class DeclaredSymbols:
    """The symbols of a file, and what finds them by the declaration that they stand for."""

    def __init__(self, file: FileFacts, content: bytes) -> None:
        self._file = file
        self._text = SourceText(content)
        self._exported = {export.name or export.exported for export in file.exports}
        self.by_span: dict[Span, str] = {}
        """Span of a declaration (a function, class or member of the facts) -> qualified name."""
        self._bodies: list[tuple[Span, str]] = []
        found: dict[tuple[str, int], Symbol] = {}
        for symbol in self._all_symbols():
            found.setdefault((symbol.qualified_name, symbol.line), symbol)
        self.symbols: tuple[Symbol, ...] = tuple(
            sorted(found.values(), key=lambda each: (each.line, each.column, each.qualified_name))
        )

    @property
    def text(self) -> SourceText:
        """The text of the file."""
        return self._text

    def enclosing_function(self, span: Span) -> str:
        """Qualified name of the innermost function that a place lies in; empty where none does."""
        inside = [
            (body, name)
            for body, name in self._bodies
            if (body.line, body.column) <= (span.line, span.column)
            and (span.end_line, span.end_column) <= (body.end_line, body.end_column)
        ]
        return max(inside, default=(NO_SPAN, ""))[1]

    # Private helpers

    def _all_symbols(self) -> Iterator[Symbol]:
        for declared in self._file.classes:
            yield from self._class(declared, "")
        for function in self._file.functions:
            yield from self._function(function, "", "function")
        for alias in self._file.aliases:
            yield self._alias(alias, "")
        yield from self._statements(self._file.statements, "", top=True)
        for export in self._file.exports:
            if isinstance(export.value, Lambda):
                function = export.value.function
                named = function.name or export.exported or "default"
                yield from self._function(function, "", "function", named=named)
            elif isinstance(export.value, ObjectLiteral):
                yield from self._entries(export.value, "")

    def _class(self, declared: ClassDecl, outer: str) -> Iterator[Symbol]:
        name = plain_name(declared.name)
        qualified = _join_names(outer, name)
        self.by_span[declared.span] = qualified
        bases = ", ".join(filter(None, (self._text.text_at(base.span) for base in declared.bases)))
        yield self._symbol(
            name,
            qualified,
            declared.kind,
            declared.name_span,
            declared.span,
            f"{declared.kind} {name}" + (f"({bases})" if bases else ""),
            doc=declared.doc,
            library_use=bool(declared.annotations),
            exported=bool({"export", "public", "default"} & {*declared.modifiers}),
        )
        accessors = {method.name for method in declared.methods}
        for method in declared.methods:
            constructs = "constructor" in method.modifiers
            kind = "constructor" if constructs else "method"
            if {"get", "set", "property"} & {*method.modifiers}:
                kind = "property"
            yield from self._function(method, qualified, kind)
        for member in declared.members:
            for accessor in member.accessors:
                self._bodies.append((accessor.span, _join_names(qualified, member.name)))
            if member.name in accessors:
                self.by_span.setdefault(member.span, _join_names(qualified, member.name))
                continue
            yield from self._member(member, qualified)
        for inner in declared.classes:
            yield from self._class(inner, qualified)
        for alias in declared.aliases:
            yield self._alias(alias, qualified)

    def _member(self, member: Member, outer: str) -> Iterator[Symbol]:
        qualified = _join_names(outer, member.name)
        called = isinstance(member.value, Lambda) or isinstance(member.type, FunctionType)
        kind = "method" if called else _KINDS_OF_MEMBERS[member.kind]
        if isinstance(member.value, Lambda):
            yield from self._function(
                member.value.function, outer, kind, named=member.name, place=member.name_span
            )
            self.by_span[member.span] = qualified
            return
        self.by_span[member.span] = qualified
        type_text = self._text.text_at(member.type.span) if member.type is not None else ""
        yield self._symbol(
            member.name,
            qualified,
            kind,
            member.name_span if member.name_span != NO_SPAN else member.span,
            member.span,
            f"{member.name}: {type_text}" if type_text else member.name,
            doc=member.doc,
            library_use=bool(member.annotations),
        )
        if isinstance(member.value, ObjectLiteral):
            yield from self._entries(member.value, qualified)

    def _function(
        self,
        function: Function,
        outer: str,
        kind: str,
        *,
        named: str = "",
        place: Span = NO_SPAN,
    ) -> Iterator[Symbol]:
        name = named or function.name
        qualified = _join_names(outer, name)
        self.by_span[function.span] = qualified
        self._bodies.append((function.span, qualified))
        if name:
            at = place if place != NO_SPAN else function.name_span
            yield self._symbol(
                name,
                qualified,
                kind,
                at if at != NO_SPAN else function.span,
                function.span,
                self._signature(function, name),
                doc=function.doc,
                library_use=bool(function.annotations),
                exported=bool({"export", "public", "default"} & {*function.modifiers}),
            )
        yield from self._statements(function.body or (), qualified, top=False)

    def _signature(self, function: Function, name: str) -> str:
        params = ", ".join(
            self._text.text_at(param.span) or param.name for param in function.params
        )
        returns = self._text.text_at(function.returns.span) if function.returns is not None else ""
        return f"{name}({params})" + (f" -> {returns}" if returns else "")

    def _alias(self, alias: Alias, outer: str) -> Symbol:
        name = plain_name(alias.name)
        qualified = _join_names(outer, name)
        self.by_span[alias.span] = qualified
        place = alias.name_span if alias.name_span != NO_SPAN else alias.span
        exported = "export" in alias.modifiers
        return self._symbol(
            name,
            qualified,
            "type",
            place,
            alias.span,
            f"type {name}",
            exported=exported,
        )

    def _statements(
        self, statements: Sequence[Statement], outer: str, *, top: bool
    ) -> Iterator[Symbol]:
        """Functions and classes of a block, and at the top level variables; each variable once."""
        seen: set[str] = set()
        pending = [*reversed(statements)]
        while pending:
            statement = pending.pop()
            match statement:
                case Define(declaration=Function() as function):
                    yield from self._function(function, outer, "function")
                case Define(declaration=ClassDecl() as declared):
                    yield from self._class(declared, outer)
                case Branch(blocks=blocks):
                    pending.extend(each for block in reversed(blocks) for each in reversed(block))
                case Loop(body=body):
                    pending.extend(reversed(body))
                case Assign(target=Name(id=name), operator="") if name not in seen:
                    seen.add(name)
                    yield from self._variable(statement, name, outer, top=top)
                    if not isinstance(statement.value, Lambda):
                        yield from self._in_callbacks(statement, outer)
                    continue
                case _:
                    yield from self._in_callbacks(statement, outer)

    def _in_callbacks(self, statement: Statement, outer: str) -> Iterator[Symbol]:
        """What functions without a name declare that stand in a statement: the callbacks of
        `describe("…", () => { … })`."""
        if isinstance(statement, Branch | Loop | Define):
            return  # their statements are gone through one by one
        pending: list[Any] = [*children(statement)]
        while pending:
            node = pending.pop()
            if isinstance(node, tuple):
                pending.extend(node)
            elif isinstance(node, Lambda):
                yield from self._statements(node.function.body or (), outer, top=False)
            elif isinstance(node, Struct):
                pending.extend(children(node))

    def _variable(self, statement: Assign, name: str, outer: str, *, top: bool) -> Iterator[Symbol]:
        value, place = statement.value, statement.target.span
        if isinstance(value, Lambda):
            yield from self._function(value.function, outer, "function", named=name, place=place)
            return
        if not top:
            return
        qualified = _join_names(outer, name)
        type_text = self._text.text_at(statement.type.span) if statement.type is not None else ""
        yield self._symbol(
            name,
            qualified,
            "constant" if name.isupper() else "variable",
            place,
            statement.span,
            f"{name}: {type_text}" if type_text else name,
        )
        if isinstance(value, ObjectLiteral):
            yield from self._entries(value, qualified)

    def _entries(self, literal: ObjectLiteral, outer: str) -> Iterator[Symbol]:
        """The functions of an object literal."""
        for entry in literal.entries:
            if entry.key is not None and isinstance(entry.value, Lambda):
                yield from self._function(
                    entry.value.function, outer, "method", named=entry.key, place=entry.span
                )

    def _symbol(
        self,
        name: str,
        qualified: str,
        kind: str,
        place: Span,
        whole: Span,
        signature: str,
        *,
        doc: str = "",
        library_use: bool = False,
        exported: bool = False,
    ) -> Symbol:
        return Symbol(
            name=name,
            qualified_name=qualified,
            kind=kind,
            line=place.line,
            column=place.column,
            end_line=max(whole.end_line, place.end_line),
            signature=signature[:_LONGEST_SIGNATURE],
            doc=doc or self._text.documentation(place, self._file.language),
            library_use=library_use,
            exported=exported or qualified in self._exported,
        )


def plain_name(name: str) -> str:
    """The name of a type as it is written, without its number of type parameters."""
    return name.partition("`")[0]


def _join_names(outer: str, name: str) -> str:
    return f"{outer}.{name}" if outer else name
