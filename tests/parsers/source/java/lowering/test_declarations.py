"""Declarations of Java files, each construct with the exact facts it gives."""

from __future__ import annotations

import re

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.java.lowering.lower import lower, lower_body
from contract_scan.parsers.source.literals import any_of_literals
from tests.parsers.source.java.show import show_block, show_class


def classes(source: str, *calls: bytes) -> list[str]:
    facts = lower(source.encode(), "A.java", re.compile(any_of_literals(calls)))
    assert facts.errors == ()
    return [line for declaration in facts.classes for line in show_class(declaration)]


def test_package_and_imports() -> None:
    facts = lower(
        b"package com.shop . orders;\nimport java.util.List;\nimport com.shop.model.*;\n"
        b"import static com.shop.Paths.ORDERS;\nimport static com.shop.Paths.*;\n",
        "A.java",
    )
    assert facts.package == "com.shop.orders"
    assert [(i.module, i.name, i.local, i.modifiers) for i in facts.imports] == [
        ("java.util", "List", "List", ()),
        ("com.shop.model", "*", "", ()),
        ("com.shop.Paths", "ORDERS", "ORDERS", ("static",)),
        ("com.shop.Paths", "*", "", ("static",)),
    ]


def test_class_with_annotations_generics_and_bases() -> None:
    assert classes(
        """
        @RestController
        @RequestMapping(value = {"/a", Paths.B + "/c"}, method = RequestMethod.GET)
        public abstract class Orders<T extends Base & Named, U>
            extends Parent<T> implements First, Second<U, int[]> {}
        """
    ) == [
        "@RestController @RequestMapping(value=['/a', text(Paths.B, '/c')], "
        "method=RequestMethod.GET) public abstract extends class "
        "Orders<T: Base & Named><U> : Parent<T>, First, Second<U, int[]>"
    ]


def test_fields() -> None:
    assert classes(
        """
        class A {
          private static final String PATH = "/a", OTHER = PATH + "/b";
          @JsonProperty("n") protected List<@Valid Order> orders = new ArrayList<>();
          byte[] data, table[];
          java.util.Map<String, ? extends Item> items;
          List<?> anything;
          List<@Nullable String> names;
        }
        """
    ) == [
        "class A",
        "  private static final constant String PATH = '/a'",
        "  private static final constant String OTHER = text(PATH, '/b')",
        "  @JsonProperty('n') @Valid protected field List<Order> orders = new ArrayList()",
        "  field byte[] data",
        "  field byte[][] table",
        "  field java.util.Map<String, Item> items",
        "  field List<?> anything",
        "  field List<String|null> names",
    ]


def test_methods_and_constructors() -> None:
    assert classes(
        """
        class A {
          A(final String name) { this.name = name; }
          @GetMapping("/x") public <R extends Base> ResponseEntity<List<R>> find(
              @PathVariable("id") long id, /* which */ @RequestParam(required = false) String... q)
              throws IOException { return null; }
          abstract void nothing();
          int[] table()[] { return null; }
          void receiver(A this, int x) {}
        }
        """
    ) == [
        "class A",
        "  constructor no type A(final String name)",
        "  @GetMapping('/x') public ResponseEntity<List<R>> find<R: Base>("
        "@PathVariable('id') long id, @RequestParam(required=False) String *q)",
        "  abstract void nothing()",
        "  int[][] table()",
        "  void receiver(int x)",
    ]


def test_interface() -> None:
    assert classes(
        """
        public interface Api extends Base<String>, Other {
          String ROOT = "/api";
          @GET @Path("x") Order find();
          default int count() { return 1; }
        }
        """
    ) == [
        "public interface Api : Base<String>, Other",
        "  static final constant String ROOT = '/api'",
        "  @GET @Path('x') abstract Order find()",
        "  default int count()",
    ]


def test_record() -> None:
    assert classes(
        """
        public record Order<T>(@JsonProperty("order_id") UUID id, List<T> lines) implements Event {
          public Order { check(id); }
          static Order<String> of() { return null; }
        }
        """
    ) == [
        "public record Order<T> : Event",
        "  @JsonProperty('order_id') parameter UUID id",
        "  parameter List<T> lines",
        "  public constructor no type Order()",
        "  static Order<String> of()",
        "  public implicit UUID id() {return this.id}",
        "  public implicit List<T> lines() {return this.lines}",
    ]


def test_enum_lowers_the_bodies_that_decide_how_constants_are_written() -> None:
    assert classes(
        """
        enum Color implements Named {
          @JsonProperty("r") RED("red", 1), GREEN { String code() { return "g"; } };
          private String code;
          Color() {}
          Color(String code, int n) { this.code = code; }
          @JsonValue public String code() { return code; }
        }
        """
    ) == [
        "enum Color : Named",
        "  @JsonProperty('r') enum no type RED('red', 1)",
        "  enum no type GREEN",
        "  private field String code",
        "  constructor no type Color() {}",
        "  constructor no type Color(String code, int n) {this.code = code}",
        "  @JsonValue public String code() {return code}",
    ]


def test_annotation_type() -> None:
    assert classes(
        """
        @RequestMapping(method = RequestMethod.GET)
        public @interface GetJson {
          @AliasFor(annotation = RequestMapping.class, attribute = "path")
          String[] value() default {};
          int LIMIT = 3;
        }
        """
    ) == [
        "@RequestMapping(method=RequestMethod.GET) public annotation GetJson",
        "  @AliasFor(annotation=type RequestMapping, attribute='path') "
        "property String[] value = []",
        "  static final constant int LIMIT = 3",
    ]


