"""Which files of a repository are contracts, when nobody names them.

A file is a candidate by its name, its folder or, where it is YAML, by its first key; it is a
contract by what it says in its first lines. Installed packages, build output and test data are
left out: what stands there promises nothing.
"""

from __future__ import annotations

import codecs
import os
import posixpath
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from re import compile as regex
from urllib.parse import unquote

from contract_scan import unsaved
from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.parsers.archives import ARCHIVED, is_archived
from contract_scan.parsers.contracts.folders import (
    EXAMPLE_WORDS,
    WORD,
    files_below,
    is_left_out,
)
from contract_scan.parsers.contracts.located_tree import DEFAULT_LIMITS, Limits
from contract_scan.parsers.contracts.merged_documents import has_promises, is_document
from contract_scan.parsers.contracts.refs import read_regular_file
from contract_scan.parsers.contracts.svc_table import has_svc_table

_YAML = (".yaml", ".yml")
_DATA = (".json", *_YAML)
_TEMPLATE_WORDS = frozenset({"template", "tmpl", "test", "tests", *EXAMPLE_WORDS})
"""Words in the name of a document that another one is made from or written after, or that tests
read."""
_FOLDERS = frozenset(
    {
        "contract",
        "contracts",
        "api",
        "apis",
        "api-docs",
        "apidocs",
        "api-spec",
        "api-specs",
        "doc",
        "docs",
        "spec",
        "specs",
        "specification",
        "specifications",
        "schema",
        "schemas",
        "openapi",
        "swagger",
        "asyncapi",
        "events",
        "static",
        "public",
    }
)
_SCHEMA_FOLDERS = frozenset(
    {
        *("contract", "contracts", "schema", "schemas", "schemata"),
        *("json-schema", "json-schemas", "json_schema", "json_schemas"),
        *("jsonschema", "jsonschemas"),
    }
)
_WORDS = ("openapi", "swagger", "asyncapi")
_NAMES = frozenset({"api", "api-docs", "api-spec", "api_spec", "apispec", "schema", "spec"})
"""What documents are called as well, before the suffix (`schema.yml` is drf-spectacular's)."""
_SCHEMA_NAMES = (".schema.json", ".schema.yaml", ".schema.yml")
_NUMBERED = regex(r"v\d{1,3}")
"""What documents of an interface with versions are called (`v1.json`)."""
_REQUIREMENTS = "requirements.md"
_RECORDS = "contracts.json"
_PROJECT = ".csproj"
_END = 32_768

_BEGINS = regex(
    rb"""(?:\xef\xbb\xbf)?(?>(?:[^\S\n]*+(?:[\#%][^\n]*+|---[^\n]*+)?\n)*)"""
    rb"""["']?(?:openapi|swagger|asyncapi)["']?\s*:\s*["']?\d"""
)
"""Blank lines and comments, then the version."""
_BEGINNING = 4_096
_SCHEMA_SIGN = regex(r"""["']?\$schema["']?\s*:\s*["']?https?://json-schema\.org/""")
_VERSION = regex(r"[-_.]v?([0-9]{1,6}(?:\.[0-9]{1,6}){0,3})(?=[-_.])")
_STATED = regex(r"(?i)(?<![a-z0-9])v?[0-9]{1,6}(?![a-z0-9])")
"""A version in a path."""
_NUMBERS = regex(r"v?([0-9]{1,6}(?:\.[0-9]{1,6}){0,3})(?![0-9.])")
_FEWEST_SHARED = 5
_SHARE_OF_OLDER = 0.8
"""How many operations, and which share of its own, an older version has in common with the newer
one. Services made after one template share a path or two (`/health`)."""
_VARIANT = regex(r"[-_.](?:strict|SNAPSHOT)(?=[-_.])")
_BACKUP = regex(r"[-_. ](?:backup|bak|copy|orig|old)\.(?:json|ya?ml)$")
_NO_LONGER = regex(
    r"(?i)no longer (?:maintained|updated|supported)|superseded by|has been replaced by"
)
_FILE = regex(r"(?<![\w./-])[\w./-]{1,200}\.(?:json|ya?ml)\b")
_NEAR = 160
"""How many characters after such words the name of the other document is looked for."""
_REFERENCE = regex(r"""["']?\$ref["']?\s*:\s*["']?([^"'#\s,}]+)(#[^"'\s,}]*)?""")
_SHARED = ("#/components/", "#/definitions/")
"""What documents hold for others, besides promises of their own."""


