"""Which parts of its request a function reads: the names of its query, and whether its body.

What is handed the request is followed into functions of the project, and so is what is taken out of
it. Where the request, or its whole query, reaches anything else, any of it may be read. Where the
request is a global name (Flask), functions that are called are asked as well.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of, first_name, links
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    Statement,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import children, nodes_of
from contract_scan.parsers.source.web.request_members import (
    ANYTHING,
    Path,
    RequestMembers,
    RequestUses,
)

_MAX_STEPS = 200
"""How many functions are asked for one route."""
_DEEPEST = 8
_LOGS = re.compile(
    r"(log|info|warn|warning|error|debug|trace|verbose|http|silly|exception|critical|fatal)$"
    r"|Log(Information|Warning|Error|Debug|Trace|Critical)$"
)
_DEFINITION = re.compile(rb"\bdef (\w+)\(")
_PROPERTY = re.compile(rb"@(?:\w+\.)*\w*property\b[^\n]*\n(?:\s*@[^\n]*\n)*(?:\s*def (\w+)\()?")
"""What `property` decorates. Decorators that no function follows are passed over with those below
them: none is read again."""
_COMMENT = re.compile(rb"(?:^|(?<=\s))(?://|#)[^\n]*|/\*.*?\*/", re.DOTALL)
_RECEIVERS = frozenset({"self", "cls", "this"})
_WRITERS = frozenset({"JSON.stringify", "json.dumps", "str", "dict", "String"})
"""Functions that make a text of what is logged."""
_READERS = re.compile(r"(paginate|parse_args|parse|from_request|render_template\w*)$|validate_on")
"""Methods of libraries that read a global request by themselves."""
_QUIET = frozenset(
    {"flask", "quart", "bottle", "werkzeug", "flask_cors", "flask_jwt_extended", "flask_login"}
    | {"flask_sqlalchemy", "sqlalchemy", "flask_limiter", "flask_caching", "flask_bcrypt", "jwt"}
    | {"flask_httpauth", "marshmallow", "flask_marshmallow", "pydantic", "requests", "httpx"}
    | {"redis", "celery", "pymongo", "bson", "mongoengine", "peewee", "psycopg2", "psycopg"}
    | {"boto3", "botocore", "numpy", "pandas", "dateutil", "pytz", "bcrypt", "passlib", "attr"}
    | {"structlog", "loguru", "sentry_sdk", "yaml", "cachetools", "quart_cors"}
    | sys.stdlib_module_names
)
"""Packages whose functions read no global request, but for `_READERS`."""

_OF_MADE = ("__init__", "__enter__", "__aenter__", "__exit__", "__aexit__", "__call__")
"""Methods of a class that run where an object is made, entered and called."""
_Names: TypeAlias = Mapping[str, Path]
"""What names hold of the request: the members that lead to it."""


class _Step(Struct, frozen=True, eq=False):
    """A function that is asked, with what its parameters hold of the request."""

    function: FunctionValue
    given: tuple[tuple[int, Path], ...] = ()
    scope: Scope | None = None
    """Inside it, where a call says more of its parameters."""
    depth: int = 0


class RequestUsesReader:
    """Says of the functions that one library hands its requests what they read."""

    def __init__(self, program: Program, members: RequestMembers) -> None:
        self._program = program
        self._members = members
        self._known: dict[object, tuple[_Step, RequestUses, tuple[_Step, ...]]] = {}
        self._imported: dict[str, frozenset[str]] = {}

    def uses(
        self, functions: Iterable[tuple[FunctionValue, int | None] | None], start: Path = ()
    ) -> RequestUses:
        """What functions read of the request, each with the position of the parameter that holds
        it (None: none does); None for a function that is not seen. `start`: what of the request
        that parameter holds."""
        pending: list[_Step] = []
        for one in functions:
            if one is None:
                return ANYTHING
            function, position = one
            pending.append(_Step(function, () if position is None else ((position, start),)))
        found, seen = RequestUses(), set[object]()
        while pending:
            step = pending.pop()
            key = self._key(step)
            if key in seen:
                continue
            if len(seen) >= _MAX_STEPS or step.depth > _DEEPEST:
                return ANYTHING
            seen.add(key)
            known = self._known.get(key)
            if known is None:
                reading = _Reading(self._program, self._members, self._imported, step)
                reading.read()
                known = self._known[key] = (step, reading.found, tuple(reading.following))
            found = found.and_also(known[1])
            if found.any_query and found.body:
                return ANYTHING
            pending.extend(known[2])
        return found if found.unknown <= found.written else ANYTHING

    def _key(self, step: _Step) -> object:
        function = step.function
        owner = function.receiver.symbol.key if isinstance(function.receiver, Instance) else ""
        around = id(function.scope if step.scope is None else step.scope) if step.given else 0
        return (function.scope.file.path, function.function.span, step.given, owner, around)


class _Reading:
    """Reads one function."""

    def __init__(
        self,
        program: Program,
        members: RequestMembers,
        imported: dict[str, frozenset[str]],
        step: _Step,
    ) -> None:
        self._program = program
        self._members = members
        self._imported = imported
        self._step = step
        self.found = RequestUses()
        self.following: list[_Step] = []
        self._called: list[tuple[Call, Scope]] = []
        """Calls of which it is asked last what they run, since that takes longest."""

    # ------------------------------------------------------------------ functions

    def read(self) -> None:
        """Read the function of the step."""
        function = self._step.function
        scope = self._step.scope
        if scope is None:
            scope = self._program.function_scope(function.function, function.scope)
            scope = replace(
                scope,
                receiver=function.receiver or scope.receiver,
                owner=function.owner or scope.owner,
            )
        params = _given_params(function.function)
        names: dict[str, Path] = {}
        for position, path in self._step.given:
            if position >= len(params):
                continue  # JavaScript's functions are given more than they take
            param = params[position]
            if param.kind in ("*", "**"):
                self._note(path)
            elif param.pattern is not None:
                self._take_apart(param.pattern, path, names, is_noted=True)
            if param.name:
                names[param.name] = path
        if self._members.global_names:
            for annotation in function.function.annotations:
                self.decorator(annotation, function.scope)
        if "abstract" in function.function.modifiers:
            self.found = ANYTHING
        self._function(function.function, scope, names)
        for call, place in self._called:
            if self.found.any_query and self.found.body:
                break
            self._ask(call, place)

    def _function(self, function: Function, scope: Scope, around: _Names) -> None:
        statements = scope.statements or self._program.body(function, scope.file)
        names = self._with_aliases(statements, scope, dict(around))
        if self._mentions_more(function, scope, names, statements):
            self.found = ANYTHING
        pending: list[Any] = [statements, *(p.default for p in function.params)]
        while pending:
            node = pending.pop()
            if isinstance(node, tuple):
                pending.extend(node)
            elif isinstance(node, Function):
                inner = self._program.function_scope(node, scope)
                if self._members.global_names:
                    for annotation in node.annotations:
                        self.decorator(annotation, scope)
                own = {p.name for p in node.params}
                self._function(node, inner, {n: p for n, p in names.items() if n not in own})
            elif isinstance(node, Struct):
                pending.extend(self._visit(node, scope, names))
            if self.found.any_query and self.found.body:
                return

    def _mentions_more(
        self, function: Function, scope: Scope, names: _Names, statements: tuple[Statement, ...]
    ) -> bool:
        """Whether the text reads more members of the request than its facts show: there is syntax
        that these leave out."""
        if function is not self._step.function.function:
            return False
        wanted = [name for name, path in names.items() if not path]
        wanted += ["request"] if self._members.global_names else []
        lines = _COMMENT.sub(b"", self._lines(function.span, scope)) if wanted else b""
        shown: dict[str, int] = dict.fromkeys(wanted, 0)
        pending: list[object] = [statements]
        while pending:
            for node in nodes_of(pending.pop()):
                if isinstance(node, Function) and node.body is None:
                    pending.append(self._program.body(node, scope.file))
                match node:
                    case Attribute(value=Name(id=id)) if id in shown:
                        shown[id] += 1
                    case _:
                        pass
        return any(
            len(
                re.findall(
                    rb"(?<![\w.])%s\s{0,99}[?!]?\.\s{0,99}\w" % re.escape(name.encode()), lines
                )
            )
            > times
            for name, times in shown.items()
        )

    def _with_aliases(
        self, statements: tuple[Statement, ...], scope: Scope, names: dict[str, Path]
    ) -> dict[str, Path]:
        """The names that parts of the request are put under as well."""
        if not names and not self._members.global_names:
            return names
        assigned = [node for node in nodes_of(statements) if isinstance(node, Assign)]
        declared = {
            node.target.id for node in assigned if node.declares and isinstance(node.target, Name)
        }
        before = -1
        while before != len(names):
            before = len(names)
            for node in assigned:
                path = None if node.value is None else self._path(node.value, scope, names)
                if path is not None and self._is_followed(path):
                    self._take_apart(node.target, path, names, is_noted=False)
                    if isinstance(node.target, Name) and node.target.id not in declared:
                        self._note_put_outside(path, scope)
        return names

    def _note_put_outside(self, path: Path, scope: Scope) -> None:
        """Note that a variable around the function is given a part, for whatever reads it."""
        if scope.file.language != "python":
            self._note(path)

    def _take_apart(
        self, target: Expr, path: Path, names: dict[str, Path] | None, *, is_noted: bool
    ) -> None:
        """`const { query: { page }, body } = req`: the names that are given parts, and what is
        read by that."""
        if isinstance(target, Name):
            if names is not None:
                names[target.id] = path if names.get(target.id, path) == path else ()
            return
        entries = target.entries if isinstance(target, ObjectLiteral) else ()
        if is_noted and (not entries or any(e.spread or e.key is None for e in entries)):
            self._note(path)
        for entry in entries:
            if entry.key is None or entry.spread:
                continue
            inner = (*path, entry.key)
            if self._is_followed(inner):
                self._take_apart(entry.value, inner, names, is_noted=is_noted)
            elif is_noted:
                self._note(inner)

    # ------------------------------------------------------------------ what is read

    def _is_followed(self, path: Path) -> bool:
        """Whether what is at a path is asked what is read of it."""
        kind, at = self._members.kind(path)
        return kind == "holder" or (kind == "query" and at == path)

    def _note(self, path: Path) -> None:
        """Note that what is at a path is read as it is."""
        kind, at = self._members.kind(path)
        one = RequestUses()
        match kind:
            case "query" if len(path) > len(at):
                one = RequestUses(frozenset({path[len(at)]}))
            case "query" | "address":
                one = RequestUses(any_query=True)
            case "body":
                one = RequestUses(body=True)
            case "holder" | "both":
                one = ANYTHING
            case "":
                one = RequestUses(unknown=frozenset({self._unknown_member(path)}))
            case _:
                pass
        self.found = self.found.and_also(one)

    def _visit(self, node: Struct, scope: Scope, names: _Names) -> Iterator[object]:
        """Note what a piece of syntax reads; what stands in it is left to look at."""
        match node:
            case Assign(target=target, value=value):
                yield from self._assign(target, value, scope, names)
            case UnsupportedSyntax():
                words = [*names, *(["request"] if self._members.global_names else [])]
                lines = self._lines(node.span, scope)
                if any(re.search(rb"\b%s\b" % re.escape(word.encode()), lines) for word in words):
                    self.found = ANYTHING
                yield from children(node)
            case Name(id="arguments") if names or self._step.given:
                self.found = ANYTHING
            case OperationExpr(operator="in", operands=(key, holder)) if (
                path := self._path(holder, scope, names)
            ) is not None and self._members.kind(path) == ("query", path):
                text = self._text(key, scope)
                self._note(path if text is None else (*path, text))
                yield key
            case Name() | Attribute() | Index() | Call() | Cast() | Choice() if (
                path := self._path(node, scope, names)
            ) is not None:
                self._note(path)
                yield from _sides(node)
            case Call():
                yield from self._call(node, scope, names)
            case Attribute(name="req" | "request") if self._step.given:
                self.found = ANYTHING  # `res.req`, `self.request`
            case Attribute(name=name, value=value):
                if self._members.global_names and name in _property_names(self._program):
                    self.found = ANYTHING
                yield value
            case _:
                yield from children(node)

    def _lines(self, span: Span, scope: Scope) -> bytes:
        """The lines of a file at which something stands."""
        lines = self._program.files.lines(scope.file.path, span.line, span.end_line)
        return b"\n".join(lines)

    def _assign(
        self, target: Expr, value: Expr | None, scope: Scope, names: _Names
    ) -> Iterator[object]:
        path = None if value is None else self._path(value, scope, names)
        if path is not None and self._is_followed(path):
            self._take_apart(target, path, None, is_noted=not isinstance(target, Name))
            yield from _sides(value)
        else:
            yield value
        written = None
        if isinstance(target, Attribute | Index):
            written = self._path(target, scope, names)
        if written is None:
            yield from () if isinstance(target, Name) else (target,)
        elif self._members.kind(written)[0]:
            self._note(written)
        else:
            name = frozenset({self._unknown_member(written)})
            self.found = self.found.and_also(RequestUses(written=name))

    def _unknown_member(self, path: Path) -> str:
        """The first name on a path that the library does not know."""
        ends = range(1, len(path) + 1)
        end = next((e for e in ends if not self._members.kind(path[:e])[0]), len(path))
        return ".".join(path[:end])

    # ------------------------------------------------------------------ paths

    def _path(self, expr: Expr, scope: Scope, names: _Names) -> Path | None:
        """The members that lead from the request to what an expression gives; None for anything
        else. A name of the query ends it."""
        match expr:
            case Cast(value=value) | OperationExpr(operator="present", operands=(value,)):
                return self._path(value, scope, names)
            case Name(id=id) if id in names:
                return names[id]
            case Name(id=id):
                return () if self._is_global(expr, id, scope) else None
            case Attribute(value=value, name=name):
                owner = self._path(value, scope, names)
                if owner is None:
                    return () if self._is_global(expr, first_name(expr), scope) else None
                by_methods = self._members.query_methods and self._is_query(owner)
                return owner if by_methods else (*owner, name)
            case Index(value=value, index=index):
                owner = self._path(value, scope, names)
                text = None if owner is None else self._text(index, scope)
                if owner is None or (text is None and self._is_followed(owner)):
                    return owner
                return (*owner, text or "")
            case Call(callee=Attribute(value=value, name=name), args=args):
                owner = self._path(value, scope, names)
                if owner is None:
                    return None
                full, text = (*owner, name), self._text(args[0].value, scope) if args else None
                if ".".join(full) in self._members.getters:
                    is_query = self._members.kind(full)[0] == "query"
                    whole = full if is_query else tuple(min(self._members.queries).split("."))
                    return whole if text is None else (*whole, text)
                if self._members.query_methods and self._is_query(owner):
                    known = name in self._members.query_methods and text is not None
                    return (*owner, text or "") if known else owner
                return full
            case Choice(options=(first, ObjectLiteral(entries=())), fallback=True):
                return self._path(first, scope, names)
            case _:
                return None

    def _is_query(self, path: Path) -> bool:
        return self._members.kind(path) == ("query", path)

    def _text(self, expr: Expr, scope: Scope) -> str | None:
        if isinstance(expr, LiteralExpr):
            return expr.value if isinstance(expr.value, str) else None
        return self._program.text(expr, scope)

    def _is_global(self, expr: Expr, first: str, scope: Scope) -> bool:
        """Whether a name, or member of a module, is the request."""
        if not self._members.global_names:
            return False
        imported = self._names(scope)
        if first not in imported and "*" not in imported:
            return False
        if isinstance(expr, Attribute) and expr.name != "request":
            return False
        return self._program.qualified_name(expr, scope) in self._members.global_names

    def _names(self, scope: Scope) -> frozenset[str]:
        """The names that a file imports."""
        imported = self._imported.get(scope.file.path)
        if imported is None:
            names = {(i.local or i.name or i.module).split(".")[0] for i in scope.file.imports}
            imported = self._imported[scope.file.path] = frozenset(names)
        return imported

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, scope: Scope, names: _Names) -> Iterator[object]:
        """A call that is none of the request's: it may be given parts of it."""
        if self._only_logs(call, scope, names):
            return
        given: dict[int | str, Path] = {}
        for position, argument in enumerate(call.args):
            path = self._path(argument.value, scope, names)
            if path is not None and self._is_followed(path) and not argument.spread:
                given[argument.name or position] = path
            else:
                yield argument.value
        yield call.callee.value if isinstance(call.callee, Attribute) else call.callee
        if given:
            self._hand_over(call, given, scope)
        elif self._members.global_names and not self._is_of_library(call, scope):
            self._called.append((call, scope))

    def _hand_over(self, call: Call, given: dict[int | str, Path], scope: Scope) -> None:
        function = self._program.evaluator.function_called(call, scope)
        if function is None or any(argument.spread for argument in call.args):
            for path in given.values():
                self._note(path)
            return
        params = [param.name for param in _given_params(function.function)]
        taken: list[tuple[int, Path]] = []
        for at, path in given.items():
            if isinstance(at, int):
                taken.append((at, path))
            elif at in params:
                taken.append((params.index(at), path))
            else:
                self._note(path)
        bindings = self._program.evaluator.arguments_with_defaults(function, call, scope)
        inside = self._program.function_scope(function.function, function.scope, bindings)
        inside = replace(
            inside,
            receiver=function.receiver or inside.receiver,
            owner=function.owner or inside.owner,
        )
        depth = self._step.depth + 1
        self.following.append(_Step(function, tuple(taken), inside, depth))

    def _only_logs(self, call: Call, scope: Scope, names: _Names) -> bool:
        """`logger.info(req.url)`: what is logged is not used."""
        if not isinstance(call.callee, Attribute) or not _LOGS.match(call.callee.name):
            return False
        of = links(call.callee.value)
        holders = [getattr(one, "name", getattr(one, "id", "")).casefold() for one in of]
        if not any("log" in one or one == "console" for one in holders):
            return False
        return not any(
            self._path(inner, scope, names) is not None
            for argument in call.args
            for node in nodes_of(argument.value)
            if isinstance(node, Call) and dotted_name_of(node.callee) not in _WRITERS
            for handed in node.args
            for inner in nodes_of(handed.value)
            if isinstance(inner, Name | Attribute)
        )

    # ------------------------------------------------------------------ a global request

    def decorator(self, annotation: Annotation, scope: Scope) -> None:
        """Ask what stands around a function."""
        if annotation.callee is not None:
            self._ask(Call(annotation.callee, annotation.args, span=annotation.span), scope)

    def _is_of_library(self, call: Call, scope: Scope) -> bool:
        """Whether a call is of a method that the project does not declare; where that may read the
        request, it is noted."""
        name = _last_name(call.callee)
        if _READERS.match(name):
            self.found = ANYTHING
        if not isinstance(call.callee, Attribute) or name in _function_names(self._program):
            return False
        of = first_name(call.callee)
        if of in self._names(scope):
            package = self._program.qualified_name(Name(of, span=call.callee.span), scope)
            if package and "/" not in package and not _is_quiet(package):
                self.found = ANYTHING
        return not any(_last_name(a.value) in _function_names(self._program) for a in call.args)

    def _ask(self, call: Call, scope: Scope) -> None:
        """Ask a function that is called, and those that it is given, what they read."""
        declared = _function_names(self._program)
        for argument in call.args:
            if _last_name(argument.value) in declared:
                handed = self._program.evaluate(argument.value, scope)
                if isinstance(handed, FunctionValue):
                    self.following.append(_Step(handed))
        called = _last_name(call.callee)
        function = self._program.evaluator.function_called(call, scope)
        value = function or self._program.evaluate(call.callee, scope)
        match value:
            case FunctionValue():
                self.following.append(_Step(value))
            case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                names = _OF_MADE if isinstance(value, ClassValue) else ("__call__",)
                methods = (self._program.find_method(symbol, name) for name in names)
                self.following.extend(_Step(method) for method in methods if method is not None)
            case LibrarySymbol(name=name) | LibraryResult(name=name):
                if not _is_quiet(name):
                    self.found = ANYTHING
            case _:
                if _READERS.match(called) or called in declared:
                    self.found = ANYTHING


