"""The prefix that a router or a blueprint was made with, where code asks for it again."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, LibraryResult, Value


def _constructor_argument(
    program: Program, value: Value, made_by: tuple[str, ...], name: str, absent: str | None
) -> Value | None:
    if not isinstance(value, LibraryResult) or not value.name.rpartition(".")[2].endswith(made_by):
        return None
    for argument in value.site.args:
        if argument.spread:
            return None
        if argument.name == name:
            return program.evaluate(argument.value, value.scope)
    return Constant(absent)


def _of_blueprint(program: Program, value: Value) -> Value | None:
    """`orders.url_prefix` of `orders = Blueprint("orders", __name__, url_prefix="/orders")`."""
    return _constructor_argument(program, value, ("Blueprint",), "url_prefix", None)


def _of_router(program: Program, value: Value) -> Value | None:
    """`orders.prefix` of `orders = APIRouter(prefix="/orders")`."""
    return _constructor_argument(program, value, ("APIRouter",), "prefix", "")


PROPERTIES: dict[str, Callable[[Program, Value], Value | None]] = {
    "url_prefix": _of_blueprint,
    "prefix": _of_router,
}
