"""A fix that would break what makes objects, or would leave null on the wire, is withheld.

Where the tool of the language is there, each case is tried with it: the program works as it is, and
breaks with the edits that are withheld. What is offered leaves it working.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from contract_scan.api import scan
from contract_scan.cli.main import main
from contract_scan.fixes.apply import apply_fixes, write
from contract_scan.fixes.plan import plan_in_code
from tests.fixes.projects import contract, csharp, java, typescript
from tests.fixes.projects import write as write_project
from tests.server.editor import editing

DOCS = Path(__file__).parents[2] / "docs"

STRING: dict[str, Any] = {"type": "string"}


def asked(**fields: Any) -> dict[str, Any]:
    """A contract for an order with an identifier and more, all of it required."""
    properties = {"id": STRING, **fields}
    return contract({"type": "object", "required": [*properties], "properties": properties})


def unguarded(root: Path) -> bool:
    """Make the fixes as if nobody else used the types; whether there were any."""
    planned = plan_in_code(root, scan(root, cache=False).findings, time.time_ns())
    fixes = [each.fix for each in planned.findings if each.fix is not None]
    mended, refused = apply_fixes(root, fixes)
    assert refused == []
    assert [write(root, each) for each in mended] == [None] * len(mended)
    return bool(mended)


def withheld(root: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The reasons of the fixes that are not made, while all others are."""
    capsys.readouterr()
    main(["check", str(root), "--isolated", "--no-cache", "--fix", "--unsafe-fixes"])
    lines = capsys.readouterr().err.splitlines()
    return sorted({line.partition(": not fixed, ")[2] for line in lines if "not fixed, " in line})


class Trial(NamedTuple):
    """A project as it was, with every fix, and with those that are not withheld."""

    before: Path
    forced: Path
    fixed: Path
    reasons: list[str]
    """Why fixes are withheld."""

    @property
    def folders(self) -> tuple[Path, Path, Path]:
        return self.before, self.forced, self.fixed

    @property
    def works(self) -> list[bool]:
        """Which of the three has to work: what is withheld would have broken the program."""
        return [True, not self.reasons, True]


def tried(root: Path, capsys: pytest.CaptureFixture[str]) -> Trial:
    """Fix a project, in copies of it beside it."""
    forced = Path(shutil.copytree(root, root.with_name("forced")))
    fixed = Path(shutil.copytree(root, root.with_name("fixed")))
    assert unguarded(forced)
    return Trial(root, forced, fixed, withheld(fixed, capsys))


# --------------------------------------------------------------------------- Python

APP = """\
from fastapi import FastAPI

from models import Order

app = FastAPI()


@app.get("/orders/{id}")
def get_order(id: str) -> Order:
    return load(id)
"""
MODELS = """\
from dataclasses import dataclass

from pydantic import BaseModel


class Order(BaseModel):
    id: str
FIELDS

class Other(BaseModel):
    id: str
    at: str = ""
"""
READ = """\
from models import Order, Other


def read() -> Order:
    return Order.model_validate_json('{"id": "1", "at": "2"}')


"""


def python_project(folder: Path, models: str, uses: str, document: Any) -> Path:
    write_project(folder, "app.py", APP, document)
    (folder / "models.py").write_text(models)
    (folder / "uses.py").write_text(uses)
    return folder


FORKS = """\
import os, runpy, sys
import pydantic

for line in sys.stdin:
    child = os.fork()
    if not child:
        os.chdir(line.rstrip())
        sys.path[0] = os.getcwd()
        sys.dont_write_bytecode = True
        status = 1
        try:
            runpy.run_path("uses.py", run_name="__main__")
            status = 0
        finally:
            os._exit(status)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Runs `uses.py` of each folder that it is told, in a copy of itself with pydantic imported."""


Runs = Callable[[Path], bool]


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    """Whether the program of a folder that uses the models runs to its end."""
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        told, said = process.stdin, process.stdout
        assert told is not None
        assert said is not None

        def run(root: Path) -> bool:
            print(root, file=told, flush=True)
            return said.readline() == "0\n"

        yield run
        told.close()


