"""What class-transformer's decorators do to a class when it is written or read through it.

They count only where something runs class-transformer: Nest's `ClassSerializerInterceptor` and
`ValidationPipe({ transform: true })`, or the project's own `instanceToPlain`. Who asks for a shape
says so by its variant.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import (
    FROM_OTHER_SCALARS,
    converted_from,
)
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayType,
    ClassDecl,
    Expr,
    Function,
    LiteralExpr,
    Member,
    NamedType,
    ObjectLiteral,
)

OUTPUT = "class-transformer"
"""Variant: instances are written by class-transformer."""
OUTPUT_EXPOSED = "class-transformer exposed"
"""Variant: so they are, and only what is exposed is written (`excludeAll`)."""
INPUT = "class-transformer input"
"""Variant: input is read into instances by class-transformer."""
CONVERTED_INPUT = "class-transformer converted input"
"""Variant: so it is, and values become what fields are declared as (`enableImplicitConversion`)."""
UNCHECKED_INPUT = "input"
"""Variant: input that nothing reads into instances."""
_UNGROUPED = ", no groups"
_VALIDATED = ", validated"
_REFUSES_UNLISTED = ", no others"
INPUTS = frozenset(
    variant + suffix
    for variant in (INPUT, CONVERTED_INPUT, UNCHECKED_INPUT)
    for suffix in ("", _VALIDATED, _VALIDATED + _REFUSES_UNLISTED)
)

_CONVERTED = frozenset({"String", "Number", "Boolean", "Date"})
_MODULE = "class-transformer"


class Treatment(Struct, frozen=True):
    """What is done to one member."""

    name: str
    """Its name on the wire."""
    dropped: bool = False
    uncertain: str = ""
    """Why it may be missing (groups, versions)."""
    transforms: tuple[Expr | None, ...] = ()
    """The functions that make its value, in order."""
    exposed: bool = False


def active(variant: str) -> bool:
    """Whether the decorators count."""
    kind = without_validation(variant).removesuffix(_UNGROUPED)
    return kind in (OUTPUT, OUTPUT_EXPOSED, INPUT, CONVERTED_INPUT)


def without_groups(variant: str) -> str:
    """The variant of what is written where no groups are asked for."""
    return variant + _UNGROUPED


def with_validation(variant: str, *, refuses_unlisted: bool = False) -> str:
    """The variant of input that class-validator holds against the decorators of its class, where it
    may refuse members that have none."""
    return variant + _VALIDATED + (_REFUSES_UNLISTED if refuses_unlisted else "")


def is_validated(variant: str) -> bool:
    """Whether class-validator's decorators count."""
    return _VALIDATED in variant


def refuses_unlisted(variant: str) -> bool:
    """Whether class-validator refuses members that have no decorator of it."""
    return variant.endswith(_REFUSES_UNLISTED)


def without_validation(variant: str) -> str:
    """The same variant of what class-validator does not look into."""
    return variant.partition(_VALIDATED)[0]


def excludes_all(decl: ClassDecl, program: Program, scope: Scope, variant: str) -> bool:
    """Whether only exposed members of a class are written."""
    if variant.startswith(OUTPUT_EXPOSED):
        return True
    return any(_is_decorator(a, "Exclude", program, scope) for a in decl.annotations)


def treatment(
    member: Member | Function, program: Program, scope: Scope, variant: str, *, only_exposed: bool
) -> Treatment:
    """What the decorators of a member do to it."""
    name = member.name
    dropped, exposed, uncertain = False, False, ""
    transforms: list[Expr | None] = []
    for annotation in member.annotations:
        options = _options(annotation)
        one_way = _one_way(options, variant)
        if _is_decorator(annotation, "Exclude", program, scope):
            dropped = dropped or not one_way
        elif _is_decorator(annotation, "Expose", program, scope) and not one_way:
            exposed = True
            name = program.text(options.get("name"), scope) or name
            if "groups" in options and variant.endswith(_UNGROUPED):
                dropped = True
            elif "groups" in options:
                uncertain = Reason("exposed-to-some-groups", member=member.name)
            elif "since" in options or "until" in options:
                uncertain = Reason("exposed-in-some-versions", member=member.name)
        elif _is_decorator(annotation, "Transform", program, scope):
            function = annotation.args[0].value if annotation.args else None
            transforms += () if one_way else (function,)
    if only_exposed and not exposed:
        dropped = True
    return Treatment(name, dropped, uncertain, tuple(transforms), exposed)


