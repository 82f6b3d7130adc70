"""FastAPI programs beside their contracts: guilty code next to innocent code of the same sort."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import Judged, judged

REQUIREMENTS = {"requirements.txt": "fastapi==0.111.0\npydantic==2.7.1\n"}


def of_app(folder: Path, source: str, paths: str, schemas: str = "") -> Judged:
    return judged(folder, {**REQUIREMENTS, "app.py": source}, paths, schemas)


# --------------------------------------------------------------------- auto()


LAMP = """
    /lamp:
      get:
        responses:
          '200':
            description: ok
            content: {application/json: {schema: {type: object, required: [lamp], properties: {
              lamp: {type: string, enum: [%s]}}}}}
"""


@pytest.mark.parametrize(
    ("enum", "values"),
    [
        pytest.param(
            """
            class Named(str, Enum):
                @staticmethod
                def _generate_next_value_(name, start, count, last_values):
                    return name.upper()
            class Lamp(Named):
                on = auto()
                dim = auto()
            """,
            "ON, DIM",
            id="inherited",
        ),
        pytest.param(
            """
            class Named(Enum):
                def _generate_next_value_(name: str, start: int, count: int, last: list) -> str:
                    return name.lower()
            class Between(Named):
                pass
            class Lamp(Between):
                ON = auto()
                DIM = auto()
            """,
            "'on', dim",
            id="annotated and two classes above",
        ),
        pytest.param(
            """
            class Lamp(str, Enum):
                def _generate_next_value_(name, *args):
                    return f"lamp-{name}"
                on = auto()
                dim = auto()
            """,
            "lamp-on, lamp-dim",
            id="its own",
        ),
        pytest.param(
            """
            class Lamp(str, Enum):
                on = auto()
                dim = auto()
            """,
            "'1', '2'",
            id="text of the number",
        ),
        pytest.param(
            """
            class Lamp(StrEnum):
                ON = auto()
                DIM = auto()
            """,
            "'on', dim",
            id="StrEnum",
        ),
    ],
)
def test_values_of_auto_are_what_the_class_makes_of_them(
    tmp_path: Path, enum: str, values: str
) -> None:
    source = f"""
            from enum import Enum, StrEnum, auto
            from fastapi import FastAPI
            from pydantic import BaseModel
            app = FastAPI()
            {enum.strip()}
            class Light(BaseModel):
                lamp: Lamp
            @app.get("/lamp")
            def lamp() -> Light:
                return Light(lamp=list(Lamp)[0])
    """
    innocent = of_app(tmp_path / "innocent", source, LAMP % values)
    assert innocent == Judged([], [], 1)
    guilty = of_app(tmp_path / "guilty", source, LAMP % values.partition(",")[0])
    assert guilty.findings == ["GET /lamp enum: lamp"]


def test_numbers_of_auto_count_on_from_the_one_before(tmp_path: Path) -> None:
    source = """
        from enum import Enum, Flag, auto
        from fastapi import FastAPI
        from pydantic import BaseModel
        app = FastAPI()
        class Step(Enum):
            first = 5
            second = auto()
        class Bit(Flag):
            a = auto()
            b = auto()
            c = auto()
        class Back(Enum):
            high = 9
            low = 1
            other = auto()
        class All(BaseModel):
            step: Step
            bit: Bit
            back: Back
        @app.get("/all")
        def all() -> All: ...
    """
    paths = """
        /all:
          get:
            responses:
              '200':
                description: ok
                content: {application/json: {schema: {type: object, required: [step, bit, back],
                  properties: {
                    step: {type: integer, enum: [5, %s]},
                    bit: {type: integer, enum: [1, 2, %s]},
                    back: {type: integer, enum: [9, 1, 10]}}}}}
    """
    # Which number follows a smaller one differs between versions of Python.
    assert of_app(tmp_path / "a", source, paths % (6, 4)) == Judged([], ["GET /all back"], 0)
    assert of_app(tmp_path / "b", source, paths % (2, 3)).findings == [
        "GET /all enum: bit",
        "GET /all enum: step",
    ]


# --------------------------------------------------------------------- metadata of annotated types


PRICE = """
    /price:
      get:
        responses:
          '200':
            description: ok
            content: {application/json: {schema: {type: object, required: [amount], properties: {
              amount: %s}}}}
