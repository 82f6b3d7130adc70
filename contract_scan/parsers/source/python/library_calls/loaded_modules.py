"""Modules that a program loads by names, and packages and folders whose modules it lists.

for _, name, _ in pkgutil.iter_modules(views.__path__):
    app.register_blueprint(importlib.import_module(f"app.views.{name}").bp)
"""

from __future__ import annotations

import posixpath

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    ModuleValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Expr,
    Import,
    Name,
)
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.python.resolution.modules import find_module

MAX_MODULES = 200
"""How many modules of a folder are told one by one."""
_PACKAGE = "__init__.py"


def imported_module(site: CallSite) -> Value | None:
    """`importlib.import_module("app.views.users")`, `import_module(".users", __package__)`."""
    name = site.program.text(site.argument(0, "name"), site.scope)
    if not name:
        return None
    entry = Import(module=name)
    if name.startswith("."):
        package = site.argument(1, "package")
        if not isinstance(package, Name) or package.id not in ("__package__", "__name__"):
            return None
    found = find_module(site.program.files, site.scope.file.path, entry)
    return None if found is None else ModuleValue(found)


def listed_modules(site: CallSite) -> Value | None:
    """`pkgutil.iter_modules(package.__path__)`: a finder, the name, whether it is a package."""
    names = _names_below(site.program, _folder(site.program, site.argument(0, "path"), site.scope))
    prefix = site.argument(1, "prefix")
    before = "" if prefix is None else site.program.text(prefix, site.scope)
    if before is None or not names:
        return None
    rows = (
        Items((Constant(None), Constant(before + name), Constant(is_package)), is_tuple=True)
        for name, is_package in names.items()
    )
    return Items(tuple(rows))


def listed_names(site: CallSite) -> Value | None:
    """`os.listdir(folder)`: the names of the files and folders with code in it."""
    names = _names_below(site.program, _folder(site.program, site.argument(0, "path"), site.scope))
    written = (name if is_package else name + ".py" for name, is_package in names.items())
    return Items(tuple(Constant(name) for name in written)) if names else None


def _names_below(program: Program, folder: str | None) -> dict[str, bool]:
    """The modules of a folder, by name, and whether each is a package."""
    if folder is None:
        return {}
    prefix = folder + "/" if folder else ""
    found: dict[str, bool] = {}
    for path in sorted(program.files.source("python")):
        name, slash, rest = path.removeprefix(prefix).partition("/")
        if not path.startswith(prefix) or (slash and rest != _PACKAGE):
            continue
        if slash or (name.endswith(".py") and name != _PACKAGE):
            found[name.removesuffix(".py")] = bool(slash)
    return found if len(found) <= MAX_MODULES else {}


def _folder(program: Program, expr: Expr | None, scope: Scope) -> str | None:
    """The root-relative folder of a package's `__path__` or of `os.path.dirname(__file__)`."""
    match expr:
        case ArrayLiteral(items=(one,)):
            return _folder(program, one, scope)
        case Name(id="__path__"):
            return posixpath.dirname(scope.file.path)
        case Attribute(value=package, name="__path__"):
            value = program.evaluate(package, scope)
            return posixpath.dirname(value.path) if isinstance(value, ModuleValue) else None
        case Call(callee=Attribute(name="dirname" | "abspath" | "realpath"), args=(first,)):
            inner = first.value
            if isinstance(inner, Name) and inner.id == "__file__":
                return posixpath.dirname(scope.file.path)
            return _folder(program, inner, scope)
        case Call(callee=Attribute(name="join"), args=(first, *others)):
            begin = _folder(program, first.value, scope)
            texts = [program.text(argument.value, scope) for argument in others]
            if begin is None or None in texts:
                return None
            folder = posixpath.normpath(posixpath.join(begin, *(text or "" for text in texts)))
            return None if folder.startswith("..") else folder.removeprefix("./")
        case Name(id=id):
            given = _only_assignment(id, scope)
            return None if given is None else _folder(program, given, scope)
        case _:
            return None


def _only_assignment(name: str, scope: Scope) -> Expr | None:
    """The only expression that a file or a function gives a name."""
    for statements in (scope.statements or (), scope.file.statements):
        given = [
            statement.value
            for statement in statements
            if isinstance(statement, Assign)
            and isinstance(statement.target, Name)
            and statement.target.id == name
        ]
        if len(given) == 1:
            return given[0]
    return None


CALL_MODELS: dict[str, CallModel] = {
    "importlib.import_module": imported_module,
    "pkgutil.iter_modules": listed_modules,
    "os.listdir": listed_names,
}
"""Key: qualified name."""
