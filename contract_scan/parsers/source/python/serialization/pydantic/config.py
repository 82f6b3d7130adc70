"""Configuration of pydantic models, and the names it gives fields on the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Nothing,
    Schema,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Argument, Expr, ObjectLiteral
from contract_scan.parsers.source.python.serialization.fields import (
    call_arguments,
    is_null,
    is_true,
    positional,
)
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase
from contract_scan.parsers.source.python.serialization.modes import BY_NAME, flags
from contract_scan.parsers.source.python.serialization.naming import STATED, Renamer, renamer

_CAMEL_BASES = frozenset({"fastapi_utils.api_model.APIModel", "fastapi_camelcase.CamelModel"})


class Setting(Struct, frozen=True, eq=False):
    """One configuration value, as written and as evaluated."""

    value: Value
    expr: Expr | None = None
    scope: Scope | None = None


class Spec(Struct, frozen=True, kw_only=True, eq=False):
    """What `Field(…)` and the default say of one field."""

    alias: str | None = None
    serialization_alias: str | None = None
    validation_aliases: tuple[str, ...] | None = None
    """None: not given."""
    unclear: str = ""
    """Why a name could not be read."""
    exclude: bool = False
    has_default: bool = False
    is_required: bool = False
    """An ellipsis stands where the default would."""
    null_default: bool = False
    discriminator: str = ""


def settings_of(program: Program, symbol: ClassSymbol) -> dict[str, Setting]:
    """The configuration of a model, that of nearer classes over that of farther ones."""
    merged: dict[str, Setting] = {}
    for owner in reversed([symbol, *program.bases(symbol)]):
        scope = program.class_scope(owner)
        for nested in owner.decl.classes:
            if nested.name == "Config":
                inner = ClassSymbol(nested, owner.file, (*owner.outer, owner.decl.name))
                merged.update(_config_class(program, inner))
        for member in owner.decl.members:
            if member.name == "model_config" and member.value is not None:
                merged.update(_config_value(program, member.value, scope))
        merged.update(_config_arguments(program, owner.decl.keywords, scope))
    return merged


def _config_class(program: Program, config: ClassSymbol) -> Iterator[tuple[str, Setting]]:
    for owner in reversed([config, *program.bases(config)]):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.value is not None:
                value = program.evaluate(member.value, scope)
                yield member.name, Setting(value, member.value, scope)
        for method in owner.decl.methods:
            yield method.name, Setting(FunctionValue(method, scope))


def _config_value(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[str, Setting]]:
    """`ConfigDict(…)`, a dict display, or a name for one."""
    value = program.evaluate(expr, scope)
    match value:
        case LibraryResult(site=site, scope=inside):
            yield from _config_arguments(program, site.args, inside)
        case Record(entries=entries):
            written = (
                {entry.key: entry.value for entry in expr.entries if entry.key}
                if isinstance(expr, ObjectLiteral)
                else {}
            )
            for item in entries:
                yield item.name, Setting(item.value, written.get(item.name), scope)
        case _:
            return


def _config_arguments(
    program: Program, args: tuple[Argument, ...], scope: Scope
) -> Iterator[tuple[str, Setting]]:
    for argument in args:
        if argument.spread == "**":
            yield from _config_value(program, argument.value, scope)
        elif argument.name and argument.name != "metaclass":
            value = program.evaluate(argument.value, scope)
            yield argument.name, Setting(value, argument.value, scope)


def additional(settings: dict[str, Setting]) -> Schema | None:
    """What is said of keys that are no fields."""
    extra = settings.get("extra")
    match extra.value if extra is not None else None:
        case Constant(value="forbid"):
            return Nothing()
        case Constant(value="allow"):
            return Anything(nullable=True)
        case LibrarySymbol(name=name) if name.endswith("Extra.forbid"):
            return Nothing()
        case LibrarySymbol(name=name) if name.endswith("Extra.allow"):
            return Anything(nullable=True)
        case _:
            return None


class FieldNaming:
    """How field names of one model become names on the wire."""

    def __init__(
        self,
        program: Program,
        settings: dict[str, Setting],
        bases: tuple[LibraryBase, ...],
        major: int,
        variant: str,
        stated: str,
    ) -> None:
        """`stated` is what the project says of names that the code does not tell."""
        self.unclear = ""
        self._stated = STATED.get(stated)
        self.settings = settings
        self.encoders: Mapping[str, Schema] = {}
        """Formats that the model writes, or reads, in its own way."""
        self._program = program
        self._major = major
        self._by_name = BY_NAME in flags(variant)
        self._by_name_accepted = any(
            name in settings and is_true(settings[name].value)
            for name in ("populate_by_name", "allow_population_by_field_name", "validate_by_name")
        )
        self._sent: Renamer | None = None
        self._accepted: Renamer | None = None
        generator = settings.get("alias_generator")
        if generator is not None:
            self._read_generator(generator.value)
        elif any(base.name in _CAMEL_BASES for base in bases):
            self._read_generator(LibrarySymbol("humps.camelize"))
            self._by_name_accepted = True

    def _read_generator(self, value: Value) -> None:
        if is_null(value):
            return
        if isinstance(value, LibraryResult) and value.name.endswith("AliasGenerator"):
            arguments = call_arguments(value)
            first = positional(value)
            common = arguments.get("alias", first)
            self._accepted = self._part(arguments.get("validation_alias", common), value.scope)
            self._sent = self._part(arguments.get("serialization_alias", common), value.scope)
            return
        found = self._renamer(value)
        if found is None:
            self.unclear = Reason("alias-generator-not-read")
        self._sent = self._accepted = found

    def _part(self, expr: Expr | None, scope: Scope) -> Renamer | None:
        if expr is None:
            return None
        found = self._renamer(self._program.evaluate(expr, scope))
        if found is None:
            self.unclear = Reason("alias-generator-not-read")
        return found

    def _renamer(self, value: Value) -> Renamer | None:
        read, stated = renamer(self._program, value), self._stated
        if read is None or stated is None:
            return read or stated
        return lambda name: read(name) or stated(name)

    def of_config(self, name: str) -> str | None:
        """The alias that version 1's `Config.fields` gives."""
        fields = self.settings.get("fields")
        if fields is None or not isinstance(fields.value, Record):
            return None
        for entry in fields.value.entries:
            if entry.name != name:
                continue
            if isinstance(entry.value, Record):
                aliases = [e.value for e in entry.value.entries if e.name == "alias"]
                return self._program.evaluator.text(aliases[0]) if aliases else None
            return self._program.evaluator.text(entry.value)
        return None

    @property
    def by_alias(self) -> bool:
        """Whether aliases are written without a call that asks for them: by the model's own
        configuration, and by FastAPI, as `response_model_by_alias` is true unless it is set. Of
        `dict`, `json`, `model_dump` and `model_dump_json`, `by_alias` is false.
        https://docs.pydantic.dev/latest/concepts/alias/#using-alias-with-serialization"""
        own = self.settings.get("serialize_by_alias")
        if own is not None:
            return is_true(own.value)
        return self._program.any_file_contains(b"from fastapi", b"import fastapi")

    @property
    def renames(self) -> bool:
        """Whether names are generated."""
        return self._sent is not None and not self._by_name

    def output_name(self, name: str, spec: Spec) -> str | None:
        """The name in the output; None if it is undetermined."""
        if self._by_name:
            return name
        for explicit in (spec.serialization_alias, spec.alias, self.of_config(name)):
            if explicit is not None:
                return explicit
        return self._sent(name) if self._sent is not None else name

    def input_names(self, name: str, spec: Spec) -> tuple[str, ...]:
        """The names that input may have."""
        aliases = spec.validation_aliases
        if aliases is None:
            explicit = spec.alias if spec.alias is not None else self.of_config(name)
            if explicit is None and self._accepted is not None:
                explicit = self._accepted(name)
            aliases = (name if explicit is None else explicit,)
        if self._by_name_accepted and name not in aliases:
            aliases = (*aliases, name)
        return aliases
