"""How types, classes and enums of TypeScript look on the wire."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.facts.nodes import NamedType
from tests.parsers.source.typescript.project import Project

SOURCE = """
    import type { Document, Types } from 'mongoose';
    import { Entity, Column, ManyToOne, OneToMany, BaseEntity } from 'typeorm';
    import { Other, Unknown } from 'library';
    export enum Numbers { A, B = 5, C, D = 1 << 4 }
    export enum Texts { X = 'x', Y = 'y' }
    export enum Mixed { A, B = 'b' }
    export enum Computed { A = compute() }
    export const STATUS = { NEW: 'new', DONE: 'done' } as const;
    export type Status = (typeof STATUS)[keyof typeof STATUS];
    export const KINDS = ['a', 'b'] as const;
    export type Kind = (typeof KINDS)[number];

    export interface User {
      id: number; 'first-name': string; email?: string; age: number | null;
      nick: string | undefined; born: Date; tags: string[]; friends: User[];
      meta: Record<string, number>; any: any; save(): void; handler: () => void;
      status: Status; kind: Kind; level: 1 | 2 | 'high';
    }
    export interface Base<T> { data: T; items: Array<T> }
    export interface Derived extends Base<User['email']>, Omit<User, 'friends' | 'meta'> {}
    export interface Map { [key: string]: Texts }
    export interface Empty {}
    export type Page<T> = { items: T[]; total: number } & { next?: string };
    export type Users = Page<Pick<User, 'id'>>;
    export type Flags = { [K in 'a' | 'b']?: boolean };
    export type Nullable<T> = { [K in keyof T]: T[K] | null };
    export type Loose = Nullable<Pick<User, 'id' | 'email'>>;
    export type Either = { kind: 'a'; a: number } | { kind: 'b'; b: string };
    export type Tree = { name: string; children: Tree[] };
    export type Conditional<T> = T extends string ? 1 : 2;
    export type Chosen = { x: Conditional<string> };
    export type Utilities = {
      partial: Partial<Pick<User, 'id' | 'email'>>; required: Required<Pick<User, 'email'>>;
      record: Record<'x' | 'y', number>; excluded: Exclude<Kind, 'a'>;
      extracted: Extract<Kind, 'a'>; present: NonNullable<string | null>;
      result: ReturnType<typeof make>; instance: InstanceType<typeof Plain>;
      tuple: [string, number]; awaited: Promise<number>; imported: import('./b').Imported;
    };
    export const make = () => ({ made: true });
    export class Plain {
      static count = 1; #hidden = 2; private secret: string; readonly kind = 'plain';
      name = 'x'; list: number[] = []; maybe?: boolean;
      constructor(public id: string, plain: number) {}
      get computed(): string { return '' }
      method() {}
    }
    export class Sub extends Plain implements Empty { extra: Texts }
    export class Json { private x = 1; toJSON() { return { y: this.x, z: 'z' } } }
    export class Entity1 extends BaseEntity {
      @Column() id: number; @Column({ select: false }) password: string;
      @ManyToOne(() => Plain) owner: Plain;
      @OneToMany(() => Plain, 'x', { eager: true }) all: Plain[];
    }
    export class FromLibrary extends Other { own: string }
    export interface Doc extends Document { title: string; ref: Types.ObjectId }
    export class Never { data: undefined; errors: never; ok: boolean }
    export class List extends Array<string> {}
    interface Merged { a: string } interface Merged { b: string }
