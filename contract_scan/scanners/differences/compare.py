"""Is every value of one schema acceptable to another? Yes, no with the place, or why undetermined.

The comparison walks both schemas side by side. Pairs of named schemas are compared once and
remembered; a pair that is met again inside itself is taken to fit, which is what a recursive
schema means.

Shapes of one type may hold a list of values together: `{ type: "opened" } | { type: "closed" }`
holds both values that a model lists for `type`, though neither of the two does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import reduce

import msgspec
from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.evidence import DECLARED, ENFORCED, Evidence, of_either
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.scanners.differences.definitions import (
    Definitions,
    DefinitionUse,
    UsageVerdict,
    definition_verdicts_at,
    graver,
    use_of,
    use_of_option,
)
from contract_scan.scanners.differences.direction import Sides
from contract_scan.scanners.differences.kinds import (
    Comparison,
    Difference,
    Direction,
    EnumDiffers,
    FieldExtra,
    NullableDiffers,
    UndeterminedPart,
)
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.objects import SchemaComparer, compare_objects
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.scalars import (
    compare_scalars,
    is_number,
    is_number_as_text,
    is_string,
)
from contract_scan.scanners.differences.tags import (
    Agreement,
    TagReader,
    Tags,
    agreement,
    tell_refused_by_tag,
)
from contract_scan.scanners.differences.union_members import (
    Alternative,
    Alternatives,
    Shape,
    alternatives,
    discriminator,
    union_evidence,
)
from contract_scan.scanners.differences.unions import (
    SplitUnion,
    closest,
    field_names,
    likely_alternatives,
    of_parts,
    parts_by_tag,
    refused_tag,
    tell_left_out_by_some,
    tell_refused_by_fields,
)
from contract_scan.scanners.differences.whole_value_mismatch import (
    at_use,
    compare_null,
    other_kind_here,
    other_shape,
    tell_values_with_types,
    undetermined_because,
)

MAX_DEPTH = 60
"""Levels of nesting that are compared; deeper ones are undetermined."""
MAX_STEPS = 20_000
"""Pairs of shapes that one comparison may look at; what is left then is undetermined."""

_GAVE_UP = object()
"""An assumption that never holds again: keeps cut results out of the memory."""


class Comparer:
    """Compares schemas of one contract document with schemas of one body of code.

    Keep one for many comparisons: it remembers what it has compared.
    """

    def __init__(
        self,
        *,
        contract: Resolver,
        code: Resolver,
        direction: Direction,
        elsewhere: Callable[[Alternative, Alternative], bool] | None = None,
        definitions: Definitions | None = None,
    ) -> None:
        """`elsewhere` says of a (contract, code) pair below the top that it is compared on its
        own, so that it is passed over here. Of `definitions` is told what code has where the
        contract uses them (models only)."""
        self.elsewhere = elsewhere
        self.definitions = definitions if direction == "model" else None
        self.sides = Sides(direction)
        self.sender, self.receiver = (code, contract) if self.sides.code_sends else (contract, code)
        self._memory: dict[Hashable, tuple[PartialResult, Shape, Shape]] = {}
        self._active: set[Hashable] = set()
        self._shapes: dict[tuple[bool, str, tuple[LiteralValue, ...]], Shape] = {}
        self._parts: dict[tuple[int, ...], tuple[SplitUnion | None, object, object]] = {}
        self._unions: dict[Hashable, tuple[Alternatives, Alternatives]] = {}
        self._sent_tags, self._accepted_tags = TagReader(self.sender), TagReader(self.receiver)
        self._depth = 0
        self._steps = 0

    def compare(self, *, contract: Schema, code: Schema) -> Comparison:
        """Every difference between the two, and every place that could not be compared."""
        self._steps = 0
        sent, accepted = (code, contract) if self.sides.code_sends else (contract, code)
        return self.schemas(sent, accepted).finish()

    def schemas(self, sent: Schema, accepted: Schema) -> PartialResult:
        """Compare two schemas at one place."""
        self._steps += 1
        if self._depth >= MAX_DEPTH or self._steps > MAX_STEPS:
            return self._give_up(sent, accepted)
        self._depth += 1
        try:
            sent_shapes = alternatives(sent, self.sender)
            accepted_shapes = alternatives(accepted, self.receiver)
            result = PartialResult()
            if not (self._depth > 1 and self._is_settled(sent, accepted, result)):
                result.take(self._each_option(sent_shapes, accepted, accepted_shapes))
                tell_values_with_types(sent, accepted, self, result)
                if not self.sides.code_sends:
                    self._leave_out_tag(sent, result)
                if self._depth > 1:
                    self._note_verdicts(accepted, result)
            # Whether a model itself is null is said where it is used, not where it is declared.
            declared = self._depth == 1 and self.sides.direction == "model"
            if not declared and not other_kind_here(result):
                compare_null(sent, accepted, sent_shapes, accepted_shapes, self, result)
            code, resolver = (
                (sent, self.sender) if self.sides.code_sends else (accepted, self.receiver)
            )
            result.grade(union_evidence(code, resolver))
            result.grade(code.evidence)
            return result
        finally:
            self._depth -= 1

    def _each_option(
        self, sent_shapes: Alternatives, accepted: Schema, accepted_shapes: Alternatives
    ) -> PartialResult:
        """Whether every shape that may be sent is accepted. A union that is met again inside itself
        is taken to fit: what differs in it is said where it is met first."""
        key = self._union_key(sent_shapes, accepted_shapes)
        result = PartialResult()
        if key is not None:
            if key in self._active:
                result.assumed.add(key)
                return result
            self._active.add(key)
        try:
            each = [
                (option, self._accepted_by_any(option, accepted, accepted_shapes))
                for option in self._sent_options(sent_shapes)
            ]
        finally:
            self._active.discard(key)
        self._tell_refused(each, accepted_shapes.options)
        if any(isinstance(option.shape, Unknown) for option, _ in each):
            # Where a scalar is sent beside what is undetermined, it may never be sent here.
            for option, one in each:
                if isinstance(option.shape, Scalar) and self.sides.code_sends:
                    one.grade(DECLARED, here=True)
        if self.sides.code_sends:
            tell_left_out_by_some(each)
        if len(accepted_shapes.options) == 1:
            _cover_together(each)
        for _, one in each:
            result.take(one)
        result.close(key)
        return result

    def _union_key(self, sent: Alternatives, accepted: Alternatives) -> Hashable | None:
        """What is the same for two unions wherever they are compared; None where neither is one, or
        where neither can hold itself."""
        if len(sent.options) < 2 and len(accepted.options) < 2:
            return None
        if not all(
            any(isinstance(option.shape, Object | Array) for option in side.options)
            for side in (sent, accepted)
        ):
            return None
        key = (self._options_key(sent, True), self._options_key(accepted, False))
        # The shapes are kept, since identities hold only while their objects live.
        self._unions.setdefault(key, (sent, accepted))
        return key

    def _options_key(self, side: Alternatives, sends: bool) -> tuple[Hashable, ...]:
        # Alternatives of one scalar type are merged anew each time: those are known by their value.
        return tuple(
            shape if isinstance(shape, Scalar) else id(shape)
            for shape in (self._one_shape(option, sends) for option in side.options)
        )

    def _leave_out_tag(self, contract: Schema, result: PartialResult) -> None:
        """A contract that names the property by which its alternatives are told apart does not mean
        that it may hold any text, where it says no more of it."""
        tag = discriminator(contract, self.sender)
        if tag:
            result.undetermined = [item for item in result.undetermined if item.path != f".{tag}"]

    def _is_settled(self, sent: Schema, accepted: Schema, result: PartialResult) -> bool:
        """Note what code has for a definition of the contract; whether that is compared on its
        own."""
        if self.definitions is None:
            return False
        use = use_of(accepted, sent, self.definitions, self.receiver, self.sender)
        return use is not None and self._note_use(use, self.definitions, result)

    def _note_use(
        self, use: DefinitionUse, definitions: Definitions, result: PartialResult
    ) -> bool:
        result.uses[use.place, use.identity] = use
        return (use.place, use.identity) in definitions.settled

    def _note_verdicts(self, contract: Schema, result: PartialResult) -> None:
        if self.definitions is None:
            return
        held = [i for i in result.differences if i.path or not isinstance(i, NullableDiffers)]
        verdict = UsageVerdict("fits")
        if not all(_is_tolerated_in_models(item) for item in held):
            verdict = UsageVerdict("differs")
        elif result.undetermined:
            verdict = UsageVerdict("undetermined", result.undetermined[0].reason)
        elif held:
            verdict = UsageVerdict("tolerated")
        for place, one in definition_verdicts_at(
            contract, verdict, self.definitions, self.receiver
        ):
            result.definition_verdicts[place] = graver(result.definition_verdicts.get(place), one)

    def _sent_options(self, sent: Alternatives) -> Sequence[Alternative]:
        """What may be sent. A contract that lets clients send a number, or the same number as
        text, gives readers a freedom: code that reads numbers takes what the contract is about."""
        numbers = any(is_number(option.shape) for option in sent.options)
        if self.sides.code_sends or not numbers:
            return sent.options
        return [option for option in sent.options if not is_number_as_text(option.shape)]

    def _give_up(self, sent: Schema, accepted: Schema) -> PartialResult:
        reason = (
            Reason("comparison-too-deep", max_depth=MAX_DEPTH)
            if self._depth >= MAX_DEPTH
            else Reason("too-many-combinations")
        )
        result = undetermined_because(sent, accepted, reason, self.sides)
        result.assumed.add(_GAVE_UP)
        return result

    def _accepted_by_any(
        self, sent: Alternative, accepted: Schema, accepted_shapes: Alternatives
    ) -> PartialResult:
        """Whether one sent shape fits at least one accepted shape."""
        options = accepted_shapes.options
        if any(isinstance(option.shape, Anything) for option in options):
            return PartialResult()
        unknown = next((o.shape for o in options if isinstance(o.shape, Unknown)), None)
        if isinstance(sent.shape, Unknown):
            is_any_text = sent.shape.is_text and not sent.shape.as_json
            if is_any_text and self._takes_text(options):
                return PartialResult()
            return undetermined_because(sent.shape, accepted, sent.shape.reason, self.sides)
        if unknown and unknown.accepts_any and _is_free_form(sent.shape):
            return PartialResult()
        if isinstance(sent.shape, Anything):
            who = "code" if self.sides.code_sends else "contract"
            reason = unknown.reason if unknown else Reason("any-value-allowed", who=who)
            return undetermined_because(sent.shape, accepted, reason, self.sides)
        known = [option for option in options if _have_same_kind(sent, option)]
        same_name = self._fits_same_name(sent, known)
        if same_name is not None:
            return same_name
        # What is undetermined may have the tag that no other alternative has.
        is_listed = unknown is None or unknown.is_text
        parts = self._parts_by_tag(sent, known) if is_listed else None
        if parts is not None:
            each = [self.pair(part.sent, part.accepted) for part in parts.each]
            found = of_parts(parts, each)
            found.take(self.schemas(parts.sent, parts.accepted), f".{parts.tag}")
            return found
        refused = refused_tag(sent, known) if is_listed else None
        if refused is not None:
            return self._compare_tag(*refused)
        likely = likely_alternatives(sent, known, self._agreement)
        results = [(option, self.pair(sent, option)) for option in likely]
        lists = _one_of_several_lists(sent, known, [result for _, result in results], self)
        if lists is not None:
            return lists
        if not results and unknown is None:
            other = other_shape(sent.shape, accepted, options, self)
            other.grade(self._evidence(sent, options))
            other.differences = [at_use(item, sent.use, self.sides) for item in other.differences]
            return other
        chosen = PartialResult()
        fitting = [result for _, result in results if not result.differences]
        if fitting:
            chosen.take(min(fitting, key=lambda result: len(result.undetermined)))
            if len(fitting) == 1:
                self._note_chosen(sent, results, fitting[0], chosen)
        elif unknown is not None:
            if not (unknown.is_text and is_string(sent.shape)):
                chosen = undetermined_because(sent.shape, unknown, unknown.reason, self.sides)
        elif all(other_kind_here(result) for _, result in results):
            chosen = other_shape(sent.shape, accepted, options, self)
            chosen.grade(self._evidence(sent, options))
        else:
            nearest = closest(sent, results, self._agreement)
            chosen.take(nearest)
            self._note_chosen(sent, results, nearest, chosen)
        chosen.differences = [at_use(item, sent.use, self.sides) for item in chosen.differences]
        # The choice rests on what all of them assumed.
        chosen.assumed.update(*(result.assumed for _, result in results))
        return chosen

    def _agreement(self, sent: Alternative, accepted: Alternative) -> Agreement:
        return agreement(self._tags(sent, True), self._tags(accepted, False))

    def _tags(self, option: Alternative, sends: bool) -> Tags:
        return (self._sent_tags if sends else self._accepted_tags).of(option)

    def _tell_refused(
        self,
        each: Sequence[tuple[Alternative, PartialResult]],
        accepted: Sequence[Alternative],
    ) -> None:
        """Tell of a contract's alternatives that the code refuses, by their tags or by fields that
        it cannot do without, no more than that, where it takes others."""
        objects = [option for option in accepted if isinstance(option.shape, Object)]
        is_open = any(isinstance(option.shape, Anything | Unknown) for option in accepted)
        if not self.sides.code_sends and len(each) > 1 and objects and not is_open:
            sent = [(self._tags(option, True), result) for option, result in each]
            tags = [self._tags(option, False) for option in objects]
            told = tell_refused_by_tag(sent, tags)
            if not told and self.sides.direction == "request":
                tell_refused_by_fields(each)

    def _evidence(self, sent: Alternative, accepted: Sequence[Alternative]) -> Evidence | None:
        """How the code's side is known of a shape and the alternatives none of which it is."""
        ours = [sent] if self.sides.code_sends else accepted
        return reduce(of_either, (one.shape.evidence or Evidence() for one in ours), ENFORCED)

    def _note_chosen(
        self,
        sent: Alternative,
        results: Sequence[tuple[Alternative, PartialResult]],
        chosen: PartialResult,
        into: PartialResult,
    ) -> None:
        """Note that a shape was meant for one alternative of the contract, where it is certain, or
        for those that have the same members and that it differs from alike."""
        meant = next((option for option, result in results if result is chosen), None)
        if self.definitions is None or meant is None or self._depth <= 1:
            return
        for option, result in results:
            use = use_of_option(option, sent, self.definitions)
            if use is not None and (option is meant or _are_alike(option, result, meant, chosen)):
                self._note_use(use, self.definitions, into)

    def _compare_tag(self, tag: str, sent: Scalar, accepted: Schema) -> PartialResult:
        """An alternative whose tag the other side does not accept."""
        found = PartialResult()
        found.take(self.schemas(sent, accepted), f".{tag}")
        # What the tag lacks, the tags of other alternatives may hold.
        found.differences = [
            msgspec.structs.replace(item, lacking=()) if isinstance(item, EnumDiffers) else item
            for item in found.differences
        ]
        return found

    def _parts_by_tag(self, sent: Alternative, options: Sequence[Alternative]) -> SplitUnion | None:
        """The same parts for the same shapes, so that recursive ones are met again."""
        shape = self._one_shape(sent, True)
        if len(options) < 2 or not isinstance(shape, Object):
            return None
        key = (id(shape), *(id(self._one_shape(option, False)) for option in options))
        if key not in self._parts:
            # The shapes are kept, since identities hold only while their objects live.
            parts = parts_by_tag(sent, options, self.sender, self.receiver)
            self._parts[key] = (parts, sent, options)
        return self._parts[key][0]

    def _fits_same_name(
        self, sent: Alternative, options: Sequence[Alternative]
    ) -> PartialResult | None:
        """The result of a shape that certainly fits the alternative that bears its name, so that
        the others need not be looked at: a union of two hundred types has forty thousand pairs."""
        name = fold(sent.name)
        if not name or len(options) < 2:
            return None
        for option in options:
            if fold(option.name) == name:
                result = self.pair(sent, option)
                if not (result.differences or result.undetermined or result.assumed):
                    fits = PartialResult()
                    fits.learn(result)
                    self._note_chosen(sent, [(option, result)], result, fits)
                    return fits
        return None

    def _takes_text(self, options: Sequence[Alternative]) -> bool:
        """Whether any text at all is accepted."""
        text = Alternative(Scalar(type="string"))
        results = [self.pair(text, option) for option in options if is_string(option.shape)]
        return any(not result.differences and not result.undetermined for result in results)

    def pair(self, sent: Alternative, accepted: Alternative) -> PartialResult:
        """Compare two plain shapes, from memory where both were compared before."""
        if self._depth > 1 and self._is_elsewhere(sent, accepted):
            return PartialResult()
        first, second = self._one_shape(sent, True), self._one_shape(accepted, False)
        evidence = (first if self.sides.code_sends else second).evidence
        if isinstance(first, Scalar):
            plain = self._simple_shapes(first, second)
            plain.grade(evidence)
            return plain
        key = (id(first), id(second))
        if key in self._active:
            assumed = PartialResult()
            assumed.assumed.add(key)
            return assumed
        known = self._memory.get(key)
        if known is not None and known[0].assumed <= self._active:
            return known[0]
        self._active.add(key)
        try:
            result = self._simple_shapes(first, second)
            result.grade(evidence)
        finally:
            self._active.discard(key)
        result.close(key)
        # The shapes are kept, since identities hold only while their objects live.
        self._memory[key] = (result, first, second)
        return result

    def _is_elsewhere(self, sent: Alternative, accepted: Alternative) -> bool:
        if self.definitions is not None:
            use = use_of_option(accepted, sent, self.definitions)
            if use is not None and (use.place, use.identity) in self.definitions.settled:
                return True
        if self.elsewhere is None:
            return False
        pair = (accepted, sent) if self.sides.code_sends else (sent, accepted)
        return self.elsewhere(*pair)

    def _one_shape(self, option: Alternative, sends: bool) -> Shape:
        """The same object for the same reference, even where a resolver makes a new one."""
        if not option.key:
            return option.shape
        return self._shapes.setdefault((sends, option.key, option.tags), option.shape)

    def _simple_shapes(self, sent: Shape, accepted: Shape) -> PartialResult:
        match sent, accepted:
            case Scalar(), Scalar() if self._reads_decimal(sent, accepted):
                return PartialResult()
            case Scalar(), Scalar():
                return compare_scalars(sent, accepted, self.sides)
            case Array(), Array():
                return _compare_arrays(sent, accepted, self)
            case Object(), Object():
                return compare_objects(sent, accepted, self)
            case _:
                return other_shape(sent, accepted, (Alternative(accepted),), self)

    def _reads_decimal(self, sent: Scalar, accepted: Scalar) -> bool:
        """Whether code is sent a number for a decimal: what writes decimals as text reads both."""
        reads = self.sides.direction == "request" and accepted.format == "decimal"
        return reads and accepted.type == "string" and is_number(sent)


