"""How Jackson writes classes: which properties, under which names, of which shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.databind.annotation.*;
import com.fasterxml.jackson.databind.*;
import java.util.*;
import java.time.*;
import java.math.*;
"""
BOOT = "import org.springframework.boot.autoconfigure.SpringBootApplication;\n"


def model(folder: Path, source: str, name: str = "Order", settings: str = "") -> str:
    files = {"src/main/java/shop/Order.java": HEAD + source}
    if settings:
        files["src/main/resources/application.properties"] = settings
    return Project(folder, files).model(name)


def test_a_getter_gives_what_its_type_parameter_is_bounded_by(tmp_path: Path) -> None:
    assert (
        model(
            tmp_path,
            """
            class Item { public int no; }
            interface Order {
              <I extends Item> I getFirst();
              <I extends Item> Set<I> getAll();
              <T> T getAny();
              String getName();
            }
            """,
        )
        == "{first: {no: integer(int32)}~, all: [{no: integer(int32)}]~,"
        " any: <type `T` comes from a library>~, name: string~}"
    )


def test_getters_decide_names(tmp_path: Path) -> None:
    assert (
        model(
            tmp_path,
            """
            class Order {
              private String hidden; private String name; public int open; static int counter;
              private transient int cache; private String URL; private boolean active;
              public String getName() { return name; }
              public String getURL() { return URL; }
              public String getaName() { return ""; }
              public boolean isActive() { return active; }
              public Boolean isBoxed() { return true; }
              public String isNothing() { return ""; }
              public int getComputed() { return 1; }
              public static int getStatic() { return 1; }
              public int getWith(int x) { return x; }
              public void getVoid() {}
              int getPackagePrivate() { return 1; }
              public Class<?> getClass2() { return null; }
              public String get() { return ""; }
            }
            """.replace("public Class<?> getClass2() { return null; }", ""),
        )
        == "{name: string~, open: integer(int32), active: boolean, url: string~ (sent only), "
        "aName: ''~ (sent only), boxed: True~ (sent only), "
        "computed: 1(int32) (sent only)}"
    )


def test_types(tmp_path: Path) -> None:
    assert (
        model(
            tmp_path,
            BOOT
            + """
            class Order { public long a; public BigDecimal b; public UUID c; public List<String> d;
              public Map<String, Integer> e; public Optional<String> f; public Instant g;
              public LocalDate h; public Date i; public byte[] j; public char k; public Object l;
              public int[][] m; public Duration n; public java.net.URI o; public Set<Kind> p; }
            enum Kind { A, B }
            """,
        )
        == "{a: integer(int64), b: number~, c: string(uuid)~, d: [string]~, "
        "e: {*: integer(int32)}~, f: string|null, g: string(date-time)~, h: string(date)~, "
        "i: string(date-time)~, j: string(byte)~, k: string, l: <it is declared as `Object`>~, "
        "m: [[integer(int32)]]~, n: string(duration)~, o: string(uri)~, p: ['A' 'B']~}"
    )


def test_renamed_ignored_and_one_way_properties(tmp_path: Path) -> None:
    assert (
        model(
            tmp_path,
            """
            @JsonIgnoreProperties({"gone", "also_gone"})
            class Order {
              static final String ID = "order_id";
              @JsonProperty(ID) private long id;
              public long getId() { return id; }
              private String total;
              @JsonGetter("total_price") public String getTotal() { return total; }
              @JsonSetter("totalPrice") public void setTotal(String t) {}
              @JsonIgnore private String secret;
              public String getSecret() { return secret; }
              @JsonIgnore private String password;
              @JsonProperty("password") public void setPassword(String p) {}
              @JsonProperty(access = JsonProperty.Access.READ_ONLY) public int version;
              @JsonProperty(access = JsonProperty.Access.WRITE_ONLY) public String token;
              @JsonAlias({"n", "nm"}) public String name;
              @JsonProperty private String plain;
              public String gone;
              @JsonProperty("also_gone") public String other;
              @JsonProperty("calc") public int compute() { return 1; }
              public void setLegacy(String legacy) { this.name = legacy; }
            }
            """,
        )
        == "{order_id: integer(int64), total_price: string~ as total_price/totalPrice, "
        "password: string~ (read only), version: integer(int32) (sent only), "
        "token: string~ (read only), name: string~ as name/n/nm, plain: string~, "
        "calc: 1(int32) (sent only), legacy: string~ (read only)}"
    )


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ("spring.jackson.property-naming-strategy=SNAKE_CASE", "order_id"),
        (
            "spring.jackson.propertyNamingStrategy="
            "com.fasterxml.jackson.databind.PropertyNamingStrategies$KebabCaseStrategy",
            "order-id",
        ),
        ("spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE", "OrderId"),
        ("", "orderId"),
    ],
)
def test_naming_strategy_of_settings(tmp_path: Path, settings: str, name: str) -> None:
    source = 'class Order { public long orderId; @JsonProperty("kept") public int other; }'
    shown = f"{{{name}: integer(int64), kept: integer(int32)}}"
    assert model(tmp_path, BOOT + source, settings=settings) == shown


