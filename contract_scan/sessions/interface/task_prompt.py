"""The question for the task of a new session."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input


class TaskPrompt(ModalScreen[str | None]):
    """Gives the task, or None where the user changes their mind."""

    CSS = """
    TaskPrompt { align: center middle; }
    TaskPrompt Input { width: 80%; border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_prompt", show=False)]

    def __init__(self, *, may_be_empty: bool) -> None:
        super().__init__()
        self._may_be_empty = may_be_empty

    def compose(self) -> ComposeResult:
        """One line to write in."""
        hint = " (empty: the first message says it)" if self._may_be_empty else ""
        field = Input(placeholder=f"What is to be done?{hint}")
        field.border_title = "new session"
        yield field

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        task = event.value.strip()
        if task or self._may_be_empty:
            self.dismiss(task)

    def action_dismiss_prompt(self) -> None:
        """Escape."""
        self.dismiss(None)
