"""What is known of a request: the body that is read, the query parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED, ENFORCED, Evidence
from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.schemas import describe, with_peers
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import never_both
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Entry,
    Expr,
    ObjectLiteral,
    TypeExpr,
)
from contract_scan.parsers.source.typescript.serialization.class_transformer import UNCHECKED_INPUT
from contract_scan.parsers.source.typescript.serialization.utility_types import lenient
from contract_scan.parsers.source.typescript.serialization.zod import valibot
from contract_scan.parsers.source.typescript.web.response_heads import JSON

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import Scope
    from contract_scan.parsers.source.typescript.web.body_uses import BodyUses

UNDECLARED = Reason("request-body-untyped")
_OF_EVERY_OBJECT = frozenset({"constructor", "hasOwnProperty", "toString", "valueOf", "__proto__"})
"""What every object of JavaScript has beside its keys."""
PARSES = frozenset(
    {"parse", "safeParse", "parseAsync", "safeParseAsync", "validate", "validateAsync"}
    | {"validateSync"}
)
"""Methods of schemas that check what they are given."""


_Check: TypeAlias = "tuple[Schema, Scope, Expr]"
"""A schema that the body is parsed by, and where."""


def _never_both(one: _Check, other: _Check) -> bool:
    """Whether no request is checked by both of two schemas."""
    (_, scope, place), (_, other_scope, other_place) = one, other
    while scope.statements is None and scope.parent is not None:
        scope = scope.parent
    if scope.file.path != other_scope.file.path:
        return False
    return never_both(scope.statements or (), place.span, other_place.span)


def validated_argument(program: Program, call: Call, scope: Scope) -> tuple[Expr, Expr] | None:
    """The schema and the value of `schema.parse(value)`, and of valibot's
    `parse(schema, value)`."""
    callee, args = call.callee, [a.value for a in call.args if not a.spread]
    name = callee.name if isinstance(callee, Attribute) else getattr(callee, "id", "")
    asked = len(args) > 1 and name in valibot.PARSES
    if asked and program.qualified_name(callee, scope).startswith(f"{valibot.MODULE}."):
        return args[0], args[1]
    if isinstance(callee, Attribute) and name in PARSES and args:
        return callee.value, args[0]
    return None


class SpreadBody(Struct, frozen=True):
    """The body, spread into an object that sets other keys besides: `{ ...body, owner: id }`."""

    value: Expr
    """What is spread."""
    keys: frozenset[str]
    """The keys that the object sets: of the body's own under these nothing is known."""


def spread_body(expr: Expr) -> SpreadBody | None:
    """The one thing that is spread into an object literal; None for any other expression."""
    expr = without_casts(expr)
    entries = expr.entries if isinstance(expr, ObjectLiteral) else ()
    spread = [entry.value for entry in entries if entry.spread]
    keys = [entry.key for entry in entries if not entry.spread]
    if len(spread) != 1 or None in keys:
        return None
    return SpreadBody(spread[0], frozenset(key for key in keys if key is not None))


def path_text(name: str, origin: Origin) -> Parameter:
    """A parameter of the path, which is the text that stands there where the code declares and
    converts nothing."""
    return Parameter(
        name=name,
        location="path",
        schema=Scalar(type="string"),
        required=True,
        evidence=DECLARED,
        origin=origin,
    )


def needs_field_of_body(program: Program, schema: Schema) -> bool:
    """Whether an empty object does not pass as a body: what parses bodies in Express 4 gives one
    where there is no body at all (https://github.com/expressjs/body-parser)."""
    flat = program.types.flat(schema)
    if isinstance(flat, Union):
        return all(needs_field_of_body(program, option) for option in flat.options)
    return not isinstance(flat, Object) or any(
        field.required and not field.has_default for field in flat.fields
    )


