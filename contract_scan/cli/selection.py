"""Which rules to run: `--select` and `--ignore`, in the configuration and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

EVERY = "ALL"


def words(values: Iterable[str]) -> tuple[str, ...]:
    """The words of options that may be repeated and may hold lists with commas."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def selected(
    rules: Sequence[str],
    select: Sequence[str],
    ignore: Sequence[str],
    complain: Callable[[str, str], Exception],
) -> frozenset[str]:
    """The rules to run: `select` (empty: all) without `ignore`. A beginning of an id stands for
    all rules that begin so; `ALL` for every one.

    `complain(word, message)` makes the error for a word that stands for no rule.
    """
    wanted = set(rules) if not select else _expand(rules, select, complain)
    return frozenset(wanted - _expand(rules, ignore, complain))


def _expand(
    rules: Sequence[str], given: Sequence[str], complain: Callable[[str, str], Exception]
) -> set[str]:
    found: set[str] = set()
    for word in given:
        upper = word.upper()
        matching = {rule for rule in rules if upper == EVERY or rule.startswith(upper)}
        if not matching:
            raise complain(word, unknown_rule(word, rules))
        found |= matching
    return found


def unknown_rule(word: str, rules: Sequence[str]) -> str:
    """What to say of a rule that does not exist."""
    import difflib

    close = difflib.get_close_matches(word.upper(), rules, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(rules)}"
    return f"unknown rule `{word}`; {hint}"
