"""What a route's chains of express-validator let through: `body("email").isEmail()`,
`query("page").optional().isInt()`, alone, in lists, or given to a middleware of the project.

Chains name what they check and nothing else: a handler may read more of the body, so the shape
bears no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.typescript.web.requests import RequestReader

Part: TypeAlias = Literal["body", "query", "path"]

_LIBRARY = "express-validator."
_PARTS: dict[str, Part] = {"body": "body", "check": "body", "query": "query", "param": "path"}
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_MAX_CHAIN = 60
_MAX_NESTING = 8

_TEXT = Scalar(type="string")
_NUMBER = Scalar(type="numeric")
_FLAG = Scalar(type="boolean")
_AS_TEXT = (_TEXT, _NUMBER)
"""What is turned into text before it is checked may be a number, too."""
_TYPES: dict[str, tuple[Schema, ...]] = {
    "isString": (_TEXT,),
    **dict.fromkeys(("isInt", "isFloat", "isNumeric", "isDecimal"), (_NUMBER, _TEXT)),
    "isBoolean": (_FLAG, _TEXT, _NUMBER),
    "isArray": (Array(items=Anything()),),
    "isObject": (Object(additional=Anything()),),
    **dict.fromkeys(("isEmail", "isURL", "isUUID", "isMongoId", "isJWT", "isFQDN"), (_TEXT,)),
    **dict.fromkeys(("isISO8601", "isRFC3339", "isDate", "isStrongPassword"), (_TEXT,)),
    **dict.fromkeys(("isAlpha", "isMobilePhone", "isHexColor", "isTime"), _AS_TEXT),
    **dict.fromkeys(("isAlphanumeric", "isPostalCode", "isCreditCard"), _AS_TEXT),
}
_NEEDS = frozenset(
    {*_TYPES, "notEmpty", "exists", "isIn", "equals", "contains", "isAfter", "isBefore"}
)
"""Checks that a value fails which is not there."""
_OPEN = frozenset({"if", "custom", "customSanitizer"})
"""What makes it a matter of the request whether the value is needed, or what it must be."""


class ValidatedParts(Struct, frozen=True, eq=False):
    """What the chains of a route say of the parts of a request; None for a part they leave out."""

    body: Object | None
    query: Object | None
    path: Object | None


class _Chain(Struct, frozen=True, eq=False):
    part: Part
    names: tuple[str, ...]
    steps: dict[str, LibraryResult]
    origin: Origin
    anywhere: bool


def is_chain(name: str) -> bool:
    """Whether a qualified name is that of a chain, or of something it offers."""
    return name.startswith(_LIBRARY)


def note(
    program: Program, method: str, exprs: tuple[Expr, ...], scope: Scope, requests: RequestReader
) -> None:
    """Note what the middleware of a route checks."""
    found = checked_request(program, method, exprs, scope)
    if found is None:
        return
    if found.body is not None:
        requests.check_body(found.body, scope, exprs[0])
    if found.query is not None:
        requests.fields(found.query, "query")
    if found.path is not None:
        requests.fields(found.path, "path")


def checked_request(
    program: Program, method: str, exprs: tuple[Expr, ...], scope: Scope
) -> ValidatedParts | None:
    """The request that the middleware of a route accepts; None where no chain checks it, or
    nobody reads the result of the chains. `check` looks everywhere: in the body, where the
    method has one."""
    if not program.any_file_contains(b"express-validator") or not program.any_file_contains(
        b"validationResult"
    ):
        return None
    chains = [chain for expr in exprs for chain in _chains(program, expr, scope)]
    chains = [c for c in chains if not c.anywhere or method.upper() in _WITH_BODY]
    if not chains:
        return None
    parts = {part: [c for c in chains if c.part == part] for part in ("body", "query", "path")}
    shapes = {
        part: _shape(program, [(chain.names, chain) for chain in found], 0) if found else None
        for part, found in parts.items()
    }
    return ValidatedParts(shapes["body"], shapes["query"], shapes["path"])


def _chains(program: Program, expr: Expr, scope: Scope) -> Iterator[_Chain]:
    given = [program.evaluate(expr, scope)]
    if isinstance(expr, Call):
        given.extend(program.evaluate(argument.value, scope) for argument in expr.args)
    for value in given:
        for item in value.values if isinstance(value, Items) else (value,):
            if isinstance(item, LibraryResult):
                yield from _chain(program, item)


def _chain(program: Program, made: LibraryResult) -> Iterator[_Chain]:
    steps: dict[str, LibraryResult] = {}
    base = made
    while isinstance(base.receiver, LibraryResult) and len(steps) < _MAX_CHAIN:
        steps[base.name.rsplit(".", 1)[-1]] = base
        base = base.receiver
    part = _PARTS.get(base.name.removeprefix(_LIBRARY)) if is_chain(base.name) else None
    if part is None or not base.site.args:
        return
    origin = program.origin(base.site, base.scope)
    for text in program.texts(base.site.args[0].value, base.scope):
        if text:
            anywhere = base.name == f"{_LIBRARY}check"
            # Dots lead into a body; query strings and paths have no nesting by dots.
            names = tuple(text.split(".")) if part == "body" else (text,)
            yield _Chain(part, names, steps, origin, anywhere)


def _shape(program: Program, chains: list[tuple[tuple[str, ...], _Chain]], depth: int) -> Object:
    """The fields that chains name, those of `address.city` inside `address`."""
    groups: dict[str, list[tuple[tuple[str, ...], _Chain]]] = {}
    for names, chain in chains:
        groups.setdefault(names[0], []).append((names[1:], chain))
    fields = []
    for name, found in groups.items():
        own = [chain for left, chain in found if not left]
        inner = [(left, chain) for left, chain in found if left]
        schema, required = _field_schema(program, own)
        if inner and depth < _MAX_NESTING:
            schema = _nested_schema(program, inner, depth)
            required = required if own else _is_required(schema)
        place = found[0][1].origin
        fields.append(Field(name=name, schema=schema, required=required, origin=place))
    return Object(fields=tuple(fields), origin=chains[0][1].origin)


def _is_required(schema: Schema) -> bool | None:
    """Whether an object is required whose fields alone are checked: a check of `address.city`
    fails where there is no address."""
    fields = schema.fields if isinstance(schema, Object) else ()
    return True if any(field.required for field in fields) else None


def _nested_schema(
    program: Program, inner: list[tuple[tuple[str, ...], _Chain]], depth: int
) -> Schema:
    below = [(names[1:], chain) for names, chain in inner if names[0] == "*"]
    if not below:
        return _shape(program, inner, depth + 1)
    if any(not names for names, _ in below):
        return Array(
            items=_field_schema(program, [chain for names, chain in below if not names])[0]
        )
    return Array(items=_shape(program, below, depth + 1))


def _field_schema(program: Program, chains: list[_Chain]) -> tuple[Schema, bool | None]:
    """The schema that the chains of one field accept, and whether the field is required."""
    steps = {name: step for chain in chains for name, step in chain.steps.items()}
    if not chains:
        return Anything(), None
    schema = _let_through(program, steps)
    schema = replace(schema, origin=chains[0].origin)
    optional = steps.get("optional")
    if optional is not None:
        return with_nullable(schema, _takes_null(program, optional)), False
    if steps.keys() & _OPEN:
        return with_nullable(schema, None), None
    needs = bool(steps.keys() & _NEEDS)
    return with_nullable(schema, False if needs else None), True if needs else None


def _let_through(program: Program, steps: dict[str, LibraryResult]) -> Schema:
    if steps.keys() & {"if", "not"}:
        return Anything()
    listed = steps.get("isIn")
    if listed is not None and listed.site.args:
        values = program.evaluate(listed.site.args[0].value, listed.scope)
        texts = _texts(values)
        if texts is not None:
            return Scalar(type="string", values=texts)
    found = [_TYPES[name] for name in steps if name in _TYPES]
    if not found:
        return Anything()
    narrowest = min(found, key=len)
    return narrowest[0] if len(narrowest) == 1 else Union(options=narrowest)


def _texts(values: Value) -> tuple[str, ...] | None:
    if not isinstance(values, Items) or values.repeated or not values.values:
        return None
    texts = [item.value for item in values.values if isinstance(item, Constant)]
    known = tuple(text for text in texts if isinstance(text, str))
    return known if len(known) == len(values.values) else None


def _takes_null(program: Program, optional: LibraryResult) -> bool | None:
    """`optional({ nullable: true })`, `optional({ values: "null" })`."""
    args = optional.site.args
    options = program.evaluate(args[0].value, optional.scope) if args else None
    if options is None:
        return None
    if not isinstance(options, Record):
        return None
    said = {entry.name: entry.value for entry in options.entries}
    return True if said.keys() & {"nullable", "values", "checkFalsy"} else None