@pytest.mark.parametrize(
    "configuration",
    [
        "@Bean ObjectMapper mapper() { return new ObjectMapper()"
        ".setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE); }",
        "@Bean ObjectMapper mapper() { ObjectMapper m = new ObjectMapper();"
        "m.setPropertyNamingStrategy(new PropertyNamingStrategies.SnakeCaseStrategy());"
        "return m; }",
        "@Bean Jackson2ObjectMapperBuilderCustomizer c() { return b -> "
        "b.propertyNamingStrategy(PropertyNamingStrategy.CAMEL_CASE_TO_LOWER_CASE_WITH_UNDERSCORES);"
        "}",
        "@Autowired void configure(ObjectMapper mapper) {"
        "mapper.setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE); }",
    ],
)
def test_naming_strategy_of_code(tmp_path: Path, configuration: str) -> None:
    source = f"class Order {{ public long orderId; }} class Config {{ {configuration} }}"
    assert model(tmp_path, BOOT + source) == "{order_id: integer(int64)}"


@pytest.mark.parametrize(
    ("build", "text", "library", "date"),
    [
        (
            "build.gradle",
            "id 'org.springframework.boot' version '3.4.1'",
            "com.fasterxml",
            "number",
        ),
        ("build.gradle", "id 'org.springframework.boot' version '4.0.3'", "com.fasterxml", "text"),
        ("build.gradle", "id 'org.springframework.boot' version '4.0.3'", "tools", "text"),
        (
            "build.gradle",
            "id 'org.springframework.boot' version '4.0.3'\n'a:spring-boot-jackson2:4.0.3'",
            "com.fasterxml",
            "number",
        ),
        (
            "pom.xml",
            "<parent><artifactId>spring-boot-starter-parent</artifactId>\n"
            "<version>4.0.0</version></parent>",
            "com.fasterxml",
            "text",
        ),
    ],
)
def test_jackson_3_of_spring_boot_4(
    tmp_path: Path, build: str, text: str, library: str, date: str
) -> None:
    source = f"""package shop;
        import java.time.Instant;
        import org.springframework.context.annotation.Bean;
        import {library}.jackson.databind.json.JsonMapper;
        class Order {{ public Instant at; }}
        class Config {{
          @Bean public JsonMapper mapper() {{ return JsonMapper.builder().build(); }} }}
        """
    found = Project(tmp_path, {"src/main/java/shop/Order.java": source, build: text})
    shown = {"text": "string(date-time)", "number": "number"}[date]
    assert found.model("Order") == f"{{at: {shown}~}}"


def test_mapper_that_a_class_keeps_for_itself_says_nothing(tmp_path: Path) -> None:
    source = """
        class Order { public long orderId; }
        class Client { private ObjectMapper mapper = new ObjectMapper();
          Client() { mapper.setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE); } }
        """
    assert model(tmp_path, BOOT + source) == "{orderId: integer(int64)}"


def test_unknown_naming_strategy_is_not_guessed(tmp_path: Path) -> None:
    source = "@JsonNaming(OwnStrategy.class) class Order { public long orderId; }"
    assert model(tmp_path, source) == (
        "<properties are renamed by `OwnStrategy`, which is not known>"
    )


def test_json_naming_is_inherited(tmp_path: Path) -> None:
    source = """
        @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class) class Base { public int aB; }
        class Order extends Base { public int URLName; }
        """
    assert model(tmp_path, source) == "{urlname: integer(int32), a_b: integer(int32)}"


def test_each_module_has_its_own_naming(tmp_path: Path) -> None:
    order = "package shop;\npublic class Order { public long orderId; }"
    controller = """
        package shop;
        import org.springframework.web.bind.annotation.*;
        import org.springframework.boot.autoconfigure.SpringBootApplication;
        @RestController class C { @GetMapping("/%s") Order get() { return null; } }
        """
    found = Project(
        tmp_path,
        {
            "common/src/main/java/shop/Order.java": order,
            "a/src/main/java/shop/A.java": controller % "a",
            "a/src/main/resources/application.yml": (
                "spring.jackson.property-naming-strategy: SNAKE_CASE\n"
            ),
            "b/src/main/java/shop/B.java": controller % "b",
            "b/src/main/resources/application.yml": "server.port: 1\n",
        },
    )
    assert found.responses("GET /a") == ["(200) {order_id: integer(int64)}"]
    assert found.responses("GET /b") == ["(200) {orderId: integer(int64)}"]


