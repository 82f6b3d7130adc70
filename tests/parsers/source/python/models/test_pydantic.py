"""Pydantic models: every rule that changes what is on the wire."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from contract_scan.ir.schema import Array, Object, Unknown
from contract_scan.parsers.source.facts.nodes import NamedType
from tests.parsers.source.python.project import handled, model, project, shape

NAMES = (
    "from typing import Annotated, ClassVar, Generic, List, Literal, Optional, TypeVar, Union\n"
    "from functools import cached_property\n"
    "from pydantic import AliasChoices, AliasGenerator, AliasPath, BaseModel, ConfigDict, Extra, "
    "Field, PlainSerializer, RootModel, computed_field, condecimal, create_model, "
    "field_serializer, model_serializer\n"
)
V2 = NAMES + "MARK = 'model_config'\n"
V1 = "from typing import ClassVar, List, Optional\nfrom pydantic import BaseModel, Extra, "
V1 += "Field, condecimal\nMARKS = 'orm_mode', '@validator(', 'BaseConfig', 'parse_obj'\n"


def v2(root: Path, source: str, name: str = "Model", **others: str) -> str:
    return model(root, V2 + dedent(source), name, **others)


def v1(root: Path, source: str, name: str = "Model", **others: str) -> str:
    return model(root, V1 + dedent(source), name, **others)


def test_required_null_and_default_are_three_facts(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: int
            b: int = 1
            c: Optional[int]
            d: int | None = None
            e: int = Field(...)
            f: list[int] = Field(default_factory=list)
            g: str = None
            h: Annotated[int, Field(gt=1)] = 2
            i: int = Field(0, gt=1)
        """
    assert v2(tmp_path, source) == (
        "{a: integer, b=: integer, c: integer?, d=: integer?, e: integer, f=: [integer], "
        "g=: string~, h=: integer, i=: integer}"
    )


def test_a_field_of_several_bases_is_that_of_the_first_which_has_it(tmp_path: Path) -> None:
    """Also where the first inherits it and the second declares it anew, unlike attributes."""
    source = """
        class Shown(BaseModel):
            name: str
        class Published(Shown):
            version: int
        class Edited(Shown):
            name: str | None
            note: str | None
        class Model(Published, Edited):
            owner: str
        class Turned(Edited, Published):
            pass
        """
    assert v2(tmp_path, source) == "{name: string, note: string?, version: integer, owner: string}"
    assert v2(tmp_path, source, "Turned") == "{name: string?, version: integer, note: string?}"


def test_secrets_are_masked(tmp_path: Path) -> None:
    program = project(
        tmp_path,
        {
            "app.py": """
                from pydantic import BaseModel, SecretStr
                class Model(BaseModel):
                    key: SecretStr
                    token: SecretStr | None = None
                    name: str
                """
        },
    )
    file = program.facts("app.py")
    found = program.types.flat(program.schema(NamedType("Model"), program.module_scope(file)))
    assert isinstance(found, Object)
    masked = "a secret is masked where it is written"
    assert [(field.name, field.undetermined_reason) for field in found.fields] == [
        ("key", masked),
        ("token", masked),
        ("name", ""),
    ]


def test_what_an_annotation_keeps_out_of_schemas_is_not_held_against_them(tmp_path: Path) -> None:
    source = """
        from pydantic import BaseModel
        from pydantic.json_schema import SkipJsonSchema
        class Model(BaseModel):
            inner: SkipJsonSchema[str] = ""
            either: int | SkipJsonSchema[None] = None
        """
    program = project(tmp_path, {"app.py": source})
    file = program.facts("app.py")
    found = program.types.flat(program.schema(NamedType("Model"), program.module_scope(file)))
    assert isinstance(found, Object)
    assert [(field.name, field.undetermined_reason) for field in found.fields] == [
        ("inner", "its annotation keeps it out of schemas (SkipJsonSchema)"),
        ("either", ""),
    ]


