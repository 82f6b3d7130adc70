"""Who writes names in camel case: renderers of the settings, seen or not, after serializers."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import described, operations, project

REST = "Django REST framework"
FILES = {
    "urls.py": """
        from django.urls import path
        from views import One
        urlpatterns = [path("one", One.as_view())]
        """,
    "views.py": """
        from rest_framework import generics, serializers
        class Given(serializers.Serializer):
            name = serializers.CharField()
            made_at = serializers.DateTimeField()
            def to_representation(self, instance):
                found = super().to_representation(instance)
                found["made_by"] = "us"
                return found
        class One(generics.RetrieveAPIView):
            serializer_class = Given
        """,
}
SEEN = "REST_FRAMEWORK = {'DEFAULT_RENDERER_CLASSES': ['djangorestframework_camel_case.render.X']}"
A_LIBRARYS = "from standards import BASE\nREST_FRAMEWORK = BASE.copy()\n"
HOOKS = "HOOKS = ['drf_spectacular.contrib.x.camelize_serializer_fields']\n"


def written(root: Path, settings: str) -> str:
    program = project(root, FILES | {"settings.py": settings})
    (operation,) = operations(program, REST)
    return described(program, operation)[-1].partition("application/json ")[2]


def test_the_renderer_renames_what_a_serializer_adds_itself(tmp_path: Path) -> None:
    assert (
        written(tmp_path, SEEN) == "{name: string, madeAt: string:date-time, madeBy: string['us']}"
    )


def test_settings_of_a_library_leave_open_how_names_are_written(tmp_path: Path) -> None:
    assert written(tmp_path, A_LIBRARYS) == (
        "{name: string, ... settings that cannot be seen decide whether names are written in "
        "camel case}"
    )


def test_where_the_documentation_is_told_to_rename_the_renderer_does_so(tmp_path: Path) -> None:
    assert written(tmp_path, A_LIBRARYS + HOOKS) == (
        "{name: string, madeAt: string:date-time, madeBy: string['us']}"
    )


def test_an_included_list_that_is_imported_under_the_name_of_the_own_one(tmp_path: Path) -> None:
    urls = """
        from elsewhere.urls import urlpatterns, more
        from django.urls import include, path
        from views import One
        urlpatterns = [path("admin/", include((urlpatterns, "admin"))), path("one", One.as_view())]
        """
    program = project(tmp_path, FILES | {"urls.py": urls})
    assert [(o.method, o.path) for o in operations(program, REST)] == [("GET", "/one")]
