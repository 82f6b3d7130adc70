"""From what is written to what is meant: paths, patterns and rules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from contract_scan.config.confinement import (
    is_confined,
    may_be_replaced,
    wrong_deep_pattern,
    wrong_path,
)
from contract_scan.config.patterns import wrong_pattern
from contract_scan.config.raw_configuration import WrittenException, WrittenFile, WrittenService
from contract_scan.config.rules import expand_rules
from contract_scan.config.toml import KeyPath
from contract_scan.config.values import (
    ConfiguredSuppression,
    FileIgnore,
    Pattern,
    Service,
    SeverityOf,
)
from contract_scan.errors import ConfigurationError

ABOUT_EXCEPTIONS = "CONTRACT-000"
"""The rule about exceptions: there are none from it."""
_SHOWN = 80
"""Letters of a pattern that an error shows."""
_SELECTORS = ("path", "operation", "channel", "model", "field")


class Resolver(Struct, frozen=True, kw_only=True):
    """Resolves the values of one place."""

    base: Path
    patterns_base: Path | None
    file: Path | None
    complain: Callable[[str, KeyPath], ConfigurationError]
    boundary: Path | None = None
    """What may be read, where the place is a file that was found; None: the user named it."""

    def fields(self, written: WrittenFile, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a `Config` for the keys that are given. Raises ConfigurationError."""
        found: dict[str, Any] = {} if self.file is None else {"file": self.file}
        for key in given:
            name = key.replace("-", "_")
            make = getattr(self, f"_{name}", None)
            value = getattr(written, name)
            found[name] = value if make is None else make(value)
        return found

    # One method for each key that is more than it looks. Tables that are joined become mappings.

    def _contracts(self, patterns: Sequence[str]) -> tuple[Path, ...]:
        return self._documents(patterns, ("contracts",))

    def _exclude(self, patterns: Sequence[str]) -> tuple[Pattern, ...]:
        return self._patterns(patterns, "exclude")

    def _extend_exclude(self, patterns: Sequence[str]) -> tuple[Pattern, ...]:
        return self._patterns(patterns, "extend-exclude")

    def _select(self, words: Sequence[str]) -> tuple[str, ...]:
        self._rules(words, ("select",))
        return tuple(words)

    def _extend_select(self, words: Sequence[str]) -> tuple[str, ...]:
        self._rules(words, ("extend-select",))
        return tuple(words)

    def _ignore(self, words: Sequence[str]) -> tuple[str, ...]:
        self._rules(words, ("ignore",))
        return tuple(words)

    def _fixable(self, words: Sequence[str]) -> tuple[str, ...]:
        self._rules(words, ("fixable",))
        return tuple(words)

    def _unfixable(self, words: Sequence[str]) -> tuple[str, ...]:
        self._rules(words, ("unfixable",))
        return tuple(words)

    def _per_file_ignores(self, written: Mapping[str, Sequence[str]]) -> dict[str, FileIgnore]:
        found = {}
        for text, words in written.items():
            rules = self._rules(words, ("per-file-ignores", text))
            pattern = self._pattern(text, ("per-file-ignores", text))
            found[text] = FileIgnore(pattern, rules)
        return found

    def _severities(self, written: Mapping[str, Any]) -> dict[tuple[str, str], SeverityOf]:
        found = {}
        for name, value in written.items():
            for kind, severity in value.items() if isinstance(value, dict) else [("", value)]:
                way: KeyPath = ("severities", name, kind) if kind else ("severities", name)
                word = f"{name}/{kind}" if kind else name.replace(".", "/", 1)
                for each in sorted(self._one_selector(word, way)):
                    rule, _, one = each.partition("/")
                    inner = one if "/" in word else ""
                    found[rule, inner] = SeverityOf(rule, inner, severity)
        return found

    def _limits(self, written: Struct) -> dict[str, int]:
        return _set_fields(written)

    def _contract_engine(self, written: Struct) -> dict[str, bool]:
        return _set_fields(written)

    def _baseline(self, written: str | None) -> Path | None:
        if not written:
            return None
        path = self._path(written, ("baseline",))
        self._confine(path, "baseline", written, ("baseline",))
        return path

    def _output_format(self, written: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._output(word, index) for index, word in enumerate(written))

    def _services(self, written: Sequence[WrittenService]) -> tuple[Service, ...]:
        names: set[str] = set()
        for index, service in enumerate(written):
            if service.name in names:
                message = f"two services are called `{service.name}`"
                raise self.complain(message, ("services", index, "name"))
            names.add(service.name)
        return tuple(self._service(service, index) for index, service in enumerate(written))

    def _exceptions(self, written: Sequence[WrittenException]) -> tuple[ConfiguredSuppression, ...]:
        return tuple(
            self._suppression(suppression, index) for index, suppression in enumerate(written)
        )

    # What these are made of.

    def _patterns(self, texts: Sequence[str], key: str) -> tuple[Pattern, ...]:
        return tuple(self._pattern(text, (key, index)) for index, text in enumerate(texts))

    def _pattern(self, text: str, keys: KeyPath) -> Pattern:
        wrong = wrong_pattern(text)
        if wrong:
            raise self.complain(f"`{_shortened_pattern(text)}` {wrong}", keys)
        return Pattern(text, self.patterns_base)

    def _rules(self, words: Sequence[str], keys: KeyPath) -> tuple[str, ...]:
        def wrong(word: str, message: str) -> ConfigurationError:
            key = f"`{keys[0]}`: " if self.file is not None else ""
            return self.complain(key + message, (*keys, words.index(word)))

        return tuple(sorted(expand_rules(words, wrong)))

    def _one_selector(self, word: str, keys: KeyPath) -> frozenset[str]:
        return expand_rules(
            [word], lambda _, message: self.complain(f"`severities`: {message}", keys)
        )

    def _documents(self, patterns: Sequence[str], keys: KeyPath) -> tuple[Path, ...]:
        found: dict[Path, None] = {}
        for index, pattern in enumerate(patterns):
            wrong = wrong_deep_pattern(pattern)
            if wrong:
                raise self.complain(f"`{_shortened_pattern(pattern)}` {wrong}", (*keys, index))
            self._confine(
                self.base / _constant_prefix(pattern), str(keys[-1]), pattern, (*keys, index)
            )
            matches = sorted(_matches(self.base, pattern))
            for match in matches:
                self._confine(match, str(keys[-1]), pattern, (*keys, index))
            if not matches:
                raise self.complain(f"no contract matches `{pattern}`", (*keys, index))
            found.update(dict.fromkeys(matches))
        return tuple(found)

    def _service(self, written: WrittenService, index: int) -> Service:
        keys: KeyPath = ("services", index)
        return Service(
            name=written.name,
            contracts=self._documents(written.contracts, (*keys, "contracts")),
            sources=self._sources(written.source, (*keys, "source")),
            base_path=_base_path(written.base_path),
            naming=written.naming,
        )

    def _sources(self, written: str | tuple[str, ...], keys: KeyPath) -> tuple[Path, ...]:
        names = (written,) if isinstance(written, str) else written
        if not names:
            raise self.complain("a service needs a source folder", keys)
        found = []
        for index, name in enumerate(names):
            way = keys if isinstance(written, str) else (*keys, index)
            path = self._path(name, way)
            if not _is_folder(path):
                raise self.complain(f"the source folder `{name}` does not exist", way)
            found.append(path.resolve())
        # A folder inside another one is a part of it already.
        return tuple(
            dict.fromkeys(
                path
                for path in found
                if not any(path != other and path.is_relative_to(other) for other in found)
            )
        )

    def _output(self, word: str, index: int) -> str:
        """The word, its file absolute. A file of the project must not make us write elsewhere."""
        name, mark, file = word.partition("=")
        if not mark or not file or self.file is None:
            return word
        path = self._path(file, ("output-format", index))
        if not path.resolve().is_relative_to(self.base.resolve()):
            message = f"`output-format`: `{file}` does not lie below the folder of this file"
            raise self.complain(message, ("output-format", index))
        if not is_confined(path, Path(os.path.realpath(self.base))):
            message = f"`output-format`: `{file}` belongs to git"
            raise self.complain(message, ("output-format", index))
        if self.boundary is not None and not may_be_replaced(path):
            message = (
                f"`output-format`: `{file}` is there already and is no report of contract-scan;"
                " move it, or name the output on the command line"
            )
            raise self.complain(message, ("output-format", index))
        return f"{name}={path}"

    def _path(self, written: str, keys: KeyPath) -> Path:
        """A path as seen from the folder of its place. Raises ConfigurationError for what no file
        system takes."""
        wrong = wrong_path(written)
        if wrong:
            raise self.complain(f"`{_shortened_pattern(written)}` {wrong}", keys)
        return self.base / written

    def _confine(self, path: Path, key: str, written: str, keys: KeyPath) -> None:
        """Raise ConfigurationError where a file of the repository makes us read outside of it."""
        if self.boundary is not None and not is_confined(path, self.boundary):
            message = (
                f"`{key}`: `{written}` leads out of the repository, or to what belongs to git;"
                " only the command line may name it"
            )
            raise self.complain(message, keys)

    def _suppression(self, written: WrittenException, index: int) -> ConfiguredSuppression:
        keys: KeyPath = ("exceptions", index)
        rules = self._rules(written.rules, (*keys, "rules"))
        if any(word.upper().startswith(ABOUT_EXCEPTIONS) for word in written.rules):
            message = f"there is no exception from {ABOUT_EXCEPTIONS}"
            raise self.complain(message, (*keys, "rules"))
        if not any(getattr(written, name) for name in _SELECTORS):
            message = (
                f"`exceptions[{index}]` needs one of {', '.join(_SELECTORS)};"
                " `ignore` turns rules off"
            )
            raise self.complain(message, keys)
        return ConfiguredSuppression(
            rules=tuple(rule for rule in rules if not rule.startswith(ABOUT_EXCEPTIONS)),
            reason=written.reason,
            owner=written.owner,
            expires=written.expires,
            path=self._pattern(written.path, (*keys, "path")) if written.path else None,
            operation=written.operation or "",
            channel=written.channel or "",
            model=written.model or "",
            field=written.field or "",
            file=self.file,
            index=index,
        )


def _set_fields(written: Struct) -> dict[str, Any]:
    values = {name: getattr(written, name) for name in written.__struct_fields__}
    return {name: value for name, value in values.items() if value is not None}


def _shortened_pattern(pattern: str) -> str:
    """A pattern as an error shows it."""
    return pattern if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]}…"


def _constant_prefix(pattern: str) -> str:
    """The folders before the first wildcard of a pattern; all of it where there is none."""
    before, *after = re.split(r"[*?\[]", pattern, maxsplit=1)
    return before[: before.rfind("/") + 1] if after else before


def _matches(folder: Path, pattern: str) -> Iterator[Path]:
    """The files and folders a pattern stands for; a path without wildcards stands for itself."""
    plain = folder / pattern
    try:
        if plain.exists():
            yield plain.resolve()
        elif pattern and not Path(pattern).is_absolute():
            yield from (path.resolve() for path in folder.glob(pattern))
    except (OSError, ValueError, NotImplementedError):
        return


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _base_path(written: str) -> str:
    path = written.strip("/")
    return f"/{path}" if path else ""
