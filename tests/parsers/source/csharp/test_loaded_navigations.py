"""Navigations of entities: what a query of Entity Framework Core has loaded is sent, what it has
not is undetermined."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

ENTITIES = """
using Microsoft.EntityFrameworkCore;
namespace Shop;
public class Db : DbContext
{
    public DbSet<Order> Orders { get; set; }
    public DbSet<Line> Lines { get; set; }
    public DbSet<Product> Products { get; set; }
}
public class Order
{
    public int Id { get; set; }
    public List<Line> Lines { get; set; } = [];
}
public class Line
{
    public int Count { get; set; }
    public Product? Product { get; set; }
}
public class Product { public string Name { get; set; } = ""; }
public class Size { public int Width { get; set; } }
"""
DTOS = """
public class OrderDto { public int Id { get; set; } public List<LineDto> Lines { get; set; } = []; }
public class LineDto { public int Count { get; set; } public ProductDto? Product { get; set; } }
public class ProductDto { public string Name { get; set; } = ""; }
"""
MAPS = """
public class Maps : AutoMapper.Profile
{
    public Maps()
    {
        CreateMap<Order, OrderDto>();
        CreateMap<Line, LineDto>().ReverseMap();
        CreateMap<Product, ProductDto>();
        CreateMap<OrderDto, Order>().ForMember(o => o.Lines, opt => opt.Ignore());
    }
}
"""
ID = "id: integer(int32)"
UNLOADED = "no query is seen to load `{}` (`Include`): what it holds is undetermined"
LINES = f"lines: [?{UNLOADED.format('Lines')}?]"
PRODUCT = f"product: {{?{UNLOADED.format('Product')}?}}|null"
LINE_ALONE = f"lines: [{{count: integer(int32), {PRODUCT}}}]"
ALL = "lines: [{count: integer(int32), product: {name: string}|null}]"


def sent(folder: Path, body: str, *, others: str = "", maps: str = MAPS, source: str = "") -> str:
    """What an action of the body sends."""
    controller = f"""
    namespace Shop;
    {DTOS}
    {maps}
    {others}
    [ApiController, Route("orders")]
    public class OrdersController(Db db, IMapper mapper) : ControllerBase
    {{
        [HttpPost]
        public async Task<IActionResult> Post(OrderDto given, int id) {{ {body} }}

        private async Task<OrderDto> Read(int id)
        {{
            var order = await db.Orders.SingleAsync(o => o.Id == id);
            return mapper.Map<OrderDto>(order);
        }}

        private void Fill(OrderDto dto) {{ dto.Lines.Add(new LineDto()); }}
    }}
    """
    files = {"App.csproj": CSPROJ, "Db.cs": source or ENTITIES, "Orders.cs": controller}
    (response,) = Project(folder, files).responses("POST /orders")
    return response.partition(" ")[2]


@pytest.mark.parametrize(
    ("query", "held"),
    [
        ("db.Orders.First()", LINES),
        ("await db.Orders.Where(o => o.Id > id).OrderBy(o => o.Id).FirstAsync()", LINES),
        ("db.Set<Order>().First()", LINES),
        ("db.Orders.Include(o => o.Lines).First()", LINE_ALONE),
        ("db.Orders.Include(o => o.Lines.Where(l => l.Count > 1)).First()", LINE_ALONE),
        ("db.Orders.Include(o => o.Lines).ThenInclude(l => l.Product).First()", ALL),
        ('db.Orders.Include("Lines.Product").First()', ALL),
        ("db.Orders.Include(Chosen()).First()", ALL),
    ],
)
def test_what_is_in_a_navigation(tmp_path: Path, query: str, held: str) -> None:
    direct = f"var order = {query}; return Ok(order);"
    mapped = f"var order = {query}; return Ok(mapper.Map<OrderDto>(order));"
    assert sent(tmp_path / "a", direct) == f"{{{ID}, {held}}}"
    assert sent(tmp_path / "b", mapped) == f"{{{ID}, {held}}}"


def test_a_list_of_entities(tmp_path: Path) -> None:
    body = (
        "var found = await db.Orders.ToListAsync(); return Ok(mapper.Map<List<OrderDto>>(found));"
    )
    assert sent(tmp_path, body) == f"[{{{ID}, {LINES}}}]"


def test_a_projection_loads_what_it_names(tmp_path: Path) -> None:
    body = "return Ok(db.Orders.Select(o => new { o.Id, o.Lines }).First());"
    written = f"{{{ID}, {LINE_ALONE}}}".replace("id:", "id!:").replace("lines:", "lines!:")
    assert sent(tmp_path / "a", body) == written
    body = "return Ok(mapper.ProjectTo<OrderDto>(db.Orders).First());"
    assert sent(tmp_path / "b", body) == f"{{{ID}, {ALL}}}"
    body = "return Ok(db.Orders.ProjectTo<OrderDto>(null).First());"
    assert sent(tmp_path / "c", body) == f"{{{ID}, {ALL}}}"


def test_a_profile_says_what_a_member_is_made_of(tmp_path: Path) -> None:
    maps = MAPS.replace(
        "CreateMap<Order, OrderDto>();",
        "CreateMap<Order, OrderDto>().ForMember(d => d.Goods, opt => opt.MapFrom("
        "o => o.Lines.Select(l => l.Product)));",
    )
    dto = "public List<LineDto> Lines { get; set; } = [];"
    changed = DTOS.replace(dto, "public List<ProductDto> Goods { get; set; } = [];")
    unloaded = f"{{{ID}, goods: [?{UNLOADED.format('Goods')}?]}}"
    for query, held in (
        ("db.Orders", unloaded),
        ("db.Orders.Include(o => o.Lines)", unloaded),
        (
            "db.Orders.Include(o => o.Lines).ThenInclude(l => l.Product)",
            f"{{{ID}, goods: [{{name: string}}]}}",
        ),
    ):
        body = f"return Ok(mapper.Map<OrderDto>({query}.First()));"
        folder = tmp_path / str(len(query))
        whole = ENTITIES + changed
        assert sent_with(folder, body, maps, whole) == held


def sent_with(folder: Path, body: str, maps: str, source: str) -> str:
    """What an action sends in a project with other mapped classes."""
    controller = f"""
    namespace Shop;
    {maps}
    [ApiController, Route("orders")]
    public class OrdersController(Db db, IMapper mapper) : ControllerBase
    {{
        [HttpPost]
        public IActionResult Post() {{ {body} }}
    }}
    """
    files = {"App.csproj": CSPROJ, "Db.cs": source, "Orders.cs": controller}
    (response,) = Project(folder, files).responses("POST /orders")
    return response.partition(" ")[2]


READ = "await db.SaveChangesAsync(); return Ok(await Read(id));"


@pytest.mark.parametrize(
    ("before", "held"),
    [
        ("", LINES),
        ("db.Lines.Add(new Line { Count = 1 });", ALL),
        ("db.Products.Add(new Product());", LINES),
        ("var order = mapper.Map<Order>(given); db.Orders.Add(order);", LINES),
        ("var line = mapper.Map<Line>(given.Lines[0]); await db.AddAsync(line);", ALL),
        ("var order = db.Orders.First(); mapper.Map(given, order);", ALL),
        ("await db.Lines.LoadAsync();", ALL),
    ],
)
def test_what_was_added_to_the_context_is_in_navigations(
    tmp_path: Path, before: str, held: str
) -> None:
    assert sent(tmp_path, before + READ) == f"{{{ID}, {held}}}"


def test_what_code_puts_into_a_member_is_sent(tmp_path: Path) -> None:
    read = "var dto = await Read(id);"
    for position, change in enumerate(
        ("Fill(dto);", "dto.Lines.Add(new LineDto());", "dto.Lines = given.Lines;")
    ):
        body = f"{read} {change} return Ok(dto);"
        assert sent(tmp_path / str(position), body) == f"{{{ID}, {ALL}}}"


@pytest.mark.parametrize(
    "otherwise",
    [
        "options.UseLazyLoadingProxies();",
        "model.Entity<Order>().Navigation(o => o.Lines).AutoInclude();",
    ],
)
def test_navigations_that_no_query_has_to_name(tmp_path: Path, otherwise: str) -> None:
    others = f"public class Setup {{ void Of(dynamic options, dynamic model) {{ {otherwise} }} }}"
    assert sent(tmp_path, "return Ok(db.Orders.First());", others=others) == f"{{{ID}, {ALL}}}"


def test_what_is_no_row_of_a_table_is_loaded_with_the_row(tmp_path: Path) -> None:
    source = ENTITIES.replace(
        "public int Id", "public Size Size { get; set; } = new(); public int Id"
    )
    shape = sent(tmp_path, "return Ok(db.Orders.First());", source=source)
    assert shape == f"{{size: {{width: integer(int32)}}, {ID}, {LINES}}}"
