"""Which rules to run: `--select` and `--ignore`, in the configuration and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from contract_scan.config.rules import EVERY, expand_rules, unknown_rule

__all__ = ["EVERY", "selected", "unknown_rule", "words"]


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
    wanted = set(rules) if not select else expand_rules(rules, select, complain)
    return frozenset(wanted - expand_rules(rules, ignore, complain))
