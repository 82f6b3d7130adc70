"""Rules by their ids, the beginnings of ids, and `ALL`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

EVERY = "ALL"


def expand_rules(
    rules: Sequence[str], given: Sequence[str], complain: Callable[[str, str], Exception]
) -> set[str]:
    """The rules that words stand for: a beginning of an id for all that begin so, `ALL` for every
    one. `complain(word, message)` makes the error for a word that stands for none."""
    found: set[str] = set()
    for word in given:
        upper = word.upper()
        matching = {rule for rule in rules if upper == EVERY or (upper and rule.startswith(upper))}
        if not matching:
            raise complain(word, unknown_rule(word, rules))
        found |= matching
    return found


def unknown_rule(word: str, rules: Sequence[str]) -> str:
    """What to say of a rule that does not exist."""
    import difflib
    import re

    number = re.search(r"\d+$", word)
    if number is not None:  # any number looks like any other
        close = [rule for rule in rules if int(rule[-3:]) == int(number[0])]
    else:
        close = difflib.get_close_matches(word.upper(), rules, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(rules)}"
    return f"unknown rule `{word}`; {hint}"
