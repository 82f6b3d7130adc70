"""# CONTRACT-004: shared model

Every type that stands for a shared model agrees with it, in every language.

## What it promises

For every named JSON Schema: each type definition of its name, in every language of the repository,
has its fields, with their types, optionality, nullability and enum values. A type stands for the
model when it has its name, whatever the case style; types named like it with `Dto`, `Model`,
`Schema` or a leading `I` stand for it where a language has no type of the plain name and only one
such type.

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

- Where a type could not be told in full: undetermined, and what is known is compared.
- Where the model has no type in the code, unless the configuration requires one: undetermined.
- Where several types with an affix could stand for the model: undetermined.
- Where a type has only the name in common with the model (another shape, hardly a common field):
  undetermined. So where types of one name differ, and the fields of types that stand for other
  models use another one of them.
- Where several documents have a model of the name: a type stands for those that it keeps; else for
  the one that lies nearest; else for the one it differs from clearly less. For the others, or where
  none of this tells: undetermined.
- Where the head of a file says from which schema it was generated (`filename: order.json`): its
  types stand for the models of no other document.
- For optional fields that the type does not have, and for types that insist on an optional field.
- For null where it stands for an optional field that is not there (`nickname: str | None = None`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.model import Model
from contract_scan.ir.schema import Reference, Schema
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.differences import Comparer, Comparison, ShapeDiffers, TypeDiffers
from contract_scan.scanners.differences.alternatives import Alternative, field_names
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.judging import Subject, findings, undetermined
from contract_scan.scanners.pairing.models import ModelPair
from contract_scan.scanners.pairing.namesakes import Candidate, Namesakes
from contract_scan.scanners.pairing.uses import Uses
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import Answer, Paired, Rule, documentation, mark

ID: Final = "CONTRACT-004"

NAMESAKE_OVERLAP = 0.25
"""A type that shares a smaller part of the fields than this has only the name in common."""


class _Compared(Struct, frozen=True):
    """A model beside one of the types that have its name."""

    subject: Subject
    item: Model
    comparison: Comparison
    namesake: str
    """Why the type has only the name in common with the model; empty where it may stand for it."""

    def findings(self) -> Iterator[Finding]:
        return findings(self.subject, self.comparison)


def check(paired: Paired, answer: Answer) -> None:
    """Compare every shared model with every type that stands for it."""
    elsewhere = _compared_on_its_own(paired.models)
    compared: list[tuple[ModelPair, list[_Compared]]] = []
    for _, group in groupby(paired.models, key=lambda pair: pair.document.path):
        pairs = list(group)
        comparer = Comparer(
            contract=pairs[0].document,
            code=paired.unit.code,
            direction="model",
            elsewhere=elsewhere,
        )
        for pair, schema in zip(pairs, _references(pairs), strict=True):
            types = [_compared(pair, schema, item, comparer, paired) for item in pair.types]
            compared.append((pair, types))
    uses = Uses(paired.models, paired.unit.code)
    namesakes = Namesakes(
        Candidate(pair, one.item, tuple(one.findings()))
        for pair, types in compared
        for one in types
        if not one.namesake
    )
    for pair, types in compared:
        subject = (pair.document.path, pair.model.called)
        mark(answer.models, subject, Verdict.VERIFIED if pair.types else Verdict.UNDETERMINED)
        for said in _check_model(pair, types, paired, uses, namesakes):
            if isinstance(said, Finding):
                answer.findings.append(said)
                missing = said.kind == "missing-model"
                mark(answer.models, subject, Verdict.MISSING if missing else Verdict.VIOLATED)
            else:
                answer.undetermined.append(said)
                mark(answer.models, subject, Verdict.UNDETERMINED)


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
            names = types.setdefault(_place(pair.model.schema), set())
            names.update(fold(item.name) for item in pair.types)
    return lambda contract, code: fold(code.name) in types.get(_place(contract.shape), ())


def _place(schema: Schema) -> tuple[str, str]:
    return schema.origin.path, schema.origin.pointer


def _compared(
    pair: ModelPair, schema: Schema, item: Model, comparer: Comparer, paired: Paired
) -> _Compared:
    subject = Subject(
        rule=ID,
        words=f"{item.language or 'type'} `{item.name}`",
        direction="model",
        contract=pair.model.origin,
        code=item.origin,
        model=pair.model.called,
    )
    comparison = comparer.compare(contract=schema, code=item.schema)
    namesake = _namesake(pair.document, pair.model, item, comparison, paired)
    return _Compared(subject, item, comparison, namesake)


def _check_model(
    pair: ModelPair,
    types: Sequence[_Compared],
    paired: Paired,
    uses: Uses,
    namesakes: Namesakes,
) -> Iterator[Finding | Undetermined]:
    if not types:
        yield _without_type(pair, pair.model.name in paired.options.required_models)
    for one in types:
        item = one.item
        reason = one.namesake or namesakes.reason(pair, item)
        if one.comparison.differences and not reason and uses.is_another(pair, item):
            reason = (
                f"another `{item.name}` stands where the model is used: "
                "this one may not stand for it"
            )
        if reason:
            yield Undetermined(rule=ID, reason=reason, origin=item.origin, model=pair.model.called)
            continue
        yield from one.findings()
        yield from undetermined(one.subject, one.comparison)


def _without_type(pair: ModelPair, required: bool) -> Finding | Undetermined:
    name, origin = pair.model.called, pair.model.origin
    if pair.ambiguous:
        names = ", ".join(sorted({item.name for item in pair.ambiguous}))
        return Undetermined(
            rule=ID,
            reason=f"several types could stand for the model: {names}",
            origin=pair.ambiguous[0].origin,
            model=name,
        )
    if required:
        return Finding(
            rule=ID,
            kind="missing-model",
            severity="error",
            message=f"no type in the code stands for the shared model `{name}`",
            origin=origin,
            model=name,
            expected=name,
            contract=origin,
            help="define the type, or take the model off the list of required ones",
        )
    return Undetermined(
        rule=ID, reason="no type of this name was found in the code", origin=origin, model=name
    )


def _namesake(
    document: ContractDocument, model: Model, item: Model, comparison: Comparison, paired: Paired
) -> str:
    """Why a type has only the name in common with a model; empty where it does stand for it."""
    for difference in comparison.differences:
        if not difference.path and isinstance(difference, ShapeDiffers | TypeDiffers):
            return (
                f"`{item.name}` is {difference.found}, the model {difference.expected}: "
                "it does not seem to stand for the model"
            )
    ours = field_names(model.schema, document)
    theirs = field_names(item.schema, paired.unit.code)
    smaller = min(len(ours), len(theirs))
    only_a_map = bool(theirs and not ours and comparison.differences)
    if only_a_map or (smaller and len(ours & theirs) / smaller < NAMESAKE_OVERLAP):
        return f"`{item.name}` shares hardly a field with the model: it may not stand for it"
    return ""


RULE = Rule(
    id=ID,
    name="SharedModel",
    summary="Every type that stands for a shared model agrees with it, in every language.",
    severity="error",
    check=check,
    documentation=documentation(__doc__),
)
