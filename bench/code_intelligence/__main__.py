"""`python -m bench.code_intelligence ROOT --language typescript --server "node tsserver.js"`.

Definitions: 200 symbols that the language server declares are looked up by their full names in the
index, which must give the very place (recall: of all symbols; precision: of the answers), and 200
symbols of the index are looked for in what the server declares (precision of the index itself).
Callers: for 200 functions, methods and classes of the same sample, which call lines both give; only
what the index calls resolved counts, without calls through a base. Names that a file declares twice
are left out of the sample.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.code_intelligence.servers.answers import Declaration, Place, Server
from bench.code_intelligence.servers.java_project import java_project
from bench.code_intelligence.servers.lsp import JDT, PYRIGHT, LanguageServer
from bench.code_intelligence.servers.roslyn import Roslyn
from bench.code_intelligence.servers.tsserver import TsServer
from contract_scan import api

if TYPE_CHECKING:
    from contract_scan.code_index.index import CodeIndex

_SUFFIXES = {
    "python": (".py",),
    "typescript": (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
    "java": (".java",),
    "csharp": (".cs",),
}
_SERVERS: dict[str, Callable[[list[str], Path], Server]] = {
    "python": lambda command, root: LanguageServer(command, root, PYRIGHT),
    "typescript": TsServer,
    "java": lambda command, root: LanguageServer(command, root, JDT),
    "csharp": Roslyn,
}
_KINDS = frozenset(
    {"class", "interface", "enum", "type", "function", "method", "constructor", "record"}
)
_MOST = 100_000


def main(arguments: list[str]) -> int:
    """Measure one repository, and print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--language", choices=[*_SUFFIXES], required=True)
    parser.add_argument("--server", type=shlex.split, required=True, help="its command, quoted")
    parser.add_argument("--library", action="append", default=[], help="pattern of .jar files")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--show", type=int, default=0, help="differences to print")
    given = parser.parse_args(arguments)
    root = given.root.resolve()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "index.db"
        with api.open_code_index(root, database=database) as index:
            began = time.perf_counter()
            index.update()
            seconds = time.perf_counter() - began
            opened = root
            if given.language == "java":
                opened = java_project(root, given.library, Path(folder) / "project")
            server = _SERVERS[given.language](given.server, opened)
            try:
                figures = measure(index, server, given)
            finally:
                server.close()
    print(json.dumps({"root": root.name, "index_seconds": round(seconds, 1), **figures}, indent=1))
    return 0


def measure(index: CodeIndex, server: Server, given: argparse.Namespace) -> dict[str, object]:
    """The figures of one repository."""
    chance = random.Random(given.seed)
    files = sorted(path for path in index.files() if path.endswith(_SUFFIXES[given.language]))
    declared: list[Declaration] = []
    for path in files:
        declared += server.declarations(path)
    counts = Counter((each.path, each.qualified_name) for each in declared)
    single = [
        each
        for each in declared
        if counts[each.path, each.qualified_name] == 1 and each.kind in _KINDS
    ]
    sample = chance.sample(single, min(given.sample, len(single)))
    shown = given.show
    right = given_answers = 0
    for each in sample:
        found = index.find_definitions(f"{each.path}#{each.qualified_name}").found
        given_answers += bool(found)
        if found and (found[0].path, found[0].line) == (each.path, each.line):
            right += 1
        elif shown > 0:
            shown -= 1
            print("definition", each, found[:1], file=sys.stderr)
    known = {(each.path, each.line, each.qualified_name.rpartition(".")[2]) for each in declared}
    own = [each for path in files for each in index.declared_in(path) if each.kind in _KINDS]
    own_sample = chance.sample(own, min(given.sample, len(own)))
    extra = [each for each in own_sample if (each.path, each.line, each.name) not in known]
    for own_one in extra[: given.show]:
        place = f"{own_one.path}:{own_one.line}"
        print("only in the index", place, own_one.qualified_name, file=sys.stderr)
    called = [
        each for each in single if each.kind in ("function", "method", "class", "constructor")
    ]
    both = ours_alone = theirs_alone = with_callers = 0
    shown = given.show
    chance.shuffle(called)
    known_files = {*files}
    for each in called:
        if with_callers >= given.sample:
            break
        answered = server.callers(each)
        if answered is None:
            continue
        theirs = {place for place in answered if place.path in known_files}
        answer = index.find_callers(f"{each.path}#{each.qualified_name}", _MOST)
        ours = {Place(c.path, c.line) for c in answer.found if c.is_resolved and not c.through}
        if not theirs and not ours:
            continue
        with_callers += 1
        both += len(ours & theirs)
        ours_alone += len(ours - theirs)
        theirs_alone += len(theirs - ours)
        if shown > 0 and ours != theirs:
            shown -= 1
            print(
                "callers",
                each,
                "only ours",
                sorted(ours - theirs)[:3],
                "only theirs",
                sorted(theirs - ours)[:3],
                file=sys.stderr,
            )
    return {
        "files": len(files),
        "definitions": {
            "sampled": len(sample),
            "precision": _ratio(right, given_answers),
            "recall": _ratio(right, len(sample)),
            "sampled_of_index": len(own_sample),
            "precision_of_index": _ratio(len(own_sample) - len(extra), len(own_sample)),
        },
        "callers": {
            "symbols": with_callers,
            "precision": _ratio(both, both + ours_alone),
            "recall": _ratio(both, both + theirs_alone),
            "calls": both + theirs_alone,
        },
    }


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
