"""JSON Schema documents -> shared models."""

from __future__ import annotations

from collections.abc import Iterator
from re import compile as regex

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.model import Model
from contract_scan.parsers.contracts.conjunction import constrains
from contract_scan.parsers.contracts.dialects import (
    JSON_SCHEMA_NEW,
    JSON_SCHEMA_OLD,
    Dialect,
    dialect_of_schema_uri,
)
from contract_scan.parsers.contracts.located_tree import Mapping, Node
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.schema import SchemaReader

_DEFINITIONS = ("$defs", "definitions")
_ENVELOPE_KEYWORDS = frozenset({"type", "properties", "required", "additionalProperties"})
_LONGEST_TITLE = 4
"""Words; a longer title is a sentence, not a name."""
_WORD = regex(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9]+")
_NAME = regex(r"[A-Za-z_$][A-Za-z0-9_$.]*")
_ENDINGS = (".json", ".yaml", ".yml", ".schema")
_VERSION = regex(
    r"(?:(?:[-_]|(?<![0-9])\.)v?|\.?v|(?<![0-9])(?<![0-9]\.))"
    r"[0-9]++(?>(?:\.[0-9]++)*)(?:[-.](?:SNAPSHOT|strict))?$"
)
"""Begins at no place within a chain of numbers, so that none is gone through twice."""


def read_json_schema(root: Node, documents: Documents) -> ContractDocument:
    """Lower a schema document: its root, where that is a schema, and every definition."""
    problems = Problems()
    schemas = SchemaReader(documents, dialect_of_document(root), problems)
    models = tuple(
        Model(
            name=name,
            schema=schemas.read(node),
            origin=node.origin,
            document=node.file.path,
            title=_title(node, name) if node.pointer == root.pointer else "",
        )
        for name, node in shared_schemas(root)
    )
    return ContractDocument(
        path=root.file.path,
        kind="json-schema",
        version=root.text("$schema"),
        title=root.text("title"),
        models=models,
        schemas=schemas.schemas(),
        problems=problems.all(),
    )


def dialect_of_document(root: Node) -> Dialect:
    """What `$schema` says, else what the keywords used tell."""
    default = JSON_SCHEMA_NEW if root.has("$defs") else JSON_SCHEMA_OLD
    return dialect_of_schema_uri(root.text("$schema"), default)


def shared_schemas(root: Node) -> Iterator[tuple[str, Node]]:
    """Name and place of every schema that a document shares."""
    if _describes_values(root) and not _wraps_definition(root, model_name(root)):
        yield model_name(root), root
    for word in _DEFINITIONS:
        definitions = root.get(word)
        for name, node in definitions.members() if definitions is not None else ():
            if node.is_mapping:
                yield name, node


def _describes_values(root: Node) -> bool:
    """Whether the root is a model of its own, not just a holder of definitions or a pointer."""
    if not isinstance(root.value, Mapping) or not constrains(root):
        return False
    reference = root.value.get("$ref")
    points_inside = isinstance(reference, str) and reference.startswith("#")
    return not (points_inside and not constrains(root, {"$ref"}))


def _wraps_definition(root: Node, name: str) -> bool:
    """Whether a root of this name is an object of one property that refers to the definition of
    the same name: the definition is the model, and the root an envelope around it."""
    properties = root.get("properties")
    if properties is None or constrains(root, _ENVELOPE_KEYWORDS):
        return False
    members = [member for _, member in properties.members()]
    references = {f"#/{word}/{name}" for word in _DEFINITIONS}
    return len(members) == 1 and members[0].text("$ref") in references


def model_name(root: Node) -> str:
    """The name of a document's root: its title where that is a name, else the last part of its
    `$id` (which stays when a file is copied under another name), else that of the file."""
    title = root.text("title").strip()
    if _NAME.fullmatch(title):
        return title
    words = _WORD.findall(title)
    if words and len(words) <= _LONGEST_TITLE and "".join(words) == title.replace(" ", ""):
        return "".join(word[:1].upper() + word[1:] for word in words)
    identity = (root.text("$id") or root.text("id")).partition("#")[0].rstrip("/")
    if identity[:4].lower() == "urn:":
        # Names of a URN are divided by colons (RFC 8141), those within one by slashes.
        identity = identity.rpartition(":")[2]
    published = _stem(identity)
    if published[:1].isalpha():
        return published
    return _stem(root.file.path)


def _title(root: Node, name: str) -> str:
    """The title of a document, where its root goes by another name."""
    title = root.text("title").strip()
    return title if title != name else ""


def _stem(path: str) -> str:
    """The last part of a path or URI, without ending and version."""
    stem = path.rpartition("/")[2]
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    return _VERSION.sub("", stem) or stem
