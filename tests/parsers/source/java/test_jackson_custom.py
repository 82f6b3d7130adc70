"""Classes that Jackson writes or reads as something else than their properties, and what is not
asked for because objects come with it."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.databind.annotation.*;
import com.fasterxml.jackson.databind.util.StdConverter;
import com.fasterxml.jackson.databind.*;
import javax.validation.constraints.*;
import javax.validation.Valid;
import org.springframework.web.bind.annotation.*;
import java.util.*;
"""


def project(folder: Path, source: str, config: str = "") -> Project:
    files = {"src/main/java/shop/C.java": HEAD + source}
    if config:
        files["src/main/java/shop/Config.java"] = config
    return Project(folder, files)


Sent = list[str]
Taken = list[str]


def both_ways(folder: Path, source: str, type: str, config: str = "") -> tuple[Sent, Taken]:
    """What a handler sends and takes of a type; whether values may be null is left out."""
    controller = f"""
        @RestController class C {{
          @PostMapping("/x") {type} f(@RequestBody @Valid {type} it) {{ return it; }}
        }}
        """
    found = project(folder, source + controller, config)
    shown = found.responses("POST /x"), found.request("POST /x")
    return [t.replace("~", "") for t in shown[0]], [t.replace("~", "") for t in shown[1]]


def test_converters_of_classes(tmp_path: Path) -> None:
    source = """
        class Order { public Name name; public Tags tags; }
        @JsonSerialize(converter = ToValue.class) @JsonDeserialize(converter = FromValue.class)
        class Name { public String value; public int hidden; }
        class ToValue extends StdConverter<Name, String> {}
        class FromValue extends StdConverter<List<Integer>, Name> {}
        @JsonSerialize(converter = org.lib.Convert.class) class Tags { public int hidden; }
        """
    assert both_ways(tmp_path, source, "Order") == (
        [
            "(200) {name: string, "
            "tags: <it is written by the converter `Convert`, which could not be read>}"
        ],
        ["{name: [integer(int32)], tags: {hidden: integer(int32)}}!"],
    )


def test_what_a_serializer_writes_says_nothing_of_what_is_read(tmp_path: Path) -> None:
    source = """
        class Order {
          public Both both; public Sent sent; public Plain plain;
          @JsonDeserialize(using = PlainReader.class) public Plain other;
        }
        @JsonSerialize(using = Writer.class) @JsonDeserialize(using = BothReader.class)
        class Both { public int part; }
        @JsonSerialize(using = Writer.class) class Sent { public int part; }
        class Plain { public int part; }
        class Writer extends JsonSerializer<Object> {
          public void serialize(Object it, JsonGenerator gen, SerializerProvider p) {
            gen.writeString("x"); } }
        class BothReader extends JsonDeserializer<Both> {}
        class PlainReader extends JsonDeserializer<Plain> {}
        """
    part = "{part: integer(int32)}"
    sent, taken = both_ways(tmp_path, source, "Order")
    assert sent == [f"(200) {{both: string, sent: string, plain: {part}, other: {part}}}"]
    assert taken == [
        f"{{both: <`Both` is read by the deserializer `BothReader`>, sent: {part}, "
        f"plain: {part}, other: <`Plain` is read by the deserializer `PlainReader`>}}!"
    ]


def test_converters_of_properties(tmp_path: Path) -> None:
    source = """
        class Order {
          @JsonSerialize(converter = ToText.class) public Name name;
          @JsonDeserialize(converter = FromText.class) public Name other;
        }
        class Name { public int part; }
        abstract class Text<T> extends StdConverter<T, String> {}
        class ToText extends Text<Name> {}
        class FromText extends StdConverter<String, Name> {}
        """
    assert both_ways(tmp_path, source, "Order") == (
        ["(200) {name: string, other: {part: integer(int32)}}"],
        ["{name: {part: integer(int32)}, other: string}!"],
    )


def test_unwrapped_values_that_are_no_objects(tmp_path: Path) -> None:
    source = """
        class Field { @JsonUnwrapped public Name name; @JsonUnwrapped public Size size; }
        @JsonSerialize(converter = ToValue.class) class Name { public String value; }
        class ToValue extends StdConverter<Name, String> {}
        class Size { public int width; }
        """
    sent, _ = both_ways(tmp_path, source, "Field")
    assert sent == ["(200) {name: string, width: integer(int32)}"]


def test_creators_that_take_the_whole(tmp_path: Path) -> None:
    source = """
        class Order { public All all; public Said said; public Named named; public Lines lines;
          public Parcel parcel; public Bag bag; }
        class All {
          private final List<String> list;
          @JsonCreator(mode = JsonCreator.Mode.DELEGATING) All(List<String> l) { list = l; }
          public List<String> getList() { return list; }
        }
        class Said {
          private final int size;
          @JsonCreator static Said of(@JsonProperty("size") int s) { return null; }
          public int getSize() { return size; }
        }
        class Named {
          private final int size;
          @JsonCreator Named(int size) { this.size = size; }
          public int getSize() { return size; }
        }
        class Lines {
          private final String lines;
          private Lines(String lines) { this.lines = lines; }
          @JsonCreator static Lines parse(String text) { return null; }
          public String getLines() { return lines; }
        }
        class Parcel {
          private final String label;
          @JsonCreator static Parcel of(String text) { return new Parcel(text); }
          @JsonCreator Parcel(@JsonProperty("label") String label) { this.label = label; }
          public String getLabel() { return label; }
        }
        class Bag {
          public int size;
          @JsonCreator static Bag of(int count) { return new Bag(); }
        }
        """
    _, taken = both_ways(tmp_path, source, "Order")
    assert taken == [
        "{all: [string], said: {size: integer(int32)}, named: {size: integer(int32)}, "
        "lines: string, parcel: (string | {label: string}), "
        "bag: (integer(int32) | {size: integer(int32)})}!"
    ]


