"""Types that are taken from values: objects of the classes that a table lists."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_objects_of_the_classes_of_a_table_have_the_methods_of_these(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "models.ts": """
                class Base { shown(name: string) { return { name }; } }
                const made = () => { class Made extends Base {} return Made; };
                const Made = made();
                export class Groups extends Made {}
                export class Keys extends Made {
                  shown(name: string) { return { name, key: 1 }; }
                }
                const classes = { groups: Groups, keys: Keys, other: library.Model };
                type Names = keyof typeof classes;
                export type Models = { [K in Names]: InstanceType<(typeof classes)[K]> };
                export type Some = { [name: string]: InstanceType<(typeof classes)['keys']> };
                export type Any = { [K in Names]: InstanceType<(typeof classes)[Names]> };
                export const key = null as unknown as InstanceType<typeof Keys>;
            """,
            "app.ts": """
                import express from 'express';
                import { Any, Models, Some, key } from './models';
                declare function open(): { models: Models; some: Some; any: Any };
                const app = express();
                const { models, some, any } = open();
                app.get('/groups', (req, res) => { res.json(models.groups.shown('x')); });
                app.get('/keys', (req, res) => { res.json(models.keys.shown('x')); });
                app.get('/key', (req, res) => { res.json(key.shown('x')); });
                app.get('/other', (req, res) => { res.json(models.other.shown('x')); });
                app.get('/none', (req, res) => { res.json(models.none.shown('x')); });
                app.get('/some', (req, res) => { res.json(some.keys.shown('x')); });
                app.get('/any', (req, res) => { res.json(any.keys.shown('x')); });
            """,
        },
    )
    sent = {o.path: project.responses(f"GET {o.path}")["200*"] for o in project.code.operations}
    assert sent == {
        "/groups": "{name: 'x'}",
        "/keys": "{name: 'x', key: 1}",
        "/key": "{name: 'x', key: 1}",
        "/other": "unknown",
        "/none": "unknown",
        "/some": "unknown",
        "/any": "unknown",
    }
