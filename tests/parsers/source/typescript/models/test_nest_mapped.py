"""Classes made from other classes, and from zod schemas."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_mapped_types(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { PartialType, PickType, OmitType, IntersectionType } from '@nestjs/swagger';
                import { createZodDto } from 'nestjs-zod';
                import { z } from 'zod';
                class Create { name: string; age: number; note?: string }
                class Extra { extra: boolean }
                export class Update extends PartialType(Create) { id: string }
                export class Picked extends PickType(Create, ['name'] as const) {}
                export class Omitted extends PartialType(OmitType(Create, ['age'])) {}
                export class Both extends IntersectionType(Create, Extra) {}
                export class Zod extends createZodDto(z.object({ z: z.string() })) {}
            """
        },
    )
    assert {
        name: project.type(name) for name in ("Update", "Picked", "Omitted", "Both", "Zod")
    } == {
        "Update": "{name?: string, age?: numeric, note?: string, id: string}",
        "Picked": "{name: string}",
        "Omitted": "{name?: string, note?: string}",
        "Both": "{name: string, age: numeric, note?: string, extra: boolean}",
        "Zod": "{z: string}",
    }
