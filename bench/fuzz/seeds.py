"""What mutations begin with: the fixtures of this project, and the files that lie beside code."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

FIXTURES = Path(__file__).parents[2] / "fixtures"
CODE = {"python": ".py", "typescript": ".ts", "csharp": ".cs", "java": ".java"}
_FENCE = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LARGEST = 60_000
"""Letters of a file that is taken as a seed."""


class Seed(Struct, frozen=True):
    """A small repository: contracts, and code of one language."""

    name: str
    files: dict[str, str]


BESIDE = {
    "contract-scan.toml": 'contracts = ["openapi.yaml"]\nexclude = ["legacy/**/old?[a-z].py"]\n'
    'select = ["CONTRACT-001"]\n[limits]\nsource-bytes = 100000\n[severities]\nCONTRACT-002 = "warning"\n'
    '[[services]]\nname = "shop"\nsource = "."\ncontracts = ["openapi.yaml"]\n'
    '[[exceptions]]\nrules = ["CONTRACT-001"]\npath = "src/**"\nreason = "old"\nowner = "shop"\n',
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n[tool.contract-scan]\n'
    'extend-exclude = ["build/"]\nfail-on = "warning"\n',
    "baseline.json": '{"schema_version": "1.0", "findings": [{"fingerprint": "0123456789abcdef", '
    '"rule": "CONTRACT-001", "path": "app.py", "message": "m"}]}\n',
    ".gitignore": "node_modules/\n*.py[co]\n!keep.py\n/build\n**/gen/**/*.ts\n\\#odd\ndir[!a-c]/\n",
    "package.json": '{"name": "shop", "type": "module", "main": "src/app.ts", "workspaces": ["packages/*"], '
    '"imports": {"#lib/*": "./src/lib/*"}, "dependencies": {"express": "^4.0.0", "@nestjs/core": "10.0.0"}}\n',
    "tsconfig.json": '{"extends": "./base.json", "compilerOptions": {"baseUrl": ".", "strict": true, '
    '"paths": {"@app/*": ["src/*"]}}, "references": [{"path": "./packages/a"}]} // comment\n',
    "app.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><Nullable>enable</Nullable>'
    '</PropertyGroup><ItemGroup><PackageReference Include="Newtonsoft.Json" Version="13.0.1" />'
    '<ProjectReference Include="../b/b.csproj" /></ItemGroup></Project>\n',
    "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId>"
    "<modules><module>core</module></modules><dependencies><dependency><groupId>org.springframework.boot"
    "</groupId><artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>\n",
    "build.gradle": "plugins { id 'java' }\nsourceSets { main { java { srcDirs = ['src'] } } }\n"
    "dependencies { implementation 'io.micronaut:micronaut-http:4.0.0' }\n",
    "src/main/resources/application.properties": "server.servlet.context-path=/api\n"
    "spring.jackson.property-naming-strategy=SNAKE_CASE\nvalue=${a:${b}}\n",
    "src/main/resources/application.yaml": "server:\n  servlet:\n    context-path: /api\n",
    "appsettings.json": '{"PathBase": "/api", "Urls": "http://localhost"}\n',
    "svc.md": "| Endpoint | Method | Request | Response |\n|---|---|---|---|\n"
    "| /things/{id} | GET | | Thing |\n| /things | POST | { name: string } | Thing[] |\n",
    "asyncapi.yaml": "asyncapi: 3.0.0\ninfo: { title: t, version: '1' }\nchannels:\n  orders:\n"
    "    address: orders\n    messages: { made: { $ref: '#/components/messages/made' } }\n"
    "operations:\n  send: { action: send, channel: { $ref: '#/channels/orders' } }\n"
    "components:\n  messages:\n    made: { payload: { type: object, properties: { id: { type: string } } } }\n",
    "order.schema.json": '{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Order", '
    '"type": "object", "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"properties": {"id": {"type": '
    '["string", "null"], "pattern": "^(a+)+$"}}, "required": ["id"]}}}\n',
}
"""Files that a scan may read beside code and contracts, each of which may be mutated."""


def seeds() -> tuple[Seed, ...]:
    """The cases of the rules, one for each language they have, and the services of the projects."""
    return (*_cases(), *_services())


def _cases() -> list[Seed]:
    found = []
    for page in sorted((FIXTURES / "rules").glob("*/*.md")):
        for number, part in enumerate(page.read_text(encoding="utf-8").split("\n## ")[1:]):
            fences = _FENCE.findall(part)
            contracts = {file: text for language, file, text in fences if language not in CODE}
            for wanted in CODE:
                code = {file: text for language, file, text in fences if language == wanted}
                if code:
                    name = f"{page.parent.name}/{page.stem}#{number}-{wanted}"
                    found.append(Seed(name, {**contracts, **code}))
    return found


def _services() -> list[Seed]:
    found = []
    for project in sorted((FIXTURES / "projects").glob("*/contracts")):
        contracts = _texts(project, project.parent)
        for service in sorted((project.parent / "services").iterdir()):
            if service.is_dir():
                files = {**contracts, **_texts(service, project.parent)}
                found.append(Seed(f"{project.parent.name}/{service.name}", files))
    return found


def _texts(folder: Path, root: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size < _LARGEST:
            try:
                found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return found
