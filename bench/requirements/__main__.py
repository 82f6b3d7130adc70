"""`python -m bench.requirements`: what is done for each id of the builder's requirements.

Without an option it says which ids have no code or no test. `--write` writes docs/requirements.md.
`--replace [ID …]` replaces each function, class or constant that is named for these ids (all, where
none is named) by one that raises or is empty, in a copy of the sources, and runs the tests of its
ids, those next to it first: at least one of each has to fail. That takes 15 to 60 minutes.

Exit status: 0 all is well, 1 something is missing or survives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.requirements.faults import faults
from bench.requirements.page import PAGE, render
from bench.requirements.replacing import copy_of_sources, surviving
from bench.requirements.table import Table, read_table


def replace(table: Table, ids: list[str]) -> Iterator[str]:
    """What survives; prints how far it is."""
    chosen = [
        entry
        for entry in table.requirements
        if entry.id not in table.not_replaced and (not ids or entry.id in ids)
    ]
    with tempfile.TemporaryDirectory(prefix="contract-scan-replaced-") as folder:
        copy_of_sources(Path(folder))
        for symbol, survivors in surviving(chosen, Path(folder)):
            how = f"shows in no test of {', '.join(survivors)}" if survivors else "shows"
            print(f"{symbol.module}:{symbol.name} {how}", flush=True)
            for name in survivors:
                yield f"{name} has no test that fails without {symbol.module}:{symbol.name}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.requirements", description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--replace", nargs="*", metavar="ID")
    arguments = parser.parse_args()
    table = read_table()
    if arguments.write:
        PAGE.write_text(render(table), encoding="utf-8")
    found = [*faults(table)]
    if arguments.replace is not None:
        found += replace(table, arguments.replace)
    print(*found, sep="\n")
    return 1 if found else 0


sys.exit(main())
