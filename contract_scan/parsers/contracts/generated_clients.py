"""Contracts that a build makes clients of: those of services that the code calls.

A service keeps the documents of the services that it calls beside its own. What its build makes of
a document tells them apart: a generator of clients runs over the others', a generator of server
stubs over its own; so does one that could make stubs and is told to make data classes alone.
Generators that know nothing but types (openapi-typescript) run over both. The place of a document
suggests the same where its folder says so (`consumed/`, `integrations/`). Where the build is
somewhere else and its client was committed, the head of that file names the generator, and its text
has every path of the document.

The generators and their options: openapi-generator's list of generators with their kinds (`client`,
`server`, `documentation`), the manuals of NSwag, Refitter, orval, openapi-ts, Kubb, ng-openapi-gen,
RTK Query's codegen, openapi-python-client, Kiota and AutoRest; `gen-api-models` makes types, and
with `--client` a client. Quarkus' openapi-generator makes clients of all files in one folder.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.document import CalledService, Product, UsesOfContracts
from contract_scan.parsers.generators_of_builds import (
    gradle_variables,
    maven_runs,
    with_settings_of_micronaut,
    without_comments,
)
from contract_scan.parsers.maven_projects import expand, maven_properties

_Run: TypeAlias = tuple[str, Product | Literal["server", ""]]
"""A document as a build names it, and what the build makes of it."""

_SERVERS = re.compile(
    r"^(?:jaxrs(?!-cxf-client)|aspnet|kotlin-spring|python-(?:flask|fastapi|aiohttp|blueplanet)"
    r"|nodejs-|csharp-functions)|server|nestjs|vertx|undertow|camel|play-framework|blueplanet"
)
_DOCUMENTS = re.compile(r"^(?:html|openapi|asciidoc|markdown|plantuml|cwiki|apache2|wsdl|dynamic-)")
_SPRING_CLIENTS = ("spring-cloud", "spring-http-interface", "spring-declarative-http-interface")

_GRADLE = re.compile(
    r"\b(inputSpec|generatorName|library|generateApis|task|register|create)\b"
    r"[\"']?\s*(?:\.set\s*)?[(=:]?\s*([^\n]{0,300})"
)
_BELOW_VARIABLE = re.compile(r"\w{1,60}\s*\.\s*(?:file|resolve|dir)\s*\(")
"""What stands before a file of a folder that a variable holds: `specs.file("shop.yaml")`."""
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,300})[\"']")
_WORD = re.compile(r"\b[A-Za-z_]\w{0,60}\b")
_INSERTED = re.compile(r"\$(?:\{(\w{1,60})\}|(\w{1,60}))")
_MAX_REPLACEMENTS = 20
_MAX_TEXT = 2_000
_REFERENCE = re.compile(r"<OpenApiReference\s[^<>]{0,500}?Include=\"([^\"]{1,300}+)\"")
_FILE = re.compile(r"(?<![^\s\"'=,;()<>|])[^\s\"'=,;()<>|]{1,300}\.(?:ya?ml|json)\b")
_GENERATOR_OPTION = re.compile(r"(?:^|\s)(?:-g|-l|--generator-name|--lang)[ =]([\w-]{1,60})")
_CLIENT_OPTION = re.compile(r"(?:^|\s)--client(?=\s|$|\")")
_COMMANDS: tuple[tuple[re.Pattern[str], Product | Literal["by generator", "by option"]], ...] = (
    (re.compile(r"\b(?:openapi-generator|swagger-codegen)(?:-cli)?\b"), "by generator"),
    (re.compile(r"\b(?:openapi-typescript-codegen|swagger-typescript-api|openapi-ts)\b"), "client"),
    (re.compile(r"\b(?:openapi-python-client|oazapfts|openapi-zod-client|autorest)\b"), "client"),
    (re.compile(r"\b(?:orval|kiota\s+generate|refitter|openapi2(?:cs|ts)client)\b"), "client"),
    (re.compile(r"\bgen-api-models\b"), "by option"),
)
_CONFIGURATIONS = re.compile(
    r"(?:(?:orval|openapi-ts|openapi-codegen|kubb)\.config|openapi-config)\.[cm]?[jt]s"
)
_COMMAND_FILES = frozenset(
    {
        *("package.json", "makefile", "justfile", "taskfile.yml", "taskfile.yaml"),
        *("pyproject.toml", "noxfile.py", "tasks.py", "tox.ini", "dockerfile"),
    }
)
_WORKFLOWS = re.compile(r"(?:.*/)?\.github/workflows/[^/]+\.ya?ml")
_SETTINGS = {
    "ng-openapi-gen.json": "input",
    "ng-swagger-gen.json": "swagger",
    "kiota-lock.json": "descriptionLocation",
    ".refitter": "openApiPath",
}
"""Files of settings in JSON, with the one that names the contract."""
_QUARKUS_CLIENTS = re.compile(
    r"<artifactId>\s{0,20}quarkus-openapi-generator\s{0,20}</artifactId>"
    r"|[\"']io\.quarkiverse\.openapi\.generator:quarkus-openapi-generator[:\"']"
)
_QUARKUS_FOLDER = "src/main/openapi/"
"""Where Quarkus' generator of clients takes all contracts from."""
_CALLED_FOLDERS = frozenset(
    {"consumed", "consumes", "integrations", "external", "externals", "clients", "downstream"}
)
_GENERATORS_OF_CLIENTS = (
    b"NSwag",
    b"Refitter",
    b"AutoRest",
    b"orval",
    b"swagger-typescript-api",
    b"openapi-typescript-codegen",
    b"hey-api",
    b"openapi-python-client",
    b"openapi-generator",
    b"swagger-codegen",
    b"ng-openapi-gen",
    b"Kubb",
)
"""What the files of clients have in their heads, with the word `generated`."""
_HEAD = 4_000
"""Bytes: a head of comments with a licence fits in."""
_PARAMETER = re.compile(r"\{[^{}]*\}")
_VARIABLES = re.compile(r"^(?:.*\}|\$\w+|%\w+%|/local)/?")
"""What stands for a folder of which a build knows alone; `/local` by the images of generators."""


