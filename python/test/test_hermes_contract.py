"""Tests the memory provider in Hermes Agent: it is found, selected, called and stopped by the real program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("agent.memory_manager", reason="needs hermes-agent 0.19.0, which is not installed with the extra `test`")

from agent.memory_manager import MemoryManager, build_memory_context_block, inject_memory_provider_tools
from agent.memory_provider import MemoryProvider
from hermes_plugin import hook_command, write_plugin
from plugins.memory import discover_memory_providers, load_memory_provider
from running_bus import RunningBus

STATEMENT = "Always use pnpm in this repository."


class Agent:
    """The fields of an agent that receive tools."""

    def __init__(self, manager: MemoryManager) -> None:
        self._memory_manager = manager
        self.tools: list[dict[str, dict[str, str]]] = []
        self.enabled_toolsets = None


def started_manager(session: str) -> MemoryManager:
    """Start the manager as Hermes does at the start of an agent."""
    provider = load_memory_provider("membus")
    assert provider is not None and provider.is_available()
    manager = MemoryManager()
    manager.add_provider(provider)
    manager.initialize_all(session_id=session, platform="cli", agent_context="primary")
    return manager


def turn(manager: MemoryManager, text: str, session: str) -> str:
    """Run one turn as Hermes does. Return what the model reads with the message."""
    manager.on_turn_start(1, text)
    context: str = build_memory_context_block(manager.prefetch_all(text))
    manager.sync_all(text, "Done.", session_id=session, messages=[{"role": "user", "content": text}])
    manager.queue_prefetch_all(text, session_id=session)
    assert manager.flush_pending(30)
    return context


def test_hermes_finds_and_runs_the_provider(own_bus: RunningBus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    write_plugin(tmp_path, hook_command(own_bus, tmp_path))
    assert ("membus", "", True) in discover_memory_providers()

    first = started_manager("s-1")
    assert isinstance(first.providers[0], MemoryProvider)
    assert "tell the user" in first.build_system_prompt()
    agent = Agent(first)
    assert inject_memory_provider_tools(agent) == 3
    assert [tool["function"]["name"] for tool in agent.tools] == ["membus_remember", "membus_recall", "membus_forget"]

    own_bus.kill_host()
    turn(first, STATEMENT, "s-1")
    for _ in range(2):
        context = turn(first, "Hello there", "s-1")
        assert "membus: memory is degraded: " in context
        assert "1 write is queued on this machine" in context
    own_bus.start_host()
    assert turn(first, "Hello there", "s-1") == ""
    first.on_session_end([])
    first.shutdown_all()
    assert first.shutdown_drain_state["status"] == "drained"

    second = started_manager("s-2")
    context = turn(second, "Which command of pnpm installs the packages of this repository?", "s-2")
    assert context.count(STATEMENT) == 1
    found = json.loads(second.handle_tool_call("membus_recall", {"query": "pnpm"}))
    assert found["result"].count(STATEMENT) == 1
    second.shutdown_all()
