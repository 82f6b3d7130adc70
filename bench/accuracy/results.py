"""What was measured of a pair, as plain data: the content of results.json."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from bench.accuracy.labels import read_labels
from bench.accuracy.run import Pair, Scan, promises
from bench.accuracy.score import Score, Tally

FORMAT = 1

_QUOTED = re.compile(r"`[^`]*`")


def result_of(
    pair: Pair, scan: Scan, contract: Score | None = None, source: Score | None = None
) -> dict[str, Any]:
    """Everything measured of one pair."""
    kinds = Counter((found.rule, found.kind) for found in scan.said.findings)
    labels = read_labels(pair.name)
    document: dict[str, Any] = {
        "pair": pair.name,
        "language": pair.language,
        "framework": pair.framework,
        "status": scan.status,
        "seconds": round(scan.seconds, 1),
        "promises": promises(scan.summary),
        "findings": [
            {"rule": rule, "kind": kind, "count": count}
            for (rule, kind), count in sorted(kinds.items())
        ],
        "labels": dict(sorted(labels.verdicts().items())) if labels else {},
        "undetermined": [
            {"reason": reason, "count": count} for reason, count in _reasons(scan).most_common()
        ],
    }
    return {**document, **scores_of(contract, source)}


def scores_of(contract: Score | None = None, source: Score | None = None) -> dict[str, Any]:
    """The scores of mutants of the contract and of the code."""
    document: dict[str, Any] = {}
    for name, score in (("operators", contract), ("source_operators", source)):
        if score is not None:
            document[name] = {word: _tally(tally) for word, tally in score.operators.items()}
            document[f"{name}_seconds"] = round(score.seconds, 1)
    return document


def _reasons(scan: Scan) -> Counter[str]:
    """Reasons without the names in them."""
    return Counter(
        _QUOTED.sub("`…`", item["reason"]) for item in scan.undetermined if not item["absent"]
    )


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "control": tally.control,
        "mutants": tally.mutants,
        "found": tally.count("found"),
        "missed": tally.count("missed"),
        "unsure": tally.count("unsure"),
        "absent": tally.count("absent"),
        "perhaps": tally.count("perhaps"),
        "blind": tally.count("blind"),
        "exact": tally.exact,
    }
