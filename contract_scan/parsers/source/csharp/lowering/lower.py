"""The text of a C# file -> facts.

Declarations are always lowered; the statements of a function only where its text holds a marker, or
on demand through `lower_body`. Top-level statements are always lowered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.csharp.lowering.context import (
    LowerExpression,
    Lowering,
    children,
    compiled_nodes,
    readable,
    statements_of,
)
from contract_scan.parsers.source.csharp.lowering.declarations import (
    CLASSES,
    class_declaration,
    delegate,
)
from contract_scan.parsers.source.csharp.lowering.expressions import EXPRESSIONS
from contract_scan.parsers.source.csharp.lowering.functions import (
    FUNCTIONS,
    function,
    function_body,
    function_statements,
)
from contract_scan.parsers.source.csharp.lowering.literals import LITERALS
from contract_scan.parsers.source.csharp.lowering.objects import OBJECTS
from contract_scan.parsers.source.csharp.lowering.operators import OPERATORS
from contract_scan.parsers.source.csharp.lowering.statements import (
    is_statement,
    lower_block,
    lower_statements,
)
from contract_scan.parsers.source.csharp.lowering.types import lower_type
from contract_scan.parsers.source.discovery.generated_code import stated_source
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    ClassDecl,
    FileFacts,
    Function,
    Import,
    NamedType,
    Statement,
)
from contract_scan.parsers.source.syntax_tree import parse, unparsed_nodes

LANGUAGE = "csharp"

_EXPRESSIONS: dict[str, LowerExpression] = {
    **EXPRESSIONS,
    **LITERALS,
    **OBJECTS,
    **OPERATORS,
    **FUNCTIONS,
}
_NULLABLE = re.compile(rb"^[ \t]*#[ \t]*nullable[ \t]+(enable|disable|restore)", re.MULTILINE)
_CONDITIONAL = re.compile(rb"^[ \t]*#[ \t]*(if|elif|else|endif)\b", re.MULTILINE)
_ALIAS = re.compile(rb"using\s{1,99}\w{1,200}\s{0,99}=[^;\n]{0,999};")
"""Begins with a word, to which a search skips: one that begins with a line stops at each."""
_BEFORE_ALIAS = (b"", b"global")
_MAX_HEADER = 2_000
_MAX_ERRORS = 50
_MAX_NAMESPACES = 50
_WRAPPER = b"class _{\n"
_SUFFIX = ".cs"


def lower_file(content: bytes, path: str, markers: re.Pattern[bytes] | None) -> FileFacts:
    """The facts of a file. Never raises for bad source.

    Raises:
        SourceError: no grammar is installed.
    """
    text = readable(content)
    if text is None:
        return FileFacts(path=path, language=LANGUAGE, errors=(Span(1, 1, 1, 1),))
    try:
        text, root = _text_and_tree(text)
    except ParseLimitError as error:
        return FileFacts(path=path, language=LANGUAGE, unread=error.code)
    low = Lowering(text, markers, _EXPRESSIONS, lower_block)
    unit = _FileDeclarations(low)
    unit.read_all(statements_of(root), "")
    return FileFacts(
        path=path,
        language=LANGUAGE,
        package=unit.package(),
        imports=tuple(unit.imports),
        classes=tuple(unit.classes),
        functions=tuple(unit.functions),
        aliases=tuple(unit.aliases),
        statements=lower_statements(low, unit.statements),
        namespaces=unit.several(),
        errors=tuple(map(low.span, islice(unparsed_nodes(root), _MAX_ERRORS))),
        stated_source=stated_source(content),
        nullability=_nullability(text),
    )


def lower_function(content: bytes, span: Span) -> tuple[Statement, ...]:
    """The statements of the function that stands at a span of the file.

    Only that text is parsed, as the one member of a class around it.
    """
    text = readable(content)
    if text is None or not 1 <= span.line <= span.end_line:
        return ()
    lines = text.split(b"\n", span.end_line)[: span.end_line]
    if len(lines) < span.end_line:
        return ()
    lines = lines[span.line - 1 :]
    lines[-1] = _code_points(lines[-1], span.end_column - 1)
    start = len(_code_points(lines[0], span.column - 1))
    lines[0] = b" " * (span.column - 1) + lines[0][start:]
    part = _WRAPPER + b"\n".join(lines) + b"\n}"
    part, root = _text_and_tree(part)
    low = Lowering(part, None, _EXPRESSIONS, lower_block, span.line - 1)
    low.aliases.update(_aliases(text))
    found = _first_function(root)
    body = function_body(found) if found is not None else None
    if found is None or body is None:
        return ()
    return function_statements(low, found, body)


def _text_and_tree(text: bytes) -> tuple[bytes, Node]:
    """A text with its tree. Where it cannot be parsed, since `#if` cuts through a statement, it is
    taken without such lines and without what stands behind `#else`, if that can be."""
    root = parse(text, _SUFFIX)
    if not root.has_error or _CONDITIONAL.search(text) is None:
        return text, root
    plain = _without_conditionals(text)
    whole = parse(plain, _SUFFIX)
    return (text, root) if whole.has_error else (plain, whole)


def _without_conditionals(text: bytes) -> bytes:
    """A text of which each other line stays where it is."""
    lines: list[bytes] = []
    left_out: list[bool] = []
    """For each `#if` that is open, whether what follows is left out."""
    for line in text.split(b"\n"):
        directive = _CONDITIONAL.match(line)
        if directive is not None:
            match directive[1]:
                case b"if":
                    left_out.append(False)
                case b"endif":
                    del left_out[-1:]
                case _:
                    left_out[-1:] = [True]
        is_kept = directive is None and not any(left_out)
        lines.append(line if is_kept else b" " * len(line))
    return b"\n".join(lines)


def _aliases(text: bytes) -> dict[str, NamedType]:
    """What the file's `using X = …;` lines call by another name."""
    directives = [
        found[0]
        for found in _ALIAS.finditer(text)
        if text[text.rfind(b"\n", 0, found.start()) + 1 : found.start()].strip() in _BEFORE_ALIAS
    ]
    lines = b"\n".join(directives)
    if not lines:
        return {}
    low = Lowering(lines, None, _EXPRESSIONS, lower_block)
    _FileDeclarations(low).read_all(children(parse(lines, _SUFFIX)), "")
    return low.aliases


