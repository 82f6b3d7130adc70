"""Classes of the project that decide, while the program runs, which properties Jackson writes:
introspectors that ignore what bears an annotation, modifiers that take out or change properties.

How far they reach is read from their methods. One that only asks for certain annotations, and only
leaves out what bears them, says nothing of any other property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    LiteralExpr,
    Loop,
    Name,
    New,
    OperationExpr,
    Return,
    Statement,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    class_argument,
    constant_name,
    type_name,
)
from contract_scan.parsers.source.java.serialization.jackson.affected_properties import Mentioned

Effect: TypeAlias = Literal["sometimes", "never", "changed", "unknown"]
"""What becomes of a property: it is written only sometimes, or never; whether and how it is written
is undetermined; or it may be written under another name, and others beside it. The last counts."""
_ORDER: tuple[Effect, ...] = ("sometimes", "never", "changed", "unknown")

_ASKS = frozenset({"hasAnnotation", "_hasAnnotation", "getAnnotation", "_findAnnotation"})
_IGNORES = frozenset({"hasIgnoreMarker", "_isIgnorable", "version"})
"""Methods of an introspector that decide no more than what is left out."""
_ADDS = frozenset({"add", "addAll", "addFirst", "addLast", "set", "replaceAll", "rename"})


class SerializerModifier(Struct, frozen=True):
    """A class that decides which properties are written."""

    name: str
    by_annotation: dict[str, Effect] | None = None
    """Annotations that it asks for, with what becomes of properties that bear them; None where it
    may look at any."""
    texts: Mentioned = {}
    """Texts that stand in it, names of properties among them, by the classes they are about."""
    by_name: Effect = "unknown"
    """What becomes of properties that it names."""
    reads: bool = False
    """Whether it is an introspector."""

    def of_some_mapper(self) -> SerializerModifier:
        """The same where other mappers do without it."""
        unknown = {
            annotation: "sometimes" if effect == "never" else effect
            for annotation, effect in (self.by_annotation or {}).items()
        }
        return replace(self, by_annotation=None if self.by_annotation is None else unknown)

    def effect(
        self, property: str, annotations: Iterable[str], classes: Iterable[str]
    ) -> tuple[Effect, Reason] | None:
        """What becomes of a property that bears these annotations of the project's own, and why;
        None where the class leaves it alone. `classes`: the keys of the class that has it and of
        those that it is derived from."""
        if any(property in self.texts.get(key, ()) for key in ("", *classes)):
            return self.by_name, Reason(
                "property-changed-at-run-time", name=self.name, property=property
            )
        found: tuple[Effect, Reason] | None = None
        for annotation in annotations:
            effect = "unknown" if self.by_annotation is None else self.by_annotation.get(annotation)
            if effect is not None and (found is None or graver(found[0], effect) != found[0]):
                found = (
                    effect,
                    Reason(
                        "property-written-conditionally",
                        name=self.name,
                        property=property,
                        annotation=annotation,
                    ),
                )
        return found


def graver(one: Effect, other: Effect) -> Effect:
    """Which of two effects counts."""
    return max(one, other, key=_ORDER.index)


def introspector(program: Program, symbol: ClassSymbol) -> SerializerModifier:
    """What an `AnnotationIntrospector` of the project does."""
    methods = [m for m in symbol.decl.methods if "constructor" not in m.modifiers]
    if not methods or not all(method.name in _IGNORES for method in methods):
        return SerializerModifier(symbol.decl.name, reads=True)
    asked: dict[str, Effect] = {}
    for method in methods:
        statements = _statements(program, symbol, method)
        effects = _ignored_annotations(statements)
        if effects is None:
            return SerializerModifier(symbol.decl.name, reads=True)
        asked.update(effects)
    return SerializerModifier(symbol.decl.name, asked, reads=True)


def modifier(program: Program, symbol: ClassSymbol, texts: Mentioned) -> SerializerModifier:
    """What a `BeanSerializerModifier` of the project does: where it adds and renames nothing, what
    it names, or what bears the annotations that it asks for, may be left out."""
    name = symbol.decl.name
    asked: dict[str, Effect] = {}
    words: set[str] = set()
    for method in symbol.decl.methods:
        statements = _statements(program, symbol, method)
        for call, _ in calls_in(program, statements, program.class_scope(symbol)):
            if isinstance(call, New):
                words.add("add" if type_name(call.type).endswith("Writer") else "")
                continue
            words.add(constant_name(call.callee))
            for annotation in _asked_for(call):
                asked.setdefault(annotation, "changed")
        asked.update(_taken_out(statements, {}))
    return SerializerModifier(
        name, None if words & _ADDS else asked, texts, "unknown" if words & _ADDS else "changed"
    )


def _taken_out(statements: tuple[Statement, ...], variables: dict[str, str]) -> dict[str, Effect]:
    """Annotations whose properties a method takes out where it meets them, alone or on further
    conditions."""
    found: dict[str, Effect] = {}
    for statement in statements:
        match statement:
            case Assign(target=Name(id=name), value=Call() as call) if _question(call, variables):
                variables[name] = _question(call, variables)
            case Branch(kind="if", blocks=(block, *_), condition=condition) if condition:
                parts = _conjuncts(condition)
                asked = [one for part in parts if (one := _question(part, variables))]
                alone = len(parts) == 1 and any(map(_takes_out, block))
                found.update(dict.fromkeys(asked, "never" if alone else "sometimes"))
                if not asked:
                    found.update(_taken_out(block, variables))
            case Loop(body=body):
                found.update(_taken_out(body, variables))
            case _:
                pass
    return found


def _takes_out(statement: Statement) -> bool:
    match statement:
        case Evaluate(value=Call(callee=callee)):
            return constant_name(callee) == "remove"
        case _:
            return False


def _statements(program: Program, symbol: ClassSymbol, method: Function) -> tuple[Statement, ...]:
    scope = program.function_scope(method, program.class_scope(symbol))
    return tuple(scope.statements or ())


def _asked_for(call: Call) -> Iterator[str]:
    """The annotation that a call asks for: `m.getAnnotation(Since.class)`."""
    if constant_name(call.callee) in _ASKS and call.args:
        asked = class_argument(call.args[-1].value)
        if asked is not None:
            yield type_name(asked)


# --------------------------------------------------------------------------- introspectors


def _ignored_annotations(statements: tuple[Statement, ...]) -> dict[str, Effect] | None:
    """Annotations whose properties are ignored; None where others may be as well."""
    found: dict[str, Effect] = {}
    variables: dict[str, str] = {}
    for statement in statements:
        match statement:
            case Assign(target=Name(id=name), value=Call() as call) if _question(call, variables):
                variables[name] = _question(call, variables)
            case Branch(kind="if", blocks=blocks, condition=condition) if condition is not None:
                parts = _conjuncts(condition)
                asked = [one for part in parts if (one := _question(part, variables))]
                if not asked or len(blocks) != 1:
                    return None
                sure = len(parts) == 1 and _says_yes(blocks[0])
                for annotation in asked:
                    found[annotation] = "never" if sure else "sometimes"
            case Return(value=value):
                if value is None or not _answers(value, variables, found):
                    return None
            case _:
                return None
    return found


def _answers(value: Expr, variables: dict[str, str], found: dict[str, Effect]) -> bool:
    """Note what `return m.hasAnnotation(A.class) || super.hasIgnoreMarker(m)` says."""
    match value:
        case OperationExpr(operator="||", operands=operands):
            return all(_answers(operand, variables, found) for operand in operands)
        case Call(callee=Attribute(value=Name(id="super"))):
            return True
        case LiteralExpr(value=False):
            return True
        case _:
            parts = _conjuncts(value)
            asked = [one for part in parts if (one := _question(part, variables))]
            for annotation in asked:
                found[annotation] = "never" if len(parts) == 1 else "sometimes"
            return bool(asked)


def _conjuncts(condition: Expr) -> list[Expr]:
    if isinstance(condition, OperationExpr) and condition.operator == "&&":
        return [part for operand in condition.operands for part in _conjuncts(operand)]
    return [condition]


def _question(expr: Expr, variables: dict[str, str]) -> str:
    """The annotation that an expression asks for: whether it is there."""
    match expr:
        case Call(args=args) if constant_name(expr.callee) in _ASKS and args:
            asked = class_argument(args[-1].value)
            return type_name(asked) if asked is not None else ""
        case OperationExpr(operator="!=", operands=(Name(id=name), LiteralExpr(value=None))):
            return variables.get(name, "")
        case OperationExpr(operator="!=", operands=(Call() as call, LiteralExpr(value=None))):
            return _question(call, variables)
        case _:
            return ""


def _says_yes(block: tuple[Statement, ...]) -> bool:
    match block:
        case (Return(value=LiteralExpr(value=True)),):
            return True
        case _:
            return False
