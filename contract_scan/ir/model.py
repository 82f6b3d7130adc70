"""Named models: shared JSON Schemas, and the types in code that stand for them."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.schema import Schema


class Model(Struct, frozen=True, kw_only=True):
    name: str
    """The name that types in code are looked for by."""
    schema: Schema
    origin: Origin = NOWHERE
    language: str = ""
    """Code only: `python`, `typescript`, `csharp`, `java`."""
    kind: str = ""
    """Code only: what declares it (`pydantic`, `interface`, `record`, `zod` …)."""
    stated_source: str = ""
    """Code only: the schema that its file says it was generated from, by the last part of its
    path."""
    other_classes_of: tuple[str, ...] = ()
    """Code only: the schemas, or folders of schemas, of which a build makes other classes for the
    code around: this type stands for none of them."""
    package: str = ""
    """Code only: the namespace or package that it is declared in, and the types around it."""
    document: str = ""
    title: str = ""
    """Contracts only: what the document calls it, where that is not its name (a sentence)."""

    @property
    def called(self) -> str:
        """The name in reports: what the contract itself calls it."""
        return self.title or self.name
