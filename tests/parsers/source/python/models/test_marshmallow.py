"""marshmallow schemas: fields, options, hooks, what comes from SQLAlchemy models."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.parsers.source.analysis.domain.values import ClassValue, Instance
from contract_scan.parsers.source.python.serialization.marshmallow.schemas import (
    dump_schema,
    load_schema,
)
from tests.parsers.source.python.project import operations, project, shape

HEAD = """
from enum import Enum
from marshmallow import EXCLUDE, Schema, fields, post_dump, pre_load, validate
"""


def both(root: Path, source: str, name: str = "Model", **others: str) -> list[str]:
    """What a schema value sends, and what it accepts."""
    files = {"app.py": HEAD + dedent(source)} | {f"{k}.py": v for k, v in others.items()}
    program = project(root, files)
    scope = program.module_scope(program.facts("app.py"))
    value = program.names.lookup(name, scope)
    assert isinstance(value, ClassValue | Instance)
    return [
        shape(program, dump_schema(program, value)),
        shape(program, load_schema(program, value)),
    ]


def test_field_classes(tmp_path: Path) -> None:
    source = """
        class Color(Enum):
            RED = "red"
            BLUE = "blue"
        class Model(Schema):
            a = fields.Str(required=True)
            b = fields.Integer(allow_none=True, required=True)
            c = fields.DateTime(format="timestamp", required=True)
            d = fields.Decimal(required=True)
            e = fields.List(fields.Url, required=True)
            f = fields.Dict(keys=fields.Str(), values=fields.Float(), required=True)
            g = fields.Enum(Color, required=True)
            h = fields.Enum(Color, by_value=True, required=True)
            i = fields.Str(validate=validate.OneOf(["x", "y"]), required=True)
            j = fields.Raw(required=True)
            k = fields.Method("make_k")
            l = fields.Function(lambda obj: len(obj.name))
            m = fields.Constant("fixed", required=True)
            def make_k(self, obj) -> bool: ...
        """
    dumped, _ = both(tmp_path, source)
    assert dumped == (
        "{a: string, b: integer~, c: number, d: string:decimal, e: [string:uri], f: {*: number}, "
        "g: string['RED', 'BLUE'], h: string['red', 'blue'], i: string['x', 'y'], "
        "j: unknown: a field of class `Raw` may be anything, k= (read): boolean, "
        "l= (read): integer, m: string['fixed']}"
    )


def test_names_and_directions(tmp_path: Path) -> None:
    source = """
        class Base(Schema):
            id = fields.Int(dump_only=True)
            dropped = fields.Int()
        class Model(Base):
            name = fields.Str(data_key="fullName", required=True)
            secret = fields.Str(load_only=True)
            size = fields.Int(load_default=None)
            created = fields.Str()
            class Meta:
                exclude = ("dropped",)
                dump_only = ("created",)
        """
    assert both(tmp_path, source) == [
        "{id= (read): integer, fullName: string, size=: integer~, created= (read): string}",
        "{fullName: string, secret= (write): string, size=: integer?}",
    ]


def test_names_made_while_binding(tmp_path: Path) -> None:
    source = """
        def camelcase(s):
            parts = iter(s.split("_"))
            return next(parts) + "".join(i.title() for i in parts)
        def camel(s):
            first, *rest = s.split("_")
            return first + "".join(word.title() for word in rest)
        class Base(Schema):
            def on_bind_field(self, field_name, field_obj):
                field_obj.data_key = camel(field_obj.data_key or field_name)
        class Model(Base):
            order_id = fields.Int(required=True)
        class Unread(Schema):
            order_id = fields.Int(required=True)
            def on_bind_field(self, field_name, field_obj):
                field_obj.data_key = camelcase(field_name)
        """
    assert both(tmp_path, source) == ["{orderId: integer}"] * 2
    assert (
        both(tmp_path / "2", source, "Unread")
        == ["unknown: `Unread` renames its fields in a way that cannot be read"] * 2
    )


def test_nested_schemas_with_selections(tmp_path: Path) -> None:
    source = """
        class Owner(Schema):
            id = fields.Int(required=True)
            name = fields.Str(required=True)
            mail = fields.Email(required=True)
        class Model(Schema):
            owner = fields.Nested(Owner, only=("id", "name"), required=True)
            owners = fields.Nested(Owner(exclude=["mail"], many=True), required=True)
            late = fields.Nested(lambda: Owner(only=("id",)), required=True)
            named = fields.List(fields.Nested("Owner"), required=True)
            parent = fields.Nested("self", only=("late",), required=True)
            ids = fields.Pluck(Owner, "id", many=True, required=True)
        chosen = Model(only=("owner.id", "ids"))
        """
    assert both(tmp_path, source)[0] == (
        "{owner: {id: integer, name: string}, owners: [{id: integer, name: string}], "
        "late: {id: integer}, named: [{id: integer, name: string, mail: string:email}], "
        "parent: {late: {id: integer}}, ids: [integer]}"
    )
    assert both(tmp_path / "2", source, "chosen")[0] == "{owner: {id: integer}, ids: [integer]}"


def test_hooks_wrap_what_is_sent_and_unwrap_what_is_accepted(tmp_path: Path) -> None:
    source = """
        class Model(Schema):
            name = fields.Str(required=True)
            size = fields.Int(required=True)
            @pre_load
            def take(self, data, **kwargs):
                data = data["order"]
                return data
            @post_dump
            def put(self, data, **kwargs):
                del_size = data.pop("size")
                data["label"] = "x" + data["name"]
                return {"order": data}
        """
    assert both(tmp_path, source) == [
        "{order: {name: string, label: string}}",
        "{order: {name: string, size: integer}}",
    ]


def test_partial_and_many_instances(tmp_path: Path) -> None:
    source = """
        class One(Schema):
            name = fields.Str(required=True)
        Model = One(many=True, partial=True)
        """
    assert both(tmp_path, source) == ["[{name=: string}]"] * 2


@pytest.mark.parametrize(
    ("arguments", "taken"),
    [
        ("", "{name: string}"),
        (", partial=False", "{name: string}"),
        (", partial=True", "{name=: string}"),
        (', partial=request.method == "PATCH"', "{name=: string}"),
        (", many=True", "[{name: string}]"),
        (", many=False", "{name: string}"),
        (", many=None", "{name: string}"),
        (", many=True, partial=True", "[{name=: string}]"),
        (", many=request.is_json", "unknown: the view reads the request itself"),
    ],
)
def test_what_a_view_loads_may_be_a_part_or_a_list(
    tmp_path: Path, arguments: str, taken: str
) -> None:
    source = f"""
