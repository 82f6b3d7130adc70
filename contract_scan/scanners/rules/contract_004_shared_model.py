"""# CONTRACT-004: shared model

Every type that stands for a shared model agrees with it, in every language.

## What it promises

For every named JSON Schema: each type definition of its name, in every language of the repository,
has its fields, with their types, optionality, nullability and enum values. A type stands for the
model when it has its name, whatever the case style; types named like it with `Dto`, `Model`,
`Schema` or a leading `I` stand for it where a language has no type of the plain name and only one
such type.

Where no type of a language has the name, what stands for the model is what its types have where the
contract uses it: a type of another name, or fields that are written down in place. A model that
is no object (a list of values, a text under a name) needs no type: it is compared where it is used,
and what differs there is told of the model that uses it.

| kind | meaning |
|---|---|
| `missing-field` | the model requires a field that the type has not |
| `extra-field` | the type has a field that the model does not mention |
| `name-case` | the same words in another case style: `created_at` for `createdAt` |
| `type`, `shape` | the field holds something else |
| `required` | the type may leave out what the model requires |
| `nullable` | the type may be null where the model may not, or (a warning) the reverse |
| `enum` | the lists of values differ, in either direction |
| `missing-model` | no type stands for a model that the configuration requires |

An extra field is a warning, and an error where the model says `additionalProperties: false`.

## Why it matters

The same noun is written down once per language. The copies drift one field at a time, and each is
right in the tests of its own service.

## Example

The model `Customer` requires `customerId` (string) and `createdAt` (date-time):

```python
class Customer(BaseModel):
    customerId: str
    created_at: datetime  # error: [CONTRACT-004] name-case
```

```typescript
export interface Customer {
  customerId: string;
  createdAt?: string; // error: [CONTRACT-004] required
}
```

```csharp
public record Customer(
    string CustomerId,
    DateOnly CreatedAt);  // error: [CONTRACT-004] type
```

```java
public record Customer(  // error: [CONTRACT-004] missing-field
    String customerId) {}
```

## How to fix

Change the type, or its names on the wire by an alias; or change the model and then every type.

## When it stays silent

- Where a type is undetermined in full: undetermined, and what is known is compared.
- Where no type in the code stands for the model and nothing that is compared uses it, unless the
  configuration requires one. That is no question but an answer, and counted apart: *not in the
  code*. It is undetermined where a part of the code could not be read, or where no model at all
  has a type.
- Where several types with an affix could stand for the model: undetermined.
- Where a type has a member that JSON has no form for (`RegExp`, `Map`): it is used in memory alone.
- Where a type has only the name in common with the model (another shape, hardly a common field, or
  more fields that differ than that it shares, as of a class that the program turns into the model):
  undetermined, unless the fields of types that stand for other models use something else where the
  model belongs: that is what stands for it then.
- Where a type differs from the model of its name, and the fields of types that stand for other
  models use another one: undetermined.
- Where names prove little: more than a tenth of the types that are named like a document's models
  (two at least) have only the name in common with them, as where a schema describes what a program
  writes and its classes have the same nouns. A type that differs is undetermined then, unless what
  else its file declares keeps its models.
- Where several documents have a model of the name: a type stands for those that it keeps; else for
  the one that lies nearest; else for the one it differs from clearly less. For the others, or where
  none of this tells: undetermined.
- For types whose folder, namespace or package names the version of another document (`v2`) that has
  a model of the name: they stand for that one.
- For interfaces of C# and Java that classes of the project implement: what is sent is of those.
- Where the head of a file says from which schema it was generated (`filename: order.json`): its
  types stand for the models of no other document.
- For classes of Java where the build makes a class of the schema (jsonschema2pojo) in another
  package, in modules that see it: that class is the model, and counts as not in the code.
- For the presence of what a type cannot speak of: fields that are left out where a reference is
  null of which the type does not say whether it may be, and fields that a model requires only
  beside certain values.
- Where the names of dataclasses, attrs classes and typed dictionaries differ from the contract by
  their case style throughout: something may convert them, undetermined. So do those of classes of
  Java that say nothing of names on the wire: what is sent is of other classes, or no JSON.
- Where names differ by case from a JSON Schema and are those of an OpenAPI document: undetermined.
- For fields of pydantic models with an alias where the model has them under the names that they are
  declared with: calls decide (`by_alias`), undetermined, unless FastAPI or `serialize_by_alias`
  writes aliases.
- For what a type only leaves open (fields that may be left out, null, any text for listed values)
  where a file of the code names the schema's document and a library that validates by it (Ajv,
  jsonschema, NJsonSchema, networknt …): undetermined.
- For optional fields that the type does not have, and for types that insist on an optional field.
- For null where it stands for an optional field that is not there (`nickname: str | None = None`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.model import Model
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Reference, Schema
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.differences import (
    Comparer,
    Comparison,
    Difference,
    EnumDiffers,
    FieldExtra,
    UndeterminedPart,
)
from contract_scan.scanners.differences.definitions import (
    Definitions,
    Place,
    UsageVerdict,
    schema_place,
)
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.union_members import Alternative, alternatives
from contract_scan.scanners.finding_builder import Subject, findings, undetermined_entries
from contract_scan.scanners.pairing.case_styles import CaseStyles
from contract_scan.scanners.pairing.definition_usage import (
    IN_PLACE,
    DefinitionUsage,
    ModelUsage,
    definition_places,
)
from contract_scan.scanners.pairing.models import ModelPair
from contract_scan.scanners.pairing.name_collisions import (
    Agreement,
    Candidate,
    NameCollisions,
    NameEvidence,
)
from contract_scan.scanners.pairing.runtime_validation import (
    is_validated_by_code,
    without_open_parts,
)
from contract_scan.scanners.pairing.similarity import mismatch_reason
from contract_scan.scanners.report import Subject as CountedPromise
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import PairedUnit, Rule, RuleResult, documentation, mark
from contract_scan.scanners.verdicts import promised_by_model, verdict_of

ID: Final = "CONTRACT-004"
_DEPENDS_ON_VALUES: Final = Reason("alternative-depends-on-values")


class _TypeComparison(Struct, frozen=True):
    """A model and one type, as they were compared."""

    model: int
    """Which of the paired models."""
    type: Model
    comparison: Comparison
    reason: Reason = NO_REASON
    """Why the type may not stand for the model; empty where it does."""


def check(paired: PairedUnit, answer: RuleResult) -> None:
    """Compare every shared model with the types of its name. That shows what code has where the
    contract uses models that have no such type, and these are compared with it in turn."""
    wanted = frozenset(one for pair in paired.models for one in definition_places(pair))
    named = [pair.types for pair in paired.models]
    looks = _with_mismatch_reasons(paired, list(_compare(paired, named, Definitions(wanted))))
    used = _definition_usage(paired, looks)
    languages: dict[int, set[str]] = defaultdict(set)
    for look in looks:
        if not look.reason:
            languages[look.model].add(look.type.language)
    beside = [
        used.places_in_other_languages(pair, languages[at]) for at, pair in enumerate(paired.models)
    ]
    settled = {one for uses in beside for one in uses} | {
        one
        for look in looks
        if not look.reason
        for one in used.of_type(paired.models[look.model], look.type)
    }
    if settled:
        types = [
            (*own, *(used.as_type(one) for one in uses))
            for own, uses in zip(named, beside, strict=True)
        ]
        known = {(look.model, id(look.type)): look.reason for look in looks}
        looks = [
            replace(look, reason=known.get((look.model, id(look.type)), ""))
            for look in _compare(paired, types, Definitions(wanted, frozenset(settled)))
        ]
        used = _definition_usage(paired, looks)
    styles = _case_styles(paired, looks)
    looks = [
        replace(look, comparison=styles.without_conversions(look.type, look.comparison, look.model))
        for look in looks
    ]
    looks = _by_shared_types(paired, looks)
    looks = _by_validation(paired, looks)
    used = _definition_usage(paired, looks)
    by_model = {at: list(each) for at, each in groupby(looks, key=lambda look: look.model)}
    meaning = _absence(paired, any(not look.reason for look in looks))
    for at, pair in enumerate(paired.models):
        subject = (pair.document.path, pair.model.called)
        if seen := _of_the_model(paired, pair, by_model.get(at, []), used):
            entries = list(_model_entries(pair, seen, paired))
            answer.add(entries)
            promised = promised_by_model(pair.model, pair.document)
            mark(answer.models, subject, verdict_of(entries, promised))
        else:
            _note(
                answer, subject, _without_type(ID, pair, used.gravest_result(pair), meaning, paired)
            )


def _by_shared_types(paired: PairedUnit, looks: Sequence[_TypeComparison]) -> list[_TypeComparison]:
    """One type may stand for several definitions of a document that have the same members: of a
    value that one of them lists, it is undetermined whether it comes to another."""
    shared: dict[object, list[Comparison]] = defaultdict(list)
    for look in looks:
        if not look.reason:
            shared[_type_and_members(paired, look)].append(look.comparison)
    found: list[_TypeComparison] = []
    for look in looks:
        others = [] if look.reason else shared[_type_and_members(paired, look)]
        found.append(replace(look, comparison=_without_listed(look.comparison, others)))
    open_lists = _lists_that_differ(looks) - _lists_that_differ(found)
    verdicts = dict.fromkeys(open_lists, UsageVerdict("undetermined", _DEPENDS_ON_VALUES))
    return [replace(look, comparison=_with_verdicts(look.comparison, verdicts)) for look in found]


def _by_validation(paired: PairedUnit, looks: Sequence[_TypeComparison]) -> list[_TypeComparison]:
    """What a type leaves open, the code may settle where it holds values against the schema."""
    documents = {pair.document.path: pair.document for pair in paired.models}
    validated = {
        path
        for path, document in documents.items()
        if is_validated_by_code(document, paired.unit.code)
    }
    return [
        replace(look, comparison=without_open_parts(look.comparison))
        if paired.models[look.model].document.path in validated
        else look
        for look in looks
    ]


def _lists_that_differ(looks: Iterable[_TypeComparison]) -> set[Place]:
    """Where lists of values stand in contracts that types differ from."""
    return {
        (item.contract.path, item.contract.pointer)
        for look in looks
        for item in look.comparison.differences
        if isinstance(item, EnumDiffers)
    }


def _with_verdicts(comparison: Comparison, verdicts: Mapping[Place, UsageVerdict]) -> Comparison:
    known = comparison.definition_verdicts
    return replace(
        comparison,
        definition_verdicts={place: verdicts.get(place, own) for place, own in known.items()},
    )


def _type_and_members(paired: PairedUnit, look: _TypeComparison) -> object:
    pair = paired.models[look.model]
    members = {f.name for o in _objects(pair.model.schema, pair.document) for f in o.fields}
    return look.type.origin, pair.document.path, frozenset(members)


def _without_listed(comparison: Comparison, others: Sequence[Comparison]) -> Comparison:
    """A comparison without the values that others take at the same place."""
    differences: list[Difference] = []
    undetermined = [*comparison.undetermined]
    for item in comparison.differences:
        if isinstance(item, EnumDiffers) and item.values:
            same = [_values_at(item.path, other) for other in others]
            values = tuple(value for value in item.values if all(value in each for each in same))
            if len(values) < len(item.values):
                undetermined.append(
                    UndeterminedPart(
                        path=item.path,
                        contract=item.contract,
                        code=item.code,
                        reason=_DEPENDS_ON_VALUES,
                    )
                )
            if not values and not item.lacking:
                continue
            item = replace(item, values=values)
        differences.append(item)
    return replace(comparison, differences=tuple(differences), undetermined=tuple(undetermined))


def _values_at(path: str, comparison: Comparison) -> set[str]:
    return {
        value
        for item in comparison.differences
        if isinstance(item, EnumDiffers) and item.path == path
        for value in item.values
    }


def _of_the_model(
    paired: PairedUnit, pair: ModelPair, looks: list[_TypeComparison], used: DefinitionUsage
) -> list[_TypeComparison]:
    """Without types that do not stand for a model, where what stands for it in their language is
    known by its uses: those that have only the name in common with it, and those that are written
    otherwise there."""
    remaining = [
        look
        for look in looks
        if not look.reason
        or not used.is_another(pair, look.type)
        or not (_mismatch_reason(paired, look) or used.has_in_another_form(pair, look.type))
    ]
    return remaining if remaining or used.gravest_result(pair) is not None else looks


def _note(
    answer: RuleResult, subject: CountedPromise, said: Finding | Undetermined | Verdict
) -> None:
    if isinstance(said, Finding):
        answer.findings.append(said)
        mark(answer.models, subject, Verdict.MISSING)
    elif isinstance(said, Undetermined) and said.absent:
        answer.absent[subject] = said
        mark(answer.models, subject, Verdict.ABSENT)
    elif isinstance(said, Undetermined):
        answer.undetermined.append(said)
        mark(answer.models, subject, Verdict.UNDETERMINED)
    else:
        mark(answer.models, subject, said)


# --------------------------------------------------------------------------- comparing


def _compare(
    paired: PairedUnit, types: Sequence[Sequence[Model]], definitions: Definitions
) -> Iterator[_TypeComparison]:
    elsewhere = _compared_on_its_own(paired.models)
    numbered = enumerate(paired.models)
    for _, group in groupby(numbered, key=lambda entry: entry[1].document.path):
        members = list(group)
        pairs = [pair for _, pair in members]
        comparer = Comparer(
            contract=pairs[0].document,
            code=paired.unit.code,
            direction="model",
            elsewhere=elsewhere,
            definitions=definitions,
        )
        for (at, _), schema in zip(members, _references(pairs), strict=True):
            for item in types[at]:
                comparison = comparer.compare(contract=schema, code=item.schema)
                if comparison.differences:
                    comparison = _of_several(comparison, at, item, paired, comparer, schema)
                yield _TypeComparison(at, item, comparison)


def _of_several(
    comparison: Comparison,
    at: int,
    item: Model,
    paired: PairedUnit,
    comparer: Comparer,
    schema: Schema,
) -> Comparison:
    """The comparison of a type that is one of several (a union, a base with the types that derive
    from it) with a model that is not. Where one of them keeps the model, the others need not stand
    for it; else fields that only some of them have are theirs."""
    pair = paired.models[at]
    own = _objects(item.schema, paired.unit.code)
    if len(own) < 2 or len(_objects(pair.model.schema, pair.document)) != 1:
        return comparison
    if any(not comparer.compare(contract=schema, code=one).differences for one in own):
        reason = Reason("part-stands-for-model", item=item.name)
        place = UndeterminedPart(path="", code=item.origin, reason=reason)
        return replace(comparison, differences=(), undetermined=(*comparison.undetermined, place))
    common = set.intersection(*({field.name for field in shape.fields} for shape in own))
    some = {field.name for shape in own for field in shape.fields} - common
    remaining = tuple(
        one
        for one in comparison.differences
        if not isinstance(one, FieldExtra) or one.forbidden or one.path not in some
    )
    return replace(comparison, differences=remaining)


def _objects(schema: Schema, resolver: Resolver) -> list[Object]:
    shapes = [option.shape for option in alternatives(schema, resolver).options]
    return [shape for shape in shapes if isinstance(shape, Object)]


def _with_mismatch_reasons(
    paired: PairedUnit, looks: Sequence[_TypeComparison]
) -> list[_TypeComparison]:
    """The same with the reason why a type may not stand for the model."""
    uses = ModelUsage(paired.models, paired.unit.code)
    looks = [replace(look, reason=_mismatch_reason(paired, look)) for look in looks]
    styles = _case_styles(paired, looks)
    looks = [
        replace(look, reason=look.reason or styles.reason(look.type, look.comparison))
        for look in looks
    ]
    namesakes = NameCollisions(
        Candidate(paired.models[one.model], one.type, tuple(_findings(paired, one)))
        for one in looks
        if not one.reason
    )
    compared: list[tuple[ModelPair, Model, Agreement]] = []
    for at, look in enumerate(looks):
        pair = paired.models[look.model]
        differs = bool(look.comparison.differences)
        reason = look.reason
        if differs and not reason and uses.is_another(pair, look.type):
            reason = _name_collision_reason(look.type)
        agreement: Agreement = "only the name" if reason else "differs" if differs else "keeps"
        compared.append((pair, look.type, agreement))
        looks[at] = replace(look, reason=reason or namesakes.reason(pair, look.type))
    names = NameEvidence(compared)
    for at, look in enumerate(looks):
        if look.comparison.differences and not look.reason:
            doubt = names.reason(paired.models[look.model], look.type)
            looks[at] = replace(look, reason=doubt)
    used = _definition_usage(paired, looks)
    return [_by_use(look, paired.models[look.model], used) for look in looks]


def _by_use(look: _TypeComparison, pair: ModelPair, used: DefinitionUsage) -> _TypeComparison:
    """Where the contract uses a model tells more than a name does."""
    if used.stands_for(pair, look.type):
        return replace(look, reason=NO_REASON)
    if look.comparison.differences and not look.reason and used.is_another(pair, look.type):
        return replace(look, reason=_name_collision_reason(look.type))
    return look


def _mismatch_reason(paired: PairedUnit, look: _TypeComparison) -> str:
    pair = paired.models[look.model]
    return mismatch_reason(pair, look.type, look.comparison, paired.unit.code)


def _definition_usage(paired: PairedUnit, looks: Iterable[_TypeComparison]) -> DefinitionUsage:
    return DefinitionUsage(
        ((look.type, look.comparison) for look in looks if not look.reason), paired.unit.code
    )


def _case_styles(paired: PairedUnit, looks: Iterable[_TypeComparison]) -> CaseStyles:
    return CaseStyles(
        ((look.type, look.comparison) for look in looks if not look.reason),
        paired.unit,
        paired.models,
    )


def _references(pairs: Sequence[ModelPair]) -> list[Schema]:
    """The models' schemas, as a reference where their document has one that leads to them."""
    keys = {schema.origin: key for key, schema in pairs[0].document.schemas.items()}
    found: list[Schema] = []
    for pair in pairs:
        schema = pair.model.schema
        key = keys.get(schema.origin, "")
        same = key and pair.document.schemas[key] == schema
        found.append(Reference(key=key, origin=schema.origin) if same else schema)
    return found