"""

USER = (
    "{id: numeric, first-name: string, email?: string, age: numeric?, nick?: string, "
    "born: string(date-time), tags: [string], friends: [%s], meta: {*: numeric}, any: unknown, "
    "status: 'new'/'done', kind: 'a'/'b', level: (1/2 | 'high')}"
)

SHAPES = {
    "Numbers": "0/5/6/16",
    "Texts": "'x'/'y'",
    "Mixed": "('b' | 0)",
    "Computed": "unknown",
    "Status": "'new'/'done'",
    "Kind": "'a'/'b'",
    "User": USER % (USER % "User"),
    "Map": "{*: 'x'/'y'}",
    "Empty": "unknown",
    "Users": "{items: [{id: numeric}], total: numeric, next?: string}",
    "Flags": "{a?: boolean, b?: boolean}",
    "Loose": "{id: numeric?, email?: string?}",
    "Either": "({kind: 'a', a: numeric} | {kind: 'b', b: string})",
    "Tree": "{name: string, children: [{name: string, children: [Tree]}]}",
    "Chosen": "{x: unknown}",
    "Utilities": (
        "{partial: {id~: numeric, email?: string}, required: {email: string}, "
        "record: {x: numeric, y: numeric}, excluded: 'b', extracted: 'a', present: string, "
        "result: {made: True}, instance: {secret: string, kind=: 'plain', name=: string, "
        "list=: [numeric], maybe?: boolean, id: string}, tuple: [string, numeric], "
        "awaited: numeric, imported: {c: string}}"
    ),
    "Plain": (
        "{secret: string, kind=: 'plain', name=: string, list=: [numeric], maybe?: boolean, "
        "id: string}"
    ),
    "Sub": (
        "{secret: string, kind=: 'plain', name=: string, list=: [numeric], maybe?: boolean, "
        "id: string, extra: 'x'/'y'}"
    ),
    "Json": "{y: 1, z: 'z'}",
    "FromLibrary": "{own: string, ...}",
    "Doc": "{title: string, ref: string, ...}",
    "Never": "{ok: boolean}",
    "List": "[string]",
    "Merged": "{a: string, b: string}",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(
        tmp_path_factory.mktemp("types"),
        {"a.ts": SOURCE, "b.ts": "export interface Imported { c: string }"},
    )


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(project: Project, name: str) -> None:
    assert project.type(name) == SHAPES[name]


def test_columns_and_relations_that_a_query_may_leave_out(project: Project) -> None:
    plain = SHAPES["Plain"]
    assert project.type("Entity1") == (
        "{id: numeric, password~: string, owner~: " + plain + ", all: [" + plain + "]}"
    )


def test_an_interface_that_extends_shapes(project: Project) -> None:
    assert project.type("Derived") == (
        "{data: string, items: [string], id: numeric, first-name: string, email?: string, "
        "age: numeric?, nick?: string, born: string(date-time), tags: [string], any: unknown, "
        "status: 'new'/'done', kind: 'a'/'b', level: (1/2 | 'high')}"
    )


def test_a_class_that_class_transformer_makes_instead_of_the_declared_one(tmp_path: Path) -> None:
    source = """
        import { Type } from 'class-transformer';
        export class One { id: number }
        export class Two extends One { note: string }
        export class Other { name: string }
        export class All {
          @Type(() => One) same: One;
          @Type(() => Two) derived: One[];
          @Type(() => Other) another: One[];
        }
    """
    project = Project(tmp_path, {"a.ts": source})
    assert project.type("All") == (
        "{same: {id: numeric}, derived: [{id: numeric}], another: unknown}"
    )


def test_documents_whose_to_json_the_project_changes(tmp_path: Path) -> None:
    source = """
        import { Document, Schema } from 'mongoose';
        export interface Doc extends Document { title: string }
        export interface Unmade extends Document { title: string }
        const schema = new Schema<Doc>({ title: String });
        schema.set('toJSON', { transform: (doc, ret) => { delete ret._id } });
    """
    project = Project(tmp_path, {"a.ts": source})
    assert project.type("Doc") == "{title~: string, __v: integer}"
    assert project.type("Unmade") == "unknown"


def test_words_of_the_language_are_types_whatever_is_imported(tmp_path: Path) -> None:
    source = """
        import { string, number, object, type AnySchema } from 'yup';
        export const schema = object({ title: string().required(), size: number() });
        export class Dto { title: string; size: number; tags: string[] }
    """
    found = Project(tmp_path, {"a.ts": source})
    assert found.type("Dto") == "{title: string, size: numeric, tags: [string]}"


@pytest.mark.parametrize(
    ("declared", "takes_any"),
    [
        pytest.param("unknown", True, id="unknown"),
        pytest.param("any", True, id="any"),
        pytest.param("object", False, id="an object"),
        pytest.param("z.infer<typeof free>", True, id="zod"),
    ],
)
def test_what_takes_any_value(tmp_path: Path, declared: str, takes_any: bool) -> None:
    source = f"""
        import {{ z }} from 'zod';
        const free = z.unknown();
        export type Free = {declared};
    """
    project = Project(tmp_path, {"a.ts": source})
    scope = project.program.module_scope(project.program.facts("a.ts"))
    schema = project.program.schema(NamedType(name="Free"), scope)
    assert isinstance(schema, Unknown)
    assert schema.accepts_any is takes_any


def test_types_of_namespaces(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "src/wire.ts": """
                export namespace Wire {
                  export type Key = string
                  export interface Tag { key: Key; kind: Kind; at: Inner.Stamp }
                  export type Kind = Named | Wire.Other
                  export interface Named { name: Key }
                  export interface Other { other: boolean }
                  export namespace Inner { export type Stamp = number; export type All = Key[] }
                }
            """,
            "src/use.ts": """
                import type { Wire } from './wire';
                export interface Order { key: Wire.Key; tag: Wire.Tag; all: Wire.Inner.All }
            """,
        },
    )
    assert project.type("Order", "src/use.ts") == (
        "{key: string, tag: {key: string, kind: ({name: string} | {other: boolean}), at: numeric}, "
        "all: [string]}"
    )
    [kind] = project.code.models(frozenset({"Kind"}))
    assert project.shape(kind.schema) == "({name: string} | {other: boolean})"
