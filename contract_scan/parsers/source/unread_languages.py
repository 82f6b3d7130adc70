"""Paths of routes in files of languages that are not read: what a service in one of them answers is
not missing. The files are searched for texts as routers have them, and not parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Final, TypeAlias

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.discovery.discover import SourceTree, is_inside

_Path: TypeAlias = tuple[str, ...]

_LANGUAGES: Final = {
    ".c": "C",
    ".cc": "C++",
    ".clj": "Clojure",
    ".conf": "nginx",
    ".cpp": "C++",
    ".cr": "Crystal",
    ".cxx": "C++",
    ".dart": "Dart",
    ".erl": "Erlang",
    ".ex": "Elixir",
    ".exs": "Elixir",
    ".fs": "F#",
    ".go": "Go",
    ".groovy": "Groovy",
    ".h": "C++",
    ".hpp": "C++",
    ".hs": "Haskell",
    ".kt": "Kotlin",
    ".lua": "Lua",
    ".ml": "OCaml",
    ".nim": "Nim",
    ".php": "PHP",
    ".pl": "Perl",
    ".pm": "Perl",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".scala": "Scala",
    ".swift": "Swift",
    ".vb": "Visual Basic",
    ".zig": "Zig",
}
_FOREIGN: Final = frozenset(
    {"vendor", "vendored", "third_party", "third-party", "pods", "deps"}
    | {"doc", "docs", "example", "examples", "testdata", "fixtures", "mocks", "bench", "benches"}
    | {"client", "clients", "sdk", "sdks"}
)
"""Folders of libraries, documentation, tests and clients: nothing below them answers."""
_TEST: Final = re.compile(r"(?:_test|_spec|Tests?|Spec|IT)\.\w+$")
_CLIENT: Final = re.compile(
    rb"\b(?:reqwest|ureq|URLSession|Alamofire|retrofit2?|okhttp3?|http\.NewRequest\w*|Faraday"
    rb"|HTTParty|GuzzleHttp|curl_easy_\w+|HTTPoison|package:http)\b"
)
_SERVER: Final = re.compile(rb"(?i)rout(?:e|ing)|handle|listen|serve|controller")
"""What stands in files that call other services, and in those that answer: a file with the first
alone has paths of what it calls."""
_TEXT: Final = re.compile(
    rb"(?<=[\"'`])(?:[A-Z]{3,7} )?([\w./{}<>:*$%?|\\()\[\]+^=~@!-]{1,300})(?=[\"'`])"
)
_GROUPED: Final = re.compile(
    rb"\b(scope|path|pathPrefix|path_prefix|prefix|group|grouped|nest|namespace|route"
    rb"|api_?[rR]esources?|resources?)\b[( ]{1,2}(?::|[\"'`]/?)([\w-]{1,100})"
)
"""A prefix, or a resource with all its routes, by a word (`scope("shop")`, `resources :orders`)."""
_VERB: Final = re.compile(
    rb"(?:^[ \t]{0,40}|Route::|\b(?:app|routes?|router|group|api|server)(?:\.|->))"
    rb"(?:get|post|put|patch|delete|any)[( ]{1,2}[\"'`]([\w{}:<>-]{1,100})[\"'`]",
    re.MULTILINE,
)
"""A route by one word (`Route::get('orders', …)`)."""
_LOCATION: Final = re.compile(
    rb"\blocation\s+(?:=\s+|\^~\s+)?(/[\w./-]{1,200}+)\s*\{[^{}]{0,2000}?"
    rb"\bproxy_pass\s+\S{1,20}://[^/\s;]{1,200}+(?!\1[\s;])/[\w./$-]{1,200}+;"
)
"""A path that nginx sends on to a service under another one."""
_PARAMETER: Final = re.compile(
    r"\{[^{}]{1,100}\}|<[^<>]{1,100}>|(?<!\w):\w{1,60}[?*+]?|\*\w{0,60}|\([^()]{0,100}\)[?]?"
)
_FORMAT: Final = re.compile(r"%[a-zA-Z]")
"""A parameter of Giraffe (`routef "/orders/%i"`)."""
_QUERY: Final = re.compile(r"\?[<\w].*", re.DOTALL)
_ONE: Final = "{}"
_PREFIX: Final = re.compile(r"api|v\d{1,3}")
_MOST_SEGMENTS: Final = 20
_MOST_PIECES: Final = 4
"""Texts that a path may be put together from: prefixes of groups and the route itself."""
MAX_MEGABYTES: Final = 64
"""How much of such files is searched."""
MAX_PIECES: Final = 200_000
"""Texts, by file, that are kept of them."""


class UnreadLanguages:
    """The texts of a tree that routers in languages that are not read may have as paths."""

    def __init__(self, files: SourceTree) -> None:
        self._files = files
        self._places: dict[_Path, list[tuple[str, int]]] | None = None
        """Files with a text that may be a path, or a part of one, and its first line in each."""
        self._longer: dict[_Path, list[_Path]] = {}
        """The longer ones that end in a path."""
        self._by_file: dict[str, set[_Path]] = {}
        self._by_language: dict[str, set[_Path]] = {}
        self._left_out = ""
        """The first file that is not searched, since those before it hold too much."""

    def answers(self, paths: Sequence[Sequence[str]]) -> Reason:
        """Why a service in such a language may answer one of some paths, given as segments with
        `{}` for a parameter; empty where none of them stands in a file. Files are read the first
        time something is asked, and count for what the answer rests on."""
        for path in paths:
            asked = tuple(part.casefold() for part in path)
            found = self._place_of(asked) if _has_words(asked) else None
            if found is not None:
                file, line = found
                place, language = f"{file}:{line}", _language(file)
                return Reason("path-in-unread-language", place=place, language=language)
        if self._left_out and any(_has_words(tuple(path)) for path in paths):
            return Reason("unread-language-not-searched", place=self._left_out)
        return NO_REASON

    def _place_of(self, path: _Path) -> tuple[str, int] | None:
        """The file and line of a path, or of its end where its beginning is there as well, or in
        another file of the language."""
        places = self._places
        if places is None:
            places = self._places = self._read()
        if path in places:
            return places[path][0]
        for piece in self._longer.get(path, ()):
            if len(path) > 1 or all(map(_PREFIX.fullmatch, piece[: -len(path)])):
                return places[piece][0]
        for length in range(len(path) - 1, 0, -1):
            beginning, end = path[:-length], path[-length:]
            for file, line in places.get(end, ()):
                around = self._by_language[_language(file)] if _has_words(end) else ()
                if _is_made_of(beginning, around or self._by_file[file]):
                    return file, line
        return None

    def _read(self) -> dict[_Path, list[tuple[str, int]]]:
        places: dict[_Path, list[tuple[str, int]]] = {}
        left, pieces_left = MAX_MEGABYTES << 20, MAX_PIECES
        for file in sorted(filter(self._may_answer, self._files.paths())):
            content = self._files.read(file) or b""
            if len(content) > self._files.largest:
                continue
            if _CLIENT.search(content) and not _SERVER.search(content):
                continue
            left -= len(content)
            if left < 0 or pieces_left < 0:
                self._left_out = file
                break
            language = _language(file)
            lines: dict[_Path, int] = {}
            for path, line in _pieces_of(content, language):
                lines.setdefault(path, line)
            pieces_left -= len(lines)
            self._by_file[file] = {*lines}
            self._by_language.setdefault(language, set()).update(lines)
            for path, line in lines.items():
                places.setdefault(path, []).append((file, line))
        for path in places:
            for start in range(1, len(path)):
                self._longer.setdefault(path[start:], []).append(path)
        return places

    def _may_answer(self, file: str) -> bool:
        return (
            bool(_language(file))
            and is_inside(file)
            and _FOREIGN.isdisjoint(file.casefold().split("/")[:-1])
            and not _TEST.search(file)
            and not self._files.is_test(file)
            and not self._files.is_left_in_archive(file)
        )


def _language(file: str) -> str:
    return _LANGUAGES.get(file[file.rfind(".") :], "") if "." in file else ""


def _pieces_of(content: bytes, language: str) -> Iterator[tuple[_Path, int]]:
    """Texts that may be paths or parts of paths, as segments, with their lines."""
    is_proxy = language == "nginx"
    texts = (
        _LOCATION.finditer(content)
        if is_proxy
        else (*_TEXT.finditer(content), *_VERB.finditer(content))
    )
    found = [
        (text.start(1), text[1].decode("utf-8", "replace"))
        for text in texts
        if text.re is _VERB or b"/" in text[1]
    ]
    for group in () if is_proxy else _GROUPED.finditer(content):
        word = group[2].decode("utf-8", "replace")
        found.append((group.start(2), word))
        if group[1].lower().rstrip(b"s").endswith(b"resource"):
            found.append((group.start(2), f"{word}/:id"))
    line, end = 1, 0
    for start, text in sorted(found):
        line, end = line + content.count(b"\n", end, start), start
        path = _path_of(text, language)
        if 0 < len(path) <= _MOST_SEGMENTS:
            yield path, line


def _path_of(text: str, language: str) -> _Path:
    """The segments of a text; none where it is no path (a URL, or one that is put together for a
    call: `/orders/{}`)."""
    if "://" in text or text.startswith("//") or _ONE in text:
        return ()
    plain = _PARAMETER.sub(_ONE, _QUERY.sub("", text).strip("^$"))
    if language == "F#":
        plain = _FORMAT.sub(_ONE, plain)
    return tuple(part.casefold() for part in plain.split("/") if part)


def _has_words(path: _Path) -> bool:
    return any(_ONE not in part for part in path)


def _is_made_of(path: _Path, pieces: Set[_Path], most: int = _MOST_PIECES - 1) -> bool:
    """Whether a path is some of the pieces, one after the other."""
    if path in pieces:
        return True
    return most > 1 and any(
        path[:length] in pieces and _is_made_of(path[length:], pieces, most - 1)
        for length in range(1, len(path))
    )
