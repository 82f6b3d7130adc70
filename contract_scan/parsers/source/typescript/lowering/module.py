"""The top level of a file: imports, exports, declarations and statements."""

from __future__ import annotations

import msgspec
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Annotation,
    Assign,
    Attribute,
    ClassDecl,
    Define,
    Export,
    Expr,
    FileFacts,
    Function,
    Import,
    Member,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.typescript.lowering import (
    declarations,
    effects,
    expressions,
    functions,
    params,
    statements,
)
from contract_scan.parsers.source.typescript.lowering.context import (
    MAX_DEPTH,
    Lowering,
    named_children,
    tokens,
)

_CLASSES = frozenset(
    {"class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration"}
)
_FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration"})
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration", "using_declaration"})

Words = tuple[str, ...]
_MODULE_PREFIX = "module<"


class Module:
    """Collects the facts of one file, or of one namespace inside it."""

    def __init__(self, context: Lowering) -> None:
        self._context = context
        self._imports: list[Import] = []
        self._exports: list[Export] = []
        self._exports_names: list[str] = []
        """Names of what the file exports, as a whole."""
        self._classes: dict[str, ClassDecl] = {}
        self._functions: list[Function] = []
        self._signatures: list[Function] = []
        self._aliases: list[Alias] = []
        self._statements: list[Statement] = []

    def facts(self, path: str, errors: tuple[Span, ...], stated_source: str) -> FileFacts:
        """Everything read, as the facts of a file."""
        known = {item.local for item in self._imports}
        inner = (item for local, item in self._context.imports.items() if local not in known)
        itself = f"./{path.rpartition('/')[2]}"
        own = (Import(module=itself, local=name) for name in self._exports_names)
        return FileFacts(
            path=path,
            language="typescript",
            imports=(*self._imports, *inner, *own),
            exports=tuple(self._exports),
            classes=tuple(self._classes.values()),
            functions=self._all_functions(),
            aliases=tuple(self._aliases),
            statements=tuple(self._statements),
            errors=errors,
            stated_source=stated_source,
        )

    def _all_functions(self) -> tuple[Function, ...]:
        """Signatures of functions that also have a body (overloads) are left out."""
        written = {function.name for function in self._functions}
        return (*self._functions, *(s for s in self._signatures if s.name not in written))

    # ------------------------------------------------------------------ statements

    def lower_children(self, node: Node, words: Words = ()) -> None:
        """Every statement below a node: the program, a namespace body, a syntax error."""
        for child in named_children(node):
            self._statement(child, words)

    def _statement(self, node: Node, words: Words = ()) -> None:
        context = self._context
        kind = node.type
        if kind == "import_statement":
            self._imports.extend(_lower_import(context, node))
        elif kind == "export_statement":
            self._export(node)
        elif kind in _CLASSES:
            self._add_class(declarations.lower_class(context, node, extra=words))
        elif kind in _FUNCTIONS or kind == "function_signature":
            self._function(node, words)
        elif kind == "type_alias_declaration":
            alias = declarations.lower_alias(context, node, words)
            if alias is not None:
                self._aliases.append(alias)
        elif kind == "ambient_declaration":
            self._ambient(node, words)
        elif kind in ("internal_module", "module"):
            self._namespace(node, words)
        elif kind in _VARIABLES:
            self._variables(node, "export" in words)
        elif kind == "import_alias":
            self._import_alias(node, words)
        elif kind == "expression_statement":
            self._expression_statement(node, words)
        elif kind == "ERROR":
            if context.depth < MAX_DEPTH:
                context.depth += 1
                self.lower_children(node, words)
                context.depth -= 1
        else:
            statements.lower_statement(context, node, self._statements)

    def _expression_statement(self, node: Node, words: Words) -> None:
        inner = next(named_children(node), None)
        if inner is not None and inner.type == "internal_module":
            self._namespace(inner, words)
            return
        found: effects.Statements = []
        self._context.lazy = True
        statements.lower_statement(self._context, node, found)
        self._context.lazy = False
        for statement in found:
            if not self._commonjs_export(statement):
                self._statements.append(statement)

    def _function(self, node: Node, words: Words) -> None:
        function = self._lazily(node)
        words = (*words, *function.modifiers)
        if node.type == "function_signature":
            words = (*words, "abstract")
        body = None if node.type == "function_signature" else function.body
        target = self._signatures if node.type == "function_signature" else self._functions
        target.append(functions.with_changes(function, annotations=(), modifiers=words, body=body))

    def _lazily(self, node: Node) -> Function:
        self._context.lazy = True
        try:
            return functions.lower_function(self._context, node)
        finally:
            self._context.lazy = False

    def _variables(self, node: Node, exported: bool) -> None:
        context = self._context
        found: effects.Statements = []
        context.lazy = True
        effects.lower_variables(context, node, found)
        context.lazy = False
        for statement in found:
            if isinstance(statement, Define) and isinstance(statement.declaration, ClassDecl):
                declared = statement.declaration
                words = ("export", *declared.modifiers) if exported else declared.modifiers
                self._add_class(msgspec.structs.replace(declared, modifiers=words))
            elif isinstance(statement, Assign) and (own := _name_of_exports(statement)):
                self._exports_names.append(own)
            elif isinstance(statement, Assign):
                required = _require_imports(context, statement)
                if required is None:
                    self._statements.append(statement)
                else:
                    self._imports.extend(required)
                if exported:
                    self._exports.extend(_exported_names(statement.target))

    def _ambient(self, node: Node, words: Words) -> None:
        """`declare …`: of a global, a module, or any declaration."""
        for child in named_children(node):
            if child.type == "statement_block":
                self.lower_children(child, (*words, "declare", "global"))
            else:
                self._statement(child, (*words, "declare"))

    # ------------------------------------------------------------------ classes and namespaces

    def _add_class(self, declared: ClassDecl) -> None:
        """Declarations of one name merge, as interfaces and namespaces do."""
        known = self._classes.get(declared.name)
        self._classes[declared.name] = (
            declared if known is None else _merge_declarations(known, declared)
        )

    def _namespace(self, node: Node, words: Words) -> None:
        """`namespace A.B { … }` is a class `A` that holds a class `B` that holds what stands in
        it; so are ambient modules, by their quoted name."""
        context = self._context
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or context.depth >= MAX_DEPTH:
            return
        inner = Module(context)
        context.depth += 1
        if body is not None:
            inner.lower_children(body)
        context.depth -= 1
        quoted = name.type == "string"
        text = context.text(name)
        parts = [text] if quoted else ["".join(part.split()) for part in text.split(".")]
        made: ClassDecl | None = None
        for part in reversed(parts):
            own = made
            made = ClassDecl(
                name=part,
                modifiers=(*words, "namespace", *(("module",) if quoted else ())),
                members=inner._variables_as_members() if own is None else (),
                methods=tuple(inner._all_functions()) if own is None else (),
                classes=tuple(inner._classes.values()) if own is None else (own,),
                aliases=tuple(inner._aliases) if own is None else (),
                name_span=context.span(name),
                span=context.span(node),
            )
        if made is not None:
            self._add_class(made)

    def _variables_as_members(self) -> tuple[Member, ...]:
        return tuple(
            Member(
                name=statement.target.id,
                kind="constant",
                type=statement.type,
                value=statement.value,
                modifiers=("static",),
                name_span=statement.target.span,
                span=statement.span,
            )
            for statement in self._statements
            if isinstance(statement, Assign) and isinstance(statement.target, Name)
        )

    def _import_alias(self, node: Node, words: Words) -> None:
        """`import A = B.C` names something a second time."""
        children = list(named_children(node))
        if len(children) != 2:
            return
        context = self._context
        target = Name(id=context.text(children[0]), span=context.span(children[0]))
        value: Expr = Name(id="", span=context.span(children[1]))
        for position, part in enumerate("".join(context.text(children[1]).split()).split(".")):
            span = context.span(children[1])
            if position:
                value = Attribute(value=value, name=part, span=span)
            else:
                value = Name(id=part, span=span)
        self._statements.append(Assign(target=target, value=value, span=context.span(node)))
        if "export" in words:
            self._exports.append(Export(exported=target.id, name=target.id))

    # ------------------------------------------------------------------ exports

    def _export(self, node: Node) -> None:
        context = self._context
        words = tokens(node)
        declaration = node.child_by_field_name("declaration")
        modifiers: Words = ("export", "default") if "default" in words else ("export",)
        if declaration is not None:
            self._exported_declaration(node, declaration, modifiers)
            return
        source = node.child_by_field_name("source")
        module = context.string(source) if source is not None else ""
        clause = next(
            (child for child in named_children(node) if child.type == "export_clause"), None
        )
        if clause is not None:
            for name, alias, _ in _specifiers(context, clause):
                self._exports.append(
                    Export(exported=alias, name=name, module=module, span=context.span(clause))
                )
            return
        star = next(
            (child for child in named_children(node) if child.type == "namespace_export"), None
        )
        if star is not None:
            exported = _specifier_name(context, star.named_children[-1])
            self._exports.append(Export(exported=exported, module=module, span=context.span(node)))
        elif source is not None:
            self._exports.append(
                Export(exported="*", name="*", module=module, span=context.span(node))
            )
        else:
            self._default_export(node)

    def _exported_declaration(self, node: Node, declaration: Node, words: Words) -> None:
        context = self._context
        decorators = params.lower_decorators(context, node)
        if declaration.type in _CLASSES:
            name = "default" if "default" in words else ""
            declared = declarations.lower_class(context, declaration, name, decorators, extra=words)
            self._add_class(declared)
        else:
            self._statement(declaration, words)

    def _default_export(self, node: Node) -> None:
        """`export default value` and `export = value`."""
        context = self._context
        value = node.child_by_field_name("value")
        if value is None:
            value = next(
                (child for child in named_children(node) if child.type != "decorator"), None
            )
        if value is None:
            return
        if value.type == "class":
            decorators: tuple[Annotation, ...] = params.lower_decorators(context, node)
            words = ("export", "default")
            self._add_class(
                declarations.lower_class(context, value, "default", decorators, extra=words)
            )
            return
        context.lazy = True
        lowered = expressions.lower_expression(context, value)
        context.lazy = False
        span = context.span(node)
        if "=" not in tokens(node) and isinstance(lowered, Name):
            self._exports.append(Export(exported="default", name=lowered.id, span=span))
        else:
            self._exports.append(Export(exported="default", value=lowered, span=span))

    def _commonjs_export(self, statement: Statement) -> bool:
        """`module.exports = value`, `module.exports.a = value`, `exports.a = value`."""
        if not isinstance(statement, Assign) or statement.operator:
            return False
        target = statement.target
        if not isinstance(target, Attribute):
            return False
        written = params.dotted_name_of(target)
        if written == "module.exports":
            exported = "default"
        elif written in (f"module.exports.{target.name}", f"exports.{target.name}") or (
            isinstance(target.value, Name) and target.value.id in self._exports_names
        ):
            exported = target.name
        else:
            return False
        self._exports.append(Export(exported=exported, value=statement.value, span=statement.span))
        return True


