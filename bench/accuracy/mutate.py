"""Contracts with one planted mistake each: what a scan of unchanged code then has to say.

Only the contract is changed. A mutant says what must be reported; a control changes nothing that
code could break, so nothing new may be reported.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from itertools import pairwise

from bench.accuracy.contract_text import Json, Pointer, at, inlined, kind_of
from bench.accuracy.mutant import RULES, Edit, Expected, Mutant
from bench.accuracy.mutate_operations import channel_mutants, endpoint_mutants
from bench.accuracy.mutate_parameters import parameter_mutants
from bench.accuracy.mutate_payloads import payload_mutants
from bench.accuracy.property_operators import PROPERTY_OPERATORS, Operator
from bench.accuracy.request_operators import REQUEST_OPERATORS
from bench.accuracy.sites import Roots, Site, Use, home, requests, sites


def mutants(
    document: Json, count: int = 3, seed: int = 7, *, isolate: bool = True
) -> Iterator[Mutant]:
    """Every mutant of a contract: at most `count` per operator, the same for the same seed.

    With `isolate`, a change of a payload touches one endpoint or channel alone, even where the
    schema is shared. Models of a JSON Schema stay shared: each counts where it is defined.
    """
    kind = kind_of(document)
    isolate = isolate and kind != "json-schema"
    yield from property_mutants(document, PROPERTY_OPERATORS, None, count, seed, isolate=isolate)
    yield from payload_mutants(document, count, seed)
    match kind:
        case "openapi":
            roots = list(requests(document))
            yield from property_mutants(document, REQUEST_OPERATORS, roots, count, seed)
            yield from parameter_mutants(document, count, seed)
            yield from endpoint_mutants(document, count, seed)
        case "asyncapi":
            yield from channel_mutants(document, count, seed)
        case "json-schema":
            return


def property_mutants(
    document: Json,
    operators: dict[str, Operator],
    roots: Roots | None,
    count: int,
    seed: int,
    *,
    isolate: bool = True,
) -> Iterator[Mutant]:
    """At most `count` mutants per operator, spread over shallow, nested and repeated properties."""
    found = sites(document, roots)
    for name, operator in operators.items():
        made = 0
        chance = random.Random(f"{seed}/{name}")
        for site in _spread(found, chance):
            if made == count:
                break
            use = chance.choice(site.uses) if isolate else None
            mutant = _mutant(document, name, operator, site, use)
            if mutant is not None:
                made += 1
                yield mutant


def _mutant(
    document: Json, name: str, operator: Operator, site: Site, use: Use | None
) -> Mutant | None:
    alone = copy.deepcopy(at(document, site.owner))
    if not isinstance(alone["properties"].get(site.name), dict):
        return None
    if operator(document, alone, site) is None:
        return None  # Found out without copying the whole contract.
    changed = copy.deepcopy(document)
    owner: Pointer | None = site.owner
    if use is not None:
        owner = inlined(changed, use.written)
        site = site._replace(uses=(use,))
    schema = at(changed, owner) if owner is not None else None
    if owner is None or not isinstance(schema, dict):
        return None
    if not isinstance((schema.get("properties") or {}).get(site.name), dict):
        return None
    before = copy.deepcopy(schema)
    edit = operator(changed, schema, site._replace(owner=owner))
    if edit is None or (schema == before and name != "control_reorder"):
        return None
    rule = RULES[kind_of(document)]
    expected = tuple(
        Expected(rule, edit.kinds, each.subject, _fields(each, site, edit), edit.below)
        for each in _counted(site, rule)
        if edit.kinds
    )
    loose = edit.conditional or any(_is_alternative(each.written) for each in site.uses)
    return Mutant(changed, name, expected, frozenset({site.name, edit.name}), loose)


def _is_alternative(written: Pointer) -> bool:
    """Whether a property is one of an alternative's: code may send another one, which is left."""
    return any(
        word in ("oneOf", "anyOf") and number.isdecimal() for word, number in pairwise(written)
    )


def _counted(site: Site, rule: str) -> tuple[Use, ...]:
    """The payloads in which the change has to be reported: a shared model counts where it is
    defined, not in every model that holds it."""
    if rule != "CONTRACT-004":
        return site.uses
    return (home(site),)


def _fields(use: Use, site: Site, edit: Edit) -> frozenset[str]:
    stem = use.wire.removesuffix(site.name)
    fields = {stem + edit.name + edit.suffix}
    if edit.old_name_too:
        fields.add(use.wire)
    return frozenset(fields)


def _spread(found: list[Site], chance: random.Random) -> Iterator[Site]:
    strata = [
        [site for site in found if site.depth == 0 and not site.in_array],
        [site for site in found if site.depth > 0 and not site.in_array],
        [site for site in found if site.in_array],
    ]
    for stratum in strata:
        chance.shuffle(stratum)
    while any(strata):
        for stratum in strata:
            if stratum:
                yield stratum.pop()