def test_inclusion(tmp_path: Path) -> None:
    source = """
        import javax.validation.constraints.*;
        @JsonInclude(JsonInclude.Include.NON_NULL)
        class Order { public int a; public String b; @NotNull public String c;
          @Nullable public String d; public Optional<String> e;
          @JsonInclude(JsonInclude.Include.NON_EMPTY) public List<String> f;
          @JsonInclude public String g; }
        """
    assert model(tmp_path, source) == (
        "{a: integer(int32), b~: string, c: string, d?: string, e?: string, f~: [string], "
        "g: string~}"
    )


def test_what_documentation_says_of_presence_counts_where_nothing_else_is_said(
    tmp_path: Path,
) -> None:
    source = """
        @JsonInclude(JsonInclude.Include.NON_NULL)
        class Order { @Schema(requiredMode = Schema.RequiredMode.REQUIRED) public String a;
          @ApiModelProperty(value = "b", required = true) public String b;
          @Schema(description = "c") public String c;
          @Nullable @Schema(required = true) public String d; }
        """
    assert model(tmp_path, source) == "{a: string, b: string, c~: string, d?: string}"


def test_nullness(tmp_path: Path) -> None:
    source = """
        class Order { @NotBlank public String a; @Nullable public String b; public Integer c;
          @Column(nullable = false) public String d; public @Nullable String e; }
        """
    assert model(tmp_path, source) == (
        "{a: string, b: string|null, c: integer(int32)~, d: string, e: string|null}"
    )


def test_what_overrides_a_getter_says_anew_whether_null_may_come(tmp_path: Path) -> None:
    source = """
        interface Named { @Nullable String getName(); @Nullable String getNote(); }
        class Order implements Named {
          public String getName() { return "x"; }
          @Nullable public String getNote() { return null; } }
        """
    assert model(tmp_path, source) == ("{name: 'x'~ (sent only), note: string|null (sent only)}")


def test_inclusion_of_settings_and_code(tmp_path: Path) -> None:
    settings = "spring.jackson.default-property-inclusion=non_null\n"
    source = BOOT + "class Order { public String a; }"
    assert model(tmp_path / "a", source, settings=settings) == "{a~: string}"
    code = """
        class Order { public String a; }
        class C { @Bean ObjectMapper m() {
          return new ObjectMapper().setSerializationInclusion(JsonInclude.Include.NON_EMPTY); } }
        """
    assert model(tmp_path / "b", code) == "{a~: string}"
    builder = """
        class Order { public String a; }
        class C { @Bean JsonMapperBuilderCustomizer c() {
          return b -> b.changeDefaultPropertyInclusion(
            v -> v.withValueInclusion(JsonInclude.Include.NON_NULL)); } }
        """
    assert model(tmp_path / "c", builder) == "{a~: string}"


def test_dates(tmp_path: Path) -> None:
    source = "class Order { public Instant at; public LocalDate on; }"
    text = "{at: string(date-time)~, on: string(date)~}"
    number = "{at: number~, on: [integer]~}"
    assert model(tmp_path / "boot", BOOT + source) == text
    settings = "spring.jackson.serialization.write-dates-as-timestamps=true\n"
    assert model(tmp_path / "set", BOOT + source, settings=settings) == number
    whole = (
        "class C implements ObjectMapperCustomizer { public void customize(ObjectMapper m) "
        "{ m.configure(SerializationFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS, false); } }"
    )
    milliseconds = "{at: integer~, on: [integer]~}"
    found = model(tmp_path / "whole", BOOT + source + whole, settings=settings)
    assert found == milliseconds
    settings += "spring.jackson.serialization.write-date-timestamps-as-nanoseconds=false\n"
    assert model(tmp_path / "milliseconds", BOOT + source, settings=settings) == milliseconds
    own = "class C { @Bean ObjectMapper m() { return new ObjectMapper(); } }"
    assert model(tmp_path / "own", BOOT + source + own) == number
    off = (
        "class C { @Bean ObjectMapper m() { return new ObjectMapper()"
        ".disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS); } }"
    )
    assert model(tmp_path / "off", BOOT + source + off) == text
    assert model(tmp_path / "none", source).startswith("{at: <whether `Instant` is written as text")


def test_json_format(tmp_path: Path) -> None:
    source = """
        class Order {
          @JsonFormat(pattern = "yyyy-MM-dd") public Date a;
          @JsonFormat(shape = JsonFormat.Shape.STRING) public Instant b;
          @JsonFormat(shape = JsonFormat.Shape.STRING) public Long c;
          @JsonFormat(shape = JsonFormat.Shape.NUMBER) public Date d;
        }
        """
    assert model(tmp_path, source) == (
        "{a: string(date)~, b: string(date-time)~, c: string~, d: numeric~}"
    )


