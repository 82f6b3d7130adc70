"""The figures of a batch: how many findings were true, with the interval, and what was verified."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from bench.accuracy.sheet import VERDICTS

Z = 1.959964
"""Of the normal distribution, for 95 %."""

Repository: TypeAlias = dict[str, Any]
"""What a batch holds of one repository."""


class Share(NamedTuple):
    """Verdicts on some findings."""

    true: int
    false: int
    debatable: int

    @property
    def precision(self) -> float | None:
        """True of true and false; nothing where neither was said."""
        judged = self.true + self.false
        return self.true / judged if judged else None


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Interval of 95 % of a share (Wilson 1927, without continuity correction), from 0 to 1.

    `trials` is at least 1.
    """
    share = successes / trials
    middle = share + Z**2 / (2 * trials)
    spread = Z * math.sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2))
    scale = 1 + Z**2 / trials
    return (max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def overview(batches: Iterable[dict[str, Any]]) -> Iterator[str]:
    """All batches, one line each: the one with the least true errors first."""
    rows = []
    for batch in batches:
        repositories = batch["repositories"]
        errors = share_of(repositories, _is_error)
        missing = share_of(repositories, _is_missing)
        undetermined, total = undetermined_share(repositories)
        rows.append(
            (
                errors.precision or 0.0,
                f"| {batch['batch']} | {len(repositories)} | {_percent(errors.precision)} "
                f"| {_percent(missing.precision)} | {_percent(share_of(repositories).precision)} "
                f"| {_percent(undetermined / total if total else None)} |",
            )
        )
    yield (
        "| batch | repositories | errors true | missing-endpoint, -channel true "
        "| all findings true | operations undetermined |"
    )
    yield "|---|--:|--:|--:|--:|--:|"
    yield from (line for _, line in sorted(rows))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def tables(batch: dict[str, Any]) -> Iterator[str]:
    """One batch as Markdown: the worst first."""
    repositories = batch["repositories"]
    yield f"### Batch {batch['batch']}"
    yield ""
    yield f"{batch['note']} Scanner: commit {batch['scanner']}; seed {batch['seed']}."
    yield ""
    yield from _precision_table(repositories)
    yield ""
    yield from _rescans_table(batch)
    yield from _repository_table(repositories)
    yield ""
    yield from _kind_table(repositories)
    yield ""
    yield from _causes_table(repositories)
    yield ""
    yield from _reasons_table(repositories)


def _rescans_table(batch: dict[str, Any]) -> Iterator[str]:
    """What later scanners give on the same repositories, which are no longer unseen."""
    if not batch.get("rescans"):
        return
    yield "The same repositories, once causes were mended (no longer unseen):"
    yield ""
    yield (
        "| scanner | true | false | debatable | true of true + false | 95 % interval "
        "| undetermined |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for each in (
        {"scanner": batch["scanner"], "repositories": batch["repositories"]},
        *batch["rescans"],
    ):
        undetermined, total = undetermined_share(each["repositories"])
        told = f"{undetermined} of {total} operations"
        yield f"| {each['scanner']} | {_cells(share_of(each['repositories']))} | {told} |"
        errors = _cells(share_of(each["repositories"], _is_error))
        yield f"| {each['scanner']}, errors | {errors} | |"
    yield ""


def share_of(
    repositories: Iterable[Repository], wanted: Callable[[dict[str, Any]], bool] = lambda _: True
) -> Share:
    """Verdicts of all repositories on the findings that are wanted."""
    counts = [
        tuple(row[verdict] for verdict in VERDICTS)
        for each in repositories
        for row in each.get("verdicts", [])
        if wanted(row)
    ]
    return (
        Share(*(sum(column) for column in zip(*counts, strict=True))) if counts else Share(0, 0, 0)
    )


def undetermined_share(repositories: Iterable[Repository]) -> tuple[int, int]:
    """Undetermined operations, and all."""
    counted = [each["promises"].get("operations") for each in repositories if "promises" in each]
    there = [counts for counts in counted if counts]
    return (
        sum(counts["undetermined"] for counts in there),
        sum(counts["total"] for counts in there),
    )


def _is_error(row: dict[str, Any]) -> bool:
    return bool(row["severity"] == "error")


def _is_missing(row: dict[str, Any]) -> bool:
    return row["kind"] in ("missing-endpoint", "missing-channel")


def _cells(share: Share) -> str:
    if share.precision is None:
        return f"{share.true} | {share.false} | {share.debatable} | – | –"
    low, high = wilson(share.true, share.true + share.false)
    return (
        f"{share.true} | {share.false} | {share.debatable} | {100 * share.precision:.0f} %"
        f" | {100 * low:.0f} – {100 * high:.0f} %"
    )


def _precision_table(repositories: list[Repository]) -> Iterator[str]:
    yield "| findings | true | false | debatable | true of true + false | 95 % interval |"
    yield "|---|--:|--:|--:|--:|--:|"
    yield f"| all | {_cells(share_of(repositories))} |"
    yield f"| errors | {_cells(share_of(repositories, _is_error))} |"
    yield f"| missing-endpoint, missing-channel | {_cells(share_of(repositories, _is_missing))} |"
    for language in sorted({each["language"] for each in repositories}):
        own = [each for each in repositories if each["language"] == language]
        yield f"| {language} | {_cells(share_of(own))} |"
        yield f"| {language}, errors | {_cells(share_of(own, _is_error))} |"


def _worst_first(each: Repository) -> tuple[float, str]:
    """By precision; where nothing was found, by the share of the promises that could be told."""
    precision = share_of([each]).precision
    if precision is None:
        counts = each.get("promises", {}).values()
        total = sum(count["total"] for count in counts)
        untold = sum(count["undetermined"] for count in counts)
        precision = 1 - untold / total if total else 0.0
    return (precision, each["repository"])


def _repository_table(repositories: list[Repository]) -> Iterator[str]:
    yield (
        "| repository | framework | findings (errors / warnings) | true | false | debatable "
        "| true of true + false | 95 % interval | verified | violated | missing | undetermined "
        "| seconds | MiB |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for each in sorted(repositories, key=_worst_first):
        found = each.get("findings", {"error": 0, "warning": 0})
        yield (
            f"| {each['repository']} | {each['framework']} "
            f"| {found['error']} / {found['warning']} | {_cells(share_of([each]))} "
            f"| {_promises_cells(each.get('promises', {}))} "
            f"| {each.get('seconds', '–')} | {each.get('mebibytes', '–')} |"
        )
    undetermined, total = undetermined_share(repositories)
    if total:
        share = f"{100 * undetermined / total:.0f} %"
        yield ""
        yield f"Undetermined operations: {undetermined} of {total} ({share})."


def _promises_cells(promises: dict[str, dict[str, int]]) -> str:
    columns = []
    for word in ("verified", "violated", "missing", "undetermined"):
        parts = [
            f"{counts[word]}{_partly(counts, word)} of {counts['total']} {sort}"
            for sort, counts in promises.items()
        ]
        columns.append("<br>".join(parts) or "–")
    return " | ".join(columns)


def _partly(counts: dict[str, int], word: str) -> str:
    """How many more are verified but for some fields; batches before that was told have none."""
    partly = counts.get("partly") if word == "verified" else 0
    return f" (and {partly} partly)" if partly else ""


def _kind_table(repositories: list[Repository]) -> Iterator[str]:
    kinds = {
        (row["rule"], row["kind"], row["severity"])
        for each in repositories
        for row in each.get("verdicts", [])
    }
    shares = [
        (key, share_of(repositories, lambda row, key=key: _kind_of(row) == key))  # type: ignore[misc]
        for key in kinds
    ]
    yield "| kind | true | false | debatable | true of true + false | 95 % interval |"
    yield "|---|--:|--:|--:|--:|--:|"
    for (rule, kind, severity), share in sorted(
        shares, key=lambda item: (2.0 if item[1].precision is None else item[1].precision, item[0])
    ):
        yield f"| {rule[-3:]} {kind} ({severity}) | {_cells(share)} |"


def _kind_of(row: dict[str, Any]) -> tuple[str, str, str]:
    return (row["rule"], row["kind"], row["severity"])


def _causes_table(repositories: list[Repository]) -> Iterator[str]:
    yield "| what was false, and why | repository | findings |"
    yield "|---|---|--:|"
    listed = [
        (cause["findings"], each["repository"], cause["cause"])
        for each in repositories
        for cause in each.get("causes", [])
    ]
    for count, repository, cause in sorted(listed, key=lambda item: (-item[0], item[1:])):
        yield f"| {cause} | {repository} | {count} |"


def _reasons_table(repositories: list[Repository]) -> Iterator[str]:
    """What is undetermined, wholly or partly, in a tenth of a repository's promises or more."""
    listed = [
        (reason["promises"], each["repository"], reason["reason"])
        for each in repositories
        for reason in each.get("reasons", [])
        if reason["promises"] * 10 >= sum(count["total"] for count in each["promises"].values())
    ]
    if not listed:
        return
    yield "| what is undetermined in a tenth of a repository's promises or more | repository | in |"
    yield "|---|---|--:|"
    for count, repository, reason in sorted(listed, key=lambda item: (-item[0], item[1:])):
        yield f"| {reason.replace('|', chr(92) + '|')} | {repository} | {count} |"
    yield ""
