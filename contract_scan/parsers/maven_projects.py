"""What a `pom.xml` says together with its parents: the properties its settings are written with.

Maven merges a project with its parents first and replaces `${…}` afterwards, so that a property of
a parent that speaks of `${project.basedir}` means the folder of the project
(https://maven.apache.org/pom.html, "Inheritance" and "Properties"). Parents are followed as far as
they stand below the root. What a profile sets counts where Maven takes it unasked
(`activeByDefault`), or where nothing else sets it and all profiles that do agree.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from contract_scan.parsers.generators_of_builds import without_comments

_TAG = re.compile(r"<(/?)([\w:.-]{1,100}+)([^<>]*+)>")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_PROFILE = re.compile(r"<profile>([^<]*+(?>(?:<(?!/?profile>)[^<]*+)*))</profile>")
_VARIABLE = re.compile(r"\$\{([^${}]{1,100})\}")
_MAX_PARENTS = 20
_MAX_REPLACEMENTS = 20
_MAX_TEXT = 2_000
_MAX_DEPTH = 50
_OWN = ("groupId", "artifactId", "version", "name")
"""What `${project.…}` gives of a project's own elements."""
_DEFAULT_PARENT = "../pom.xml"


def maven_properties(path: str, read: Callable[[str], bytes | None]) -> dict[str, str]:
    """The properties of the project of a `pom.xml`, by their names. Those that stand for folders
    (`project.basedir`) are relative to the folder of that file. `read` gives the content of a file,
    None where it cannot be had."""
    chain = list(_with_parents(path, read))
    folder = posixpath.dirname(path)
    values: dict[str, str] = {}
    for _, elements, profiles in reversed(chain):
        values.update(_properties(elements))
        for name, value in _of_profiles(profiles, values):
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
    for at, (file, elements, _) in enumerate(chain[:2]):
        start = "project.parent." if at else "project."
        values[f"{start}basedir"] = posixpath.relpath(posixpath.dirname(file) or ".", folder or ".")
        for name in _OWN:
            own = elements.get(f"project/{name}") or elements.get(f"project/parent/{name}")
            if own:
                values[f"{start}{name}"] = own
    top = posixpath.dirname(chain[-1][0]) if chain else folder
    values["basedir"] = values["pom.basedir"] = values["project.basedir"] = "."
    for name in ("maven.multiModuleProjectDirectory", "session.executionRootDirectory"):
        values[name] = posixpath.relpath(top or ".", folder or ".")
    return values


def expand(text: str, values: Mapping[str, str]) -> str:
    """A text with its properties replaced; one of which nothing is known stays."""
    at = 0
    for _ in range(_MAX_REPLACEMENTS):
        found = _VARIABLE.search(text, at)
        if found is None or len(text) > _MAX_TEXT:
            break
        value = values.get(found[1].strip())
        if value is None:
            at = found.end()
        else:
            text = text[: found.start()] + value + text[found.end() :]
            at = 0
    return text


def _with_parents(
    path: str, read: Callable[[str], bytes | None]
) -> Iterator[tuple[str, dict[str, str], list[dict[str, str]]]]:
    """A project and its parents: file, the texts of elements by their paths, those of profiles."""
    wanted = ""
    for _ in range(_MAX_PARENTS):
        content = read(path)
        if content is None:
            return
        text = without_comments(content.decode("utf-8", "replace"))
        profiles = [dict(_texts(profile)) for profile in _PROFILE.findall(text)]
        elements = dict(_texts(_PROFILE.sub("", text)))
        if wanted and elements.get("project/artifactId") != wanted:
            return  # Maven takes the parent out of a repository then
        yield path, elements, profiles
        wanted = elements.get("project/parent/artifactId", "")
        relative = elements.get("project/parent/relativePath", _DEFAULT_PARENT)
        if not wanted or not relative:
            return
        relative = relative if relative.endswith(".xml") else f"{relative}/pom.xml"
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))


def _of_profiles(
    profiles: list[dict[str, str]], values: Mapping[str, str]
) -> Iterator[tuple[str, str | None]]:
    """What profiles set, beside what the project itself does (`values`). None for a name of which
    only the profile that is chosen tells the value."""
    taken: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    for profile in profiles:
        is_default = profile.get("activation/activeByDefault") == "true"
        for name, value in _properties(profile).items():
            if is_default:
                taken[name] = value
            others.setdefault(name, set()).add(value)
    for name, each in others.items():
        if name in taken:
            yield name, taken[name]
        elif name not in values:
            yield name, next(iter(each)) if len(each) == 1 else None


def _properties(elements: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, value in elements.items():
        around, _, name = path.rpartition("/")
        if around in ("project/properties", "properties"):
            found[name] = value
    return found


def _texts(text: str) -> Iterator[tuple[str, str]]:
    """What stands in elements that hold nothing but text, by the names of the elements around them
    and their own: `project/parent/version`."""
    text = _CDATA.sub(lambda found: found[1].replace("<", ""), text)
    around: list[str] = []
    start = 0
    is_leaf = False
    for tag in _TAG.finditer(text):
        closes, name, rest = tag.groups()
        if not closes:
            if rest.endswith("/"):
                yield "/".join((*around, name)), ""
                continue
            if len(around) == _MAX_DEPTH:
                return
            around.append(name)
            start, is_leaf = tag.end(), True
        elif name in around:
            while around[-1] != name:
                around.pop()
            if is_leaf:
                yield "/".join(around), text[start : tag.start()].strip()
            around.pop()
            is_leaf = False