def test_records(tmp_path: Path) -> None:
    source = """
        record Order(@JsonProperty("order_id") long id, @NotNull String name, List<Line> lines,
            boolean isOpen) {
          record Line(int count) {}
          public int getTotal() { return 1; }
          static Order of() { return null; }
        }
        """
    assert model(tmp_path, source) == (
        "{order_id: integer(int64), name: string, lines: [{count: integer(int32)}]~, "
        "isOpen: boolean, total: 1(int32) (sent only)}"
    )


def test_lombok(tmp_path: Path) -> None:
    source = """
        import lombok.*;
        @Data @Builder class Order { private long id; private boolean isOpen;
          @JsonProperty("n") private String name; @Getter(AccessLevel.NONE) private int secret; }
        """
    assert model(tmp_path, source) == "{id: integer(int64), n: string~, open: boolean}"


def test_lombok_copies_annotations_to_setters_that_go_by_another_name(tmp_path: Path) -> None:
    source = """
        import lombok.*;
        @Data class Order { @JsonProperty("is_open") private boolean isOpen;
          @JsonIgnore private boolean isSecret; @JsonProperty("x") private String xAxis;
          private String yAxis; @Setter(AccessLevel.NONE) private boolean isKept; }
        @Getter class Line { @JsonProperty("is_open") private boolean isOpen; }
        """
    assert model(tmp_path, source) == (
        "{is_open: boolean, x: string~, yaxis: string~, kept: boolean (sent only)}"
    )
    assert model(tmp_path, source, "Line") == "{is_open: boolean, open: boolean (sent only)}"


def test_inheritance_and_generics(tmp_path: Path) -> None:
    source = """
        class Base<T> { public T data; public String shared; public List<T> more; }
        interface Named { default String getTitle() { return ""; } }
        class Order extends Base<Line> implements Named { public Integer shared; }
        class Line { public int count; }
        """
    assert model(tmp_path, source) == (
        "{shared: integer(int32)~, data: {count: integer(int32)}~, "
        "more: [{count: integer(int32)}]~, title: ''~ (sent only)}"
    )


def test_a_field_hides_that_of_an_ancestor_with_its_annotations(tmp_path: Path) -> None:
    source = """
        class Base { @JsonIgnore public List<Line> lines; @JsonIgnore private int sum;
          @JsonIgnore public int count; }
        class Order extends Base { public Integer[] lines; public int getSum() { return sum; } }
        class Line { public int count; }
        """
    assert model(tmp_path, source) == "{lines: [integer(int32)]~}"


def test_base_class_of_a_library_may_add_fields(tmp_path: Path) -> None:
    source = "import org.library.Entity; class Order extends Entity { public int a; }"
    assert model(tmp_path, source) == (
        "{a: integer(int32), … `Order` extends `Entity`, which comes from a library}"
    )


def test_enums(tmp_path: Path) -> None:
    source = """
        class Order { public Plain a; public Named b; public Valued c; public ByField d;
          public Num e; public Odd f; public Shaped g; }
        enum Plain { ONE, TWO }
        enum Named { @JsonProperty("one") ONE, TWO }
        enum Valued { ONE("1st", 1), TWO("2nd", 2); private final String code; private final int n;
          Valued(String code, int n) { this.code = code; this.n = n; }
          @JsonValue public String getCode() { return code; } }
        @lombok.AllArgsConstructor enum ByField { A("a"); @JsonValue private final String v; }
        enum Num { ONE(1); final int n; Num(int n) { this.n = n; }
          @JsonValue int n() { return n; } }
        enum Odd { ONE; @JsonValue String low() { return name().toLowerCase(); } }
        @JsonFormat(shape = JsonFormat.Shape.OBJECT) enum Shaped { ONE;
          public String getLabel() { return ""; } }
        """
    assert model(tmp_path, source) == (
        "{a: 'ONE' 'TWO'~, b: 'one' 'TWO'~, c: '1st' '2nd'~, d: 'a'~, e: 1(int32)~, f: 'one'~, "
        "g: {label: ''~ (sent only)}~}"
    ).replace("1(int32)", "1")


