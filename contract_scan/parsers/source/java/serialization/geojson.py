"""The classes of geojson-jackson (`org.geojson`), as the annotations on them have Jackson write
them: `type` names the class, and `crs`, `bbox` and `id` are left out where they are null
(https://github.com/opendatalab-de/geojson-jackson)."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse

PACKAGE = "org.geojson"
_NUMBER = Scalar(type="number", format="double")
_POSITION = Array(items=_NUMBER)
_LINE = Array(items=_POSITION)
_COORDINATES: dict[str, Schema] = {
    "Point": _POSITION,
    "MultiPoint": _LINE,
    "LineString": _LINE,
    "MultiLineString": Array(items=_LINE),
    "Polygon": Array(items=_LINE),
    "MultiPolygon": Array(items=Array(items=_LINE)),
}
_NAMES = (*_COORDINATES, "GeometryCollection", "Feature", "FeatureCollection")
_VALUES = Object(additional=Unknown(reason=Reason("declared-as-quoted-type", simple="Object")))


def geojson_type(use: TypeUse) -> Schema | None:
    """The shape of a class of the library; None for those that are no GeoJSON."""
    shape = _shape(use.simple_name)
    return None if shape is None else replace(shape, origin=use.origin)


def _shape(name: str) -> Schema | None:
    match name:
        case "LngLatAlt":
            return _POSITION
        case "Crs":
            kind = Scalar(type="string", values=("name", "link"))
            return Object(name=name, fields=(_field("type", kind), _field("properties", _VALUES)))
        case "GeoJsonObject" | "Geometry":
            return _any_of_them()
        case "GeometryCollection":
            return _object(name, _field("geometries", Array(items=_any_of_them())))
        case "Feature":
            geometry = replace(_any_of_them(), nullable=None)
            own = (_field("properties", _VALUES), _field("geometry", geometry))
            return _object(name, *own, _unless_null("id", Scalar(type="string")))
        case "FeatureCollection":
            return _object(name, _field("features", Array(items=_shape("Feature") or _VALUES)))
        case _ if name in _COORDINATES:
            return _object(name, _field("coordinates", _COORDINATES[name]))
        case _:
            return None


def _any_of_them() -> Object:
    """A value that is declared as the base of all: its class decides what else it has."""
    reason = Reason("declared-as-quoted-type", simple="GeoJsonObject")
    return replace(_object("GeoJsonObject"), incomplete_reason=reason)


def _object(name: str, *fields: Field) -> Object:
    values = (name,) if name in _NAMES else _NAMES
    tag = Field(name="type", schema=Scalar(type="string", values=values))
    crs = _shape("Crs") or _VALUES
    common = (_unless_null("crs", crs), _unless_null("bbox", _POSITION))
    return Object(name=name, fields=(tag, *common, *fields))


def _field(name: str, schema: Schema) -> Field:
    return Field(name=name, schema=schema, has_default=True)


def _unless_null(name: str, schema: Schema) -> Field:
    return Field(
        name=name,
        schema=schema,
        required=None,
        omitted_if_null=True,
        has_default=True,
        undetermined_reason=Reason(
            "property-written-conditionally",
            name="GeoJsonObject",
            property=name,
            annotation="JsonInclude",
        ),
    )
