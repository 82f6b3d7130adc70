"""A copy of the Java files of a repository as an Eclipse project, which needs no build."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.sax.saxutils import quoteattr

_PROJECT = """<?xml version="1.0" encoding="UTF-8"?>
<projectDescription>
  <name>measured</name>
  <buildSpec>
    <buildCommand><name>org.eclipse.jdt.core.javabuilder</name></buildCommand>
  </buildSpec>
  <natures><nature>org.eclipse.jdt.core.javanature</nature></natures>
</projectDescription>
"""
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def java_project(root: Path, libraries: list[str], copy: Path) -> Path:
    """`copy`, filled with the Java files of a root and a project of them.

    `libraries` are patterns of .jar files; types of other libraries stay unresolved.
    """
    folders: set[str] = set()
    for file in sorted(root.rglob("*.java")):
        path = file.relative_to(root)
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        declared = _PACKAGE.search(file.read_text(encoding="utf-8", errors="replace"))
        inside = declared.group(1).replace(".", "/") if declared else ""
        folder = path.parent.as_posix()
        if folder == inside or folder.endswith("/" + inside):
            folders.add(folder.removesuffix(inside).rstrip("/"))
    patterns = map(Path, libraries)
    jars = sorted({str(jar) for each in patterns for jar in each.parent.glob(each.name)})
    entries = [
        *(f'<classpathentry kind="src" path={quoteattr(folder)}/>' for folder in sorted(folders)),
        '<classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER"/>',
        *(f'<classpathentry kind="lib" path={quoteattr(jar)}/>' for jar in jars),
        '<classpathentry kind="output" path="measured-output"/>',
    ]
    (copy / ".project").write_text(_PROJECT)
    listed = "\n".join(entries)
    heading = '<?xml version="1.0" encoding="UTF-8"?>'
    (copy / ".classpath").write_text(f"{heading}\n<classpath>\n{listed}\n</classpath>\n")
    return copy
