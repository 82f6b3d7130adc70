"""Imports, exports and declarations of a file."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Annotation,
    Argument,
    Assign,
    Attribute,
    Call,
    ClassDecl,
    Entry,
    Export,
    Function,
    Import,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    ObjectType,
    Param,
    TypeOfType,
    TypeParam,
)
from contract_scan.parsers.source.typescript.lowering.lower import lower_body
from tests.parsers.source.typescript.support import bare, facts

STRING = NamedType(name="string")


def decorator(name: str, *args: str) -> Annotation:
    return Annotation(
        name=name,
        args=tuple(Argument(value=LiteralExpr(value=arg)) for arg in args),
        callee=Name(id=name),
    )


def test_imports() -> None:
    source = """
    import d, { a as b, type C } from './m'
    import * as ns from "n";
    import type { T } from 't';
    import x = require('y');
    import 'effect';
    const { p, q: r } = require('./s');
    const whole = require('./w'), one = require('./o').one;
    """
    assert bare(facts(source).imports) == (
        Import(module="./m", name="default", local="d"),
        Import(module="./m", name="a", local="b"),
        Import(module="./m", name="C", local="C", modifiers=("type",)),
        Import(module="n", local="ns"),
        Import(module="t", name="T", local="T", modifiers=("type",)),
        Import(module="y", local="x"),
        Import(module="effect", modifiers=("effect",)),
        Import(module="./s", name="p", local="p", modifiers=("require",)),
        Import(module="./s", name="q", local="r", modifiers=("require",)),
        Import(module="./w", local="whole", modifiers=("require",)),
        Import(module="./o", name="one", local="one", modifiers=("require",)),
        Import(module="y", local="module<y>"),
        Import(module="./s", local="module<·/s>"),
        Import(module="./w", local="module<·/w>"),
        Import(module="./o", local="module<·/o>"),
    )
    assert facts(source).statements == ()


def test_exports() -> None:
    source = """
    export { a as b, type c } from './m'; export * from "z"; export * as q from "w";
    export { e }; export default foo; export const v = 1;
    """
    found = facts(source)
    assert bare(found.exports) == (
        Export(exported="b", name="a", module="./m"),
        Export(exported="c", name="c", module="./m"),
        Export(exported="*", name="*", module="z"),
        Export(exported="q", module="w"),
        Export(exported="e", name="e"),
        Export(exported="default", name="foo"),
        Export(exported="v", name="v"),
    )
    assert bare(found.statements) == (
        Assign(target=Name(id="v"), value=LiteralExpr(value=1), declares=True, scoped=True),
    )


def test_commonjs_exports() -> None:
    source = "module.exports = router; exports.a = b; module.exports.c = d;"
    assert bare(facts(source, "a.js").exports) == (
        Export(exported="default", value=Name(id="router")),
        Export(exported="a", value=Name(id="b")),
        Export(exported="c", value=Name(id="d")),
    )


def test_a_name_for_all_that_a_file_exports() -> None:
    found = facts(
        "const users = module.exports; users.a = b; const others = {}; others.c = d;", "a.js"
    )
    assert bare(found.exports) == (Export(exported="a", value=Name(id="b")),)
    assert bare(found.imports) == (Import(module="./a.js", local="users"),)


def test_default_exports_that_are_declarations() -> None:
    assert bare(facts("export default class extends Base {}").classes) == (
        ClassDecl(
            name="default",
            bases=(NamedType(name="Base"),),
            modifiers=("export", "default", "extends"),
        ),
    )
    assert bare(facts("export default async function run() {}").functions) == (
        Function(name="run", modifiers=("export", "default", "async")),
    )


def test_a_class_with_everything() -> None:
    source = """
    @Controller('x') export class Orders<T extends Base = Own> extends Crud<T> implements A, B.C {
      @Column() private readonly id?: string = 'x';
      static count = 1; #secret = 2; 'quoted-key': T;
      [key: string]: T;
      constructor(@Inject('S') private readonly service: Service, plain: string) {
        super(); this.plain = plain; this.made = new Made(); this.id = 'y';
      }
      @Get(':id') async find(@Param('id') id: string): Promise<T> { return 1 }
      get total(): number { return 1 }
      handler = async (req) => {}
    }
    """
    (declared,) = bare(facts(source).classes)
    service = Param(
        name="service",
        type=NamedType(name="Service"),
        annotations=(decorator("Inject", "S"),),
        modifiers=("private", "readonly"),
    )
    assert declared.annotations == (decorator("Controller", "x"),)
    assert declared.modifiers == ("export", "extends")
    assert declared.type_params == (
        TypeParam(name="T", bound=NamedType(name="Base"), default=NamedType(name="Own")),
    )
    assert declared.bases == (
        NamedType(name="Crud", args=(NamedType(name="T"),)),
        NamedType(name="A"),
        NamedType(name="B.C"),
        ObjectType(members=(), index=NamedType(name="T")),
    )
    assert [(member.name, member.kind) for member in declared.members] == [
        ("id", "field"),
        ("count", "field"),
        ("#secret", "field"),
        ("quoted-key", "field"),
        ("service", "parameter"),
        ("plain", "field"),
        ("made", "field"),
        ("total", "getter"),
        ("handler", "field"),
    ]
    members = {member.name: member for member in declared.members}
    assert members["id"] == Member(
        name="id",
        type=STRING,
        value=LiteralExpr(value="x"),
        annotations=(decorator("Column"),),
        modifiers=("private", "readonly"),
        optional=True,
    )
    assert members["plain"] == Member(name="plain", type=STRING, modifiers=("assigned",))
    assert members["made"] == Member(
        name="made",
        type=NamedType(name="Made"),
        value=New(type=NamedType(name="Made")),
        modifiers=("assigned",),
    )
    assert members["service"].annotations == service.annotations
    assert declared.methods == (
        Function(
            name="constructor",
            params=(service, Param(name="plain", type=STRING)),
            modifiers=("constructor",),
        ),
        Function(
            name="find",
            params=(Param(name="id", type=STRING, annotations=(decorator("Param", "id"),)),),
            returns=NamedType(name="Promise", args=(NamedType(name="T"),)),
            annotations=(decorator("Get", ":id"),),
            modifiers=("async",),
        ),
        Function(name="total", returns=NamedType(name="number"), modifiers=("get",)),
    )


def test_a_base_class_that_is_called_for() -> None:
    (declared,) = bare(facts("class A extends PickType(B, ['x'] as const) {}").classes)
    (base,) = declared.bases
    assert isinstance(base, TypeOfType)
    assert isinstance(base.value, Call)
    assert base.value.callee == Name(id="PickType")


def test_decorators_of_methods_may_have_comments_between() -> None:
    source = "class A {\n  @Get() // one\n  /* two */\n  @ns.Auth\n  run() {}\n}"
    (declared,) = bare(facts(source).classes)
    (method,) = declared.methods
    assert method.annotations == (
        decorator("Get"),
        Annotation(
            name="ns.Auth",
            has_parentheses=False,
            callee=Attribute(value=Name(id="ns"), name="Auth"),
        ),
    )


def test_interfaces_of_one_name_are_one() -> None:
    source = "interface A extends B<string> { x: string } interface A { y?: string }"
    assert bare(facts(source).classes) == (
        ClassDecl(
            name="A",
            kind="interface",
            bases=(NamedType(name="B", args=(STRING,)),),
            members=(
                Member(name="x", kind="property", type=STRING),
                Member(name="y", kind="property", type=STRING, optional=True),
            ),
        ),
    )


def test_enums() -> None:
    assert bare(facts("export const enum E { A, B = 'b', 'c-d' = 2 }").classes) == (
        ClassDecl(
            name="E",
            kind="enum",
            modifiers=("export",),
            members=(
                Member(name="A", kind="enum"),
                Member(name="B", kind="enum", value=LiteralExpr(value="b")),
                Member(name="c-d", kind="enum", value=LiteralExpr(value=2)),
            ),
        ),
    )


def test_namespaces_are_classes_that_hold_what_stands_in_them() -> None:
    source = "export namespace A.B { export interface C { x: string } export const d = 1 }"
    assert bare(facts(source).classes) == (
        ClassDecl(
            name="A",
            modifiers=("export", "namespace"),
            classes=(
                ClassDecl(
                    name="B",
                    modifiers=("export", "namespace"),
                    members=(
                        Member(
                            name="d",
                            kind="constant",
                            value=LiteralExpr(value=1),
                            modifiers=("static",),
                        ),
                    ),
                    classes=(
                        ClassDecl(
                            name="C",
                            kind="interface",
                            modifiers=("export",),
                            members=(Member(name="x", kind="property", type=STRING),),
                        ),
                    ),
                ),
            ),
        ),
    )


def test_an_ambient_module_does_not_hide_names_of_the_file() -> None:
    source = "declare module 'express' { interface Request { user: string } }"
    (declared,) = facts(source, "types.d.ts").classes
    assert (declared.name, [inner.name for inner in declared.classes]) == (
        "'express'",
        ["Request"],
    )


def test_aliases_and_overloads() -> None:
    found = facts(
        "export type A<T = string> = T[];"
        "function f(a: string): A; function f(a: number): B; function f(a: any): C { return a }"
        "declare function g(): A;"
    )
    (alias,) = found.aliases
    assert isinstance(alias, Alias)
    assert (alias.name, alias.type_params) == (
        "A",
        (TypeParam(name="T", default=alias.type_params[0].default),),
    )
    assert [(f.name, f.modifiers) for f in found.functions] == [
        ("f", ()),
        ("g", ("declare", "abstract")),
    ]


def test_the_body_of_every_declared_function_can_be_read_later() -> None:
    source = (
        "const a = (x) => x;\nclass K { m() { return 1 } f = () => 2 }\n"
        "export default { h: function () { return '日本' } }"
    )
    found = facts(source)
    (statement,) = found.statements
    (klass,) = found.classes
    spans: list[Span] = [
        statement.value.function.span,  # type: ignore[union-attr]
        klass.methods[0].span,
        klass.members[0].value.function.span,  # type: ignore[union-attr]
        found.exports[0].value.entries[0].value.function.span,  # type: ignore[union-attr]
    ]
    assert [
        bare(lower_body(source.encode(), "a.ts", span))[0].value  # type: ignore[union-attr]
        for span in spans
    ] == [
        Name(id="x"),
        LiteralExpr(value=1),
        LiteralExpr(value=2),
        LiteralExpr(value="日本"),
    ]


def test_javascript_classes() -> None:
    source = "class A extends B { #x = 1; static y; constructor(z) { this.z = z } }"
    (declared,) = bare(facts(source, "a.js").classes)
    assert declared.bases == (NamedType(name="B"),)
    assert [(m.name, m.modifiers) for m in declared.members] == [
        ("#x", ("private",)),
        ("y", ("static",)),
        ("z", ("assigned",)),
    ]


def test_types_that_comments_declare() -> None:
    (store,) = facts(
        """
        class Store {
          constructor() {
            /** @type {import('./settings')} */
            this.settings = null;
            /** @type {Promise<import("./user").User>} of the session */
            this.user = null;
            /** @type {import('./broken'} } */
            this.broken = null;
            /** @type {import('./several'); type U = string} */
            this.several = null;
            /** @type {string} */
            this.name = null;
            this.plain = null;
          }
          /** @type {typeof import('./models/book')} */
          get books() { return this.models.book; }
        }
        """,
        "a.js",
    ).classes
    settings, user, *untyped, books = (bare(member.type) for member in store.members)
    assert isinstance(settings, NamedType)
    assert isinstance(user, NamedType)
    assert (user.name, len(user.args)) == ("Promise", 1)
    assert isinstance(books, TypeOfType)
    assert untyped == [None, None, None, None]


def test_jsx_is_opaque_and_the_rest_of_the_file_is_read() -> None:
    source = "export const page = <div a={1}>{x}</div>; export interface P { a: string }"
    found = facts(source, "a.tsx")
    assert (found.errors, [c.name for c in found.classes]) == ((), ["P"])


def test_entries_of_an_object_that_is_exported() -> None:
    (export,) = bare(facts("module.exports = { a, b: c }", "a.cjs").exports)
    assert export == Export(
        exported="default",
        value=ObjectLiteral(
            entries=(Entry(key="a", value=Name(id="a")), Entry(key="b", value=Name(id="c")))
        ),
    )
