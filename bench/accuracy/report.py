"""The figures as Markdown tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from bench.accuracy.run import Pair, Scan
from bench.accuracy.score import Score


def scans_table(scans: Iterable[tuple[Pair, Scan]]) -> Iterator[str]:
    """What became of the promises of every pair."""
    yield "| pair | framework | promises | matched | verified | violated | missing | not told |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for pair, scan in scans:
        for sort, counts in _promises(scan):
            matched = counts["total"] - counts["missing"]
            yield (
                f"| {pair.name} | {pair.framework} | {counts['total']} {sort} | {matched} "
                f"| {counts['verified']} | {counts['violated']} | {counts['missing']} "
                f"| {counts['undetermined']} |"
            )


def _promises(scan: Scan) -> Iterator[tuple[str, dict[str, int]]]:
    operations = {
        "total": scan.summary["operations"],
        **{word: scan.summary[word] for word in ("verified", "violated", "missing")},
        "undetermined": scan.summary["undetermined"],
    }
    groups = {
        "operations": operations,
        "channels": scan.summary["channels"],
        "models": scan.summary["models"],
    }
    for sort, counts in groups.items():
        if counts["total"]:
            yield sort, counts


def findings_table(scans: Iterable[tuple[Pair, Scan]]) -> Iterator[str]:
    """Findings per rule and kind, exit status, seconds."""
    yield "| pair | exit | seconds | findings |"
    yield "|---|--:|--:|---|"
    for pair, scan in scans:
        counts = Counter((found.rule, found.kind) for found in scan.said.findings)
        text = ", ".join(
            f"{rule[-3:]} {kind} {count}" for (rule, kind), count in sorted(counts.items())
        )
        yield f"| {pair.name} | {scan.status} | {scan.seconds:.1f} | {text or 'none'} |"


def scores_table(scores: Iterable[tuple[Pair, Score]]) -> Iterator[str]:
    """Recall over mutants, and false alarms."""
    yield (
        "| pair | mutants | sites | found | missed | perhaps | blind | recall, all sites "
        "| recall, resolved sites | controls | false alarms |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for pair, score in scores:
        found, missed = score.count("found"), score.count("missed")
        perhaps, blind = score.count("perhaps"), score.count("blind")
        yield (
            f"| {pair.name} | {score.mutants} | {len(score.outcomes)} | {found} | {missed} "
            f"| {perhaps} | {blind} | {_share(found, found + missed + blind)} "
            f"| {_share(found, found + missed)} | {score.controls} | {len(score.alarms)} |"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
