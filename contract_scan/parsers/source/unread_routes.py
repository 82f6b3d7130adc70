"""Paths of routes that are not read: in languages that are not, or registered in a way that is not.

What they may answer is not missing. Files are searched for texts as routers have them, and not
parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
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
    ".tf": "Terraform",
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
_CALLERS: Final = (
    *("axios", "fetch", "XMLHttpRequest", "superagent", "supertest"),
    *("HttpClient", "RestClient", "FeignClient", "RestTemplate", "WebClient", "HttpRequestMessage"),
    *("requests", "httpx", "ClientSession"),
)
"""Words of files that call other services, in languages that are read."""
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
_ANNOTATED: Final = re.compile(
    rb"[@\[](?:Path|Route|Http|Get|Post|Put|Patch|Delete|Request|All)(?:[A-Z]\w{0,20})?"
    rb"\((?:(?:value|path) ?= ?)?\{?[\"'`]([\w{}:<>./-]{1,100})[\"'`]"
)
"""A route, or the prefix of some, of a class or a method (`@Path("orders")`)."""
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
_FILLED_IN: Final = re.compile(rb"[fF$]@?r?[\"'`]{1,3}\Z|[rR@][fF$][\"'`]{1,3}\Z")
"""What stands before a text that values are put into, as callers have it: its opening quotes with
what is before them."""
_MANIFEST: Final = re.compile(
    r"(?:^|/)(?:package\.json|pom\.xml|build\.gradle(?:\.kts)?|[\w.-]+\.csproj|pyproject\.toml"
    r"|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|Pipfile|manage\.py)$"
)
_GENERATED: Final = re.compile(
    rb"(?i)(?:\bauto[- ]?generated|@generated|\bdo not (?:edit|modify))\W{1,40}(\w+)"
)
"""What a generated file says of itself, with the word after it."""
_LINE_WITH_TEXT: Final = re.compile(rb"(?m)^[ \t]{0,200}([^\s/#*][^\n]{0,900}[\"'`])")
"""A line that is no comment, up to its last quotation mark."""
_WORD: Final = re.compile(r"\w+")
_MOST_SEGMENTS: Final = 20
_MOST_PIECES: Final = 4
"""Texts that a path may be put together from: prefixes of groups and the route itself."""
MAX_MEGABYTES: Final = 64
"""How much of such files is searched."""
MAX_PIECES: Final = 200_000
"""Texts, by file, that are kept of them."""


class UnreadRoutes:
    """The texts of a tree that are paths of routes nobody reads, as far as texts can tell."""

    def __init__(self, files: SourceTree, with_word: Callable[[str], Iterable[str]]) -> None:
        """`with_word` gives the files of languages that are read which have a word."""
        self._files = files
        self._with_word = with_word
        self._elsewhere = _UnreadLanguages(files)
        self._pieces: dict[str, dict[_Path, str]] = {}
        """Of files in languages that are read: what may be a path or a part of one, as written."""

    def answer(
        self, paths: Sequence[Sequence[str]], routes: Collection[tuple[str, Sequence[str]]]
    ) -> Reason:
        """Why a route that is not read may answer one of some paths, given as segments with `{}`
        for a parameter; empty where none of them stands in a file. `routes` are those that are
        read, each with its file and its segments: their own texts say nothing, and only packages
        that have some are searched. What the answer rests on are the files that have words of the
        paths, and the texts in them."""
        asked = [path for path in paths if _has_words(path)]
        for path in asked:
            if told := self._elsewhere.place_of(_in_lower_case(path)):
                file, line = told
                place, language = f"{file}:{line}", _language(file)
                return Reason("path-in-unread-language", place=place, language=language)
        if asked and routes:
            read = {part for _, path in routes for part in _parts_of(_in_lower_case(path))}
            answering = frozenset(file for file, _ in routes)
            for path in asked:
                if found := self._beside(path, read, answering):
                    file, text = found
                    return Reason("path-of-no-route-read", text=text, path=file)
        if asked and self._elsewhere.left_out:
            return Reason("unread-language-not-searched", place=self._elsewhere.left_out)
        return NO_REASON

    def _beside(
        self, path: Sequence[str], read: Set[_Path], answering: Set[str]
    ) -> tuple[str, str] | None:
        """The file and the text of a path, or of its end where its beginning is there as well, in
        the packages of files that have routes. `read` is what stands side by side in routes that
        are read."""
        wanted = _in_lower_case(path)
        pieces = {file: self._pieces_of(file) for file in self._candidates(path, answering)}
        around = {*read, *(piece for each in pieces.values() for piece in each)}
        for file, texts in pieces.items():
            for piece, text in texts.items():
                if piece in read or not _has_words(piece):
                    continue
                rest = len(wanted) - len(piece)
                if rest < 0:
                    is_whole = piece[-len(wanted) :] == wanted
                    if is_whole and all(map(_PREFIX.fullmatch, piece[: -len(wanted)])):
                        return file, text
                elif piece == wanted[rest:] and (not rest or _is_made_of(wanted[:rest], around)):
                    return file, text
        return None

    def _candidates(self, path: Sequence[str], answering: Set[str]) -> Iterator[str]:
        """The files of the packages that have all words of one segment of a path."""
        manifests = {
            file.rpartition("/")[0] for file in self._files.paths() if _MANIFEST.search(file)
        }
        packages = {_package_of(file, manifests) for file in answering}
        callers = {file for word in _CALLERS for file in self._with_word(word)}
        holding: set[str] = set()
        for segment in path:
            found = [{*self._with_word(word)} for word in _WORD.findall(segment)]
            if found:
                holding |= set.intersection(*found)
        for file in sorted(holding):
            if (
                _package_of(file, manifests) in packages
                and not file.endswith(".d.ts")
                and _may_answer(self._files, file)
                and (file in answering or file not in callers)
            ):
                yield file

    def _pieces_of(self, file: str) -> dict[_Path, str]:
        """What of the texts in a file may be a path or a part of one, with the text."""
        known = self._pieces.get(file)
        if known is None:
            known = self._pieces[file] = {}
            is_generated = self._files.find(file, _GENERATED)
            for line in () if is_generated else self._files.find(file, _LINE_WITH_TEXT):
                for piece, _, text in _pieces_of(line, ""):
                    known.setdefault(piece, text)
        return known


class _UnreadLanguages:
    """Texts that may be paths, or parts of paths, in files of languages that are not read."""

    def __init__(self, files: SourceTree) -> None:
        self._files = files
        self._places: dict[_Path, list[tuple[str, int]]] | None = None
        """Files with a text that may be a path, or a part of one, and its first line in each."""
        self._longer: dict[_Path, list[_Path]] = {}
        """The longer ones that end in a path."""
        self._by_file: dict[str, set[_Path]] = {}
        self._by_language: dict[str, set[_Path]] = {}
        self.left_out = ""
        """The first file that is not searched, since those before it hold too much."""

    def place_of(self, path: _Path) -> tuple[str, int] | None:
        """The file and line of a path, or of its end where its beginning is there as well, or in
        another file of the language. Files are read the first time something is asked, and count
        for what the answer rests on."""
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
        for file in sorted(filter(_language, self._files.paths())):
            if not _may_answer(self._files, file):
                continue
            content = self._files.read(file) or b""
            if len(content) > self._files.largest:
                continue
            if _CLIENT.search(content) and not _SERVER.search(content):
                continue
            left -= len(content)
            if left < 0 or pieces_left < 0:
                self.left_out = file
                break
            language = _language(file)
            lines: dict[_Path, int] = {}
            for path, line, _ in _pieces_of(content, language):
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


def _may_answer(files: SourceTree, file: str) -> bool:
    return (
        is_inside(file)
        and _FOREIGN.isdisjoint(file.casefold().split("/")[:-1])
        and not _TEST.search(file)
        and not files.is_test(file)
        and not files.is_left_in_archive(file)
    )


def _in_lower_case(path: Sequence[str]) -> _Path:
    return tuple(part.casefold() for part in path)


def _parts_of(path: _Path) -> Iterator[_Path]:
    """What stands side by side in a path: each of it may be the text of one route."""
    for start in range(len(path)):
        for end in range(start + 1, len(path) + 1):
            yield path[start:end]


def _package_of(file: str, manifests: Set[str]) -> str:
    """The innermost folder around a file that has a manifest; empty where none has."""
    folder = file.rpartition("/")[0]
    while folder and folder not in manifests:
        folder = folder.rpartition("/")[0]
    return folder


def _language(file: str) -> str:
    return _LANGUAGES.get(file[file.rfind(".") :], "") if "." in file else ""


def _pieces_of(content: bytes, language: str) -> Iterator[tuple[_Path, int, str]]:
    """Texts that may be paths or parts of paths, as segments, with their lines and as written."""
    is_proxy = language == "nginx"
    texts = (
        _LOCATION.finditer(content)
        if is_proxy
        else (each for kind in (_TEXT, _VERB, _ANNOTATED) for each in kind.finditer(content))
    )
    found = [
        (text.start(1), text[1].decode("utf-8", "replace"))
        for text in texts
        if text.re is not _TEXT
        or (b"/" in text[1] and not _FILLED_IN.search(content, text.start() - 5, text.start()))
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
            yield path, line, text


def _path_of(text: str, language: str) -> _Path:
    """The segments of a text; none where it is no path (a URL, or one that is put together for a
    call: `/orders/{}`)."""
    if "://" in text or text.startswith("//") or _ONE in text:
        return ()
    plain = _PARAMETER.sub(_ONE, _QUERY.sub("", text).strip("^$"))
    if language == "F#":
        plain = _FORMAT.sub(_ONE, plain)
    return tuple(part.casefold() for part in plain.split("/") if part)


def _has_words(path: Sequence[str]) -> bool:
    return any(_ONE not in part for part in path)


def _is_made_of(path: _Path, pieces: Set[_Path], most: int = _MOST_PIECES - 1) -> bool:
    """Whether a path is some of the pieces, one after the other."""
    if path in pieces:
        return True
    return most > 1 and any(
        path[:length] in pieces and _is_made_of(path[length:], pieces, most - 1)
        for length in range(1, len(path))
    )
