"""Keys that no model declares, and what a Django project takes from libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.analysis.domain.values import Items
from tests.parsers.source.python.project import handled, operations, project, routes, shape

FILES = {
    "shop/models.py": """
        from django.db import models
        class Order(models.Model):
            number = models.CharField(max_length=9)
        """,
    "urls.py": """
        from rest_framework import generics, serializers
        from django.urls import path
        from shop.models import Order
        class OrderSerializer(serializers.ModelSerializer):
            class Meta:
                model = Order
                fields = "__all__"
        class One(generics.RetrieveAPIView):
            serializer_class = OrderSerializer
        urlpatterns = [path("one", One.as_view())]
        """,
}


@pytest.mark.parametrize(
    ("files", "key"),
    [
        ({}, "integer"),
        ({"settings.py": "DEFAULT_AUTO_FIELD = 'django.db.models.BigAutoField'\n"}, "integer"),
        (
            {"settings.py": "DEFAULT_AUTO_FIELD = 'mongo.fields.ObjectIdAutoField'"},
            "string",
        ),
        (
            {
                "shop/apps.py": """
                    from django.apps import AppConfig
                    class Shop(AppConfig):
                        default_auto_field = "hashid_field.HashidAutoField"
                    """
            },
            "unknown: the key is a field of class `hashid_field.HashidAutoField`",
        ),
    ],
)
def test_the_class_of_keys_is_a_setting(tmp_path: Path, files: dict[str, str], key: str) -> None:
    program = project(tmp_path, FILES | files)
    (operation,) = operations(program, "Django REST framework")
    (body,) = operation.responses[0].bodies
    assert shape(program, body.schema) == f"{{id= (read): {key}, number: string}}"


def test_times_that_a_library_adds(tmp_path: Path) -> None:
    model = """
        from model_utils.models import TimeStampedModel
        from django.db import models
        class Order(TimeStampedModel):
            number = models.CharField(max_length=9)
        """
    program = project(tmp_path, FILES | {"shop/models.py": model})
    (operation,) = operations(program, "Django REST framework")
    (body,) = operation.responses[0].bodies
    assert shape(program, body.schema) == (
        "{id= (read): integer, created= (read): string:date-time, "
        "modified= (read): string:date-time, number: string}"
    )


def test_routes_of_libraries_are_undetermined(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from django.urls import include, path
            auth = [path("", include("djoser.urls")), path("x/", include("djoser.urls.jwt"))]
            urlpatterns = [
                path("api/auth/", include(auth)),
                path("", include("django.contrib.auth.urls")),
                path("__debug__/", include("debug_toolbar.urls")),
            ]
            """
    }
    assert routes(tmp_path, "Django", files) == [
        "* /api/auth/x/{rest*} hidden (`djoser.urls.jwt` comes from a library)",
        "* /api/auth/{rest*} hidden (`djoser.urls` comes from a library)",
        "* /login/ hidden",
        "* /logout/ hidden",
        "* /password_change/ hidden",
        "* /password_change/done/ hidden",
        "* /password_reset/ hidden",
        "* /password_reset/done/ hidden",
        "* /reset/done/ hidden",
        "* /reset/{uidb64}/{token}/ hidden",
    ]


