"""Comparing the parameters of a contracted operation with those its route reads.

Values of parameters travel as text, so a route that takes text takes every scalar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.evidence import Grade, at_least
from contract_scan.ir.operation import Operation, Parameter
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.ir.violation import Severity
from contract_scan.scanners.differences.describe import describe, phrase, value_text, values_text
from contract_scan.scanners.differences.names import same_words
from contract_scan.scanners.differences.scalars import type_fits
from contract_scan.scanners.differences.union_members import alternatives
from contract_scan.scanners.form_bodies import is_form
from contract_scan.scanners.framework_injected import is_filled_in
from contract_scan.scanners.path_values import is_object, takes_none

_NAME = re.compile(r"\{([^{}*]+)\*?\}")


class ParameterDrift(Struct, frozen=True, kw_only=True):
    """One parameter on which contract and route disagree."""

    name: str
    says: str
    """The rest of a sentence that begins with the operation."""
    severity: Severity
    expected: str = ""
    found: str = ""
    evidence: Grade = "enforced"
    contract: Origin = NOWHERE
    code: Origin = NOWHERE
    help: str = ""


class UndeterminedParameter(Struct, frozen=True, kw_only=True):
    """A parameter that could not be compared."""

    name: str
    reason: Reason
    code: Origin = NOWHERE


def compare_parameters(
    contract: Operation, route: Operation, document: Resolver, code: Resolver
) -> Iterator[ParameterDrift | UndeterminedParameter]:
    """Everything on which the parameters differ. Of a header or cookie that the contract alone
    mentions nothing is said: security schemes and middleware read them."""
    typed = _AcceptedValues(document, code, route)
    for ours, theirs in _path_pairs(contract, route):
        if takes_none(ours, theirs, route, document):
            yield typed.refuses_all(ours, theirs)
        else:
            yield from typed.compare(ours, theirs)
    unread: list[Parameter] = []
    uncontracted: list[Parameter] = []
    for location in ("query", "header", "cookie"):
        folds = location == "header" or (
            location == "query" and route.traits.names_case_insensitive
        )
        end = "[]" if location == "query" and route.traits.query_brackets else ""
        our = {
            _key(p, folds).removesuffix(end): p
            for p in contract.parameters
            if p.location == location
        }
        their = {
            _key(p, folds).removesuffix(end): p for p in route.parameters if p.location == location
        }
        for key in sorted(our.keys() & their.keys()):
            yield from _presence_drift(our[key], their[key])
            yield from _default(our[key], their[key])
            yield from typed.compare(our[key], their[key])
        left, right = our.keys() - their.keys(), their.keys() - our.keys()
        cased = same_words(sorted(left), sorted(right))
        for one, other in cased.items():
            yield _case(our[one], their[other])
        unread.extend(our[key] for key in sorted(left - cased.keys()))
        uncontracted.extend(their[key] for key in sorted(right - set(cased.values())))
    for ours, fields in _taken_apart(unread, uncontracted, document):
        unread.remove(ours)
        for part, theirs in fields:
            uncontracted.remove(theirs)
            yield from _presence_drift(part, theirs)
            yield from typed.compare(part, theirs)
    for ours, theirs in _relocated_parameters(unread, uncontracted, route):
        yield _location_drift(ours, theirs)
        unread.remove(ours)
        uncontracted.remove(theirs)
    for parameter in unread:
        if parameter.location == "query":
            yield from _not_read(parameter, route, uncontracted)
    yield from _not_contracted(uncontracted, contract, route, document)


def with_alternatives(route: Operation, routes: Sequence[Operation]) -> Operation:
    """A route whose path parameters take what those of the other routes of its handler take: a
    view may have a path for each kind of value (`/users/<int:id>`, `/users/<uuid:id>`). Routes of
    several handlers that state different forms take them in turn."""
    if len({each.path_expressions for each in routes}) > 1:
        route = replace(route, path_expressions=())
    same = [
        other
        for other in routes
        if other.handler
        and (other.handler, other.origin.path) == (route.handler, route.origin.path)
        and len(_path_parameters(other)) == len(_path_parameters(route))
    ]
    if len(same) < 2:
        return route
    alternatives_of: dict[str, Schema] = {}
    for theirs, *others in zip(_path_parameters(route), *map(_path_parameters, same), strict=True):
        shapes = [each.schema for each in others if each is not None]
        if theirs is not None and len(shapes) == len(others):
            alternatives_of[theirs.name] = Union(options=tuple(shapes))
    parameters = tuple(
        replace(each, schema=alternatives_of[each.name])
        if each.location == "path" and each.name in alternatives_of
        else each
        for each in route.parameters
    )
    return replace(route, parameters=parameters)


def _taken_apart(
    unread: Sequence[Parameter], uncontracted: Sequence[Parameter], document: Resolver
) -> list[tuple[Parameter, list[tuple[Parameter, Parameter]]]]:
    """Query parameters that are objects: clients send each property as a parameter of its own
    (`style: form`, `explode: true`, which is the default), and the code reads some of them."""
    theirs = {p.name: p for p in uncontracted if p.location == "query"}
    found: list[tuple[Parameter, list[tuple[Parameter, Parameter]]]] = []
    for ours in unread:
        options = alternatives(ours.schema, document).options if ours.location == "query" else ()
        pairs = [
            (_property(ours, field), theirs.pop(field.name))
            for option in options
            if isinstance(option.shape, Object)
            for field in option.shape.fields
            if field.name in theirs
        ]
        if pairs:
            found.append((ours, pairs))
    return found


def _property(ours: Parameter, field: Field) -> Parameter:
    return Parameter(
        name=field.name,
        location="query",
        schema=field.schema,
        required=bool(ours.required and field.required),
        origin=field.origin if field.origin.path else ours.origin,
    )


def _relocated_parameters(
    unread: Sequence[Parameter], uncontracted: Sequence[Parameter], route: Operation
) -> list[tuple[Parameter, Parameter]]:
    """Parameters that the code reads from another location than the contract says."""
    by_name = {parameter.name.casefold(): parameter for parameter in unread}
    pairs: dict[str, tuple[Parameter, Parameter]] = {}
    for other in uncontracted:
        key = other.name.casefold()
        # Where handlers may read more than is seen, they may look in the right place as well.
        if key in by_name and (route.parameters_complete or _needs(other)):
            pairs.setdefault(key, (by_name[key], other))
    return list(pairs.values())


def _location_drift(ours: Parameter, theirs: Parameter) -> ParameterDrift:
    return ParameterDrift(
        name=ours.name,
        says=f"reads `{theirs.name}` as a {theirs.location} parameter; "
        f"the contract defines a {ours.location} parameter",
        severity="error" if ours.required or _needs(theirs) else "warning",
        expected=ours.location,
        found=theirs.location,
        contract=ours.origin,
        code=theirs.origin,
        help="read the parameter where the contract puts it",
    )


def _needs(theirs: Parameter) -> bool:
    return theirs.required is True and not theirs.has_default


def _key(parameter: Parameter, folds: bool) -> str:
    return parameter.name.casefold() if folds else parameter.name


def _path_pairs(contract: Operation, route: Operation) -> Iterator[tuple[Parameter, Parameter]]:
    """Path parameters by position, counted from the end: a mount may have added some in front."""
    ours, theirs = _path_parameters(contract), _path_parameters(route)
    for one, other in zip(reversed(ours), reversed(theirs), strict=False):
        if one is not None and other is not None:
            yield one, other


def _path_parameters(operation: Operation) -> list[Parameter | None]:
    by_name = {p.name: p for p in operation.parameters if p.location == "path"}
    return [by_name.get(name) for name in _NAME.findall(operation.path)]


def _presence_drift(
    ours: Parameter, theirs: Parameter
) -> Iterator[ParameterDrift | UndeterminedParameter]:
    if ours.required or theirs.has_default or theirs.required is False:
        return
    if theirs.required is None:
        yield UndeterminedParameter(
            name=ours.name,
            reason=Reason("parameter-need-undetermined"),
            code=theirs.origin,
        )
        return
    yield ParameterDrift(
        name=ours.name,
        says=f"requires {_label_of(ours)}, which the contract makes optional",
        severity="error",
        expected="optional",
        found="required",
        contract=ours.origin,
        code=theirs.origin,
        help="give the parameter a default, or require it in the contract",
    )


def _default(ours: Parameter, theirs: Parameter) -> Iterator[ParameterDrift]:
    """What counts where the parameter is left out, where both sides say it."""
    if ours.default is None or ours.required:
        return
    if theirs.null_default:
        yield _no_default(ours, theirs)
        return
    if theirs.default is None:
        return
    expected, found = _text(ours.default), _text(theirs.default)
    one, other = _number(expected), _number(found)
    if expected.casefold() == found.casefold() or (one is not None and one == other):
        return
    if (one is None) != (other is None):
        return  # a number may stand for the member of an enum
    yield ParameterDrift(
        name=ours.name,
        says=f"defaults {_label_of(ours)} to {found}; the contract defines {expected}",
        severity="warning",
        expected=expected,
        found=found,
        contract=ours.origin,
        code=theirs.origin,
        help="make the two defaults the same",
    )


def _no_default(ours: Parameter, theirs: Parameter) -> ParameterDrift:
    expected = _text(ours.default)
    return ParameterDrift(
        name=ours.name,
        says=f"defaults {_label_of(ours)} to null; the contract defines {expected}",
        severity="warning",
        expected=expected,
        found="null",
        contract=ours.origin,
        code=theirs.origin,
        help="make the two defaults the same",
    )


def _text(value: LiteralValue) -> str:
    return value if isinstance(value, str) else value_text(value)


def _cased_text(value: LiteralValue, folds: bool) -> str:
    text = _text(value)
    return text.casefold() if folds else text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _case(ours: Parameter, theirs: Parameter) -> ParameterDrift:
    return ParameterDrift(
        name=ours.name,
        says=f"reads {_label_of(theirs)} instead of `{ours.name}`",
        severity="error",
        expected=ours.name,
        found=theirs.name,
        contract=ours.origin,
        code=theirs.origin,
        help="read the parameter under the contract's name",
    )


def _not_read(
    ours: Parameter, route: Operation, uncontracted: Sequence[Parameter]
) -> Iterator[ParameterDrift | UndeterminedParameter]:
    if is_filled_in(ours, route):
        return
    whole, bracket, _ = ours.name.partition("[")
    is_open = not route.parameters_complete or bool(route.unresolved)
    if (is_open or bracket) and any(other.name == whole for other in uncontracted):
        return  # `req.query.filter` of `filter[name]`
    if is_open:
        yield UndeterminedParameter(
            name=ours.name, reason=Reason("parameter-read-undetermined"), code=route.origin
        )
        return
    if not ours.required and _is_read_in_parts(ours, uncontracted):
        return
    need = "which the contract requires" if ours.required else "which the contract defines"
    yield ParameterDrift(
        name=ours.name,
        says=f"does not read the query parameter `{ours.name}`, {need}",
        severity="warning",
        expected="required" if ours.required else "optional",
        contract=ours.origin,
        code=route.origin,
        help="read the parameter, or remove it from the contract",
    )


def _is_read_in_parts(ours: Parameter, uncontracted: Sequence[Parameter]) -> bool:
    """Whether the code reads members of a parameter under names of their own: `filter[name]`,
    `filter.name`."""
    beginnings = (f"{ours.name}[", f"{ours.name}.")
    return any(theirs.name.startswith(beginnings) for theirs in uncontracted)


def _not_contracted(
    uncontracted: Iterable[Parameter], contract: Operation, route: Operation, document: Resolver
) -> Iterator[ParameterDrift | UndeterminedParameter]:
    """What the code needs and no client of the contract sends, and what it offers to those that
    know it."""
    keys = {(location, name.casefold()) for location, name in contract.keys}
    offered = {p.name for p in contract.parameters if p.location == "query"}
    elsewhere = {p.name.casefold() for p in contract.parameters if p.location != "query"}
    elsewhere |= _body_fields(contract, document)
    for theirs in uncontracted:
        name = theirs.name.casefold()
        if (theirs.location, name) in keys:
            continue
        if theirs.location == "header" and _is_standard(name):
            continue
        as_form = route.traits.form_fields_as_query and is_form(contract)
        if theirs.location == "query" and as_form:
            continue
        if _needs(theirs):
            yield ParameterDrift(
                name=theirs.name,
                says=f"requires {_label_of(theirs)}, which the contract does not define",
                # What stands between clients and code may add headers and cookies.
                severity="error" if theirs.location == "query" else "warning",
                found="required",
                code=theirs.origin,
                help="add the parameter to the contract, or give it a default",
            )
        elif theirs.location == "header" and theirs.required is None:
            reason = Reason("parameter-need-undetermined")
            yield UndeterminedParameter(name=theirs.name, reason=reason, code=theirs.origin)
        elif (
            theirs.location == "query"
            and not theirs.of_other_path
            and name not in elsewhere
            and not _is_part(theirs, offered)
        ):
            yield ParameterDrift(
                name=theirs.name,
                says=f"reads {_label_of(theirs)}, which the contract does not define",
                severity="warning",
                found="optional",
                code=theirs.origin,
                help="add the parameter to the contract",
            )


def _body_fields(contract: Operation, document: Resolver) -> set[str]:
    """The names of the fields of the request body: a handler may look for them in both places."""
    return {
        field.name.casefold()
        for body in contract.request
        for option in alternatives(body.schema, document).options
        if isinstance(option.shape, Object)
        for field in option.shape.fields
    }


def _is_part(theirs: Parameter, offered: Iterable[str]) -> bool:
    """Whether the code reads a member of a contracted parameter under a name of its own, or the
    whole whose members the contract names (`tag[x]`): parsers of queries make one of them."""
    return any(
        theirs.name.startswith((f"{name}[", f"{name}.")) or name.startswith(f"{theirs.name}[")
        for name in offered
    )


_STANDARD = frozenset(
    {
        *("authorization", "cookie", "date", "expect", "forwarded", "from", "host", "origin"),
        *("max-forwards", "pragma", "range", "referer", "te", "upgrade", "user-agent", "via"),
        *("cache-control", "connection", "transfer-encoding", "traceparent", "tracestate"),
    }
)
"""Headers that clients send (or proxies add) without being told to by a contract."""
_STANDARD_BEGINNINGS = ("accept", "content-", "if-", "proxy-", "sec-", "x-forwarded-")


def _is_standard(name: str) -> bool:
    return name in _STANDARD or name.startswith(_STANDARD_BEGINNINGS)


class _AcceptedValues:
    """Whether the code takes every value that the contract allows."""

    def __init__(self, document: Resolver, code: Resolver, route: Operation) -> None:
        self._document, self._code = document, code
        self._folds = route.traits.enum_values_case_insensitive

    def compare(
        self, ours: Parameter, theirs: Parameter
    ) -> Iterator[ParameterDrift | UndeterminedParameter]:
        scalar = _only_scalar(ours.schema, self._document)
        reason = self._unknown_reason(theirs.schema, scalar)
        if reason:
            yield UndeterminedParameter(name=ours.name, reason=reason, code=theirs.origin)
            return
        if self._is_list(ours.schema, self._document) and self._is_one_value(theirs.schema):
            says = f"accepts one value for {_label_of(ours)}"
            yield self._differs(ours, theirs, says, severity="error")
            return
        accepted = _only_scalar(theirs.schema, self._code)
        if (
            accepted is not None
            and not _is_open_text(accepted)
            and is_object(ours.schema, self._document)
        ):
            yield self._differs(ours, theirs, "", severity="error")
        if scalar is not None and accepted is None and not self._any_fits(scalar, theirs.schema):
            yield self._differs(ours, theirs, "", severity="error")
        if scalar is None or accepted is None or self._takes_names(accepted):
            return
        refused = self._refused_values(scalar, accepted)
        if refused:
            says = f"rejects {values_text(refused)} for {_label_of(ours)}"
            yield self._differs(ours, theirs, says, severity="error")
        elif not _text_fits(scalar, accepted):
            yield self._differs(ours, theirs, "", severity="error")
        elif _is_open_text(scalar) and accepted.values is not None and len(accepted.values) > 1:
            listed = values_text(tuple(map(value_text, accepted.values)))
            says = f"accepts only {listed} for {_label_of(ours)}"
            yield self._differs(ours, theirs, says, severity="warning")

    def refuses_all(self, ours: Parameter, theirs: Parameter) -> ParameterDrift:
        """No value of the contract matches what the route states for the parameter."""
        says = f"takes no value of {_label_of(ours)}: its route states another form"
        return self._differs(ours, theirs, says, severity="error")

    def _unknown_reason(self, schema: Schema, contracted: Scalar | None) -> Reason:
        """Why it is not known which values the code takes; empty where it is known, as of what it
        reads as any value, or as text where the contract says no more than that."""
        is_open = contracted is not None and _is_open_text(contracted)
        options = [option.shape for option in alternatives(schema, self._code).options]
        options += [
            option.shape
            for shape in options
            if isinstance(shape, Array)
            for option in alternatives(shape.items, self._code).options
        ]
        reasons = (
            shape.reason
            for shape in options
            if isinstance(shape, Unknown) and not (shape.accepts_any or (shape.is_text and is_open))
        )
        return next(reasons, NO_REASON)

    def _differs(
        self, ours: Parameter, theirs: Parameter, says: str, severity: Severity
    ) -> ParameterDrift:
        expected = describe(ours.schema, self._document)
        found = describe(theirs.schema, self._code)
        grade = theirs.evidence.type or "enforced"
        if severity == "error" and not at_least(grade, "checked"):
            severity = "warning"  # nothing refuses a value that only a type does not have
        says = says or f"reads {_label_of(ours)} as {phrase(theirs.schema, self._code)}"
        return ParameterDrift(
            name=ours.name,
            says=f"{says}; the contract defines {phrase(ours.schema, self._document)}",
            severity=severity,
            expected=expected,
            found=found,
            evidence=grade,
            contract=ours.origin,
            code=theirs.origin,
            help="make the two types the same",
        )

    def _refused_values(self, scalar: Scalar, accepted: Scalar) -> tuple[str, ...]:
        if scalar.values is None or accepted.values is None:
            return ()
        folds = self._folds or accepted.ignores_case
        texts = {_cased_text(value, folds) for value in accepted.values}
        refused = (value for value in scalar.values if _cased_text(value, folds) not in texts)
        return tuple(map(value_text, refused))

    def _any_fits(self, scalar: Scalar, accepted: Schema) -> bool:
        """Whether one of several scalars takes the text of a value, or nothing says that none
        does."""
        shapes = [option.shape for option in alternatives(accepted, self._code).options]
        return len(shapes) < 2 or any(
            not isinstance(shape, Scalar) or self._takes_names(shape) or _text_fits(scalar, shape)
            for shape in shapes
        )

    def _takes_names(self, accepted: Scalar) -> bool:
        """Whether an enum that JSON writes as numbers is read by its names here, which its shape
        does not tell."""
        return self._folds and accepted.values is not None and accepted.type != "string"

    @staticmethod
    def _is_list(schema: Schema, resolver: Resolver) -> bool:
        options = alternatives(schema, resolver).options
        return len(options) == 1 and isinstance(options[0].shape, Array)

    def _is_one_value(self, schema: Schema) -> bool:
        """Whether code takes one number or boolean; text may hold a list that it takes apart."""
        options = alternatives(schema, self._code).options
        shape = options[0].shape if len(options) == 1 else None
        return isinstance(shape, Scalar) and shape.type != "string"


def _label_of(parameter: Parameter) -> str:
    return f"the {parameter.location} parameter `{parameter.name}`"


def _is_open_text(scalar: Scalar) -> bool:
    return scalar.type == "string" and scalar.values is None and not scalar.format


def _only_scalar(schema: Schema, resolver: Resolver) -> Scalar | None:
    """The one scalar a parameter is made of, also where it may be repeated."""
    options = alternatives(schema, resolver).options
    if len(options) == 1 and isinstance(options[0].shape, Array):
        options = alternatives(options[0].shape.items, resolver).options
    if len(options) == 1 and isinstance(options[0].shape, Scalar):
        return options[0].shape
    return None


def _text_fits(scalar: Scalar, accepted: Scalar) -> bool:
    if type_fits(scalar, accepted):
        return True
    if accepted.type == "string":
        is_number = scalar.type in ("integer", "number", "numeric")
        takes = not accepted.format or (is_number and "number" in accepted.also_takes)
        return scalar.type != "string" and takes
    # Text that is limited to values of the other type is as good as that type.
    return scalar.values is not None and scalar.type == "string"
