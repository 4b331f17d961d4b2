"""Runs programs of the documented interfaces of ReMe and Gaia, with the import of membus."""

from __future__ import annotations

import ast
import asyncio
import inspect
from typing import Any

import pytest
from running_bus import RunningBus
from scripted_model import ScriptedModel, scripted_model

import membus
from membus import aio
from membus.gaia import MemoryService
from membus.reme import ReMe

SETTINGS = """
import os
from membus.reme import ReMe

memory = ReMe(
    memory_space="remy",
    llm={"backend": "openai", "model": "qwen-plus", "temperature": 0.6},
    embedding={"backend": "openai", "model": "text-embedding-v4", "dimension": 1024},
    vector_store={"backend": "local_file"},
)
"""
TRIP = [{"role": "user", "content": "I'm travelling to SF"}, {"role": "assistant", "content": "That's great to hear!"}]
TRAVELS = {"facts": [{"text": "Alice is travelling to SF.", "message": 1}]}


def run(program: str, **names: Any) -> dict[str, Any]:
    """Run a program that may contain `await` outside of functions. Return its names."""
    code = compile(program, "program", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, names)
    if inspect.iscoroutine(result):
        asyncio.run(result)
    names["memory"].close()
    return names


@pytest.fixture
def model(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model whose answers the test sets, and the variables of the programs."""
    with scripted_model() as scripted:
        monkeypatch.setenv("NATS_URL", bus.url)
        monkeypatch.setenv("REME_LLM_API_KEY", "sk-test")
        monkeypatch.setenv("REME_LLM_BASE_URL", scripted.base_url)
        yield scripted


def test_reme_basic_usage(bus: RunningBus, model: ScriptedModel, capsys: pytest.CaptureFixture[str]) -> None:
    model.answers = [TRAVELS]
    run(
        SETTINGS
        + """
result = await memory.summary(messages=TRIP, user_id="Alice")
memories = await memory.retrieve(query="what is your travel plan?", limit=3, user_id="Alice")
memories_str = "\\n".join(f"- {m['memory']}" for m in memories["results"])
print(memories_str)
memory.delete_all_memories(user_id="Alice")
""",
        TRIP=TRIP,
    )
    assert capsys.readouterr().out == "- Alice is travelling to SF.\n"
    assert (model.requests[0]["model"], model.requests[0]["temperature"]) == ("qwen-plus", 0.6)


def test_reme_chat_with_memories(bus: RunningBus, model: ScriptedModel, capsys: pytest.CaptureFixture[str]) -> None:
    model.answers = [TRAVELS]
    names = run(
        SETTINGS
        + """
def chat_with_memories(query, history_messages, user_name="", start_summary_size=2, keep_size=0):
    memories = memory.retrieve(query=query, user_id=user_name, limit=3)
    system_prompt = "You are a helpful AI named `Remy`.\\n"
    if memories:
        memories_str = "\\n".join(f"- {m['memory']}" for m in memories["results"])
        system_prompt += f"User Memories:\\n{memories_str}\\n"
    history_messages.append({"role": "user", "content": query})
    history_messages.append({"role": "assistant", "content": "Noted"})
    if len(history_messages) >= start_summary_size:
        memory.summary(history_messages, user_id=user_name)
        print("Current memories: " + memory.list_memories(user_id=user_name))
    return system_prompt

first = chat_with_memories("I'm travelling to SF", [], "Carol")
second = chat_with_memories("Where do I travel?", [], "Carol", start_summary_size=9)
memory.delete_all_memories(user_id="Carol")
left = memory.list_memories(user_id="Carol")
"""
    )
    assert capsys.readouterr().out == "Current memories: - Alice is travelling to SF.\n"
    assert "User Memories:\n\n" in names["first"]
    assert "User Memories:\n- Alice is travelling to SF.\n" in names["second"]
    assert names["left"] == ""


def test_reme_short_term_memory(bus: RunningBus, model: ScriptedModel, capsys: pytest.CaptureFixture[str]) -> None:
    run(
        SETTINGS
        + """
result = memory.offload_context(messages=TRIP)
memories = memory.reload_context(query="what is your travel plan?", limit=1)
print("\\n".join(f"- {m['memory']}" for m in memories["results"]))
""",
        TRIP=TRIP,
    )
    assert capsys.readouterr().out == "- I'm travelling to SF\n"


def test_reme_types_and_mistakes(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with membus.connect(bus.url, agent=agent) as client:
        memory = ReMe(agent, client=client)
        call = {"id": "t", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        asked = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "content": "Error: busy", "tool_call_id": "t"}
        memory.summary([*TRIP, asked, result], user_id="bob")
        memory.summary([{"role": "assistant", "content": "Book early to save money"}], user_id="bob", memory_type="procedural")
        found = memory.retrieve("search", user_id="bob", memory_type="tool")["results"]
        assert [(each["memory_type"], each["id"]) for each in found] == [("tool", "search")]
        assert "0 % successful" in found[0]["memory"]
        found = memory.retrieve("save money", user_id="bob", memory_type="procedural")["results"]
        assert [each["memory"] for each in found] == ["Book early to save money"]
        with pytest.raises(ValueError, match="memory_type must be one of auto, personal, procedural, tool"):
            memory.retrieve("x", memory_type="all")
        with pytest.raises(ValueError, match="agentic mode is ProgressiveMemory"):
            ReMe(use_agentic_mode=True, client=client)
        with pytest.raises(ValueError, match='must be "openai"'):
            ReMe(llm={"backend": "other", "model": "m"}, client=client)
        monkeypatch.delenv("REME_LLM_BASE_URL", raising=False)
        with pytest.raises(ValueError, match="REME_LLM_BASE_URL"):
            ReMe(llm={"backend": "openai", "model": "m"}, client=client)


async def test_gaia_tools(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory_service = MemoryService(client)
        add_memory, search_memory = memory_service.add_memory, memory_service.search_memory
        config = {"metadata": {"user_id": "abc123"}}
        existing = await search_memory(config, "user's manager")
        assert (str(existing), existing.memories) == ("No matching memories found", [])  # type: ignore[union-attr]
        added = await add_memory(
            config, content="User prefers meetings scheduled in the afternoon", metadata={"category": "preferences", "type": "scheduling"}
        )
        assert added.startswith("Error") is False
        await add_memory(config, "Sarah Johnson is the VP of Engineering", async_mode=False)
        memories: Any = await search_memory(config, query="who leads engineering", limit=1)
        assert memories.startswith("Found the following memories:\n\n1. Sarah Johnson is the VP of Engineering (score: 0.")
        assert [each.content for each in memories.memories] == ["Sarah Johnson is the VP of Engineering"]
        for tool in (add_memory({}, content="x"), search_memory({}, "x")):
            assert (await tool).startswith("Error: the configuration has no user id")


async def test_gaia_namespaces(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory_service = MemoryService(client)
        store_memory, search_memories = memory_service.store_memory, memory_service.search_memories
        user_id, agent_id = "user:abc123", "agent:gmail_subagent"
        stored = await store_memory("User prefers dark mode", user_id)
        assert stored is not None and stored.metadata == {"event_id": stored.id, "status": "done"}
        await store_memory("Search with sender: syntax works best", agent_id, {"type": "skill"})
        assert (await search_memories("search syntax", user_id)).memories == []
        found = (await search_memories("search syntax", agent_id)).memories
        assert [(each.content, each.metadata) for each in found] == [("Search with sender: syntax works best", {"type": "skill"})]
