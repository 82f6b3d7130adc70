"""Agents that write code, as programs that are started: their commands and what they tell."""

from contract_scan.clients.agents.claude_lines import ClaudeLines
from contract_scan.clients.agents.commands import (
    AGENT_COMMANDS,
    AgentCommand,
    LineReader,
    Servers,
    servers_document,
)
from contract_scan.clients.agents.events import (
    AgentReady,
    Event,
    FileWritten,
    RequestAnswered,
    TextWritten,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
    Unreadable,
    WorkerEnded,
    WorkerProgressed,
    WorkerStarted,
)
from contract_scan.clients.agents.transcript import Transcript

__all__ = [
    "AGENT_COMMANDS",
    "AgentCommand",
    "AgentReady",
    "ClaudeLines",
    "Event",
    "FileWritten",
    "LineReader",
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
    "WorkerStarted",
    "servers_document",
]
