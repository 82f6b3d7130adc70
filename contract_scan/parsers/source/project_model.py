"""What the code below a root does, in the common form: routes, events, models of all languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from contract_scan.ir.document import UNMERGED, CodeModel, NotAnalysed
from contract_scan.ir.event import EventUse
from contract_scan.ir.evidence import Evidence, Grade, of_part, uniform
from contract_scan.ir.media_type import media_type_essence
from contract_scan.ir.model import Model
from contract_scan.ir.operation import (
    DYNAMIC_PREFIX,
    DYNAMIC_SEGMENT,
    Answers,
    Body,
    DeferredAnswers,
    Operation,
    Response,
    RouteTraits,
    with_answers,
)
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Reference, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.stack_headroom import with_room
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    ModuleValue,
    Record,
)
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import is_assumed
from contract_scan.parsers.source.discovery.discover import SourceTree, is_inside
from contract_scan.parsers.source.facts.nodes import FileFacts, NamedType
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.refusing_files import RefusingFiles
from contract_scan.parsers.source.unread_routes import UnreadRoutes
from contract_scan.parsers.source.web.route_copies import registers_copies

Item = TypeVar("Item", Operation, EventUse)

_SUFFIXES = (
    "base",
    "data",
    "dto",
    "entity",
    "event",
    "in",
    "input",
    "message",
    "model",
    "out",
    "output",
    "payload",
    "read",
    "record",
    "request",
    "resource",
    "response",
    "ro",
    "schema",
    "serializer",
    "type",
    "view",
    "viewmodel",
    "vm",
)
"""What teams append to a model's name for a type that stands for it."""
_PRIVATE = frozenset({"private", "protected"})
_DEFECTS = (RecursionError, LookupError, TypeError, ValueError, AttributeError)
_QUOTES = (b'"', b"'", b"`")
_PAGE_MARKERS = (b"render", b"emplate", b"HTMLResponse")
"""What the text of a file holds where a handler in it renders a page."""