"""


@pytest.mark.parametrize(
    ("type", "guilty", "contract"),
    [
        ("Amount | None", "Decimal | None", "{type: number, nullable: true}"),
        ("Optional[Amount]", "Optional[Decimal]", "{type: number, nullable: true}"),
        ("list[Amount]", "list[Decimal]", "{type: array, items: {type: number}}"),
        ("dict[str, Amount]", "dict[str, Decimal]", "{additionalProperties: {type: number}}"),
        (
            "Annotated[Decimal, PlainSerializer(lambda v: float(v), return_type=float)] | None",
            "Annotated[Decimal, Field(gt=0)] | None",
            "{type: number, nullable: true}",
        ),
        ("Amount", "Decimal", "{type: number}"),
    ],
)
def test_serializers_among_metadata_count_wherever_the_type_stands(
    tmp_path: Path, type: str, guilty: str, contract: str
) -> None:
    def program(amount: str) -> str:
        return f"""
            from decimal import Decimal
            from typing import Annotated, Optional
            from fastapi import FastAPI
            from pydantic import BaseModel, Field, PlainSerializer
            app = FastAPI()
            Amount = Annotated[Decimal, PlainSerializer(float, return_type=float)]
            class Price(BaseModel):
                amount: {amount}
            @app.get("/price")
            def price() -> Price: ...
        """

    assert of_app(tmp_path / "a", program(type), PRICE % contract) == Judged([], [], 1)
    [finding] = of_app(tmp_path / "b", program(guilty), PRICE % contract).findings
    assert finding.startswith("GET /price type: amount")


def test_serializers_say_nothing_of_what_is_read(tmp_path: Path) -> None:
    source = """
        from decimal import Decimal
        from typing import Annotated
        from fastapi import FastAPI
        from pydantic import BaseModel, PlainSerializer, field_serializer
        app = FastAPI()
        class Day(BaseModel):
            count: Annotated[int, PlainSerializer(str, return_type=str)]
            size: int
            @field_serializer("size")
            def text(self, value: int) -> str:
                return str(value)
        @app.post("/days", status_code=204)
        def add(day: Day) -> None: ...
        @app.get("/days")
        def get() -> Day: ...
    """
    paths = """
        /days:
          post:
            requestBody: {required: true, content: {application/json: {schema: {type: object,
              required: [count, size],
              properties: {count: {type: integer}, size: {type: integer}}}}}}
            responses: {'204': {description: ok}}
          get:
            responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
              required: [count, size],
              properties: {count: {type: integer}, size: {type: string}}}}}}}
    """
    found = of_app(tmp_path, source, paths)
    assert found == Judged(["GET /days type: count"], [], 1)


# --------------------------------------------------------------------- models of unknown names


UNKNOWN_MODEL = """
        from foreign_tools import camel_to_other
        from fastapi import FastAPI
        from fastapi.responses import JSONResponse
        from pydantic import BaseModel, ConfigDict
        from typing import Annotated, Any, Optional
        app = FastAPI()
        class Out(BaseModel):
            model_config = ConfigDict(alias_generator=camel_to_other, populate_by_name=True)
        class User(Out):
            name: str
        class Stored(BaseModel):
            name: str
            secret: str
"""
USER = """
    /user:
      get:
        responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
          additionalProperties: false, required: [name], properties: {name: {type: string}}}}}}}