def _compared_on_its_own(
    pairs: Iterable[ModelPair],
) -> Callable[[Alternative, Alternative], bool]:
    """Whether a field's model and type are a pair of their own, which has findings of its own. The
    model may stand in another document than the one that refers to it."""
    types: dict[tuple[str, str], set[str]] = {}
    for pair in pairs:
        if pair.model.schema.origin.path:
            names = types.setdefault(schema_place(pair.model.schema), set())
            names.update(fold(item.name) for item in pair.types)
    return lambda contract, code: fold(code.name) in types.get(schema_place(contract.shape), ())


# --------------------------------------------------------------------------- what is said


def _model_entries(
    pair: ModelPair, looks: Sequence[_TypeComparison], paired: PairedUnit
) -> Iterator[Finding | Undetermined]:
    for look in looks:
        item = look.type
        if look.reason:
            yield Undetermined(
                rule=ID, reason=look.reason, origin=item.origin, model=pair.model.called
            )
            continue
        yield from _findings(paired, look)
        yield from undetermined_entries(_subject(pair, item), look.comparison)


def _findings(paired: PairedUnit, look: _TypeComparison) -> Iterator[Finding]:
    return findings(_subject(paired.models[look.model], look.type), look.comparison)


def _subject(pair: ModelPair, item: Model) -> Subject:
    return Subject(
        rule=ID,
        words=_model_in_words(pair, item),
        direction="model",
        contract=pair.model.origin,
        code=item.origin,
        model=pair.model.called,
    )


