"""What annotated methods of Armeria take."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue, LibrarySymbol
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.java.resolution.annotations import argument, has, library_name
from contract_scan.parsers.source.java.web.header_names import hyphenated
from contract_scan.parsers.source.java.web.method_parameters import InputPoint, MethodParameters

PACKAGE = ("com.linecorp.armeria.server.annotation",)
_PARTS = ("com.linecorp.armeria.", "java.", "javax.", "io.netty.")
"""Packages whose types are given as parts of a request."""
_BODIES = frozenset({"POST", "PUT", "PATCH"})


class Reader(MethodParameters):
    """Reads what one method takes. `path` are the names that its path binds."""

    texts: ClassVar = frozenset({"String", "CharSequence", "byte[]", "HttpData", "JsonNode"})

    def __init__(
        self, program: Program, verb: str, path: frozenset[str], variant: str, consumes: str
    ) -> None:
        super().__init__(program, variant, consumes)
        self.verb = verb
        self.path = path

    def bind(self, point: InputPoint) -> None:
        """Note what a parameter declares."""
        for annotation, place in point.written:
            kind = library_name(self.program, annotation, place, PACKAGE)
            name = self.program.text(argument(annotation, "value"), place) or ""
            if kind == "Param":
                self._param(point, name or point.name)
                return
            if kind == "Header":
                self._parameter(point, name or hyphenated(point.name), "header")
                return
            if kind == "Attribute":
                return
        self._request(point)

    def _param(self, point: InputPoint, name: str) -> None:
        if name in self.path:
            self._parameter(point, name, "path")
        elif self.verb in _BODIES or point.type_name in ("MultipartFile", "File", "Path"):
            self.inputs.complete = False  # of the query, of a form or of a part
        else:
            self._parameter(point, name, "query")

    def _parameter(self, point: InputPoint, name: str, location: Location) -> None:
        has_default = has(point.annotations, "Default")
        required = not (has_default or point.is_optional)
        self.add_parameter(point, name, location, required=required, has_default=has_default)

    def _request(self, point: InputPoint) -> None:
        """A parameter without an annotation: the request, a part of it, or its body as a class."""
        if point.type_name in self.texts or self._is_bean(point) is False:
            self._body(point, self.body_schema(replace(point, written=[])))  # nothing validates it
            return
        self.inputs.complete = False
        if "Request" in point.type_name:
            reason = Reason("whole-request", parameter=point.name)
            self._body(point, Unknown(reason=reason, origin=point.origin))

    def _body(self, point: InputPoint, schema: Schema) -> None:
        if self.verb in _BODIES and not self.inputs.bodies:
            body = Body(schema=schema, content_type=self.consumes, origin=point.origin)
            self.inputs.bodies.append(body)

    def _is_bean(self, point: InputPoint) -> bool | None:
        """Whether the members of a class are bound one by one, rather than all of it converted from
        the body; None: it is a part of the request, or what it is of is not told."""
        if not isinstance(point.type, NamedType):
            return None
        found = self.program.names.lookup_type(point.type.name, point.scope)
        if point.type_name in ("List", "Set", "Map", "Collection"):
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
