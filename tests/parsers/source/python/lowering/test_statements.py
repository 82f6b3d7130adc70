"""Statements and expressions of Python files, each construct with the exact facts it gives."""

from __future__ import annotations

from textwrap import dedent

from contract_scan.parsers.source.python.lowering.lower import lower
from tests.parsers.source.python.show import show_block, show_statement


def lowered(source: str) -> list[str]:
    facts = lower(dedent(source).encode(), "a.py")
    assert facts.errors == ()
    return [show_statement(statement) for statement in facts.statements]


def body(source: str) -> str:
    """The statements of `f`, which the decorator asks for."""
    text = "@app.get('/')\ndef f():\n" + "\n".join(
        f"    {line}" for line in dedent(source).splitlines()
    )
    facts = lower(text.encode(), "a.py")
    assert facts.errors == ()
    return show_block(facts.functions[0].body or ())


def test_assignments() -> None:
    assert lowered(
        """
        a: int = 1
        b: str
        app = application = make()
        x, (y, *z) = value
        data["k"] = 1
        this.attr = 2
        a += 1
        """
    ) == [
        "a: int = 1",
        "b: str",
        "app = make()",
        "application = app",
        "(x, (y, *z)) = value",
        "data['k'] = 1",
        "this.attr = 2",
        "a += 1",
    ]


def test_walrus_is_an_assignment_before_the_statement() -> None:
    assert lowered("if (n := get()) and n.ok: use(n)") == [
        "n = get()",
        "if (and(n, n.ok)) {use(n)} or nothing",
    ]


def test_branches() -> None:
    assert (
        body(
            """
            if a: return 1
            elif b: return 2
            else: return 3
            """
        )
        == "{if (a) {return 1} | {if (b) {return 2} | {return 3}}}"
    )
    assert (
        body(
            """
            try:
                x = load()
            except (A, B) as error:
                raise Http(404) from error
            except* C: pass
            else:
                use(x)
            finally:
                close()
            """
        )
        == "{try {x = load(); use(x)} | {throw Http(404)} | {}; close()}"
    )


def test_what_is_deleted_is_popped() -> None:
    assert body("del row['a'], row['b'], other") == "{row.pop('a'); row.pop('b')}"
    assert body("del row[key]") == "{row.pop(key)}"


def test_match() -> None:
    assert (
        body(
            """
            match command:
                case "a" | "b": return 1
                case Color.RED: return 2
                case -1: return 3
                case Point(x=0): return 4
                case other: return 5
            """
        )
        == "{switch (command) [one of('a', 'b'), Color.RED, -1, ?pattern?, ?any?] "
        "{return 1} | {return 2} | {return 3} | {return 4} | {return 5}}"
    )


def test_loops_and_with_blocks() -> None:
    assert (
        body(
            """
            async with open(x) as f, lock():
                async for a, b in rows: use(a)
                while True: step()
            """
        )
        == "{f = open(x); lock(); loop (a, b) in rows {use(a)}; loop {step()}}"
    )


def test_yields() -> None:
    assert (
        body(
            """
            yield 1
            yield from rest
            got = yield 2
            """
        )
        == "{yield 1; yield *rest; got = ?value sent to a generator?}"
    )


def test_strings() -> None:
    assert lowered(
        r'''
        a = "x\n\x41\u00e9\N{BULLET}\
        y" 'z'
        b = r"\d" f"{{{c!r:>{w}}}}-"
        d = "/a/" + e + "/f" + g
        h = "/%s/%d%%" % (i, 2)
        j = "%(k)s" % {"k": l}
        m = b"bytes"
        n = """é
        """
        '''
    ) == [
        "a = 'x\\nAé•yz'",
        "b = text('\\\\d{', c, '}-')",
        "d = text('/a/', e, '/f', g)",
        "h = text('/', i, '/', 2, '%')",
        "j = text('', l, '')",
        "m = ?bytes?",
        "n = 'é\\n'",
    ]


def test_numbers() -> None:
    assert lowered("a = [1_000, 0x1F, -2, 1.5e3, 1j, 99999999999999999999, 1e999, True, None]") == [
        "a = [1000, 31, -2, 1500.0, ?number?, ?number?, ?number?, True, None]"
    ]


def test_operators() -> None:
    assert lowered(
        """
        a = b or c or d
        a = b and not c
        a = x if p else y if q else z
        a = b < c <= d
        a = b + c + 1 - d
        a = {**b} | c
        """
    ) == [
        "a = one of(b, c, d)",
        "a = and(b, not(c))",
        "a = one of(x, y, z)",
        "a = <(b, c, d)",
        "a = -(+(b, c, 1), d)",
        "a = |({**b}, c)",
    ]


def test_calls() -> None:
    assert lowered(
        """
        f(1, *a, k=2, **kw)
        g(x for x in y)
        a = cast("list[int]", b)
        c = Page[Order](items=1)
        d = await h()
        """
    ) == [
        "f(1, *a, k=2, **kw)",
        "g(each(x for x in y))",
        "a = cast(list[int], b)",
        "c = type Page[Order](items=1)",
        "d = h()",
    ]


def test_subscripts_are_types_where_they_read_like_one() -> None:
    assert lowered(
        """
        f(list[Order], Page[m.Order], Optional[int])
        f(Color["RED"], ROWS[key], rows[0], x[1:2], d[a, b])
        """
    ) == [
        "f(type list[Order], type Page[m.Order], type int | None)",
        "f(Color['RED'], ROWS[key], rows[0], x[?slice?], d[(a, b)])",
    ]


def test_displays_and_comprehensions() -> None:
    assert lowered(
        """
        a = {"x": 1, 2: b, key: c, **rest}
        b = [1, *more], {1, 2}, ()
        c = [f(x) for x in xs if x]
        d = {k: v for k, v in pairs}
        e = [y for x in xs for y in x]
        """
    ) == [
        "a = {x: 1, 2: b, [key]: c, **rest}",
        "b = ([1, *more], [1, 2], ())",
        "c = each(f(x) for x in xs)",
        "d = each(k: v for (k, v) in pairs)",
        "e = each(*each(y for y in x) for x in xs)",
    ]


def test_statements_that_say_nothing_are_left_out() -> None:
    assert lowered('"""Doc."""\npass\nglobal x\nassert x\ndel x\n...\nx\nimport os\n') == []


def test_what_follows_an_assertion_is_reached_where_it_holds() -> None:
    left = "if (not(check(a))) {jump} or nothing"
    assert lowered("assert check(a), report(b)") == ["check(a)", "report(b)", left]


def test_what_follows_a_loop_is_reached_where_its_test_fails() -> None:
    assert lowered("while a is None:\n    a = b") == [
        "loop {a = b}",
        "if (is(a, None)) {jump} or nothing",
    ]
    assert lowered("while a is None:\n    break") == ["loop {jump}"]
    assert lowered("while more(a):\n    a = b") == ["loop {a = b}"]