"""


@pytest.mark.parametrize(
    ("handler", "extra"),
    [
        (
            '@app.get("/user", response_model=User)\n'
            'def user(): return Stored(name="a", secret="b")',
            False,
        ),
        ('@app.get("/user")\ndef user() -> User: return Stored(name="a", secret="b")', False),
        (
            '@app.get("/user", response_model=Optional[User])\n'
            'def user(): return Stored(name="a", secret="b")',
            False,
        ),
        (
            '@app.get("/user")\n'
            'def user() -> "Annotated[User, 1]": return {"name": 1, "secret": 2}',
            False,
        ),
        (
            '@app.get("/user", response_model=User)\n'
            'def user(): return JSONResponse({"name": "a", "secret": "b"})',
            True,
        ),
        ('@app.get("/user")\ndef user(): return Stored(name="a", secret="b")', True),
        ('@app.get("/user")\ndef user() -> Any: return {"name": "a", "secret": "b"}', True),
        (
            '@app.get("/user", response_model=None)\n'
            'def user() -> User: return Stored(name="a", secret="b")',
            True,
        ),
    ],
)
def test_a_response_model_filters_also_where_its_names_are_not_known(
    tmp_path: Path, handler: str, extra: bool
) -> None:
    source = UNKNOWN_MODEL + "".join(f"        {line}\n" for line in handler.splitlines())
    found = of_app(tmp_path, source, USER)
    seen = [finding for finding in found.findings if "extra-field" in finding]
    assert seen == (["GET /user extra-field: secret"] if extra else [])


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("User | Stored", True),
        ("User | None", True),
        ("Optional[User]", True),
        ("Annotated[User | Stored, 'x']", True),
        ("int | None", False),
        ("str", False),
    ],
)
def test_a_union_with_a_model_is_read_from_the_body(
    tmp_path: Path, declared: str, body: bool
) -> None:
    source = UNKNOWN_MODEL + (
        '        @app.post("/user", status_code=204)\n'
        f"        def add(job: {declared}) -> None: ...\n"
    )
    paths = """
        /user:
          post:
            requestBody: {content: {application/json: {schema: {type: object}}}}
            responses: {'204': {description: ok}}
    """
    found = of_app(tmp_path, source, paths)
    asked = [f for f in found.findings if "parameter: job" in f]
    assert bool(asked) is (not body)


# --------------------------------------------------------------------- responses of the project


@pytest.mark.parametrize(
    ("classes", "made", "status"),
    [
        (
            "class Gone(Response):\n"
            "    def __init__(self, status_code: int = 204) -> None:\n"
            "        super().__init__(content=None, status_code=status_code)",
            "Gone()",
            "204",
        ),
        (
            "class Gone(Response):\n"
            "    def __init__(self, status_code: int = 204) -> None:\n"
            "        super().__init__(content=None, status_code=status_code)",
            "Gone(202)",
            "202",
        ),
        (
            "class Empty(Response):\n"
            "    def __init__(self, status, **kwargs):\n"
            "        super().__init__(status_code=status, **kwargs)\n"
            "class Gone(Empty):\n"
            "    def __init__(self):\n"
            "        super().__init__(410)",
            "Gone()",
            "410",
        ),
        (
            "class Gone(Response):\n"
            "    def __init__(self, *args, **kwargs):\n"
            "        kwargs_ = 1\n"
            "        Response.__init__(self, *args, **kwargs)",
            "Gone(status_code=205)",
            "205",
        ),
        ("class Gone(Response):\n    pass", "Gone(status_code=206)", "206"),
    ],
)
def test_status_of_a_response_class_is_what_its_constructor_hands_up(
    tmp_path: Path, classes: str, made: str, status: str
) -> None:
    lines = [
        "from fastapi import FastAPI",
        "from starlette.responses import Response",
        "app = FastAPI()",
        *classes.splitlines(),
        '@app.delete("/bin")',
        "def drop():",
        f"    return {made}",
    ]
    paths = "/bin:\n  delete:\n    responses: {'%s': {description: gone}}\n"
    source = "\n".join(lines)
    assert of_app(tmp_path / "a", source, paths % status) == Judged([], [], 1)
    wrong = "207"
    assert of_app(tmp_path / "b", source, paths % wrong).findings == ["DELETE /bin status"]


@pytest.mark.parametrize(
    "constructor",
    [
        "        if flag:\n            super().__init__(status_code=201)\n"
        "        else:\n            super().__init__(status_code=202)",
        "        super().__init__(status_code=201)\n        self.status_code = flag",
    ],
)
def test_a_constructor_that_chooses_leaves_the_status_open(
    tmp_path: Path, constructor: str
) -> None:
    source = f"""
