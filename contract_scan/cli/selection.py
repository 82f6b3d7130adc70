"""Which rules and kinds to report: `--select` and `--ignore`, in the configuration and as flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from contract_scan.config.rules import EVERY, expand_rules


def words(values: Iterable[str]) -> tuple[str, ...]:
    """The words of options that may be repeated and may hold lists with commas."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def selected(
    select: Sequence[str], ignore: Sequence[str], complain: Callable[[str, str], Exception]
) -> frozenset[str]:
    """The names of the kinds to report: those of `select` (empty: all) without those of `ignore`,
    both as `expand_rules` takes them.

    `complain(word, message)` makes the error for a word that stands for nothing.
    """
    return expand_rules(select or [EVERY], complain) - expand_rules(ignore, complain)