def _code_points(line: bytes, count: int) -> bytes:
    """The first so many code points of a line."""
    if line.isascii():
        return line[:count]
    return line.decode("utf-8", "surrogateescape")[:count].encode("utf-8", "surrogateescape")


_FUNCTIONS = frozenset(
    {
        *("method_declaration", "constructor_declaration", "conversion_operator_declaration"),
        "local_function_statement",
    }
)


def _first_function(root: Node) -> Node | None:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in _FUNCTIONS:
            return node
        pending.extend(reversed(node.named_children))
    return None


class _FileDeclarations:
    """What a file declares outside of any type, collected in order."""

    def __init__(self, low: Lowering) -> None:
        self.low = low
        self.imports: list[Import] = []
        self.classes: list[ClassDecl] = []
        self.functions: list[Function] = []
        self.aliases: list[Alias] = []
        self.statements: list[Node] = []
        self.namespaces: list[tuple[str, str]] = []
        self._depth = 0

    def read_all(self, nodes: Sequence[Node], namespace: str) -> None:
        """Declarations of a namespace, or of the file outside of one."""
        for node in nodes:
            namespace = self._read_declaration(node, namespace)

    def _read_declaration(self, node: Node, namespace: str) -> str:
        """Read one declaration; returns the namespace of what follows."""
        match node.type:
            case "using_directive":
                self.imports.extend(_lower_using(self.low, node, namespace))
            case "file_scoped_namespace_declaration":
                return self._namespace(node, namespace)
            case "namespace_declaration":
                body = node.child_by_field_name("body")
                self._depth += 1
                if body is not None and self._depth <= _MAX_NAMESPACES:
                    self.read_all(children(body), self._namespace(node, namespace))
                self._depth -= 1
            case "delegate_declaration":
                self.aliases.append(delegate(self.low, node))
            case "global_statement":
                for inner in children(node):
                    self._read_declaration(inner, namespace)
            case "local_function_statement":
                self.functions.append(function(self.low, node))
            case "preproc_if":
                namespace = self._conditional(node, namespace)
            case "ERROR" | "declaration_list":
                self.read_all(children(node), namespace)
            case kind if kind in CLASSES:
                declared = class_declaration(self.low, node)
                if declared is not None:
                    self.classes.append(declared)
                    self._record_namespaces(declared, (), namespace)
            case kind if is_statement(kind):
                self.statements.append(node)
            case _:
                pass
        return namespace

    def _conditional(self, node: Node, namespace: str) -> str:
        """`#if` around declarations: all that may be compiled. Statements in it stay together."""
        parts = compiled_nodes(node)
        statements = [part for part in parts if is_statement(part.type)]
        if statements:
            self.statements.append(node)
        for part in parts:
            if part not in statements:
                namespace = self._read_declaration(part, namespace)
        return namespace

    def _namespace(self, node: Node, outer: str) -> str:
        name = node.child_by_field_name("name")
        written = lower_type(self.low, name) if name is not None else None
        inner = written.name if isinstance(written, NamedType) else ""
        return f"{outer}.{inner}" if outer else inner

    def _record_namespaces(
        self, declared: ClassDecl, outer: tuple[str, ...], namespace: str
    ) -> None:
        pending = [(declared, outer)]
        while pending:
            current, around = pending.pop()
            self.namespaces.append((".".join((*around, current.name)), namespace))
            pending.extend((nested, (*around, current.name)) for nested in current.classes)

    def package(self) -> str:
        """The namespace of all types, where there is just one."""
        names = {namespace for _, namespace in self.namespaces}
        return names.pop() if len(names) == 1 else ""

    def several(self) -> dict[str, str]:
        """Qualified type name -> namespace, where the file has several namespaces."""
        names = {namespace for _, namespace in self.namespaces}
        return dict(self.namespaces) if len(names) > 1 else {}