def _name_of_exports(statement: Assign) -> str:
    """The name in `const users = module.exports`, whose members are what the file exports; empty
    for any other statement."""
    if not isinstance(statement.target, Name) or statement.operator or statement.value is None:
        return ""
    written = params.dotted_name_of(statement.value)
    return statement.target.id if written in ("module.exports", "exports") else ""


def _exported_names(target: Expr) -> list[Export]:
    """`export const a = …, { b } = …` exports each name it binds."""
    found: list[Export] = []
    pending = [target]
    while pending:
        current = pending.pop(0)
        if isinstance(current, Name):
            found.append(Export(exported=current.id, name=current.id, span=current.span))
        elif isinstance(current, ObjectLiteral):
            pending.extend(entry.value for entry in current.entries)
    return found


def _merge_declarations(first: ClassDecl, second: ClassDecl) -> ClassDecl:
    """Two declarations of one name: what a namespace adds never hides the class."""
    main, other = first, second
    if "namespace" in first.modifiers and "namespace" not in second.modifiers:
        main, other = second, first
    return msgspec.structs.replace(
        main,
        bases=(*main.bases, *other.bases),
        members=(*main.members, *other.members),
        methods=(*main.methods, *other.methods),
        classes=(*main.classes, *other.classes),
        aliases=(*main.aliases, *other.aliases),
        annotations=(*main.annotations, *other.annotations),
    )


