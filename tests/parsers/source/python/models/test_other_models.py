"""Dataclasses, attrs, TypedDict, NamedTuple, msgspec, enumerations, plain classes, libraries."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import model


def test_dataclasses(tmp_path: Path) -> None:
    source = """
        from dataclasses import InitVar, KW_ONLY, dataclass, field
        from typing import ClassVar, Optional
        @dataclass
        class Base:
            id: int
            kind: str = "x"
        @dataclass(frozen=True)
        class Model(Base):
            _: KW_ONLY
            names: list[str] = field(default_factory=list)
            owner: Optional["Base"] = None
            made: float = field(init=False)
            seed: InitVar[int] = 0
            count: ClassVar[int] = 0
            untyped = 1
            def __post_init__(self): self.other = 1
        """
    assert model(tmp_path, source) == (
        "{id: integer, kind=: string, names=: [string], owner=: {id: integer, kind=: string}?, "
        "made: number}"
    )


def test_dataclasses_json(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass, field
        from dataclasses_json import LetterCase, config, dataclass_json
        @dataclass_json(letter_case=LetterCase.CAMEL)
        @dataclass
        class Model:
            order_id: int
            given: int = field(metadata=config(field_name="x"))
        """
    assert model(tmp_path, source) == "{orderId: integer, x: integer}"


def test_attrs(tmp_path: Path) -> None:
    source = """
        import attr
        from attrs import define, field
        @define
        class New:
            a: int
            b: str = field(default="x")
        @attr.s
        class Model:
            c = attr.ib(type=int)
            d = attr.ib(factory=list)
            new: New = attr.ib()
        """
    assert model(tmp_path, source) == (
        "{c: integer, d=: unknown: `d` has no type, new: {a: integer, b=: string}}"
    )


def test_metadata_that_has_the_name_in_another_case_style(tmp_path: Path) -> None:
    source = """
        import attr
        @attr.s
        class Run:
            base_id = attr.ib(type=int, metadata={"schema_property_name": "baseId"})
            state = attr.ib(type=str, metadata={"help": "what has become of it"})
        """
    assert model(tmp_path, source, "Run") == "{baseId: integer, state: string}"


def test_typed_dicts(tmp_path: Path) -> None:
    source = """
        from typing import NotRequired, Required, TypedDict
        class Base(TypedDict):
            id: int
        class Model(Base, total=False):
            name: str
            must: Required[str]
            other: NotRequired["list[Base]"]
        """
    assert model(tmp_path, source) == (
        "{id: integer, name-=: string, must: string, other-=: [{id: integer}]}"
    )


def test_named_tuples_are_arrays(tmp_path: Path) -> None:
    source = """
        from typing import NamedTuple
        class Model(NamedTuple):
            x: int
            y: str
        """
    assert model(tmp_path, source) == "(integer, string)"


def test_msgspec_structs(tmp_path: Path) -> None:
    source = """
        import msgspec
        class Base(msgspec.Struct, rename="camel", omit_defaults=True):
            order_id: int
            a_note: str = ""
        class Model(Base, rename={"last_one": "z"}, tag="m", forbid_unknown_fields=True):
            last_one: int = msgspec.field(default=1)
            named: int = msgspec.field(name="N")
            unset: int | None | msgspec.UnsetType = msgspec.UNSET
        """
    assert model(tmp_path, source) == (
        "{type=: string['m'], orderId: integer, aNote-=: string, z-=: integer, N: integer, "
        "unset-=: integer?, *: nothing}"
    )
    array = "import msgspec\nclass Model(msgspec.Struct, array_like=True):\n    a: int\n"
    assert model(tmp_path / "2", array) == "(integer)"


