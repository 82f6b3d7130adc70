"""What is kept of files, so that a changed one is judged without a scan."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.parsers.source.dependency_snapshot import digest_of
from contract_scan.parsers.source.discovery.file_fingerprints import (
    FileFingerprints,
    FingerprintTable,
    cached_digests,
    cached_text,
    decode_table,
    forget_texts,
    keep_texts,
    table_of,
)
from contract_scan.parsers.source.discovery.normalised_source import UNREAD, common_ends
from contract_scan.parsers.source.discovery.surface_fingerprint import (
    SearchSpec,
    glimpse_key,
    holds_word,
    names_in,
)
from contract_scan.private_folder import SEAL, PrivateFolder
from contract_scan.private_folder import TEXT as TEXT_KIND

TEXT = b"import shop\n\n\nclass Order:\n    def total(self):\n        return 1\n"
SEARCHED = SearchSpec(
    definitions=rb"class\s+(\w+)", literals=[b"shop", b"@app"], words=[b"Order"], calls=[b".get("]
)
SEEN = glimpse_key(["Order"], [b"shop", b"Order"], [])


def traces(*files: FileFingerprints) -> FingerprintTable:
    return decode_table(table_of({".py": SEARCHED}, [(b"x", 8)], files).to_bytes())


def test_traces_are_read_as_they_were_written() -> None:
    known = traces(
        FileFingerprints(SEEN, [0], [5, 6, UNREAD]),
        FileFingerprints(b"s" * 16, [0, 0]),
        FileFingerprints(b"t" * 16, (), []),
    )
    found = [known.of(position) for position in range(3)]
    assert [(each.seen, [*each.patterns], each.functions) for each in found] == [
        (SEEN, [0], [5, 6, UNREAD]),
        (b"s" * 16, [0, 0], None),
        (b"t" * 16, [], []),
    ]


def test_a_file_that_is_not_parsed_is_judged_by_a_glance(tmp_path: Path) -> None:
    known = traces(FileFingerprints(SEEN))

    def again(text: bytes) -> bool:
        return known.again(0, "a.py", text, b"", str(tmp_path))

    assert again(TEXT)
    assert again(TEXT.replace(b"return 1", b"return 2\n\n    late = 3"))
    assert not again(TEXT.replace(b"Order", b"Orders"))
    assert not again(TEXT + b"@app.get\n")
    assert not again(TEXT + b"# contract-scan: ignore\n")
    assert not again(TEXT + b"x" * 30_000)  # nobody reads that
    assert not known.again(0, "a.rb", TEXT, b"", str(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[PrivateFolder]:
    """An empty folder of a cache."""
    opened = PrivateFolder(str(tmp_path), b"k" * SEAL)
    yield opened
    opened.close()


def test_a_file_that_is_parsed_is_held_against_its_old_text(folder: PrivateFolder) -> None:
    known = traces(FileFingerprints(SEEN, (), [5, 6, UNREAD]))

    def again(text: bytes, old: bytes) -> bool:
        return known.again(0, "a.py", text, digest_of(old), folder)

    new = TEXT.replace(b"class", b"# all\nclass").replace(b"return 1", b"return 2")
    assert not again(new, TEXT)  # it is not kept
    keep_texts(folder, [TEXT])
    assert not again(TEXT.replace(b"total", b"totals"), TEXT)
    assert again(TEXT.replace(b"class", b"# all\nclass"), TEXT)
    assert known.of(0).functions == [6, 7, UNREAD]
    assert again(new, TEXT.replace(b"class", b"# all\nclass"))  # the new text is kept now
    assert known.of(0).functions == [6, 7, UNREAD]


def test_a_text_that_is_known_to_give_the_same_is_kept_for_the_next(folder: PrivateFolder) -> None:
    known = traces(FileFingerprints(SEEN, (), []), FileFingerprints(SEEN))
    longer = TEXT + b"\n\n"
    assert known.keep(0, longer, folder)
    assert not known.keep(1, TEXT, folder)  # it is not parsed
    assert cached_digests(folder) == {digest_of(longer)}
    assert known.again(0, "a.py", longer + b"# the end\n", digest_of(longer), folder)


def test_texts_are_kept_whole_or_not_at_all(folder: PrivateFolder) -> None:
    keep_texts(folder, [b"one", b"two"])
    (Path(folder.path) / "README").write_text("no digest")
    one, two = digest_of(b"one"), digest_of(b"two")
    assert cached_digests(folder) == {one, two}
    assert cached_text(folder, one) == b"one"
    first, second = (Path(folder.path) / f"{TEXT_KIND}-{digest.hex()}" for digest in (one, two))
    first.write_bytes(second.read_bytes())
    assert cached_text(folder, one) is None
    second.write_bytes(b"garbage")
    assert cached_text(folder, two) is None


def test_texts_that_nothing_needs_are_forgotten_where_there_are_many(folder: PrivateFolder) -> None:
    texts = [b"%d" % number for number in range(2_003)]
    digests = [digest_of(text) for text in texts]
    keep_texts(folder, texts)
    forget_texts(folder, {*digests[:3]}, {*digests})
    assert len(cached_digests(folder)) == 2_003
    forget_texts(folder, {*digests[:2]}, {*digests})
    assert cached_digests(folder) == {*digests[:2]}


@pytest.mark.parametrize("seed", range(5))
def test_texts_hold_alike_what_they_hold_when_searched_whole(seed: int) -> None:
    """Only the lines in which they differ are searched, with what stands around these."""
    chance = random.Random(seed)
    searched = SearchSpec(
        definitions=b"", literals=[b"ab", b"c\nab", b"b;\n\nc"], words=[b"ab", b"c"], calls=[]
    )
    answers = set()
    for _ in range(400):
        old = b"\n".join(chance.choice((b"ab", b"c", b"xab", b"b;", b"")) for _ in range(6))
        lines = old.split(b"\n")
        lines[chance.randrange(6)] = chance.choice((b"ab", b"c", b"x", b"b;", b"", b"x\ny"))
        new = b"\n".join(lines)
        alike = searched.holds_alike(old, new, common_ends(old, new))
        assert alike == (searched.occurring_in(old) == searched.occurring_in(new))
        answers.add(alike)
    assert answers == {True, False}


def test_words_are_found_whole() -> None:
    text = b"order.Orders $id id2 \xc3\xa9id"
    assert [holds_word(text, word) for word in (b"order", b"Orders", b"Order", b"id", b"$id")] == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert not holds_word(b"a.b", b"a.b")


def test_names_are_those_of_one_group_of_a_pattern() -> None:
    import re

    either = re.compile(rb"class (\w+)|type (\w+)")
    assert names_in(b"class A type B class A", either) == ("A", "B")
    assert names_in(b"class A", re.compile(rb"class (\w+)")) == ("A",)