def test_nested_types() -> None:
    assert classes(
        "class A { static class B { interface C {} } enum D { X } record E(int f) {} }"
    ) == [
        "class A",
        "  static class B",
        "    interface C",
        "  enum D",
        "    enum no type X",
        "  record E",
        "    parameter int f",
        "    public implicit int f() {return this.f}",
    ]


def test_nested_annotations_are_calls() -> None:
    assert classes(
        '@Subs({@Type(value = Cat.class, name = "cat"), @Type(Dog.class), @Mark}) class Pet {}'
    ) == ["@Subs([Type(value=type Cat, name='cat'), Type(type Dog), Mark()]) class Pet"]


def test_statements_are_lowered_where_a_marker_stands() -> None:
    source = "class A { void f() { bus.send(1); } void g() { other(); } }"
    assert classes(source, b".send(") == [
        "class A",
        "  void f() {bus.send(1)}",
        "  void g()",
    ]


def test_a_body_is_read_on_demand_by_the_place_of_its_function() -> None:
    source = '/* é */ class A { String é = "ü"; void f() { a(); } @X void g() { b(); } }'.encode()
    facts = lower(source, "A.java")
    first, second = facts.classes[0].methods
    assert first.span == Span(1, 35, 1, 52)
    assert show_block(lower_body(source, "A.java", first.span)) == "{a()}"
    assert show_block(lower_body(source, "A.java", second.span)) == "{b()}"
    assert lower_body(source, "A.java", Span(9, 1, 9, 9)) == ()


def test_columns_count_code_points() -> None:
    facts = lower('class A {\n\tString ü = "é"; int b;\n}'.encode(), "A.java")
    assert [m.name_span for m in facts.classes[0].members] == [
        Span(2, 9, 2, 10),
        Span(2, 22, 2, 23),
    ]


def test_declarations_around_an_error_are_still_read() -> None:
    facts = lower(
        b"package a;\nclass A { int x = ; @Get void f() {} String y; }\nclass B { int z; }\n",
        "A.java",
    )
    assert [line for c in facts.classes for line in show_class(c)] == [
        "class A",
        "  field int x",
        "  field String y",
        "  @Get void f()",
        "class B",
        "  field int z",
    ]
    assert facts.errors == (Span(2, 17, 2, 18),)


def test_braces_that_never_close_are_named_as_an_error() -> None:
    facts = lower(b"class A { int x; }\nclass B { void f() { if (y) {", "A.java")
    assert [line for c in facts.classes for line in show_class(c)] == ["class A", "  field int x"]
    assert [(span.line, span.end_line) for span in facts.errors] == [(1, 2)]


def test_getters_that_lombok_generates() -> None:
    source = """
        import lombok.*;
        @Data @Accessors(chain = true)
        class A {
          static int counter;
          String name; boolean active, isOpen; Boolean maybe;
          @Getter(AccessLevel.PRIVATE) int hidden;
          int written;
          public int getWritten() { return 1; }
        }
        """
    assert classes(source)[8:] == [
        "  public int getWritten()",
        "  public implicit String getName() {return this.name}",
        "  public implicit boolean isActive() {return this.active}",
        "  public implicit boolean isOpen() {return this.isOpen}",
        "  public implicit Boolean getMaybe() {return this.maybe}",
        "  public implicit A setName(String name) {this.name = name; return this}",
        "  public implicit A setActive(boolean active) {this.active = active; return this}",
        "  public implicit A setOpen(boolean isOpen) {this.isOpen = isOpen; return this}",
        "  public implicit A setMaybe(Boolean maybe) {this.maybe = maybe; return this}",
        "  public implicit A setHidden(int hidden) {this.hidden = hidden; return this}",
        "  public implicit A setWritten(int written) {this.written = written; return this}",
    ]


def test_prefixes_that_lombok_takes_from_names_of_fields() -> None:
    source = """
        import lombok.*; import lombok.experimental.Accessors;
        @Data @Accessors(prefix = {"m", "_"})
        class A {
          String mName; int _size; boolean mIsOpen; String money; String plain;
          @Getter @Accessors(prefix = "f", fluent = true) String fOwn;
        }
        """
    assert classes(source)[7:] == [
        "  public implicit String getName() {return this.mName}",
        "  public implicit int getSize() {return this._size}",
        "  public implicit boolean isOpen() {return this.mIsOpen}",
        "  public implicit String own() {return this.fOwn}",
        "  public implicit void setName(String mName) {}",
        "  public implicit void setSize(int _size) {}",
        "  public implicit void setOpen(boolean mIsOpen) {}",
        "  public implicit A own(String fOwn) {this.fOwn = fOwn; return this}",
    ]


def test_annotations_that_only_look_like_those_of_lombok() -> None:
    assert classes("import org.immutables.value.Value; @Value class A { int x; }") == [
        "@Value class A",
        "  field int x",
    ]


def test_lombok_on_fields_and_fluent_accessors() -> None:
    source = """
        import lombok.Getter; import lombok.experimental.Accessors;
        class A { @Getter @Accessors(fluent = true) int x; @lombok.Getter int y; int z; }
        """
    assert classes(source)[4:] == [
        "  public implicit int x() {return this.x}",
        "  public implicit int getY() {return this.y}",
    ]