def discover_contracts(
    root: Path, files: Iterable[str] | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[Path, ...]:
    """Every contract below `root`, in the order of their paths.

    `files` are the root-relative paths to choose from (such as git lists them), links among them
    followed within the root; without it the folders are walked, links not followed.
    """
    texts = _texts(root, files, limits)
    left_out = {
        *(_fragments(texts) | _superseded_schemas(texts)),
        *(_backups(texts) | _templates(texts) | _archived(texts)),
        *_superseded_documents(texts),
    }
    return tuple(root / shown for shown in texts if shown not in left_out)


def named_like_contracts(files: Iterable[str]) -> list[str]:
    """Those of root-relative paths of files that cannot be read that are taken for contracts by
    their names alone, sorted."""
    given = sorted(files)
    projects = _projects(given)
    kinds = ((path, _candidate(path, projects)) for path in given)
    return [path for path, kind in kinds if kind and _is_contract(kind, path, "")]


def set_aside(
    root: Path, files: Iterable[str] | None = None, limits: Limits = DEFAULT_LIMITS
) -> dict[str, str]:
    """Files that look like contracts and that `discover_contracts` leaves out, with the reason."""
    texts = _texts(root, files, limits)
    parts = dict.fromkeys(sorted(_fragments(texts)), "a part of another contract")
    older = dict.fromkeys(sorted(_superseded_schemas(texts)), "a newer version stands beside it")
    copies = dict.fromkeys(sorted(_backups(texts)), "a copy of the one beside it")
    templates = dict.fromkeys(
        sorted(_templates(texts)), "a template, an example or for tests, by its name"
    )
    archived = dict.fromkeys(sorted(_archived(texts)), ARCHIVED)
    replaced = {
        shown: f"it says that {other} has replaced it"
        for shown, other in sorted(_superseded_documents(texts).items())
    }
    return templates | parts | older | copies | replaced | archived


def _texts(root: Path, files: Iterable[str] | None, limits: Limits) -> dict[str, str]:
    """Files that look like contracts, with their texts."""
    texts: dict[str, str] = {}
    given = set(files if files is not None else files_below(root))
    projects = _projects(given)
    for shown in sorted(given):
        kind = _candidate(shown, projects)
        if not kind and _may_be_of_any_name(shown) and _begins_as_document(root, root / shown):
            kind = "document"
        if not kind:
            continue
        start = _text(root, shown, limits, whole=kind == "table")
        named = any(word in posixpath.basename(shown).lower() for word in _WORDS)
        # Where keys are sorted, the version may stand in the midst of a long file.
        if start is None or not (named or _is_contract(kind, shown, start)):
            continue
        text = _text(root, shown, limits, whole=True)
        if text is not None and (not named or _is_contract(kind, shown, text)):
            texts[shown] = text
    return texts


def without_slices(documents: Iterable[ContractDocument]) -> tuple[ContractDocument, ...]:
    """Leave out documents that a bundle repeats, so that nothing is reported twice.

    A slice promises nothing that another document of its kind does not promise, and that other
    one stands in a folder above it or bears the same title; or it promises nothing at all, because
    it only holds what others refer to.
    """
    given = tuple(documents)
    return tuple(
        document
        for index, document in enumerate(given)
        if not any(
            _repeats(other, document, earlier=position < index)
            for position, other in enumerate(given)
            if position != index
        )
    )


def newer_versions(
    documents: Iterable[ContractDocument],
) -> Mapping[str, ContractDocument]:
    """The newest version of an interface, by the paths of the documents with older ones.

    Both have one title and nearly the same operations, and `info.version` tells which is newer.
    Where their paths state versions, both are kept on purpose.
    """
    newest: dict[str, ContractDocument] = {}
    given = [one for one in documents if one.kind == "openapi" and not _STATED.search(one.path)]
    for older in given:
        for other in given:
            if _is_older_version(older, newest.get(older.path, older), other):
                newest[older.path] = other
    return newest


def _is_older_version(
    older: ContractDocument, than: ContractDocument, other: ContractDocument
) -> bool:
    """Whether `other` is a later version of an interface than two that were found before."""
    if not older.title or older.title != other.title or older.base_paths != other.base_paths:
        return False
    known, found = (_NUMBERS.match(one.interface_version) for one in (than, other))
    if known is None or found is None or _numbers(known[1]) >= _numbers(found[1]):
        return False
    own = _promised_keys(older)
    shared = len(own & _promised_keys(other))
    return shared >= max(_FEWEST_SHARED, _SHARE_OF_OLDER * len(own))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def candidates(files: Iterable[str]) -> list[str]:
    """Those of root-relative paths that look like contracts by their names."""
    given = list(files)
    projects = _projects(given)
    return [path for path in given if _candidate(path, projects)]


def files_looked_into(files: Iterable[str]) -> list[str]:
    """Those of root-relative paths that discovery opens."""
    given = list(files)
    projects = _projects(given)
    return [path for path in given if _candidate(path, projects) or _may_be_of_any_name(path)]


def _may_be_of_any_name(shown: str) -> bool:
    """Whether the first key of a file is looked at, whatever it is called. Of YAML files a
    repository has few; of JSON files, which are data as well, it may have thousands."""
    *folders, name = shown.lower().split("/")
    return name.endswith(_YAML) and not any(map(is_left_out, folders))


def _begins_as_document(root: Path, path: Path) -> bool:
    """Whether the first key of a YAML file is the version of OpenAPI or AsyncAPI."""
    held = unsaved.text_of(path)
    if held is None:
        try:
            if path.is_symlink() and not _is_below(root, path):
                return False
            if not stat.S_ISREG(path.stat().st_mode):
                return False
            with path.open("rb") as stream:
                held = stream.read(_BEGINNING)
        except OSError:
            return False
    return _BEGINS.match(_decode(held[:_BEGINNING]).encode()) is not None


# Private helpers


def _is_below(root: Path, path: Path) -> bool:
    """Whether a file lies below the root, whatever links lead to it."""
    real, top = os.path.realpath(path), os.path.realpath(root)
    return real.startswith(top.rstrip(os.sep) + os.sep)


def _projects(files: Iterable[str]) -> frozenset[str]:
    """The names of C# projects: builds write documents that are called after them."""
    return frozenset(
        posixpath.basename(path)[: -len(_PROJECT)].lower()
        for path in files
        if path.endswith(_PROJECT)
    )


def _candidate(shown: str, projects: frozenset[str]) -> str:
    """What a path may be, by its looks alone; empty: no contract."""
    *folders, name = shown.lower().split("/")
    if any(map(is_left_out, folders)):
        return ""
    if name == _REQUIREMENTS:
        return "table"
    if name == _RECORDS:
        return "records"
    if not name.endswith(_DATA):
        return ""
    if name.endswith(_SCHEMA_NAMES):
        return "schema"
    stem = name.rpartition(".")[0]
    if any(word in name for word in _WORDS) or stem in _NAMES or _NUMBERED.fullmatch(stem):
        return "document"
    # `Shop.Api.json` is the default document of a project, `Shop.Api_v2.json` another one.
    if stem in projects or stem.partition("_")[0] in projects:
        return "document"
    if any(folder in _SCHEMA_FOLDERS for folder in folders):
        return "any"
    if any(folder in _FOLDERS or any(word in folder for word in _WORDS) for folder in folders):
        return "document"
    return ""


def _text(root: Path, shown: str, limits: Limits, *, whole: bool) -> str | None:
    """A file's text, or its two ends, which are enough to tell what it is; None: unreadable."""
    path = root / shown
    held = unsaved.text_of(path)
    if held is not None:
        return held.decode("utf-8-sig", "replace") if len(held) <= limits.max_bytes else ""
    try:
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode):
            if not _is_below(root, path):
                return None
            state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            # A pipe that is called like a contract must not go unseen: reading it will say so.
            return None if stat.S_ISDIR(state.st_mode) else ""
        if state.st_size > limits.max_bytes:
            return ""  # too large a contract must not go unseen: reading it will say so
        if whole or state.st_size <= 2 * _END:
            content = read_regular_file(path, shown, limits)
        else:
            with path.open("rb") as stream:
                content = stream.read(_END)
                stream.seek(-_END, os.SEEK_END)
                content += b"\n" + stream.read(_END)
    except ContractError as error:
        return "" if isinstance(error.__cause__, OSError) else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""  # an unreadable contract must not go unseen either
    return _decode(content)


