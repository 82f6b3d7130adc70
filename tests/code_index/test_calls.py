"""What the index takes for a call of a declaration."""

from __future__ import annotations

from pathlib import Path

from contract_scan import api


def calls(root: Path, symbol: str) -> list[tuple[str, int, str, bool]]:
    """File, line, calling function, and whether evaluation says that the symbol is called."""
    with api.open_code_index(root, database=root / ".index.db") as index:
        index.update()
        found = index.find_callers(symbol).found
    return [(each.path, each.line, each.caller, each.is_resolved) for each in found]


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)


def test_accessors_of_csharp_call(tmp_path: Path) -> None:
    write(
        tmp_path,
        Bill__cs="""\
public class Bill
{
    private decimal net;
    public decimal Gross => Add(net);
    public decimal Net
    {
        get => Round(net);
        set
        {
            if (value < 0) { return; }
            net = Round(value);
        }
    }
    private decimal Add(decimal amount) => amount * 1.2m;
    private decimal Round(decimal amount) => decimal.Round(amount);
}
""",
    )
    assert calls(tmp_path, "Bill.Add") == [("Bill.cs", 4, "", True)]
    assert calls(tmp_path, "Bill.Round") == [
        ("Bill.cs", 7, "Bill.Net", True),
        ("Bill.cs", 11, "Bill.Net", True),
    ]


def test_an_extension_method_of_csharp_is_called_on_what_it_extends(tmp_path: Path) -> None:
    write(
        tmp_path,
        Texts__cs="""\
namespace Shop;

public static class Texts
{
    public static string Slug(this string text) => text.ToLower();
    public static string Slug(this Order order) => order.Title.Slug();
}

public class Order
{
    public string Title { get; set; }
    public string Name() => this.Slug();
}
""",
    )
    assert calls(tmp_path, "Texts.Slug") == [
        ("Texts.cs", 6, "Texts.Slug", True),
        ("Texts.cs", 12, "Order.Name", True),
    ]


def test_a_generic_type_of_csharp_is_found_by_its_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        Page__cs="""\
public class Page<T>
{
    public void Add(T item) { }
}

public class Report
{
    public void Fill()
    {
        var page = new Page<int>();
        page.Add(1);
    }
}
""",
    )
    assert calls(tmp_path, "Page") == [("Page.cs", 10, "Report.Fill", True)]
    assert calls(tmp_path, "Page.Add") == [("Page.cs", 11, "Report.Fill", True)]


def test_constants_of_a_java_enum_call_its_constructor(tmp_path: Path) -> None:
    write(
        tmp_path,
        Size__java="""\
enum Size {
    SMALL(1),
    LARGE(width());

    Size(int width) {}

    static int width() {
        return 9;
    }
}
""",
    )
    assert [line for _, line, _, _ in calls(tmp_path, "Size.Size")] == [2, 3]
    assert calls(tmp_path, "Size.width") == [("Size.java", 3, "", True)]


def test_a_constructor_is_found_beside_a_class_and_a_file_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, Size__java="class Size {\n    Size() {}\n}\n")
    with api.open_code_index(tmp_path, database=tmp_path / ".index.db") as index:
        index.update()
        found = index.find_definitions("Size.java#Size.Size").found
    assert [(each.kind, each.line) for each in found] == [("constructor", 2), ("class", 1)]


def test_python_calls_in_assertions(tmp_path: Path) -> None:
    write(
        tmp_path,
        test_prices__py="""\
def gross(net: float) -> float:
    return net * 1.2


def test_gross() -> None:
    assert gross(1.0) == 1.2, gross(1.0)
""",
    )
    assert calls(tmp_path, "gross") == [("test_prices.py", 6, "test_gross", True)] * 2
