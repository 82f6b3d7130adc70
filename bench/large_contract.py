"""`python -m bench.large_contract read|load|warm FILE CACHE`: the cost of a large OpenAPI document.

`load` only loads the document, by the loader of its format; `read` makes the contract of it. `warm`
prints how many milliseconds it takes where a cache knows it, without the start of Python.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from contextlib import closing
from pathlib import Path

SIZE = 10_000_000
"""Bytes of a document, at least."""


def write_documents(folder: Path) -> tuple[Path, Path]:
    """The same document as JSON and as YAML, each of about `SIZE` bytes."""
    import yaml

    folder.mkdir()
    parts = {"JSON": folder / "large.json", "YAML": folder / "large.yaml"}
    one = len(json.dumps(_document(100), indent=2)) / 100
    parts["JSON"].write_text(json.dumps(_document(int(SIZE / one) + 1), indent=2))
    dumper = yaml.CSafeDumper
    one = len(yaml.dump(_document(100), Dumper=dumper)) / 100
    parts["YAML"].write_text(yaml.dump(_document(int(SIZE / one) + 1), Dumper=dumper))
    return parts["JSON"], parts["YAML"]


def _document(count: int) -> dict[str, object]:
    """A document of so many operations, each with a model of its own."""
    text = {"type": "string", "description": "As people write it, in a sentence or in two."}
    models: dict[str, object] = {}
    paths: dict[str, object] = {}
    for number in range(count):
        fields = {f"field{n}": text for n in range(12)}
        models[f"Model{number}"] = {"type": "object", "required": ["field0"], "properties": fields}
        schema = {"$ref": f"#/components/schemas/Model{number}"}
        body = {"application/json": {"schema": schema}}
        parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        paths[f"/things{number}/{{id}}"] = {
            "put": {
                "operationId": f"putThing{number}",
                "parameters": [parameter],
                "requestBody": {"content": body},
                "responses": {"200": {"description": "As it is now", "content": body}},
            }
        }
    info = {"title": "Large", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": models}}


def _load(file: Path) -> None:
    if file.suffix == ".json":
        json.loads(file.read_bytes())
    else:
        import yaml

        yaml.load(file.read_bytes(), yaml.CSafeLoader)


def _read(file: Path, cache: Path | None) -> float:
    """Milliseconds of processor time that it takes, imports and the opening of the cache included
    only where it is the first thing that is done."""
    from contract_scan.cache import open_cache
    from contract_scan.memory_limit import FEW_COLLECTIONS
    from contract_scan.parsers.contracts.load import read_contracts
    from contract_scan.parsers.source.store import Store, settled_state

    gc.set_threshold(*FEW_COLLECTIONS)  # as the command does
    folder = open_cache(str(file.parent), cache) if cache is not None else None
    with closing(Store(folder)) as store:
        since = time.process_time()
        found = read_contracts(
            [file], file.parent, cache=store, cache_version="bench", state_of=settled_state
        )
        taken = 1000 * (time.process_time() - since)
        if found.problems or not found.documents:
            raise RuntimeError(f"{file} is not read whole: {found.problems}")
        store.commit()
    return taken


def main() -> None:
    """Run one of them."""
    what, path, *cache = sys.argv[1:]
    if what == "load":
        _load(Path(path))
    else:
        taken = _read(Path(path), Path(cache[0]) if cache else None)
        print(f"{taken:.1f}")


if __name__ == "__main__":
    main()