class _Build(Struct, frozen=True):
    """A file of a build, and how its text tells what is made of which document."""

    path: str
    runs: Callable[[str], Iterator[_Run]]


def uses_of_contracts(
    contracts: Mapping[str, Iterable[str]],
    paths: Iterable[str],
    read: Callable[[str], bytes | None],
    sources_with: Callable[[bytes], Iterable[str]],
) -> UsesOfContracts:
    """Which contracts are made clients of, or stand where called ones do, and which ones server
    stubs are made of: these are not called, whatever else is made of them.

    `contracts` has the paths of each one's operations; `paths` are the root-relative files of the
    repository; `read` gives the content of one, None where it cannot be had; `sources_with` gives
    the source files that hold a text.
    """
    known = frozenset(contracts)
    found: dict[str, CalledService] = {
        path: CalledService("", product="", folder=folder)
        for path in known
        if (folder := _called_folder(path))
    }
    generated: dict[str, str] = {}
    for build in sorted(_builds(paths, read), key=lambda each: each.path):
        content = read(build.path)
        text = "" if content is None else content.decode("utf-8", "replace")
        for written, product in build.runs(text):
            for contract in _resolve(written, posixpath.dirname(build.path), known):
                if product == "server":
                    generated.setdefault(contract, build.path)
                elif product and (product == "client" or not _calling_build(found.get(contract))):
                    folder = _called_folder(contract)
                    found[contract] = CalledService(build.path, product=product, folder=folder)
    for contract, client in _committed_clients(contracts, read, sources_with):
        if not _calling_build(found.get(contract)):
            folder = _called_folder(contract)
            found[contract] = CalledService(client, product="client", folder=folder, committed=True)
    called = {path: each for path, each in found.items() if path not in generated}
    return UsesOfContracts(called, generated)