def test_enumerations(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass
        from enum import Enum, IntEnum, StrEnum, auto
        class Color(str, Enum):
            RED = "red"
            BLUE = "blue"
            def label(self): return 1
        class Level(IntEnum):
            LOW = auto()
            HIGH = auto()
        class Size(StrEnum):
            BIG = auto()
        class Own(str, Enum):
            pass
        class Late(Own):
            A = "a"
        class Odd(str, Enum):
            A = make()
        Made = Enum("Made", {"X": "x"})
        @dataclass
        class Model:
            a: Color
            b: Level
            c: Size
            d: Late
            e: Odd
            f: Made
        """
    assert model(tmp_path, source) == (
        "{a: string['red', 'blue'], b: integer[1, 2], c: string['big'], d: string['a'], "
        "e: string, f: string['x']}"
    )


def test_plain_classes_are_known_by_the_method_that_writes_them(tmp_path: Path) -> None:
    source = """
        class Model:
            def __init__(self, id: int, name):
                self.id = id
                self.name: str = name
            def to_dict(self):
                result = {"id": self.id}
                if self.name:
                    result["name"] = self.name
                return result
        class Plain:
            id: int
        """
    assert model(tmp_path, source) == "{id: integer, name-: string}"
    assert model(tmp_path / "2", source, "Plain") == (
        "unknown: nothing says how the class `Plain` is written"
    )


def test_library_types(tmp_path: Path) -> None:
    source = """
        import datetime as dt, decimal, uuid, pathlib, ipaddress
        from collections import Counter, OrderedDict
        from collections.abc import Sequence
        from typing import Any, Dict, List, Mapping, Optional, Set, Tuple, Union
        from dataclasses import dataclass
        from pydantic import EmailStr, HttpUrl, PositiveInt, conlist
        import library
        @dataclass
        class Model:
            a: dt.datetime
            b: dt.date
            c: uuid.UUID
            d: decimal.Decimal
            e: bytes
            f: Dict[str, List[int]]
            g: Optional[Set[str]]
            h: Union[int, str, None]
            i: Tuple[int, str]
            j: tuple[float, ...]
            k: Any
            l: EmailStr
            m: HttpUrl
            n: PositiveInt
            o: conlist(int, min_length=1)
            p: library.Thing
            q: Mapping
            r: Sequence[pathlib.Path]
            s: object
            t: Counter[str]
        """
    assert model(tmp_path, source) == (
        "{a: string:date-time, b: string:date, c: string:uuid, d: string:decimal, e: string, "
        "f: {*: [integer]}, g: [string]?, h: (integer | string)?, i: (integer, string), "
        "j: [number], k: unknown: it is declared as `Any`, which may be anything, "
        "l: string:email, m: string:uri, n: integer, o: [integer], "
        "p: unknown: type `library.Thing` comes from a library, "
        "q: {*: unknown: `Mapping` is used without its type}, r: [string], "
        "s: unknown: it is declared as `object`, which may be anything, t: {*: integer}}"
    )


def test_py_serializable(tmp_path: Path) -> None:
    source = """
        from datetime import datetime
        from typing import Iterable, Optional
        import py_serializable as serializable
        from py_serializable.helpers import BaseHelper, XsdDateTime
        class KeyHelper(BaseHelper):
            @classmethod
            def serialize(cls, o) -> str:
                return o.key
        class Plain:
            def __str__(self): return 'x'
        @serializable.serializable_class
        class Key:
            @property
            @serializable.json_name('.')
            def text(self) -> str: ...
        @serializable.serializable_class(ignore_unknown_during_deserialization=True)
        class Model:
            @property
            @serializable.json_name('bom-ref')
            @serializable.type_mapping(KeyHelper)
            def bom_ref(self) -> Key: ...
            @property
            def street_address(self) -> Optional[str]: ...
            @property
            @serializable.view(object)
            def key(self) -> Key: ...
            @property
            def all_parts(self) -> 'Iterable[Model]': ...
            @property
            @serializable.type_mapping(XsdDateTime)
            def made(self) -> datetime: ...
            @property
            def plain(self) -> Plain: ...
            def method(self) -> int: ...
        """
    assert model(tmp_path, source) == (
        "{bom-ref=: string, streetAddress-=: string, key~=: string, "
        "allParts~=: [Model], made=: string:date-time, plain=: string}"
    )
    other = "import py_serializable\npy_serializable.formatters.CurrentFormatter.formatter = X\n"
    assert model(tmp_path / "named", source, names=other) == (
        "unknown: the project chooses how py-serializable names properties"
    )
