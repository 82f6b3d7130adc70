"""What methods that validate objects refuse: pydantic, marshmallow, DRF, dataclasses and attrs."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.parsers.source.analysis.domain.values import ClassValue
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.python.serialization.modes import LOAD
from tests.parsers.source.python.project import project, shape

V2 = "from pydantic import BaseModel, Field, field_validator, model_validator\n"
V1 = "from typing import Optional\nfrom pydantic import BaseModel, root_validator, validator\n"
DRF = "from rest_framework import serializers\nfrom rest_framework.serializers import *\n"
MARSHMALLOW = (
    "from marshmallow import Schema, ValidationError, fields, validates, validates_schema\n"
)


def request_shape(root: Path, head: str, source: str) -> str:
    """What the class `Model` takes."""
    program = project(root, {"app.py": head + dedent(source)})
    found = program.names.lookup("Model", program.module_scope(program.facts("app.py")))
    assert isinstance(found, ClassValue)
    scope = program.class_scope(found.symbol)
    return shape(program, program.schema(NamedType("Model"), scope, LOAD))


CODES = """
class Model(BaseModel):
    kind: str
    a: str | None = None
    b: str | None = None

    @model_validator(mode="after")
    def check(self):
"""


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("if self.a is None and self.b is None: raise ValueError", "a~: string~, b~: string~"),
        ("if self.kind == 'x' and not self.a: raise ValueError", "a~: string~, b=: string?"),
        ("if not any((self.a, self.b)): raise ValueError", "a~: string~, b~: string~"),
        ("given = [x for x in (self.a, self.b) if x]\n        if not given: raise ValueError",
         "a~: string~, b~: string~"),
        ("if not self.model_dump(): raise ValueError", "a~: string~, b~: string~"),
        ("assert self.a or self.b", "a~: string~, b~: string~"),
        ("if self.kind != 'x': return self\n        if not self.a: raise ValueError",
         "a~: string~, b=: string?"),
        ("try: parse(self.a)\n        except TypeError: raise ValueError",
         "a~: string~, b=: string?"),
    ],
)  # fmt: skip
def test_what_other_members_decide_is_undetermined(tmp_path: Path, body: str, fields: str) -> None:
    source = f"{CODES}        {body}\n        return self\n"
    assert request_shape(tmp_path, V2, source) == f"{{kind: string, {fields}}}"


@pytest.mark.parametrize(
    "body",
    [
        "if self.a is None: raise ValueError",
        "a = self.a\n        if not a: raise ValueError",
        "if self.a: return self\n        raise ValueError",
        "if getattr(self, 'a', None) is None: raise ValueError",
        "assert self.a is not None",
        "print(self.a.upper())",
        "self._need()",
        "need(self.a)",
    ],
)
def test_a_member_without_which_an_error_is_raised_for_certain_is_required(
    tmp_path: Path, body: str
) -> None:
    source = f"""{CODES}        {body}
        return self

    def _need(self):
        if self.a is None:
            raise ValueError


def need(value):
    if value is None:
        raise ValueError
"""
    assert request_shape(tmp_path, V2, source) == "{kind: string, a: string, b=: string?}"


@pytest.mark.parametrize(
    "body",
    [
        "if self.kind not in ('x', 'y'): raise ValueError",
        "if self.a is not None and self.a < 'x': raise ValueError",
        "if self.a and self.b: raise ValueError",
        "if self.a or self.kind == 'x': raise ValueError",
        "if self.a and len(self.a) > 20: raise ValueError",
        "self.a = self.a or 'x'",
        "self._note(self.a)",
        "if self.kind == 'x': raise ValueError\n        return self.merged(self.a)",
    ],
)
def test_checks_of_values_leave_the_members_optional(tmp_path: Path, body: str) -> None:
    source = f"""{CODES}        {body}
        return self

    def _note(self, value):
        print(value)
"""
    assert request_shape(tmp_path, V2, source) == "{kind: string, a=: string?, b=: string?}"


def test_what_stands_in_the_place_of_a_member_decides(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            limit: int = 10
            step: int = Field(0)
            tags: list[str] = []
            names: list[str] = Field(default_factory=list)
            @model_validator(mode="after")
            def check(self):
                if self.limit > 100 or len(self.tags) > 5:
                    raise ValueError
                for tag in self.tags:
                    if not tag:
                        raise ValueError
                if self.step < 1 or not self.names:
                    raise ValueError
                return self
        """
    assert request_shape(tmp_path, V2, source) == (
        "{limit=: integer, step: integer, tags=: [string], names: [string]}"
    )


