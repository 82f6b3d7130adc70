"""Relations of Django models in either direction, and fields that a serializer finds by them."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.analysis.domain.values import ClassValue
from contract_scan.parsers.source.python.language import LANGUAGE
from contract_scan.parsers.source.python.serialization.django import reverse
from tests.parsers.source.project import read
from tests.parsers.source.python.project import described, operations, project, routes

REST = "Django REST framework"
MODELS = """
    from django.contrib.auth.models import AbstractBaseUser
    from django.db import models
    class User(AbstractBaseUser):
        username = models.CharField(max_length=20)
        def short(self):
            return self.username.lower()
    class Profile(models.Model):
        user = models.OneToOneField("people.User", on_delete=models.CASCADE)
        url = models.URLField()
        level = models.CharField(max_length=1, choices=[("a", "A"), ("b", "B")], blank=True)
        friends = models.ManyToManyField("self")
        seen_at = models.DateTimeField()
        def knows(self, other):
            return self.friends.filter(pk=other.pk).exists()
    class Post(models.Model):
        author = models.ForeignKey(Profile, related_name="posts", on_delete=models.CASCADE)
        words = models.ManyToManyField("people.Word", related_name="used_by")
        replaces = models.OneToOneField("self", related_name="replaced_by",
                                        on_delete=models.CASCADE)
    class Word(models.Model):
        text = models.SlugField()
    """


def written(root: Path, serializer: str) -> str:
    """What a view of one object writes with a serializer."""
    files = {
        "settings.py": "AUTH_USER_MODEL = 'people.User'\n",
        "people/models.py": MODELS,
        "urls.py": """
            from django.urls import path
            from views import One
            urlpatterns = [path("one", One.as_view())]
            """,
        "views.py": "from rest_framework import generics, serializers\n"
        "from people.models import Post, Profile, User\n"
        + serializer
        + "\nclass One(generics.RetrieveAPIView):\n    serializer_class = Given\n",
    }
    program = project(root, files)
    (operation,) = operations(program, REST)
    return described(program, operation)[-1].partition("application/json ")[2]


def test_the_user_of_a_request_and_the_other_end_of_a_relation(tmp_path: Path) -> None:
    serializer = """
class Given(serializers.ModelSerializer):
    known = serializers.SerializerMethodField()
    reader = serializers.SerializerMethodField()
    def get_known(self, profile):
        request = self.context.get("request", None)
        return request.user.profile.knows(profile)
    def get_reader(self, profile):
        return self.context["request"].user.short()
    class Meta:
        model = Profile
        fields = ["known", "reader"]
"""
    assert written(tmp_path, serializer) == "{known= (read): boolean, reader= (read): string}"


def test_attributes_of_the_object_that_a_key_leads_to(tmp_path: Path) -> None:
    serializer = """
class Given(serializers.ModelSerializer):
    by = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()
    later = serializers.SlugRelatedField(source="replaced_by", slug_field="id", read_only=True)
    def get_by(self, post):
        return post.author.user.short()
    def get_name(self, post):
        return post.author.user.username
    class Meta:
        model = Post
        fields = ["by", "name", "later"]
"""
    assert written(tmp_path, serializer) == (
        "{by= (read): string, name= (read): string, later= (read): integer~}"
    )


def test_a_field_class_is_given_what_its_relation_leads_to(tmp_path: Path) -> None:
    serializer = """
class WordField(serializers.RelatedField):
    def to_representation(self, value):
        return value.text
class Moment(serializers.Field):
    def to_representation(self, value):
        return {"at": value}
class Number(serializers.SlugRelatedField):
    def get_queryset(self):
        return Post.objects.none()
class Given(serializers.ModelSerializer):
    wordList = WordField(many=True, source="words", queryset=[])
    before = Number(source="replaces", slug_field="id")
    class Meta:
        model = Post
        fields = ["wordList", "before"]
"""
    assert written(tmp_path, serializer) == "{wordList: [string], before: integer}"


def test_fields_by_another_source_blank_choices_and_a_column_named_url(tmp_path: Path) -> None:
    serializer = """
class Given(serializers.ModelSerializer):
    class Meta:
        model = Profile
        fields = ["url", "level", "seenAt", "login"]
        extra_kwargs = {"seenAt": {"source": "seen_at", "read_only": True},
                        "login": {"source": "user.username"}}
