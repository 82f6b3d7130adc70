"""What annotated methods of Armeria take."""

from __future__ import annotations

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue, LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, Param, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    library_name,
    type_name,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.java.serialization.nullness import MAY_BE_NULL, is_optional
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.header_names import hyphenated
from contract_scan.parsers.source.java.web.request_inputs import RequestInputs, text_value

PACKAGE = ("com.linecorp.armeria.server.annotation",)
_PARTS = ("com.linecorp.armeria.", "java.", "javax.", "io.netty.")
"""Packages whose types are given as parts of a request."""
_BODIES = frozenset({"POST", "PUT", "PATCH"})
_TEXTS = frozenset({"String", "CharSequence", "byte[]", "HttpData", "JsonNode"})


class Reader:
    """Reads what one method takes. `path` are the names that its path binds."""

    def __init__(
        self, program: Program, verb: str, path: frozenset[str], variant: str, consumes: str
    ) -> None:
        self.program = program
        self.verb = verb
        self.path = path
        self.variant = variant
        self.consumes = consumes
        self.inputs = RequestInputs([], [])

    def request_inputs(self, method: Method) -> RequestInputs:
        """The inputs that the parameters of the method declare."""
        scope = method.nearest.scope
        for param, written in method.parameters():
            self._take(param, written, scope)
        return self.inputs

    def _take(
        self, param: Param, annotations: list[tuple[Annotation, Scope]], scope: Scope
    ) -> None:
        for annotation, place in annotations:
            kind = library_name(self.program, annotation, place, PACKAGE)
            name = self.program.text(argument(annotation, "value"), place) or ""
            if kind == "Param":
                self._param(param, name or param.name, annotations, scope)
                return
            if kind == "Header":
                self._parameter(param, name or hyphenated(param.name), "header", annotations, scope)
                return
            if kind == "Attribute":
                return
        self._request(param, scope)

    def _param(
        self,
        param: Param,
        name: str,
        annotations: list[tuple[Annotation, Scope]],
        scope: Scope,
    ) -> None:
        if name in self.path:
            self._parameter(param, name, "path", annotations, scope)
        elif self.verb in _BODIES or type_name(param.type) in ("MultipartFile", "File", "Path"):
            self.inputs.complete = False  # of the query, of a form or of a part
        else:
            self._parameter(param, name, "query", annotations, scope)

    def _parameter(
        self,
        param: Param,
        name: str,
        location: Location,
        annotations: list[tuple[Annotation, Scope]],
        scope: Scope,
    ) -> None:
        written = [annotation for annotation, _ in annotations]
        has_default = find(written, "Default") is not None
        may_miss = is_optional(param.type) or find(written, *MAY_BE_NULL) is not None
        origin = Origin(scope.file.path, param.place)
        self.inputs.parameters.append(
            Parameter(
                name=name,
                location=location,
                schema=text_value(
                    self.program, param.name, param.type, scope, self.variant, origin
                ),
                required=location == "path" or not (has_default or may_miss),
                has_default=has_default,
                origin=origin,
            )
        )

    def _request(self, param: Param, scope: Scope) -> None:
        """A parameter without an annotation: the request, a part of it, or its body as a class."""
        name = type_name(param.type)
        origin = Origin(scope.file.path, param.place)
        if name in _TEXTS:
            reason = Reason("body-read-as-text")
            self._body(Unknown(reason=reason, is_text=True, origin=origin), origin)
        elif param.type is not None and self._is_bean(param.type, scope) is False:
            variant = f"{self.variant};{READING}"
            self._body(
                with_nullable(self.program.schema(param.type, scope, variant), False), origin
            )
        else:
            self.inputs.complete = False
            if self.verb in _BODIES and "Request" in name:
                reason = Reason("whole-request", parameter=param.name)
                self._body(Unknown(reason=reason, origin=origin), origin)

    def _body(self, schema: Schema, origin: Origin) -> None:
        if self.verb in _BODIES and not self.inputs.bodies:
            body = Body(schema=schema, content_type=self.consumes, origin=origin)
            self.inputs.bodies.append(body)

    def _is_bean(self, type: TypeExpr, scope: Scope) -> bool | None:
        """Whether the members of a class are bound one by one, rather than all of it converted from
        the body; None: it is a part of the request, or what it is of is not told."""
        if not isinstance(type, NamedType):
            return None
        found = self.program.names.lookup_type(type.name, scope)
        if type_name(type) in ("List", "Set", "Map", "Collection"):
            return False
        if isinstance(found, LibrarySymbol) and "." in found.name:  # generated, say
            return None if found.name.startswith(_PARTS) else False
        if not isinstance(found, ClassValue) or found.symbol.decl.kind == "enum":
            return None
        decl = found.symbol.decl
        inside = self.program.class_scope(found.symbol)
        annotations = [
            *(annotation for member in decl.members for annotation in member.annotations),
            *(annotation for function in decl.methods for annotation in function.annotations),
            *(a for f in decl.methods for param in f.params for a in param.annotations),
        ]
        return any(library_name(self.program, a, inside, PACKAGE) for a in annotations)
