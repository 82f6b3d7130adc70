"""Celery: tasks as messages."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import events, project, shape


def tasks(root: Path, files: dict[str, str]) -> list[str]:
    """Every use: names, whether it is a job of its own, what it carries."""
    program = project(root, files)
    return [
        f"{use.direction} {'|'.join((use.address, *use.aliases))}"
        f"{'' if use.internal else ' to others'}"
        f"{f' ({use.unresolved})' if use.unresolved else ''}"
        f"{f' {use.message}' if use.message else ''}"
        f": {shape(program, use.payload)}"
        for use in events(program, "Celery")
    ]


def test_tasks_and_the_names_they_have(tmp_path: Path) -> None:
    files = {
        "src/shop/__init__.py": "",
        "src/shop/worker.py": """
            from celery import Celery
            app = Celery("shop")
            app.conf.task_routes = {"shop.mails.*": {"queue": "mails"}}
            """,
        "src/shop/mails.py": """
            from celery import shared_task
            from shop.worker import app
            from company_utils.queues import CeleryApp
            theirs = CeleryApp()
            NAME = "orders.paid"
            @app.task
            def welcome(user_id: int, name: str = "x"): ...
            @shared_task(name=NAME, queue="orders", bind=True)
            def paid(self, order_id: str, lines: list[int]): ...
            @theirs.task(name="theirs")
            def of_a_library_made_of_celery(a: int, b: int): ...
            @app.task(name=open("x").read())
            def unnamed(a: int, b: int): ...
            """,
        "src/shop/classes.py": """
            from celery import Task
            class Report(Task):
                name = "report.make"
                def run(self, year: int, month: int): ...
            """,
        "src/shop/other.py": """
            from invoke import task
            @task
            def build(c): ...
            """,
    }
    assert tasks(tmp_path, files) == [
        "receive report.make: {year: integer, month: integer}",
        "receive shop.mails.welcome|mails|src.shop.mails.welcome|mails.welcome: "
        "{user_id: integer, name-=: string}",
        "receive orders.paid|orders: {order_id: string, lines: [integer]}",
        "receive theirs: {a: integer, b: integer}",
        "receive  (the name of the task is not constant): {a: integer, b: integer}",
    ]


def test_tasks_are_sent(tmp_path: Path) -> None:
    files = {
        "tasks.py": """
            from celery import Celery
            app = Celery()
            @app.task(name="add")
            def add(a: int, b: int = 0): ...
            @app.task(name="many")
            def many(a, *rest): ...
            """,
        "views.py": """
            import tasks
            from tasks import add, many
            def view(options):
                add.delay(1, b=2)
                tasks.add.apply_async((3,), {"b": 4}, queue="fast", countdown=1)
                add.apply_async(kwargs={"a": 5})
                add.apply_async(**options)
                add.delay(*options)
                (add.s(1) | add.si(2, 3)).delay()
                many.delay(1, 2)
                chosen = {"a": add, "m": many}[options]
                chosen.delay(7)
                options.delay(1)
            """,
    }
    assert tasks(tmp_path, files) == [
        "receive add: {a: integer, b-=: integer}",
        "receive many: {a: unknown: parameter `a` has no declared type, "
        "... the job takes further arguments}",
        "send add: {a: integer[1], b: integer[2]}",
        "send add|fast: {a: integer[3], b: integer[4]}",
        "send add: {a: integer[5]}",
        "send add: unknown: the arguments of the job are spread",
        "send add: unknown: the arguments of the job are spread",
        "send add: unknown: a signature may be given further arguments where it is used",
        "send add: unknown: a signature may be given further arguments where it is used",
        "send many: {a: integer[1], ... more arguments are given than the job names}",
        "send add: {a: integer[7]}",
        "send many: {a: integer[7]}",
    ]


def test_tasks_that_are_sent_by_their_name(tmp_path: Path) -> None:
    source = """
        from celery import Celery, current_app
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        app = Celery()
        @app.task(name="own")
        def own(a: int, b: int): ...
        def dispatch(name, order):
            app.send_task(name, kwargs={"order": order}, queue="orders")
        def run(order: Order, kind, mailer):
            app.send_task("own", args=[1, 2])
            current_app.send_task("stock.reserve", kwargs={"sku": "x", "amount": 1})
            app.send_task("orders.paid", args=[order.model_dump()])
            app.send_task("orders.counted", args=(1, 2))
            app.send_task(f"orders.{kind}", args=[{"k": "x"}])
            dispatch("orders.wrapped", {"w": "x"})
            mailer.send_task("not.celery", {})
        """
    why = "unknown: names of the arguments stand in the job, which is not in this code"
    assert tasks(tmp_path, {"app.py": source}) == [
        "receive own: {a: integer, b: integer}",
        "send own: {a: integer[1], b: integer[2]}",
        "send stock.reserve to others: {sku: string['x'], amount: integer[1]}",
        "send orders.paid to others Order: {id: integer}",
        f"send orders.counted to others: {why}",
        "send orders.{} to others: {k: string['x']}",
        "send orders.wrapped|orders to others: {order: {w: string['x']}}",
    ]


def test_a_task_of_one_argument_is_that_argument(tmp_path: Path) -> None:
    source = """
        from celery import shared_task
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        @shared_task(name="model")
        def model(order: Order): ...
        @shared_task(name="keys")
        def keys(data: dict):
            print(data["orderId"], data.get("note"))
        @shared_task(name="number")
        def number(order_id: int): ...
        @shared_task(name="free")
        def free(data): ...
        def run(order: Order, data):
            model.delay(order)
            keys.delay({"orderId": 1})
            number.delay(1)
            free.delay(data)
        """
    open_ = "unknown: what the one argument holds is undetermined"
    assert tasks(tmp_path, {"app.py": source}) == [
        "receive model Order: {id: integer}",
        "receive keys: {orderId: anything, note-: anything}~",
        "receive number: {order_id: integer}",
        f"receive free: {open_}",
        "send model Order: {id: integer}",
        "send keys: {orderId: integer[1]}",
        "send number: {order_id: integer[1]}",
        f"send free: {open_}",
    ]