def test_input_that_is_seen_before_the_types_lacks_its_keys(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: str | None = None
            b: str = "x"
            c: int = 3
            d: int = Field(4, alias="dd")
            e: int = 5
            @model_validator(mode="before")
            @classmethod
            def check(cls, values):
                if not isinstance(values, dict):
                    return values
                if "a" not in values:
                    raise ValueError
                if values.get("b", None) is None and values["c"] > 2:
                    raise ValueError
                print(values["dd"])
                values = dict(values)
                values["e"] = values.get("e") or 6
                return values
        """
    assert request_shape(tmp_path, V2, source) == (
        "{a: string?, b~: string, c~: integer, dd: integer, e=: integer}"
    )


def test_a_key_that_is_set_first_is_not_lacking_afterwards(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            a: str | None = None
            b: str | None = None
            c: str | None = None
            d: str | None = None
            e: str | None = None
            f: str | None = None
            @model_validator(mode="before")
            @classmethod
            def check(cls, values):
                values.setdefault("a", "x")
                values["a"].strip()
                values["b"].strip()
                values.setdefault("b", "x")
                if "c" not in values:
                    values["c"] = "x"
                print(values["c"])
                values["d"] = None
                values["d"].strip()
                if other():
                    values["e"] = "x"
                values["e"].strip()
                values.setdefault("g", "x")
                values["f"].strip()
                return values
        """
    assert request_shape(tmp_path, V2, source) == (
        "{a=: string, b: string, c~: string?, d: string?, e~: string?, f: string}"
    )


def test_validators_of_fields_see_null_and_defaults_where_they_are_told_to(tmp_path: Path) -> None:
    source = """
        class Model(BaseModel):
            start: bool | None = None
            name: str | None = None
            code: str | None = Field(None, validate_default=True)
            number: int | None = None
            note: str | None = None
            level: str = Field("LOW", validate_default=True)
            @field_validator("level")
            @classmethod
            def check_level(cls, value):
                if value.lower() not in ("low", "high"):
                    raise ValueError
                return value
            @field_validator("name")
            @classmethod
            def check_name(cls, value, info):
                if info.data.get("start") is None and value is None:
                    raise ValueError
                return value
            @field_validator("code", "number")
            @classmethod
            def check_code(cls, value):
                if not value:
                    raise ValueError
                return value
            @field_validator("note")
            @classmethod
            def strip(cls, value):
                return value.strip() if value else value
        """
    assert request_shape(tmp_path, V2, source) == (
        "{start~: boolean~, name=: string~, code: string, number=: integer, note=: string?, "
        "level=: string}"
    )


def test_version_1_of_pydantic(tmp_path: Path) -> None:
    source = """
        class Base(BaseModel):
            a: Optional[str]
            b: Optional[str]
            @root_validator
            def check(cls, values):
                if values.get("a") is None:
                    raise ValueError
                return values
        class Model(Base):
            c: Optional[str]
            d: Optional[str]
            @root_validator(pre=True)
            def check_early(cls, values):
                if not values.get("b") and not values.get("c"):
                    raise ValueError
                return values
            @validator("d", always=True)
            def check_d(cls, value, values):
                if value is None and values["b"] is None:
                    raise ValueError
                return value
        """
    assert (
        request_shape(tmp_path, V1, source) == "{a: string, b~: string~, c~: string~, d~: string~}"
    )


def test_a_method_hides_that_of_a_base(tmp_path: Path) -> None:
    source = """
        class Base(BaseModel):
            a: str | None = None
            @model_validator(mode="after")
            def check(self):
                if self.a is None:
                    raise ValueError
                return self
        class Model(Base):
            @model_validator(mode="after")
            def check(self):
                return self
        """
    assert request_shape(tmp_path, V2, source) == "{a=: string?}"


def test_marshmallow(tmp_path: Path) -> None:
    source = """
        class Model(Schema):
            a = fields.Str()
            b = fields.Str(allow_none=True)
            c = fields.Int(load_default=3)
            d = fields.Int()
            @validates_schema
            def check(self, data, **kwargs):
                if not data.get("a"):
                    raise ValidationError("a")
                if "d" in data and data["d"] > data["c"]:
                    raise ValidationError("d")
            @validates("b")
            def check_b(self, value, **kwargs):
                if not value:
                    raise ValidationError("b")
        """
    assert request_shape(tmp_path, MARSHMALLOW, source) == (
        "{a: string, b=: string, c~: integer, d=: integer}"
    )


def test_serializers_of_django_rest_framework(tmp_path: Path) -> None:
    source = """
        class Model(serializers.Serializer):
            a = serializers.CharField(required=False)
            b = serializers.CharField(required=False, allow_null=True)
            c = serializers.IntegerField(default=3)
            d = serializers.IntegerField(required=False, source="other")
            e = serializers.IntegerField(required=False)
            def validate(self, attrs):
                attrs = super().validate(attrs)
                if not attrs.get("a") and not attrs.get("b"):
                    raise ValidationError("a")
                if attrs["other"] > 4 or attrs["c"] > 4:
                    raise ValidationError("d")
                if "e" in attrs and attrs["e"] > 2:
                    raise ValidationError("e")
                return attrs
            def validate_b(self, value):
                if value is None:
                    raise ValidationError("b")
                return value
        """
    assert request_shape(tmp_path, DRF, source) == (
        "{a~: string, b~: string, c=: integer, d: integer, e=: integer}"
    )


def test_dataclasses_and_attrs(tmp_path: Path) -> None:
    of_dataclass = """
        from dataclasses import dataclass, field
        @dataclass
        class Model:
            kind: str
            a: str | None = None
            b: str | None = None
            c: list[str] = field(default_factory=list)
            def __post_init__(self):
                if self.a is None:
                    raise ValueError
                if self.kind == "x" and not self.b:
                    raise ValueError
                self.c = sorted(self.c)
        """
    of_attrs = """
        import attr
        @attr.s
        class Model:
            kind: str = attr.ib()
            a: str | None = attr.ib(default=None)
            @a.validator
            def check(self, attribute, value):
                if value is None and self.kind:
                    raise ValueError
        """
    assert request_shape(tmp_path / "dataclass", "", of_dataclass) == (
        "{kind: string, a: string, b~: string~, c=: [string]}"
    )
    assert request_shape(tmp_path / "attrs", "", of_attrs) == "{kind: string, a~: string~}"
