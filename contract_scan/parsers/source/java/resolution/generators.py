"""The generators that a build runs over a contract: where it stands, and where its classes go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import join, normpath

from msgspec import Struct

from contract_scan.parsers.generators_of_builds import (
    gradle_variables,
    maven_runs,
    with_settings_of_micronaut,
    with_settings_of_sbt,
)
from contract_scan.parsers.maven_projects import maven_properties
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.properties import normal, settings

_GRADLE = re.compile(
    r"\b(inputSpec|inputFile|modelPackage|apiPackage|packageName|modelNameSuffix|modelNamePrefix"
    r"|generatorName|configFile|additionalModelTypeAnnotations)"
    r"[\"']?\s*(?:\.set\s*\(|=|:)\s*([^\n]{1,300})"
)
_OPTION = re.compile(
    r"[\"']--(model|api)-(package|name-prefix|name-suffix)[\"']\s*,\s*([\"'][\w.]{1,200}[\"'])"
)
"""A setting as an option of a command line: `"--model-package", "com.shop.model"`."""
_WORD = re.compile(r"\b[A-Za-z_]\w{0,60}\b")
_QUOTED = re.compile(r"[\"']([^\"']{1,300})[\"']")
_APPLIED = re.compile(
    r"\bapply\s*+(?:\(\s*+)?from\s*[:=]\s*[\"'](?:\$\{?(?:rootDir|projectDir)\}?/)?([\w./-]{1,200})[\"']"
)
"""Scripts that a build of Gradle takes in."""
_VARIABLE = re.compile(r"\$\{([^${}]{1,100})\}|\$(\w[\w.]{0,60}\w)")
_PACKAGE_START = re.compile(r"(?:\w{1,60}\.){0,20}")
_INPUTS = ("inputSpec", "inputFile")
_BELOW = re.compile(r"(?:\b(\w{1,60})\s*)?\.\s*(?:file|resolve|dir)\s*\(")
"""What stands before a file whose folder is written elsewhere: `specs.file("shop.yaml")`."""
_SOME_FOLDER = "$"
"""Stands for a folder that is not known."""
_OUTPUT = frozenset({"build", "target", "out", "bin"})
_FOLDERS = ("basedir", "dir", "directory", "path", "file")
"""Ends of the names of variables that stand for the folder of a build."""
_QUARKUS = ("quarkus.openapi.generator.server.", "quarkus.openapi.generator.")
_CODEGEN = "quarkus.openapigenerator.codegen.spec."
_QUARKUS_SPECS = "src/main/resources/openapi"
_DEFAULTS = {
    "": ("org.openapitools.model", "org.openapitools.api"),
    "java-micronaut-server": ("io.micronaut.openapi.model", "io.micronaut.openapi.api"),
    "java-micronaut-client": ("io.micronaut.openapi.model", "io.micronaut.openapi.api"),
}
"""The packages of models and interfaces where a build names none, by generator."""
_OF_JAVA = (
    *("java", "jaxrs", "spring", "micronaut", "kotlin", "scala", "groovy", "vertx", "play"),
    *("helidon", "jersey", "resteasy", "quarkus", "undertow", "camel", "rest-assured", "msf4j"),
)
"""What the names of generators have in them whose classes run beside those of Java."""
_EACH_FILE = re.compile(
    r"(?P<folder>(?:[^/$]{0,100}/){0,20})(?P<start>[\w.-]{0,100})\$\{?(?P<name>\w{1,60})\}?"
    r"(?P<end>[\w.-]{0,100}\.(?:ya?ml|json))"
)
"""A contract whose name is a variable: `specs/${name}.yaml`."""
_MAX_REPLACEMENTS = 20
_MAX_BYTES = 10_000_000


class Generator(Struct, frozen=True):
    """One run of a generator: where its contract stands, and what it calls its classes."""

    contract: str
    models: str
    """Package of the classes that hold data; with a leading `*` only how it ends is known."""
    interfaces: str
    prefix: str = ""
    suffix: str = ""
    inner: bool = False
    """Whether packages below these are its own as well."""
    is_jaxrs: bool = False
    """Whether its interfaces are known to be those of JAX-RS resources."""
    names_by_summary: bool = False
    """Whether methods of operations without an id are called after what the summaries say."""
    inclusion: str = ""
    """Which members Jackson writes, as its annotations of all classes say (`NON_NULL`); empty where
    they do not."""

    def holds(self, package: str, own: str) -> bool:
        """Whether a package is the one given (`own`), or one below it that is generated too."""
        if own.startswith("*"):
            return package.endswith(own[1:])
        return package == own or (self.inner and package.startswith(f"{own}."))


def generators_of(program: Program, module: str, near: str) -> Iterator[Generator]:
    """The generators that the build and the settings of a module run over a contract."""
    around = [_build_text(content) for content in build_texts(program, module)]
    scripts = [
        path
        for path in (*program.files.ending(".gradle"), *program.files.ending(".gradle.kts"))
        if path.rpartition("/")[0] == module
        and path.rpartition("/")[2] not in ("build.gradle", "build.gradle.kts")
    ]
    applied = [normpath(join(module, path)) for path in _APPLIED.findall("\n".join(around[:1]))]
    own = [
        *around[:1],
        *_sbt_builds(program, module),
        *(
            _build_text(program.files.read(path) or b"")
            for path in dict.fromkeys((*scripts, *applied))
        ),
    ]
    if any("inputSpec" in text or "inputFile" in text for text in own):
        # Properties of the builds around count as well; those of the module itself win.
        written = "\n".join([*reversed(around), *own])
        values = {
            **gradle_variables(written),
            **maven_properties(join(module, "pom.xml"), program.files.read),
        }
        # What the projects around tell the plugin goes for its runs here.
        inherited = {
            key: value
            for text in reversed(around[1:])
            for run in _maven_runs(text, values)
            if not _input_spec(run)
            for key, value in run.items()
        }
        runs = [
            {**_configured_settings(program, module, run), **inherited, **run}
            for text in own
            for run in (
                *_maven_runs(text, values),
                *(
                    expanded
                    for written in _gradle_runs(text, values)
                    for expanded in _runs_for_files(program, module, written, values)
                ),
            )
        ]
        contracts = [_find_contract(program, module, _input_spec(run)) for run in runs]
        # What an earlier step of the build wrote is no file of the sources: it is made of the
        # contract that the other step is given.
        known = {contract for contract in contracts if contract}
        made = next(iter(known)) if len(known) == 1 else ""
        for run, found in zip(runs, contracts, strict=True):
            contract = found or ("" if "://" in _input_spec(run) else made)
            if contract and run.get("javaPackage"):  # Apicurio's, which makes JAX-RS alone
                package = run["javaPackage"]
                yield Generator(contract, f"{package}.beans", package, is_jaxrs=True)
            elif contract and _makes_java(run):
                base = run.get("packageName", "")
                models, apis = _DEFAULTS.get(run.get("generatorName", ""), _DEFAULTS[""])
                yield Generator(
                    contract,
                    _package(run.get("modelPackage", ""), base, "model") or models,
                    _package(run.get("apiPackage", ""), base, "api") or apis,
                    run.get("modelNamePrefix", ""),
                    run.get("modelNameSuffix", ""),
                    is_jaxrs=run.get("generatorName", "").startswith("jaxrs"),
                    inclusion=inclusion(run.get("additionalModelTypeAnnotations", "")),
                )
    if module == module_of(program, near):
        yield from _quarkus(program, module, near)


def inclusion(annotations: str) -> str:
    """What `@JsonInclude(…)` says in a text of annotations: the name of the constant. Empty where
    there is none, or where the mapper decides all the same."""
    _, named, value = annotations.rpartition("JsonInclude")
    constant = value.partition(")")[0].rpartition(".")[2].strip(" (") if named else ""
    constant = constant or ("ALWAYS" if named else "")
    return "" if constant == "USE_DEFAULTS" else constant


def _sbt_builds(program: Program, module: str) -> Iterator[str]:
    """The builds of sbt of the module and of the folders around it, which set what it runs too."""
    for path in program.files.files_named("build.sbt"):
        folder = path.rpartition("/")[0]
        if not folder or f"{module}/".startswith(f"{folder}/"):
            content = program.files.read(path) or b""
            yield with_settings_of_sbt(content.decode("utf-8", "replace"))


def _build_text(content: bytes) -> str:
    return with_settings_of_micronaut(content.decode("utf-8", "replace"))


def _input_spec(run: Mapping[str, str]) -> str:
    """The contract of a run, as it is written."""
    return run.get("inputSpec") or run.get("inputFile", "")


def _makes_java(run: Mapping[str, str]) -> bool:
    """Whether a run makes classes: some only validate, document, or write another language."""
    if run.get("generateModels") == "false" and run.get("generateApis") == "false":
        return False
    name = run.get("generatorName", "").lower()
    return not name or "." in name or any(word in name for word in _OF_JAVA)


def _package(written: str, base: str, part: str) -> str:
    """A package as it is named in Java, which knows no hyphens."""
    return (written or (f"{base}.{part}" if base else "")).replace("-", "_")


def _configured_settings(program: Program, module: str, run: Mapping[str, str]) -> dict[str, str]:
    """The packages and names in the settings file of a run."""
    path = _contract(program, module, run.get("configFile") or run.get("configurationFile", ""))
    content = program.files.read(path) if path else None
    return dict(_SETTING.findall(content.decode("utf-8", "replace"))) if content else {}


_SETTING = re.compile(
    r"[\"']?\b(modelPackage|apiPackage|packageName|modelNameSuffix|modelNamePrefix)[\"']?\s*:\s*"
    r"[\"']?([\w.-]{1,200})"
)


def _quarkus(program: Program, module: str, near: str) -> Iterator[Generator]:
    values = settings(program, near)
    for start in _QUARKUS:
        spec = values.get(f"{start}spec", "")
        package = values.get(f"{start}basepackage", "")
        folder = values.get(f"{start}inputbasedir", _QUARKUS_SPECS)
        contract = _contract(program, module, join(folder, spec)) if spec and package else ""
        if contract:
            yield Generator(
                contract, package, package, inner=True, is_jaxrs=True, names_by_summary=True
            )
    for key, package in values.items():
        if key.startswith(_CODEGEN) and key.endswith(".basepackage"):
            wanted = key.removeprefix(_CODEGEN).removesuffix(".basepackage")
            contract = _codegen_contract(program, module, wanted)
            if contract:
                written = values.get(f"{_CODEGEN}{wanted}.additionalmodeltypeannotations", "")
                yield Generator(
                    contract,
                    f"{package}.model",
                    f"{package}.api",
                    is_jaxrs=True,
                    inclusion=inclusion(written),
                )


def _codegen_contract(program: Program, module: str, wanted: str) -> str:
    """The contract that Quarkus' generator knows under a key: its file name, with an underscore for
    whatever is no letter or digit."""
    prefix = f"{module}/src/main/openapi/" if module else "src/main/openapi/"
    for suffix in (".yaml", ".yml", ".json"):
        for path in program.files.ending(suffix):
            if path.startswith(prefix):
                name = re.sub(r"[^A-Za-z0-9]", "_", path.rpartition("/")[2])
                if normal(name) == wanted:
                    return path
    return ""


def _maven_runs(text: str, values: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for run in maven_runs(text):
        yield {key: _expand_variables(value, values) for key, value in run.items()}


def _gradle_runs(text: str, values: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The settings of each run as they are written. Each `inputSpec` begins a run, or belongs to
    the one whose package was said before."""
    run: dict[str, str] = {}
    text = _OPTION.sub(_as_setting, text)
    for key, rest in _GRADLE.findall(text):
        written = _concatenation(rest, values)
        if not written or "<" in text[:1]:
            continue
        if key in run:
            yield run
            run = {}
        run[key] = written
        if key in _INPUTS and (below := _BELOW.search(rest)) is not None:
            run[key] = join(values.get(below[1] or "") or _SOME_FOLDER, run[key])
    if run:
        yield run


