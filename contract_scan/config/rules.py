"""Selectors of rules and kinds: the one place that says what such a word stands for.

A word names one kind of drift (`CONTRACT-001/missing-field`), all kinds of a rule (`CONTRACT-001`),
those of all rules whose ids begin so (`CONTRACT-00`), one kind of several rules
(`CONTRACT/nullable`), or everything (`ALL`). Letter case does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from contract_scan.errors import UsageError
from contract_scan.ir.violation import KINDS_OF_RULE, KINDS_OF_SCOPE_RULE

EVERY = "ALL"
SELECTORS: tuple[str, ...] = (
    *KINDS_OF_RULE,
    *(f"{rule}/{kind}" for rule, kinds in KINDS_OF_RULE.items() for kind in kinds),
)
"""The ids of all rules that scans apply, then the names of all their kinds."""
SCOPE_NAMES: tuple[str, ...] = (
    *KINDS_OF_SCOPE_RULE,
    *(f"{rule}/{kind}" for rule, kinds in KINDS_OF_SCOPE_RULE.items() for kind in kinds),
)
"""The same of the rules of scopes, which nothing selects."""
KINDS_WITH_PAGES: Mapping[str, Sequence[str]] = dict(
    (*KINDS_OF_RULE.items(), *KINDS_OF_SCOPE_RULE.items())
)
"""The kinds of every rule that `rule` explains."""


def expand_rules(given: Sequence[str], complain: Callable[[str, str], Exception]) -> frozenset[str]:
    """The names of kinds (`CONTRACT-001/missing-field`) that words stand for.
    `complain(word, message)` makes the error for a word that stands for none."""
    found: set[str] = set()
    for word in given:
        rule, slash, kind = word.partition("/")
        rule, kind = rule.upper(), kind.lower()
        matching = [
            f"{known}/{each}"
            for known, kinds in KINDS_OF_RULE.items()
            if rule and (rule == EVERY or known.startswith(rule))
            for each in kinds
            if not slash or each == kind
        ]
        if not matching:
            raise complain(word, unknown_rule(word))
        found.update(matching)
    return frozenset(found)


def words(values: Iterable[str]) -> tuple[str, ...]:
    """The words of options that may be repeated and may hold lists with commas."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def chosen_kinds(
    select: Sequence[str], ignore: Sequence[str], complain: Callable[[str, str], Exception]
) -> frozenset[str]:
    """The names of the kinds to report: those of `select` (empty: all) without those of `ignore`,
    both as `expand_rules` takes them."""
    return expand_rules(select or [EVERY], complain) - expand_rules(ignore, complain)


def kinds_named(given: Iterable[str]) -> frozenset[str]:
    """The names of kinds that words of a caller stand for, as `expand_rules` takes them. Raises
    UsageError for a word that stands for none."""
    return expand_rules(sorted(given), lambda _, message: UsageError(message))


def rules_of(names: Iterable[str]) -> frozenset[str]:
    """The ids of the rules that names of kinds belong to."""
    return frozenset(name.partition("/")[0] for name in names)


def unknown_rule(word: str, known: Mapping[str, Sequence[str]] = KINDS_OF_RULE) -> str:
    """What to say of a rule or kind that is none of those that are `known`: does not exist, or is
    not applied by scans."""
    import difflib

    rule, slash, kind = word.partition("/")
    if rule.upper() in KINDS_OF_SCOPE_RULE.keys() - known.keys():
        return (
            f"rule `{word}`, which no scan applies; what a scope need not keep is taken out of its "
            "contract"
        )
    rules = [each for each in known if rule and each.startswith(rule.upper())]
    if slash and (rules or rule.upper() == EVERY):
        of = f" of {rules[0]}" if len(rules) == 1 else ""
        kinds = list(dict.fromkeys(each for one in rules or known for each in known[one]))
        close = difflib.get_close_matches(kind.lower(), kinds, n=1)
        start = f"{rules[0] if len(rules) == 1 else rule}/"
        hint = f"did you mean `{start}{close[0]}`?" if close else f"known are {', '.join(kinds)}"
        unknown = f"unknown kind `{kind}`{of}" if kind else f"no kind is named behind `{word}`"
        return f"{unknown}; {hint}"
    number = rule[len(rule.rstrip("0123456789")) :]
    if number:  # any number looks like any other
        close = [each for each in known if each[-3:].lstrip("0") == number.lstrip("0")]
        close.sort(key=lambda each: not each.startswith(rule[:1].upper()))
    elif named := [each for each, kinds in known.items() if word.lower() in kinds]:
        close = [f"{named[0]}/{word.lower()}"]  # a kind without its rule
    else:
        close = difflib.get_close_matches(rule.upper(), known, n=1)
    family = [each for each in known if each.startswith(rule.upper().partition("-")[0])]
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(family or known)}"
    return f"unknown rule `{word}`; {hint}"