def test_optional_has_an_implicit_default_in_version_1(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: Optional[int]
            b: Optional[int] = ...
        """
    assert v1(tmp_path, source) == "{a=: integer?, b: integer?}"


def test_fields_without_annotation_in_version_1(tmp_path: Path) -> None:
    source = """
        class Base(BaseModel):
            kind: str
        class Model(Base):
            kind = "x"
            size = 1
            LABEL: ClassVar[str] = "y"
            _private: int = 2
        """
    assert v1(tmp_path, source) == "{kind=: string, size=: integer}"


def test_aliases(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: int = Field(alias="x")
            b: int = Field(serialization_alias="y")
            c: int = Field(validation_alias="z")
            d: int = Field(validation_alias=AliasChoices("p", AliasPath("q", 0)))
            e: Annotated[int, Field(alias="w")]
        """
    assert v2(tmp_path, source) == (
        "{x: integer, y<b>: integer, c<z>: integer, d<p,q>: integer, w: integer}"
    )


def test_alias_that_is_not_constant_makes_the_model_unknown(tmp_path: Path) -> None:
    assert v2(tmp_path, "class Model(BaseModel):\n    a: int = Field(alias=make())") == (
        "unknown: `Model`: field `a`: its `alias` is not constant"
    )


def test_inherited_alias_generator_of_the_library(tmp_path: Path) -> None:
    source = """
        from pydantic.alias_generators import to_camel
        from base import Base
        class Model(Base):
            order_id: int
            plain: str = Field(alias="given_name")
        """
    base = """
        from pydantic import BaseModel, ConfigDict
        from pydantic.alias_generators import to_camel
        class Base(BaseModel):
            model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
        """
    assert v2(tmp_path, source, base=base) == (
        "{orderId<orderId,order_id>: integer, given_name<given_name,plain>: string}"
    )


def test_alias_generators_of_the_project(tmp_path: Path) -> None:
    generators = {
        "lambda s: s.upper()": "ORDER_ID",
        "kebab": "order-id",
        "shout": "orderId!",
        "partial(inflection.camelize, uppercase_first_letter=False)": "orderId",
        "AliasGenerator(serialization_alias=kebab)": "order-id<order_id>",
        "str.title": "Order_Id",
    }
    for position, (generator, expected) in enumerate(generators.items()):
        source = f"""
            import inflection
            from functools import partial
            def kebab(name: str) -> str:
                return "-".join(name.split("_"))
            def shout(name):
                first, *rest = name.split("_")
                for word in rest:
                    first += word.capitalize() if word else "_"
                return f"{{first}}!"
            class Model(BaseModel):
                model_config = {{"alias_generator": {generator}}}
                order_id: int
            """
        assert v2(tmp_path / str(position), source) == f"{{{expected}: integer}}"


def test_alias_generator_that_cannot_be_read(tmp_path: Path) -> None:
    source = """
        import names
        class Model(BaseModel):
            model_config = ConfigDict(alias_generator=names.make)
            a: int
        """
    assert v2(tmp_path, source) == "unknown: `Model`: its alias generator cannot be read"


def test_configuration_class_with_inheritance_and_fields(tmp_path: Path) -> None:
    source = """
        def dashed(name): return name.replace("_", "-")
        class Base(BaseModel):
            class Config:
                alias_generator = dashed
                allow_population_by_field_name = True
        class Model(Base):
            some_name: int
            other: int
            class Config(Base.Config):
                fields = {"other": {"alias": "another"}}
                extra = Extra.forbid
        """
    assert v1(tmp_path, source) == (
        "{some-name<some-name,some_name>: integer, another<another,other>: integer, *: nothing}"
    )


def test_class_keywords_are_configuration(tmp_path: Path) -> None:
    source = "class Model(BaseModel, extra='allow', alias_generator=str.upper):\n    a: int\n"
    assert v2(tmp_path, source) == "{A: integer, *: anything}"


def test_computed_and_excluded_fields(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            secret: str = Field(exclude=True)
            @computed_field
            @property
            def total(self) -> float: ...
            @computed_field(alias="fullName")
            @cached_property
            def name(self): return "a" + self.secret
            @property
            def hidden(self) -> int: ...
        """
    assert v2(tmp_path, source) == (
        "{secret (write): string, total (read): number, fullName (read): string}"
    )


def test_serializers(tmp_path: Path) -> None:
    source = """
        from datetime import datetime
        class Model(BaseModel):
            at: datetime
            when: datetime
            code: Annotated[int, PlainSerializer(lambda v: f"{v}", return_type=str)]
            @field_serializer("at")
            def write_at(self, value) -> int: ...
            @field_serializer("when")
            def write_when(self, value): return value.strftime("%Y")
        """
    assert v2(tmp_path, source) == "{at: integer, when: string, code: string}"


def test_serializers_that_ask_what_is_written(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: int
            b: int
            c: int
            @field_serializer("a")
            def write_a(self, value: int, _info):
                if _info.mode == "python":
                    return f"{value}"
                return value
            @field_serializer("b")
            def write_b(self, value: int, info):
                return f"{value}" if info.mode_is_json() else value
            @field_serializer("c")
            def write_c(self, value: int, info):
                if info.mode_is_json():
                    return f"{value}"
                return value
        """
    assert v2(tmp_path, source) == "{a: integer, b: string, c: string}"


def test_model_serializer_writes_the_model(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: int
            @model_serializer
            def write(self):
                return {"value": self.a}
        """
    assert v2(tmp_path, source) == "{value: integer}"


def test_json_encoders(tmp_path: Path) -> None:
    source = """
        import datetime
        def stamp(value: datetime.datetime) -> int: ...
        class Model(BaseModel):
            at: datetime.datetime
            day: datetime.date
            class Config:
                json_encoders = {datetime.datetime: stamp, datetime.date: str}
        """
    assert v1(tmp_path, source) == "{at: integer, day: string:date}"


def test_decimals_and_durations_by_version(tmp_path: Path) -> None:
    source = """
        from datetime import timedelta
        from decimal import Decimal
        class Model(BaseModel):
            price: Decimal
            wait: timedelta
            limit: condecimal(gt=0)
        """
    assert v2(tmp_path / "2", source) == (
        "{price: string:decimal, wait: string:duration, limit: string:decimal}"
    )
    assert v1(tmp_path / "1", source) == "{price: number, wait: number, limit: number}"


def test_root_models(tmp_path: Path) -> None:
    source = """
        class Items(RootModel[list[int]]): pass
        class Names(RootModel):
            root: dict[str, str]
        Either = RootModel[int | str]
        class Model(BaseModel):
            items: Items
            names: Names
            either: Either
        """
    assert v2(tmp_path, source) == (
        "{items: [integer], names: {*: string}, either: (integer | string)}"
    )
    assert v1(tmp_path / "1", "class Model(BaseModel):\n    __root__: List[str]\n") == "[string]"


def test_what_takes_any_value(tmp_path: Path) -> None:
    source = dedent(
        """
        from typing import Any
        class Model(BaseModel):
            a: Any
            b: dict
            c: list
            d: tuple
        """
    )
    program = project(tmp_path, {"app.py": V2 + source})
    [found] = [s for s in program.classes(program.facts("app.py")) if s.decl.name == "Model"]
    flat = program.types.flat(program.schema(NamedType("Model"), program.class_scope(found)))
    assert isinstance(flat, Object)
    of_any, of_dict, of_list, of_tuple = (field.schema for field in flat.fields)
    assert isinstance(of_any, Unknown)
    assert isinstance(of_dict, Object)
    assert isinstance(of_dict.additional, Unknown)
    assert isinstance(of_list, Array)
    assert isinstance(of_list.items, Unknown)
    assert isinstance(of_tuple, Array)
    assert isinstance(of_tuple.items, Unknown)
    every = (of_any, of_dict.additional, of_list.items, of_tuple.items)
    assert [item.accepts_any for item in every] == [True, True, True, True]


def test_classes_derived_from_scalars(tmp_path: Path) -> None:
    source = """
        from bson import ObjectId
        class Slug(str):
            @classmethod
            def __get_pydantic_core_schema__(cls, source, handler): ...
        class Count(int): ...
        class Key(ObjectId): ...
        class Model(BaseModel):
            slug: Slug
            count: Count
            key: Key
        """
    assert v2(tmp_path, source) == "{slug: string, count: integer, key: string}"


def test_generic_models(tmp_path: Path) -> None:
    source = """
        T = TypeVar("T")
        class Page(BaseModel, Generic[T]):
            items: list[T]
            next: Optional["Page[T]"] = None
        class Named(Page[T]):
            name: str
        class Model(BaseModel):
            pages: Named[int]
        """
    assert v2(tmp_path, source) == (
        "{pages: {items: [integer], next=: {items: [integer], next=: "
        "Page<integer:>?}?, name: string}}"
    )


def test_type_variables_that_a_base_has_in_common_with_the_class(tmp_path: Path) -> None:
    source = """
        T = TypeVar("T")
        U = TypeVar("U")
        class Payload(BaseModel, Generic[T]):
            payload: T
        class Page(BaseModel, Generic[U]):
            page: U
        class Full(Payload, Page, Generic[T]):
            ok: bool
        class Model(BaseModel):
            whole: Full[int]
        """
    assert v2(tmp_path, source) == (
        "{whole: {page: unknown: type parameter `U` stands for no known type here, "
        "payload: integer, ok: boolean}}"
    )


def test_unions_and_literals(tmp_path: Path) -> None:
    source = """
        class Cat(BaseModel):
            kind: Literal["cat"]
        class Dog(BaseModel):
            kind: Literal["dog", "hound"]
        class Model(BaseModel):
            pet: Union[Cat, Dog] = Field(discriminator="kind")
            size: Literal[1, 2] | None
        """
    assert v2(tmp_path, source) == (
        "{pet: ({kind: string['cat']} | {kind: string['dog', 'hound']}), size: integer[1, 2]?}"
    )


def test_models_made_by_calls_and_dataclasses(tmp_path: Path) -> None:
    source = """
        from pydantic.dataclasses import dataclass
        class Base(BaseModel):
            id: int
        Made = create_model("Made", a=(int, ...), b=(str, "x"), __base__=Base)
        @dataclass
        class Data:
            c: int = Field(alias="see")
        class Model(BaseModel):
            made: Made
            data: Data
        """
    assert v2(tmp_path, source) == (
        "{made: {id: integer, a: integer, b=: string}, data: {see: integer}}"
    )


def test_library_base_classes_leave_a_model_incomplete(tmp_path: Path) -> None:
    source = """
        from users import BaseUser
        class Model(BaseUser, BaseModel):
            a: int
        """
    assert v2(tmp_path, source) == (
        "{a: integer, ... the base class `users.BaseUser` comes from a library}"
    )


def test_version_is_told_by_the_nearest_requirement(tmp_path: Path) -> None:
    text = "from pydantic import BaseModel\nfrom decimal import Decimal\n"
    text += "class Price(BaseModel):\n    value: Decimal\n"
    program = project(
        tmp_path,
        {
            "old/pyproject.toml": 'pydantic = { version = "^1.9", extras = ["email"] }\n',
            "old/models.py": text,
            "new/requirements.txt": "fastapi\npydantic>=2.5,<3\n",
            "new/models.py": text,
            "locked/uv.lock": '[[package]]\nname = "pydantic"\nversion = "1.10.2"\n',
            "locked/app/models.py": text,
        },
    )
    shapes = {}
    for path in ("old/models.py", "new/models.py", "locked/app/models.py"):
        scope = program.module_scope(program.facts(path))
        shapes[path] = shape(program, program.schema(NamedType("Price"), scope))
    assert shapes == {
        "old/models.py": "{value: number}",
        "new/models.py": "{value: string:decimal}",
        "locked/app/models.py": "{value: number}",
    }


def test_what_is_kept_out_of_contracts(tmp_path: Path) -> None:
    source = """
        from pydantic import BaseModel
        from pydantic.json_schema import SkipJsonSchema
        class Model(BaseModel):
            name: str | SkipJsonSchema[None] = None
        """
    assert model(tmp_path, source) == "{name=: string~}"


def test_a_serializer_of_several_fields_gives_null_for_those_that_may_be_null(
    tmp_path: Path,
) -> None:
    source = """
        class Model(BaseModel):
            target: str
            finished: str | None
            @field_serializer("target", "finished")
            def path(self, value: str | None) -> str | None:
                return None if value is None else value.replace("a", "b")
    """
    assert v2(tmp_path, source) == "{target: string~, finished: string?}"


def test_a_model_that_makes_its_own_schema_is_undetermined(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            name: str
            @classmethod
            def __get_pydantic_core_schema__(cls, source, handler):
                return plain(cls.read)
    """
    assert v2(tmp_path, source) == (
        "unknown: `Model.__get_pydantic_core_schema__` decides what is written"
    )


def test_unions_that_a_function_tells_apart(tmp_path: Path) -> None:
    source = """
        from pydantic import Discriminator, Tag
        class Base(BaseModel):
            kind: Literal["main"] = "main"
            @classmethod
            def tag(cls): return Tag(".".join(cls.model_fields))
            @staticmethod
            def told(value): return value.tag().tag
        class Whole(Base):
            form: Literal["a"] = "a"
        class Parts(Base):
            form: Literal["b"] = "b"
            size: int
        class Later(Base):
            form: Literal["b"] = "b"
            steps: int
        Computed = Annotated[
            Union[
                Annotated[Whole, Whole.tag()],
                Annotated[Parts, Parts.tag()],
                Annotated[Later, Later.tag()],
            ],
            Discriminator(Base.told),
        ]
        Written = Annotated[
            Union[Annotated[Parts, Tag("p")], Annotated[Later, Tag("l")]], Discriminator(Base.told)
        ]
        class Model(BaseModel):
            computed: Computed
            written: Written
        """
    whole = "{kind=: string['main'], form=: string['a']}"
    parts = "{kind=: string['main'], form=: string['b'], size: integer}"
    later = "{kind=: string['main'], form=: string['b'], steps: integer}"
    assert v2(tmp_path, source) == (
        f"{{computed: ({whole} | {later}), written: ({parts} | {later})}}"
    )


def test_own_dumps_of_a_model_that_set_defaults(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from pydantic import BaseModel, Field
        app = Flask(__name__)
        class Base(BaseModel):
            def model_dump(self, **kwargs):
                if "by_alias" not in kwargs:
                    kwargs["by_alias"] = True
                return super().model_dump(**kwargs)
        class Order(Base):
            order_id: int = Field(alias="orderId")
        @app.get("/orders")
        def orders():
            return Order(orderId=1).model_dump()
        """
    assert handled(tmp_path, "Flask", source) == [
        "GET /orders",
        "  200 application/json {orderId: integer}",
    ]


def test_typed_dicts_and_dataclasses_inside_are_named_as_the_model_says(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass
        from typing import NotRequired, TypedDict
        from pydantic.alias_generators import to_camel
        class Meta(TypedDict):
            progress_token: NotRequired[str]
            inner_meta: Inner
        class Inner(TypedDict):
            last_page: int
        class Own(TypedDict):
            __pydantic_config__ = ConfigDict()
            own_name: int
        @dataclass
        class Point:
            x_axis: int
        class Model(BaseModel):
            model_config = ConfigDict(alias_generator=to_camel)
            the_meta: Meta | None
            all_points: list[Point]
            as_own: Own
        """
    assert v2(tmp_path, source) == (
        "{theMeta: {progressToken-=: string, innerMeta: {lastPage: integer}}?, "
        "allPoints: [{xAxis: integer}], asOwn: {own_name: integer}}"
    )