def _lower_import(context: Lowering, node: Node) -> list[Import]:
    """What an `import …` statement names, in order; a bare `import "m"` is there for its effect."""
    source = node.child_by_field_name("source")
    clause = next((c for c in named_children(node) if c.type.startswith("import_")), None)
    if clause is not None and clause.type == "import_require_clause":
        source = clause.child_by_field_name("source")
        name = next(named_children(clause), None)
        if source is None or name is None:
            return []
        return [Import(module=context.string(source), local=context.text(name))]
    if source is None:
        return []
    module = context.string(source)
    words = ("type",) if "type" in tokens(node) else ()
    if clause is None or clause.type == "import_attribute":
        return [Import(module=module, modifiers=("effect",))]
    found: list[Import] = []
    for child in named_children(clause):
        if child.type == "identifier":
            local = context.text(child)
            found.append(Import(module=module, name="default", local=local, modifiers=words))
        elif child.type == "namespace_import":
            local = context.text(child.named_children[-1])
            found.append(Import(module=module, local=local, modifiers=words))
        elif child.type == "named_imports":
            found.extend(
                Import(module=module, name=name, local=local, modifiers=words or own)
                for name, local, own in _specifiers(context, child)
            )
    return found


def _specifiers(context: Lowering, node: Node) -> list[tuple[str, str, Words]]:
    """(name, alias or name, modifiers) of `{ a, type b as c }`."""
    found: list[tuple[str, str, Words]] = []
    for child in named_children(node):
        name = child.child_by_field_name("name")
        if name is None:
            continue
        alias = child.child_by_field_name("alias")
        first = _specifier_name(context, name)
        second = _specifier_name(context, alias) if alias is not None else first
        found.append((first, second, ("type",) if "type" in tokens(child) else ()))
    return found


def _specifier_name(context: Lowering, node: Node) -> str:
    """A name as it stands in a specifier: an identifier, or a text in quotes."""
    return context.string(node) if node.type == "string" else context.text(node)


def _require_imports(context: Lowering, statement: Assign) -> list[Import] | None:
    """`const x = require("m")`, `const { a } = require("m")`, `const a = require("m").a` are
    imports; None where the statement is no such thing."""
    value: Expr | None = statement.value
    name = ""
    if isinstance(value, Attribute):
        name, value = value.name, value.value
    if not isinstance(value, Name) or not value.id.startswith(_MODULE_PREFIX):
        return None
    made = context.imports.get(value.id)
    if made is None:
        return None
    target = statement.target
    if isinstance(target, Name):
        return [_require(made.module, name, target.id)]
    if name or not isinstance(target, ObjectLiteral):
        return None
    if not all(
        entry.key and isinstance(entry.value, Name) and not entry.spread for entry in target.entries
    ):
        return None
    return [
        _require(made.module, entry.key or "", entry.value.id)
        for entry in target.entries
        if isinstance(entry.value, Name)
    ]


def _require(module: str, name: str, local: str) -> Import:
    return Import(module=module, name=name, local=local, modifiers=("require",))