def _is_tolerated_in_models(difference: Difference) -> bool:
    """Whether there is but a warning of a difference where shared models are compared."""
    match difference:
        case FieldExtra(forbidden=forbidden):
            return not forbidden
        case NullableDiffers(code_is_stricter=stricter):
            return stricter
        case _:
            return False


def _is_free_form(shape: Schema) -> bool:
    """Whether any value fits a shape, or any object does."""
    match shape:
        case Object(fields=(), additional=None | Anything()):
            return not shape.incomplete_reason
        case _:
            return isinstance(shape, Anything)


def _have_same_kind(sent: Alternative, accepted: Alternative) -> bool:
    """Whether two shapes are of one JSON kind, so that it makes sense to look inside."""
    match sent.shape, accepted.shape:
        case (Scalar(), Scalar()) | (Array(), Array()) | (Object(), Object()):
            return True
        case _:
            return False


def _cover_together(results: Sequence[tuple[Alternative, PartialResult]]) -> None:
    """Take back that one shape lacks values which another has at the same field."""
    if len(results) < 2:
        return
    lacking = [_missing_values(result) for _, result in results]
    for _, result in results:
        result.differences = [
            difference
            for item in result.differences
            if (difference := _remaining_difference(item, results, lacking)) is not None
        ]


def _missing_values(result: PartialResult) -> dict[str, frozenset[str]]:
    """Path -> the values that are not held there."""
    items = (item for item in result.differences if isinstance(item, EnumDiffers))
    return {item.path: frozenset(item.lacking) for item in items}


