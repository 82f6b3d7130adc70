from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import msgspec

from contract_scan.config import FAIL_ON
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin
from contract_scan.reports.junit import render
from tests.reports.hostile import HOSTILE
from tests.reports.samples import BUSY, CLEAN, project


def test_a_suite_a_file_and_a_failed_case_a_problem(tmp_path: Path) -> None:
    quiet = msgspec.structs.replace(BUSY, findings=BUSY.findings[:1])
    setting = msgspec.structs.replace(project(tmp_path), fail_on="warning")
    assert "".join(render(quiet, setting)) == (
        """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="contract-scan" tests="2" failures="1" errors="1">
  <testsuite name="src/old.py" tests="1" disabled="0" errors="1" failures="0" \
package="org.contract-scan">
    <testcase name="org.contract-scan.not-analysed" classname="src/old" line="3" column="0">
      <error message="is not UTF-8; save it as UTF-8">line 3, is not UTF-8; save it as UTF-8\
</error>
    </testcase>
  </testsuite>
  <testsuite name="src/orders.py" tests="1" disabled="0" errors="0" failures="1" \
package="org.contract-scan">
    <testcase name="org.contract-scan.CONTRACT-004/type: `Order.price` is a string; \
the model says number" \
classname="src/orders" line="11" column="2">
      <failure message="`Order.price` is a string; the model says number" type="warning">\
line 11, col 2, `Order.price` is a string; the model says number \
(contract: contracts/orders.yaml:13)</failure>
    </testcase>
  </testsuite>
</testsuites>
"""
    )


def test_a_clean_scan_is_one_passed_case(tmp_path: Path) -> None:
    root = ElementTree.fromstring("".join(render(CLEAN, project(tmp_path))))
    assert root.attrib == {"name": "contract-scan", "tests": "1", "failures": "0", "errors": "0"}
    (case,) = root.iter("testcase")
    assert (case.get("name"), list(case)) == ("No violation", [])


def test_what_fails_the_run_fails_its_case(tmp_path: Path) -> None:
    failures = {}
    made = project(tmp_path)
    for fail_on in FAIL_ON:
        setting = msgspec.structs.replace(made, fail_on=fail_on)
        root = ElementTree.fromstring("".join(render(BUSY, setting)))
        failures[fail_on] = int(root.get("failures", ""))
        assert len(list(root.iter("failure"))) == failures[fail_on]
    assert failures == {"error": 2, "warning": 3, "note": 3, "never": 0}


def test_cases_of_equal_problems_have_names_of_their_own(tmp_path: Path) -> None:
    """Services of test results take cases of one name for one case."""
    one = BUSY.findings[0]
    other = msgspec.structs.replace(one, rule="CONTRACT-001", problem="", model=None)
    third = msgspec.structs.replace(
        other, field="other", origin=Origin("src/orders.py", one.origin.span, symbol="B")
    )
    report = msgspec.structs.replace(CLEAN, findings=(one, other, third))
    root = ElementTree.fromstring("".join(render(report, project(tmp_path))))
    names = [case.get("name") for case in root.iter("testcase")]
    assert len(names) == len({*names}) == len(report.problems)


def test_a_note_is_told_in_a_case_that_passes(tmp_path: Path) -> None:
    note = msgspec.structs.replace(BUSY.findings[0], severity="note")
    report = msgspec.structs.replace(CLEAN, findings=(note,))
    root = ElementTree.fromstring("".join(render(report, project(tmp_path))))
    (case,) = root.iter("testcase")
    assert root.get("failures") == "0"
    assert [part.tag for part in case] == ["system-out"]
    assert (case[0].text or "").startswith("line 11, col 2, `Order.price` is a string")


def test_what_is_expected_to_be_left_out_is_a_skipped_case(tmp_path: Path) -> None:
    absent = NotAnalysed(path="libs/shop", reason="is not checked out", expected=True)
    report = msgspec.structs.replace(CLEAN, not_analysed=(absent,))
    root = ElementTree.fromstring("".join(render(report, project(tmp_path))))
    assert (root.get("errors"), [each.tag for each in root.find(".//testcase") or ()]) == (
        "0",
        ["skipped"],
    )


def test_the_counts_agree_with_the_cases(tmp_path: Path) -> None:
    root = ElementTree.fromstring("".join(render(BUSY, project(tmp_path))))
    for part in (root, *root):
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(part.get(attribute, "")) == len(list(part.iter(tag)))


def test_foreign_text_gives_well_formed_xml_without_control_characters(tmp_path: Path) -> None:
    written = "".join(render(HOSTILE, project(tmp_path)))
    root = ElementTree.fromstring(written.encode())
    assert {part.tag for part in root.iter()} == {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
    }
    assert {c for c in written if ord(c) < 32} == {"\n"}
    assert not {"\ufffe", "\uffff", "\u202e"} & set(written)
    messages = [failure.get("message", "") for failure in root.iter("failure")]
    assert sum("<script>alert(1)</script>" in message for message in messages) == 1
