"""The figures as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Results = dict[str, Any]
"""What `results.json` holds of one pair."""

_SCORED = ("found", "missed", "unsure", "absent", "perhaps", "blind")


def page(results: list[Results]) -> str:
    """All tables."""
    parts = ["## Promises", "", *promises_table(results)]
    parts += ["", "## Findings", "", *findings_table(results)]
    parts += ["", "## What is undetermined", "", *reasons_table(results)]
    scored = [each for each in results if each.get("operators")]
    if scored:
        parts += ["", "## Planted mistakes, by pair", "", *scores_table(scored)]
        parts += ["", "## Planted mistakes, by operator", "", *operators_table(scored)]
    coded = [each for each in results if each.get("source_operators")]
    if coded:
        parts += ["", "## Mistakes planted in code", "", *scores_table(coded, "source_operators")]
        parts += ["", *operators_table(coded, "source_operators")]
    return "\n".join(parts)


def promises_table(results: Iterable[Results]) -> Iterator[str]:
    """What became of the promises of every pair."""
    yield (
        "| pair | framework | promises | matched | verified | partly | violated | missing "
        "| undetermined | not in the code |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for each in results:
        for sort, counts in each["promises"].items():
            total = counts["total"]
            absent = counts.get("absent", 0)
            matched = total - counts["missing"] - absent
            there = total - absent
            share = f" ({100 * counts['undetermined'] / there:.0f} %)" if there else ""
            yield (
                f"| {each['pair']} | {each['framework']} | {total} {sort} | {matched} "
                f"| {counts['verified']} | {counts.get('partly', 0)} "
                f"| {counts['violated']} | {counts['missing']} "
                f"| {counts['undetermined']}{share} | {absent} |"
            )


def findings_table(results: Iterable[Results]) -> Iterator[str]:
    """Findings per rule and kind, what was said of them, exit status, seconds."""
    yield "| pair | exit | seconds | findings | read by eye |"
    yield "|---|--:|--:|---|---|"
    for each in results:
        found = ", ".join(
            f"{item['rule'][-3:]} {item['kind']} {item['count']}" for item in each["findings"]
        )
        said = ", ".join(f"{count} {verdict}" for verdict, count in each["labels"].items())
        yield (
            f"| {each['pair']} | {each['status']} | {each['seconds']:.1f} "
            f"| {found or 'none'} | {said or '–'} |"
        )


def reasons_table(results: Iterable[Results]) -> Iterator[str]:
    """The reasons of every pair, the most frequent first."""
    yield "| pair | places | most frequent reasons |"
    yield "|---|--:|---|"
    for each in results:
        reasons = each["undetermined"]
        shown = "; ".join(
            f"{item['reason'].replace('|', chr(92) + '|')} ({item['count']})"
            for item in reasons[:4]
        )
        total = sum(item["count"] for item in reasons)
        yield f"| {each['pair']} | {total} | {shown or '–'} |"


def scores_table(results: Iterable[Results], part: str = "operators") -> Iterator[str]:
    """Recall over mutants and false alarms, per pair."""
    yield (
        "| pair | mutants | sites | found | missed | unsure | absent | perhaps | blind "
        "| recall, all sites | recall, resolved sites | exact | controls | noisy | seconds |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for each in results:
        tallies = list(each[part].values())
        yield _row(each["pair"], tallies, f"{each[part + '_seconds']:.0f}")
    everything = [tally for each in results for tally in each[part].values()]
    yield _row("**all**", everything, "")


def operators_table(results: Iterable[Results], part: str = "operators") -> Iterator[str]:
    """The same per operator."""
    grouped: dict[str, list[Results]] = {}
    for each in results:
        for name, tally in each[part].items():
            grouped.setdefault(name, []).append(tally)
    yield (
        "| operator | mutants | sites | found | missed | unsure | absent | perhaps | blind "
        "| recall, all sites | recall, resolved sites | exact | controls | noisy |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, tallies in grouped.items():
        yield _row(f"`{name}`", tallies, None)


def _row(name: str, tallies: list[Results], seconds: str | None) -> str:
    real = [tally for tally in tallies if not tally["control"]]
    controls = [tally for tally in tallies if tally["control"]]
    counts = {verdict: sum(tally[verdict] for tally in real) for verdict in _SCORED}
    found, gone = counts["found"], counts["missed"] + counts["unsure"]
    mutants = sum(tally["mutants"] for tally in real)
    cells = [
        name,
        mutants,
        sum(counts.values()),
        *counts.values(),
        share(found, found + gone + counts["blind"]),
        share(found, found + gone),
        share(sum(tally["exact"] for tally in real), mutants),
        sum(tally["mutants"] for tally in controls),
        sum(tally["mutants"] - tally["exact"] for tally in controls),
    ]
    if seconds is not None:
        cells.append(seconds)
    return f"| {' | '.join(map(str, cells))} |"


def share(part: int, whole: int) -> str:
    """A percentage."""
    return f"{100 * part / whole:.1f} %" if whole else "–"
