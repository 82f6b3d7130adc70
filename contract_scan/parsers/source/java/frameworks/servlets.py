"""Servlets: `@WebServlet`, `web.xml`, and servlets that code adds to a server."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.operation import Operation, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    NamedType,
    New,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    library_name,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import module_of, module_of_web_xml
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.java.web.dispatch.conditions import Subjects
from contract_scan.parsers.source.java.web.dispatch.routes import routes_by_method, routes_by_path
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.servlet_api import servlet_library
from contract_scan.parsers.source.java.web.wrapping_filters import behind_filters
from contract_scan.parsers.source.language import Framework

_PACKAGES = ("javax.servlet", "jakarta.servlet")
_METHODS = {
    "doGet": "GET",
    "doPost": "POST",
    "doPut": "PUT",
    "doDelete": "DELETE",
    "doPatch": "PATCH",
    "doHead": "HEAD",
    "service": "*",
}
_ADDING = (b"addServlet(", b"addMapping(", b"ServletRegistrationBean")
_VERB_CALLS = frozenset({"getMethod"})
_PATH_CALLS = frozenset({"getRequestURI", "getServletPath", "getRequestURL"})
_REST_CALLS = frozenset({"getPathInfo"})
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_SERVLET = re.compile(rb"<servlet>([^<]*+(?>(?:<(?!/?servlet>)[^<]*+)*))</servlet>")
_MAPPING = re.compile(
    rb"<servlet-mapping>([^<]*+(?>(?:<(?!/?servlet-mapping>)[^<]*+)*))</servlet-mapping>"
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every servlet."""
    servlets = [
        symbol
        for file in program.seeds(framework)
        for symbol in program.classes(file)
        if _is_servlet(program, symbol)
    ]
    added = _added_patterns(program) if servlets else {}
    described = _web_xml_patterns(program) if servlets else {}
    for symbol in servlets:
        patterns: list[tuple[str, Reason]] = [*_annotated_patterns(program, symbol)]
        name = f"{symbol.file.package}.{symbol.qualified_name}".lstrip(".")
        module = module_of(program, symbol.file.path)
        for called in (name, *_names(program, symbol)):
            patterns.extend((p, NO_REASON) for p in described.get((module, called), ()))
        patterns.extend(added.get(symbol.key, ()))
        below = {join_paths(p.removesuffix("/*")) for p, _ in patterns if p.endswith("/*")}
        for pattern, why in dict.fromkeys(patterns):
            if pattern.endswith("/*"):
                path = join_paths(pattern.removesuffix("/*"))
                found = _operations(program, framework, symbol, path, why, is_below=True)
            elif join_paths(pattern) not in below:
                path, own = _path(pattern)
                found = _operations(program, framework, symbol, path, why or own)
            else:
                continue
            yield from (behind_filters(program, operation) for operation in found)


def _is_servlet(program: Program, symbol: ClassSymbol) -> bool:
    if symbol.decl.kind != "class" or "abstract" in symbol.decl.modifiers:
        return False
    chain = (symbol, *program.bases(symbol))
    return any(
        type_name(base) in ("HttpServlet", "GenericServlet")
        for owner in chain
        for base in owner.decl.bases
    )


def _annotated_patterns(program: Program, symbol: ClassSymbol) -> Iterator[tuple[str, Reason]]:
    """The URL patterns of `@WebServlet`, each with the reason why it is undetermined."""
    scope = program.class_scope(symbol)
    for annotation in symbol.decl.annotations:
        if annotation.name.rpartition(".")[2] != "WebServlet":
            continue
        if not library_name(program, annotation, scope, _PACKAGES):
            continue
        for text in program.texts(argument(annotation, "value", "urlPatterns"), scope):
            yield text or "", NO_REASON if text is not None else Reason("url-pattern-not-constant")


def _names(program: Program, symbol: ClassSymbol) -> Iterator[str]:
    """The name that `@WebServlet` gives a servlet, which `web.xml` may map."""
    for annotation in symbol.decl.annotations:
        if annotation.name.rpartition(".")[2] == "WebServlet":
            text = program.text(argument(annotation, "name"), program.class_scope(symbol))
            yield from filter(None, [text])


