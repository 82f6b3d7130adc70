"""Lists of URL patterns that are put together from parts, some of which is undetermined."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import routes

VIEWS = """
    from rest_framework import views, viewsets
    class Orders(viewsets.ReadOnlyModelViewSet): ...
    class Version(views.APIView):
        def get(self, request): ...
    """


def test_lists_that_are_added_up_and_included(tmp_path: Path) -> None:
    files = {
        "views.py": VIEWS,
        "orders.py": """
            from django.urls import path
            from rest_framework import routers
            from views import Orders, Version
            router = routers.DefaultRouter(trailing_slash=False)
            router.register("orders", Orders)
            urls = [*router.urls, path("version", Version.as_view())]
            """,
        "urls.py": """
            from django.urls import include, path
            from orders import urls as order_urls
            api = []
            api += order_urls
            urlpatterns = [path("api/", include(api))]
            """,
    }
    assert routes(tmp_path, "Django REST framework", files) == [
        "GET /api/orders",
        "GET /api/orders/{pk}",
        "GET /api/version",
    ]


def test_patterns_that_are_put_before_others_where_a_setting_says_so(tmp_path: Path) -> None:
    files = {
        "views.py": VIEWS,
        "urls.py": """
            from django.conf import settings
            from django.conf.urls.static import static
            from django.urls import include, path
            from views import Version
            urlpatterns = [path("version", Version.as_view())] + static(settings.MEDIA_URL)
            if settings.DEBUG:
                if "debug_toolbar" in settings.INSTALLED_APPS:
                    import debug_toolbar
                    urlpatterns = [path("__debug__/", include(debug_toolbar.urls))] + urlpatterns
            """,
    }
    assert routes(tmp_path, "Django REST framework", files) == ["GET /version"]