def fold_name(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[^0-9a-z]", "", name.lower())


def stands_for(name: str) -> Iterator[str]:
    """Folded names of the models that a type of this name may stand for, itself first."""
    plain = fold_name(name)
    yield plain
    bases = [plain]
    if re.match(r"I[A-Z][a-z]", name):
        bases.append(plain[1:])
        yield plain[1:]
    for base in bases:
        for suffix in _SUFFIXES:
            if base.endswith(suffix) and len(base) > len(suffix):
                yield base[: -len(suffix)]


class Code:
    """The code side of a comparison."""

    def __init__(
        self,
        programs: Iterable[Program],
        problems: Callable[[], list[NotAnalysed]],
        files: SourceTree,
    ) -> None:
        """`problems` gives what the reader met so far; it is asked after everything was read.
        `files` are searched for paths of routes that are not read."""
        self._programs = {program.language.name: program for program in programs}
        self._reader_problems = problems
        self._unread_routes = UnreadRoutes(files, self.with_word)
        self._own_problems: list[NotAnalysed] = []
        self._defects: list[Reason] = []
        self._refusing = {name: RefusingFiles(each) for name, each in self._programs.items()}
        self._operations: tuple[Operation, ...] | None = None
        self._events: tuple[EventUse, ...] | None = None

    @property
    def programs(self) -> tuple[Program, ...]:
        """One program for each language that is there."""
        return tuple(self._programs.values())

    @property
    @with_room
    def operations(self) -> tuple[Operation, ...]:
        """Every route, in order of place; what one answers may be deferred. A library whose routes
        could not be read for a defect of ours has one that may be any."""
        if self._operations is None:
            before = len(self._defects)
            found = list(map(_with_media_type_essences, self._items("operations")))
            found += [
                Operation(method="*", path="", unresolved=reason)
                for reason in self._defects[before:]
            ]
            self._operations = tuple(map(with_undetermined_parts, found))
        return self._operations

    @property
    @with_room
    def operations_with_answers(self) -> tuple[Operation, ...]:
        """Every route with what it answers, in order of place."""
        return tuple(map(with_answers, self.operations))

    @property
    @with_room
    def events(self) -> tuple[EventUse, ...]:
        """Every place that sends or receives, in order of place."""
        if self._events is None:
            self._events = tuple(self._items("events"))
        return self._events

    @property
    def problems(self) -> tuple[NotAnalysed, ...]:
        """What kept files from being read whole, as far as they were read."""
        found = [*self._reader_problems(), *self._own_problems]
        found.extend(p for program in self._programs.values() for p in program.problems)
        unique = {(p.path, p.line, p.reason): p for p in found}
        return tuple(unique[key] for key in sorted(unique))

    def _items(self, what: str) -> list[Item]:
        found: list[Item] = []
        for program in self._programs.values():
            for framework in program.language.frameworks:
                extract = getattr(framework, what)
                if extract is not None:
                    items = self._items_of(extract, program, framework)
                    for item in items:
                        whole = _with_library_traits(item, program, framework)
                        found.append(self._with_contained_answers(whole, program, framework))
        found = [item for item in found if is_inside(item.origin.path)]
        found.sort(key=_item_key)
        return found

    def _items_of(
        self,
        extract: Callable[[Program, Framework], Iterator[Item]],
        program: Program,
        framework: Framework,
    ) -> Iterator[Item]:
        """A reader that fails on some code is a defect of ours: it is named, and what the other
        readers find still counts."""
        try:
            yield from extract(program, framework)
        except _DEFECTS as error:
            self._note_defect(error, framework)

    def _with_contained_answers(self, item: Item, program: Program, framework: Framework) -> Item:
        """A route whose answers are evaluated later, with the same care for defects."""
        deferred = item.deferred if isinstance(item, Operation) else None
        if not isinstance(item, Operation) or deferred is None:
            return item
        path = item.origin.path
        refusing = self._refusing[program.language.name]

        def evaluate() -> Answers:
            budget = program.evaluator.budget
            try:
                with budget.for_operation():
                    found = deferred.value
                    return found._replace(statuses_complete=False) if budget.is_spent else found
            except _DEFECTS as error:
                self._note_defect(error, framework)
                return Answers((), statuses_complete=False)

        later = DeferredAnswers(
            evaluate,
            lambda: path in refusing.paths,
            lambda: path in program.files_containing(*_PAGE_MARKERS),
        )
        return replace(item, deferred=later)

    def _note_defect(self, error: Exception, framework: Framework) -> None:
        reason = Reason(
            "internal-error",
            framework=framework.name,
            error_type=type(error).__name__,
            error=error,
            where=_innermost(error),
        )
        self._defects.append(reason)
        self._own_problems.append(NotAnalysed(path="", reason=reason))

    def resolve(self, reference: Reference) -> Schema:
        """The schema that a reference in an operation, event or model of this code stands for."""
        language = reference.key.split(":", 1)[0]
        return self._programs[language].resolve(reference)

    @property
    def schemas_with_classes(self) -> tuple[str, ...]:
        """The JSON Schemas, or folders of them, that the build makes classes of, sorted."""
        found: set[str] = set()
        for program in self._programs.values():
            if (made := program.language.schemas_with_classes) is not None:
                found.update(made(program, None))
        return tuple(sorted(found))

    def with_literal(self, text: str) -> tuple[str, ...]:
        """Paths of files that have this very text in quotation marks, sorted."""
        quoted = tuple(quote + text.encode() + quote for quote in _QUOTES)
        found = (
            p for program in self._programs.values() for p in program.files_containing(*quoted)
        )
        return tuple(sorted(set(filter(is_inside, found))))

    def with_quoted_name(self, name: str) -> tuple[str, ...]:
        """Paths of files that have, in quotation marks, the name of a file or a path that ends in
        it, sorted."""
        text = name.encode()
        ends = tuple(start + text + quote for quote in _QUOTES for start in (b"/", b"\\\\", quote))
        found = (p for program in self._programs.values() for p in program.files_containing(*ends))
        return tuple(sorted(set(filter(is_inside, found))))

    def with_word(self, word: str) -> tuple[str, ...]:
        """Paths of files that have a word, not as a part of another, sorted."""
        found = (
            path for program in self._programs.values() for path in program.files_with_word(word)
        )
        return tuple(sorted(set(filter(is_inside, found))))

    def answered_unread(
        self, paths: Sequence[Sequence[str]], routes: Collection[tuple[str, Sequence[str]]]
    ) -> Reason:
        """Why a route that is not read may answer one of some paths."""
        if any(problem.code == UNMERGED.code for problem in self.problems):
            return NO_REASON  # all that is missing beside a merge conflict is left open for it
        return self._unread_routes.answer(paths, routes)

    def part_in(self, *folders: str, without: Iterable[str] = ()) -> CodeModel:
        """The part of this code that lies in root-relative folders, less some folders of them."""
        return _CodePart(self, folders, tuple(without))

    # ------------------------------------------------------------------ models

    def models(self, names: frozenset[str]) -> tuple[Model, ...]:
        """Every type definition whose name stands for one of the wanted names, in order of
        place."""
        wanted = {fold_name(name) for name in names}
        found: list[Model] = []
        for program in self._programs.values():
            for name in program.defined_names():
                if wanted.intersection(stands_for(name)):
                    found.extend(self._models_named(program, name))
        found.sort(key=lambda m: (m.origin.path, m.origin.span))
        return tuple(found)

    @with_room
    def all_models(self) -> tuple[Model, ...]:
        """Every type definition that has a shape on the wire (for `extract`)."""
        found: list[Model] = []
        for program in self._programs.values():
            for name in program.defined_names():
                found.extend(self._models_named(program, name))
        found.sort(key=lambda m: (m.origin.path, m.origin.span))
        return tuple(found)

    def _models_named(self, program: Program, name: str) -> Iterator[Model]:
        for path in filter(is_inside, program.files_defining(name)):
            file = program.facts(path)
            scope = program.module_scope(file)
            for symbol in program.classes(file):
                if symbol.decl.name == name and symbol.decl.kind != "annotation":
                    inside = program.names.classes.class_scope(symbol, {})
                    schema = program.schema(NamedType(name=name), inside)
                    if _is_abstraction(program, symbol, schema) or _is_service(program, symbol):
                        continue
                    schema = _private_members_doubted(program, symbol, schema)
                    yield from self._model(
                        program, file, name, schema, symbol.origin, symbol.decl.kind
                    )
                yield from self._inner_aliases(program, symbol, name)
            found = program.names.modules.declared_in(file, name)
            if isinstance(found, AliasSymbol):
                schema = program.schema(NamedType(name=name), scope)
                yield from self._model(program, file, name, schema, found.origin, "type")
            elif found is None:
                value = program.names.modules.module_level(file, name)
                if value is None or isinstance(
                    value, ClassValue | FunctionValue | ModuleValue | AliasSymbol | Record
                ):
                    continue  # an object that is written down is one of a type, and no type
                schema = program.schema(NamedType(name=name), scope)
                yield from self._model(program, file, name, schema, schema.origin, "value")

    def _inner_aliases(self, program: Program, symbol: ClassSymbol, name: str) -> Iterator[Model]:
        """The alias of a name that a namespace declares."""
        for alias in symbol.decl.aliases:
            if alias.name == name:
                around = (*symbol.outer, symbol.decl.name)
                inside = program.names.classes.class_scope(symbol, {})
                schema = program.schema(NamedType(name=name), inside)
                origin = AliasSymbol(alias, symbol.file, around).origin
                yield from self._model(program, symbol.file, name, schema, origin, "type")

    def _model(
        self,
        program: Program,
        file: FileFacts,
        name: str,
        schema: Schema,
        origin: Origin,
        kind: str,
    ) -> Iterator[Model]:
        flat = program.types.flat(schema)
        options = flat.options if isinstance(flat, Union) else (flat,)
        shaped = any(_is_shaped(program.types.flat(option)) for option in options)
        generated = program.language.schemas_with_classes
        if shaped or isinstance(flat, Unknown):
            yield Model(
                name=name,
                schema=schema,
                origin=origin,
                language=program.language.name,
                kind=kind,
                stated_source=file.stated_source,
                other_classes_of=generated(program, file) if generated is not None else (),
                package=".".join(filter(None, (_namespace(file, name, origin), origin.symbol))),
            )


class _CodePart:
    """Some folders' share of a `Code`. Types are still resolved over all of it."""

    def __init__(self, code: Code, folders: tuple[str, ...], without: tuple[str, ...]) -> None:
        self._code = code
        self._folders = folders
        self._without = without

    def _is_inside(self, path: str) -> bool:
        return any(is_below(path, folder) for folder in self._folders) and not any(
            is_below(path, folder) for folder in self._without
        )

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(o for o in self._code.operations if self._is_inside(o.origin.path))

    @property
    def events(self) -> tuple[EventUse, ...]:
        return tuple(e for e in self._code.events if self._is_inside(e.origin.path))

    @property
    def problems(self) -> tuple[NotAnalysed, ...]:
        return tuple(p for p in self._code.problems if not p.path or self._is_inside(p.path))

    def models(self, names: frozenset[str]) -> tuple[Model, ...]:
        return tuple(m for m in self._code.models(names) if self._is_inside(m.origin.path))

    @property
    def schemas_with_classes(self) -> tuple[str, ...]:
        return self._code.schemas_with_classes

    def with_literal(self, text: str) -> tuple[str, ...]:
        return tuple(path for path in self._code.with_literal(text) if self._is_inside(path))

    def with_quoted_name(self, name: str) -> tuple[str, ...]:
        return tuple(path for path in self._code.with_quoted_name(name) if self._is_inside(path))

    def with_word(self, word: str) -> tuple[str, ...]:
        return tuple(path for path in self._code.with_word(word) if self._is_inside(path))

    def answered_unread(
        self, paths: Sequence[Sequence[str]], routes: Collection[tuple[str, Sequence[str]]]
    ) -> Reason:
        # A service in another language has no folder that is known.
        return self._code.answered_unread(paths, routes)

    def resolve(self, reference: Reference) -> Schema:
        return self._code.resolve(reference)


def _namespace(file: FileFacts, name: str, origin: Origin) -> str:
    """The namespace or package of a type that a file declares."""
    outermost = origin.symbol.partition(".")[0] or name
    return file.namespaces.get(outermost, file.package)


def _is_service(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a container makes the objects of a class and hands them out: they are no data."""
    names = program.language.service_annotations
    scope = program.module_scope(symbol.file)
    return bool(names) and any(
        annotation.callee is not None and program.qualified_name(annotation.callee, scope) in names
        for annotation in symbol.decl.annotations
    )


def _private_members_doubted(program: Program, symbol: ClassSymbol, schema: Schema) -> Schema:
    """A type in which private members count as undetermined: whoever shares the type cannot name
    them, though where nothing else is said they are written with the rest."""
    if not program.language.structural:
        return schema
    owners = (symbol, *program.bases(symbol))
    private = {
        member.name
        for owner in owners
        for member in owner.decl.members
        if _PRIVATE.intersection(member.modifiers)
    }
    flat = program.types.flat(schema) if private else schema
    if not isinstance(flat, Object) or private.isdisjoint(field.name for field in flat.fields):
        return schema
    fields = tuple(
        replace(field, undetermined_reason=Reason("member-is-private", member=field.name))
        if field.name in private
        else field
        for field in flat.fields
    )
    return replace(flat, fields=fields)


def _is_abstraction(program: Program, symbol: ClassSymbol, schema: Schema) -> bool:
    """Whether what is written is never of this type itself, but of the classes that implement it.
    Where serializers are told which these are, the interface stands for all of them."""
    if symbol.decl.kind != "interface" or program.language.structural:
        return False
    flat = program.types.flat(schema)
    if not isinstance(flat, Object) or flat.origin != symbol.origin:
        return False
    return bool(program.names.classes.implementations(symbol))


def _is_shaped(schema: Schema) -> bool:
    """Whether a shape says enough to stand for a model: fields, or the values there are."""
    if isinstance(schema, Object):
        return bool(schema.fields or schema.incomplete_reason)
    return isinstance(schema, Scalar) and schema.values is not None


def is_below(path: str, folder: str) -> bool:
    """Whether a root-relative path is a folder or lies in it; every path lies in the root ""."""
    return not folder or path == folder or path.startswith(folder + "/")


def _with_library_traits(item: Item, program: Program, framework: Framework) -> Item:
    """A route with the traits of its library, where it states none itself; an event with the
    protocols of its library, where it names none itself, and whether its address is only a
    default."""
    if not isinstance(item, EventUse):
        if registers_copies(program, item):
            item = replace(item, copies_routes=True)
        application_of = program.language.application_of
        if item.application is None and application_of is not None:
            item = replace(item, application=application_of(program, item.origin.path))
        item = _with_grades(item, program.language.reads, framework.sends or program.language.sends)
        stated = item.traits != RouteTraits() or framework.traits == RouteTraits()
        return item if stated else replace(item, traits=framework.traits)
    grade = program.language.sends if item.direction == "send" else program.language.reads
    return replace(
        item,
        evidence=of_part(item.evidence, uniform(grade)),
        protocols=item.protocols or framework.protocols,
        is_default_address=is_assumed(program, item.address),
    )


def _with_grades(operation: Operation, reads: Grade, sends: Grade) -> Operation:
    """The operation with a grade for everything of which its reader states none."""
    read = uniform(reads)
    return replace(
        _with_changed_answers(operation, lambda found: _with_grades_of(found, uniform(sends))),
        parameters=tuple(
            replace(one, evidence=of_part(one.evidence, read)) for one in operation.parameters
        ),
        request=tuple(
            replace(body, evidence=of_part(body.evidence, read)) for body in operation.request
        ),
    )


def _with_grades_of(responses: tuple[Response, ...], written: Evidence) -> tuple[Response, ...]:
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, evidence=of_part(body.evidence, written)) for body in response.bodies
            ),
        )
        for response in responses
    )


def _with_changed_answers(
    operation: Operation, change: Callable[[tuple[Response, ...]], tuple[Response, ...]]
) -> Operation:
    """The operation with other responses; those that are deferred are changed when they are
    evaluated."""
    deferred = operation.deferred
    if deferred is None:
        return replace(
            operation,
            responses=change(operation.responses),
            without_status=change(operation.without_status),
        )

    changed = deferred.map(lambda found: found.with_changed_responses(change))
    return replace(operation, deferred=changed)


def _with_media_type_essences(operation: Operation) -> Operation:
    """The same operation with the media types of its bodies as contracts are read: `text/plain;
    version=0.0.4` of an annotation is `text/plain`."""
    changed = _with_changed_answers(operation, _with_essences_of)
    return replace(changed, request=_with_essences(operation.request))


def _with_essences_of(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    return tuple(
        response if bodies is response.bodies else replace(response, bodies=bodies)
        for response in responses
        for bodies in (_with_essences(response.bodies),)
    )


def _with_essences(bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """The bodies with plain media types; the same tuple where all of them are."""
    essences = tuple(media_type_essence(body.content_type) for body in bodies)
    if all(body.content_type == essence for body, essence in zip(bodies, essences, strict=True)):
        return bodies
    return tuple(
        replace(body, content_type=essence) for body, essence in zip(bodies, essences, strict=True)
    )


def _item_key(item: Operation | EventUse) -> tuple[object, ...]:
    key = item.path if isinstance(item, Operation) else item.address
    verb = item.method if isinstance(item, Operation) else item.direction
    return (item.origin.path, item.origin.span, key, verb)


def _innermost(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "unknown place"
    module = trace.tb_frame.f_globals.get("__name__", "?")
    return f"{module}:{trace.tb_lineno}"


# Paths of routes of which a part is undetermined.

_NAME = DYNAMIC_SEGMENT.strip("{}")
_BEGINNING = re.compile(r"/*(?:\{(?:computed)?\}/*)+")
_HOLE = "{}"


def with_undetermined_parts(operation: Operation) -> Operation:
    """The operation with each part of its path that is not told as a parameter of one name, which
    is none that the code reads. Where the path begins with such parts, they are one prefix, and
    what is written behind them is a segment of its own: nothing says that a word is split."""
    if not operation.unresolved or "{" not in operation.path:
        return operation
    beginning = _BEGINNING.match(operation.path)
    path = operation.path
    if beginning is not None:
        rest = path[beginning.end() :]
        path = f"{DYNAMIC_PREFIX}/{rest}" if rest else DYNAMIC_PREFIX
    path = path.replace(_HOLE, DYNAMIC_SEGMENT)
    parameters = tuple(
        p for p in operation.parameters if p.location != "path" or p.name not in ("", _NAME)
    )
    if path == operation.path and len(parameters) == len(operation.parameters):
        return operation
    return replace(operation, path=path, parameters=parameters)
