"""Names on the wire: which two are the same words in another case style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

SEVERAL_WORDS = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9][-_ .][A-Za-z0-9]")
"""Names that show how their words are put together."""
_SEPARATORS = re.compile(r"(?<=[^\W_])[-_ .]+(?=[^\W_])")


def fold(name: str) -> str:
    """The letters of a name, whatever its case style: `bookId`, `book_id`, `Book-ID` -> `bookid`.

    Leading and trailing underscores stay: `_id` and `id` are different names.
    """
    return _SEPARATORS.sub("", name).casefold()


def same_words(sent: Iterable[str], accepted: Iterable[str]) -> dict[str, str]:
    """Sent name -> accepted name, for the names that are equal but for their case style.

    A name that could stand for two of the other side is left out.
    """
    sent, accepted = tuple(sent), tuple(accepted)
    sent_count, accepted_count = Counter(map(fold, sent)), Counter(map(fold, accepted))
    by_fold = {fold(name): name for name in accepted}
    return {
        name: by_fold[key]
        for name in sent
        if sent_count[key := fold(name)] == 1 and accepted_count[key] == 1
    }
