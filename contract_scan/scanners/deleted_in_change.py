"""Whether a change may have taken away what is missing.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

_SHORT = 4
"""Letters."""


def is_named(word: str, text: str) -> bool:
    """Whether a word stands in a text that a change took away, be it as a part of a name
    (`OrdersController`); a short one as a whole word of a name, since it is found inside of many
    others. No word at all stands in every text."""
    if not text or not word:
        return bool(text)
    if len(word) > _SHORT:
        return word in text.casefold()
    import re

    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", text)
    return word.removesuffix("s") in {part.casefold().removesuffix("s") for part in found}
