"""A small program beside its contract, and what the comparison says of them, as short texts."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

from msgspec import Struct

from contract_scan.api import scan


class Judged(Struct, frozen=True):
    """What a scan says. Texts begin with the operation: `GET /a type: total`."""

    findings: list[str]
    undetermined: list[str]
    verified: int


def judged(folder: Path, files: dict[str, str], paths: str, schemas: str = "") -> Judged:
    """Compare source files with an OpenAPI document of these paths and component schemas (YAML)."""
    for name, text in files.items():
        target = folder / "src" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text), encoding="utf-8")
    contract = folder / "contract.yaml"
    components = (
        "components:\n  schemas:\n" + indent(dedent(schemas).strip("\n"), "    ") if schemas else ""
    )
    contract.write_text(
        'openapi: 3.0.3\ninfo: {title: Shop, version: "1"}\npaths:\n'
        f"{indent(dedent(paths).strip(chr(10)), '  ')}\n{components}\n",
        encoding="utf-8",
    )
    report = scan(folder / "src", contracts=[contract], cache=False)
    findings = [
        " ".join(
            part
            for part in (
                f"{f.operation.method} {f.operation.path}" if f.operation else "",
                f.kind + (f": {f.field}" if f.field else ""),
                f"({f.severity})" if f.severity != "error" else "",
            )
            if part
        )
        for f in report.findings
    ]
    undetermined = [
        (f"{u.operation.method} {u.operation.path}" if u.operation else "") + f" {u.field}".rstrip()
        for u in report.undetermined
    ]
    return Judged(sorted(findings), sorted(undetermined), report.summary.operations.verified)
