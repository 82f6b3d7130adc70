"""Imports that fixes of Java need."""

from __future__ import annotations

from contract_scan.fixes.syntax import Replacement, Syntax, children


def add_import(syntax: Syntax, name: str) -> list[Replacement] | None:
    """What brings a class into a file; nothing where it is there. None where the file has another
    class so called, or no place for it."""
    package, _, short = name.rpartition(".")
    statements = children(syntax.root, "import_declaration")
    written = ["".join(syntax.source(node).split()) for node in statements]
    if f"import{name};" in written or f"import{package}.*;" in written:
        return []
    if any(each.endswith(f".{short};") for each in written):
        return None
    declared = (
        "class_declaration",
        "record_declaration",
        "enum_declaration",
        "interface_declaration",
    )
    for node in children(syntax.root, *declared):
        own = node.child_by_field_name("name")
        if own is not None and syntax.source(own) == short:
            return None
    end = syntax.text.line_end
    if statements:
        start = syntax.line_after(statements[-1])
        text = f"import {name};{end}"
    else:
        packages = children(syntax.root, "package_declaration")
        start = syntax.line_after(packages[0]) if packages else 0
        text = f"{end}import {name};{end}" if packages else f"import {name};{end}{end}"
    return None if start is None else [Replacement(start, start, text)]
