"""All source files of one language below a root, linked on demand.

Frameworks read code through a `Program`: it gives facts of files, resolves names across files,
evaluates expressions, and turns types and values into schemas. Nothing is parsed before it is asked
for, and everything is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import LiteralValue, Reference, Schema
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.aliases import (
    with_changes_by_alias,
    with_named_tests,
)
from contract_scan.parsers.source.analysis.dataflow.loop_unrolling import (
    loop_names,
    unroll_loops,
    with_replaced,
)
from contract_scan.parsers.source.analysis.dataflow.noreturn import with_ends
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Items,
    Record,
    ReturnedValue,
    Scope,
    Value,
    known_keys,
    origin_at,
)
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    ClassDecl,
    Evaluate,
    Expr,
    FileFacts,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    New,
    Param,
    Statement,
    Syntax,
    TypeExpr,
)
from contract_scan.parsers.source.language import Files, Framework, Language

StatedNaming: TypeAlias = Callable[[str], str]
"""Gives the naming that a project states for the code in a file; empty for none."""


class Reader(Protocol):
    """Gives the facts of files (parsed now or remembered) and the byte-level index."""

    @property
    def files(self) -> Files: ...
    def facts(self, path: str) -> FileFacts: ...
    def body(self, path: str, span: Span) -> tuple[Statement, ...]: ...
    def files_containing(self, language: str, literals: tuple[bytes, ...]) -> tuple[str, ...]:
        """Paths of source files whose text holds one of the literals, sorted."""
        ...

    def any_contains(self, language: str, literals: tuple[bytes, ...]) -> bool:
        """Whether a source file's text holds one of the literals."""
        ...

    def files_with_word(self, language: str, word: str) -> tuple[str, ...]:
        """Paths of source files that have a word, not as a part of another, sorted."""
        ...

    def seeds_containing(self, language: str, literals: tuple[bytes, ...]) -> tuple[str, ...]:
        """Those of `files_containing` that belong to the scanned program, not to the folders around
        it."""
        ...

    def seeds_named(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the paths that are source files of the scanned program, sorted."""
        ...

    def files_defining(self, language: str, name: str) -> tuple[str, ...]:
        """Paths of source files whose text looks as if it defines a type of that name, sorted."""
        ...

    def defined_names(self, language: str) -> Iterable[str]:
        """Every name that some source file looks as if it defines."""
        ...


_Rewritten = dict[int, tuple[tuple[Statement, ...], tuple[Statement, ...]]]
"""By the identity of statements: the statements themselves, and what stands in their place."""


class Session:
    """One language's files below a root, as frameworks and the type system see them."""

    def __init__(
        self, language: Language, reader: Reader, stated_naming: StatedNaming | None = None
    ) -> None:
        from contract_scan.parsers.source.analysis.evaluation.evaluator import Evaluator
        from contract_scan.parsers.source.analysis.names.names import Names
        from contract_scan.parsers.source.analysis.typing.types import Types

        self.language = language
        self.files = reader.files
        self._reader = reader
        self._stated_naming = stated_naming
        self._bodies: dict[tuple[str, Span], tuple[Statement, ...]] = {}
        self._bodies_written_out: _Rewritten = {}
        self._without_loops: _Rewritten = {}
        self._names_looped: dict[int, tuple[tuple[Statement, ...], frozenset[str]]] = {}
        self._without_aliases: _Rewritten = {}
        self._ends: _Rewritten = {}
        self._options_written_out: dict[
            tuple[int, tuple[str, ...]], tuple[tuple[Statement, ...], tuple[Statement, ...]]
        ] = {}
        self._module_scopes: dict[str, Scope] = {}
        self._function_scopes: dict[tuple[int, int], tuple[Function, Scope, Scope]] = {}
        self.names: Names = Names(self)
        self.evaluator = Evaluator(self)
        self.types = Types(self)
        self.problems: list[NotAnalysed] = []
        """Where something is undetermined that may hide a route or an event."""
        self.memory: dict[object, object] = {}
        """What a framework or type system remembers between calls, under a key of its own."""

    def stated_naming(self, path: str) -> str:
        """How the project says that names of the code in a file become names on the wire (see
        `Service.naming` of the configuration); empty where it says nothing. Counts only where the
        code cannot tell."""
        return self._stated_naming(path) if self._stated_naming is not None else ""

    # ------------------------------------------------------------------ files

    def seeds(self, framework: Framework) -> Iterator[FileFacts]:
        """Facts of every file that can declare something of the framework, in path order."""
        found = self._reader.seeds_containing(self.language.name, framework.markers)
        if framework.paths is not None:
            named = framework.paths(self.files)
            found = tuple(sorted({*found, *self._reader.seeds_named(named)}))
        for path in found:
            yield self.facts(path)

    def convention_files(self, framework: Framework) -> tuple[str, ...]:
        """Paths of the files that declare something of the framework by their names, sorted."""
        if framework.paths is None:
            return ()
        return self._reader.seeds_named(framework.paths(self.files))

    def files_containing(self, *literals: bytes) -> tuple[str, ...]:
        """Paths of the files whose text holds one of the literals."""
        return self._reader.files_containing(self.language.name, literals)

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """Paths of the files that have a word, not as a part of another. Asking for many words
        costs hardly more than for a few."""
        return self._reader.files_with_word(self.language.name, word)

    def any_file_contains(self, *literals: bytes) -> bool:
        """Whether some file's text holds one of the literals."""
        return self._reader.any_contains(self.language.name, literals)

    def facts(self, path: str) -> FileFacts:
        """Facts of one file of the language."""
        return self._reader.facts(path)

    def files_defining(self, name: str) -> tuple[str, ...]:
        """Paths of the files that may define a type called `name`."""
        return self._reader.files_defining(self.language.name, name)

    def defined_names(self) -> Iterable[str]:
        """Names of all types that files may define."""
        return self._reader.defined_names(self.language.name)

    def body(self, function: Function, file: FileFacts) -> tuple[Statement, ...]:
        """The statements of a function, lowered now if they have not been."""
        if function.body is not None:
            return self._written_out(function.body, file)
        if "abstract" in function.modifiers:
            return ()
        key = (file.path, function.span)
        if key not in self._bodies:
            self._bodies[key] = self._reader.body(file.path, function.span)
        return self._written_out(self._bodies[key], file)

    def _written_out(self, body: tuple[Statement, ...], file: FileFacts) -> tuple[Statement, ...]:
        """A body with what calls of libraries stand for written out, which is done once for it."""
        write_out = self.language.written_out
        if write_out is None or not body:
            return body
        known = self._bodies_written_out.get(id(body))
        if known is None:  # keeps the body, so that its identity stays its own
            known = self._bodies_written_out[id(body)] = (body, write_out(file, body))
        return known[1]

    # ------------------------------------------------------------------ scopes

    def module_scope(self, file: FileFacts) -> Scope:
        """The top level of a file."""
        scope = self._module_scopes.get(file.path)
        if scope is None:
            scope = Scope(file=file, statements=file.statements)
            self._module_scopes[file.path] = scope
        return scope

    def class_scope(self, symbol: ClassSymbol, types: dict[str, object] | None = None) -> Scope:
        """Inside a class body; `types` binds its type parameters."""
        return self.names.classes.class_scope(symbol, types or {})

    def function_scope(
        self,
        function: Function,
        within: Scope,
        bindings: Mapping[str, Value] | None = None,
    ) -> Scope:
        """Inside a function that is defined in the scope `within`. `bindings` gives parameters
        values (arguments of a call); other parameters have their declared types."""
        if bindings:
            return self._function_scope(function, within, bindings)
        key = (id(function), id(within))
        known = self._function_scopes.get(key)
        if known is None:
            # One scope for all who look: what is found out in it is remembered by its identity.
            known = (function, within, self._function_scope(function, within, {}))
            self._function_scopes[key] = known
        return known[2]

    def _function_scope(
        self, function: Function, within: Scope, bindings: Mapping[str, Value]
    ) -> Scope:
        scope = Scope(
            file=within.file,
            parent=within,
            owner=within.owner,
            function=function,
            statements=self.body(function, within.file),
            bindings=bindings,
            receiver=within.receiver,
            depth=within.depth,
        )
        scope = self._with_options_written_out(scope)
        return self.evaluator.specialisations.specialised_scope(
            self._with_changes_by_alias(self._with_loops_unrolled(self._cut_after_noreturn(scope)))
        )

    def _with_options_written_out(self, scope: Scope) -> Scope:
        """The scope of a function with what its `**options` hold in this call written out where it
        hands them on: `reply(data, **options)` is `reply(data, status=options["status"])`."""
        params = scope.function.params if scope.function is not None else ()
        rest = next((param.name for param in params if param.kind == "**"), "")
        if not rest or not scope.statements or rest not in scope.bindings:
            return scope
        held = scope.bindings[rest]
        if not isinstance(held, Record) or known_keys(held) is None:
            return scope
        keys = tuple(entry.name for entry in held.entries)
        key = (id(scope.statements), keys)
        known = self._options_written_out.get(key)
        if known is None:
            written = _with_options(scope.statements, rest, keys)
            known = self._options_written_out[key] = (scope.statements, written)
        return replace(scope, statements=known[1])

    def _cut_after_noreturn(self, scope: Scope) -> Scope:
        """The scope of a function, with what follows calls that never come back cut off."""
        if not self.language.endless:
            return scope
        return _with_rewritten(scope, self._ends, lambda body: with_ends(self, body, scope))

    def _with_loops_unrolled(self, scope: Scope) -> Scope:
        """The scope of a function, with loops over constant keys written out: of keys that the
        function is given, for each call by itself."""
        if not any(isinstance(one, Loop | Branch | Evaluate) for one in scope.statements or ()):
            return scope
        scope = _with_rewritten(
            scope,
            self._without_loops,
            lambda body: unroll_loops(body, lambda listed: self._keys(listed, scope)),
        )
        statements = scope.statements or ()
        known = self._names_looped.get(id(statements))
        if known is None:
            known = self._names_looped[id(statements)] = (statements, loop_names(statements))
        given = {name: scope.bindings_around(name) for name in known[1]}
        if all(value is None for value in given.values()):
            return scope
        unrolled = unroll_loops(
            statements,
            lambda listed: _texts_of(given.get(listed.id)) if isinstance(listed, Name) else (),
        )
        return scope if unrolled is statements else replace(scope, statements=unrolled)

    def _with_changes_by_alias(self, scope: Scope) -> Scope:
        """The scope of a function, with changes by other names of an object written out, and tests
        by names of their outcomes."""
        return _with_rewritten(
            scope,
            self._without_aliases,
            lambda body: with_changes_by_alias(with_named_tests(body)),
        )

    def _keys(self, listed: Expr, scope: Scope) -> tuple[str, ...]:
        """The constant texts that a literal, or a constant of the file, lists."""
        if not isinstance(listed, ArrayLiteral | Name | Attribute):
            return ()
        return _texts_of(self.evaluate(listed, scope.parent or scope))

    # ------------------------------------------------------------------ meaning

    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place. Never raises."""
        return self.evaluator.evaluate(expr, scope)

    def text(self, expr: Expr | None, scope: Scope) -> str | None:
        """The constant string an expression gives (constants of other files, enums, templates and
        configuration included), or None when it is not constant."""
        return None if expr is None else self.evaluator.text(self.evaluate(expr, scope))

    def plain(self, expr: Expr | None, scope: Scope) -> LiteralValue:
        """The constant string, number or truth value that an expression gives; None otherwise."""
        value = None if expr is None else self.evaluate(expr, scope)
        return value.value if isinstance(value, Constant) else None

    def template(self, expr: Expr, scope: Scope) -> str | None:
        """Like `text`, with `{}` in place of each part that is not constant; None when nothing of
        it is known."""
        return self.evaluator.template(self.evaluate(expr, scope))

    def texts(self, expr: Expr | None, scope: Scope) -> tuple[str | None, ...]:
        """Strings of an expression that may be one string or a list of them."""
        return () if expr is None else self.evaluator.texts(self.evaluate(expr, scope))

    def qualified_name(self, expr: Expr, scope: Scope) -> str:
        """Qualified name of what an expression refers to: `fastapi.APIRouter` for a library's,
        `path#Name` for the project's; empty when it is neither."""
        return self.evaluator.qualified_name(self.evaluate(expr, scope))

    def schema(self, type: TypeExpr, scope: Scope, variant: str = "") -> Schema:
        """Shape on the wire of values of a declared type. `variant` is handed to the language's
        `class_schema` (a framework's `by_alias=False` …)."""
        return self.types.schema(type, scope, variant)

    def schema_of(self, value: Value, variant: str = "") -> Schema:
        """Shape on the wire of an abstract value."""
        return self.types.schema_of(value, variant)

    def infer(self, expr: Expr, scope: Scope, variant: str = "") -> Schema:
        """Shape on the wire of what an expression gives."""
        return self.schema_of(self.evaluate(expr, scope), variant)

    def resolve(self, reference: Reference) -> Schema:
        """The schema that a reference made by this program stands for."""
        return self.types.resolve(reference)

    def function_exits(self, value: FunctionValue) -> list[ReturnedValue]:
        """Returns and throws of a function, each with the scope to evaluate it in."""
        return self.evaluator.function_exits(value)

    # ------------------------------------------------------------------ walks

    def classes(self, file: FileFacts) -> Iterator[ClassSymbol]:
        """Every class of a file, nested ones after the class around them."""
        return self.names.classes.of_file(file)

    def bases(self, symbol: ClassSymbol) -> list[ClassSymbol]:
        """The project classes and interfaces a class inherits from, nearest first, itself left
        out."""
        return [base for base, _ in self.names.classes.ancestors(symbol)]

    def find_method(self, symbol: ClassSymbol, name: str) -> FunctionValue | None:
        """A method by name, inherited ones included."""
        return self.names.classes.method(symbol, name, {})

    def calls(self, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
        """Every call in the top level of a file and in the lowered functions and methods, nested
        lambdas and functions included, each with its scope, in source order."""
        from contract_scan.parsers.source.analysis.evaluation.call_sites import calls

        return calls(self, file)

    # ------------------------------------------------------------------ places

    def origin(self, node: Syntax | Function | ClassDecl, scope: Scope) -> Origin:
        """The place of a piece of syntax, of a parameter that of its name, with the name of the
        declaration around it."""
        span = node.place if isinstance(node, Param) else node.span
        return origin_at(scope, span)

    def function_value(self, expr: Expr, scope: Scope) -> FunctionValue | None:
        """The function an expression refers to (a lambda, a name, a bound method)."""
        if isinstance(expr, Lambda):
            return FunctionValue(expr.function, scope, scope.owner, scope.receiver)
        value = self.evaluate(expr, scope)
        return value if isinstance(value, FunctionValue) else None


def _texts_of(listed: Value | None) -> tuple[str, ...]:
    """The items of a list of constant texts; none of any other."""
    if not isinstance(listed, Items) or listed.repeated:
        return ()
    keys = [item.value for item in listed.values if isinstance(item, Constant)]
    texts = tuple(key for key in keys if isinstance(key, str))
    return texts if len(texts) == len(listed.values) else ()


def _with_rewritten(
    scope: Scope,
    known: _Rewritten,
    rewrite: Callable[[tuple[Statement, ...]], tuple[Statement, ...]],
) -> Scope:
    """The scope of a function with its statements rewritten, which is done once for them."""
    statements = scope.statements
    if not statements:
        return scope
    # By identity: frameworks enter a function with the statements that run for one method.
    found = known.get(id(statements))
    if found is None:
        # A function that its own rewriting enters is seen there as it is written.
        known[id(statements)] = (statements, statements)
        found = (statements, rewrite(statements))
        known[id(statements)] = found
    return scope if found[1] is statements else replace(scope, statements=found[1])


def _with_options(
    statements: tuple[Statement, ...], options: str, keys: tuple[str, ...]
) -> tuple[Statement, ...]:
    """Statements whose calls are given the entries of `**options` one by one; as they are where
    something else is done with these."""

    def entry_arguments(argument: Argument) -> tuple[Argument, ...]:
        if argument.spread != "**" or not is_name(argument.value, options):
            return (argument,)
        held, span = argument.value, argument.value.span
        return tuple(
            Argument(value=Index(held, LiteralExpr(key, span=span), span=span), name=key)
            for key in keys
        )

    def call_with_entries(node: Struct) -> Expr | None:
        if not isinstance(node, Call) or not any(a.spread == "**" for a in node.args):
            return None
        args = tuple(one for argument in node.args for one in entry_arguments(argument))
        inner = with_replaced((node.callee, args), call_with_entries, roots)
        return replace(node, callee=inner[0], args=inner[1])

    roots = frozenset({options})
    if any(one.kind != "pass" for one in reaching_definitions.changes(statements, options)):
        return statements
    return with_replaced(statements, call_with_entries, roots)
