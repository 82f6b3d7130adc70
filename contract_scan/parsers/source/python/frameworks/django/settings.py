"""Django's settings: `settings.API_VERSION` is what the project's settings module gives that name.

The module is the one that the code itself names as `DJANGO_SETTINGS_MODULE`; a setting that another
module beside it sets otherwise depends on the deployment, and stays undetermined.
https://docs.djangoproject.com/en/stable/topics/settings/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, LibrarySymbol, Value
from contract_scan.parsers.source.facts.nodes import Import, Name
from contract_scan.parsers.source.python.resolution.modules import find_module
from contract_scan.parsers.source.python.serialization.drf.settings import settings_given

_VARIABLE = b"DJANGO_SETTINGS_MODULE"
_NAMED = re.compile(rb"DJANGO_SETTINGS_MODULE[\"']\]?\s*[,=]\s*[\"']([\w.]+)[\"']")


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """`settings.NAME`, where it is a text or a number in all settings modules that give it."""
    if not isinstance(value, LibrarySymbol) or value.name != "django.conf.settings":
        return None
    paths = (*_modules(program), *_other_settings_modules(program, name))
    given = [value for path in paths for value in _values_in(program, path, name)]
    first = next(iter(given), None)
    if not isinstance(first, Constant) or isinstance(first.value, bool | None):
        return None
    is_one = all(isinstance(one, Constant) and one.value == first.value for one in given)
    return first if is_one else None


def _values_in(program: Program, path: str, name: str) -> list[Value]:
    """What a module gives a name, be it by a star import, or classes in it."""
    of_classes = program.names.modules.variable(program.facts(path), name) is None
    found = settings_given(program, path, name) if of_classes else []
    return found or [program.evaluate(Name(name), program.module_scope(program.facts(path)))]


@memoised
def _modules(program: Program) -> tuple[str, ...]:
    """The settings modules that the code names."""
    found: dict[str, None] = {}
    for path in program.files_containing(_VARIABLE):
        for module in program.files.find(path, _NAMED):
            target = find_module(program.files, path, Import(module=module.decode()))
            if target is not None:
                found[target] = None
    return tuple(found)


def _other_settings_modules(program: Program, name: str) -> Iterator[str]:
    """Other modules in the folders of settings that give a name another value themselves; not those
    that read settings."""
    known = {*_modules(program), *program.files_containing(b"django.conf import settings")}
    folders = {PurePosixPath(path).parent for path in _modules(program)}
    for path in program.files_with_word(name):
        if path not in known and PurePosixPath(path).parent in folders:
            file = program.facts(path)
            if program.names.modules.variable(file, name) is not None:
                yield path