_LANGUAGES = {"typescript": "TypeScript", "python": "Python", "csharp": "C#", "java": "Java"}


def _model_in_words(pair: ModelPair, item: Model) -> str:
    called = f"{_LANGUAGES.get(item.language, item.language) or 'type'} `{item.name}`"
    if item.kind == IN_PLACE:
        return f"the `{pair.model.called}` of {called}"
    return called


def _name_collision_reason(item: Model) -> Reason:
    return Reason("other-type-used", item=item.name)


RULE = Rule(
    id=ID,
    name="SharedModel",
    summary="Every type that stands for a shared model agrees with it, in every language.",
    severity="error",
    check=check,
    documentation=documentation(__doc__),
)


# --------------------------------------------------------------------------- models without a type


_Absence: TypeAlias = Literal["known", "unread", "strange"]
"""What it means that no type has the name of a model. `known`: the code does not have the model.
`unread`: it may stand in what could not be read. `strange`: no model at all has a type, so that the
names of the code may be others throughout."""

_NO_TYPE = Reason("type-not-found")
_REASONS: dict[_Absence, Reason] = {
    "known": Reason("no-type-stands-for-model"),
    "unread": Reason("no-type-and-code-unread", no_type=_NO_TYPE),
    "strange": Reason("no-type-for-any-model", no_type=_NO_TYPE),
}


