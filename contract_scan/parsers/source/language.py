"""What the engine asks of a programming language: one record of values and functions each.

The four languages are values of `Language`, not subclasses; the same folders make each, from the
lowest up: `lowering/` (the tree-sitter parser, and syntax tree -> facts), `resolution/` (which
file, class or function a name means, what a build says), `serialization/` (how classes and library
types are written on the wire), `library_calls/` (what well-known calls give), `web/` and
`messaging/` (what libraries share), `frameworks/` (a file or a folder for each library). Beside
them stand `front.py` (what reads one file alone) and `language.py` (the record itself).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from contract_scan.ir.operation import Application, Operation, RouteTraits
from contract_scan.ir.schema import LiteralValue

if TYPE_CHECKING:
    import re

    from contract_scan.ir.event import EventUse
    from contract_scan.ir.evidence import Grade
    from contract_scan.ir.origin import Span
    from contract_scan.ir.schema import Schema
    from contract_scan.parsers.source.analysis.domain.hooks import CallSite, TypeUse
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import (
        ByType,
        ClassSymbol,
        FunctionValue,
        Instance,
        LibraryResult,
        Scope,
        Value,
    )
    from contract_scan.parsers.source.facts.nodes import (
        AnnotatedType,
        Annotation,
        Call,
        FileFacts,
        Import,
        Member,
        Param,
        Statement,
        TypeExpr,
    )


class Files(Protocol):
    """The source files below a root, without reading them all."""

    @property
    def root(self) -> Path:
        """The folder that all paths are relative to."""
        ...

    def has(self, path: str) -> bool:
        """Whether a file with this root-relative path is part of the scan (any kind of file)."""
        ...

    def read(self, path: str) -> bytes | None:
        """The bytes of a file below the root (also of configuration files); None if there is none
        or it may not be read."""
        ...

    def find(self, path: str, pattern: re.Pattern[bytes]) -> list[bytes]:
        """What a pattern (with at most one group) finds in a file below the root. A change of the
        file that leaves this as it is changes no answer, unlike with `read`."""
        ...

    def lines(self, path: str, first: int, last: int) -> list[bytes]:
        """Some lines of a file, counted from 1, without their ends."""
        ...

    def files_named(self, name: str) -> tuple[str, ...]:
        """Root-relative paths of all files with this base name (`tsconfig.json`), sorted."""
        ...

    def ending(self, suffix: str) -> tuple[str, ...]:
        """Root-relative paths of all files whose name ends so (`.csproj`), sorted."""
        ...

    def source(self, language: str) -> tuple[str, ...]:
        """Root-relative paths of all source files of a language, sorted."""
        ...


class Framework(Struct, frozen=True, kw_only=True):
    """What one library tells about routes or events. One file each, reading facts only."""

    name: str
    """As its users call it (`FastAPI`)."""
    markers: tuple[bytes, ...]
    """Literal byte strings: a file that holds none of them can declare nothing of this library on
    its own. The prefilter is made of them; `program.seeds(framework)` gives the files that hold
    one."""
    calls: tuple[bytes, ...] = ()
    """Literal byte strings such as `.get(`: a function whose text holds one gets its statements
    lowered together with the declarations."""
    paths: Callable[[Files], Iterable[str]] | None = None
    """Files that declare something by their names alone (`app/users/route.ts`), whatever they hold:
    `program.seeds(framework)` gives them too. Asked once, by name, not by a walk over all files."""
    operations: Callable[[Program, Framework], Iterator[Operation]] | None = None
    events: Callable[[Program, Framework], Iterator[EventUse]] | None = None
    traits: RouteTraits = RouteTraits()
    """How the library treats its routes; an operation that states other traits keeps its own."""
    sends: Grade | None = None
    """How it is known what its routes send, where that differs from the language's."""
    refusing_errors: tuple[bytes, ...] = ()
    """Names of the library's own errors that say that there is no such endpoint (405, 501), where
    they are no constants of these statuses."""
    is_read: bool = True
    """False for libraries that are known by their names alone (`unsupported_libraries.py`)."""
    protocols: tuple[str, ...] = ()
    """What the events of the library travel by (`ws`, `kafka` …), where they do not say it
    themselves: see `EventUse.protocols`."""


