"""Every id is found by its before/after pair, and the table of judgements is symmetric."""

from __future__ import annotations

from itertools import groupby

import pytest

from contract_scan.scanners.changes.differences import EFFECTS
from contract_scan.scanners.changes.judgements import CHANGE_IDS, JUDGEMENTS, Judgement
from tests.changes.examples import Case, cases, ids

_CASES = {kind: [*each] for kind, each in groupby(cases(), key=lambda one: one.judgement.kind)}
_WITHOUT_PAIR = {"contract-removed", "contract-added"}
"""A whole document is gone or new: tests/changes/test_sources.py."""


@pytest.mark.parametrize("kind", _CASES)
def test_the_pair_of_an_id_is_found_by_that_id_alone(kind: str) -> None:
    def found(case: Case) -> list[str]:
        return ids(case.before, case.after)

    assert {case.id: found(case) for case in _CASES[kind]} == {
        case.id: [case.id] for case in _CASES[kind]
    }


def test_every_id_has_a_pair() -> None:
    assert {case.id for each in _CASES.values() for case in each} == CHANGE_IDS - _WITHOUT_PAIR


def test_every_difference_between_schemas_is_judged() -> None:
    judged = {one.kind for one in JUDGEMENTS.values() if one.example.of == "schema"}
    documents = {"model-removed", "model-added", "contract-removed", "contract-added"}
    assert judged - documents == EFFECTS.keys()


@pytest.mark.parametrize("judgement", JUDGEMENTS.values(), ids=lambda one: one.kind)
def test_the_opposite_change_in_the_opposite_direction_is_as_bad(judgement: Judgement) -> None:
    """Or one of the two says why it is not; a reason that is not needed any more must go."""
    mirror = JUDGEMENTS[judgement.mirror]
    assert mirror.mirror in (judgement.kind, *_ALIKE.get(judgement.kind, ()))
    is_symmetric = (judgement.request, judgement.response) == (mirror.response, mirror.request)
    if is_symmetric:
        assert not judgement.asymmetry
    else:
        assert judgement.asymmetry or mirror.asymmetry


_ALIKE = {
    "required-property-no-longer-read-only": ("property-no-longer-read-only",),
    "required-property-became-write-only": ("property-became-write-only",),
    "optional-body-added": ("required-body-added",),
}
"""Kinds that share a mirror: of an optional and a required thing."""