def _web_xml_patterns(program: Program) -> dict[tuple[str, str], list[str]]:
    """(module, class) -> URL patterns that `web.xml` maps to it."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in program.files.files_named("web.xml"):
        content = _COMMENT.sub(b"", program.files.read(path) or b"")
        classes = {
            _element(text, b"servlet-name"): _element(text, b"servlet-class")
            for text in _SERVLET.findall(content)
        }
        for text in _MAPPING.findall(content):
            servlet = _element(text, b"servlet-name")
            name = classes.get(servlet, servlet)  # without an element of its own it is the class
            pattern = _element(text, b"url-pattern")
            if name and pattern:
                module = module_of_web_xml(program, path)
                found.setdefault((module, name), []).append(pattern)
    return found


def _element(text: bytes, name: bytes) -> str:
    start, end = text.find(b"<" + name + b">"), text.find(b"</" + name + b">")
    if not 0 <= start < end:
        return ""
    return text[start + len(name) + 2 : end].decode("utf-8", "replace").strip()


def _added_patterns(program: Program) -> dict[str, list[tuple[str, Reason]]]:
    """Class -> URL patterns under which code adds it to a server: `addServlet(X.class, "/x")`,
    `new ServletRegistrationBean(new X(), "/x")`."""
    found: dict[str, list[tuple[str, Reason]]] = {}
    for path in program.files_containing(*_ADDING):
        for call, scope in program.calls(program.facts(path)):
            name = type_name(call.type) if isinstance(call, New) else method(call)
            args = [a.value for a in call.args]
            if name == "addMapping" and isinstance(call, Call):
                symbol, patterns = _registered_servlet(program, call, scope), args
            elif name in ("addServlet", "ServletRegistrationBean") and len(args) > 1:
                symbol, patterns = _servlet_in(program, args[0], scope), args[1:2]
            else:
                continue
            for expr in patterns if symbol is not None else ():
                text = program.text(expr, scope)
                why = NO_REASON if text is not None else Reason("url-pattern-not-constant")
                found.setdefault(symbol.key if symbol else "", []).append((text or "", why))
    return found


def _registered_servlet(program: Program, call: Call, scope: Scope) -> ClassSymbol | None:
    """The servlet of `context.addServlet("name", servlet).addMapping("/path")`."""
    if not isinstance(call.callee, Attribute):
        return None
    value = program.evaluate(call.callee.value, scope)
    if not isinstance(value, LibraryResult) or not value.name.endswith("addServlet"):
        return None
    args = value.site.args
    return _servlet_in(program, args[1].value, value.scope) if len(args) > 1 else None


def _servlet_in(program: Program, expr: Expr, scope: Scope) -> ClassSymbol | None:
    """The servlet that an argument is: `X.class`, `new X()`, `new ServletHolder(new X())`."""
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and isinstance(value.site, New) and value.site.args:
        if type_name(value.site.type) != "ServletHolder":
            return None
        expr, scope = value.site.args[-1].value, value.scope
        value = program.evaluate(expr, scope)
    if isinstance(expr, TypeValue) and isinstance(value, ClassValue):
        return value.symbol
    if isinstance(value, ByType) and isinstance(value.type, NamedType):
        value = program.evaluator.type_value(value.type, value.scope, expr.span)
    return value.symbol if isinstance(value, Instance | ClassValue) else None


def _path(pattern: str) -> tuple[str, Reason]:
    """The path of a URL pattern, and why it is undetermined."""
    if pattern.startswith("*"):
        return "/{path*}", Reason("suffix-pattern", pattern=pattern)
    return ("/{path*}" if pattern == "/" else join_paths(pattern)), NO_REASON


def _operations(
    program: Program,
    framework: Framework,
    symbol: ClassSymbol,
    path: str,
    why: Reason,
    *,
    is_below: bool = False,
) -> Iterator[Operation]:
    """What a servlet answers at a path; with `is_below` at those below it as well."""
    this = Instance(symbol, {})
    for name, verb in _METHODS.items():
        value = program.evaluator.member(this, name)
        if not isinstance(value, FunctionValue) or len(value.function.params) != 2:
            continue
        origin = Origin(value.scope.file.path, value.function.name_span)
        base = Operation(
            method=verb,
            path=path,
            parameters_complete=False,
            origin=origin,
            handler=f"{symbol.qualified_name}.{name}",
            framework=framework.name,
            unresolved=why,
        )
        if is_below:
            subjects = Subjects(_VERB_CALLS, _PATH_CALLS, rests=_REST_CALLS, base=path)
            yield from routes_by_path(program, base, value, servlet_library(verb), subjects)
        else:
            subjects = Subjects(_VERB_CALLS, frozenset())
            yield from routes_by_method(program, base, value, servlet_library(verb), subjects)


FRAMEWORK = Framework(
    name="Servlets",
    markers=(
        *(b"extends HttpServlet", b"extends GenericServlet", b"WebServlet"),
        *(b"doGet(", b"doPost(", b"doPut(", b"doDelete("),
    ),
    calls=_ADDING,
    operations=operations,
    traits=RouteTraits(form_fields_as_query=True),
)
