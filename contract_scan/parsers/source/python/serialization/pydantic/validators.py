"""Validators of pydantic models: those that see the input before the type of a field does, those
that run on a default and may give another value in its place, and those that refuse input."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Nothing, Scalar, Schema, Union
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    Constant,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Call,
    Function,
    Index,
    LiteralExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.resolution.library_versions import pydantic_major
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    is_true,
    positional,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.pydantic.config import settings_of
from contract_scan.parsers.source.python.serialization.pydantic.fields import DeclaredField
from contract_scan.parsers.source.python.serialization.rejections import (
    RECEIVER,
    Check,
    absence,
    method_of,
    null,
    object_check,
    value_check,
    with_rejections,
)

_OF_FIELDS = frozenset({"validator", "field_validator"})
_OF_MODELS = frozenset({"root_validator", "model_validator"})
_SETTINGS = ("validate_all", "validate_default")
"""What makes pydantic 1, and 2, validate defaults."""
_TABLES = frozenset({"sqlmodel.SQLModel", "sqlmodel.main.SQLModel"})
"""Bases whose tables set every value as an attribute when they are made, defaults as well:
https://github.com/fastapi/sqlmodel/blob/main/sqlmodel/main.py (`SQLModel.__init__`)."""


class _Validator(Struct, frozen=True, eq=False):
    """A method that validates a field, by itself or with the whole model."""

    owner: ClassSymbol
    method: Function
    decorator: Annotation
    of_model: bool = False


def with_doubted_null(
    use: TypeUse, symbol: ClassSymbol, declared: DeclaredField, schema: Schema
) -> Schema:
    """A field's schema, null undetermined where a validator may put a value in place of the null
    that is the default: a validator of the model or of its bases, or of a model that inherits the
    declaration of the field, as the declaring model is filled from what is validated there.

    pydantic 1 and 2 validate a default only where they are told to, by `always=True`,
    `validate_default` and their kin, and by the model as a whole; a table of SQLModel does where it
    validates assignments. https://docs.pydantic.dev/1.10/usage/validators/#validate-always
    """
    program = use.program
    if schema.nullable is not True:
        return schema
    own = {owner.key for owner, _ in use.chain(symbol)}
    validators = _validators(program)
    for each in (*validators.get(declared.member.name, ()), *validators.get("*", ())):
        if each.owner.key in own:
            validated = symbol
        elif declared.owner.key in {base.key for base in program.bases(each.owner)}:
            validated = each.owner
        else:
            continue
        is_seen = _runs_on_default(program, validated, declared, each) or not _is_null_default(
            program, declared
        )
        if each.of_model or (is_seen and not _keeps_null(use, each)):
            reason = Reason("validator-replaces-null", method=each.method.name)
            return replace(schema, nullable=None, null_reason=reason)
    return schema


def _is_null_default(program: Program, declared: DeclaredField) -> bool:
    """Whether a field is null where nothing is given for it, which no validator sees."""
    if declared.member.value is None:
        return pydantic_major(program, declared.owner.file.path) != 2
    default = _default_of(program, declared)
    return not isinstance(default, Items | Record) and not (
        isinstance(default, Constant) and default.value is not None
    )


def with_validated_items(
    use: TypeUse, symbol: ClassSymbol, declared: DeclaredField, schema: Schema
) -> Schema:
    """A field's schema with the items of the list that a validator makes of the input, where that
    tells them."""
    shape = use.program.types.flat(schema)
    name = declared.member.name
    own = {owner.key for owner, _ in use.chain(symbol)}
    for each in _validators(use.program).get(name, ()) if isinstance(shape, Array) else ():
        if each.of_model or each.owner.key not in own:
            continue
        function = method_of(use.program, each.owner, each.method)
        given = use.program.evaluator.apply(function, (BySchema(schema),), function.scope)
        made = use.program.types.flat(use.schema_of(given))
        lists = made.options if isinstance(made, Union) else (made,)
        items = {
            use.program.types.flat(each.items)
            for each in lists
            if isinstance(each, Array) and not isinstance(each.items, Nothing)
        }
        are_lists = all(isinstance(each, Array) for each in lists)
        if are_lists and len(items) == 1 and isinstance(item := items.pop(), Scalar):
            return replace(shape, items=item)
    return schema


def validated_names(program: Program) -> frozenset[str]:
    """The names of fields that a validator of the project looks at."""
    return frozenset(_validators(program))


def names_validated_in(program: Program, owners: Iterable[ClassSymbol]) -> frozenset[str]:
    """The names of fields that validators of these classes look at; `*`: of all."""
    keys = {owner.key for owner in owners}
    return frozenset(
        name
        for name, validators in _validators(program).items()
        if any(each.owner.key in keys for each in validators)
    )


@memoised
def _validators(program: Program) -> dict[str, list[_Validator]]:
    """Name of a field -> the methods that validate it, in all of the project."""
    found: dict[str, list[_Validator]] = defaultdict(list)
    for path in program.files_containing(b"validator"):
        for symbol in program.classes(program.facts(path)):
            for method in symbol.decl.methods:
                for decorator in method.annotations:
                    kind = decorator.name.rpartition(".")[2]
                    if kind in _OF_FIELDS:
                        for name in _field_names(program, symbol, decorator):
                            found[name].append(_Validator(symbol, method, decorator))
                    elif kind in _OF_MODELS:
                        for name in _assigned_names(program, symbol, method):
                            found[name].append(_Validator(symbol, method, decorator, True))
    return found


def _field_names(program: Program, symbol: ClassSymbol, decorator: Annotation) -> Iterator[str]:
    for argument in decorator.args:
        if not argument.name:
            name = program.text(argument.value, program.class_scope(symbol))
            if name is not None:
                yield name