def _remaining_difference(
    item: Difference,
    results: Sequence[tuple[Alternative, PartialResult]],
    lacking: Sequence[dict[str, frozenset[str]]],
) -> Difference | None:
    """What is left of a difference; None for nothing."""
    if not isinstance(item, EnumDiffers) or not item.lacking:
        return item
    holders = [
        known.get(item.path, frozenset())
        for (shape, _), known in zip(results, lacking, strict=True)
        if _has_field(shape, item.path)
    ]
    common = frozenset.intersection(*holders) if holders else frozenset()
    left = tuple(value for value in item.lacking if value in common)
    return replace(item, lacking=left) if left or item.values else None


def _has_field(option: Alternative, path: str) -> bool:
    outermost = path.removeprefix(".").partition(".")[0].partition("[")[0].partition("{")[0]
    shape = option.shape
    return isinstance(shape, Object) and any(field.name == outermost for field in shape.fields)


def _compare_arrays(sent: Array, accepted: Array, comparer: SchemaComparer) -> PartialResult:
    """Whether every list of one shape is acceptable as the other."""
    if accepted.prefix and not sent.prefix:
        return _any_position(sent, accepted, comparer)
    result = PartialResult()
    for index in range(max(len(sent.prefix), len(accepted.prefix))):
        item = sent.prefix[index] if index < len(sent.prefix) else sent.items
        slot = accepted.prefix[index] if index < len(accepted.prefix) else accepted.items
        if not isinstance(item, Nothing):
            result.take(comparer.schemas(item, slot), "[]")
    # A tuple's `items` speaks of what follows its prefix: nothing, where that is all.
    if not isinstance(sent.items, Nothing):
        result.take(comparer.schemas(sent.items, accepted.items), "[]")
    return result


