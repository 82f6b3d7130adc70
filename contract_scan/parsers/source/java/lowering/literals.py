"""Literals of Java -> their values."""

from __future__ import annotations

_ESCAPES = {
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "s": " ",
    "\n": "",
}
"""Single-letter escapes; any other character after a backslash stands for itself."""


def string_value(text: str) -> str:
    """Value of a string literal, text block or character literal as written, quotes included."""
    if text.startswith('"""'):
        return _unescape(_text_block(text[3:-3] if text.endswith('"""') else text[3:]))
    return _unescape(text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:])


def integer_value(text: str) -> int | None:
    """Value of an integer literal (`1_000L`, `0x1F`, `0b1`, `017`); None if it is not one."""
    digits = text.replace("_", "").rstrip("lL").lower()
    try:
        if digits.startswith(("0x", "0b")):
            return int(digits, 0)
        if len(digits) > 1 and digits.startswith("0"):
            return int(digits, 8)
        return int(digits)
    except ValueError:
        return None


def float_value(text: str) -> float | None:
    """Value of a floating-point literal; None if it is not one."""
    digits = text.replace("_", "").rstrip("fFdD")
    try:
        return float.fromhex(digits) if digits.lower().startswith("0x") else float(digits)
    except (ValueError, OverflowError):
        return None


def _text_block(text: str) -> str:
    """The lines of a text block without the indentation they share and without trailing blanks."""
    lines = text.replace("\r\n", "\n").split("\n")[1:]
    counted = [line for line in lines[:-1] if line.strip()] + lines[-1:]
    indent = min((len(line) - len(line.lstrip()) for line in counted), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    result: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        position += 1
        if character != "\\" or position >= len(text):
            result.append(character)
            continue
        letter = text[position]
        if letter == "u":
            value, position = _unicode_escape(text, position)
        elif letter in "01234567":
            value, position = _octal_escape(text, position)
        else:
            value = _ESCAPES.get(letter, letter)
            position += 1
        result.append(value)
    # Characters beyond 16 bits are written as two escapes; half of one is no character.
    return "".join(result).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unicode_escape(text: str, position: int) -> tuple[str, int]:
    start = position
    while position < len(text) and text[position] == "u":
        position += 1
    try:
        return chr(int(text[position : position + 4], 16)), position + 4
    except ValueError:
        return text[start], start + 1


def _octal_escape(text: str, position: int) -> tuple[str, int]:
    longest = 3 if text[position] in "0123" else 2
    end = position
    while end < len(text) and end - position < longest and text[end] in "01234567":
        end += 1
    return chr(int(text[position:end], 8)), end