@pytest.mark.parametrize(
    ("method", "shown"),
    [
        ("return String.valueOf(text);", "'a-b' 'c'"),
        ("return java.util.Objects.toString(this.text);", "'a-b' 'c'"),
        ("return text.toUpperCase(Locale.ROOT);", "'A-B' 'C'"),
        ('return text.replace("-", "_").trim();', "'a_b' 'c'"),
        ("return getText();", "'a-b' 'c'"),
        ('return name().toLowerCase().replace("_", "-");', "'first-one' 'second'"),
        ("return super.toString();", "'FIRST_ONE' 'SECOND'"),
        ("return toString();", "'a-b' 'c'"),
        ('return text + "!";', "string"),
        ("return Texts.of(this);", "string"),
        ("if (text == null) { return null; } return text;", "string"),
    ],
)
def test_values_that_methods_of_enums_give(tmp_path: Path, method: str, shown: str) -> None:
    source = f"""
        class Order {{ public Kind kind; }}
        enum Kind {{ FIRST_ONE("a-b"), SECOND("c"); private final String text;
          Kind(String text) {{ this.text = text; }}
          public String getText() {{ return text; }}
          public String toString() {{ return text; }}
          @JsonValue public String json() {{ {method} }} }}
        """
    assert model(tmp_path, source) == f"{{kind: {shown}~}}"


def test_a_value_is_written_whatever_the_shape(tmp_path: Path) -> None:
    source = """
        class Order { public Kind kind; }
        @JsonFormat(shape = JsonFormat.Shape.OBJECT) enum Kind { A("a"); private String text;
          Kind(String text) { this.text = text; }
          @JsonValue public String getText() { return text; }
        }
        """
    assert model(tmp_path, source) == "{kind: 'a'~}"


def test_enums_by_their_text(tmp_path: Path) -> None:
    source = """
        class Order { public Kind kind; }
        enum Kind { A("x"); private final String t; Kind(String t) { this.t = t; }
          @Override public String toString() { return t; } }
        """
    settings = "spring.jackson.serialization.WRITE_ENUMS_USING_TO_STRING=true\n"
    assert model(tmp_path, source, settings=settings) == "{kind: 'x'~}"


def test_unwrapped_any_getter_and_value_classes(tmp_path: Path) -> None:
    source = """
        class Order {
          @JsonUnwrapped(prefix = "addr_") public Address address;
          public Id id; private Map<String, Integer> rest;
          @JsonAnyGetter public Map<String, Integer> getRest() { return rest; }
          public void setRest(Map<String, Integer> rest) {}
        }
        class Address { public String city; }
        class Id { private String v; @JsonValue public String get() { return v; } }
        """
    assert model(tmp_path, source) == "{addr_city: string~, id: string~, *: integer(int32)}"


def test_polymorphism(tmp_path: Path) -> None:
    source = """
        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
        @JsonSubTypes({@JsonSubTypes.Type(value = Card.class, name = "card"),
          @JsonSubTypes.Type(Cash.class)})
        abstract class Order { public int amount; }
        class Card extends Order { public String number; }
        @JsonTypeName("cash") class Cash extends Order {}
        """
    found = Project(tmp_path, {"src/main/java/shop/Order.java": HEAD + source})
    assert found.shape("Order") == (
        "({kind!: 'card', number: string~, amount: integer(int32)} | "
        "{kind!: 'cash', amount: integer(int32)} by kind)"
    )


def test_interfaces_stand_for_their_implementations(tmp_path: Path) -> None:
    source = """
        interface Order { int getA(); }
        class One implements Order { public int getA() { return 1; } public int b; }
        """
    assert model(tmp_path, source) == "{b: integer(int32), a: 1(int32) (sent only)}"
    projection = "interface Order { int getA(); String getName(); }"
    assert model(tmp_path / "p", projection) == "{a: integer(int32), name: string~}"


def test_serializers_of_the_project(tmp_path: Path) -> None:
    source = """
        import com.fasterxml.jackson.core.JsonGenerator;
        import org.joda.time.DateTime;
        import org.bson.types.Decimal128;
        class Order {
          public DateTime at; public Decimal128 price; public Money money; public Unit unit;
          @JsonSerialize(using = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class)
          public Long id;
          @JsonSerialize(using = AsNumber.class) public Money cents;
          @JsonSerialize(using = org.lib.Other.class) public Money other;
          @JsonSerialize(contentUsing = AsNumber.class) public Money[] each;
          @JsonSerialize(contentUsing = AsNumber.class) public Money none;
          @JsonSerialize(contentConverter = AsText.class) public Map<String, Money> texts;
          @JsonSerialize(keyUsing = AsNumber.class) public Map<Money, String> keyed;
        }
        class Money { public int amount; }
        class Unit { public String name; }
        class DateTimeSerializer extends StdSerializer<DateTime> {
          public void serialize(DateTime v, JsonGenerator gen, SerializerProvider p) {
            if (v == null) { gen.writeNull(); } else { gen.writeString(v.toString()); } } }
        class AsText extends StdConverter<Money, String> { }
        class AsNumber extends JsonSerializer<Money> {
          public void serialize(Money v, JsonGenerator gen, SerializerProvider p) {
            gen.writeNumber(v.amount); } }
        class MoneySerializer extends JsonSerializer<Money> {
          public void serialize(Money v, JsonGenerator gen, SerializerProvider p) {
            gen.writeStartObject();
            for (int i : v.all) { gen.writeNumberField("n" + i, i); }
            gen.writeEndObject(); } }
        class Config { void m(SimpleModule module) {
          module.addSerializer(DateTime.class, new DateTimeSerializer());
          module.addSerializer(new MoneySerializer());
          module.addSerializer(Decimal128.class, Library.serializer());
          module.addSerializer(Unit.class, new JsonSerializer<>() {
            @Override
            public void serialize(Unit v, JsonGenerator gen, SerializerProvider p) {
              gen.writeString(v.name); } }); } }
        """
    assert model(tmp_path, source) == (
        "{at: string~, price: <`Decimal128` is written by a serializer of its own>~, "
        "money: {*: numeric}~, unit: string~, id: string~, "
        "cents: integer(int32)~, other: <`Money` is written by `Other`, which is in a library>~, "
        "each: [integer(int32)]~, none: <it is written by a converter or a serializer for its "
        "items>~, texts: {*: string}~, keyed: <it is written by a converter or a serializer for "
        "its items>~}"
    )


