"""Why files are not read, or not wholly."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Files that are not read",
        advice="let the scan read the file, exclude it, or mend what the text names",
        texts={
            "dangling-link": "is a link that leads to no file",
            "encoding-not-read": "it declares an encoding that is not read",
            "file-may-hold-routes": "{why} and may hold a route or event",
            "file-too-large": "it is larger than {largest}",
            "folder-content-unreadable": (
                "cannot be read: {strerror}; what lies below it is not known"
            ),
            "folder-unreadable": "cannot be read: {why}; {lost} is not known",
            "internal-error": "reading {framework} failed ({error_type}: {error}; {where})",
            "large-file-may-hold-routes": "{why} and may hold a route or event; split it",
            "link-into-version-control": (
                "is a link into what belongs to version control, which is not read"
            ),
            "link-may-be-contract": "{links}, and may be a contract",
            "link-out-of-root": "is a link out of the scanned folder, which is not followed",
            "link-to-large-folder": (
                "is a link to a folder with more files than are looked through there"
            ),
            "link-to-other-file": "is a link to what is no source file",
            "loaded-file-may-hold-routes": (
                "{why} and may hold a route or event, since other code loads it; split it"
            ),
            "loaded-file-skipped": "left out: {skipped}, and other code loads it",
            "merge-conflict": (
                "a file that may hold it, or where it is mounted, holds a merge conflict"
            ),
            "merge-conflict-markers": "holds the markers of a merge conflict; resolve it",
            "minified-file": "it is minified",
            "name-not-utf-8": "its name is not UTF-8",
            "no-regular-file": "it is no regular file",
            "parser-memory-limit": (
                "is not analysed: parsing it takes more than {memory} MiB of memory, or ends "
                "the parser; exclude it, or split it"
            ),
            "parser-process-ended": (
                "is not analysed: the process that parses it ends at once (out of memory, or "
                "a defect of a parser); exclude it, or split it"
            ),
            "parser-step-limit": (
                "is not analysed: the parser takes far more steps than for any code of this "
                "length; exclude it, or mend its syntax"
            ),
            "parser-time-limit": (
                "is not analysed: parsing it takes more than {seconds} s of processor time; "
                "exclude it, or split it"
            ),
            "repository-of-its-own": (
                "is a repository of its own and no submodule, which is not read (scan it by itself)"
            ),
            "skipped-file": "left out: {reason}",
            "skipped-file-may-hold-routes": "{why}, and may hold a route or event",
            "repository-not-scanned": "not scanned: {why}",
            "submodule-not-checked-out": (
                "is a submodule that is not checked out (`git submodule update --init`)"
            ),
            "syntax-error": (
                "cannot be parsed here, so that a route or type may be missed (the rest of "
                "the file was read)"
            ),
            "system-error": "{error}",
            "unreadable": "cannot be read: {why}",
            "unreadable-file-may-hold-routes": "it cannot be read, and may hold a route or event",
        },
    ),
    Section(
        title="Lists of accepted changes",
        advice="take the line out of the list",
        texts={
            "accepts-no-change": ("`{id}` accepts no change of this comparison; take the line out"),
        },
    ),
)
