"""What a scan says of a mutant is found, missed, blind or a false alarm."""

from __future__ import annotations

import pytest

from bench.accuracy.judge import belongs, judge
from bench.accuracy.mutant import Expected, Mutant
from bench.accuracy.run import Found, Said

TYPE = Found("CONTRACT-001", "type", "GET /orders/{}", "lines[].price")
EXPECTED = Expected(
    "CONTRACT-001", frozenset({"type"}), "GET /orders/{id}", frozenset({"lines[].price"})
)
MUTANT = Mutant({}, "change_type", (EXPECTED,), frozenset({"price"}))
CONTROL = Mutant({}, "control_reorder", (), frozenset({"price"}))


def baseline(*findings: Found, undetermined: str = "") -> Said:
    return Said(findings, frozenset(filter(None, [undetermined])))


def verdict(mutant: Mutant, new: list[Found], unchanged: Said, undetermined: str = "") -> str:
    said = baseline(*new, undetermined=undetermined)
    [outcome] = judge(mutant, said, new, unchanged, {})
    return outcome.verdict


def test_the_expected_finding_is_found_whatever_the_parameter_is_called() -> None:
    assert verdict(MUTANT, [TYPE], baseline()) == "found"


@pytest.mark.parametrize(
    "other",
    [
        TYPE._replace(rule="CONTRACT-003"),
        TYPE._replace(kind="nullable"),
        TYPE._replace(subject="GET /orders"),
        TYPE._replace(field="price"),
    ],
)
def test_another_finding_is_not_it(other: Found) -> None:
    assert verdict(MUTANT, [other], baseline()) == "missed"


def test_a_conditional_mutant_may_be_kept() -> None:
    assert verdict(MUTANT._replace(conditional=True), [], baseline()) == "perhaps"


@pytest.mark.parametrize(
    "unchanged",
    [
        baseline(undetermined="GET /orders/{}"),
        baseline(Found("CONTRACT-002", "missing-endpoint", "GET /orders/{}", "")),
        baseline(Found("CONTRACT-002", "method", "GET /orders/{}", "")),
        baseline(TYPE),
        baseline(Found("CONTRACT-001", "shape", "GET /orders/{}", "lines")),
    ],
)
def test_what_the_unchanged_contract_hides_is_blind(unchanged: Said) -> None:
    assert verdict(MUTANT, [], unchanged) == "blind"


def test_what_is_undetermined_any_more_is_unsure() -> None:
    assert verdict(MUTANT, [], baseline(), undetermined="GET /orders/{}") == "unsure"


def test_a_finding_below_a_changed_payload_counts() -> None:
    whole = EXPECTED._replace(fields=frozenset({""}), below=True)
    assert verdict(MUTANT._replace(expected=(whole,)), [TYPE], baseline()) == "found"


def test_an_undocumented_endpoint_counts_however_it_is_cased() -> None:
    dropped = Expected(
        "CONTRACT-002", frozenset({"undocumented-endpoint"}), "GET /tags", frozenset({""})
    )
    found = Found("CONTRACT-002", "undocumented-endpoint", "GET /Tags", "")
    mutant = Mutant({}, "drop_endpoint", (dropped,), frozenset())
    assert verdict(mutant, [found], baseline()) == "found"
    assert belongs(found, mutant)


def test_a_renamed_channel_may_be_noticed_by_its_old_name() -> None:
    kinds = frozenset({"missing-channel", "undocumented-channel"})
    renamed = Expected("CONTRACT-003", kinds, "a.renamed", frozenset({""}), instead="a")
    found = Found("CONTRACT-003", "undocumented-channel", "a", "")
    mutant = Mutant({}, "rename_channel", (renamed,), frozenset())
    assert verdict(mutant, [found], baseline()) == "found"


def test_findings_where_the_change_shows_belong_to_it() -> None:
    assert belongs(TYPE._replace(field="prices[].price[]{}"), MUTANT)


def test_findings_elsewhere_are_false_alarms() -> None:
    assert not belongs(TYPE._replace(subject="GET /invoices"), MUTANT)
    assert not belongs(TYPE._replace(field="lines[].isbn"), MUTANT)
    assert not belongs(TYPE._replace(field="price.amount"), MUTANT)


def test_every_new_finding_of_a_control_is_a_false_alarm() -> None:
    assert not belongs(TYPE, CONTROL)


def test_findings_below_a_property_of_another_shape_belong_to_it() -> None:
    single = Expected("CONTRACT-001", frozenset({"shape"}), "GET /orders", frozenset({"data"}))
    mutant = Mutant({}, "array_to_single", (single,), frozenset({"data"}))
    extra = Found("CONTRACT-001", "extra-field", "GET /orders", "data.total")
    assert belongs(extra, mutant)
    assert not belongs(extra._replace(field="database"), mutant)


def test_a_name_that_the_code_writes_in_another_case_style_belongs_to_the_change() -> None:
    assert belongs(TYPE._replace(field="lines[].Price"), MUTANT)
    assert not belongs(TYPE._replace(field="lines[].prices"), MUTANT)


def test_an_address_that_ends_with_a_slash_in_the_contract_alone_belongs_to_the_change() -> None:
    gone = Expected(
        "CONTRACT-002", frozenset({"undocumented-endpoint"}), "GET /orders/", frozenset({""})
    )
    found = Found("CONTRACT-002", "undocumented-endpoint", "GET /orders", "")
    assert belongs(found, Mutant({}, "drop_endpoint", (gone,), frozenset()))


def test_a_contract_may_drop_what_has_no_code() -> None:
    gone = Expected(
        "CONTRACT-002",
        frozenset({"undocumented-endpoint", "method"}),
        "GET /orders",
        frozenset({""}),
    )
    missing = Found("CONTRACT-002", "missing-endpoint", "GET /orders", "")
    dropped = Mutant({}, "drop_endpoint", (gone,), frozenset())
    assert verdict(dropped, [], baseline(missing)) == "blind"
    assert verdict(dropped, [], baseline()) == "missed"


def test_nothing_breaks_where_the_code_lacks_the_whole_model() -> None:
    subject = frozenset({"GET /orders/{}"})
    assert verdict(MUTANT, [], Said((), subject, subject)) == "absent"
