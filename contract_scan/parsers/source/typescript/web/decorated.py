"""Controllers whose parameters are decorated: what tsoa and routing-controllers have in common.

A framework says what each parameter is (`Role`); this module makes parameters and bodies of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.typing.types import may_be_absent
from contract_scan.parsers.source.facts.nodes import Function, Param
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators
from contract_scan.parsers.source.typescript.web.request_reads import path_text
from contract_scan.parsers.source.typescript.web.response_heads import JSON

Place: TypeAlias = Literal[
    "path", "query", "header", "cookie", "body", "body field", "form field", "file", "request", ""
]
"""Where a parameter comes from; `request`: it is the whole request; empty: from elsewhere."""

FORM = "multipart/form-data"
_UNGRADED = Evidence()
_LOCATIONS: dict[Place, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
}


class Role(Struct, frozen=True, kw_only=True):
    """What a parameter of a handler is."""

    place: Place
    name: str = ""
    """Empty: the object of all of them."""
    required: bool = True
    schema: Schema | None = None
    """Where the decorator says more than the type."""


RoleOf: TypeAlias = Callable[[Param, list[Decorator]], Role]


class Method(Struct, frozen=True):
    """A method of a controller."""

    controller: ClassSymbol
    function: Function
    scope: Scope
    """Inside the class that declares it, type parameters bound."""
    own: tuple[Decorator, ...]
    of_class: tuple[Decorator, ...]

    def decorator_named(self, name: str) -> Decorator | None:
        """The first decorator of the method whose qualified name ends in the name."""
        return next((d for d in self.own if d.simple == name), None)

    def value(self) -> FunctionValue:
        """The method, called on an instance of the controller."""
        receiver = Instance(self.controller, self.scope.types)
        return FunctionValue(self.function, self.scope, self.scope.owner, receiver)

    @property
    def origin(self) -> Origin:
        """Where its name stands."""
        symbol = f"{self.controller.qualified_name}.{self.function.name}"
        return Origin(self.scope.file.path, self.function.name_span, "", symbol)


class RequestInputs(Struct, frozen=True):
    """What a handler takes."""

    parameters: tuple[Parameter, ...]
    complete: bool
    request: tuple[Body, ...]
    all_bound: bool = False
    """Whether decorators that are known say of each parameter what it is given."""

    @property
    def reads_no_body(self) -> bool:
        """Whether all that the handler reads is known, and no body is among it."""
        return self.complete and self.all_bound and not self.request


def methods(
    program: Program, symbol: ClassSymbol, of_class: list[Decorator], modules: tuple[str, ...]
) -> Iterator[Method]:
    """Methods of a controller with decorators of the library, inherited ones too; a method hides
    those of its name further up."""
    seen: set[str] = set()
    for holder in (symbol, *program.bases(symbol)):
        inside = program.class_scope(holder)
        for function in holder.decl.methods:
            own = [
                d
                for d in decorators(program, function.annotations, inside)
                if _is_of_modules(d, modules)
            ]
            if own and function.name not in seen:
                yield Method(symbol, function, inside, tuple(own), tuple(of_class))
            seen.add(function.name)


def _is_of_modules(decorator: Decorator, modules: tuple[str, ...]) -> bool:
    return decorator.name.startswith(tuple(f"{module}." for module in modules))


def library_decorators(
    program: Program, symbol: ClassSymbol, modules: tuple[str, ...]
) -> list[Decorator]:
    """Decorators of a class that come from one of the modules."""
    inside = program.class_scope(symbol)
    found = decorators(program, symbol.decl.annotations, inside)
    return [decorator for decorator in found if _is_of_modules(decorator, modules)]


def request_inputs(
    program: Program, method: Method, path_names: tuple[str, ...], role_of: RoleOf, variant: str
) -> RequestInputs:
    """The parameters and bodies of a handler whose path has these parameters."""
    found: dict[tuple[str, str], Parameter] = {}
    fields: list[Field] = []
    form: list[Field] = []
    whole: list[Body] = []
    complete = all_bound = True
    for param in method.function.params:
        role = role_of(param, decorators(program, param.annotations, method.scope))
        all_bound = all_bound and bool(role.place)
        origin = Origin(method.scope.file.path, param.place)
        if role.place == "request":
            complete = False
        elif role.place in _LOCATIONS:
            of_param, all_known = _parameters(program, method, param, role, path_names, variant)
            complete = complete and all_known
            found.update(((p.location, p.name), p) for p in of_param)
        elif role.place == "body":
            schema = _schema(program, method, param, role, variant)
            whole.append(Body(schema=schema, required=role.required, origin=origin))
        elif role.place:
            schema = _schema(program, method, param, role, variant)
            if role.place == "file":
                schema = Unknown(reason=Reason("file-uploaded"), origin=origin)
            field = Field(
                name=role.name or param.name,
                schema=schema,
                required=role.required,
                has_default=not role.required,
                origin=origin,
            )
            (fields if role.place == "body field" else form).append(field)
    for name in path_names:
        found.setdefault(("path", name), path_text(name, method.origin))
    parameters = [p for p in found.values() if p.location != "path" or p.name in path_names]
    origin = Origin(method.scope.file.path, method.function.name_span)
    for parts, content_type in ((fields, JSON), (form, FORM)):
        if parts:
            shape = Object(fields=tuple(parts), origin=origin)
            # Where every part may be left out, so may the whole of it.
            required = True if any(part.required for part in parts) else None
            whole.append(
                Body(schema=shape, content_type=content_type, required=required, origin=origin)
            )
    return RequestInputs(tuple(parameters), complete, tuple(whole), all_bound)


def _parameters(
    program: Program,
    method: Method,
    param: Param,
    role: Role,
    path_names: tuple[str, ...],
    variant: str,
) -> tuple[list[Parameter], bool]:
    location = _LOCATIONS[role.place]
    origin = Origin(method.scope.file.path, param.place)
    schema = _schema(program, method, param, role, variant)
    if isinstance(schema, Unknown) and param.type is None and role.schema is None:
        schema = replace(schema, is_text=True)
    if role.name:
        return [
            Parameter(
                name=role.name,
                location=location,
                schema=schema,
                required=location == "path" or role.required,
                has_default=param.default is not None,
                origin=origin,
            )
        ], True
    flat = program.types.flat(schema)
    if not isinstance(flat, Object):
        return [], location == "path"
    return parameters_of_object(flat, location, path_names), not flat.incomplete_reason


def parameters_of_object(
    held: Object, location: Location, path_names: tuple[str, ...], evidence: Evidence = _UNGRADED
) -> list[Parameter]:
    """The parameters that an object of all of them holds."""
    return [
        Parameter(
            name=field.name,
            location=location,
            schema=field.schema,
            required=location == "path" or (field.required and not field.has_default),
            has_default=field.has_default and location != "path",
            evidence=evidence,
            origin=field.origin,
        )
        for field in held.fields
        if location != "path" or field.name in path_names
    ]


def _schema(program: Program, method: Method, param: Param, role: Role, variant: str) -> Schema:
    if role.schema is not None:
        return role.schema
    origin = Origin(method.scope.file.path, param.place)
    if param.type is None and param.default is not None:
        return _widen_literal(program.infer(param.default, method.scope))
    if param.type is None:
        return Unknown(reason=Reason("no-declared-type", member=param.name or "it"), origin=origin)
    return program.schema(param.type, method.scope, variant)


def _widen_literal(schema: Schema) -> Schema:
    """The type of a parameter that has a default and no annotation: `size = 10` is any number."""
    if not isinstance(schema, Scalar) or schema.values is None:
        return schema
    kind = "numeric" if schema.type in ("integer", "number") else schema.type
    return Scalar(type=kind, nullable=schema.nullable, origin=schema.origin)


def is_required(param: Param) -> bool:
    """Whether a call must pass the parameter."""
    return not (param.optional or param.default is not None or may_be_absent(param.type))


def returned_schema(
    program: Program, method: Method, variant: str = "", *, as_declared: bool = False
) -> tuple[Schema | None, Origin]:
    """The shape of what a handler returns, with its place; None where it returns nothing. With
    `as_declared` only a declared type counts: the handler may return something else as well."""
    declared = method.function.returns
    schema = program.schema_of(program.evaluator.returned_value(method.value()), variant)
    place = method.origin
    if declared is not None:
        typed = program.schema(declared, method.scope, variant)
        if not program.types.is_unknown(typed):
            schema = typed if as_declared else schema
            place = Origin(method.scope.file.path, declared.span)
    flat = program.types.flat(schema)
    if isinstance(flat, Nothing) and not flat.nullable:
        return None, place
    return schema, place