def test_mix_ins(tmp_path: Path) -> None:
    source = """
        class Order { public long id; public String secret; }
        abstract class OrderMixIn { @JsonProperty("order_id") long id; @JsonIgnore String secret; }
        class Config { @Bean ObjectMapper m() {
          return new ObjectMapper().addMixIn(Order.class, OrderMixIn.class); } }
        """
    assert model(tmp_path, source) == "{order_id: integer(int64)}"


def test_a_mix_in_can_make_one_value_of_a_class(tmp_path: Path) -> None:
    source = """
        class Order { public Key key; }
        class Key { private String text; public String getText() { return text; } }
        class KeyMixIn { @JsonValue private String text; }
        class Config { @Bean ObjectMapper m() {
          return new ObjectMapper().addMixIn(Key.class, KeyMixIn.class); } }
        """
    assert model(tmp_path, source) == "{key: string~}"


def test_what_a_modifier_or_an_introspector_may_change_is_undetermined(tmp_path: Path) -> None:
    source = """
        @interface Since { int value(); }
        class Order { public int a; @Since(2) public int b; public int authors; }
        class Introspector extends JacksonAnnotationIntrospector {}
        class Modifier extends BeanSerializerModifier {
          void f(BeanPropertyWriter w) { if ("authors".equals(w.getName())) w.drop(); } }
        """
    assert model(tmp_path, source) == (
        "{a: integer(int32), authors~: <`Modifier` changes `authors` at run time>, "
        "… `Introspector` decides at run time whether `b` is written (@Since)}"
    )


def test_a_modifier_that_asks_for_a_class_says_nothing_of_others(tmp_path: Path) -> None:
    source = """
        class Base { public int lines; }
        class Line { public int lines; public int notes; public int total; }
        class Order extends Base { public int notes; public int total; public int tax; }
        class Modifier extends BeanSerializerModifier {
          public List<BeanPropertyWriter> changeProperties(
              SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> writers) {
            for (BeanPropertyWriter writer : writers) {
              if (Base.class.isAssignableFrom(bean.getBeanClass()) && isLines(writer)) {
                writers.remove(writer); } }
            return dropNotes(bean, writers); }
          private boolean isLines(BeanPropertyWriter writer) {
            return "lines".equals(writer.getName()); }
          private List<BeanPropertyWriter> dropNotes(
              BeanDescription bean, List<BeanPropertyWriter> writers) {
            writers.removeIf(writer -> "tax".equals(writer.getName()));
            if (bean.getBeanClass() != Order.class) { return writers; }
            writers.removeIf(writer -> "notes".equals(writer.getName()));
            return writers; }
          public List<BeanPropertyWriter> orderProperties(
              SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> writers) {
            if (!Order.class.isAssignableFrom(bean.getBeanClass())) { return writers; }
            writers.removeIf(writer -> "total".equals(writer.getName()));
            return writers; } }
        """
    assert model(tmp_path, source, "Line") == (
        "{lines: integer(int32), notes: integer(int32), total: integer(int32)}"
    )
    changed = {
        f"{name}~: <`Modifier` changes `{name}` at run time>"
        for name in ("lines", "notes", "tax", "total")
    }
    order = model(tmp_path, source, "Order")
    assert set(order[1:-1].split(", ")) == changed


