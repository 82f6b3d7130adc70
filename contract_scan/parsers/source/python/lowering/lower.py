"""Bytes of a Python file -> facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.generated_code import stated_source
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Annotation,
    Call,
    ClassDecl,
    FileFacts,
    Function,
    Import,
    NamedType,
    Statement,
)
from contract_scan.parsers.source.python.lowering import (
    aliases,
    declarations,
    expressions,
    functions,
    statements,
)
from contract_scan.parsers.source.python.lowering.grammar import normalise
from contract_scan.parsers.source.python.lowering.scope import (
    SPECIAL_FORMS,
    Productions,
    Scope,
    dotted_text,
    first_child,
)
from contract_scan.parsers.source.syntax_tree import SyntaxTree, unparsed_nodes

_MOST_ERRORS = 50
LANGUAGE = "python"
_PRODUCTIONS = Productions(
    expression=expressions.expression,
    function=functions.function,
    class_declaration=declarations.class_declaration,
)
_TYPING_MODULES = frozenset(
    {"typing", "typing_extensions", "collections.abc", "dataclasses", "__future__"}
)
_INDENTED_IMPORT = re.compile(rb"^[ \t]+(?=(?:from|import)[ \t])", re.MULTILINE)
_WRONG_ENCODING = (Span(1, 1, 1, 1),)


def lower(content: bytes, path: str, markers: re.Pattern[bytes] | None = None) -> FileFacts:
    """The facts of one file.

    `markers`: a function whose text it matches gets its statements lowered as well. Never raises
    for bad source: places that cannot be parsed are in `errors`, the rest is read.
    """
    text = normalise(content)
    if text is None:
        return FileFacts(path=path, language=LANGUAGE, errors=_WRONG_ENCODING)
    try:
        source = SyntaxTree(text, ".py")
    except ParseLimitError as error:
        return FileFacts(path=path, language=LANGUAGE, unread=error.code)
    scope = Scope(source, _PRODUCTIONS)
    if markers is not None:
        scope.marker_offsets = tuple(match.start() for match in markers.finditer(text))
    reading = _FileReading(scope)
    return FileFacts(
        path=path,
        language=LANGUAGE,
        imports=tuple(reading.imports),
        classes=tuple(reading.classes),
        functions=functions.without_overloads(reading.functions),
        aliases=tuple(reading.aliases),
        statements=tuple(reading.statements),
        errors=tuple(map(source.span, islice(unparsed_nodes(source.root), _MOST_ERRORS))),
        stated_source=stated_source(content),
    )


def lower_body(content: bytes, path: str, span: Span) -> tuple[Statement, ...]:
    """The statements of the function at `span`; none where there is no function."""
    del path
    scope = _scope_of(content)
    if scope is None:
        return ()
    node = _function_at(scope.source, span)
    if node is None:
        return ()
    params = node.child_by_field_name("parameters")
    parent = node.parent
    annotations = (
        expressions.decorators(scope, parent)
        if parent is not None and parent.type == "decorated_definition"
        else ()
    )
    in_class, class_name = _enclosing_class(scope.source, node)
    scope.class_name = class_name
    scope.all_bodies = True
    lowered = functions.function(scope, node, annotations, in_class=in_class)
    scope.all_bodies = False
    if lowered is None or params is None:
        return ()
    return lowered.body or ()


@lru_cache(maxsize=8)
def _scope_of(content: bytes) -> Scope | None:
    """A file parsed for reading bodies, with its imports known."""
    text = normalise(content)
    if text is None:
        return None
    scope = Scope(SyntaxTree(text, ".py"), _PRODUCTIONS)
    _FileReading(scope, declarations_too=False)
    return scope


def _function_at(source: SyntaxTree, span: Span) -> Node | None:
    start = source.offset(span.line, span.column)
    node = source.root.descendant_for_byte_range(start, start + 1)
    while node is not None and node.start_byte == start:
        if node.type == "function_definition":
            return node
        node = node.parent
    return None


def _enclosing_class(source: SyntaxTree, node: Node) -> tuple[bool, str]:
    """Whether a function is a method, and the name of the class around it."""
    parent = node.parent
    direct = True
    while parent is not None:
        if parent.type == "class_definition":
            name = parent.child_by_field_name("name")
            return direct, source.text(name) if name is not None else ""
        if parent.type == "function_definition":
            direct = False
        parent = parent.parent
    return False, ""


class _FileReading:
    """One pass over the top level of a file, gathering what it declares in order."""

    def __init__(self, scope: Scope, *, declarations_too: bool = True) -> None:
        self.scope = scope
        self.imports: list[Import] = []
        self.classes: list[ClassDecl] = []
        self.functions: list[Function] = []
        self.aliases: list[Alias] = []
        self.statements: list[Statement] = []
        self._import_starts: set[int] = set()
        self._names: set[str] = set()
        # Asking a node for its parent goes down to it from the root each time.
        self._top_level = {node.id for node in scope.source.root.named_children}
        nodes = list(declarations.flat_statements(scope.source.root))
        for node in nodes:
            self._read_import(node)
        self._read_type_variables(nodes)
        self._read_names(nodes)
        self._read_imports_in_functions()
        if not declarations_too:
            return
        for node in nodes:
            self._read_declaration(node)
        self.statements.extend(statements.block(scope, scope.source.root.named_children))

    # imports

    def _read_import(self, node: Node) -> None:
        if node.type not in _IMPORT_STATEMENTS:
            return
        self._import_starts.add(node.start_byte)
        for item in _imports(self.scope, node):
            self.imports.append(item)
            self._names.add(item.local)
            if item.module in _TYPING_MODULES and item.name in SPECIAL_FORMS:
                self.scope.import_form(item.local, item.name)

    def _read_imports_in_functions(self) -> None:
        """Imports inside functions, under another name where theirs is taken in the file."""
        source = self.scope.source
        origins: dict[str, tuple[str, str]] = {}
        for match in _INDENTED_IMPORT.finditer(source.content):
            token = source.root.descendant_for_byte_range(match.end(), match.end() + 1)
            node = token.parent if token is not None else None
            if (
                node is None
                or node.type not in _IMPORT_STATEMENTS
                or node.start_byte in self._import_starts
            ):
                continue
            renamed: list[tuple[str, str]] = []
            for item in _imports(self.scope, node):
                origin = (item.module, item.name)
                local = item.local
                if local and (local in self._names or origins.setdefault(local, origin) != origin):
                    local = f"{item.local}@{source.line_of(node.start_byte)}"
                    renamed.append((item.local, local))
                self.imports.append(replace(item, local=local, modifiers=("local",)))
            if renamed:
                self.scope.aliased_imports[node.start_byte] = tuple(renamed)

    # names

    def _read_type_variables(self, nodes: Iterable[Node]) -> None:
        if b"TypeVar" not in self.scope.source.content:
            return
        for node in nodes:
            assignment = first_child(node) if node.type == "expression_statement" else None
            if assignment is None or assignment.type != "assignment":
                continue
            left = assignment.child_by_field_name("left")
            right = assignment.child_by_field_name("right")
            if left is None or right is None or right.type != "call":
                continue
            callee = right.child_by_field_name("function")
            if callee is None or not self.scope.source.text(callee).endswith("TypeVar"):
                continue
            made = expressions.expression(self.scope, right)
            if isinstance(made, Call):
                self.scope.type_variables[self.scope.source.text(left)] = made

    def _read_names(self, nodes: Iterable[Node]) -> None:
        """Names that the top level binds, apart from imports."""
        for node in nodes:
            if node.type == "decorated_definition":
                inner = node.child_by_field_name("definition")
            elif node.type == "expression_statement":
                inner = first_child(node)
            else:
                inner = node
            if inner is None:
                continue
            name = inner.child_by_field_name("left" if inner.type == "assignment" else "name")
            if name is not None and name.type == "identifier":
                self._names.add(self.scope.source.text(name))

    # declarations

    def _read_declaration(self, node: Node) -> None:
        scope = self.scope
        annotations: tuple[Annotation, ...] = ()
        sure = node.id in self._top_level
        if node.type == "decorated_definition":
            annotations = expressions.decorators(scope, node)
            inner = node.child_by_field_name("definition")
            if inner is None:
                return
            node = inner
        match node.type:
            case "class_definition":
                declared = declarations.class_declaration(scope, node, annotations)
                if declared is not None:
                    if sure:
                        self._forget_class(declared)
                    self.classes.append(declared)
            case "function_definition":
                function = functions.function(scope, node, annotations, in_class=False)
                if function is not None:
                    self.functions.append(function)
            case "type_alias_statement":
                alias = aliases.type_alias(scope, node)
                if alias is not None:
                    self.aliases.append(alias)
            case "expression_statement":
                self._read_assigned(node)
            case _:
                return

    def _forget_class(self, later: ClassDecl) -> None:
        """Of classes of one name the last is meant, but where it is made from the one before."""
        inherits = any(
            isinstance(base, NamedType) and base.name == later.name for base in later.bases
        )
        if not inherits:
            self.classes = [known for known in self.classes if known.name != later.name]

    def _read_assigned(self, node: Node) -> None:
        assignment = first_child(node)
        if assignment is None or assignment.type != "assignment":
            return
        alias = aliases.assigned_alias(self.scope, assignment)
        if alias is not None:
            self.aliases.append(alias)
        else:
            made = aliases.made_class(self.scope, assignment)
            if made is None:
                return
            self.classes.append(made)
        self.scope.declared.add(assignment.start_byte)


_IMPORT_STATEMENTS = frozenset({"import_statement", "import_from_statement"})


def _imports(scope: Scope, node: Node) -> Iterator[Import]:
    """The names that one import statement binds."""
    span = scope.span(node)
    module_node = node.child_by_field_name("module_name")
    module = "".join(scope.source.text(module_node).split()) if module_node is not None else ""
    for item in node.children_by_field_name("name"):
        local = ""
        if item.type == "aliased_import":
            alias = item.child_by_field_name("alias")
            inner = item.child_by_field_name("name")
            if alias is None or inner is None:
                continue
            local, item = scope.source.text(alias), inner
        name = dotted_text(scope, item)
        if not name:
            continue
        if module_node is not None:
            yield Import(module=module, name=name, local=local or name, span=span)
        else:
            yield Import(module=name, local=local or name.partition(".")[0], span=span)
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Import(module=module, name="*", span=span)