CallModel: TypeAlias = "Callable[[CallSite], Value | None]"
"""What a well-known library call gives. None: not this one after all."""


Property: TypeAlias = "Callable[[Program, Value], Value | None]"
"""What a well-known property of a value gives. None: not this one after all."""


ArgumentAt: TypeAlias = "Callable[[int], Value]"


GeneratedResult: TypeAlias = (
    "Callable[[Program, FunctionValue, ByType, Callable[[], Sequence[Value]]], Value | None]"
)
"""What a function gives whose body a build writes."""


Parts: TypeAlias = "Callable[[Program, ClassSymbol], Sequence[ClassSymbol]]"
"""All declarations that together make one class, the given one first."""


Overload: TypeAlias = (
    "Callable[[Program, FunctionValue, tuple[str, ...], ArgumentAt], FunctionValue | None]"
)
"""Which of several methods of one name is called."""


class FrontEnd(Struct, frozen=True, kw_only=True):
    """The part of a language that reads one file alone, and knows no library. What `Language` says
    of these holds here."""

    lower: Callable[[bytes, str], FileFacts]
    lower_body: Callable[[bytes, str, Span], tuple[Statement, ...]]
    definitions: bytes


class TypeHeaders(Struct, frozen=True):
    """How a language writes what stands between the word that begins a type and its body: the name,
    type parameters, bases."""

    patterns: tuple[re.Pattern[bytes], ...]
    """Linear, each with one group, which holds that, up to a brace or semicolon; may find too much,
    never too little. Aliases of types count: what they stand for is their base."""
    keywords: frozenset[bytes]
    """The words that begin a type."""


