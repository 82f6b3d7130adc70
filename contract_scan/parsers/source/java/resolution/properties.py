"""Settings of a Java application: `application.properties` and `application.yml`.

Only what holds in every environment counts: files and YAML documents of a profile are left out, but
for the one that holds where none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from contract_scan.ir.operation import DYNAMIC_SEGMENT
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.java.resolution.build import module_of, users

_STEMS = ("microprofile-config", "bootstrap", "application")
"""Base names of settings files; later ones win."""
_SUFFIXES = (".yaml", ".yml", ".properties")
_PROFILES = ("spring.profiles", "spring.config.activate.onprofile")
_MAX_BYTES = 1_000_000
_MAX_DEPTH = 50
_MAX_REPLACEMENTS = 50


def settings(program: Program, path: str) -> Mapping[str, str]:
    """The settings that hold for a source file, under normalised keys (see `normal`).

    They are those of the nearest module around the file; of the one module that uses it, where its
    own has none; of the only module that has any.
    """
    modules = _modules(program)
    owner = settings_module(program, path)
    return modules[owner] if owner is not None else {}


@memoised
def settings_module(program: Program, path: str) -> str | None:
    """Folder of the module whose settings hold for a source file; None where there are none."""
    modules = _modules(program)
    own = module_of(program, path)
    if own in modules:
        return own
    around = [m for m in modules if not m or path.startswith(f"{m}/")]
    if around:
        return max(around, key=len)
    using = users(program, own) & modules.keys()
    if len(using) == 1:
        return next(iter(using))
    return next(iter(modules)) if len(modules) == 1 else None


def normal(key: str) -> str:
    """A key as Spring's relaxed binding compares it: `context-path`, `contextPath` and
    `context_path` are one."""
    return key.replace("-", "").replace("_", "").lower()


@memoised
def _modules(program: Program) -> dict[str, dict[str, str]]:
    return dict(_read_modules(program))


def _read_modules(program: Program) -> Iterator[tuple[str, dict[str, str]]]:
    modules: dict[str, dict[str, str]] = {}
    for stem in _STEMS:
        for suffix in _SUFFIXES:
            for path in program.files.files_named(stem + suffix):
                if "/src/test/" in f"/{path}":
                    continue
                content = program.files.read(path) or b""
                if len(content) <= _MAX_BYTES:
                    read = read_properties if suffix == ".properties" else read_yaml
                    modules.setdefault(module_of(program, path), {}).update(read(content))
    return iter(sorted(modules.items()))


# --------------------------------------------------------------------------- formats


def read_properties(content: bytes) -> dict[str, str]:
    """Key-value lines of a properties file; sections of a profile are left out."""
    documents: list[dict[str, str]] = [{}]
    pending = ""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    for written in text.split("\n"):
        line = pending + written.lstrip()
        pending = ""
        if line.startswith(("#---", "!---")):
            documents.append({})
        elif line.startswith(("#", "!")) or not line:
            continue
        elif line.endswith("\\") and not line.endswith("\\\\"):
            pending = line[:-1]
        else:
            key, value = _pair(line)
            documents[-1][normal(key)] = value
    return _merge_documents(documents)


def _pair(line: str) -> tuple[str, str]:
    ends = [position for position in map(line.find, "=: \t") if position > 0]
    if not ends:
        return line, ""
    end = min(ends)
    rest = line[end:].lstrip()
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip()
    return line[:end], rest.strip()


def read_yaml(content: bytes) -> dict[str, str]:
    """Scalars of a YAML file by dotted path, read from the parser's events: nothing recurses and
    no alias is written out. A broken file gives what stands before the break."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents: list[dict[str, str]] = []
    open_nodes: list[_OpenNode] = []
    try:
        for event in yaml.parse(content.decode("utf-8-sig", "replace"), Loader=loader):
            match event:
                case yaml.DocumentStartEvent():
                    documents.append({})
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    is_mapping = isinstance(event, yaml.MappingStartEvent)
                    path = open_nodes[-1].next_path() if open_nodes else ""
                    open_nodes.append(_OpenNode(path, is_mapping=is_mapping))
                    if len(open_nodes) > _MAX_DEPTH:
                        break
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    open_nodes.pop()
                case yaml.ScalarEvent() if open_nodes:
                    if open_nodes[-1].wants_key():
                        open_nodes[-1].key = event.value
                    else:
                        documents[-1][normal(open_nodes[-1].next_path())] = event.value
                case yaml.AliasEvent() if open_nodes:
                    open_nodes[-1].next_path()
                case _:
                    pass
    except (yaml.YAMLError, ValueError):
        pass
    return _merge_documents(documents)


class _OpenNode:
    """A YAML mapping or list that is being read."""

    __slots__ = ("count", "is_mapping", "key", "path")

    def __init__(self, path: str, *, is_mapping: bool) -> None:
        self.path = path
        self.is_mapping = is_mapping
        self.key: str | None = None
        self.count = 0

    def wants_key(self) -> bool:
        """Whether the next scalar is a key."""
        return self.is_mapping and self.key is None

    def next_path(self) -> str:
        """Path of the value that comes now."""
        if self.is_mapping:
            key, self.key = self.key or "", None
            return f"{self.path}.{key}" if self.path else key
        self.count += 1
        return f"{self.path}[{self.count - 1}]"


def _merge_documents(documents: list[dict[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for document in documents:
        profiles = [
            value
            for key, value in document.items()
            if key in _PROFILES or key.startswith(tuple(f"{name}[" for name in _PROFILES))
        ]
        # The profile `default` holds where a deployment chooses none.
        if not profiles or any("default" in re.split(r"[\s,|]+", value) for value in profiles):
            joined.update(document)
    return joined


# --------------------------------------------------------------------------- placeholders


_NO_DEFAULT = re.compile(r"(\$\{[^{}:]*):[^{}]*(?=\})")


def resolve_placeholders(text: str, values: Mapping[str, str]) -> tuple[str, str]:
    """A text with its `${name:default}` placeholders replaced, and the name of the first one that
    has no value (empty: all have)."""
    for _ in range(_MAX_REPLACEMENTS):
        start = text.rfind("${")
        if start < 0:
            return text, ""
        end = text.find("}", start)
        if end < 0:
            return text, text[start:]
        name, has_default, default = text[start + 2 : end].partition(":")
        value = values.get(normal(name.strip()), default if has_default else None)
        if value is None:
            return text, name.strip()
        text = text[:start] + value + text[end + 1 :]
    return text, "placeholders that lead to each other"


def has_default(text: str, values: Mapping[str, str]) -> bool:
    """Whether some placeholder of a text has nothing but its default for a value."""
    if "${" not in text:
        return False
    without = {key: _NO_DEFAULT.sub(r"\1", value) for key, value in values.items()}
    return bool(resolve_placeholders(_NO_DEFAULT.sub(r"\1", text), without)[1])


def with_undetermined(text: str) -> str:
    """A path with a part that is undetermined for each placeholder that is left in it."""
    for _ in range(_MAX_REPLACEMENTS):
        start = text.rfind("${")
        end = text.find("}", start)
        if start < 0 or end < 0:
            return text
        text = text[:start] + DYNAMIC_SEGMENT + text[end + 1 :]
    return text
