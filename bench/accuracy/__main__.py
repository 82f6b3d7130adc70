"""`python -m bench.accuracy CORPORA_DIR`: scan the pinned pairs and print what was found.

CORPORA_DIR holds one folder per repository of `pairs.json`, named `owner+name`, at the commit that
is pinned there. `--write` puts the tables into docs/accuracy.md as well.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.accuracy.report import findings_table, scans_table, scores_table
from bench.accuracy.run import Pair, Scan, ScanError, pairs, scan
from bench.accuracy.score import Score, score

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
BEGIN = "<!-- figures: python -m bench.accuracy -->"
END = "<!-- end of figures -->"


def main() -> int:
    """Scan, score, print; exit status 1 where a pair could not be scanned."""
    options = _options()
    chosen = [p for p in pairs(options.corpora) if not options.pairs or p.name in options.pairs]
    scans: list[tuple[Pair, Scan]] = []
    scores: list[tuple[Pair, Score]] = []
    failed: list[str] = []
    for pair in chosen:
        try:
            scans.append((pair, scan(pair.source, pair.contract)))
            if options.mutants and pair.contract.is_file():
                made = score(pair, options.mutants, options.seed)
                scores.append((pair, made))
                if options.verbose:
                    _tell(pair, made)
        except ScanError as error:
            failed.append(f"{pair.name}: {error}")
    text = _page(scans, scores)
    print(text)
    for line in failed:
        print(line, file=sys.stderr)
    if options.write:
        _write(text)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy", description=__doc__)
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("--pairs", nargs="*", metavar="NAME", help="only these pairs")
    parser.add_argument("--mutants", type=int, default=0, metavar="N", help="mutants per operator")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md as well")
    parser.add_argument("--verbose", action="store_true", help="name what was missed, on stderr")
    return parser.parse_args()


def _tell(pair: Pair, made: Score) -> None:
    for outcome in made.outcomes:
        if outcome.verdict in ("missed", "perhaps"):
            expected = outcome.expected
            where = f"{expected.subject} {'|'.join(sorted(expected.fields))}"
            kinds = "|".join(sorted(expected.kinds))
            print(
                f"{pair.name} {outcome.verdict} {outcome.operator} {kinds} {where}", file=sys.stderr
            )
    for operator, found in made.alarms:
        print(f"{pair.name} false alarm {operator} {' '.join(found)}", file=sys.stderr)


def _page(scans: list[tuple[Pair, Scan]], scores: list[tuple[Pair, Score]]) -> str:
    parts = ["## Promises", "", *scans_table(scans), "", "## Findings", "", *findings_table(scans)]
    if scores:
        parts += ["", "## Planted mistakes", "", *scores_table(scores)]
    return "\n".join(parts)


def _write(text: str) -> None:
    page = PAGE.read_text()
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}")


if __name__ == "__main__":
    sys.exit(main())