def _decode(content: bytes) -> str:
    """A text, also one in UTF-16: reading it as a contract will say that this is not read."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if wide else "utf-8-sig", "replace")


def _is_contract(kind: str, shown: str, text: str) -> bool:
    if not text:
        return kind == "schema" or any(word in shown.lower() for word in _WORDS)
    if kind == "table":
        return has_svc_table(text)
    if kind == "records":
        return '"spec"' in text
    if kind == "schema":
        return True
    if is_document(text):
        return True
    return kind == "any" and _SCHEMA_SIGN.search(text) is not None


def _fragments(texts: dict[str, str]) -> frozenset[str]:
    """OpenAPI and AsyncAPI files that another one refers to: parts, not contracts of their own."""
    referred: set[str] = set()
    for shown, text in texts.items():
        if not is_document(text):
            continue
        folder = posixpath.dirname(shown)
        for target, fragment in set(_REFERENCE.findall(text)):
            if "://" not in target:
                place = posixpath.normpath(posixpath.join(folder, unquote(target)))
                if (
                    place != shown
                    and place in texts
                    and is_document(texts[place])
                    and not (fragment.startswith(_SHARED) and has_promises(texts[place]))
                ):
                    referred.add(place)
    # Documents that refer to each other in a ring are all contracts.
    return frozenset(referred) if len(referred) < len(texts) else frozenset()


def _superseded_schemas(texts: dict[str, str]) -> frozenset[str]:
    """JSON Schemas next to a newer version of themselves (`bom-1.6`, `bom-1.7`)."""
    newest: dict[tuple[str, str], tuple[tuple[int, ...], str]] = {}
    versions: dict[str, tuple[str, str]] = {}
    for shown, text in texts.items():
        folder, name = posixpath.split(shown)
        found = _VERSION.search(name)
        if found is None or (is_document(text) and "." not in found[1]):
            continue
        # `orders/1.9.0/order-v1.9.0.json` stands beside `orders/1.10.0/order-v1.10.0.json`.
        folders = ("*" if part.lstrip("v") == found[1] else part for part in folder.split("/"))
        unversioned = name[: found.start()] + name[found.end() :]
        series = ("/".join(folders), _VARIANT.sub("", unversioned))
        version = _numbers(found[1])
        versions[shown] = series
        if series not in newest or (version, shown) > newest[series]:
            newest[series] = (version, shown)
    return frozenset(shown for shown, series in versions.items() if newest[series][1] != shown)


def _superseded_documents(texts: dict[str, str]) -> dict[str, str]:
    """Documents that begin by saying that they are no longer maintained, and name another one that
    is there ("no longer maintained. See openapi/orders.json") -> that other one."""
    found: dict[str, str] = {}
    for shown, text in texts.items():
        said = _NO_LONGER.search(text[:_BEGINNING])
        if said is None or not is_document(text):
            continue
        for name in _FILE.findall(text[said.end() : said.end() + _NEAR]):
            ending = f"/{name.removeprefix('./')}"
            others = [o for o in texts if o != shown and f"/{o}".endswith(ending)]
            if len(others) == 1 and shown not in found and found.get(others[0]) != shown:
                found[shown] = others[0]
    return found


def _templates(texts: dict[str, str]) -> frozenset[str]:
    """Documents that others are made from or written after, or that tests read, by their names
    (`shop-TEMPLATE.yaml`, `test-swagger.json`), where there are others."""
    found = {
        shown
        for shown in texts
        if not _TEMPLATE_WORDS.isdisjoint(WORD.findall(posixpath.basename(shown).lower()))
    }
    others = any(is_document(text) for shown, text in texts.items() if shown not in found)
    return frozenset(found) if others else frozenset()


def _archived(texts: Iterable[str]) -> frozenset[str]:
    """Files in folders for what is not used any more."""
    return frozenset(filter(is_archived, texts))


def _backups(texts: dict[str, str]) -> frozenset[str]:
    """Files that are kept beside the one that they were copied from (`swagger-backup.json`)."""
    return frozenset(
        shown
        for shown in texts
        if (found := _BACKUP.search(shown))
        and any(f"{shown[: found.start()]}{suffix}" in texts for suffix in _DATA)
    )


def _repeats(other: ContractDocument, document: ContractDocument, *, earlier: bool) -> bool:
    if other.kind != document.kind or document.kind not in ("openapi", "asyncapi"):
        return False
    if not (set(document.base_paths) & set(other.base_paths)) and all(
        (document.base_paths, other.base_paths)
    ):
        return False  # two versions of an interface, each at a place of its own
    own, others = _promised_keys(document), _promised_keys(other)
    if not own <= others or not others:
        return False
    if not own:
        return True
    folder, other_folder = posixpath.dirname(document.path), posixpath.dirname(other.path)
    above = folder != other_folder and (not other_folder or folder.startswith(other_folder + "/"))
    if own < others:
        return above or (folder == other_folder and document.title == other.title)
    if other.title != document.title:
        return False
    depth, other_depth = document.path.count("/"), other.path.count("/")
    return other_depth < depth or (other_depth == depth and earlier)


def _promised_keys(document: ContractDocument) -> frozenset[tuple[str, str]]:
    return frozenset(
        [(operation.method, operation.path) for operation in document.operations]
        + [("channel", channel.address or channel.key) for channel in document.channels]
    )
