"""Names of other namespaces that fixes of C# need."""

from __future__ import annotations

import re

from contract_scan.fixes.syntax import Replacement, Syntax, walk

_IN_SYSTEM = frozenset({"DateTimeOffset", "DateOnly", "Guid"})


def add_using(syntax: Syntax, namespace: str) -> list[Replacement]:
    """What brings a namespace into a file; nothing where it is there."""
    directives = [node for node in walk(syntax.root) if node.type == "using_directive"]
    line = f"using {namespace};"
    if any(_imports_namespace(syntax.source(node), namespace) for node in directives):
        return []
    plain = [node for node in directives if syntax.begins_line(node)]
    for node in reversed(plain):
        start = syntax.line_after(node)
        if start is not None:
            text = f"{syntax.indent(node)}{line}{syntax.text.line_end}"
            return [Replacement(start, start, text)]
    first = next((n for n in syntax.root.named_children if n.type != "comment"), None)
    if first is None or not syntax.begins_line(first):
        return []
    start = syntax.start(first)
    return [Replacement(start, start, f"{line}{syntax.text.line_end}{syntax.text.line_end}")]


def _imports_namespace(directive: str, namespace: str) -> bool:
    return re.fullmatch(rf"(global\s+)?using\s+{re.escape(namespace)}\s*;", directive) is not None


def qualified_name(syntax: Syntax, name: str) -> str:
    """A type's name as the file can write it."""
    if name not in _IN_SYSTEM or re.search(rf"\b(using System;|{name})", syntax.text.text):
        return name
    return f"System.{name}"
