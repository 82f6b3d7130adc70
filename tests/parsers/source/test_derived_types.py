"""Which classes derive from one is the same whether files are parsed or told from their bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.values import ClassValue
from contract_scan.parsers.source.languages import load
from tests.parsers.source.project import read

CSHARP = {
    "Base.cs": "namespace App; public class Base { }\n",
    "Direct.cs": "namespace App; public class Direct(Base other) : Base { }\n",
    "Indirect.cs": "namespace App; public class Indirect : Direct { Base Other; }\n",
    "Lines.cs": (
        "namespace App;\n/// A class that says nothing.\npublic sealed class Lines<T>\n"
        "    // kept; in { braces\n    : Generic<T>, Base\n    where T : class\n{ }\n"
    ),
    "Quoted.cs": 'namespace App; public record Quoted([property: Name("{x}")] Base A) : Base { }',
    "Part.cs": "namespace App; public partial class Part : Base { }\n",
    "OtherPart.cs": "namespace App; public partial class Part { Base Other; }\n",
    "Alias.cs": "namespace App; using Root = App.Base; public class Alias : Root { }\n",
    "Nested.cs": "namespace App; public class Outer { private class Nested : Base { } }\n",
    "User.cs": "namespace App; public class User { Base Get() => new Base(); }\n",
    "Comment.cs": "namespace App; // Base\npublic class Comment { }\n",
}
JAVA = {
    "app/Base.java": "package app; public interface Base { }\n",
    "app/Direct.java": "package app; abstract class Direct<T extends Base> implements Base { }\n",
    "app/Indirect.java": "package app; class Indirect extends Direct<Base> { }\n",
    "app/Kind.java": "package app; enum Kind /* of; { */ implements Base { A }\n",
    "app/Pair.java": 'package app; record Pair(@Name("{x}") String a) implements Base { }\n',
    "app/User.java": "package app; class User { Base get() { return null; } }\n",
}


@pytest.mark.parametrize(
    ("language", "files", "home", "derived", "unread"),
    [
        (
            "csharp",
            CSHARP,
            "Base.cs",
            ["Alias", "Direct", "Indirect", "Lines`1", "Nested", "Part", "Part", "Quoted"],
            {"User.cs", "Comment.cs"},
        ),
        (
            "java",
            JAVA,
            "app/Base.java",
            ["Direct", "Indirect", "Kind", "Pair"],
            {"app/User.java"},
        ),
    ],
)
def test_files_that_only_use_a_class_are_not_parsed_for_those_that_derive_from_it(
    tmp_path: Path,
    language: str,
    files: dict[str, str],
    home: str,
    derived: list[str],
    unread: set[str],
) -> None:
    found = {}
    for headers in (True, False):
        known = load(language)
        known = known if headers else replace(known, type_headers=None)
        program, reader = read(tmp_path, files, known)
        base = program.names.lookup("Base", program.module_scope(program.facts(home)))
        assert isinstance(base, ClassValue)
        found[headers] = sorted(
            each.decl.name for each in program.names.classes.implementations(base.symbol)
        )
        assert reader.parsed == len(files) - (len(unread) if headers else 0)
    assert found == {True: derived, False: derived}
