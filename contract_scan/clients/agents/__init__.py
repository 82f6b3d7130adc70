"""Agents that write code, as programs that are started: their commands and what they tell."""

from contract_scan.clients.agents.claude_hooks import ClaudeHookLines, recording_settings
from contract_scan.clients.agents.claude_lines import ClaudeLines
from contract_scan.clients.agents.commands import (
    AGENT_COMMANDS,
    CLAUDE_IN_TERMINAL,
    CLAUDE_WITH_LINES,
    AgentCommand,
    LineReader,
    Servers,
    servers_document,
)
from contract_scan.clients.agents.events import (
    AgentReady,
    Event,
    FileWritten,
    PromptTaken,
    RequestAnswered,
    TextWritten,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
    Unreadable,
    WorkerEnded,
    WorkerProgressed,
    WorkerRested,
    WorkerStarted,
)
from contract_scan.clients.agents.transcript import Transcript

__all__ = [
    "AGENT_COMMANDS",
    "CLAUDE_IN_TERMINAL",
    "CLAUDE_WITH_LINES",
    "AgentCommand",
    "AgentReady",
    "ClaudeHookLines",
    "ClaudeLines",
    "Event",
    "FileWritten",
    "LineReader",
    "PromptTaken",
    "RequestAnswered",
    "Servers",
    "TextWritten",
    "ToolAnswered",
    "ToolCalled",
    "Transcript",
    "TurnEnded",
    "Unreadable",
    "WorkerEnded",
    "WorkerProgressed",
    "WorkerRested",
    "WorkerStarted",
    "recording_settings",
    "servers_document",
]