def _any_position(sent: Array, accepted: Array, comparer: SchemaComparer) -> PartialResult:
    """A list where a tuple is accepted: its items must fit some position."""
    result = PartialResult()
    slots = Union(options=(*accepted.prefix, accepted.items), origin=accepted.origin)
    result.take(comparer.schemas(sent.items, slots), "[]")
    if not result.differences:
        places = comparer.sides.places(sent, accepted)
        reason = Reason("item-positions-undetermined")
        result.add(UndeterminedPart(path="[]", **places, reason=reason))
    return result


def _are_alike(
    one: Alternative, result: PartialResult, other: Alternative, other_result: PartialResult
) -> bool:
    """Whether two alternatives have the same members, and a shape differs from both alike."""
    places, other_places = (
        {(type(item), item.path) for item in each.differences} for each in (result, other_result)
    )
    return (
        bool(places)
        and places == other_places
        and field_names(one.shape) == field_names(other.shape)
    )


def _one_of_several_lists(
    sent: Alternative,
    options: Sequence[Alternative],
    results: Sequence[PartialResult],
    comparer: SchemaComparer,
) -> PartialResult | None:
    """A list where the contract takes one of several lists, none of which it fits: each item
    has to fit one of them. None where it is no such list."""
    shapes = [option.shape for option in options if isinstance(option.shape, Array)]
    if len(shapes) < 2 or not all(result.differences for result in results):
        return None
    if not isinstance(sent.shape, Array) or sent.shape.prefix:
        return None
    slots = tuple(slot for shape in shapes for slot in (*shape.prefix, shape.items))
    result = PartialResult()
    result.take(comparer.schemas(sent.shape.items, Union(options=slots)), "[]")
    if not result.differences:
        places = comparer.sides.places(sent.shape, shapes[0])
        reason = Reason("list-alternative-depends-on-items")
        result.add(UndeterminedPart(path="", **places, reason=reason))
    return result
