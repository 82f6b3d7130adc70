"""Messages whose address is made of their type."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.csharp.serialization.naming import separate_words


def qualified_type_name(symbol: ClassSymbol, separator: str) -> str:
    """The namespace and the name of a type."""
    namespace = symbol.file.namespaces.get(symbol.qualified_name, symbol.file.package)
    name = symbol.qualified_name.replace(".", "-").partition("`")[0]
    return f"{namespace}{separator}{name}" if namespace else name


def spellings(name: str) -> tuple[str, ...]:
    """Names that contracts give a message whose address is made of its type: the type's name, as it
    is and as endpoints are named after it."""
    bare = name[1:] if name[:1] == "I" and name[1:2].isupper() else name
    words = separate_words(bare, "-")
    found = (name, bare, words, words.replace("-", "_"), words.replace("-", "."))
    return tuple(dict.fromkeys(found))