def _assigned_names(program: Program, symbol: ClassSymbol, method: Function) -> set[str]:
    """The fields that a validator of the whole model sets: `values["name"] = …`, `self.name = …`,
    `values.setdefault("name", …)`, `values.update(name=…)`."""
    found: set[str] = set()
    for node in nodes_of(program.body(method, symbol.file)):
        match node:
            case Assign(target=Index(index=LiteralExpr(value=str(name)))):
                found.add(name)
            case Assign(target=Attribute(name=name)):
                found.add(name)
            case Call(callee=Attribute(name="update"), args=args):
                found.update(argument.name for argument in args if argument.name)
            case Call(callee=Attribute(name="setdefault"), args=(first, *_)):
                if isinstance(first.value, LiteralExpr) and isinstance(first.value.value, str):
                    found.add(first.value.value)
            case _:
                pass
    return found


def _runs_on_default(
    program: Program, validated: ClassSymbol, declared: DeclaredField, validator: _Validator
) -> bool:
    scope = program.class_scope(validator.owner)
    for argument in validator.decorator.args:
        if argument.name == "always" and is_true(program.evaluate(argument.value, scope)):
            return True
    if declared.member.value is not None:
        made = program.evaluate(declared.member.value, declared.scope)
        if isinstance(made, LibraryResult) and is_true(
            argument_value(program, made, "validate_default")
        ):
            return True
    settings = settings_of(program, validated)
    if any(name in settings and is_true(settings[name].value) for name in _SETTINGS):
        return True
    assigned = settings.get("validate_assignment")
    return (
        assigned is not None
        and is_true(assigned.value)
        and any(base.name in _TABLES for base in library_bases(program, validated))
    )


def _keeps_null(use: TypeUse, validator: _Validator) -> bool:
    """Whether a validator that is given null gives null for certain."""
    function = method_of(use.program, validator.owner, validator.method)
    given = use.program.evaluator.apply(function, (Constant(None),), function.scope)
    return use.schema_of(given).nullable is True


def converted_fields(use: TypeUse, chain: list[tuple[ClassSymbol, Scope]]) -> frozenset[str]:
    """The fields of which a validator sees the input before their type does (`mode="before"`,
    `"wrap"` or `"plain"`; `pre=True` in version 1): they may take other values. `*`: all."""
    found: set[str] = set()
    for owner, scope in chain:
        for method in owner.decl.methods:
            for annotation in method.annotations:
                if annotation.name.rpartition(".")[2] not in _OF_FIELDS:
                    continue
                said = {a.name: use.program.evaluate(a.value, scope) for a in annotation.args}
                mode = said.get("mode")
                early = isinstance(mode, Constant) and mode.value in ("before", "wrap", "plain")
                if early or is_true(said.get("pre")):
                    names = [
                        use.program.text(a.value, scope) for a in annotation.args if not a.name
                    ]
                    found.update(name or "*" for name in names)
    return frozenset(found)


# --------------------------------------------------------------------------- refused input


def validated_field(
    use: TypeUse, symbol: ClassSymbol, declared: DeclaredField, field: Field
) -> Field:
    """A field as input may have it where validators refuse input without it, or its null."""
    checks = [
        _check(use.program, symbol, declared, field, validator)
        for validator in _validators_of(use.chain(symbol))
    ]
    return with_rejections(use.program, field, checks)


def _validators_of(chain: list[tuple[ClassSymbol, Scope]]) -> Iterator[_Validator]:
    """The validators of a model and its bases; a method hides those of its name."""
    seen: set[str] = set()
    for owner, _ in chain:
        for method in owner.decl.methods:
            for decorator in method.annotations:
                kind = decorator.name.rpartition(".")[2]
                if kind in _OF_FIELDS | _OF_MODELS and method.name not in seen:
                    yield _Validator(owner, method, decorator, kind in _OF_MODELS)
        seen.update(method.name for method in owner.decl.methods)


def _check(
    program: Program,
    symbol: ClassSymbol,
    declared: DeclaredField,
    field: Field,
    validator: _Validator,
) -> Check:
    scope = program.class_scope(validator.owner)
    method = method_of(program, validator.owner, validator.method)
    said = {a.name: program.evaluate(a.value, scope) for a in validator.decorator.args if a.name}
    mode = said.get("mode")
    params = [param.name for param in validator.method.params]
    name = declared.member.name
    default = _default_of(program, declared)
    if validator.of_model:
        is_early = is_true(said.get("pre")) or (
            isinstance(mode, Constant) and mode.value in ("before", "wrap")
        )
        whole = params[0] if params else RECEIVER
        names = {name, *(field.accepts or (field.name,))} if is_early else {name}
        return object_check(method, whole, names, None if is_early else default)
    names = {*_field_names(program, validator.owner, validator.decorator)}
    if params and names & {name, "*"}:
        runs = _runs_on_default(program, symbol, declared, validator)
        return value_check(program, method, 0, default if runs else None)
    wholes = ["values", *(f"{param}.data" for param in params[1:])]
    paths = [f"{whole}.{name}" for whole in wholes]
    return Check(method, absence(default, paths, wholes), null(paths, wholes))


def _default_of(program: Program, declared: DeclaredField) -> Value:
    """The default of a field, where it has one."""
    if declared.member.value is None:
        return Constant(None)
    value = program.evaluate(declared.member.value, declared.scope)
    if not isinstance(value, LibraryResult):
        return value
    given = argument_value(program, value, "default")
    first = positional(value)
    if given is None and first is not None:
        given = program.evaluate(first, value.scope)
    if given is not None:
        return given
    match argument_value(program, value, "default_factory"):
        case LibrarySymbol(name="list" | "set"):
            return Items(())
        case LibrarySymbol(name="dict"):
            return Record(())
        case _:
            return value