def test_viewsets_of_libraries_are_undetermined(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from django.urls import re_path
            from django.views.generic import TemplateView
            from djoser.views import UserViewSet
            from rest_framework import viewsets
            from rest_framework.routers import SimpleRouter
            class Users(UserViewSet): ...
            class Orders(viewsets.GenericViewSet):
                def list(self, request): ...
            class Lines(viewsets.GenericViewSet):
                def create(self, request): ...
            router = SimpleRouter()
            router.register("users", Users)
            router.register("people", UserViewSet)
            tables = [{"at": "orders", "set": Orders}] + [{"at": "lines", "set": Lines}]
            for table in tables:
                router.register(table["at"], table["set"])
            urlpatterns = router.urls + [re_path("^(?!api/).*$", TemplateView.as_view())]
            """
    }
    why = "(`djoser.views.UserViewSet` comes from a library)"
    assert routes(tmp_path, "Django REST framework", files) == [
        "POST /lines/",
        "GET /orders/",
        f"* /people/ hidden {why}",
        f"* /people/{{rest*}} hidden {why}",
        f"* /users/ hidden {why}",
        f"* /users/{{rest*}} hidden {why}",
    ]
    assert routes(tmp_path, "Django", {}) == []


TOKENS = """
    from django.urls import path
    from rest_framework.authtoken.views import obtain_auth_token
    from rest_framework_simplejwt.views import (
        TokenObtainPairView, TokenRefreshView, TokenVerifyView
    )
    urlpatterns = [
        path("auth", obtain_auth_token),
        path("own", TokenObtainPairView.as_view(serializer_class=Own)),
        path("refresh", TokenRefreshView.as_view()),
        path("token", TokenObtainPairView.as_view()),
        path("verify", TokenVerifyView.as_view()),
    ]
    """
USER = """
    from django.contrib.auth.models import AbstractBaseUser
    class User(AbstractBaseUser):
        email = models.EmailField()
        USERNAME_FIELD = "email"
    """


@pytest.mark.parametrize(
    ("settings", "user", "refreshed"),
    [
        ("", "username", "{access: string}"),
        (
            "AUTH_USER_MODEL = 'people.User'\nSIMPLE_JWT = {'ROTATE_REFRESH_TOKENS': True}\n",
            "email",
            "{access: string, refresh: string}",
        ),
    ],
)
def test_views_of_libraries_that_give_tokens(
    tmp_path: Path, settings: str, user: str, refreshed: str
) -> None:
    lines = handled(tmp_path, "Django", TOKENS, settings=settings, **{"people/models": USER})
    taken = f"  takes application/json {{{user}: string, password: string}}"
    assert [line for line in lines if "and other" not in line] == [
        "POST /auth",
        "  takes application/json {username: string, password: string}",
        "  200 application/json {token: string}",
        "* /own",
        "POST /refresh",
        "  takes application/json {refresh: string}",
        f"  200 application/json {refreshed}",
        "POST /token",
        taken,
        "  200 application/json {refresh: string, access: string}",
        "POST /verify",
        "  takes application/json {token: string}",
        "  200 application/json unknown: an empty object is sent",
    ]


def test_views_derived_from_those_of_libraries_answer_what_theirs_do(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from django.urls import path
            from rest_framework.views import APIView
            from rest_framework_simplejwt.views import TokenObtainPairView
            from toolbox.views import ReportView
            class Login(TokenObtainPairView):
                serializer_class = Own
            class Report(ReportView): ...
            class Own(ReportView):
                def get(self, request): ...
            class Nothing(APIView): ...
            urlpatterns = [
                path("login", Login.as_view()),
                path("nothing", Nothing.as_view()),
                path("own", Own.as_view()),
                path("report", Report.as_view()),
            ]
            """
    }
    assert routes(tmp_path, "Django REST framework", files) == [
        "POST /login hidden",
        "GET /own",
        "* /report hidden",
    ]


def test_choices_that_the_body_of_a_model_names_before(tmp_path: Path) -> None:
    source = """
        from django.db import models
        OPEN = "module"
        LATE = "module"
        class Order(models.Model):
            OPEN, DONE = "open", "done"
            STATES = [(OPEN, "Open"), (DONE, "Done")]
            state = models.CharField(choices=STATES)
            late = models.CharField(choices=[(LATE, "Late")])
            LATE = "class"
            def text(self):
                return OPEN
            class Inner:
                word = OPEN
        def sent(order: Order, inner: Order.Inner):
            return [order.state, order.late, order.text(), inner.word]
        """
    program = project(tmp_path, {"app.py": source})
    found = program.names.lookup("sent", program.module_scope(program.facts("app.py")))
    [result] = program.function_exits(found)  # type: ignore[arg-type]
    assert result.value is not None
    of_class = "string['open', 'done']"
    of_module = "string['module']"
    items = program.evaluate(result.value, result.scope)
    assert isinstance(items, Items)
    assert [shape(program, program.schema_of(item)) for item in items.values] == [
        of_class,
        of_module,
        of_module,
        of_module,
    ]


def test_members_of_enumerations_as_choices(tmp_path: Path) -> None:
    source = """
        from django.db import models
        from model_utils.fields import AutoCreatedField
        class Order(models.Model):
            class State(models.TextChoices):
                OPEN = "open", "Open"
                DONE = "done"
            a = models.CharField(choices=[State.OPEN, State.DONE])
            b = models.CharField(choices=[(State.OPEN, "Open"), (State.DONE.value, "Done")])
            made = AutoCreatedField()
        def sent(order: Order):
            return {"a": order.a, "b": order.b, "made": order.made}
        """
    program = project(tmp_path, {"app.py": source})
    found = program.names.lookup("sent", program.module_scope(program.facts("app.py")))
    [result] = program.function_exits(found)  # type: ignore[arg-type]
    assert result.value is not None
    states = "string['open', 'done']"
    assert shape(program, program.infer(result.value, result.scope)) == (
        f"{{a: {states}, b: {states}, made: string:date-time}}"
    )
