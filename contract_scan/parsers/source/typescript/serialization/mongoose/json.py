"""How a Mongoose schema changes what its documents are written as: its `toJSON` option, set in the
options of the schema or by `schema.set("toJSON", …)`, and a `toJSON` method of its own.

Functions that are given a schema may say it too (see `mongoose_plugins`). What is said in another
way (for all schemas at once) is not followed: then no document can be told.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.records import one_of_all, record_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    LibraryResult,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation import forward_interpreter
from contract_scan.parsers.source.analysis.refinement.conditions import is_there
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Function,
    Name,
    OperationExpr,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.serialization.mongoose import plugins
from contract_scan.parsers.source.typescript.serialization.mongoose.changes import (
    changes,
    changes_to_json,
)

_NAME = "toJSON"
_HARMLESS = frozenset({"flattenMaps", "flattenObjectIds", "minimize", "useProjection"})
_GIVEN = "<document>"
_ELSEWHERE = Reason("mongoose-tojson-changed")


def document_schema(
    program: Program, made: LibraryResult, options: Mapping[str, Value], shape: Object
) -> Schema:
    """The schema of serialised documents; `shape` is that of stored documents, `options` are
    those of the Mongoose schema. Unknown where it is undetermined."""
    if not changes_to_json(program):
        return shape
    found = changes(program)
    own = options.get("methods")
    if found.is_incomplete or (own is not None and _NAME in _names(own)):
        return Unknown(reason=_ELSEWHERE, origin=shape.origin)
    place = (made.scope.file.path, made.site.span)
    said = [options[_NAME]] if _NAME in options else []
    methods: list[Value] = []
    for change in found.of.get(place, ()):
        value = program.evaluate(change.value, change.scope)
        (methods if change.method else said).append(value)
    schema: Schema = shape
    if said:
        virtuals = found.virtuals.get(place, [])
        if not _is_constant(options.get("id"), False):
            virtuals = [("id", shape.origin), *virtuals]
        whole = _StoredDocument(shape, len(said) == 1, _options_of_paths(program, made))
        schema = _by_options(program, said[-1], whole, virtuals)
    for method in methods[-1:]:
        if said or not isinstance(method, FunctionValue):
            return Unknown(reason=_ELSEWHERE, origin=shape.origin)
        document = record_of(shape)
        schema = _result(program, method, {}, _with_to_object(document, method))
    return schema


def _names(value: Value) -> set[str]:
    return {entry.name for entry in value.entries} if isinstance(value, Record) else set()


def _is_constant(value: Value | None, wanted: bool) -> bool:
    return isinstance(value, Constant) and value.value is wanted


# ------------------------------------------------------------------ options


class _StoredDocument(Struct, frozen=True, eq=False):
    """What is stored, and what the schema says besides."""

    shape: Object
    alone: bool
    """Whether nothing else was said of how it is written."""
    marked: Mapping[str, frozenset[str]]
    """Options that are true -> paths."""


def _options_of_paths(program: Program, made: LibraryResult) -> Mapping[str, frozenset[str]]:
    args = made.site.args
    paths = program.evaluate(args[0].value, made.scope) if args else None
    found: dict[str, set[str]] = {}
    for entry in paths.entries if isinstance(paths, Record) else ():
        for option in entry.value.entries if isinstance(entry.value, Record) else ():
            if _is_constant(option.value, True):
                found.setdefault(option.name, set()).add(entry.name)
    return {option: frozenset(names) for option, names in found.items()}


def _by_options(
    program: Program, said: Value, whole: _StoredDocument, virtuals: list[tuple[str, Origin]]
) -> Schema:
    shape = whole.shape
    undetermined = Unknown(reason=_ELSEWHERE, origin=shape.origin)
    if not isinstance(said, Record) or said.partial or said.values is not None:
        return undetermined
    options = {entry.name: entry.value for entry in said.entries}
    fields = {field.name: field for field in shape.fields}
    if _is_constant(options.pop("virtuals", None), True):
        for name, origin in virtuals:
            known: Schema = Scalar(type="string")
            if name != "id":
                known = Unknown(reason=Reason("mongoose-virtual", name=name))
            fields[name] = Field(name=name, schema=known, origin=origin)
    if _is_constant(options.pop("versionKey", None), False):
        fields.pop("__v", None)
    transform = options.pop("transform", None)
    if not _is_constant(options.pop("getters", Constant(False)), False):
        return undetermined
    if set(options) - _HARMLESS:
        return undetermined
    shape = replace(shape, fields=tuple(fields.values()))
    if transform is None or _is_constant(transform, False):
        return shape
    if not isinstance(transform, FunctionValue) or len(transform.function.params) < 2:
        return undetermined
    transform, hidden = _without_answered_parts(program, transform, whole)
    left = tuple(field for field in shape.fields if field.name not in hidden)
    shape = replace(shape, fields=left)
    document, given = record_of(shape), transform.function.params[1]
    first = transform.function.params[0].name
    stepped = forward_interpreter.interpret(program, transform, (document, document))
    if stepped is not None:
        return _transform_result(program, stepped)
    if given.pattern is not None:
        bound = program.evaluator.pattern_bindings(given.pattern, document, transform.scope)
        return _result(program, transform, {**bound, first: document}, None)
    return _result(program, transform, {_GIVEN: document, first: document}, None, given.name)


def _transform_result(program: Program, outcome: forward_interpreter.CallOutcome) -> Schema:
    """The schema of the result of a transform; where it returns undefined, that of the object
    after it."""
    value = one_of_all(
        [outcome.arguments_after[1] if is_there(v) is False else v for v in outcome.results]
    )
    options = value.options if isinstance(value, OneOf) else (value,)
    if not all(isinstance(option, Record | BySchema) for option in options):
        return Unknown(reason=Reason("tojson-result-not-visible"))
    return program.schema_of(value)


def _without_answered_parts(
    program: Program, transform: FunctionValue, whole: _StoredDocument
) -> tuple[FunctionValue, frozenset[str]]:
    """A transform without what the schema answers, and the paths that this takes away."""
    body = program.body(transform.function, transform.scope.file)
    left, marks = plugins.without_marked(body)
    if whole.alone:
        left = plugins.without_earlier(left)
    if len(left) == len(body):
        return transform, frozenset()
    hidden = frozenset[str]().union(*(whole.marked.get(mark, frozenset()) for mark in marks))
    return replace(transform, function=replace(transform.function, body=left)), hidden


def _with_to_object(document: Record, method: FunctionValue) -> Record:
    """`this` of a method: the document, whose `toObject` gives it."""
    body = (Return(value=Name(id=_GIVEN)),)
    scope = Scope(file=method.scope.file, bindings={_GIVEN: document})
    function = FunctionValue(Function(name="toObject", body=body), scope)
    entry = RecordEntry("toObject", function, NOWHERE)
    return replace(document, entries=(*document.entries, entry))


def _result(
    program: Program,
    function: FunctionValue,
    bindings: Mapping[str, Value],
    receiver: Value | None,
    changed: str = "",
) -> Schema:
    """What a function gives that changes the object its parameter `changed` holds."""
    inner = program.function_scope(function.function, function.scope, dict(bindings))
    statements = inner.statements or ()
    if _hands_on(statements, changed):
        return Unknown(reason=Reason("mongoose-tojson-not-followed"))
    if changed:
        start = Assign(target=Name(id=changed), value=Name(id=_GIVEN))
        statements = (start, *statements)
    inner = replace(inner, statements=statements, receiver=receiver or inner.receiver)
    values: list[Value] = []
    for statement in reaching_definitions.returns(statements):
        if not isinstance(statement, Return):
            continue
        value = statement.value
        if value is None and changed:
            value = Name(id=changed, span=statement.span)
        if value is not None:
            values.append(program.evaluate(value, inner))
    if changed and not (statements and isinstance(statements[-1], Return)):
        values.append(program.evaluate(Name(id=changed), inner))
    if not values:
        return Unknown(reason=Reason("tojson-result-not-visible"))
    result = union_of(tuple(values))
    options = result.options if isinstance(result, OneOf) else (result,)
    if not all(isinstance(option, Record) for option in options):
        return Unknown(reason=Reason("tojson-result-not-visible"))
    return program.schema_of(union_of(tuple(_without_absent(o) for o in options)))


def _without_absent(value: Value) -> Value:
    """A record without what only the document offers."""
    if not isinstance(value, Record):
        return value
    entries = tuple(e for e in value.entries if not isinstance(e.value, FunctionValue))
    return replace(value, entries=entries)


def _hands_on(statements: tuple[Statement, ...], name: str) -> bool:
    """Whether others may change the object too, or a key is taken away that is not constant."""
    for node in nodes_of(statements):
        match node:
            case Call(callee=Attribute(value=Name(id="Object"))):
                continue
            case Call(args=args) if any(is_name(argument.value, name) for argument in args):
                return True
            case OperationExpr(operator="delete"):
                return True
            case _:
                pass
    return False
