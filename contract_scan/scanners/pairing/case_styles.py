"""Whether types are written in another case style than they are declared in, throughout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.model import Model
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object
from contract_scan.scanners.differences import Comparison, NameCase, UndeterminedPart
from contract_scan.scanners.differences.names import SEVERAL_WORDS, fold
from contract_scan.scanners.differences.union_members import alternatives
from contract_scan.scanners.pairing.models import ModelPair
from contract_scan.scanners.unit import Unit

_FEWEST = 3
"""How many names have to differ before that is no accident."""
_TIMES = 10
"""How many names have to differ for each that does not."""
_REASON = Reason("names-in-other-case-style")
_ANNOTATED = frozenset({"java", "csharp"})
"""Languages whose serializers read in a class how its members are named: one that says nothing, and
whose names never fit, is another form of what is sent."""
_PLAIN = frozenset({"typescript"})
"""Languages whose types are not bound to a serializer."""


class CaseStyles:
    """The languages whose types of no known serializer differ from the contracts by their case
    style in every name: something converts them, where they are sent and read. A type of a known
    serializer has the names that this gives it."""

    def __init__(
        self,
        compared: Iterable[tuple[Model, Comparison]],
        unit: Unit,
        models: Sequence[ModelPair],
    ) -> None:
        self._code: Resolver = unit.code
        self._models = models
        self._documents = unit.openapi
        differ: Counter[str] = Counter()
        agree: Counter[str] = Counter()
        for item, comparison in compared:
            shape = self._declared_object(item)
            if shape is None:
                continue
            cased = {one.found for one in comparison.differences if isinstance(one, NameCase)}
            differ[item.language] += len(cased)
            names = {field.name for field in shape.fields if SEVERAL_WORDS.search(field.name)}
            agree[item.language] += len(
                names - cased - {one.path for one in comparison.differences}
            )
        self._converted = {
            language
            for language, count in differ.items()
            if count >= max(_FEWEST, _TIMES * agree[language])
        }

    def reason(self, item: Model, comparison: Comparison) -> Reason:
        """Why a type may stand for nothing that is sent; empty where it may."""
        is_another = item.language in _ANNOTATED and self._is_converted(item, comparison)
        return _REASON if is_another else NO_REASON

    def _is_converted(self, item: Model, comparison: Comparison) -> bool:
        cased = any(isinstance(one, NameCase) for one in comparison.differences)
        is_raw = cased and self._declared_object(item) is not None
        return is_raw and item.language in self._converted

    def without_conversions(self, item: Model, comparison: Comparison, model: int) -> Comparison:
        """The comparison with a model without differences that a conversion explains."""
        if self._is_converted(item, comparison):
            return _without_names(item, comparison, lambda _: True)
        pair = self._models[model]
        if pair.document.kind != "json-schema":
            return comparison
        # The component of the same name says what is sent; generators convert the schema's names.
        sent = {
            field.name
            for document in self._documents
            for schema in document.schemas.values()
            if isinstance(schema, Object) and fold(schema.name) == fold(pair.model.name)
            for field in schema.fields
        }
        return _without_names(item, comparison, sent.__contains__)

    def _declared_object(self, item: Model) -> Object | None:
        shapes = [option.shape for option in alternatives(item.schema, self._code).options]
        if len(shapes) != 1 or not isinstance(shapes[0], Object):
            return None
        # What is written of a type of TypeScript, no serializer decides; clients have it as well.
        raw = item.language in _PLAIN and not any(field.declared_as for field in shapes[0].fields)
        return shapes[0] if raw or shapes[0].raw_names else None


def _without_names(
    item: Model, comparison: Comparison, explained: Callable[[str], bool]
) -> Comparison:
    left = tuple(
        one
        for one in comparison.differences
        if not (isinstance(one, NameCase) and explained(one.found))
    )
    if len(left) == len(comparison.differences):
        return comparison
    place = UndeterminedPart(path="", code=item.origin, reason=_REASON)
    return replace(comparison, differences=left, undetermined=(*comparison.undetermined, place))
