"""What general pattern tools take to find only routes and classes that are transferred: a floor for
`extract`, which reads them.

`ast-grep` (PyPI `ast-grep-cli`) and `semgrep` are run where they are on the PATH. What they find is
not compared; rules are as short as the tools allow.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.measure import Command

_SUFFIXES = "(Dto|DTO|Request|Response|Model|Input|Output|Payload|Schema|Resource)$"
_VERBS = "(?i:get|post|put|patch|delete)"


class _Patterns(NamedTuple):
    """How one language writes routes and classes, for both tools."""

    name: str
    class_kind: str
    route_kind: str
    route_text: str
    class_pattern: str
    route_pattern: str


_PATTERNS = (
    _Patterns(
        "python",
        "class_definition",
        "decorator",
        rf"\.({_VERBS}|route)\(",
        "class $C(...): ...",
        "@$A.$M(...)\ndef $F(...): ...",
    ),
    _Patterns(
        "typescript",
        "class_declaration",
        "call_expression",
        rf"^(\w+\.)?{_VERBS}\(",
        "class $C { ... }",
        "$A.$M($P, ...)",
    ),
    _Patterns(
        "java",
        "class_declaration",
        "annotation",
        rf"^@{_VERBS}(Mapping)?\b",
        "class $C { ... }",
        "@$M(...) $T $F(...) { ... }",
    ),
    _Patterns(
        "csharp",
        "class_declaration",
        "attribute",
        rf"^Http{_VERBS}\b",
        "class $C { ... }",
        "[$M(...)] $T $F(...) { ... }",
    ),
)
_METHOD = "(?i)^(http)?(get|post|put|patch|delete|route)(mapping)?$"


class Peer(NamedTuple):
    """A tool, and how it is run; None where it is not installed."""

    name: str
    goal: float
    command: Command | None


def peers(root: Path, work: Path) -> Iterator[Peer]:
    """The tools, ready to look through `root`; their rules are written into `work`."""
    ast_grep, semgrep = shutil.which("ast-grep"), shutil.which("semgrep")
    rules = work / "rules.json"
    rules.write_text("\n---\n".join(json.dumps(rule) for rule in _ast_grep_rules()))
    words = [ast_grep or "", "scan", "--json=stream", "--rule", str(rules), str(root)]
    yield Peer("ast-grep", 0.5, Command([*words, "--threads", "1"], root) if ast_grep else None)
    rules = work / "semgrep.json"
    rules.write_text(json.dumps({"rules": list(_semgrep_rules())}))
    words = [semgrep or "", "scan", "--metrics", "off", "--disable-version-check", "--json"]
    words += ["--quiet", "--jobs", "1", "--config", str(rules), str(root)]
    yield Peer("semgrep", 0.1, Command(words, root) if semgrep else None)


def _ast_grep_rules() -> Iterator[dict[str, object]]:
    for each in _PATTERNS:
        route = {"kind": each.route_kind, "regex": each.route_text}
        yield {"id": f"{each.name}-route", "language": each.name, "rule": route}
        named = {"field": "name", "regex": _SUFFIXES}
        declared = {"kind": each.class_kind, "has": named}
        yield {"id": f"{each.name}-class", "language": each.name, "rule": declared}


def _semgrep_rules() -> Iterator[dict[str, object]]:
    for each in _PATTERNS:
        patterns = ((each.route_pattern, "$M", _METHOD), (each.class_pattern, "$C", _SUFFIXES))
        for kind, (pattern, name, text) in zip(("route", "class"), patterns, strict=True):
            narrowed = {"metavariable-regex": {"metavariable": name, "regex": text}}
            yield {
                "id": f"{each.name}-{kind}",
                "languages": [each.name],
                "severity": "INFO",
                "message": kind,
                "patterns": [{"pattern": pattern}, narrowed],
            }