def _lower_using(low: Lowering, node: Node, namespace: str) -> list[Import]:
    """`using A.B;`, `using static A.B.C;`, `using X = A.B.C;`, each possibly `global`. In a
    namespace (`relative`), `A` may be a part of it."""
    words = {child.type for child in node.children if not child.is_named}
    modifiers = ("global",) if "global" in words else ("relative",) if namespace else ()
    alias = node.child_by_field_name("name")
    targets = [child for child in children(node) if child != alias]
    if not targets:
        return []
    target = lower_type(low, targets[-1])
    if not isinstance(target, NamedType):
        return []  # an alias of a tuple or array type
    module, _, last = target.name.rpartition(".")
    if alias is not None:
        name = low.identifier(alias)
        low.aliases[name] = target
        return [Import(module=module, name=last, local=name, modifiers=modifiers)]
    if "static" in words:
        return [Import(module=target.name, name="*", modifiers=(*modifiers, "static"))]
    return [Import(module=target.name, name="*", modifiers=modifiers)]


def _nullability(text: bytes) -> tuple[tuple[int, str], ...]:
    switched = [(0, "disable")] if _is_generated(text) else []
    if b"nullable" in text:
        switched += (
            (text.count(b"\n", 0, match.start()) + 1, match.group(1).decode())
            for match in _NULLABLE.finditer(text)
        )
    return tuple(switched)


def _is_generated(text: bytes) -> bool:
    """Whether comments at its beginning mark a file as generated, in which the compiler does not go
    by what the project says of null (https://learn.microsoft.com/dotnet/csharp/nullable-references)."""
    for line in text[:_MAX_HEADER].split(b"\n"):
        written = line.strip()
        if written and not written.startswith((b"//", b"/*", b"*")):
            return False
        if b"<auto-generated" in written or b"<autogenerated" in written:
            return True
    return False