def _committed_clients(
    contracts: Mapping[str, Iterable[str]],
    read: Callable[[str], bytes | None],
    sources_with: Callable[[bytes], Iterable[str]],
) -> Iterator[tuple[str, str]]:
    """Contracts with the file, or the first of the files of a folder, of a client that has every
    path of theirs."""
    clients: dict[str, dict[str, str]] = defaultdict(dict)
    for generator in _GENERATORS_OF_CLIENTS:
        for path in sources_with(generator):
            content = read(path) or b""
            head = content[:_HEAD]
            if generator in head and b"generated" in head.lower():
                clients[posixpath.dirname(path)][path] = content.decode("utf-8", "replace")
    for contract, written in contracts.items():
        pieces = {max(_PARAMETER.split(path), key=len).strip("/") for path in written} - {""}
        for files in clients.values():
            held = {path: {p for p in pieces if p in text} for path, text in sorted(files.items())}
            if pieces and set().union(*held.values()) == pieces:
                yield contract, max(held, key=lambda path: len(held[path]))
                break


def _calling_build(called: CalledService | None) -> str:
    return "" if called is None else called.build


def _called_folder(path: str) -> str:
    return next((each for each in path.split("/")[:-1] if each.lower() in _CALLED_FOLDERS), "")


def _builds(paths: Iterable[str], read: Callable[[str], bytes | None]) -> Iterator[_Build]:
    for path in paths:
        name = posixpath.basename(path).lower()
        if "node_modules/" in path:
            continue
        if name == "pom.xml":
            yield _Build(path, partial(_maven_inputs, partial(maven_properties, path, read)))
        elif name.endswith((".gradle", ".gradle.kts")):
            yield _Build(path, _gradle)
        elif name.endswith((".csproj", ".props")):
            yield _Build(path, _msbuild)
        elif name.endswith(".nswag") or name == "nswag.json":
            yield _Build(path, _nswag)
        elif setting := _SETTINGS.get(name[name.rfind(".") :]) or _SETTINGS.get(name):
            yield _Build(path, partial(_named_in_settings, setting))
        elif name == "openapitools.json":
            yield _Build(path, _generator_file)
        elif _CONFIGURATIONS.fullmatch(name):
            yield _Build(path, _configuration)
        elif name in _COMMAND_FILES or name.endswith((".sh", ".mk")) or _WORKFLOWS.fullmatch(path):
            yield _Build(path, _commands)


def _resolve(written: str, folder: str, known: Collection[str]) -> list[str]:
    """The contracts that a build in a folder means: one, or all below a folder that it names with
    a slash at the end."""
    if written.endswith("/"):
        inside = posixpath.normpath(posixpath.join(folder, written))
        return [path for path in known if path.startswith(f"{inside}/")]
    plain = _VARIABLES.sub("", written.replace("\\", "/"))
    exact = posixpath.normpath(posixpath.join(folder, plain))
    if exact in known:
        return [exact]
    ending = f"/{plain.removeprefix('./')}"
    below = [path for path in known if plain != written and f"/{path}".endswith(ending)]
    return below if len(below) == 1 else []


def _product(generator: str, library: str = "", apis: str = "") -> Product | Literal["server", ""]:
    """What a generator of openapi-generator makes."""
    name = generator.lower()
    if apis == "false":
        return "data classes"
    if not name or _DOCUMENTS.match(name):
        return ""
    if name == "spring":
        return "client" if library in _SPRING_CLIENTS else "server"
    return "server" if _SERVERS.search(name) else "client"


def _maven_inputs(properties: Callable[[], Mapping[str, str]], text: str) -> Iterator[_Run]:
    yield from _quarkus_clients(without_comments(text))
    if "inputSpec" not in text:
        return
    values = properties()
    for written in maven_runs(text):
        if "inputSpec" in written:
            run = {name: expand(value, values) for name, value in written.items()}
            generator = run.get("generatorName") or run.get("language", "")
            product = _product(generator, run.get("library", ""), run.get("generateApis", ""))
            yield run["inputSpec"], product


