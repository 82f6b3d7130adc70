"""Hooks of Claude Code that check what it edits."""
