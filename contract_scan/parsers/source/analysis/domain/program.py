"""What the layers of the analysis know of each other, and frameworks of all of them.

Modules type against the protocols here rather than against the classes, which stand in layers above
(`analysis/names`, `typing`, `evaluation`; `analysis/session` puts them together).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import LiteralValue, Reference, Schema
from contract_scan.parsers.source.analysis.domain.arguments import Arguments
from contract_scan.parsers.source.analysis.domain.budget import Budget
from contract_scan.parsers.source.analysis.domain.effects import Definition, Mutation
from contract_scan.parsers.source.analysis.domain.name_resolution import NameResolution
from contract_scan.parsers.source.analysis.domain.path_facts import Facts, Path
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    Found,
    FunctionValue,
    Instance,
    RecordEntry,
    ReturnedValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Choice,
    ClassDecl,
    Entry,
    Expr,
    FileFacts,
    Function,
    New,
    Param,
    Statement,
    Syntax,
    TypeExpr,
)
from contract_scan.parsers.source.language import Files, Framework, Language


class FunctionSpecialisations(Protocol):
    """Functions as they run where something is known of their parameters."""

    def facts_of_call(self, callee: FunctionValue, call: Call, caller: Scope) -> Facts:
        """What a call says of paths in the function that it calls."""
        ...

    def with_facts(
        self, callee: FunctionValue, facts: Facts, given_by: frozenset[str] = frozenset()
    ) -> FunctionValue:
        """A function under facts that are known from outside, such as which of the parameters of a
        route a path has: for whoever reads its statements. `given_by`: variables of the function
        whose one assignment the facts speak of."""
        ...

    def with_texts(
        self,
        callee: FunctionValue,
        texts: Mapping[Path, str],
        given_by: frozenset[str] = frozenset(),
    ) -> FunctionValue | None:
        """A function whose paths of these hold these texts, which stand wherever it reads them:
        `handlers[topic]` is `handlers["orders"]`. None where it reads none of them."""
        ...

    def holds(self, test: Expr, scope: Scope) -> bool | None:
        """Whether a test at a place holds, by what is known of the function around it."""
        ...


class Evaluation(Protocol):
    """What expressions mean, without running them: see `analysis/evaluation`."""

    @property
    def budget(self) -> Budget:
        """How far evaluation may go, and where it was cut short."""
        ...

    @property
    def specialisations(self) -> FunctionSpecialisations:
        """Functions as they run where something is known of their parameters."""
        ...

    def apply(self, function: Value | None, args: tuple[Value, ...], scope: Scope) -> Value:
        """What calling a function value with evaluated arguments gives."""
        ...

    def own_text(self, value: Value) -> Value | None:
        """The constant text that an object of which all is known, or each of several, writes."""
        ...

    def arguments(
        self, params: tuple[Param, ...], expr: Call, scope: Scope, inside: Scope | None = None
    ) -> Arguments:
        """Values of the parameters that a call gives and that have no declared type of their
        own. `inside` is where the function is written: what its patterns name, they name there."""
        ...

    def arguments_with_defaults(self, callee: FunctionValue, expr: Call, scope: Scope) -> Arguments:
        """Like `arguments`, with the default values of the parameters that the call leaves out."""
        ...

    def as_called(self, scope: Scope, callee: FunctionValue, call: Call, caller: Scope) -> Scope:
        """The scope of a function, without what does not run as a call calls it."""
        ...

    def attribute(
        self,
        value: Value,
        name: str,
        scope: Scope,
        span: Span,
        *,
        subscript: bool = False,
        arity: int | None = None,
    ) -> Value:
        """`value.name`, or `value["name"]` with `subscript`."""
        ...

    def bound_type(self, value: Value, scope: Scope) -> BoundType | None:
        """The type of a value: by its name where it has one, else by its shape."""
        ...

    def call_function(self, callee: FunctionValue, expr: Call, scope: Scope) -> Value:
        """What calling a project function gives: its declared type where that says something, else
        what its body returns."""
        ...

    def apply_to_name(self, value: Value, mutation: Mutation, name: str, scope: Scope) -> Value:
        """The value that a name holds after a change of it in the scope."""
        ...

    def choices(self, expr: Choice, scope: Scope) -> list[tuple[Expr, Scope]]:
        """The options of a choice, each with the scope to evaluate it in: what the test of a
        conditional expression says of a name holds in its options."""
        ...

    def class_member(self, value: ClassValue, name: str) -> Value | None:
        """A static member, enum constant, nested class or (unbound) method of a class."""
        ...

    def definition(self, name: str, definition: Definition, scope: Scope) -> Value:
        """The value that an assignment or a loop gives a name, with later mutations."""
        ...

    def destructured_parameter(self, parameter: Param, name: str, scope: Scope) -> Value | None:
        """A name bound by a destructuring parameter."""
        ...

    def entries_of(self, value: Value) -> tuple[tuple[RecordEntry, ...], Reason]:
        """Entries that spreading a value gives, and why there may be more (empty: these are
        all)."""
        ...

    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place."""
        ...

    def join_with_declared(self, value: Value, typed: ByType) -> Value:
        """A value that is declared to be of a type: an object literal is what is written there,
        and what is undetermined of it is as the type says. Anything else is as the type says."""
        ...

    def found_value(self, found: Found, name: str, span: Span, scope: Scope) -> Value:
        """A looked-up name as a value."""
        ...

    def function_called(self, call: Call, scope: Scope) -> FunctionValue | None:
        """The function of the project that a call means."""
        ...

    def inferred_types(
        self, callee: FunctionValue, expr: Call, scope: Scope, known: Mapping[str, BoundType]
    ) -> dict[str, BoundType]:
        """Type parameters that the arguments of a call fix."""
        ...

    def item(self, value: Value | None) -> Value:
        """An item of a list, set, stream or other container."""
        ...

    def member(self, value: Value, name: str, arity: int | None = None) -> Value | None:
        """A property or method of a value; None when the value is not known to have it."""
        ...

    def merged_records(self, values: list[Value], origin: Origin) -> Value:
        """Records laid over each other, later ones winning (`a | b`, `Object.assign`)."""
        ...

    def present_value(self, value: Value, definition: Definition) -> Value:
        """What is left of a value of which tests have said that it is there."""
        ...

    def may_be_nothing(
        self, value: Value, expr: Expr | None = None, scope: Scope | None = None
    ) -> bool:
        """Whether a value may be TypeScript's `undefined`, as far as is known, and the expression
        that gives it where one does."""
        ...

    def null_of(self, value: Value) -> Value:
        """What is left of a value where a test has said that it is null, or counts as false. A
        value that is never null is left as it is: `""`, `0` and `[]` count as false too."""
        ...

    def member_of_construction(self, made: Instance, name: str) -> Value | None:
        """What a member that is set once has in an object that is constructed here."""
        ...

    def only_implementation(
        self, callee: FunctionValue, call: Call | None = None, scope: Scope | None = None
    ) -> FunctionValue | None:
        """The one project method that implements an interface's or abstract method; of several,
        the one that is declared to take the very class of what a call gives."""
        ...

    def only_throws(self, callee: FunctionValue) -> bool:
        """Whether a call of a function never ends."""
        ...

    def parameter(self, parameter: Param, scope: Scope) -> Value:
        """What a parameter is when no call says more."""
        ...

    def pattern_bindings(self, pattern: Expr, value: Value, scope: Scope) -> dict[str, Value]:
        """Names that a destructuring pattern binds, with their values."""
        ...

    def possibly_absent(self, value: Value) -> Value:
        """A value where an empty object may have been left in its place: no field of it is
        certain."""
        ...

    def plain(self, value: Value) -> Value:
        """An object of its own with what a value holds, which can be changed; other values as they
        are."""
        ...

    def qualified_name(self, value: Value, depth: int = 0) -> str:
        """Qualified name of what a value is or was made by, aliases of types followed."""
        ...

    def record(self, entries: tuple[Entry, ...], scope: Scope, span: Span) -> Value:
        """An object literal: its entries in order, later ones hiding earlier ones."""
        ...

    def function_exits(self, callee: FunctionValue) -> list[ReturnedValue]:
        """Returns and throws of a function, with the scope to evaluate them in."""
        ...

    def returned_value(self, callee: FunctionValue) -> Value:
        """What a function gives whoever calls it: its declared type, or the object literals that it
        is seen to return where the type leaves open which fields are there."""
        ...

    def says_nothing(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a declared type tells nothing about the shape of its values. Where types are
        structural, `Record<string, unknown>` is what any object can be given as."""
        ...

    def template(self, value: Value) -> str | None:
        """The string with `{}` for each part that is not constant."""
        ...

    def concatenate(self, parts: tuple[Value, ...]) -> Value:
        """The text that values give one after the other."""
        ...

    def text(self, value: Value) -> str | None:
        """The constant string of a value."""
        ...

    def texts(self, value: Value) -> tuple[str | None, ...]:
        """The strings of one string or of a list of strings."""
        ...

    def type_value(self, type: TypeExpr, scope: Scope, span: Span) -> Value:
        """A type used as a value: the class it names."""
        ...

    def unwrap(self, value: Value | None) -> Value:
        """The value inside promises, tasks, optionals and the like; other values as they are."""
        ...

    def without_null(self, value: Value) -> Value:
        """The value where a test has said that it is not null."""
        ...


class Typing(Protocol):
    """The shapes of types and values on the wire: see `analysis/typing`."""

    def chain(self, symbol: ClassSymbol, scope: Scope) -> list[tuple[ClassSymbol, Scope]]:
        """The class and its project ancestors with scopes in which type parameters are bound."""
        ...

    def flat(self, schema: Schema) -> Schema:
        """The schema itself behind a reference (its nullability kept)."""
        ...

    def is_unknown(self, schema: Schema) -> bool:
        """Whether a shape tells nothing."""
        ...

    def keep(self, key: str, schema: Schema) -> None:
        """Give a schema that no type of the project declares a key to refer to it by; keys begin
        with the name of the language and a colon."""
        ...

    def reference(
        self, symbol: ClassSymbol, types: Mapping[str, BoundType], variant: str, origin: Origin
    ) -> Reference:
        """A reference to a project class with its type parameters bound."""
        ...

    def resolve(self, reference: Reference) -> Schema:
        """The schema of a project class. Always the same value for the same reference."""
        ...

    def schema(self, type: TypeExpr, scope: Scope, variant: str = "") -> Schema:
        """Shape of values of a declared type."""
        ...

    def schema_of(self, value: Value, variant: str = "") -> Schema:
        """Shape of an abstract value."""
        ...

    def symbol_of(self, reference: Reference) -> ClassSymbol | None:
        """The project class that a reference stands for; None for an alias."""
        ...

    def in_variant(self, reference: Reference, change: Callable[[str], str]) -> Reference:
        """A reference to the same class in a variant that is made of its own."""
        ...

    def literal(self, value: object, origin: Origin) -> Schema:
        """The schema of one constant."""
        ...


class Program(Protocol):
    """One language's files below a root, as frameworks and every layer of the analysis see them."""

    @property
    def language(self) -> Language:
        """What is asked of the language."""
        ...

    @property
    def files(self) -> Files:
        """The source files below the root."""
        ...

    @property
    def names(self) -> NameResolution:
        """What names mean."""
        ...

    @property
    def evaluator(self) -> Evaluation:
        """What expressions mean."""
        ...

    @property
    def types(self) -> Typing:
        """The shapes of types and values."""
        ...

    @property
    def problems(self) -> list[NotAnalysed]:
        """Where something is undetermined that may hide a route or an event."""
        ...

    @property
    def memory(self) -> dict[object, object]:
        """What a framework or type system remembers between calls, under a key of its own."""
        ...

    def bases(self, symbol: ClassSymbol) -> list[ClassSymbol]:
        """The project classes and interfaces a class inherits from, nearest first, itself left
        out."""
        ...

    def body(self, function: Function, file: FileFacts) -> tuple[Statement, ...]:
        """The statements of a function, lowered now if they have not been."""
        ...

    def calls(self, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
        """Every call in the top level of a file and in the lowered functions and methods, nested
        lambdas and functions included, each with its scope, in source order."""
        ...

    def class_scope(self, symbol: ClassSymbol, types: dict[str, object] | None = None) -> Scope:
        """Inside a class body; `types` binds its type parameters."""
        ...

    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place. Never raises."""
        ...

    def facts(self, path: str) -> FileFacts:
        """Facts of one file of the language."""
        ...

    def find_method(self, symbol: ClassSymbol, name: str) -> FunctionValue | None:
        """A method by name, inherited ones included."""
        ...

    def function_scope(
        self, function: Function, within: Scope, bindings: Mapping[str, Value] | None = None
    ) -> Scope:
        """Inside a function that is defined in the scope `within`. `bindings` gives parameters
        values (arguments of a call); other parameters have their declared types."""
        ...

    def function_value(self, expr: Expr, scope: Scope) -> FunctionValue | None:
        """The function an expression refers to (a lambda, a name, a bound method)."""
        ...

    def files_containing(self, *literals: bytes) -> tuple[str, ...]:
        """Paths of the files whose text holds one of the literals."""
        ...

    def infer(self, expr: Expr, scope: Scope, variant: str = "") -> Schema:
        """Shape on the wire of what an expression gives."""
        ...

    def any_file_contains(self, *literals: bytes) -> bool:
        """Whether some file's text holds one of the literals."""
        ...

    def module_scope(self, file: FileFacts) -> Scope:
        """The top level of a file."""
        ...

    def origin(self, node: Syntax | Function | ClassDecl, scope: Scope) -> Origin:
        """The place of a piece of syntax, of a parameter that of its name, with the name of the
        declaration around it."""
        ...

    def plain(self, expr: Expr | None, scope: Scope) -> LiteralValue:
        """The constant string, number or truth value that an expression gives; None otherwise."""
        ...

    def qualified_name(self, expr: Expr, scope: Scope) -> str:
        """Qualified name of what an expression refers to: `fastapi.APIRouter` for a library's,
        `path#Name` for the project's; empty when it is neither."""
        ...

    def resolve(self, reference: Reference) -> Schema:
        """The schema that a reference made by this program stands for."""
        ...

    def function_exits(self, value: FunctionValue) -> list[ReturnedValue]:
        """Returns and throws of a function, each with the scope to evaluate it in."""
        ...

    def schema(self, type: TypeExpr, scope: Scope, variant: str = "") -> Schema:
        """Shape on the wire of values of a declared type. `variant` is handed to the language's
        `class_schema` (a framework's `by_alias=False` …)."""
        ...

    def schema_of(self, value: Value, variant: str = "") -> Schema:
        """Shape on the wire of an abstract value."""
        ...

    def stated_naming(self, path: str) -> str:
        """How the project says that names of the code in a file become names on the wire (see
        `Service.naming` of the configuration); empty where it says nothing. Counts only where the
        code cannot tell."""
        ...

    def text(self, expr: Expr | None, scope: Scope) -> str | None:
        """The constant string an expression gives (constants of other files, enums, templates and
        configuration included), or None when it is not constant."""
        ...

    def texts(self, expr: Expr | None, scope: Scope) -> tuple[str | None, ...]:
        """Strings of an expression that may be one string or a list of them."""
        ...

    def seeds(self, framework: Framework) -> Iterator[FileFacts]:
        """Facts of every file that can declare something of the framework, in path order."""
        ...

    def convention_files(self, framework: Framework) -> tuple[str, ...]:
        """Paths of the files that declare something of the framework by their names, sorted."""
        ...

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """Paths of the files that have a word, not as a part of another. Asking for many words
        costs hardly more than for a few."""
        ...

    def files_defining(self, name: str) -> tuple[str, ...]:
        """Paths of the files that may define a type called `name`."""
        ...

    def defined_names(self) -> Iterable[str]:
        """Names of all types that files may define."""
        ...

    def template(self, expr: Expr, scope: Scope) -> str | None:
        """Like `text`, with `{}` in place of each part that is not constant; None when nothing of
        it is known."""
        ...

    def classes(self, file: FileFacts) -> Iterator[ClassSymbol]:
        """Every class of a file, nested ones after the class around them."""
        ...