def _absence(paired: PairedUnit, any_compared: bool) -> _Absence:
    """What it means in this code that no type has a name. `any_compared`: some model has one."""
    if not any_compared:
        return "strange"
    return "unread" if paired.unit.code.problems else "known"


def _without_type(
    rule: str, pair: ModelPair, verdict: UsageVerdict | None, meaning: _Absence, paired: PairedUnit
) -> Finding | Undetermined | Verdict:
    """What is said of a model without a type. `told`: what comparing at its uses says of it."""
    if verdict is not None:
        return _at_uses(rule, pair, verdict)
    name, origin = pair.model.called, pair.model.origin
    if pair.ambiguous:
        names = ", ".join(sorted({item.name for item in pair.ambiguous}))
        return Undetermined(
            rule=rule,
            reason=Reason("several-types-for-model", names=names),
            origin=pair.ambiguous[0].origin,
            model=name,
        )
    if pair.has_class:
        reason = Reason("class-made-of-model")
        return Undetermined(rule=rule, reason=reason, origin=origin, model=name, absent=True)
    if pair.model.name in paired.options.required_models:
        return Finding(
            rule=rule,
            kind="missing-model",
            evidence="inferred",
            severity="error",
            message=f"no type in the code implements the shared model `{name}`",
            origin=origin,
            model=name,
            expected=name,
            contract=origin,
            help="define the type, or take the model off the list of required ones",
        )
    return Undetermined(
        rule=rule,
        reason=_REASONS[meaning],
        origin=origin,
        model=name,
        absent=meaning == "known",
    )


def _at_uses(rule: str, pair: ModelPair, verdict: UsageVerdict) -> Undetermined | Verdict:
    """What is known of a model without a type by what code has where the contract uses it. What
    differs there is a finding of the model that uses it."""
    match verdict.verdict:
        case "fits":
            return Verdict.VERIFIED
        case "tolerated":
            return Verdict.PARTLY
        case "differs":
            return Verdict.VIOLATED
        case "undetermined":
            return Undetermined(
                rule=rule, reason=verdict.reason, origin=pair.model.origin, model=pair.model.called
            )