def test_what_an_introspector_ignores_is_read(tmp_path: Path) -> None:
    source = """
        @interface Since { int value(); }
        @interface Hidden {}
        @interface Other {}
        class Order {
          public int a; @Since(2) public int b; @Hidden public int c; @Other public int d; }
        class Introspector extends JacksonAnnotationIntrospector {
          private int version;
          public boolean hasIgnoreMarker(AnnotatedMember m) {
            Since since = m.getAnnotation(Since.class);
            if (since != null && since.value() > version) { return true; }
            return m.hasAnnotation(Hidden.class) || super.hasIgnoreMarker(m); } }
        """
    assert model(tmp_path, source) == "{a: integer(int32), b~: integer(int32), d: integer(int32)}"


def test_an_introspector_that_asks_otherwise_may_look_at_anything(tmp_path: Path) -> None:
    source = """
        @interface Shown {}
        class Order { public int a; @Shown public int b; }
        class Introspector extends JacksonAnnotationIntrospector {
          public boolean hasIgnoreMarker(AnnotatedMember m) {
            if (!m.hasAnnotation(Shown.class)) { return true; }
            return super.hasIgnoreMarker(m); } }
        """
    assert model(tmp_path, source) == (
        "{a: integer(int32), … `Introspector` decides at run time whether `b` is written (@Shown)}"
    )


def test_each_of_several_introspectors_may_be_for_another_format(tmp_path: Path) -> None:
    source = """
        @interface XmlOnly {}
        @interface JsonOnly {}
        class Order { public int a; @XmlOnly public int b; @JsonOnly public int c; }
        class ForJson extends JacksonAnnotationIntrospector {
          public boolean hasIgnoreMarker(AnnotatedMember m) {
            return m.hasAnnotation(XmlOnly.class) || super.hasIgnoreMarker(m); } }
        class ForXml extends JacksonAnnotationIntrospector {
          public boolean hasIgnoreMarker(AnnotatedMember m) {
            return m.hasAnnotation(JsonOnly.class) || super.hasIgnoreMarker(m); } }
        """
    assert model(tmp_path, source) == "{a: integer(int32), b~: integer(int32), c~: integer(int32)}"


def test_what_a_modifier_takes_out_is_read(tmp_path: Path) -> None:
    source = """
        @interface Since { int value(); }
        @interface Hidden {}
        class Order { public int a; @Since(2) public int b; @Hidden public int c; }
        class Modifier extends BeanSerializerModifier {
          private int version;
          public List<BeanPropertyWriter> changeProperties(
              SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> writers) {
            Iterator<BeanPropertyWriter> iterator = writers.iterator();
            while (iterator.hasNext()) {
              BeanPropertyWriter writer = iterator.next();
              Since since = writer.getAnnotation(Since.class);
              if (since != null && since.value() > version) { iterator.remove(); }
              if (writer.getAnnotation(Hidden.class) != null) { iterator.remove(); }
            }
            return writers; } }
        """
    assert model(tmp_path, source) == "{a: integer(int32), b~: integer(int32)}"


def test_what_a_serializer_writes_as_xml_alone_is_no_part_of_json(tmp_path: Path) -> None:
    source = """
        class Order {
          public int a;
          @JsonSerialize(using = Markup.class) public String markup;
          @JsonAnyGetter public Map<String, Extension> more() { return null; } }
        @JsonSerialize(using = ExtensionSerializer.class)
        class Extension { public int x; }
        class Markup extends StdSerializer<String> {
          public void serialize(String value, JsonGenerator gen, SerializerProvider p) {
            final ToXmlGenerator xml = (ToXmlGenerator) gen;
            xml.getStaxWriter().writeCharacters(value); } }
        class ExtensionSerializer extends StdSerializer<Extension> {
          public void serialize(Extension value, JsonGenerator gen, SerializerProvider p) {
            if (gen instanceof ToXmlGenerator) { write((ToXmlGenerator) gen, value); } }
          private void write(ToXmlGenerator gen, Extension value) { gen.writeRaw(value.x); } }
        """
    assert model(tmp_path, source) == "{a: integer(int32)}"


def test_class_without_visible_property(tmp_path: Path) -> None:
    assert model(tmp_path, "class Order { private int a; }") == (
        "<Jackson sees no property of `Order`: it has no public getter, public field or annotated "
        "member>"
    )


def test_visibility_of_fields(tmp_path: Path) -> None:
    source = """
        @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY,
          getterVisibility = JsonAutoDetect.Visibility.NONE)
        class Order { private int a; public int getB() { return 1; } }
        """
    assert model(tmp_path, source) == "{a: integer(int32)}"


def test_recursive_types(tmp_path: Path) -> None:
    source = "class Order { public List<Order> parts; }"
    assert model(tmp_path, source) == "{parts: [{parts: [{parts: [{parts: [Order]~}]~}]~}]~}"


