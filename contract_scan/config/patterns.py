"""Patterns of paths, each as seen from the folder that it is relative to."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from contract_scan.config.values import Pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

MAX_LETTERS = 4_096
"""Letters of a pattern: what is longer than any path (`PATH_MAX` of Linux) matches none, and takes
seconds to compile."""
MAX_STARS = 5
"""Wildcards in a pattern of a configuration: nobody reads more of them."""
_MAX_BACKTRACKING = 2
"""Runs of `*` with which the regular expression of a library takes at most the square of the length
of a path; with each one more, as often again."""
_ANY = "[^/]"
_END = "(?=/|$)"


class Patterns:
    """Matches paths below a root, given relative to it."""

    def __init__(self, patterns: Iterable[Pattern], root: Path) -> None:
        """Patterns follow each other as the lines of a `.gitignore`: `!` takes back what one
        before it, of the same folder, matches."""
        self._root = str(root)
        self._groups: list[tuple[str, GitIgnoreSpec]] = [
            (str(base or root), readable_lines([pattern.text for pattern in group]))
            for base, group in groupby(patterns, key=lambda pattern: pattern.base)
        ]

    def match(self, path: str) -> bool:
        """Whether a pattern matches a file."""
        return any(self._matches(base, spec, path) for base, spec in self._groups)

    def _matches(self, base: str, spec: GitIgnoreSpec, path: str) -> bool:
        if base == self._root:  # the usual case, for every file of a project
            seen = path
        else:
            seen = os.path.relpath(f"{self._root}/{path}", base).replace(os.sep, "/")
        return not seen.startswith("../") and spec.match_file(seen)


def wrong_pattern(text: str) -> str:
    """What is wrong with a pattern, in words; empty: nothing is."""
    if len(text) > MAX_LETTERS:
        return f"has more than {MAX_LETTERS} letters"
    if len(re.findall(r"\*+", text)) > MAX_STARS:
        return f"has more than {MAX_STARS} wildcards"
    return "" if _spec([text]) is not None else "is no pattern of files"


def readable_lines(lines: Sequence[str]) -> GitIgnoreSpec:
    """What the lines of a `.gitignore` match; lines that are no patterns match nothing, as for
    git itself."""
    lines = [line for line in lines if len(line) <= MAX_LETTERS]
    whole = _spec(lines)
    if whole is not None:
        return whole
    valid = [line for line in lines if _spec([line]) is not None]
    spec = _spec(valid)
    assert spec is not None, "each line is a pattern"
    return spec


def _spec(lines: Sequence[str]) -> GitIgnoreSpec | None:
    """None where a line is no pattern: `[?--]` has a range that runs backwards."""
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of sets in sets, in later Pythons
        try:
            # Of the backends one knows atomic groups, the one that is always there.
            return GitIgnoreSpec.from_lines(lines, _pattern, backend="simple")
        except (ValueError, re.error):
            return None


def _pattern(line: str) -> GitIgnoreSpecPattern:
    """A line of a `.gitignore`, whose regular expression never takes more than the product of its
    length and that of the path."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    pattern = GitIgnoreSpecPattern(line)
    if pattern.include is not None and _wildcards(line) > _MAX_BACKTRACKING:
        text = line if line.endswith("\\ ") else line.rstrip()
        parts = text.removeprefix("!").split("/")
        pattern.regex = re.compile(_without_backtracking(parts))
    return pattern


def _wildcards(line: str) -> int:
    """How many wildcards a line has. Within a name, each asterisk of `a**b` is one."""
    return sum(1 if part == "**" else part.count("*") for part in line.split("/"))


def _without_backtracking(parts: list[str]) -> str:
    """The regular expression of a pattern, given as the parts between its slashes.

    What stands between two `**`, or two `*` of a part, is taken where it is met first, and that is
    never tried again (an atomic group): where a later place fits, so does the first.
    """
    only_folders = not parts[-1]
    if not parts[0]:
        del parts[0]
    elif len(parts) == 1 or (len(parts) == 2 and only_folders):
        parts.insert(0, "**")
    if only_folders:
        parts[-1] = "**"
    end = "(?:(?P<ps_d>/)|$)"
    if parts[-1] == "**":
        end = "(?P<ps_d>/)" if only_folders else "/"
    anchored = parts[0] != "**"
    groups = [
        list(group) for deep, group in groupby(parts, key=lambda part: part == "**") if not deep
    ]
    if not groups:
        return "(?P<ps_d>/)" if only_folders else "."
    written = []
    for number, group in enumerate(groups):
        inside = "/".join(f"(?>{_segment_expression(part)}{_END})" for part in group)
        if number or not anchored:
            # The last group is looked for from the end, as the library does: whether a file or a
            # folder above it is met decides which of two lines counts.
            last = number == len(groups) - 1
            inside = f"(?:{_ANY}++/)*{'' if last else '?'}{inside}"
        written.append(inside if number == len(groups) - 1 else f"(?>{inside})")
    return "^" + "/".join(written) + end


def _segment_expression(part: str) -> str:
    """The regular expression of a part between slashes."""
    if part == "*":
        return f"{_ANY}+"
    pieces = [""]  # between wildcards
    at = 0
    while at < len(part):
        letter = part[at]
        at += 1
        if letter == "*":
            pieces.append("")
        elif letter == "?":
            pieces[-1] += _ANY
        elif letter == "[":
            closed = part.index("]", at + 1 + (part[at] in "!^"))
            inside = part[at:closed].replace("\\", "\\\\")
            inside = "^" + inside[1:] if inside[0] == "!" else inside
            pieces[-1] += f"(?!/)[{inside}]"
            at = closed + 1
        else:
            if letter == "\\":
                letter = part[at]
                at += 1
            pieces[-1] += re.escape(letter)
    first, *others = pieces
    if not others:
        return first
    middle = "".join(f"(?>{_ANY}*?{piece})" for piece in others[:-1] if piece)
    return f"{first}{middle}{_ANY}*{others[-1]}"