def made_as(member: Member, program: Program, scope: Scope) -> str:
    """The class that `@Type(() => Order)` makes the value or the items of a member, where that is
    another one than the member is declared to hold; empty where the two agree."""
    for annotation in member.annotations:
        if not _is_decorator(annotation, "Type", program, scope):
            continue
        made = _made_class(annotation, program, scope)
        declared = member.type
        while isinstance(declared, ArrayType):
            declared = declared.item
        if not isinstance(made, ClassValue) or not isinstance(declared, NamedType):
            continue
        found = program.names.declared_class(declared, scope)
        if found is None or found.decl.kind != "class":
            continue
        above = (base.key for base, _ in program.names.classes.ancestors(made.symbol))
        if found.key not in (made.symbol.key, *above):
            return made.symbol.decl.name
    return ""


def _made_class(annotation: Annotation, program: Program, scope: Scope) -> Value | None:
    """What the function that `@Type` is given returns."""
    if not annotation.args:
        return None
    made = program.evaluate(annotation.args[0].value, scope)
    return program.evaluator.apply(made, (), scope) if isinstance(made, FunctionValue) else made


def transform_field(
    field: Field, member: Member, treated: Treatment, use: TypeUse, scope: Scope
) -> Field:
    """A field whose value functions make (`@Transform(({ value }) => Number(value))`) of what the
    member is declared to hold. Of input, it is what they take to make a value of the declared type:
    other scalars too, where they make a number or boolean of anything."""
    reason = Reason("transform-function", member=member.name)
    undetermined = replace(field, schema=Unknown(reason=reason, origin=field.origin))
    declared = use.program.types.flat(field.schema)
    made = _made_field(field, BySchema(declared), treated, use, scope)
    if use.variant not in INPUTS:
        if use.program.types.is_unknown(made.schema):
            return undetermined
        required = made.required if field.required else field.required
        return replace(field, schema=made.schema, required=required)
    result = use.program.types.flat(made.schema)
    if not isinstance(declared, Scalar) or not _is_of_kind(result, declared):
        return undetermined
    if declared.type == "string":
        return field
    anything = _made_field(field, Unresolved(reason), treated, use, scope)
    if _is_of_kind(use.program.types.flat(anything.schema), declared):
        return replace(field, schema=converted_from(declared, FROM_OTHER_SCALARS))
    return field


def _made_field(
    field: Field, value: Value, treated: Treatment, use: TypeUse, scope: Scope
) -> Field:
    """The field that the functions of a member make of a value."""
    for expr in treated.transforms:
        function = None if expr is None else use.program.evaluate(expr, scope)
        key = Constant(field.declared_as or field.name)
        given: list[tuple[str, Value]] = [("value", value), ("key", key)]
        if scope.owner is not None:
            given.append(("obj", Instance(scope.owner)))
        entries = tuple(RecordEntry(name, each, field.origin) for name, each in given)
        unknown = Reason("transform-function", member=field.name)
        value = Unresolved(unknown)
        if isinstance(function, FunctionValue):
            value = use.program.evaluator.apply(function, (Record(entries, unknown),), scope)
    made = use.program.types.flat(
        use.program.schema_of(Record((RecordEntry(field.name, value, field.origin),)))
    )
    (found,) = made.fields if isinstance(made, Object) else (field,)
    return found


def _is_of_kind(shape: Schema, declared: Scalar) -> bool:
    """Whether a shape is of the same JSON type as another one."""
    kinds = {"string": "string", "boolean": "boolean"}
    one = kinds.get(shape.type, "number") if isinstance(shape, Scalar) else ""
    return one == kinds.get(declared.type, "number")


def read_schema(member: Member, schema: Schema, use: TypeUse, scope: Scope) -> Schema:
    """What a member of the shape `schema` is read from: what class-transformer converts to the
    class that `@Type(() => Date)` names, or to the declared one: by `String(value)`,
    `Number(value)` and `Boolean(value)`."""
    variant = without_validation(use.variant)
    if variant == CONVERTED_INPUT or (variant == INPUT and _is_converted(member, use, scope)):
        return converted_from(schema, FROM_OTHER_SCALARS)
    return schema


def _is_converted(member: Member, use: TypeUse, scope: Scope) -> bool:
    return any(
        _is_decorator(annotation, "Type", use.program, scope)
        and isinstance(made := _made_class(annotation, use.program, scope), LibrarySymbol)
        and made.name in _CONVERTED
        for annotation in member.annotations
    )


def _one_way(options: dict[str, Expr], variant: str) -> bool:
    """Whether the decorator counts for the other direction only."""
    other = "toPlainOnly" if variant in INPUTS else "toClassOnly"
    value = options.get(other)
    return isinstance(value, LiteralExpr) and value.value is True


def _options(annotation: Annotation) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    for argument in annotation.args:
        if isinstance(argument.value, ObjectLiteral):
            for entry in argument.value.entries:
                if entry.key is not None:
                    found[entry.key] = entry.value
    return found


def _is_decorator(annotation: Annotation, name: str, program: Program, scope: Scope) -> bool:
    if annotation.name.rsplit(".", 1)[-1] != name or annotation.callee is None:
        return False
    return program.qualified_name(annotation.callee, scope) == f"{_MODULE}.{name}"