"""
    assert written(tmp_path, serializer) == (
        "{url: string:uri, level=: string['a', 'b', ''], "
        "seenAt= (read): string:date-time, login: string}"
    )


def test_routers_that_take_further_viewsets_below_one(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from elsewhere import routers
            from drf_spectacular.views import SpectacularAPIView
            from django.urls import path
            from views import Orders, Notes
            class Described(SpectacularAPIView): ...
            router = routers.DefaultRouter(trailing_slash=False)
            router.register("orders", Orders, [routers.Nested("notes", Notes)])
            urlpatterns = [path("schema", Described.as_view()), *router.urls]
            """,
        "views.py": """
            from rest_framework import mixins, viewsets
            class Orders(mixins.ListModelMixin, viewsets.GenericViewSet): ...
            class Notes(mixins.ListModelMixin, viewsets.GenericViewSet): ...
            """,
    }
    program = project(tmp_path, files)
    assert [
        (o.method, o.path, o.excluded_from_docs, o.unresolved) for o in operations(program, REST)
    ] == [
        ("GET", "/orders", False, ""),
        (
            "*",
            "/orders/{rest*}",
            True,
            "how the router puts further viewsets below this one is not known",
        ),
    ]
    assert routes(tmp_path, "Django", files) == ["* /schema hidden"]


def test_options_that_a_constructor_sets_on_fields(tmp_path: Path) -> None:
    serializer = """
class Given(serializers.Serializer):
    a = serializers.CharField()
    b = serializers.CharField()
    c = serializers.CharField()
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["a"].read_only = True
        self.fields["b"].required = False
        self.fields["c"].help_text = "see a"
"""
    assert written(tmp_path, serializer) == "{a= (read): string, b=: string, c: string}"


def test_serializers_of_libraries_that_write_another_form(tmp_path: Path) -> None:
    serializer = """
from rest_framework_gis.serializers import GeoFeatureModelSerializer
class Given(GeoFeatureModelSerializer):
    class Meta:
        model = Profile
        geo_field = "place"
        fields = ["url", "place"]
"""
    assert written(tmp_path, serializer) == (
        "unknown: a `GeoFeatureModelSerializer` of `rest_framework_gis` writes its own"
    )


def test_classes_of_libraries_that_build_on_the_framework(tmp_path: Path) -> None:
    nested = """
from shared.serializers import BaseSerializer
from shared.widgets import Badge
class Author(BaseSerializer):
    class Meta:
        model = Profile
        fields = ["seen_at"]
class Given(serializers.ModelSerializer):
    author = Author(read_only=True)
    replaces = Badge()
    class Meta:
        model = Post
        fields = ["author", "replaces"]
    """
    assert written(tmp_path / "nested", nested) == (
        "{author= (read): {seen_at: string:date-time}, "
        "replaces=: unknown: nothing says what the class of the field `replaces` writes}"
    )

    chosen = """
from shared.serializers import GroupSerializer
class Given(GroupSerializer):
    note = serializers.CharField()
    class Meta:
        model = Profile
        group = "address"
    """
    assert written(tmp_path / "chosen", chosen) == (
        "{note: string, ... which fields of the model are written, `GroupSerializer` decides}"
    )

    columns = """
from shared.models import Stamped
class Note(Stamped):
    text = models.TextField()
class Given(serializers.ModelSerializer):
    class Meta:
        model = Note
        fields = "__all__"
    """
    assert written(tmp_path / "columns", "from django.db import models\n" + columns) == (
        "{id= (read): integer, text: string, ... the fields of `Stamped` are not known}"
    )