from flask import Flask, request
app = Flask(__name__)
class Order(Schema):
    name = fields.Str(required=True)
@app.patch("/orders")
def change():
    loaded = Order().load(request.get_json(){arguments})
    return loaded
"""
    program = project(tmp_path, {"app.py": HEAD + source})
    [operation] = operations(program, "Flask")
    assert [shape(program, body.schema) for body in operation.request] == [taken]


def test_fields_from_sqlalchemy_models(tmp_path: Path) -> None:
    source = """
        from flask_sqlalchemy import SQLAlchemy
        from marshmallow_sqlalchemy import SQLAlchemyAutoSchema, auto_field
        db = SQLAlchemy()
        class Order(db.Model):
            id = db.Column(db.Integer, primary_key=True)
            name = db.Column(db.String(20), nullable=False)
            price = db.Column(db.Numeric)
            state = db.Column(db.Enum("open", "done"), default="open", nullable=False)
            owner_id = db.Column(db.Integer, db.ForeignKey("owner.id"))
        class Model(SQLAlchemyAutoSchema):
            class Meta:
                model = Order
                exclude = ("price",)
            label = auto_field("name", data_key="title")
        """
    assert both(tmp_path, source)[0] == (
        "{id=: integer, name: string, state=: string['open', 'done'], title: string}"
    )


def test_field_classes_of_the_project(tmp_path: Path) -> None:
    source = """
        class Upper(fields.Str):
            pass
        class Issuer(fields.Field):
            def _deserialize(self, value, attr, data, **kwargs):
                return super()._deserialize(value, attr, data, **kwargs)
        class Masked(fields.Str):
            def _serialize(self, value, attr, obj, **kwargs) -> int:
                return len(value)
        class Model(Schema):
            a = Upper(required=True)
            b = Issuer(required=True)
            c = Masked(required=True, data_key="see")
            d = fields.List(Upper(), required=True)
    """
    assert both(tmp_path, source) == [
        "{a: string, b: unknown: a field of class `Field` may be anything, see: integer, "
        "d: [string]}",
        "{a: string, b: unknown: `Issuer._deserialize` decides what is read, see: string, "
        "d: [string]}",
    ]


def test_fields_that_libraries_derive(tmp_path: Path) -> None:
    """Of a library that is not known, nothing says whether a call makes a field."""
    source = """
        import logging
        from somelib import other, Trimmed
        from xivo.mallow import fields as derived
        class Upper(other.fields.Str):
            pass
        class Plain:
            pass
        class Model(Schema):
            a = derived.Str(required=True)
            b = Trimmed(required=True, data_key="bee")
            c = Upper(dump_only=True)
            d = made_somewhere()
            logger = logging.getLogger()
            limits = validate.Length(max=3)
            plain = Plain()
            number = 3
    """
    unknown = "unknown: nothing says what the class of the field `%s` writes"
    b, c, d = (f": {unknown % name}" for name in "bcd")
    assert both(tmp_path, source) == [
        f"{{a: string, bee~{b}, c~= (read){c}, d~={d}}}",
        f"{{a: string, bee~{b}, d~={d}}}",
    ]


def test_schemas_that_libraries_derive(tmp_path: Path) -> None:
    """Which fields those of others have is not known; a hook that gives an empty object in place of
    null hands its data on."""
    source = """
        from xivo import mallow_helpers
        from somelib import Mixin
        Base = mallow_helpers.Schema
        class Plain(Base):
            a = fields.Str(required=True)
            @pre_load
            def ensure_dict(self, data, **kwargs):
                return data or {}
        class Listing(mallow_helpers.ListSchema):
            a = fields.Str(required=True)
        class Mixed(Mixin, Schema):
            a = fields.Str(required=True)
    """
    assert both(tmp_path / "plain", source, "Plain") == ["{a: string}", "{a: string}"]
    for name, base in (("Listing", "ListSchema"), ("Mixed", "Mixin")):
        sent = f"{{a: string, ... the fields of `{base}` are not known}}"
        assert both(tmp_path / name, source, name) == [sent, sent]


@pytest.mark.parametrize(
    ("body", "taken"),
    [
        ("print(len(data), data.get('a'))", "{a: string, b: integer}"),
        ("data['a'] = str(data['a'])", "{a~=: %s, b: integer}"),
        ("data.setdefault('b', 1)", "{a: string, b~=: %s}"),
        ("del data['a']", "{a~=: %s, b: integer}"),
        ("data.update(a=1)", "%s"),
        ("change(data)", "%s"),
        ("data[name] = 1", "%s"),
        ("inner = data['a']\n    inner['x'] = 1", "%s"),
    ],
)
def test_keys_that_a_hook_changes_before_it_hands_its_data_on(
    tmp_path: Path, body: str, taken: str
) -> None:
    source = f"""
class Model(Schema):
    a = fields.Str(required=True)
    b = fields.Int(required=True)
    @pre_load
    def fill(self, data, **kwargs):
        {body.replace("    ", "        ")}
        return data
"""
    _, loaded = both(tmp_path, source)
    why = "unknown: what the hook `fill` makes of its input is undetermined"
    assert loaded == (taken % why if "%s" in taken else taken)
