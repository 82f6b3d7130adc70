"""The modules of a Nest application: controllers, the paths in front of them, and providers that
stand around every handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Items,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    ObjectLiteral,
    Spread,
)
from contract_scan.parsers.source.typescript.frameworks.nestjs.enhancers import (
    Interceptor,
    converts,
    transforms,
    validates,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import COMMON, decorators
from contract_scan.parsers.source.typescript.web.paths import join

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_MODULES = 2_000


class Modules:
    """The modules of one application, from its root."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seen: dict[str, ClassSymbol] = {}
        self._controllers: dict[str, list[str]] = {}
        """Module -> keys of its controllers."""
        self._routed: dict[str, list[str]] = {}
        """Module -> paths that `RouterModule` gives it."""
        self.interceptors: list[Interceptor] = []
        self.transforms = False
        self.converts = False
        self.validates = False

    def controller_paths(self) -> dict[str, list[str]]:
        """Controller -> paths in front of it."""
        found: dict[str, list[str]] = {}
        for module, controllers in self._controllers.items():
            for controller in controllers:
                paths = found.setdefault(controller, [])
                paths.extend(p for p in self._routed.get(module, [""]) if p not in paths)
        return found

    def add(self, value: Value, _path: str) -> None:
        """A module and everything it imports."""
        pending: list[Value] = [value]
        while pending and len(self._seen) < MAX_MODULES:
            current = pending.pop()
            match current:
                case ClassValue(symbol=symbol):
                    if symbol.key not in self._seen:
                        self._seen[symbol.key] = symbol
                        pending.extend(self._module(symbol))
                case OneOf(options=options) | Items(values=options):
                    pending.extend(options)
                case Record():
                    pending.extend(self._dynamic(current))
                case _:
                    continue

    def _module(self, symbol: ClassSymbol) -> list[Value]:
        scope = self._program.module_scope(symbol.file)
        for decorator in decorators(self._program, symbol.decl.annotations, scope):
            if decorator.name == COMMON + "Module":
                metadata = decorator.argument(0)
                if isinstance(metadata, ObjectLiteral):
                    return self._metadata(symbol.key, metadata, decorator.scope)
        return []

    def _metadata(self, key: str, metadata: ObjectLiteral, scope: Scope) -> list[Value]:
        imports: list[Value] = []
        for entry in metadata.entries:
            if entry.key == "controllers":
                value = self._program.evaluate(entry.value, scope)
                self._add_controllers(key, value)
            elif entry.key == "providers":
                self._providers(entry.value, scope)
            elif entry.key == "imports" and isinstance(entry.value, ArrayLiteral):
                for item in entry.value.items:
                    imports.extend(self._import(item, scope))
            elif entry.key == "imports":
                imports.append(self._program.evaluate(entry.value, scope))
        return imports

    def _add_controllers(self, module: str, value: Value) -> None:
        items = value.values if isinstance(value, Items) else (value,)
        for item in items:
            if isinstance(item, ClassValue):
                self._controllers.setdefault(module, []).append(item.symbol.key)

    def _import(self, item: Expr, scope: Scope) -> list[Value]:
        """A module, `forwardRef(() => M)`, `M.forRoot(…)`, `RouterModule.register([…])`."""
        if isinstance(item, Spread):
            return [self._program.evaluate(item.value, scope)]
        if not isinstance(item, Call):
            return [self._program.evaluate(item, scope)]
        if isinstance(item.callee, Attribute):
            owner = self._program.evaluate(item.callee.value, scope)
            if self._program.evaluator.qualified_name(owner) == "@nestjs/core.RouterModule":
                if item.args:
                    self._routes(self._program.evaluate(item.args[0].value, scope), "")
                return []
            result = self._program.evaluate(item, scope)
            return [owner, result] if isinstance(owner, ClassValue) else []
        if item.args:
            function = self._program.function_value(item.args[0].value, scope)
            if function is not None:
                return [self._program.evaluator.apply(function, (), scope)]
        return [self._program.evaluate(item, scope)]

    def _dynamic(self, record: Record) -> list[Value]:
        """`{ module: M, imports: […], controllers: […] }`, as `forRoot` gives it."""
        entries = walker.entries(record)
        found: list[Value] = []
        module = entries.get("module")
        if module is not None and isinstance(module.value, ClassValue):
            found.append(module.value)
            if "controllers" in entries:
                self._add_controllers(module.value.symbol.key, entries["controllers"].value)
        if "imports" in entries:
            found.append(entries["imports"].value)
        return found

    def _routes(self, value: Value, above: str) -> None:
        """`[{ path: "admin", module: AdminModule, children: […] }]`."""
        for item in value.values if isinstance(value, Items) else ():
            if isinstance(item, ClassValue):
                self._routed.setdefault(item.symbol.key, []).append(above)
                continue
            entries = walker.entries(item)
            own = self._program.evaluator.text(entries["path"].value) if "path" in entries else ""
            path = join(above, own or "")
            module = entries.get("module")
            if module is not None and isinstance(module.value, ClassValue):
                self._routed.setdefault(module.value.symbol.key, []).append(path)
            if "children" in entries:
                self._routes(entries["children"].value, path)

    def _providers(self, expr: Expr, scope: Scope) -> None:
        """`{ provide: APP_INTERCEPTOR, useClass: X }`, `{ provide: APP_PIPE, useValue: … }`."""
        if not isinstance(expr, ArrayLiteral):
            return
        for item in expr.items:
            if not isinstance(item, ObjectLiteral):
                continue
            parts = {entry.key: entry.value for entry in item.entries if entry.key is not None}
            if "provide" not in parts:
                continue
            token = self._program.qualified_name(parts["provide"], scope)
            given = parts.get("useClass") or parts.get("useValue") or parts.get("useFactory")
            if given is None:
                continue
            if token == "@nestjs/core.APP_INTERCEPTOR":
                self.interceptors.append(Interceptor(given, scope))
            elif token == "@nestjs/core.APP_PIPE":
                self.transforms = self.transforms or transforms(given)
                self.converts = self.converts or converts(given)
                made = parts.get("useFactory")
                self.validates = self.validates or validates(given) or made is not None
