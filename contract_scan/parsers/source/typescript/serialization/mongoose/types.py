"""Documents of Mongoose that are declared as an interface (or class): the schema that is made for
it tells what is written (`new Schema<UserDocument>({ … })`, `model<UserDocument>("User", schema)`).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, NamedType, New, TypeExpr
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.mongoose import (
    documents as mongoose_documents,
)
from contract_scan.parsers.source.typescript.serialization.mongoose import schemas as mongoose
from contract_scan.parsers.source.typescript.serialization.mongoose.changes import (
    applied_by_hand,
    changes_to_json,
)
from contract_scan.parsers.source.typescript.serialization.mongoose.plugins import SCHEMAS

_BYPASSED = Reason("mongoose-lean-undetermined")


def document_schema(use: TypeUse, symbol: ClassSymbol) -> Schema | None:
    """The JSON of a Mongoose document where the project changes `toJSON`: the declared fields do
    not say it, but the schema that is made for the type does, where that is seen."""
    program = use.program
    for owner, scope in use.chain(symbol):
        documents = [
            base
            for base in owner.decl.bases
            if isinstance(base, NamedType)
            and _qualified_type(program, base, scope) in ("mongoose.Document", "mongoose.Model")
        ]
        if not documents and not mongoose_documents.is_schema_class(program, owner.decl, scope):
            continue
        if changes_to_json(program):
            schema = _document_of(program, symbol)
            if schema is not None:
                return schema
            reason = Reason("mongoose-tojson-changed")
            return Unknown(reason=reason, origin=symbol.origin)
    return None


def _document_of(program: Program, symbol: ClassSymbol) -> Schema | None:
    """What documents of a type are written as; None where no schema, or more than one, is made for
    it, or where that is undetermined."""
    made = _schemas(program).get(symbol.key)
    if made is None:
        return None
    shape = mongoose.stored_schema(program, made)
    if not isinstance(shape, Object):
        return shape
    if program.any_file_contains(b".lean(") and not applied_by_hand(program, made):
        return Unknown(reason=_BYPASSED, origin=symbol.origin)
    return _as_queried(program, made, shape)


@memoised
def _schemas(program: Program) -> dict[str, LibraryResult]:
    """The schema of each type, by the key of the type."""
    found: dict[str, list[LibraryResult]] = {}
    for path in program.files_containing(b"Schema<", b"model<"):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            for type, made in _made_for(program, node, scope):
                name = type.name if isinstance(type, NamedType) else ""
                symbol = program.names.lookup_type(name, scope) if name else None
                if isinstance(symbol, ClassValue):
                    found.setdefault(symbol.symbol.key, []).append(made)
    return {
        key: schemas[0]
        for key, schemas in found.items()
        if len({schema.identity for schema in schemas}) == 1
    }


def _made_for(
    program: Program, node: object, scope: Scope
) -> Iterator[tuple[TypeExpr, LibraryResult]]:
    match node:
        case New(type=NamedType(args=(first, *_))):
            made = program.evaluate(node, scope)
            if isinstance(made, LibraryResult) and made.name in SCHEMAS:
                yield first, made
        case Call(type_args=(first, *_)):
            made = program.evaluate(node, scope)
            model = mongoose_documents.model_of(program, made)
            schema = mongoose_documents.schema_of_model(program, model) if model else None
            if schema is not None:
                yield first, schema


def _as_queried(program: Program, made: LibraryResult, shape: Object) -> Object:
    """A document of which it is not seen which query gives it: references may have been put in
    place, and fields left out."""
    populated = program.any_file_contains(b".populate(")
    references = mongoose.references(program)
    left_out = [
        names
        for schema, names in _query_selections(program)
        if schema is None or schema.identity == made.identity
    ]
    fields = []
    for field in shape.fields:
        origin = field.schema.origin
        if populated and (origin.path, origin.span) in references:
            field = replace(field, schema=Unknown(reason=mongoose.POPULATED, origin=origin))
        hidden = (field.origin.path, field.origin.span) in mongoose.hidden_paths(program)
        if hidden or any(names is None or field.name in names for names in left_out):
            field = replace(field, required=None)
        fields.append(field)
    return replace(shape, fields=tuple(fields))


@memoised
def _query_selections(program: Program) -> list[tuple[LibraryResult | None, frozenset[str] | None]]:
    """What queries select: the schema (None: it is undetermined), and the paths that are left out
    (None: all but those that are named)."""
    found = []
    for path in program.files_containing(b".select("):
        typed: set[int] = set()
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if _is_typed(node) or id(node) in typed:
                assert isinstance(node, Call)
                typed.update(id(part) for part in _chained_calls(node))
                continue
            match node:
                case Call(callee=Attribute(value=queried, name="select"), args=(first, *_)):
                    model = mongoose_documents.model_of(
                        program, _queried_model(program, queried, scope)
                    )
                    schema = mongoose_documents.schema_of_model(program, model) if model else None
                    found.append((schema, _left_out(program.evaluate(first.value, scope))))
                case _:
                    continue
    return found


def _is_typed(node: object) -> bool:
    """`.lean<Row[]>()`: what comes of the query has a type of its own."""
    match node:
        case Call(callee=Attribute(name="lean"), type_args=types):
            return bool(types)
        case _:
            return False


def _chained_calls(call: Call) -> Iterator[Call]:
    """The calls that a chain of calls is made of, outermost first."""
    inner: Expr = call
    while isinstance(inner, Call) and isinstance(inner.callee, Attribute):
        yield inner
        inner = inner.callee.value


def _queried_model(program: Program, query: Expr, scope: Scope) -> Value:
    """The value that a chain of calls begins with: `User` of `User.find().lean()`."""
    while isinstance(query, Call) and isinstance(query.callee, Attribute):
        query = query.callee.value
    return program.evaluate(query, scope)


def _left_out(selected: Value) -> frozenset[str] | None:
    """The paths that a selection leaves out; None where it names those that it takes."""
    if isinstance(selected, Constant) and isinstance(selected.value, str):
        words = selected.value.split()
        if words and all(word[0] in "+-" for word in words):
            return frozenset(word[1:] for word in words if word.startswith("-"))
    if isinstance(selected, Record) and not selected.partial and selected.values is None:
        flags = {e.name: e.value for e in selected.entries}
        if all(isinstance(v, Constant) and v.value in (0, False) for v in flags.values()):
            return frozenset(flags)
    return None


def _qualified_type(program: Program, type: NamedType, scope: Scope) -> str:
    found = program.names.lookup_type(type.name, scope.parent or scope)
    return found.name if isinstance(found, LibrarySymbol) else ""