def test_gson(tmp_path: Path) -> None:
    source = """
        import com.google.gson.annotations.SerializedName;
        class Order { @SerializedName(value = "order_id", alternate = {"id"}) private long id;
          private String name; private transient int cache; private Kind kind; }
        enum Kind { @SerializedName("a") A }
        """
    assert model(tmp_path, source) == (
        "{order_id: integer(int64) as order_id/id, name~: string, kind~: 'a'}"
    )


def test_json_b(tmp_path: Path) -> None:
    source = """
        import jakarta.json.bind.annotation.*;
        class Order { private long id; @JsonbTransient private int secret;
          @JsonbProperty("order_id") public long getId() { return id; }
          public int getSecret() { return secret; } public String name;
          @JsonbProperty(nillable = true) public String maybe; }
        """
    assert model(tmp_path, source) == ("{order_id: integer(int64), name~: string, maybe: string~}")


def test_serializer_that_writes_an_object_field_by_field(tmp_path: Path) -> None:
    source = """
        import com.fasterxml.jackson.core.JsonGenerator;
        class Order { public Id id; public Tags tags; }
        @JsonSerialize(using = IdSerializer.class) class Id { public long hidden; }
        @JsonSerialize(using = TagsSerializer.class) class Tags { public long hidden; }
        class IdSerializer extends JsonSerializer<Id> {
          public void serialize(Id id, JsonGenerator gen, SerializerProvider p) {
            if (id == null) { gen.writeNull(); } else {
              gen.writeStartObject();
              gen.writeStringField("entityType", "ORDER");
              gen.writeFieldName("number"); gen.writeNumber(id.hidden);
              gen.writeEndObject(); } } }
        class TagsSerializer extends JsonSerializer<Tags> {
          public void serialize(Tags tags, JsonGenerator gen, SerializerProvider p) {
            gen.writeStartArray();
            for (String tag : tags.all()) { gen.writeString(tag); }
            gen.writeEndArray(); } }
        """
    assert model(tmp_path, source) == (
        "{id: {entityType: string, number: integer(int64)}|null~, tags: [string]~}"
    )


def test_classes_that_are_collections(tmp_path: Path) -> None:
    source = """
        class Order { public Prices prices; public Lines lines; public Latest latest;
          public Own own; public Walk walk; }
        class Prices extends HashMap<String, Long> { public int ignored; }
        class Lines extends ArrayList<Line> {}
        class Latest extends AbstractCollection<Line> { private Deque<Line> lines; }
        class Own implements List<Line> { public int getFirstNumber() { return 0; } }
        class Walk implements Iterable<Line> { public int steps; }
        class Line { public int n; }
        """
    lines = "[{n: integer(int32)}]~"
    assert model(tmp_path, source) == (
        f"{{prices: {{*: integer(int64)}}~, lines: {lines}, latest: {lines}, own: {lines}, "
        "walk: {steps: integer(int32)}~}"
    )


def test_filters_leave_out_who_knows_what(tmp_path: Path) -> None:
    source = '@JsonFilter("custom") class Order { public int a; }'
    assert model(tmp_path, source) == "{a~: integer(int32)}"


def test_types_nested_in_a_type_that_is_imported_as_a_whole(tmp_path: Path) -> None:
    files = {
        "com/shop/Shapes.java": "package com.shop; public interface Shapes {"
        " record Inner(int id) {} static int number() { return 1; } }",
        "com/web/Outer.java": "package com.web; import com.shop.Shapes.*;"
        " public class Outer { public Inner inner; }",
    }
    assert Project(tmp_path, files).model("Outer") == "{inner: {id: integer(int32)}~}"


def test_texts_of_enums_in_a_library_that_nothing_writes(tmp_path: Path) -> None:
    enum = """package shop;
        public enum Kind {
          NEW("brand-new"), OLD("second-hand");
          private final String value;
          Kind(String value) { this.value = value; }
          public String value() { return value; } }
        """
    order = "package shop; public class Order { public Kind kind; public Size size; }"
    size = "package shop; public enum Size { S, L }"
    files = {
        f"src/main/java/shop/{name}.java": text
        for name, text in (("Kind", enum), ("Order", order), ("Size", size))
    }
    reason = "nothing is seen that writes the enum, whose constants have texts of their own"
    assert Project(tmp_path / "alone", files).model("Order") == (
        f"{{kind: <{reason}>~, size: 'S' 'L'~}}"
    )
    writer = "package shop; import com.fasterxml.jackson.databind.ObjectMapper; class W {}"
    files["src/main/java/shop/W.java"] = writer
    assert Project(tmp_path / "written", files).model("Order") == (
        "{kind: 'NEW' 'OLD'~, size: 'S' 'L'~}"
    )
