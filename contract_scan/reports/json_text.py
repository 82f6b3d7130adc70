"""Values as JSON text that people may read: indented, in ASCII so that no terminal acts on it, and
without commands to the program that runs a build, which reads them from all that is printed."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

_ACTING = re.compile(
    r"[^\x00-\x7e]"  # minding case: without it, the sign of kelvin and others pass for ASCII
    r"|(?i:\#(?=\#(?:vso|teamcity)?\[))"  # Azure, TeamCity and old runners of GitHub: anywhere
    r"|(?i:(?<=section_end):(?=\d)|(?<=section_start):(?=\d))",  # GitLab
)
"""Characters that stand as escapes, which mean the same. All of them stand in strings."""


def indented_json(value: Any) -> str:
    """A document as `json.dumps(value, indent=2)` writes it, in a fraction of the time."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode()
    except UnicodeEncodeError:  # the name of a file that is no text
        text = json.dumps(value, indent=2, allow_nan=False)
    return _ACTING.sub(_unicode_escape, text) + "\n"


def one_line(value: Any) -> str:
    """A value on a line of its own."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return _ACTING.sub(_unicode_escape, text) + "\n"


def _unicode_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
