"""What would mend a finding, below it."""

from __future__ import annotations

from contract_scan.ir.violation import Finding
from contract_scan.reports.display import clip, display
from contract_scan.reports.frames import MAX_WIDTH, TAB
from contract_scan.reports.html_elements import Element, element, join, message_element, raw
from contract_scan.reports.lines import Lines
from contract_scan.reports.place import shown_path
from contract_scan.reports.proposed import ProposedLine, command_for, proposed_lines
from contract_scan.reports.report import Setting

AT_ONCE = 12
"""Lines that are shown without being asked for."""
MOST = 200
"""Lines that are shown at all."""


def fix_words(finding: Finding) -> str:
    """Whether a finding can be mended, in words to choose by."""
    if finding.fix is None:
        return "no fix"
    return "safe fix" if finding.fix.safe else "unsafe fix"


def fix_figure(finding: Finding, lines: Lines, setting: Setting) -> Element | None:
    """The proposed change, and the command that makes it."""
    fix = finding.fix
    if finding.withheld is not None:
        withheld = finding.withheld
        said = join(message_element(withheld.title), ": ", message_element(withheld.reason))
        caption = element("figcaption", element("b", "fix withheld"), " ", said)
        return element("figure", caption, class_="fix")
    if fix is None:
        return None
    changed = list(proposed_lines(fix, lines))
    shown, rest = changed[:AT_ONCE], changed[AT_ONCE:MOST]
    left_out = len(changed) - len(shown) - len(rest)
    more = f"{len(changed) - len(shown)} more lines"
    return element(
        "figure",
        element(
            "figcaption",
            element("b", fix_words(finding)),
            " ",
            message_element(fix.title),
            f" in {shown_path(fix.path, setting)}: ",
            element("code", command_for(finding)),
        ),
        _lines(shown) if shown else None,
        element(
            "details",
            element("summary", more),
            _lines(rest),
            element("p", f"… and {left_out} more.") if left_out else None,
        )
        if rest
        else None,
        class_="fix",
    )


def _lines(changed: list[ProposedLine]) -> Element:
    rows = []
    for each in changed:
        number = element("span", f"{each.number:>5} ", class_="line-number")
        text = clip(display(each.text.expandtabs(TAB)), MAX_WIDTH)
        tag = "del" if each.sign == "-" else "ins"
        rows.append(join(number, element(tag, f"{each.sign} {text}"), raw("\n")))
    return element("pre", *rows, tabindex=0)