from fastapi import FastAPI
from starlette.responses import Response
app = FastAPI()
class Gone(Response):
    def __init__(self, flag):
{constructor}
@app.delete("/bin")
def drop(flag: int):
    return Gone(flag)
"""
    found = of_app(tmp_path, source, "/bin: {delete: {responses: {'204': {description: gone}}}}")
    assert (found.findings, found.verified) == (["DELETE /bin parameter: flag"], 0)


# --------------------------------------------------------------------- defaults of parameters


@pytest.mark.parametrize(
    ("parameter", "statements", "differs"),
    [
        ("limit: int | None = None", "return SONGS[:limit]", True),
        ("limit: Optional[int] = Query(None)", "return SONGS[:limit]", True),
        ("limit: Annotated[int | None, Query()] = None", "return SONGS[:limit]", True),
        ("limit: int = 20", "return SONGS[:limit]", False),
        ("limit: int = 10", "return SONGS[:limit]", True),
        ("limit: int | None = None", "return SONGS[:limit or 20]", False),
        (
            "limit: int | None = None",
            "if limit is None:\n        limit = 20\n    return SONGS[:limit]",
            False,
        ),
        ("limit: int | None = None", "return SONGS[:20 if limit is None else limit]", False),
        ("limit: int | None = None", "return first(SONGS, limit)", False),
    ],
)
def test_no_default_where_the_contract_has_one_is_a_difference(
    tmp_path: Path, parameter: str, statements: str, differs: bool
) -> None:
    source = f"""
from typing import Annotated, Optional
from fastapi import FastAPI, Query
from elsewhere import first
app = FastAPI()
SONGS = ["one", "two"]
@app.get("/songs")
def songs({parameter}) -> list[str]:
    {statements}
"""
    paths = """
        /songs:
          get:
            parameters: [{name: limit, in: query, schema: {type: integer, default: 20}}]
            responses: {'200': {description: ok, content: {application/json: {schema:
              {type: array, items: {type: string}}}}}}
    """
    found = of_app(tmp_path, source, paths)
    assert found.findings == (["GET /songs parameter: limit (warning)"] if differs else [])


# --------------------------------------------------------------------- folders named like libraries


@pytest.mark.parametrize(
    ("imports", "make"),
    [
        ("from fastapi import FastAPI", "FastAPI()"),
        ("import fastapi", "fastapi.FastAPI()"),
        ("import fastapi as api", "api.FastAPI()"),
        ("from fastapi import FastAPI as Api", "Api()"),
    ],
)
def test_what_a_local_namesake_does_not_declare_is_the_librarys(
    tmp_path: Path, imports: str, make: str
) -> None:
    source = f"""
{imports}
from pydantic import BaseModel
app = {make}
class Coin(BaseModel):
    worth: int
@app.get("/coins")
def coin() -> Coin: ...
@app.get("/coins/old")
def old() -> Coin: ...
"""
    files = {
        "requirements.txt": "fastapi==0.111.0",
        "service/main.py": source,
        "service/fastapi/__init__.py": '"""How the service is started."""\n',
        "service/fastapi/start.py": "PORT = 8000\n",
    }
    paths = "".join(
        f"{path}: {{get: {{responses: {{'200': {{description: ok, content: {{application/json: "
        f"{{schema: {{type: object, properties: {{worth: {{type: {kind}}}}}}}}}}}}}}}}}}}\n"
        for path, kind in (("/coins", "integer"), ("/coins/old", "string"))
    )
    assert judged(tmp_path, files, paths) == Judged(["GET /coins/old type: worth"], [], 1)


def test_what_a_local_namesake_declares_is_its_own(tmp_path: Path) -> None:
    files = {
        "service/main.py": "from fastapi import FastAPI\napp = FastAPI()\n"
        '@app.get("/coins")\ndef coin(): ...\n',
        "service/fastapi/__init__.py": "class FastAPI:\n    def get(self, path): ...\n",
    }
    paths = "/coins: {get: {responses: {'200': {description: ok}}}}"
    assert judged(tmp_path, files, paths).verified == 0
