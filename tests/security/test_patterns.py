"""No regular expression of the package takes longer than a text is long: one that begins anew at
every place of it, or shares it among repetitions in every way, makes a scan of a text that was made
for that last for hours. And every one matches alike in all versions of Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.security.pattern_attacks import Found

ROOT = Path(__file__).parents[2]

MADE_OF_WHAT_IS_GIVEN = {
    "cli.clean: known": "one of two constants; takes a name of a file",
    "config.patterns: _without_backtracking(parts)": "atomic: tests/config/test_patterns.py",
    "conformance.validate_values_child: one": "is compiled, and used by no function of `re`",
    "fixes.csharp: f'(global\\\\s+)?using\\\\s+{re.escape(namespace)}\\\\s*;'": "a word",
    "fixes.csharp: f'\\\\b(using System;|{name})'": "a word",
    r"fixes.uses: "
    r"b'[\\x22\\x27/](?:' + names + b')(?:/index)?(?:\\.[\\w.-]{1,40})?[\\x22\\x27]'": (
        "names of modules"
    ),
    "fixes.uses: b'(?<![\\\\w$])(?:' + b'|'.join(known) + b')(?![\\\\w$])'": "words",
    "generated_tests.files: pattern": "is compiled, and used by no function of `re`",
    "orchestrator.agent_files.claude_md: pattern": "a whole line",
    "parsers.archives: b'(?<!\\\\w)' + re.escape(name).encode() + b'(?!\\\\w)'": "a word",
    r"parsers.generators_of_builds: f'<artifactId>\\s*{names}-maven-plugin\\s*</artifactId>"
    r"([^<]*+(?>(?:<(?!/?plugin>|artifactId>\\s*{names}-maven)[^<]*+)*))</plugin>'": "atomic",
    "parsers.source.csharp.library_calls.regular_expressions: pattern": (
        "short, with two repetitions at most and none of a group; takes a short text"
    ),
    r"parsers.source.csharp.resolution.configuration: b'\\b%s\\b' % re.escape(setting)": "a word",
    "parsers.source.csharp.resolution.projects: _PACKAGE % re.escape(package.encode())": "a word",
    r"parsers.source.csharp.resolution.constructions: "
    r"b'\\b%s\\s{0,9}(?:\\?\\?)?=(?![=>])' % name.encode()": "a word",
    r"parsers.source.csharp.web.called: f'\\.Add\\w{{1,40}}<[\\w.]*\\b{interface}\\b[^;()]{{0,200}}"
    r",\\s*[\\w.]*\\b{name}>'.encode()": "words, and no part begins anew within another",
    "parsers.source.discovery.file_fingerprints: pattern": "one of the patterns that are tried",
    "parsers.source.discovery.file_fingerprints: searched.definitions": "`DEFINITIONS`, tried",
    "parsers.source.discovery.prefilter: _LOADING % b'|'.join(packages)": "`_LOADS_HTTP`, tried",
    "parsers.source.discovery.prefilter: definitions": "`DEFINITIONS`, which are tried",
    "parsers.source.discovery.test_code: f'{stem}s?\\\\.(?:{_PARTS_OF_MODULES})\\\\.[cm]?[jt]s'": (
        "words"
    ),
    "parsers.source.discovery.text_probe: self.pattern": "one of the patterns that are tried",
    r"parsers.source.python.frameworks.pyramid.framework: "
    r"f'\\{{{re.escape(name)}(?::[^{{}}]*)?\\}}'": "a word between braces",
    "parsers.source.java.web.context_routes: pattern": "`ContextRoutes.path_syntax`, tried",
    "parsers.source.java.web.context_routes: self._routes.optional": "`optional`, tried",
    "parsers.source.python.resolution.calls_by_name: re.escape(name.encode()) + _CALL": "a word",
    r"parsers.source.python.serialization.constructions: "
    r"b'\\.[\\s\\\\]*%s' % re.escape(name.encode())": "a word behind a point",
    "parsers.source.python.web.decorated_routes: pattern": "`RoutingLibrary.path_syntax`, tried",
    "parsers.source.python.serialization.string_functions: pattern": (
        "of the scanned code: tests/parsers/source/python/models/test_string_functions.py"
    ),
    "parsers.source.reader: language.definitions": "`DEFINITIONS`, which are tried",
    r"parsers.source.typescript.web.openapi_controllers: b'\\b%s\\b' % re.escape(name.encode())": (
        "a word"
    ),
    r"parsers.source.web.request_uses: b'\\b%s\\b' % re.escape(word.encode())": "a word",
    r"parsers.source.web.request_uses: "
    r"b'(?<![\\w.])%s\\s{0,99}[?!]?\\.\\s{0,99}\\w' % re.escape(name.encode())": (
        "a word, and a member of it"
    ),
    "scanners.pairing.templates: ''.join(parts)": (
        "of the scanned code: tests/scanners/pairing/test_operations.py"
    ),
    "scanners.pairing.templates: text": "is compiled, and used by no function of `re`",
    "servers.architect.entities: f'\\\\b{word}\\\\b'": "a word",
}
"""Calls whose pattern is made when they run, and why it does not take long."""


@pytest.fixture(scope="module")
def found() -> Found:
    """What the attacks find, in a process that limits its own processor time."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.pattern_attacks"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return msgspec.json.decode(done.stdout, type=Found)


pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of processes are POSIX")


def test_no_pattern_takes_longer_than_a_text_is_long(found: Found) -> None:
    assert found.slow == []
    assert found.patterns > 400


def test_no_pattern_repeats_a_group_possessively(found: Found) -> None:
    """Written as `(?>(?:…)*)` it means the same, also before Python 3.11.5."""
    assert found.possessive_groups == []


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        (r"(?:ab?)*+", True),
        (r"x(?>a|(?=(\w)++))", True),
        (r"(?>(?:ab?)*)", False),
        (r"[ab]*+\w{2,9}+(?:c)?+", False),
    ],
)
def test_a_group_that_is_repeated_possessively_is_found(pattern: str, wrong: bool) -> None:
    from tests.security.pattern_attacks import repeats_a_group_possessively

    assert repeats_a_group_possessively(pattern) is wrong


def test_patterns_that_are_made_when_code_runs_are_known(found: Found) -> None:
    assert set(found.unread) == MADE_OF_WHAT_IS_GIVEN.keys()


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s+$", "search"),
        (r"(\w+\s?)*:", "match"),
        (r"'(?:\\.|[^'\\])*'", "finditer"),
    ],
)
def test_a_slow_pattern_is_found(pattern: str, method: str) -> None:
    from tests.security.pattern_attacks import Use, interrupting, slow

    with interrupting():
        assert slow(Use("here", pattern, 0, frozenset({method}))) is not None