def judged(root: Path, runs: Runs, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The reasons for which fixes are withheld, after it was tried that they are right."""
    trial = tried(root, capsys)
    assert [runs(folder) for folder in trial.folders] == trial.works
    return trial.reasons


ADDED = [
    ('from models import Order\nOrder(id="1")\n', ["uses.py:2 makes `Order` without `at`"]),
    ('from models import Order as O\nO(id="1")\n', ["uses.py:2 makes `Order` without `at`"]),
    ('import models\nmodels.Order(id="1")\n', ["uses.py:2 makes `Order` without `at`"]),
    (
        'from models import Order\n\nmake = Order\nmake(id="1")\n',
        ["uses.py:4 makes `Order` without `at`"],
    ),
    (
        'from models import Order\ngiven = {"id": "1"}\nOrder(**given)\n',
        ["uses.py:3 may make `Order` without `at`"],
    ),
    (
        'from models import Order\nOrder(**{"id": "1"})\n',
        ["uses.py:2 makes `Order` without `at`"],
    ),
    (
        'from models import Order\n\n\nclass Big(Order):\n    size: int = 1\n\n\nBig(id="1")\n',
        ["uses.py:8 makes `Big` without `at`"],
    ),
    (
        "from models import Order\n\n\nclass Big(Order):\n    @classmethod\n    def of(cls):\n"
        '        return cls(id="1")\n\n\nBig.of()\n',
        ["uses.py:7 makes `Big` without `at`"],
    ),
    (
        'from models import Order\nOrder.model_validate({"id": "1"})\n',
        ["uses.py:2 makes `Order` without `at`"],
    ),
    (
        'from models import Order\nrow = {"id": "1"}\nOrder.model_validate(row)\n',
        ["uses.py:3 may make `Order` without `at`"],
    ),
    (
        "from pydantic import TypeAdapter\nfrom models import Order\n"
        'TypeAdapter(Order).validate_python({"id": "1"})\n',
        ["uses.py:3 makes `Order` without `at`"],
    ),
    (
        'from functools import partial\nfrom models import Order\npartial(Order, id="1")()\n',
        ["uses.py:3 may make `Order` without `at`"],
    ),
    (
        f"{READ}def store(order: Order) -> Other:\n"
        '    return Other(at="3", **order.model_dump())\n\n\nstore(read())\n',
        ["uses.py:9 gives `at` beside a spread"],
    ),
    (
        f"{READ}def keep(id):\n    return id\n\n\ndef store(order: Order) -> None:\n"
        "    keep(**order.model_dump())\n\n\nstore(read())\n",
        ["uses.py:13 spreads `Order` into `keep`, which may not take it"],
    ),
    (
        f'{READ}def again(order: Order):\n    return type(order)(id="1")\n\n\nagain(read())\n',
        ["uses.py:9 makes `Order` without `at`"],
    ),
    (
        f'{READ}def again(order):\n    return order.__class__(id="1")\n\n\nagain(read())\n',
        ["uses.py:9 makes an object without `at`"],
    ),
    (
        'from models import Order\nkinds = {"order": Order}\nkinds["order"](id="1")\n',
        ["uses.py:2 may make `Order` without `at`"],
    ),
    (
        'from models import Order\n\n\ndef make(kind):\n    return kind(id="1")\n\n\nmake(Order)\n',
        ["uses.py:8 may make `Order` without `at`"],
    ),
    (
        "import models\n\n\nclass Store:\n    model = models.Order\n\n    def make(self):\n"
        '        return self.model(id="1")\n\n\nStore().make()\n',
        ["uses.py:8 makes `model` without `at`"],
    ),
    (
        "from pydantic import TypeAdapter\nfrom models import Order\n"
        'orders = TypeAdapter(list[Order])\norders.validate_python([{"id": "1"}])\n',
        ["uses.py:3 may make `Order` without `at`"],
    ),
    (
        "from models import Order\n\n\nclass Big(Order):\n    def __init__(self, **given):\n"
        '        super().__init__(id="1")\n\n\nBig(at="2")\n',
        ["uses.py:6 makes `Big` without `at`"],
    ),
    (
        "from models import Order\nfrom pydantic import BaseModel\n\n\nclass Page(BaseModel):\n"
        '    orders: list[Order]\n\n\nPage(orders=[{"id": "1"}])\n',
        ["uses.py:9 makes an object within `Page` without `at`"],
    ),
    (
        'from models import Order\nOrder.model_validate_json(\'{"id": "1"}\')\n',
        ["uses.py:2 makes `Order` without `at`"],
    ),
    (f"{READ}isinstance(read(), Order)\n", []),
    (f"{READ}read()\n", []),
    (f'{READ}Other(id="1")\nread()\n', []),
    (f'{READ}Order(id="1", at="2")\n', []),
    (
        f"{READ}def store(order: Order) -> Other:\n    return Other(**order.dict())\n\n\nread()\n",
        [],
    ),
    (
        f"{READ}def keep(**given):\n    return given\n\n\ndef store(order: Order) -> None:\n"
        "    keep(**order.model_dump())\n\n\nstore(read())\n",
        [],
    ),
]


@pytest.mark.parametrize(("uses", "reasons"), ADDED, ids=[str(n) for n in range(len(ADDED))])
def test_a_field_that_makers_of_objects_do_not_give_is_not_added_to_python(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str], uses: str, reasons: list[str]
) -> None:
    models = MODELS.replace("FIELDS", "")
    root = python_project(tmp_path / "shop", models, uses, asked(at=STRING))
    assert judged(root, runs, capsys) == reasons


def test_a_field_is_not_added_to_what_is_made_by_another_name_in_another_file(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    uses = 'from names import Bill\n\nBill(id="1")\n'
    models = MODELS.replace("FIELDS", "")
    root = python_project(tmp_path / "shop", models, uses, asked(at=STRING))
    (root / "names.py").write_text("from models import Order as Bill\n")
    assert judged(root, runs, capsys) == ["uses.py:3 makes `Bill` without `at`"]


def test_a_field_is_not_added_to_what_a_method_of_a_class_above_makes(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    models = MODELS.replace("FIELDS", "").replace("Order(BaseModel)", "Order(Made)")
    uses = 'from models import Order\n\nOrder.of("1")\n'
    root = python_project(
        tmp_path / "shop", f"from base import Made\n{models}", uses, asked(at=STRING)
    )
    (root / "base.py").write_text(
        "from pydantic import BaseModel\n\n\nclass Made(BaseModel):\n    @classmethod\n"
        "    def of(cls, id):\n        return cls(id=id)\n"
    )
    assert judged(root, runs, capsys) == ["base.py:7 makes `Made` without `at`"]


DATACLASS = "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    id: str\n"


@pytest.mark.parametrize("made", ['Order("1")', 'Order(id="1")', 'Order(*["1"])'])
def test_a_field_is_not_added_to_a_dataclass_of_which_objects_are_made(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str], made: str
) -> None:
    uses = f"from models import Order\n{made}\n"
    root = python_project(tmp_path / "shop", DATACLASS, uses, asked(at=STRING))
    (reason,) = judged(root, runs, capsys)
    assert reason.startswith("uses.py:2 ")


def test_a_field_is_not_added_to_what_a_handler_writes_as_a_dictionary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = python_project(tmp_path, MODELS.replace("FIELDS", ""), "", asked(at=STRING))
    app = APP.replace('get("/orders/{id}")', 'get("/orders/{id}", response_model=Order)')
    app = app.replace(" -> Order", "").replace("load(id)", '{"id": id}')
    (root / "app.py").write_text(app)
    assert withheld(root, capsys) == ["app.py:10 makes `Order` without `at`"]
    assert (root / "models.py").read_text() == MODELS.replace("FIELDS", "")


NULL = "from models import Order\n"


@pytest.mark.parametrize(
    ("uses", "reasons"),
    [
        (f'{NULL}Order(id="1", note=None)\n', ["uses.py:2 gives `note` a value that is null"]),
        (
            f'{NULL}\n\ndef make(note: str | None) -> Order:\n    return Order(id="1", note=note)'
            "\n\n\nmake(None)\n",
            ["uses.py:5 gives `note` a value that may be null"],
        ),
        (
            f'{NULL}row = {{"note": None}}\nOrder(id="1", **row)\n',
            ["uses.py:3 may give `note` a value that is null"],
        ),
        (f'{NULL}Order(id="1", note="x")\n', []),
        (
            f'{NULL}\n\ndef make(note: str) -> Order:\n    return Order(id="1", note=note)'
            '\n\n\nmake("x")\n',
            [],
        ),
    ],
)
def test_a_field_of_python_that_is_given_null_stays_nullable(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str], uses: str, reasons: list[str]
) -> None:
    models = MODELS.replace("FIELDS", "    note: str | None\n")
    root = python_project(tmp_path / "shop", models, uses, asked(note=STRING))
    assert judged(root, runs, capsys) == reasons


@pytest.mark.parametrize(
    "clears",
    [
        "order.note = None",
        'setattr(order, "note", None)',
        'order = order.model_copy(update={"note": None})',
        "order = replace(order, note=None)",
    ],
)
def test_null_that_an_object_of_python_gets_later_is_not_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], clears: str
) -> None:
    models = MODELS.replace("FIELDS", "    note: str | None\n")
    uses = f"def clear(order):\n    {clears}\n    return order\n"
    root = python_project(tmp_path, models, uses, asked(note=STRING))
    assert withheld(root, capsys) == ["uses.py:2 gives `note` a value that is null"]
    assert (root / "models.py").read_text() == models


@pytest.mark.parametrize(
    ("uses", "reasons"),
    [
        (
            f'{NULL}Order(id="1", count=3)\n',
            ["uses.py:2 gives `count` a value that is another type"],
        ),
        (
            f'{NULL}found = 3\nOrder(id="1", count=found)\n',
            ["uses.py:3 gives `count` a value that may be another type"],
        ),
        (f'{NULL}Order(id="1", count="3")\n', []),
    ],
)
def test_a_field_of_python_keeps_the_type_of_what_it_is_given(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str], uses: str, reasons: list[str]
) -> None:
    models = MODELS.replace("FIELDS", "    count: int\n")
    root = python_project(tmp_path / "shop", models, uses, asked(count=STRING))
    assert judged(root, runs, capsys) == reasons


@pytest.mark.parametrize(
    ("uses", "reasons"),
    [
        (
            f'{NULL}Order(id="1", list_id="2")\n',
            ["uses.py:2 gives `list_id` to `Order` by the name that it has now"],
        ),
        (
            f'{NULL}row = {{"list_id": "2"}}\nOrder(id="1", **row)\n',
            ["uses.py:3 may give `list_id` to `Order` by that name"],
        ),
        ("import models\n", []),
    ],
)
def test_an_alias_is_not_given_to_a_field_that_is_given_by_its_name(
    tmp_path: Path, runs: Runs, capsys: pytest.CaptureFixture[str], uses: str, reasons: list[str]
) -> None:
    models = MODELS.replace("FIELDS", "    list_id: str\n")
    root = python_project(tmp_path / "shop", models, uses, asked(listId=STRING))
    assert judged(root, runs, capsys) == reasons


# --------------------------------------------------------------------------- TypeScript

TSC = shutil.which("tsc")
NEST = """\
declare module "@nestjs/common" {
  export const Controller: (path: string) => (target: Function) => void;
  export const Get: (path: string) => (target: object, key: string, d: PropertyDescriptor) => void;
  export const Param: (name: string) => (target: object, key: string, index: number) => void;
}
declare module "class-transformer" {
  export const Expose: (options: object) => (target: object, key: string) => void;
}
"""
TSCONFIG = {
    "strict": True,
    "strictPropertyInitialization": False,
    "experimentalDecorators": True,
    "noEmit": True,
    "target": "ES2022",
    "module": "NodeNext",
    "moduleResolution": "NodeNext",
    "types": [],
}


def compiled_typescript(folder: Path) -> set[str]:
    """The top folders of projects that the compiler finds errors in."""
    assert TSC is not None
    (folder / "nest.d.ts").write_text(NEST)
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": TSCONFIG}))
    done = subprocess.run(
        [TSC, "-p", "."], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    places = re.findall(r"^(\S.*?)\(\d+,\d+\): error ", done.stdout, re.MULTILINE)
    assert bool(places) == bool(done.returncode), done.stdout
    return {"/".join(place.split("/")[:2]) for place in places}


MADE_IN_TYPESCRIPT = [
    ('export const made: Order = { id: "1", at: "2" };', ["other.ts:2 makes `Order`"]),
    ('export const made = { id: "1", at: "2" } satisfies Order;', ["other.ts:2 makes `Order`"]),
    (
        'export function make(): Order {\n  return { id: "1", at: "2" };\n}',
        ["other.ts:3 makes `Order`"],
    ),
    (
        'const old = { id: "1" };\nexport const made: Order = { ...old, at: "2" };',
        ["other.ts:3 makes `Order`"],
    ),
    (
        'import { keep, old } from "./store.js";\nkeep({ ...old, at: "2" });',
        ["other.ts:2 makes `Order`"],
    ),
    (
        'export class Big implements Order {\n  id = "1";\n  at = "2";\n}',
        ["other.ts:2 makes `Order`"],
    ),
    ('export const some: Partial<Order> = { id: "1" };', []),
    ("export const f = (order: Order) => order.id;", []),
]


def typescript_project(root: Path, other: str) -> Path:
    source = typescript("  id: string;\n  at: string;").replace(
        "  @Get", "  private readonly orders!: { find(id: string): Promise<Order> };\n\n  @Get"
    )
    write_project(root, "app.ts", source, asked(at=STRING, count={"type": "integer"}))
    store = (
        'import { Order } from "./app.js";\n'
        'export const old = JSON.parse("{}") as Pick<Order, "id">;\n'
        "export const keep = (order: Order): void => console.log(order);\n"
    )
    (root / "store.ts").write_text(f"declare const console: {{ log(x: unknown): void }};\n{store}")
    imported = 'import { Order } from "./app.js";\n' if "Order" in other else ""
    (root / "other.ts").write_text(f"{imported}{other}\n")
    return root


@pytest.mark.skipif(TSC is None, reason="needs tsc: npm install --global typescript")
def test_a_property_that_makers_of_objects_do_not_give_is_not_added_to_typescript(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All cases in one run of the compiler, which takes seconds to start."""
    trials = [
        tried(typescript_project(tmp_path / str(number) / "shop", other), capsys)
        for number, (other, _) in enumerate(MADE_IN_TYPESCRIPT)
    ]
    said = [
        (other, each.reasons) for (other, _), each in zip(MADE_IN_TYPESCRIPT, trials, strict=True)
    ]
    assert said == MADE_IN_TYPESCRIPT
    broken = compiled_typescript(tmp_path)
    works = [
        [folder.relative_to(tmp_path).as_posix() not in broken for folder in each.folders]
        for each in trials
    ]
    assert works == [each.works for each in trials]


# --------------------------------------------------------------------------- Java

JAVAC = shutil.which("javac")
SPRING = """\
package org.springframework.web.bind.annotation;

public @interface NAME {
    String[] value() default {};
}
"""


COMPILE = """\
import java.util.*;

class Compile {
    public static void main(String[] folders) throws Exception {
        var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        for (var folder : folders) {
            var files = compiler.getStandardFileManager(null, null, null);
            List<java.nio.file.Path> sources;
            try (var below = java.nio.file.Files.walk(java.nio.file.Path.of(folder))) {
                sources = below.filter(each -> each.toString().endsWith(".java")).toList();
            }
            var units = files.getJavaFileObjectsFromPaths(sources);
            var options = List.of("-proc:none", "-d", folder);
            System.out.println(compiler.getTask(null, files, null, options, null, units).call());
        }
    }
}
"""


def compiled_java(folders: Sequence[Path], work: Path) -> list[bool]:
    """Whether the compiler takes each of the projects; all in one process."""
    program = work / "Compile.java"
    program.write_text(COMPILE)
    done = subprocess.run(
        ["java", str(program), *map(str, folders)],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return [line == "true" for line in done.stdout.split()]


MADE_IN_JAVA = [
    ('class A { Order f() { return new Order("1"); } }', ["Other.java:3 makes `Order`"]),
    (
        "class A { java.util.function.Function<String, Order> f() { return Order::new; } }",
        ["Other.java:3 makes `Order`"],
    ),
    ("class A { String f(Order order) { return order.id(); } }", []),
]


def java_project(root: Path, other: str) -> Path:
    store = "interface Store { Order find(String id); }\n"
    source = java("String id", extra=store).replace(
        "class OrderController {", "class OrderController {\n    private Store store;\n"
    )
    source = source.replace("import com.fasterxml.jackson.annotation.JsonProperty;\n", "")
    write_project(root, "App.java", source, asked(count={"type": "integer"}))
    (root / "Other.java").write_text(f"package shop;\n\n{other}\n")
    return root


def add_annotations(root: Path) -> None:
    """What the compiler needs of Spring."""
    names = ("RestController", "RequestMapping", "GetMapping", "PathVariable", "ResponseStatus")
    for name in names:
        (root / f"{name}.java").write_text(SPRING.replace("NAME", name))


@pytest.mark.skipif(JAVAC is None, reason="needs javac: apt-get install default-jdk-headless")
def test_a_component_that_makers_of_objects_do_not_give_is_not_added_to_java(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [
        tried(java_project(tmp_path / str(number) / "shop", other), capsys)
        for number, (other, _) in enumerate(MADE_IN_JAVA)
    ]
    said = [(other, each.reasons) for (other, _), each in zip(MADE_IN_JAVA, trials, strict=True)]
    assert said == MADE_IN_JAVA
    folders = [folder for each in trials for folder in each.folders]
    for folder in folders:
        add_annotations(folder)
    works = [work for each in trials for work in each.works]
    assert compiled_java(folders, tmp_path) == works


def test_no_field_is_added_to_a_java_class_that_setters_fill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever makes one leaves out what no setter is called for."""
    record, body = (
        "record Order(String id) {}",
        (
            "class Order { private String id;\n  public String getId() { return id; }\n"
            "  public void setId(String id) { this.id = id; } }"
        ),
    )
    source = java("String id").replace(record, body)
    file = write_project(tmp_path, "App.java", source, asked(count={"type": "integer"}))
    made = 'class Maker { Order f() { Order o = new Order(); o.setId("1"); return o; } }'
    (tmp_path / "Maker.java").write_text(f"package shop;\n\n{made}\n")
    assert [each.field for each in scan(tmp_path, cache=False).findings] == ["count"]
    assert withheld(tmp_path, capsys) == []
    assert file.read_text() == source


@pytest.mark.parametrize(
    ("record", "other", "reason"),
    [
        ("", "boolean f(Object o) { return o instanceof Order(var id); }", "Other.java:4"),
        (
            "",
            "String f(Order o) { return switch (o) { case Order(String i) -> i; }; }",
            "Other.java:4",
        ),
        ("", 'Order f() { return Order.builder().id("1").build(); }', "Other.java:4"),
        ("", 'Order f() { return OrderBuilder.builder().id("1").build(); }', "Other.java:4"),
        ("", 'Order f(Order o) { return o.toBuilder().id("2").build(); }', "Other.java:4"),
        ("", '@Query("select new shop.Order(o.id) from Stored o") Object f();', "Other.java:4"),
        ("", "Object f() { return Order.class.getConstructor(String.class); }", "Other.java:4"),
        ("", "@Mapper interface Mapped { Order of(Stored stored); }", "Other.java:4"),
        ("\n    Order(String id) { this.id = id; }\n", "", "App.java:"),
        ('\n    Order() { this("1"); }\n', "", "App.java:"),
        ("\n    Order { id = id.trim(); }\n", "", ""),
    ],
)
def test_what_a_record_is_taken_apart_by_and_its_constructors_count_as_makers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: str, other: str, reason: str
) -> None:
    source = java("String id")
    assert source.count("String id) {}") == 1
    source = source.replace("String id) {}", f"String id) {{{record}}}")
    file = write_project(tmp_path, "App.java", source, asked(count={"type": "integer"}))
    (tmp_path / "Other.java").write_text(f"package shop;\n\nclass A {{\n    {other}\n}}\n")
    reasons = withheld(tmp_path, capsys)
    assert [each.startswith(reason) and "makes `Order`" in each for each in reasons] == (
        [True] if reason else []
    )
    assert ("int count" in file.read_text()) == (not reason)


# --------------------------------------------------------------------------- null in C# and Java

CLASS = csharp("    public string Id { get; init; }\n    public string? Reason { get; set; }")
READ = "Order? Read(string text) => System.Text.Json.JsonSerializer.Deserialize<Order>(text); "
"""Without it the class is made by constructions alone, and its null would be undetermined."""
RECORD = csharp("").replace(
    "public sealed class Order\n{\n\n}", "public record Order(string Id, string? Reason);"
)


@pytest.mark.parametrize(
    ("source", "other", "reason"),
    [
        (CLASS, 'Order F(string? r) => new Order { Id = "1", Reason = r };', "may be null"),
        (CLASS, 'Order F(string? r) => new() { Id = "1", Reason = r };', "may be null"),
        (CLASS, 'Order F() => new() { Id = "1", Reason = null };', "is null"),
        (CLASS, 'Order F() => new() { Id = "1", Reason = null! };', "is null"),
        (CLASS, 'Order F(bool b) => new() { Id = "1", Reason = b ? "x" : null };', "is null"),
        (CLASS, 'Order F() => new Order { Id = "1" };', "leaves it null"),
        (CLASS, "void F(Order o, Row row) { o.Reason = row.Reason; }", "may be null"),
        (CLASS, READ + 'Order F(string r) => new Order { Id = "1", Reason = r };', ""),
        (CLASS, READ + 'Order F(string? r) => new Order { Id = "1", Reason = r ?? "none" };', ""),
        (CLASS, READ + 'Order F(int n) => new Order { Id = "1", Reason = $"{n}" };', ""),
        (CLASS, READ + 'Order F(int n) => new Order { Id = "1", Reason = n.ToString() };', ""),
        (CLASS, 'Other F(string? r) => new Other { Id = "1", Cause = r };', ""),
        (RECORD, 'Order F(string? r) => new Order("1", r);', "may be null"),
        (RECORD, 'Order F(string? r) => new(Id: "1", Reason: r);', "may be null"),
        (RECORD, 'Order F(string? r) => new("1", r);', "may be null"),
        (RECORD, "Order F(Order o) => o with { Reason = null };", "is null"),
        (RECORD, "record Big(string Id) : Order(Id, null);", "is null"),
        (RECORD, "record Big(string Id, string? R) : Order(Id, R);", "may be null"),
        (RECORD, 'Order F(string r) => new Order("1", r);', ""),
    ],
)
def test_null_that_is_given_to_csharp_is_not_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, other: str, reason: str
) -> None:
    file = write_project(tmp_path, "App.cs", source, asked(reason=STRING))
    (tmp_path / "Other.cs").write_text(f"namespace Shop;\n\nclass A\n{{\n    {other}\n}}\n")
    reasons = withheld(tmp_path, capsys)
    assert [each.startswith("Other.cs:5 ") and each.endswith(reason) for each in reasons] == (
        [True] if reason else []
    )
    assert ("string? Reason" in file.read_text()) == bool(reason)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ('Order f() { return new Order("1", null); }', "is null"),
        ('Order f(boolean b) { return new Order("1", b ? null : "x"); }', "is null"),
        ('Order f(@Nullable String r) { return new Order("1", r); }', "may be null"),
        ("Object f() { return Order.builder().reason(null).build(); }", "is null"),
        ('Order f() { String r = null; return new Order("1", r); }', "may be null"),
        ('Order f(Map<String, String> m) { return new Order("1", m.get("r")); }', "may be null"),
        (
            '@Nullable String r() { return null; } Order f() { return new Order("1", r()); }',
            "may be null",
        ),
        ('Order f(List<String> l) { return new Order("1", l.get(0)); }', ""),
        ('Order f() { return new Order("1", "x"); }', ""),
        ('Order f(String r) { return new Order("1", r); }', ""),
    ],
)
def test_null_that_is_given_to_java_is_not_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: str, reason: str
) -> None:
    file = write_project(
        tmp_path, "App.java", java("String id, @Nullable String reason"), asked(reason=STRING)
    )
    (tmp_path / "Other.java").write_text(f"package shop;\n\nclass A {{\n    {other}\n}}\n")
    reasons = withheld(tmp_path, capsys)
    assert [each.startswith("Other.java:4 ") and each.endswith(reason) for each in reasons] == (
        [True] if reason else []
    )
    assert ("@Nullable" in file.read_text()) == bool(reason)


OPTIONAL = csharp("    public string Id { get; set; }")
DEMANDING = csharp("    public required string Id { get; init; }")
POSITIONAL = RECORD.replace(", string? Reason", "")


@pytest.mark.parametrize(
    ("source", "other", "is_withheld"),
    [
        (DEMANDING, 'class A { Order F() => new() { Id = "1" }; }', True),
        (DEMANDING, "class Big : Order { }", True),
        (OPTIONAL, 'class A { Order F() => new Order { Id = "1" }; }', True),
        (OPTIONAL, "class A { string F(Order o) => o.Id; }", False),
        (DEMANDING, "class A { string F(Order o) => o.Id; }", False),
        (POSITIONAL, "record Big(string Id) : Order(Id);", True),
        (POSITIONAL, "class A { void F(Order[] all) { foreach (var (id, _) in all) { } } }", True),
        (POSITIONAL, "class A { void F(Order o) { (string id, _) = o; } }", True),
        (POSITIONAL, 'class A { bool F(object o) => o is Order("1"); }', True),
        (POSITIONAL, 'class A { bool F(Order o) => o is ("1", _); }', True),
        (POSITIONAL, 'class A { Order F(Order o) => o with { Id = "2" }; }', False),
    ],
)
def test_a_member_is_not_added_to_csharp_that_makes_or_takes_apart_objects(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    source: str,
    other: str,
    *,
    is_withheld: bool,
) -> None:
    file = write_project(tmp_path, "App.cs", source, asked(count={"type": "integer"}))
    (tmp_path / "Other.cs").write_text(f"namespace Shop;\n\n{other}\n")
    assert withheld(tmp_path, capsys) == ["Other.cs:3 makes `Order`"] * is_withheld
    assert ("Count" not in file.read_text()) == is_withheld


def test_a_component_is_not_added_to_a_record_that_another_file_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, "App.cs", POSITIONAL, asked(count={"type": "integer"}))
    (tmp_path / "Usings.cs").write_text("global using Bill = Shop.Order;\n")
    (tmp_path / "Other.cs").write_text('class A { Bill F() => new Bill("1"); }\n')
    assert withheld(tmp_path, capsys) == ["Usings.cs:1 makes `Order`"]


PLAIN = "  id: string;\n  at: string;"
GIVEN = "declares a type that may be given for `Order`"


@pytest.mark.parametrize(
    ("properties", "other", "reason"),
    [
        (PLAIN, "class Row {\n  id = '1';\n  at = '2';\n}", f"other.ts:2 {GIVEN}"),
        (PLAIN, "interface Row { id: string; at: string; size: number }", f"other.ts:2 {GIVEN}"),
        (PLAIN, "type Row = { id: string; at: string };", f"other.ts:2 {GIVEN}"),
        (PLAIN, "class Big extends Order {\n  id = '1';\n  at = '2';\n}", ""),
        (PLAIN, "interface Row { id: string; size: number }", ""),
        (PLAIN, 'import { Order as O } from "./app.js";\nnew O();', "other.ts:3 makes `Order`"),
        (f"{PLAIN}\n  constructor(at: string) {{ this.at = at; }}", "", "app.ts:4 makes `Order`"),
        ("  id = '';\n  at = '';", "", "app.ts:4 makes `Order`"),
        ("  id!: string;\n  at!: string;", "", ""),
    ],
)
def test_a_property_is_not_added_to_typescript_that_other_types_or_a_constructor_provide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], properties: str, other: str, reason: str
) -> None:
    document = asked(at=STRING, count={"type": "integer"})
    file = write_project(tmp_path, "app.ts", typescript(properties), document)
    (tmp_path / "other.ts").write_text(f'import {{ Order }} from "./app.js";\n{other}\n')
    assert withheld(tmp_path, capsys) == ([reason] if reason else [])
    assert ("count" not in file.read_text()) == bool(reason)


def many_asked(names: Sequence[str]) -> dict[str, Any]:
    """A contract for an operation of each name, which answers with a field of its own name, and
    with `count`."""
    answers = {
        name: {
            "description": name,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": [f"of{name}", "count"],
                        "properties": {f"of{name}": STRING, "count": {"type": "integer"}},
                    }
                }
            },
        }
        for name in names
    }
    paths = {f"/{name}": {"get": {"responses": {"200": answers[name]}}} for name in names}
    return {"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": paths}


HIDDEN_IN_TYPESCRIPT = {
    "Derived": "class Big extends Derived {}\nexport const big = new Big();",
    "Further": "export class Far extends Further {}",
    "Held": "const Kept = Held;\nexport const held = new Kept();",
    "Passed": "declare const make: <T>(of: new () => T) => T;\nexport const made = make(Passed);",
    "Copied": "export const copy = Object.create(Copied.prototype);",
    "Labelled": "export let labels: Record<keyof Labelled, string>;",
    "Mapped": "export let mapped: { [K in keyof Mapped]: string };",
    "Chosen": "export let chosen: { [K in keyof Chosen]?: string };",
    "Marked": "const Type = (of: object) => () => {};\n@Type(Marked)\nclass Of {}",
}
"""What makes objects without `new` and the name of the class, by that name."""


def test_a_property_is_not_added_to_typescript_that_is_made_under_another_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [*HIDDEN_IN_TYPESCRIPT]
    source = 'import { Controller, Get } from "@nestjs/common";\n'
    for name in names:
        source += (
            f"export class {name} {{\n  of{name}: string;\n}}\n"
            f'@Controller("{name}")\nexport class {name}Controller {{\n'
            f"  @Get() find(): Promise<{name}> {{ return this.all.find(); }}\n}}\n"
        )
    file = write_project(tmp_path, "app.ts", source, many_asked(names))
    for name, other in HIDDEN_IN_TYPESCRIPT.items():
        imported = f'import {{ {name} }} from "./app.js";\n'
        (tmp_path / f"of{name}.ts").write_text(f"{imported}{other}\n")
    (tmp_path / "third.ts").write_text('import { Far } from "./ofFurther.js";\nnew Far();\n')
    assert withheld(tmp_path, capsys) == [
        "ofCopied.ts:2 makes `Copied`",
        "ofDerived.ts:3 makes `Derived`",
        "ofHeld.ts:3 makes `Held`",
        "ofLabelled.ts:2 makes `Labelled`",
        "ofMapped.ts:2 makes `Mapped`",
        "ofPassed.ts:3 makes `Passed`",
        "third.ts:2 makes `Further`",
    ]
    text = file.read_text()
    mended = [name for name in names if re.search(rf"class {name} {{[^}}]*count", text)]
    assert mended == ["Chosen", "Marked"]


HIDDEN_IN_CSHARP = {
    "Generic": "object F() => System.Activator.CreateInstance<Generic>();",
    "Reflected": "object F() => System.Activator.CreateInstance(typeof(Reflected));",
    "Asked": "object F() => typeof(Asked).GetConstructors()[0].Invoke(null);",
    "Given": "public void Keep(Given given) { }",
    "Last": "public Last Current { get; set; }",
    "Listed": "public List<Listed> All = new List<Listed>();",
    "Unmade": "public Unmade Find() => found;",
    "Created": "object F() => Make.One<Created>();",
    "Stored": "Store<Stored> all;",
    "Kept": "List<Kept> all;",
}
"""What makes objects of a class without `new` and its name, or makes none, by that name."""


def test_a_member_is_not_added_to_csharp_that_is_made_where_its_name_does_not_stand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [*HIDDEN_IN_CSHARP]
    source = "using Microsoft.AspNetCore.Mvc;\nnamespace Shop;\n"
    for name in names:
        source += (
            f"public sealed class {name} {{\n    public string Of{name} {{ get; set; }}\n}}\n"
            f'[ApiController] [Route("{name}")]\npublic class {name}Controller : ControllerBase'
            f" {{\n    [HttpGet] public ActionResult<{name}> Get() => _all.Find();\n}}\n"
        )
    file = write_project(tmp_path, "App.cs", source, many_asked(names))
    for name, other in HIDDEN_IN_CSHARP.items():
        (tmp_path / f"Of{name}.cs").write_text(f"namespace Shop;\nclass Of{name} {{ {other} }}\n")
    for name, statement in (
        ("Given", 'of.Keep(new() { Id = "1" });'),
        ("Last", 'of.Current = new() { Id = "1" };'),
        ("Listed", 'of.All.Add(new() { Id = "1" });'),
        ("Unmade", "of.Count(new() { Size = of.Find() });"),
    ):
        (tmp_path / f"Third{name}.cs").write_text(
            f"namespace Shop;\nclass Third{name} {{\n  void F(Of{name} of) {{ {statement} }}\n}}\n"
        )
    (tmp_path / "Make.cs").write_text(
        "static class Make { public static T One<T>() where T : class, new() => new T(); }\n"
        "class Store<T> where T : new() { T Add() => new T(); }\n"
    )
    assert withheld(tmp_path, capsys) == [
        "OfAsked.cs:2 makes `Asked`",
        "OfCreated.cs:2 makes `Created`",
        "OfGeneric.cs:2 makes `Generic`",
        "OfReflected.cs:2 makes `Reflected`",
        "OfStored.cs:2 makes `Stored`",
        "ThirdGiven.cs:3 makes `Given`",
        "ThirdLast.cs:3 makes `Last`",
        "ThirdListed.cs:3 makes `Listed`",
    ]
    bodies = re.findall(r"sealed class (\w+)(.*?)\[ApiController", file.read_text(), re.DOTALL)
    assert [name for name, body in bodies if "Count" in body] == ["Unmade", "Kept"]


DEFAULT_EXPORTS = (
    ("export default class Order", {"b.ts": 'import Any from "./app.js";\nnew Any();\n'}),
    ("class Order", {"b.ts": 'import { default as Any } from "./app";\nnew Any();\n'}),
    (
        "class Order",
        {
            "a.ts": 'export { default as Any } from "./app.js";\n',
            "b.ts": 'import { Any } from "./a.js";\nnew Any();\n',
        },
    ),
)
"""How a class is declared, and files that make objects of it under another name."""


@pytest.mark.parametrize(("declared", "files"), DEFAULT_EXPORTS)
def test_a_property_is_not_added_to_a_default_export_that_is_made_under_another_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], declared: str, files: dict[str, str]
) -> None:
    source = typescript("  id: string;").replace("export class Order", declared, 1)
    if "default" not in declared:
        source += "export { Order as default };\n"
    file = write_project(tmp_path, "app.ts", source, asked(at=STRING, count={"type": "integer"}))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert withheld(tmp_path, capsys) == ["b.ts:2 makes `Order`"]
    assert "count" not in file.read_text()


def test_withheld_fixes_are_named_by_diff_and_only_where_they_were_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uses, models = ADDED[0][0], MODELS.replace("FIELDS", "")
    root = python_project(tmp_path, models, uses, asked(at=STRING))
    command = ["check", str(root), "--isolated", "--diff"]
    line = (
        f"{root}{os.sep}models.py:6: CONTRACT-001/missing-field add `at`: not fixed, uses.py:2"
        " makes `Order` without `at`"
    )
    for _ in range(2):  # the second time from the cache
        assert main([*command, "--unsafe-fixes"]) == 0
        assert capsys.readouterr() == ("", f"{line}\nNo fixes to make.\n")
    assert main(command) == 0
    assert capsys.readouterr() == ("", "No fixes to make.\n")


REASON = "uses.py:2 makes `Order` without `at`"


def test_reports_say_why_a_fix_is_withheld(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = python_project(tmp_path, MODELS.replace("FIELDS", ""), ADDED[0][0], asked(at=STRING))
    command = ["check", str(root), "--isolated", "--no-cache", "--output-format"]
    told = {"title": "add `at`", "safe": False, "reason": REASON}

    assert main([*command, "json"]) == 1
    text = capsys.readouterr().out
    (finding,) = json.loads(text)["findings"]
    assert (finding["fix"], finding["withheld"]) == (None, told)
    schema = json.loads((DOCS / "schema" / "check.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(text), schema)

    assert main([*command, "sarif"]) == 1
    ((result,),) = (run["results"] for run in json.loads(capsys.readouterr().out)["runs"])
    assert ("fixes" in result, result["properties"]["withheldFix"]) == (False, told)

    assert main([*command, "html"]) == 1
    code = REASON.replace("`Order`", "<code>Order</code>").replace("`at`", "<code>at</code>")
    assert f"<b>fix withheld</b> add <code>at</code>: {code}" in capsys.readouterr().out


@pytest.mark.parametrize("shows_disabled", [True, False])
def test_an_editor_shows_why_a_fix_cannot_be_chosen(
    tmp_path: Path, *, shows_disabled: bool
) -> None:
    root = python_project(tmp_path, MODELS.replace("FIELDS", ""), ADDED[0][0], asked(at=STRING))

    async def test() -> None:
        async with editing(root, shows_disabled=shows_disabled) as editor:
            models = root / "models.py"
            editor.open(models)
            await editor.until(lambda editor: bool(editor.messages("models")))
            actions = await editor.actions(models, editor.shown[f"{root.name}/models.py"])
            shown = [(each.title, each.disabled.reason) for each in actions if each.disabled]
            assert shown == ([("Fix (unsafe): add `at`", REASON)] if shows_disabled else [])
            assert [each.title for each in actions if not each.disabled] == [
                "Ignore CONTRACT-001/missing-field here, with a reason"
            ]

    asyncio.run(test())