def test_what_makes_a_serializer_write_a_list(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from django.urls import path
            from views import All, Some
            urlpatterns = [path("all", All.as_view()), path("some", Some.as_view())]
            """,
        "views.py": """
            from rest_framework import serializers, views
            from rest_framework.response import Response
            class Name(serializers.Serializer):
                name = serializers.CharField()
            class Lists:
                serializer_class = Name
                def get(self, request):
                    return Response(self.made(instance=self.found()).data)
            class All(Lists, views.APIView):
                def made(self, *args, **kwargs):
                    kwargs["many"] = True
                    return self.serializer_class(*args, **kwargs)
            class Some(Lists, views.APIView):
                def made(self, *args, **kwargs):
                    kwargs.update(options())
                    return self.serializer_class(*args, **kwargs)
            """,
    }
    program = project(tmp_path, files)
    sent = [described(program, operation)[-1] for operation in operations(program, REST)]
    assert sent == [
        "  200 application/json [{name: string}]",
        "  200 application/json unknown: whether one object is written or many is undetermined",
    ]


def test_relations_of_hyperlinked_serializers_are_links(tmp_path: Path) -> None:
    serializer = """
class Given(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Post
        fields = ["author", "words", "replaces"]
"""
    assert written(tmp_path, serializer) == (
        "{author: string:uri, words: [string:uri], replaces: string:uri}"
    )


def test_fields_of_classes_of_the_project_and_of_libraries_for_models(tmp_path: Path) -> None:
    serializer = """
from autoslug import AutoSlugField
from django.db import models
from treebeard.mp_tree import MP_Node
class Backend(models.CharField):
    def __init__(self, *args, **kwargs):
        kwargs.setdefault("max_length", 40)
        super().__init__(*args, **kwargs)
class Wrapper(models.TextField):
    def __init__(self, base, **kwargs):
        super().__init__(**{**base.deconstruct()[3], **kwargs})
class Category(MP_Node):
    slug = AutoSlugField(populate_from="backend", editable=True, null=True)
    backend = Backend(null=True)
    text = Wrapper(models.TextField(blank=True))
class Given(serializers.ModelSerializer):
    class Meta:
        model = Category
        fields = ["slug", "backend", "text", "depth"]
        extra_kwargs = {"depth": {"read_only": False}}
"""
    assert written(tmp_path, serializer) == (
        "{slug=: string~, backend=: string?, text=: unknown: "
        "`Category.text` is no field that can be seen, depth: integer}"
    )


def test_keys_that_another_class_declares(tmp_path: Path) -> None:
    own = """
from django.db import models
class Uid(models.CharField): ...
class Note(models.Model):
    uid = Uid(primary_key=True)
class Line(models.Model):
    note = models.ForeignKey(Note, on_delete=models.CASCADE)
class Given(serializers.ModelSerializer):
    class Meta:
        model = Line
        fields = ["id", "note"]
"""
    assert written(tmp_path / "own", own) == "{id= (read): integer, note: string}"
    converted = own.replace("Uid(models.CharField): ...", "Uid(models.CharField):").replace(
        "class Note(", "    def to_python(self, value): return load(value)\nclass Note(", 1
    )
    assert written(tmp_path / "converted", converted) == (
        "{id= (read): integer, note: unknown: nothing says how the class `Uid` is written}"
    )
    library = """
from payments.models import PaymentModel
from shared.models import TimeStampedBase
class Stamped(TimeStampedBase): ...
class Payment(PaymentModel): ...
class Given(serializers.ModelSerializer):
    stamped = serializers.PrimaryKeyRelatedField(queryset=Stamped.objects.all())
    payment = serializers.PrimaryKeyRelatedField(queryset=Payment.objects.all())
    class Meta:
        model = Post
        fields = ["stamped", "payment"]
"""
    assert written(tmp_path / "library", library) == (
        "{stamped: integer, payment: unknown: the key of `PaymentModel` is not known}"
    )


def test_all_fields_of_a_model_that_is_not_seen(tmp_path: Path) -> None:
    serializer = """
from payments.models import Payment
class Given(serializers.ModelSerializer):
    paid = serializers.BooleanField()
    class Meta:
        model = Payment
        fields = "__all__"
"""
    assert written(tmp_path, serializer) == (
        "{paid: boolean, ... the model of the serializer is undetermined}"
    )


def test_fields_that_decide_themselves_whether_they_are_required(tmp_path: Path) -> None:
    serializer = """
class Word(serializers.Serializer):
    text = serializers.CharField()
    def __init__(self, *args, **kwargs):
        kwargs.setdefault("required", False)
        super().__init__(*args, **kwargs)
class Given(serializers.Serializer):
    word = Word()
    other = Word(required=True)
"""
    assert written(tmp_path, serializer) == "{word=: {text: string}, other: {text: string}}"


def test_relations_are_read_from_models_and_not_from_migrations(tmp_path: Path) -> None:
    migration = """
        from django.db import migrations, models
        class Migration(migrations.Migration):
            operations = [
                migrations.AddField(
                    model_name="post",
                    name="author",
                    field=models.ForeignKey(to="people.profile", related_name="entries"),
                )
            ]
        """
    others = "from django.db import models\nclass Note(models.Model):\n"
    others += "    profile = models.ForeignKey('people.Profile', related_name='notes')\n"
    files = {"people/models.py": MODELS, "notes.py": others, "people/migrations/0002.py": migration}
    program, reader = read(tmp_path, files, LANGUAGE)
    profile = program.names.lookup(
        "Profile", program.module_scope(program.facts("people/models.py"))
    )
    assert isinstance(profile, ClassValue)
    names = ("posts", "notes", "entries")
    found = [reverse(program, profile.symbol, name) for name in names]
    assert [None if each is None else each.model.decl.name for each in found] == [
        "Post",
        "Note",
        None,
    ]
    assert reader.parsed == 2