def test_mappers_made_by_hand_do_not_know_parameters(tmp_path: Path) -> None:
    source = """
        class Wrapped {
          private final List<String> list;
          @JsonCreator Wrapped(List<String> list) { this.list = list; }
          public List<String> getList() { return list; }
        }
        """
    config = """package shop;
        import com.fasterxml.jackson.databind.ObjectMapper;
        class Config { @Bean ObjectMapper mapper() { return new ObjectMapper()%s; } }
        """
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    module = ".registerModule(new ParameterNamesModule())"
    assert both_ways(tmp_path / "with", source, "Wrapped", config % module)[1] == [
        "{list: [string], *: nothing}!"
    ]
    assert both_ways(tmp_path / "without", source, "Wrapped", config % "")[1] == ["[string]!"]


def test_get_counts_before_is(tmp_path: Path) -> None:
    source = """
        class User {
          private Partner partner;
          public boolean isPartner() { return partner != null; }
          public Partner getPartner() { return partner; }
        }
        enum Partner { TERRA, ANVIL }
        """
    sent, _ = both_ways(tmp_path, source, "User")
    assert sent == ["(200) {partner: 'TERRA' 'ANVIL'}"]


def test_enums_that_own_code_reads_and_writes(tmp_path: Path) -> None:
    config = """package shop;
        class Config { void f(SimpleModule module) {
          module.addSerializer(Enum.class, new Lower());
          module.setDeserializerModifier(new BeanDeserializerModifier() {
            public JsonDeserializer<Enum> modifyEnumDeserializer(DeserializationConfig c) {}
          });
        } }
        """
    source = "class Order { public Kind kind; } enum Kind { A, B }"
    why = "code of the project's own, which is not followed"
    assert both_ways(tmp_path, source, "Order", config) == (
        [f"(200) {{kind: <enums are written by {why}>}}"],
        [f"{{kind: <enums are read by {why}>}}!"],
    )


def test_values_that_objects_come_with_need_not_be_given(tmp_path: Path) -> None:
    source = """
        class Form {
          @NotNull private String group = "default";
          @NotNull private String name;
          @NotBlank private String text = "";
          @NotEmpty private List<String> tags = new ArrayList<>();
          @NotNull private List<String> ids;
          @NotNull private final int[] given;
          Form() { this.ids = List.of(); }
          @JsonCreator Form(@JsonProperty("given") int[] given) { this.given = given; }
          public void setGroup(String it) {} public void setName(String it) {}
          public void setText(String it) {} public void setTags(List<String> it) {}
          public void setIds(List<String> it) {}
        }
        @lombok.extern.jackson.Jacksonized @lombok.Builder class Built {
          @NotNull public String plain = "a";
          @lombok.Builder.Default @NotNull public String given = "b";
        }
        class Both { @Valid public Form form; @Valid public Built built; }
        """
    _, taken = both_ways(tmp_path, source, "Both")
    assert taken == [
        "{form: {group: string (read only), name!: string (read only), "
        "text!: string (read only), tags!: [string] (read only), ids: [string] (read only), "
        "given!: [integer(int32)] (read only)}, built: {plain!: string, given: string}}!"
    ]


def test_what_output_leaves_out_may_be_given_as_null(tmp_path: Path) -> None:
    source = """
        @JsonInclude(JsonInclude.Include.NON_NULL)
        class Note {
          public String text;
          @JsonInclude(JsonInclude.Include.NON_EMPTY) public String by;
        }
        @RestController class C {
          @PostMapping("/x") Note f(@RequestBody Note it) { return it; }
        }
        """
    found = project(tmp_path, source)
    assert found.responses("POST /x") == ["(200) {text~: string, by~: string}"]
    assert found.request("POST /x") == ["{text: string~, by: string~}!"]


def test_constraints_of_groups_say_nothing_of_other_requests(tmp_path: Path) -> None:
    source = """
        interface OnCreate {}
        class Order {
          @Null(groups = OnCreate.class) public String id;
          @NotBlank(groups = {OnCreate.class}) public String name;
          @NotNull public String kind;
        }
        @RestController class C {
          @PostMapping("/x") Order f(@RequestBody @Valid Order it) { return it; }
        }
        """
    found = project(tmp_path, source)
    assert found.responses("POST /x") == ["(200) {id: string~, name: string~, kind: string}"]
    assert found.request("POST /x") == ["{id: string~, name: string~, kind!: string}!"]
