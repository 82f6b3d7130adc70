"""Java source -> the facts of one file."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.generated_code import stated_source
from contract_scan.parsers.source.facts.nodes import (
    ClassDecl,
    FileFacts,
    Function,
    Import,
    Statement,
)
from contract_scan.parsers.source.java.lowering.accessors import lombok_names
from contract_scan.parsers.source.java.lowering.declarations import (
    CLASS_KINDS,
    INITIALIZERS,
    METHODS,
    class_from_node,
    function_from_node,
    initializer_body,
)
from contract_scan.parsers.source.java.lowering.expressions import lower_expression
from contract_scan.parsers.source.java.lowering.statements import lower_block
from contract_scan.parsers.source.java.lowering.types import Reader
from contract_scan.parsers.source.syntax_tree import UTF8_BOM, UTF16_BOMS, parse, unparsed_nodes

MAX_ERRORS = 20
"""Places named in `FileFacts.errors`; more of them say nothing new."""
_WITH_BODIES = METHODS | INITIALIZERS
_FIRST_LINE = Span(1, 1, 1, 2)


def lower(content: bytes, path: str, markers: re.Pattern[bytes] | None = None) -> FileFacts:
    """The facts of one file. `markers`: a function whose text it matches is read with its
    statements.

    Never raises for bad source: what the grammar cannot parse is in `errors`.
    """
    text = _text(content)
    if text is None:
        return FileFacts(path=path, language="java", errors=(_FIRST_LINE,))
    try:
        root = parse(text, ".java")
    except ParseLimitError as error:
        return FileFacts(path=path, language="java", unread=error.code)
    reader = _reader(text, markers)
    package = ""
    imports: list[Import] = []
    classes: list[ClassDecl] = []
    functions: list[Function] = []
    pending = list(reversed(root.named_children))
    while pending:
        node = pending.pop()
        if node.type in CLASS_KINDS:
            classes.append(class_from_node(reader, node))
        elif node.type == "import_declaration":
            imports.append(_import(reader, node))
            reader.lombok |= lombok_names(imports[-1:])
        elif node.type == "package_declaration":
            package = reader.name(node.named_children[-1]) if node.named_child_count else ""
        elif node.type in METHODS:
            functions.append(function_from_node(reader, node))
        elif node.type == "ERROR":
            # What could not be closed hides declarations that are whole.
            pending.extend(reversed(node.named_children))
    return FileFacts(
        path=path,
        language="java",
        package=package,
        imports=tuple(imports),
        classes=tuple(classes),
        functions=tuple(functions),
        errors=(*reader.unread, *map(reader.span, islice(unparsed_nodes(root), MAX_ERRORS)))[
            :MAX_ERRORS
        ],
        stated_source=stated_source(content),
    )


def lower_body(content: bytes, path: str, span: Span) -> tuple[Statement, ...]:
    """The statements of the function that stands at `span` of the file."""
    text = _text(content)
    if text is None:
        return ()
    reader = _reader(text, None)
    start = reader.offset(span.line, span.column)
    end = reader.offset(span.end_line, span.end_column)
    node = _root(text).descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and not (node.type in _WITH_BODIES and node.start_byte == start):
        node = node.parent
    if node is None:
        return ()
    body = initializer_body(node) if node.type in INITIALIZERS else None
    body = body or node.child_by_field_name("body")
    return lower_block(reader, body) if body is not None else ()


@lru_cache(maxsize=1)
def _root(text: bytes) -> Node:
    """The tree of the file whose bodies were read last: handlers of one file come in a row."""
    return parse(text, ".java")


def _reader(content: bytes, markers: re.Pattern[bytes] | None) -> Reader:
    return Reader(content, markers, lower_expression, lower_block, class_from_node)


def _text(content: bytes) -> bytes | None:
    """The file as the grammar reads it; None where it is no text in an encoding Java's tools take.

    Every replacement keeps the number of bytes, so that places stay true.
    """
    if content.startswith(UTF16_BOMS) or content.count(0, 0, 400) > 100:
        return None
    content = content.removeprefix(UTF8_BOM)
    if b"\r" in content and b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    return content.replace(b"\x00", b" ") if b"\x00" in content else content


def _import(reader: Reader, node: Node) -> Import:
    name = ""
    is_star = False
    words: list[str] = []
    for child in node.children:
        if child.type in ("scoped_identifier", "identifier"):
            name = reader.name(child)
        elif child.type == "asterisk":
            is_star = True
        elif child.type == "static":
            words.append("static")
    module, _, last = (name, "", "*") if is_star else name.rpartition(".")
    return Import(
        module=module,
        name=last,
        local="" if is_star else last,
        modifiers=tuple(words),
        span=reader.span(node),
    )
