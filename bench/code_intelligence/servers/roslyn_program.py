"""`python roslyn_program.py DOTNET ASSEMBLIES ROOT` answers questions about C# on standard input.

DOTNET is the folder of a .NET runtime (3.1 or newer), ASSEMBLIES one with
`Microsoft.CodeAnalysis.CSharp.dll` and what it needs. All files of ROOT are compiled together with
the runtime's libraries, in memory and without being run; types of other libraries stay unresolved.
A question is a line: `["declarations", path]` or `["callers", path, line, column]`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

_TYPES = {
    "ClassDeclaration": "class",
    "RecordDeclaration": "record",
    "RecordStructDeclaration": "record",
    "InterfaceDeclaration": "interface",
    "StructDeclaration": "struct",
    "EnumDeclaration": "enum",
}
_METHODS = {
    "MethodDeclaration": "method",
    "ConstructorDeclaration": "constructor",
    "LocalFunctionStatement": "function",
}
_CALLS = {
    "InvocationExpression",
    "ObjectCreationExpression",
    "ImplicitObjectCreationExpression",
    "BaseConstructorInitializer",
    "ThisConstructorInitializer",
    "PrimaryConstructorBaseType",
}
_NAMESPACES = ("NamespaceDeclaration", "FileScopedNamespaceDeclaration")
_SKIPPED = {"bin", "obj", ".git", "node_modules"}


class Program:
    """A compilation of all files of a root."""

    def __init__(self, dotnet: str, assemblies: str, root: Path) -> None:
        self._root = root
        _start(dotnet, assemblies)
        analysis = import_module("Microsoft.CodeAnalysis")
        self._csharp = import_module("Microsoft.CodeAnalysis.CSharp")
        self._until = import_module("System.Threading").CancellationToken(False)
        self._trees: dict[str, Any] = {}
        csharp = self._csharp
        options = csharp.CSharpParseOptions(csharp.LanguageVersion.Preview)
        for file in sorted(root.rglob("*.cs")):
            if not _SKIPPED & {*file.relative_to(root).parts}:
                text = file.read_text(encoding="utf-8-sig", errors="replace")
                path = file.relative_to(root).as_posix()
                tree = csharp.CSharpSyntaxTree.ParseText(text, options, path)
                self._trees[path] = tree
        files = sorted(Path(dotnet).glob("shared/Microsoft.NETCore.App/*/*.dll"))
        libraries = [analysis.MetadataReference.CreateFromFile(str(file)) for file in files]
        array = import_module("System").Array
        self._compilation = csharp.CSharpCompilation.Create(
            "root",
            array[analysis.SyntaxTree]([*self._trees.values()]),
            array[analysis.MetadataReference](libraries),
        )
        self._calls: dict[tuple[str, int, int], set[tuple[str, int]]] = {}
        for path, tree in self._trees.items():
            self._read_calls(path, tree)

    def declarations(self, path: str) -> list[tuple[int, int, str, str]]:
        """Line, column, qualified name without namespaces, and kind."""
        found = []
        for node in self._trees[path].GetRoot().DescendantNodes():
            kind = self._kind(node)
            kinds = {**_TYPES, **_METHODS}
            if kind in kinds:
                line, column = self._place(node.Identifier)
                found.append((line, column, self._qualified(node), kinds[kind]))
        return found

    def callers(self, path: str, line: int, column: int) -> list[tuple[str, int]]:
        """Path and line of each call of what is declared at a place."""
        return sorted(self._calls.get((path, line, column), ()))

    def _read_calls(self, path: str, tree: Any) -> None:
        model = self._compilation.GetSemanticModel(tree)
        for node in tree.GetRoot().DescendantNodes():
            kind = self._kind(node)
            if kind not in _CALLS:
                continue
            info = self._csharp.CSharpExtensions.GetSymbolInfo(model, node)
            symbol = info.Symbol
            meant = [symbol] if symbol is not None else [*info.CandidateSymbols]
            for each in meant if len(meant) == 1 else ():
                line, _ = self._place(self._name(node, kind))
                self._add(each, (path, line), constructs=kind != "InvocationExpression")

    def _add(self, symbol: Any, call: tuple[str, int], *, constructs: bool) -> None:
        reduced = getattr(symbol, "ReducedFrom", None)
        original = (reduced or symbol).OriginalDefinition
        for declared in original.DeclaringSyntaxReferences:
            node = declared.GetSyntax(self._until)
            if hasattr(node, "Identifier"):
                self._note(node, call)
        if constructs:
            for declared in original.ContainingType.DeclaringSyntaxReferences:
                self._note(declared.GetSyntax(self._until), call)

    def _note(self, node: Any, call: tuple[str, int]) -> None:
        line, column = self._place(node.Identifier)
        self._calls.setdefault((node.SyntaxTree.FilePath, line, column), set()).add(call)

    def _name(self, node: Any, kind: str) -> Any:
        """The part of a call that says what is called."""
        if kind == "InvocationExpression":
            inner = node.Expression
            return getattr(inner, "Name", inner)
        if kind in ("ObjectCreationExpression", "PrimaryConstructorBaseType"):
            return getattr(node.Type, "Right", node.Type)
        return node

    def _kind(self, node: Any) -> str:
        return str(self._csharp.CSharpExtensions.Kind(node))

    def _place(self, node: Any) -> tuple[int, int]:
        start = node.GetLocation().GetLineSpan().StartLinePosition
        return start.Line + 1, start.Character + 1

    def _qualified(self, node: Any) -> str:
        names: list[str] = []
        while node is not None:
            if self._kind(node) in {**_TYPES, **_METHODS}:
                names.append(str(node.Identifier.Text))
            node = node.Parent
        return ".".join(reversed(names))


def _start(dotnet: str, assemblies: str) -> None:
    """Start the runtime within this process, and load the compiler."""
    version = max(Path(dotnet).glob("shared/Microsoft.NETCore.App/*")).name
    framework = {"name": "Microsoft.NETCore.App", "version": version}
    settings = {
        "framework": framework,
        "configProperties": {"System.Globalization.Invariant": True},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "runtimeconfig.json"
        file.write_text(json.dumps({"runtimeOptions": settings}))
        loaded = import_module("clr_loader").get_coreclr(runtime_config=file, dotnet_root=dotnet)
        import_module("pythonnet").set_runtime(loaded)
        clr: Any = import_module("clr")
    sys.path.append(assemblies)
    for name in ("Microsoft.CodeAnalysis", "Microsoft.CodeAnalysis.CSharp"):
        clr.AddReference(name)


def main(dotnet: str, assemblies: str, root: str) -> None:
    """Answer questions until there are no more."""
    program = Program(dotnet, assemblies, Path(root))
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps({"answer": getattr(program, name)(*arguments)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
