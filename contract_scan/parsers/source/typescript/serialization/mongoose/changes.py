"""What a project says of how Mongoose writes documents: `schema.set("toJSON", …)`, methods,
plugins, virtuals."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope, Value
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    New,
    ObjectLiteral,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.mongoose import plugins
from contract_scan.parsers.source.typescript.serialization.mongoose.plugins import SCHEMAS

_NAME = "toJSON"
_TO_JSON = (b"toJSON:", b"'toJSON'", b'"toJSON"', b"methods.toJSON", b"options.toJSON")

_Place = tuple[str, Span]


class Change(Struct, frozen=True, eq=False):
    """One thing that the project says of how a schema is written."""

    value: Expr
    scope: Scope
    method: bool = False
    """A `toJSON` method, not an option."""


class Changes(Struct, frozen=True, eq=False):
    of: dict[_Place, list[Change]]
    virtuals: dict[_Place, list[tuple[str, Origin]]]
    is_incomplete: bool
    """Whether something says it in a way that is not followed."""


def changes_to_json(program: Program) -> bool:
    """Whether some schema option, plugin or method of the project changes how Mongoose writes."""
    return bool(_json_files(program))


def _json_files(program: Program) -> tuple[str, ...]:
    """Paths of the files that say how Mongoose writes."""
    return program.files_containing(*_TO_JSON)


def applied_by_hand(program: Program, made: LibraryResult) -> bool:
    """Whether the project hands out the function that writes documents of a schema: it has no other
    use than to be applied to what bypasses `toJSON`, as lean queries do."""
    place = (made.scope.file.path, made.site.span)
    for change in changes(program).of.get(place, ()):
        names = {n.id for n in nodes_of(change.value) if isinstance(n, Name)}
        function = change.scope.function
        if function is None:
            names &= {n for n in names if _is_exported(change.scope, n)}
            if names:
                return True
            continue
        for statement in reaching_definitions.returns(change.scope.statements or ()):
            if isinstance(statement.value, Name) and statement.value.id in names:
                return True
    return False


def _is_exported(scope: Scope, name: str) -> bool:
    file = scope.file
    declared = (f for f in file.functions if f.name == name and "export" in f.modifiers)
    return any(declared) or any(export.name == name for export in file.exports)


@memoised
def changes(program: Program) -> Changes:
    """What the project says of how its schemas are written."""
    of: dict[_Place, list[Change]] = {}
    virtuals: dict[_Place, list[tuple[str, Origin]]] = {}
    changers: dict[_Place, list[plugins.SchemaChange]] = {}
    elsewhere = program.any_file_contains(b"mongoose.plugin(")
    for path in _json_files(program):
        read: set[int] = set()
        for node, scope in walker.nodes_of(program, program.facts(path)):
            found = _to_json_change(node)
            if found is not None:
                receiver, value, method = found
                schema = _schema(program.evaluate(receiver, scope))
                said = plugins.changer(receiver, value, scope, method=method)
                if schema is None and said is not None and scope.function is not None:
                    place = (scope.file.path, scope.function.span)
                    changers.setdefault(place, []).append(said)
                elif schema is None:
                    elsewhere = True
                else:
                    of.setdefault(schema, []).append(Change(value, scope, method))
            elif not elsewhere:
                elsewhere = _in_another_way(node, scope, read)
    unused = set(changers)
    for function, made, said, inside in plugins.applied_changers(program, changers):
        unused.discard(function)
        change = Change(said.value, inside, said.method)
        of.setdefault((made.scope.file.path, made.site.span), []).append(change)
    elsewhere = elsewhere or bool(unused)
    for path in program.files_containing(b".virtual("):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            match node:
                case Call(callee=Attribute(value=receiver, name="virtual"), args=args) if args:
                    schema = _schema(program.evaluate(receiver, scope))
                    name = program.text(args[0].value, scope)
                    if schema is not None and name is not None:
                        origin = program.origin(node, scope)
                        virtuals.setdefault(schema, []).append((name, origin))
    return Changes(of, virtuals, elsewhere)


def _schema(value: Value) -> _Place | None:
    if not isinstance(value, LibraryResult) or value.name not in SCHEMAS:
        return None
    return (value.scope.file.path, value.site.span)


def _to_json_change(node: object) -> tuple[Expr, Expr, bool] | None:
    """Schema, value, and whether that is a method: `schema.set("toJSON", …)`,
    `schema.method("toJSON", …)`, `schema.methods.toJSON = …`, `schema.options.toJSON = …`."""
    match node:
        case Call(callee=Attribute(value=receiver, name="set" | "method" as name), args=args) if (
            len(args) == 2
            and isinstance(args[0].value, LiteralExpr)
            and args[0].value.value == _NAME
        ):
            return receiver, args[1].value, name == "method"
        case Assign(
            target=Attribute(value=Attribute(value=receiver, name="methods"), name="toJSON"),
            value=value,
        ) if value is not None:
            return receiver, value, True
        case Assign(
            target=Attribute(value=Attribute(value=receiver, name="options"), name="toJSON"),
            value=value,
        ) if value is not None:
            return receiver, _merged_options(value), False
        case _:
            return None


def _merged_options(value: Expr) -> Expr:
    """The options in `Object.assign(schema.options.toJSON || {}, { … })`."""
    match value:
        case Call(callee=Attribute(value=Name(id="Object"), name="assign"), args=(_, added)):
            return added.value
        case _:
            return value


def _in_another_way(node: object, scope: Scope, read: set[int]) -> bool:
    """Whether a node changes how something is written in a way that is not followed. Options of
    schemas (`read`: literals that stand where such options do) are looked at with their schema."""
    match node:
        case New(args=args):
            read.update(id(argument.value) for argument in args)
        case Assign(target=Attribute(name="toJSON") as target):
            return not dotted_name_of(target).endswith("exports.toJSON")
        case Assign(value=ObjectLiteral() as value) if scope.function is None:
            read.add(id(value))
        case Assign(target=Attribute(value=Attribute(name="toJSON"))):
            return True
        case ObjectLiteral(entries=entries) if id(node) not in read:
            # `module.exports = { toJSON }` hands a plugin on.
            return any(e.key == _NAME and not _is_itself(e.value) for e in entries)
        case _:
            pass
    return False


def _is_itself(value: Expr) -> bool:
    return isinstance(value, Name) and value.id == _NAME
