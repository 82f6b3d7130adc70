"""What the tests in an advice on bodies say of one handler: three-valued, None where it cannot be
told."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.syntax.null_checks import evaluate_boolean
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayType,
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    NullType,
    OperationExpr,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.java.frameworks.spring.annotations import first_merged
from contract_scan.parsers.source.java.resolution.annotations import simple_name, type_name
from contract_scan.parsers.source.java.web.handlers import Method

_MAX_DEPTH = 20
_HAS = frozenset({"hasMethodAnnotation", "isAnnotationPresent", "hasAnnotation", "isAnnotated"})
_GETS = frozenset(
    {"getMethodAnnotation", "getAnnotation", "findAnnotation", "getDeclaredAnnotation"}
    | {"findMergedAnnotation", "getMergedAnnotation"}
)
_STEPS = {
    ("return", "getMethod"): "method",
    ("return", "getExecutable"): "method",
    ("return", "getAnnotatedElement"): "method",
    ("return", "getContainingClass"): "class",
    ("return", "getDeclaringClass"): "class",
    ("return", "getParameterType"): "type",
    ("return", "getGenericParameterType"): "type",
    ("method", "getDeclaringClass"): "class",
    ("method", "getReturnType"): "type",
    ("method", "getGenericReturnType"): "type",
    ("class", "getPackage"): "package",
    ("class", "getPackageName"): "package",
    ("package", "getName"): "package",
    ("class", "getName"): "class name",
    ("class", "getSimpleName"): "simple class name",
    ("body", "getClass"): "body class",
    ("request", "getURI"): "request",
    ("request", "getServletRequest"): "request",
    ("request", "getPath"): "path",
    ("request", "getRawPath"): "path",
    ("request", "getRequestURI"): "path",
    ("request", "getServletPath"): "path",
    ("request", "toString"): "path",
    ("path", "toString"): "path",
    ("path", "value"): "path",
}
"""What a method gives of a thing that is known."""
_TEXT_TESTS = frozenset({"startsWith", "endsWith", "contains", "equals", "equalsIgnoreCase"})
_RAW = frozenset(
    {"byte[]", "Resource", "StreamingResponseBody", "InputStreamResource", "SseEmitter"}
)
_TEXTS = frozenset({"String", "CharSequence"})
_MAPPERS = ("Jackson", "Gson", "FastJson", "Json")
_EVERYTHING = frozenset({"Object", "HttpMessageConverter", "GenericHttpMessageConverter"})


class AdvisedResponse(Struct, frozen=True, eq=False):
    """A response of a handler, as an advice meets it."""

    controller: ClassSymbol
    method: Method
    returns: TypeExpr
    sends: TypeExpr
    """The declared type of the body; `NullType` for none."""
    scope: Scope
    """Where the types are to be looked up."""
    path: str = ""
    status: str = ""
    shape: Schema | None = None
    """None: there is no body."""


class Conditions(Struct, frozen=True, eq=False):
    """The tests of one method of an advice, for one response."""

    program: Program
    handled: AdvisedResponse
    scope: Scope
    roles: dict[str, str]
    """Parameters of the method -> what they are: `body`, `return`, `converter`, `request` …"""

    def holds(self, expr: Expr | None, depth: int = 0) -> bool | None:
        """Whether a test holds."""
        if depth > _MAX_DEPTH:
            return None
        match expr:
            case LiteralExpr(value=bool(answer)):
                return answer
            case OperationExpr(operator="!" | "&&" | "||" as operator, operands=operands):
                return evaluate_boolean(operator, (self.holds(o, depth + 1) for o in operands))
            case OperationExpr(operator="==" | "!=" as operator, operands=(left, right)):
                same = self._equality_outcome(left, right)
                return None if same is None else same is (operator == "==")
            case OperationExpr(operator="instanceof", operands=(left, TypeValue(type=type))):
                return self._instance(self.subject(left), type)
            case Call():
                return self._call(expr)
            case Name(id=name):
                value = self._assigned_value(name)
                return self.holds(value, depth + 1) if value is not None else None
            case _:
                return None

    # ------------------------------------------------------------------ what is asked

    def subject(self, expr: Expr | None, depth: int = 0) -> str:
        """What an expression is of the things that are known; empty for anything else."""
        if depth > _MAX_DEPTH:
            return ""
        match expr:
            case Name(id=name) if name in self.roles:
                return self.roles[name]
            case Name(id=name):
                value = self._assigned_value(name)
                return self.subject(value, depth + 1) if value is not None else ""
            case Cast(value=inner):
                return self.subject(inner, depth + 1)
            case Call(callee=Attribute(value=inner, name=name)):
                return _STEPS.get((self.subject(inner, depth + 1), name), "")
            case _:
                return ""

    def _assigned_value(self, name: str) -> Expr | None:
        """The value of a local variable that one statement sets."""
        found = [
            statement.value
            for statement in nested_statements(self.scope.statements or ())
            if isinstance(statement, Assign)
            and statement.target == Name(id=name, span=statement.target.span)
        ]
        return found[0] if len(found) == 1 else None

    # ------------------------------------------------------------------ tests

    def _equality_outcome(self, left: Expr, right: Expr) -> bool | None:
        for one, other in ((left, right), (right, left)):
            if isinstance(other, LiteralExpr) and other.value is None:
                return self._is_null(one)
            if isinstance(other, TypeValue):
                return self._type_is(self.subject(one), other.type, exactly=True)
        return None

    def _is_null(self, expr: Expr) -> bool | None:
        match expr:
            case Call(callee=Attribute(value=owner, name=name), args=args) if (
                name in _GETS and args
            ):
                has = self._has_annotation(owner, [a.value for a in args])
                return None if has is None else not has
        return self.handled.shape is None if self.subject(expr) == "body" else None

    def _call(self, call: Call) -> bool | None:
        if not isinstance(call.callee, Attribute):
            return None
        owner, name = call.callee.value, call.callee.name
        args = [argument.value for argument in call.args]
        if name in _HAS and args:
            return self._has_annotation(owner, args)
        if name in ("isNull", "nonNull") and len(args) == 1:
            null = self._is_null(args[0])
            return None if null is None else null is (name == "isNull")
        if len(args) != 1:
            return self._status(name) if not args else None
        if name == "isAssignableFrom" and isinstance(owner, TypeValue):
            return self._type_is(self.subject(args[0]), owner.type, exactly=False)
        if name == "isInstance" and isinstance(owner, TypeValue):
            return self._instance(self.subject(args[0]), owner.type)
        if name == "equals":
            for one, other in ((owner, args[0]), (args[0], owner)):
                if isinstance(other, TypeValue):
                    return self._type_is(self.subject(one), other.type, exactly=True)
        if name in _TEXT_TESTS:
            return self._text(self.subject(owner), name, self.program.text(args[0], self.scope))
        return None

    def _status(self, name: str) -> bool | None:
        classes = {"is2xxSuccessful": "2", "is4xxClientError": "4", "is5xxServerError": "5"}
        if name == "isError":
            return self.handled.status[:1] in ("4", "5")
        return self.handled.status[:1] == classes[name] if name in classes else None

    def _has_annotation(self, owner: Expr, args: list[Expr]) -> bool | None:
        """Whether the handler or its class has an annotation."""
        element = self.subject(owner)
        if element == "" and len(args) == 2:  # AnnotatedElementUtils.hasAnnotation(element, X)
            element = self.subject(args[0])
        wanted = args[-1].type if isinstance(args[-1], TypeValue) else None
        if not isinstance(wanted, NamedType):
            return None
        simple = type_name(wanted)
        if element == "class":
            chain = self.program.types.chain(
                self.handled.controller, self.program.class_scope(self.handled.controller)
            )
            return any(
                self._has(symbol.decl.annotations, inside, simple) for symbol, inside in chain
            )
        if element in ("method", "return"):
            return any(
                self._has([annotation], inside, simple)
                for annotation, inside in self.handled.method.annotations()
            )
        return None

    def _has(self, annotations: Iterable[Annotation], inside: Scope, simple: str) -> bool:
        written = tuple(annotations)
        if any(simple_name(annotation) == simple for annotation in written):
            return True
        return first_merged(self.program, written, inside, simple) is not None

    def _text(self, subject: str, test: str, wanted: str | None) -> bool | None:
        controller = self.handled.controller
        text = {
            "path": self.handled.path,
            "package": controller.file.package,
            "class name": f"{controller.file.package}.{controller.decl.name}",
            "simple class name": controller.decl.name,
        }.get(subject)
        if text is None or wanted is None:
            return None
        match test:
            case "startsWith":
                return text.startswith(wanted)
            case "endsWith":
                return text.endswith(wanted)
            case "contains":
                return wanted in text
            case _:
                return text == wanted

    # ------------------------------------------------------------------ types

    def _instance(self, subject: str, type: TypeExpr) -> bool | None:
        if subject == "body" and self.handled.shape is None:
            return False
        return self._type_is(subject, type, exactly=False)

    def _type_is(self, subject: str, wanted: TypeExpr, *, exactly: bool) -> bool | None:
        simple = type_name(wanted)
        if subject == "converter":
            return self._converter(simple)
        if subject in ("body", "body class"):
            return self._fits(self.handled.sends, wanted, is_value=True)
        if subject == "type":
            if isinstance(self.handled.returns, NullType):
                return simple in ("void", "Void") or isinstance(wanted, NullType)
            declared = type_name(self.handled.returns)
            if exactly and declared:
                return declared == simple
            return self._fits(self.handled.returns, wanted, is_value=False)
        if subject in ("response", "request"):
            return True if simple.startswith("Servlet") else None
        return None

    def _converter(self, simple: str) -> bool | None:
        """Whether the converter that is chosen for the body is of a class."""
        if simple in _EVERYTHING:
            return True
        type_sent = _simple(self.handled.sends)
        is_text = type_sent in _TEXTS
        if simple == "StringHttpMessageConverter":
            return is_text
        if any(mapper in simple for mapper in _MAPPERS):
            return not is_text and type_sent not in _RAW
        return None

    def _fits(self, type: TypeExpr, wanted: TypeExpr, *, is_value: bool) -> bool | None:
        """Whether what is declared as a type is of another; a value may be more than that."""
        simple, type_sent = _simple(wanted), _simple(type)
        if not simple or not type_sent:
            return None
        if simple == type_sent or simple == "Object":
            return True
        names = self.program.names
        target = (
            names.lookup_type(wanted.name, self.scope) if isinstance(wanted, NamedType) else None
        )
        own = names.declared_class(type, self.handled.scope)
        if own is not None:
            above = (own, *self.program.bases(own))
            if any(simple in map(type_name, each.decl.bases) for each in above):
                return True
            if isinstance(target, ClassValue):
                # A value may be of a class below the declared one.
                below = [target.symbol, *self.program.bases(target.symbol)]
                is_below = any(symbol.key == own.key for symbol in below)
                is_open = own.decl.kind == "interface" or target.symbol.decl.kind == "interface"
                return None if is_value and (is_below or is_open) else False
            return False if simple in _TEXTS or simple in _RAW or target is not None else None
        if type_sent in _CLOSED:
            return False
        return (
            None if is_value and type_sent in ("Object", "T", "") else _library(type_sent, simple)
        )


_CLOSED = frozenset(
    {*("String", "Integer", "Long", "Boolean", "Double", "BigDecimal", "UUID", "byte[]")}
    | {*("int", "long", "boolean", "double")}
)
_LISTS = frozenset({"List", "Collection", "Set", "Iterable", "ArrayList"})


def _library(type_sent: str, wanted: str) -> bool | None:
    """Whether a library's type is another: containers are no texts, files or own classes."""
    if type_sent in _LISTS or type_sent in ("Map", "Page", "Slice"):
        if wanted in ("Collection", "Iterable"):
            return type_sent in _LISTS
        return None if wanted in _LISTS else False
    return None


def _simple(type: TypeExpr) -> str:
    if isinstance(type, ArrayType):
        return f"{_simple(type.item)}[]"
    return type_name(type)