def _gradle(text: str) -> Iterator[_Run]:
    """A task begins where one is registered, and where a setting is given again."""
    yield from _quarkus_clients(text)
    text = with_settings_of_micronaut(text)
    if "inputSpec" not in text:
        return
    variables = gradle_variables(text)
    run: dict[str, str] = {}
    runs = [run]
    for key, rest in _GRADLE.findall(text):
        is_setting = key in ("inputSpec", "generatorName", "library", "generateApis")
        if not is_setting or key in run:
            run = {}
            runs.append(run)
        if is_setting:
            quoted = _QUOTED.findall(rest) or _variable_texts(rest, variables)
            if quoted and key == "inputSpec" and _BELOW_VARIABLE.match(rest):
                quoted = [f"${{}}/{quoted[-1]}"]
            run[key] = (
                _with_variables(quoted[-1], variables)
                if quoted
                else "false"
                if "false" in rest
                else ""
            )
    for each in runs:
        if "inputSpec" in each:
            name, library = each.get("generatorName", ""), each.get("library", "")
            yield each["inputSpec"], _product(name, library, each.get("generateApis", ""))


def _variable_texts(expression: str, variables: Mapping[str, str]) -> list[str]:
    """The texts of the variables that an expression names."""
    return [variables[word] for word in _WORD.findall(expression) if word in variables]


def _with_variables(text: str, variables: Mapping[str, str]) -> str:
    """A text with the variables of the build in it that are known."""
    for _ in range(_MAX_REPLACEMENTS):
        replaced = _INSERTED.sub(lambda found: variables.get(found[1] or found[2], found[0]), text)
        if replaced == text or len(replaced) > _MAX_TEXT:
            break
        text = replaced
    return text


def _quarkus_clients(text: str) -> Iterator[_Run]:
    if _QUARKUS_CLIENTS.search(text):
        yield _QUARKUS_FOLDER, "client"


def _msbuild(text: str) -> Iterator[_Run]:
    for written in _REFERENCE.findall(without_comments(text)):
        yield written, "client"


def _nswag(text: str) -> Iterator[_Run]:
    try:
        settings = json.loads(text)
        document = settings["documentGenerator"]["fromDocument"]["url"]
        generators = [key for key, value in settings["codeGenerators"].items() if value]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    if isinstance(document, str):
        controllers = any(key.endswith("Controller") for key in generators)
        yield document, "server" if controllers else "client"


def _named_in_settings(setting: str, text: str) -> Iterator[_Run]:
    try:
        document = json.loads(text)[setting]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if isinstance(document, str):
        yield document, "client"


def _generator_file(text: str) -> Iterator[_Run]:
    try:
        generators = json.loads(text)["generator-cli"]["generators"]
        runs = [(run["inputSpec"], run["generatorName"]) for run in generators.values()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    for written, generator in runs:
        if isinstance(written, str) and isinstance(generator, str):
            yield written, _product(generator)


def _configuration(text: str) -> Iterator[_Run]:
    for written in _QUOTED.findall(text):
        if _FILE.fullmatch(written):
            yield written, "client"


def _commands(text: str) -> Iterator[_Run]:
    """Commands that run a generator over a file."""
    for line in text.replace("\\\n", " ").split("\n"):
        for tool, product in _COMMANDS:
            command = tool.search(line)
            if command is None:
                continue
            rest = line[command.end() :].partition("&&")[0]
            if product == "by generator":
                named = _GENERATOR_OPTION.search(rest)
                made = _product(named[1]) if named else ""
            elif product == "by option":
                made = "client" if _CLIENT_OPTION.search(rest) else ""
            else:
                made = product
            for written in _FILE.findall(rest):
                yield written, made
            break