class RequestReads:
    """Collects what one route's functions read."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._body: Schema | None = None
        self._checked = False
        self._checked_unseen = False
        """Whether something that is not read checks the body, and may refuse what no type does."""
        self._body_checks: list[_Check] = []
        self._body_origin = Origin("")
        self._reads_body = False
        self._content_type = JSON
        self._parameters: dict[tuple[str, str], Parameter] = {}
        self._open: set[tuple[str, object]] = set()

    @property
    def is_checked(self) -> bool:
        """Whether a schema checks the body, which determines more than any type that it is
        declared as."""
        return self._checked

    def bodies(self) -> tuple[Body, ...]:
        """The request body, where the functions read one."""
        if self._body is not None:
            needs_field = self._checked and needs_field_of_body(self._program, self._body)
            required = True if needs_field else None
            is_open = self._checked_unseen and not self._checked
            return (
                Body(
                    schema=_with_need_open(self._program, self._body) if is_open else self._body,
                    content_type=self._content_type,
                    required=required,
                    evidence=ENFORCED if self._checked else DECLARED,
                    origin=self._body_origin,
                ),
            )
        if self._reads_body:
            reason = Unknown(reason=UNDECLARED, origin=self._body_origin)
            return (Body(schema=reason, content_type=self._content_type, origin=self._body_origin),)
        return ()

    def note_unseen_check(self) -> None:
        """Note that something that is not read is given the body to check."""
        self._checked_unseen = True

    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters that are seen to be read."""
        return tuple(self._parameters.values())

    def envelope(self, schema: Schema, scope: Scope, place: Expr) -> None:
        """A schema of `{ body, query, params }`."""
        flat = self._program.types.flat(schema)
        for field in flat.fields if isinstance(flat, Object) else ():
            if field.name == "body":
                self.check_body(field.schema, scope, place)
            elif field.name == "query":
                self.query_fields(field.schema)

    def declare_body(self, declared: TypeExpr, scope: Scope) -> None:
        """Note the type that the code takes the body for; one that says nothing is passed over."""
        schema = lenient(self._program.schema(declared, scope, UNCHECKED_INPUT))
        if not self._program.types.is_unknown(schema):
            self.set_body(schema, scope, declared)

    def check_body(
        self, schema: Schema, scope: Scope, place: Expr, besides: frozenset[str] = frozenset()
    ) -> None:
        """A schema that the body is parsed by says more than any type. Of several schemas, each on
        a path of its own, the request chooses one. `besides`: the keys that the code sets in the
        object that is parsed, into which it spreads the body."""
        schema = _with_fields_open(self._program, schema, besides)
        origin = Origin(scope.file.path, place.span)
        if not self._checked:
            self._body, self._body_origin = schema, origin
        elif self._body is not None and all(
            describe(known) != describe(schema) for known, _, _ in self._body_checks
        ):
            if all(_never_both(check, (schema, scope, place)) for check in self._body_checks):
                options = (*(known for known, _, _ in self._body_checks), schema)
                self._body = Union(options=options, origin=origin)
            else:
                reason = Reason("body-schema-chosen-by-request")
                self._body = Unknown(reason=reason, origin=origin)
        self._checked = True
        self._body_checks.append((schema, scope, place))

    def set_body(self, schema: Schema, scope: Scope, place: Expr | TypeExpr) -> None:
        """Note the body's shape, unless one is known already."""
        if self._body is None:
            self._body = schema
            self._body_origin = Origin(scope.file.path, place.span)

    def mention(self, scope: Scope, place: Expr | Entry, content_type: str = JSON) -> None:
        """Note that the body is read, as what it may be."""
        if not self._reads_body and content_type != JSON:
            self._content_type = content_type
        elif self._reads_body and content_type != self._content_type:
            self._content_type = "*/*"
        if not self._reads_body and self._body is None:
            self._body_origin = Origin(scope.file.path, place.span)
        self._reads_body = True

    def declare_query(self, declared: TypeExpr, scope: Scope) -> None:
        """Note the type that the code takes the query for."""
        schema = lenient(self._program.schema(declared, scope, UNCHECKED_INPUT))
        self.fields(schema, "query", DECLARED)

    def query_fields(self, schema: Schema) -> None:
        """Note one query parameter for each field of a schema that checks them."""
        self.fields(schema, "query")

    def fields(self, schema: Schema, location: Location, evidence: Evidence = ENFORCED) -> None:
        """Note one parameter for each field. Names of headers are written as they are declared."""
        flat = self._program.types.flat(schema)
        for field in flat.fields if isinstance(flat, Object) else ():
            self._parameters[location, field.name] = Parameter(
                name=field.name,
                location=location,
                schema=field.schema,
                required=_is_required(field, location),
                has_default=field.has_default,
                evidence=evidence,
                origin=field.origin,
            )

    def query_names(self, pattern: ObjectLiteral, scope: Scope) -> None:
        """Note the query parameters that a pattern takes apart."""
        for entry in pattern.entries:
            if entry.key is not None and not entry.spread:
                self.add_query(entry.key, scope, entry)

    def add_query(
        self, name: str, scope: Scope, place: Expr | Entry, *, anywhere: bool = False
    ) -> None:
        """Note that a query parameter is read, or a part of the request of that name `anywhere`,
        which must be there."""
        if name in _OF_EVERY_OBJECT:
            return
        origin = Origin(scope.file.path, place.span)
        why = Reason("query-parameter-untyped")
        reason = Unknown(reason=why, is_text=True, origin=origin)
        self._parameters.setdefault(
            ("query", name),
            Parameter(
                name=name,
                location="query",
                schema=reason,
                required=None if anywhere else False,
                of_other_path=anywhere,
                origin=origin,
            ),
        )


def _with_fields_open(program: Program, schema: Schema, names: frozenset[str]) -> Schema:
    """A body of which nothing is known under some keys."""
    flat = program.types.flat(schema) if names else schema
    if not isinstance(flat, Object) or not names.intersection(f.name for f in flat.fields):
        return schema
    open_value = Unknown(reason=Reason("set-beside-spread-body"), accepts_any=True)
    fields = tuple(
        replace(field, schema=open_value, required=False) if field.name in names else field
        for field in flat.fields
    )
    return replace(flat, fields=fields)


def _with_need_open(program: Program, schema: Schema) -> Schema:
    """A body of a declared type that something not read checks: which fields it needs is open."""
    flat = program.types.flat(schema)
    if not isinstance(flat, Object):
        return schema
    loose = tuple(replace(field, required=False, has_default=False) for field in flat.fields)
    return with_peers(replace(flat, fields=loose), None)


def is_only_declared(bodies: tuple[Body, ...]) -> bool:
    """Whether nothing but a type that no run time checks says what a body is."""
    return any(body.evidence == DECLARED for body in bodies)


def has_undeclared_body(bodies: tuple[Body, ...]) -> bool:
    """Whether the handler reads a body without a declared type."""
    return any(isinstance(b.schema, Unknown) and b.schema.reason == UNDECLARED for b in bodies)


def as_used(bodies: tuple[Body, ...], uses: BodyUses) -> tuple[Body, ...]:
    """The bodies, with what the code is seen to read in the place of a type that none declares, and
    beside a type that nothing checks."""
    if is_only_declared(bodies):
        proved = uses.proven_schema()
        return tuple(
            replace(body, uses=proved) if body.evidence == DECLARED else body for body in bodies
        )
    seen = uses.shape() if has_undeclared_body(bodies) else None
    if seen is None:
        return bodies
    return tuple(replace(body, schema=seen, evidence=ENFORCED) for body in bodies)


def _is_required(field: Field, location: Location) -> bool | None:
    if location == "path":
        return True
    return False if field.has_default else field.required
