"""Findings whose every foreign text tries to be more than text."""

from __future__ import annotations

import msgspec

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Origin
from contract_scan.scanners.report import Report
from tests.reports.samples import BUSY, UNTYPED, WRONG_STATUS

NASTY = (
    "</title><script>alert(1)</script> \x1b[31mred\x1b[0m \r\n::error file=x::forged\n"
    "##[error]old ]]> --> `a`` @octocat #1 [l](http://e.example) ![i](https://e.example/i.png) "
    "<img src=x onerror=alert(1)> | c | \u202eevil \ud800 \ufffe 100% $x$ www.e.example"
)
PATH = "src/x.py,line=1::forged\n<b>'\"`.py"

HOSTILE = Report(
    findings=(
        msgspec.structs.replace(
            WRONG_STATUS,
            message=f"`{NASTY}` {NASTY}",
            origin=Origin(PATH, WRONG_STATUS.origin.span, symbol=NASTY),
            operation=msgspec.structs.replace(WRONG_STATUS.operation, path=f"/{NASTY}"),
            field=NASTY,
            expected=NASTY,
            found=NASTY,
            help=NASTY,
            contract=Origin(PATH, WRONG_STATUS.origin.span, pointer=f"/{NASTY}"),
            reached_from=Origin(NASTY),
            fix=Fix(
                title=f"`{NASTY}` {NASTY}",
                safe=True,
                edits=(Edit(PATH, WRONG_STATUS.origin.span, NASTY),),
                digest=b"",
            ),
        ),
        msgspec.structs.replace(WRONG_STATUS, channel=NASTY, operation=None),
        msgspec.structs.replace(WRONG_STATUS, model=NASTY, operation=None),
    ),
    undetermined=(msgspec.structs.replace(UNTYPED, reason=NASTY, field=NASTY),),
    not_analysed=(NotAnalysed(path=PATH, reason=NASTY, line=3),),
    summary=BUSY.summary,
    files=1,
)
