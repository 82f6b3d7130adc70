"""`python -m bench.accuracy CORPORA_DIR`: scan the pinned pairs and print what was found.

CORPORA_DIR holds one folder per repository of `pairs.json`, named `owner+name`, at the commit that
is pinned there (`python -m bench.accuracy.get CORPORA_DIR` fetches them). `--write` puts the tables
into docs/accuracy.md and the figures into bench/accuracy/results.json as well. `--pairs-file`
measures pairs of your own instead, which have no labels.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench.accuracy.labels import disagreements
from bench.accuracy.other import OtherError, export, read_said
from bench.accuracy.report import operators_table, page, scores_table
from bench.accuracy.results import FORMAT, result_of, scores_of
from bench.accuracy.run import PAIRS, Pair, PairsError, ScanError, missing, pairs, scan
from bench.accuracy.score import Score, score
from bench.accuracy.score_source import score_source

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
RESULTS = Path(__file__).parent / "results.json"
BEGIN = "<!-- figures: python -m bench.accuracy -->"
END = "<!-- end of figures -->"


def main() -> int:
    """Scan, score, print. Exit status 1: a pair could not be scanned, or its findings are not as
    labelled. 2: the folder or a file that was named is of no use."""
    options = _options()
    if not options.corpora.is_dir():
        return _refuse(f"{options.corpora}: is not a folder")
    listed_in = options.pairs_file or PAIRS
    if options.pairs_file and (options.write or options.check_labels):
        return _refuse("--write and --check-labels are for the pinned pairs, not for --pairs-file")
    try:
        absent = missing(options.corpora, options.pairs, listed_in)
    except PairsError as error:
        return _refuse(str(error))
    if absent:
        how = f"get them with: python -m bench.accuracy.get {options.corpora}"
        if options.pairs_file:
            how = "a repository `owner/name` has to lie there as `owner+name`"
        return _refuse(f"{options.corpora}: lacks {', '.join(absent)}; {how}")
    listed = pairs(options.corpora, listed_in)
    chosen = [pair for pair in listed if not options.pairs or pair.name in options.pairs]
    if not chosen:
        return _refuse(f"no pair is called {' or '.join(options.pairs)}")
    try:
        if options.export:
            count = export(chosen, options.export, options.mutants or 3, options.seed)
            print(f"{count} mutants written to {options.export}")
            return 0
        if options.score:
            return _score_other(chosen, options)
    except (OtherError, OSError) as error:
        return _refuse(str(error))
    return _measure(chosen, options)


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy", description=__doc__)
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("--pairs", nargs="*", default=[], metavar="NAME", help="only these pairs")
    parser.add_argument("--pairs-file", type=Path, metavar="FILE", help="a list of your own")
    parser.add_argument("--mutants", type=int, default=0, metavar="N", help="mutants per operator")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--check-labels", action="store_true", help="compare with labels/*.json")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md as well")
    parser.add_argument("--verbose", action="store_true", help="name what was missed, on stderr")
    parser.add_argument("--export", type=Path, metavar="DIR", help="write mutants for other tools")
    parser.add_argument("--score", type=Path, metavar="FILE", help="score what another tool said")
    return parser.parse_args()


def _measure(chosen: list[Pair], options: argparse.Namespace) -> int:
    results: list[dict[str, Any]] = []
    failed: list[str] = []
    for pair in chosen:
        try:
            made = scan(pair.source, pair.contract)
        except ScanError as error:
            failed.append(f"{pair.name}: {error}")
            continue
        if options.check_labels:
            failed += disagreements(pair.name, made.findings)
        scores: list[Score | None] = [None, None]
        if options.mutants and pair.contract.is_file():
            scores[0] = score(pair, options.mutants, options.seed)
            scores[1] = score_source(pair, options.mutants, options.seed)
        for each in filter(None, scores):
            if options.verbose:
                _tell(pair, each)
        results.append(result_of(pair, made, *scores))
        print(f"{pair.name}: done", file=sys.stderr)
    text = page(results)
    print(text)
    for line in failed:
        print(line, file=sys.stderr)
    if options.write:
        _write(text)
        document = {"format": FORMAT, "count": options.mutants, "seed": options.seed}
        RESULTS.write_text(json.dumps({**document, "pairs": results}, indent=1) + "\n")
    return 1 if failed else 0


def _score_other(chosen: list[Pair], options: argparse.Namespace) -> int:
    document, said_of = read_said(options.score)
    count, seed = document.get("count", options.mutants or 3), document.get("seed", options.seed)
    results = []
    for pair in chosen:
        if pair.name not in document["pairs"] or not pair.contract.is_file():
            continue
        made = score(pair, count, seed, said_of(pair.name))
        if options.verbose:
            _tell(pair, made)
        results.append({"pair": pair.name, **scores_of(contract=made)})
    print("\n".join([*scores_table(results), "", *operators_table(results)]))
    return 0


def _tell(pair: Pair, made: Score) -> None:
    for outcome in made.outcomes:
        if outcome.verdict not in ("found", "absent"):
            expected = outcome.expected
            where = f"{expected.subject} {'|'.join(sorted(expected.fields))}"
            kinds = "|".join(sorted(expected.kinds))
            print(
                f"{pair.name} {outcome.verdict} {outcome.operator} {kinds} {where}", file=sys.stderr
            )
    for operator, found in made.alarms:
        print(f"{pair.name} false alarm {operator} {' '.join(found)}", file=sys.stderr)


def _write(text: str) -> None:
    written = PAGE.read_text()
    head, _, rest = written.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}")


if __name__ == "__main__":
    sys.exit(main())
