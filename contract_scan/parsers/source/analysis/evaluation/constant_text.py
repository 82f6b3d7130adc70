"""Constant strings and qualified names of values."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    NamedType,
    NullableType,
    NullType,
    UnionType,
)

_DEEPEST_ALIAS = 8


class Texts:
    """The part of the evaluator that says what a value is as text."""

    def __init__(self, context: Context) -> None:
        self._program = context.program
        self._evaluate = context.evaluate

    def text(self, value: Value) -> str | None:
        """The constant string of a value."""
        match value:
            case Constant(value=str(text)):
                return text
            case Constant(value=bool()) | Constant(value=None):
                return None
            case Constant(value=number):
                return str(number)
            case Instance():
                return self.enum_text(value)
            case _:
                return None

    def template(self, value: Value) -> str | None:
        """The string with `{}` for each part that is not constant."""
        match value:
            case Template(parts=parts):
                return "".join(self.template(part) or "{}" for part in parts)
            case _:
                return self.text(value)

    def texts(self, value: Value) -> tuple[str | None, ...]:
        """The strings of one string or of a list of strings."""
        match value:
            case Items(values=values):
                return tuple(text for item in values for text in self.texts(item))
            case OneOf(options=options):
                return tuple(text for item in options for text in self.texts(item))
            case _:
                return (self.text(value),)

    def qualified_name(self, value: Value, depth: int = 0) -> str:
        """Qualified name of what a value is or was made by, aliases of types followed."""
        match value:
            case LibrarySymbol(name=name) | LibraryResult(name=name):
                return name
            case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                return symbol.key
            case FunctionValue(function=function, scope=scope):
                return f"{scope.file.path}#{function.name}"
            case ModuleValue(path=path):
                return path
            case ByType(type=NamedType(name=name), scope=scope):
                found = self._program.names.lookup_type(name, scope)
                if isinstance(found, ClassValue):
                    return found.symbol.key
                if isinstance(found, AliasSymbol) and depth < _DEEPEST_ALIAS:
                    inside = self._program.names.classes.alias_scope(found)
                    return self.qualified_name(ByType(found.alias.type, inside), depth + 1)
                return found.name if isinstance(found, LibrarySymbol) else ""
            case ByType(type=NullableType(item=item) | AnnotatedType(item=item), scope=scope):
                return self.qualified_name(ByType(item, scope), depth)
            case ByType(type=UnionType(options=options), scope=scope):
                left = [o for o in options if not isinstance(o, NullType)]
                return self.qualified_name(ByType(left[0], scope), depth) if len(left) == 1 else ""
            case _:
                return ""

    def enum_text(self, value: Instance) -> str | None:
        """The text of an enum constant that has one string of its own."""
        if value.site is None or value.scope is None or value.symbol.decl.kind != "enum":
            return None
        texts = [self.text(self._evaluate(a.value, value.scope)) for a in value.site.args]
        known = [text for text in texts if text is not None]
        return known[0] if len(known) == 1 else None


def unless_begun(value: Value) -> Value:
    """A part of a text: that a member begins as an empty text says nothing of what it will hold."""
    match value:
        case Constant(value="", declared_type=ByType() as declared):
            return declared
        case _:
            return value