class Language(Struct, frozen=True, kw_only=True):
    """Everything the engine needs to know of a language."""

    name: str
    suffixes: tuple[str, ...]
    lower: Callable[[bytes, str], FileFacts]
    """(content, root-relative path) -> facts. Never raises for bad source: what the grammar cannot
    parse is in `FileFacts.errors`, the rest is read; where parsing is given up, nothing is, and
    `FileFacts.unread` says why."""
    lower_body: Callable[[bytes, str, Span], tuple[Statement, ...]]
    """(content, path, span of a `Function`) -> its statements, read on demand. Raises
    `ParseLimitError` where parsing is given up."""
    definitions: bytes
    """Regular expression for bytes, linear, whose groups hold, one of them, the name of a type that
    the text defines (`class\\s+(\\w+)` …). May match too much, never too little. A line end stands
    before the text that it is looked for in: `\\n` begins the first line too."""
    calls: tuple[bytes, ...]
    """A function whose text holds one of these literals is lowered with its statements."""
    type_headers: TypeHeaders | None = None
    """Tells without parsing which files may declare a class that derives from another one. None:
    bases are expressions, or bear names that imports give them."""
    find_module: Callable[[Files, str, Import], str | None]
    """(files, path of the importing file, import) -> path of the file that is meant, or None where
    it is a library (TypeScript, Python). Java and C#: the file that defines the imported type, or
    None."""
    implicit: Callable[[Program, FileFacts, str], Iterable[str]]
    """(program, file, type name) -> paths of files in which an unimported name may be declared,
    best first: same package or namespace, star imports. Empty for TypeScript and Python."""
    library_type: Callable[[TypeUse], Schema | None]
    """Schema of a type that is not declared in the project (`str`, `List<T>`, `datetime.date`)."""
    class_schema: Callable[[TypeUse, ClassSymbol], Schema]
    """How instances of a project class look on the wire."""
    transparent: Mapping[str, int]
    """Generic library types that are looked through when a value is used: name -> index of the type
    argument that counts (`Promise`: 0, `Task`: 0, `ResponseEntity`: 0)."""
    containers: Mapping[str, int]
    """Generic library types that hold items -> index of the type argument that is an item's type
    (`List`: 0, `Iterable`: 0). Names here and in `transparent` are qualified or simple."""
    call_models: Mapping[str, CallModel]
    """Well-known calls. Key: qualified name (`json.dumps`, `Object.assign`) or, with a leading dot,
    a method on a receiver that is no project class (`.map`, `.toList`)."""
    frameworks: tuple[Framework, ...]
    reads: Grade = "enforced"
    """How it is known what a body has to be, where its reader does not say."""
    sends: Grade = "checked"
    """How it is known what is sent, where nothing says it of the value itself."""
    written_out: Callable[[FileFacts, tuple[Statement, ...]], tuple[Statement, ...]] | None = None
    """(file, statements of a function) -> the statements with each call written out as the
    statements that it stands for, where a library does several things in one call; the same tuple
    where there is none."""
    made_schema: Callable[[Program, LibraryResult, str], Schema | None] | None = None
    """(program, what a library call gave, variant) -> the shape that such a value describes, or its
    own shape (`z.object({…})`); None where the library is not known."""
    endless: frozenset[str] = frozenset()
    """Qualified names of library calls that never come back (`process.exit`). Empty: the language
    has no such calls, and functions that only throw are not asked for either."""
    altered_result: Callable[[Program, FunctionValue], Value | None] | None = None
    """(program, decorated function) -> what a call gives where a decorator of the project makes
    something else of what the function returns; None where none does."""
    json_writers: tuple[str, ...] = ()
    """Ends of the names of library calls that write a value as JSON text (`.toJson`): where a
    function is declared to give a text and returns what one of them wrote, the value counts."""
    generated_result: GeneratedResult | None = None
    """(program, function, its declared result, what gives its arguments) -> what the function gives
    where a build writes its body (the mappers of MapStruct); None: somebody wrote it."""
    tracked_result: Callable[[Program, Value, Scope], Value] | None = None
    """(program, what a function of the project gives, scope of its call) -> the same, less certain
    where the code around the call may have filled what is in it (navigations of entities)."""
    fills_parameter: Callable[[FunctionValue, Param], bool] | None = None
    """(function, parameter) -> whether the body that a build writes fills what is given for the
    parameter with what it finds in another object (MapStruct's `@MappingTarget`)."""
    copiers: Mapping[str, int] = {}
    """Qualified names of library calls that fill an object with what they find in another one, and
    which argument they fill."""
    properties: Mapping[str, Property] = {}
    """Well-known properties that no class of the project declares, by name (`.data` of a
    serializer)."""
    attribute: Callable[[Program, Value, str], Value | None] | None = None
    """(program, value, name) -> an attribute that neither the value's class nor `properties` tell
    of, but a library adds (the other end of a Django relation). None: not this one."""
    linearizes_bases: bool = False
    """Whether a member is looked for in one order of all classes (Python's C3), which `super()`
    goes on with, from the class around it; else the nearest class counts."""
    described_map: Callable[[CallSite, ClassSymbol], Value | None] | None = None
    """(call of a class, class) -> the map that the call makes, where the class describes maps and
    has no objects of its own (Python's `TypedDict`). None: it makes an object of the class."""
    items_of: Callable[[Program, Value], Value | None] | None = None
    """(program, what a library gives) -> an item of it, where it can be gone through and a model of
    the project says what its items are (the rows of a query). None: not this one."""
    published: Callable[[str], str] | None = None
    """The name of a package by what an import calls it, where addresses stand in imports
    (`https://deno.land/x/oak@v12/mod.ts` is `oak`)."""
    shared_imports: Callable[[Program, FileFacts], Sequence[Import]] | None = None
    """(program, file) -> imports of all members of a type that another file makes for this one too
    (C#'s `global using static`)."""
    environments: tuple[str, ...] = ()
    """Beginnings of the names of what the environment may set, each a text: `process.env.`."""
    predefined: frozenset[str] = frozenset()
    """Names of types that are words of the language: a variable or an import of the same name does
    not change what they mean where a type stands (TypeScript's `string`)."""
    instance_types: frozenset[str] = frozenset()
    """Names of types of the language that stand for an object of the class that their argument is
    taken from (TypeScript's `InstanceType<typeof Order>`)."""
    structural: bool = False
    """Whether a declared type says only what a value has at least (TypeScript): an object that has
    more is sent with all it has."""
    service_annotations: frozenset[str] = frozenset()
    """Qualified names of annotations of classes that a container makes and hands out: no model."""
    message_handler: Callable[[Program, Call, Scope], FunctionValue | None] | None = None
    """(program, call, scope) -> the method of the project that a library runs for a call, by the
    class of the message that it is given; None for other calls."""
    shadowed_library: Callable[[str], str] | None = None
    """(path of a file) -> the module of a library that has the same name as the file's (`fastapi`
    for `app/fastapi/__init__.py`), or nothing: what the file does not declare is the library's."""
    annotated: Callable[[Program, AnnotatedType, Schema, Scope, str], Schema] | None = None
    """(program, annotated type, shape of the type in it, scope, variant) -> its shape with what the
    annotations say (pydantic's discriminators and serializers)."""
    casts_unchecked: bool = False
    """Whether a cast says what a value is taken for, and nothing looks whether it is (TypeScript's
    `as T`, Python's `cast`)."""
    computing_libraries: frozenset[str] = frozenset()
    """Libraries that compute what they give from values of the project alone (lodash): a cast of a
    result does not stand for it."""
    results_unchecked: bool = False
    """Whether nothing has to check that a function gives what it is declared to (Python)."""
    adds_null: Callable[[Program, TypeExpr, Scope], bool] | None = None
    """(program, item of a nullable type, scope) -> whether it may be null although the item may not
    (C#'s `T?` of a `T` that stands for `bool` is `bool`)."""
    element: Callable[[Program, TypeExpr, Scope, Schema, str], Schema] | None = None
    """(program, type of the items of an array, scope, shape of one, variant) -> that shape as an
    item has it (C#: nothing keeps null out of an array of references that is read)."""
    null_if_unset: Callable[[Program, Instance, str], bool | None] | None = None
    """(program, object that code makes, member that nothing is seen to set) -> whether it holds
    null; None: undetermined (a constructor may set it, or code that has the object otherwise)."""
    is_always_given: Callable[[Program, ClassSymbol, str], bool] | None = None
    """(program, class, member) -> whether all that make or change objects of the class give a
    member that may be null by its type something else; what a database holds was given so too."""
    is_rebound: Callable[[Program, ClassSymbol, str], bool] | None = None
    """(program, class, attribute) -> whether code gives it another value once the class is there,
    in a language whose classes begin with nothing that settings fill (Python)."""
    keeps_default: Callable[[Program, Instance, str], bool] | None = None
    """(program, object that code makes, member) -> whether nothing in the program sets the member
    on it once its constructors have run; None: that is not looked for."""
    implicit_constructors: Callable[[Program, ClassSymbol], Sequence[tuple[str, ...]]] = (
        lambda _program, _symbol: ()
    )
    """(program, class) -> the constructors that no text shows, each as the members that its
    parameters set, in order, or an empty text for one that is not kept as it is given."""
    is_row: Callable[[Program, ClassSymbol], bool] | None = None
    """(program, class) -> whether its objects are rows of a table, whose constructor sets the
    columns that it is given by name."""
    excludes_null: Callable[[Program, TypeExpr, Scope], bool] | None = None
    """(program, declared type, scope) -> whether no value of it is null, in a language whose types
    of objects may all let null pass (Java's `int`); None: types say whether null is among their
    values."""
    trusts_null_of_types: bool = False
    """Whether a member that is given something of which nothing is known may be null as its type
    says, and a text that is declared not to be null is none (Python's annotations)."""
    type_by_default: Callable[[str, LiteralValue], str] | None = None
    """(path of a file, default value) -> the name of the type that a parameter without a declared
    one has by its default (TypeScript's `size = 10`); empty or None: any."""
    reads_as_set: Callable[[Program, ClassSymbol, str], bool] | None = None
    """(program, class, member) -> whether what is written of the member is what code has set it to,
    and not what a method of the class makes of it; None: it always is."""
    holds_what_is_set: Callable[[Program, ClassSymbol], bool] | None = None
    """(program, class) -> whether its objects hold what code sets their members to, whatever the
    types of these say (Python's dataclasses); None: a compiler checks that it fits."""
    library_null: Callable[[str], bool | None] | None = None
    """(name of a call or a constant of a library) -> whether it may give null
    (`java.sql.ResultSet.getString`), or never does (`java.time.Instant.now`); None: unknown."""
    declares_not_null_unchecked: bool = False
    """Whether that a member is never null is only declared where an object is sent, and nothing
    checks it (Java's `@NotNull`, against which only what is read is held)."""
    annotated_null: Callable[[Sequence[Annotation]], bool | None] | None = None
    """(annotations) -> whether the parameter, the member or the result that bears them may be null
    (`@Nullable`), or never is (`@NotNull`, `@PathVariable`); None: they do not say."""
    definite_assignment: bool = False
    """Whether the compiler lets no local variable be read that no assignment may have given a
    value: its declaration alone is never what it holds (Java; in C# calls assign, too)."""
    copied_variant: Callable[[Program, Value], str] | None = None
    """(program, value of a type) -> the variant of the type whose fields another object gets that
    the value is spread into: what an object says of how it is written is not copied (`toJSON`)."""
    injected_value: Callable[[Program, Member, Scope], Value | None] | None = None
    """(program, member, its scope) -> what a container of dependencies gives the member by a token
    (`@inject(ROUTER) router: Router`); None where that says no more than its type."""
    stored_null: Callable[[Program, Member, Scope], bool] | None = None
    """(program, member, its scope) -> whether a database may hold null in the member of an entity,
    whatever its type says (TypeORM's `@Column({ nullable: true })`)."""
    kept_not_null: Callable[[Program, ClassSymbol, Member], bool] | None = None
    """(program, class, member of it) -> whether no object of the class that was read from a
    database has null in the member (a key, a column that takes none)."""
    schemas_with_classes: Callable[[Program, FileFacts | None], tuple[str, ...]] | None = None
    """(program, file) -> the schemas, or folders of schemas, of which the build makes classes that
    the file sees: types of the file do not stand for them. Without a file: all that any sees."""
    class_bodies: bool = False
    """Whether the body of a class sees the names that it has given values before (Python)."""
    implicit_this: bool = False
    """Whether a bare name may be a member of the class around it (Java, C#)."""
    text_method: str = ""
    """The method that gives an object as text where it is a part of one (`toString`)."""
    overload: Overload | None = None
    """(program, method, names of the arguments, value of an argument by its position) -> the method
    of that name which is called; None where the arguments do not tell which one. Names are empty
    for arguments passed by position."""
    extension: Callable[[Program, str, Value, int, FileFacts], FunctionValue | None] | None = None
    """(program, name, receiver, number of arguments, file of the call) -> the function of the
    project that `receiver.name(…)` calls although no class of the receiver declares it (C#'s
    extension methods); None: no such function, or it is not known which."""
    parts: Parts | None = None
    """Where a class may be declared in several parts (C#'s `partial`)."""
    application_of: Callable[[Program, str], Application | None] | None = None
    """(program, path of a file) -> the program that the file is built into, as build files tell;
    None: several alike, or it is not known."""
    pairs: Mapping[str, str] = {}
    """Generic library maps whose items, where they are walked through, are of a generic type with
    the same arguments (C#: a dictionary's are `KeyValuePair`s)."""
