"""The one place that makes foreign text safe and measurable on a terminal.

File names, paths of contracts, field names and source lines come from whoever wrote the scanned
repository. Printed as they are, they could move the cursor, recolour or hide other output.
"""

from __future__ import annotations

import re
import unicodedata

UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: cursor movement, colours, title, bell
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls: reorder what is read
    "\u200b-\u200d\u2060-\u2064\ufeff\ufff9-\ufffb"  # invisible: make two names look alike
    "\u2028\u2029"  # line ends to some terminals and to JavaScript
    "\ud800-\udfff"  # lone surrogates: stand for undecodable bytes, cannot be encoded
    "\U000e0000-\U000e007f"  # tags: invisible text
    "]"
)


COMMAND = re.compile(
    r"\#(?=\#(?:vso|teamcity)?\[)"  # Azure, TeamCity and old runners of GitHub: anywhere in a line
    r"|(?P<section>section_(?:start|end)):(?=\d)"  # GitLab: anywhere in a line
    r"|^(?P<before>(?:\s|\x1b\[[0-9;]*m)*)"  # at a line's start
    r"(?::(?=:)(?!::(?:\x1b\[0m)? )"  # GitHub; `:::` before a place is our own
    r"|(?P<heading>[-+~^])(?=(?P=heading){2}(?:\s|$)))",  # Buildkite
    re.MULTILINE | re.IGNORECASE,
)
"""Where a command to the program that runs a build begins (`::error file=x::text`,
`##vso[task.setvariable]`, `##teamcity[message]`), or a heading or section that hides what follows
in its log (`--- `, `+++ `, `~~~ ` and `^^^ ` of Buildkite, `section_start:` of GitLab). It reads
them from all that is printed."""


_HEADINGS = ("---", "+++", "~~~", "^^^")


def display(text: str) -> str:
    """The text with every character that a terminal could act on, and every beginning of a command
    to a runner, shown as a visible escape."""
    if not text.isascii() or not text.isprintable():
        text = UNSAFE.sub(_escape, text)
    return without_commands(text)


def without_commands(text: str) -> str:
    """Text of one or more lines in which no runner of builds finds a command."""
    if not any(each in text for each in ("##", "::", "ection_", "ECTION_", *_HEADINGS)):
        return text
    return COMMAND.sub(_escape_command, text)


def _escape_command(match: re.Match[str]) -> str:
    if match["section"] is not None:
        return f"{match['section']}\\x3a"
    before = match["before"]
    if before is None:
        return "\\x23"
    return f"{before}\\x{ord(match['heading'] or ':'):02x}"


def width(text: str) -> int:
    """How many columns of a terminal a displayed text takes."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def clip(text: str, columns: int) -> str:
    """The text, shortened with an ellipsis where it takes more columns."""
    if width(text) <= columns:
        return text
    used = 0
    for index, character in enumerate(text):
        used += _character_width(character)
        if used > columns - 1:
            return text[:index] + "…"
    return text


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