@memoised
def _function_names(program: Program) -> frozenset[str]:
    """The names of all functions that the project declares."""
    return _matches(program, _DEFINITION, program.files_containing(b"def "))


@memoised
def _property_names(program: Program) -> frozenset[str]:
    """The names of properties in files that have to do with requests: reading one runs it."""
    return _matches(program, _PROPERTY, program.files_containing(b"request"))


def _matches(program: Program, pattern: re.Pattern[bytes], paths: Iterable[str]) -> frozenset[str]:
    found = (program.files.find(path, pattern) for path in paths)
    return frozenset(name.decode() for names in found for name in names if name)


def _is_quiet(name: str) -> bool:
    first, last = re.split(r"[.(]", name)[0], name.removesuffix("()").rpartition(".")[2]
    return (first in _QUIET or hasattr(builtins, first)) and _READERS.match(last) is None


def _last_name(expr: Expr) -> str:
    return expr.id if isinstance(expr, Name) else getattr(expr, "name", "")


def _given_params(function: Function) -> list[Any]:
    return [param for param in function.params if param.name not in _RECEIVERS]


def _sides(expr: Expr | None) -> Iterator[object]:
    """What stands beside a path: the arguments of its calls, the indexes of its items."""
    for link in links(expr) if expr is not None else ():
        if isinstance(link, Call):
            yield tuple(argument.value for argument in link.args)
        elif isinstance(link, Index):
            yield link.index