def _concatenation(expression: str, values: Mapping[str, str]) -> str:
    """The text that an expression gives: `"$base." + name + ".api"`. Of each operand its last text
    counts, or the variable in it that is known."""
    parts = []
    for operand in expression.split("+"):
        texts = _QUOTED.findall(operand)
        texts = texts or [values[word] for word in _WORD.findall(operand) if word in values]
        parts += texts[-1:]
    return "".join(parts)


def _runs_for_files(
    program: Program, module: str, run: Mapping[str, str], values: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """A run with its variables replaced. Where the name of its contract is a variable of which
    nothing is known, the build makes a run for each file of the folder."""
    spec = _expand_variables(_input_spec(run), values)
    loop = _EACH_FILE.fullmatch(spec)
    bindings: list[dict[str, str]] = [{}]
    if loop is not None and not values.get(loop["name"]):
        folder = normpath(join(module, loop["folder"].removeprefix("/")))
        start, end = (f"{folder}/{loop['start']}" if folder != "." else loop["start"]), loop["end"]
        bindings = [
            {loop["name"]: path[len(start) : -len(end)]}
            for path in sorted(program.files.ending(end))
            if path.startswith(start) and "/" not in path[len(start) :]
        ]
    for bound in bindings:
        known = {**values, **bound}
        yield {key: _expand_variables(text, known) for key, text in run.items()}


def _as_setting(option: re.Match[str]) -> str:
    words = "".join(word.capitalize() for word in str(option.group(2)).split("-"))
    return f"\n{option.group(1)}{words} = {option.group(3)}\n"


def _expand_variables(text: str, values: Mapping[str, str]) -> str:
    """A text with the properties of the build in it; folders of the build become nothing."""
    for _ in range(_MAX_REPLACEMENTS):
        found = _VARIABLE.search(text)
        if found is None:
            break
        name = found.group(1) or found.group(2)
        value = values.get(name, "")
        if not value and not name.lower().endswith(_FOLDERS):
            # A package of which the beginning is not known is told by its end.
            rest = text[found.end() :]
            is_package = _PACKAGE_START.fullmatch(text[: found.start()]) and rest.startswith(".")
            return f"*{rest}" if is_package else text
        text = text[: found.start()] + value + text[found.end() :]
    return text


def _find_contract(program: Program, module: str, written: str) -> str:
    """The contract that a build names; where the folder is a variable of which nothing is known,
    the only file of the repository, or of several the only one of the module, called so."""
    found = _contract(program, module, written)
    if found or not (written.startswith("/") or "$" in written) or "://" in written:
        return found
    tail = _VARIABLE.sub(_SOME_FOLDER, written).rpartition(_SOME_FOLDER)[2].lstrip("/")
    if not tail:
        return ""
    beside = _contract(program, module, tail)
    if beside:
        return beside
    called = [
        path
        for path in program.files.ending(f"/{tail}")
        if not _OUTPUT.intersection(path.split("/")) and "/src/test/" not in f"/{path}"
    ]
    own = [path for path in called if path.startswith(f"{module}/")]
    fitting = called if len(called) == 1 else own
    return _contract(program, "", fitting[0]) if len(fitting) == 1 else ""


def _contract(program: Program, module: str, written: str) -> str:
    """The contract that a build names: relative to its module, or to a folder above it."""
    if not written or "$" in written or "://" in written:
        return ""
    if written.startswith("*"):
        return ""
    written = written.removeprefix("file:").lstrip("/")
    folder = module
    for _ in range(4):
        path = normpath(join(folder, written))
        content = program.files.read(path)
        if content is not None:
            return path if len(content) <= _MAX_BYTES else ""
        if not folder:
            break
        folder = folder.rpartition("/")[0] if not folder.endswith("..") else f"{folder}/.."
    return ""
