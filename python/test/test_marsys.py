"""Runs the documented calls of the memory of MARSYS with the import of membus."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from running_bus import RunningBus
from scripted_model import scripted_model

import membus
from membus.marsys import (
    AgentCallMsg,
    CompactionEvent,
    ConversationMemory,
    EventBus,
    KGMemory,
    ManagedMemoryConfig,
    MemoryManager,
    MemoryResetEvent,
    Message,
    MessageContent,
    ToolCallMsg,
)

SYSTEM = {"role": "system", "content": "You are helpful"}
HELLO = {"role": "user", "content": "Hello"}
HI = {"role": "assistant", "content": "Hi there!"}


def test_a_conversation_memory(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NATS_URL", bus.url)
    memory = ConversationMemory(description="You are helpful")
    msg_id = memory.add(role="user", content="Hello")
    memory.add(role="assistant", content="Hi there!")
    assert memory.retrieve_all() == memory.get_messages() == [SYSTEM, HELLO, HI]
    assert memory.retrieve_recent(1) == [HI]
    assert (memory.retrieve_by_id(msg_id), memory.retrieve_by_id("x")) == (HELLO, None)
    assert (memory.retrieve_by_role("user"), memory.retrieve_by_role("user", 0)) == ([HELLO], [])
    memory.update(msg_id, content="Good day", name="ada")
    assert memory.retrieve_by_id(msg_id) == {"role": "user", "content": "Good day", "name": "ada"}
    memory.replace_memory(1, role="user", content="Hello")
    assert memory.retrieve_by_id(msg_id) == HELLO
    memory.delete_memory(-1)
    assert (memory.remove_by_id("x"), memory.remove_by_id(msg_id)) == (False, True)
    memory.add(role="user", content="Hello")
    memory.reset_memory()
    assert memory.retrieve_all() == [SYSTEM]
    with pytest.raises(IndexError, match="no message at index 1"):
        memory.delete_memory(1)
    with pytest.raises(KeyError, match="no message with the id x"):
        memory.update("x", content="y")
    with pytest.raises(ValueError, match="either a message or a role"):
        memory.add(content="x")
    memory.close()


def test_messages_are_kept_whole(bus: RunningBus, agent: str, tmp_path: Path) -> None:
    image = tmp_path / "image.png"
    image.write_bytes(b"png")
    call = ToolCallMsg(id="call_123", call_id="call_123", type="function", name="search", arguments='{"query": "AI"}')
    nested = {"id": "call_123", "type": "function", "function": {"name": "search", "arguments": '{"query": "AI"}'}}
    given = [
        Message(role="assistant", content=None, tool_calls=[call], reasoning_details=[{"text": "hm"}]),
        Message(role="tool", content='{"result": "found"}', tool_call_id="call_123", name="search"),
        Message(role="user", content="Describe this", images=[str(image)]),
        Message(role="assistant", content={"thought": "x"}, agent_calls=[AgentCallMsg("DataProcessor", "Process it")]),
    ]
    with membus.connect(bus.url, agent=agent) as client:
        memory = ConversationMemory(client=client, conversation="c-1")
        ids = [memory.add(message) for message in given]
        assert ids == [message.message_id for message in given]
        shown = ConversationMemory(client=client, conversation="c-1").retrieve_all()
        assert shown[0] == {"role": "assistant", "content": None, "tool_calls": [nested], "reasoning_details": [{"text": "hm"}]}
        assert shown[1] == {"role": "tool", "content": '{"result": "found"}', "tool_call_id": "call_123", "name": "search"}
        assert shown[2] == {"role": "user", "content": "Describe this", "images": ["data:image/png;base64,cG5n"]}
        assert shown[3]["content"] == '{"thought": "x"}'
        assert shown[3]["agent_calls"] == [{"agent_name": "DataProcessor", "request": "Process it"}]
        assert given[2].to_api_format()["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}}
        assert bus.conformance("records", "--namespace", "conversations", "--agent", agent).endswith("Every record is valid.\n")
    reply = {"role": "assistant", "content": None, "tool_calls": [nested]}
    assert Message.from_response_dict(reply, name="bot").tool_calls == [call]
    harmonized = SimpleNamespace(content="done", tool_calls=[call])
    message = Message.from_harmonized_response(harmonized, name="bot")
    assert (message.role, message.content, message.name, message.tool_calls) == ("assistant", "done", "bot", [call])
    assert MessageContent(next_action="call_tool").next_action == "call_tool"
    with pytest.raises(ValueError, match="next_action must be one of call_tool, invoke_agent, final_response, got 'stop'"):
        MessageContent(next_action="stop")


def test_a_manager_saves_loads_and_emits(bus: RunningBus, agent: str, tmp_path: Path) -> None:
    file = str(tmp_path / "memory.json")
    events: list[Any] = []
    event_bus = EventBus()
    event_bus.subscribe(events.append)
    with membus.connect(bus.url, agent=agent) as client:
        manager = MemoryManager(memory_type="conversation_history", description="You are helpful", client=client)
        manager.set_event_context(agent_name="Researcher", event_bus=event_bus, session_id="run_123")
        manager.add(role="user", content="Hello")
        assert manager.get_messages() == [SYSTEM, HELLO]
        manager.save_to_file(file, {"step": 3})
        manager.reset_memory()
        assert events == [MemoryResetEvent("Researcher", "run_123")]
        assert manager.load_from_file(file) == {"step": 3}
        assert manager.get_messages() == [SYSTEM, HELLO]
        assert (manager.compact_if_needed(), manager.compact_for_payload_error()) == (False, False)
        for state in (7, {"messages": [{"id": "m", "message": {"role": "robot", "content": "x"}}]}):
            Path(file).write_text(json.dumps({"state": state}))
            with pytest.raises(ValueError, match="has no state of a conversation"):
                manager.load_from_file(file)
        assert manager.get_messages() == [SYSTEM, HELLO]
        for kind in ("kg", "other"):
            with pytest.raises(ValueError, match="memory_type must be one of"):
                MemoryManager(memory_type=kind, client=client)


def test_a_managed_memory_fits_the_context(bus: RunningBus, agent: str) -> None:
    events: list[Any] = []
    event_bus = EventBus()
    event_bus.subscribe(events.append)
    config = ManagedMemoryConfig(threshold_tokens=200)
    assert config.compaction_target_tokens == 120
    with membus.connect(bus.url, agent=agent) as client, scripted_model() as model:
        model.answers = ["Eight messages", "Nine messages"]
        manager = MemoryManager("managed_conversation", model=model.chat_model(), memory_config=config, client=client)
        manager.set_event_context("Researcher", event_bus, "run_123")
        for n in range(10):
            manager.add(role="user", content=f"message {n} {'x' * 90}")
        view = manager.get_messages()
        assert view[0] == {"role": "user", "content": "Eight messages"}
        assert len(view) < len(manager.get_raw_messages()) == 10
        started, completed = events
        assert isinstance(completed, CompactionEvent)
        assert (started.status, completed.status, completed.pre_messages) == ("started", "completed", 10)
        assert (completed.agent_name, completed.session_id, completed.stages_run) == ("Researcher", "run_123", ["summarization"])
        assert completed.post_tokens <= 200 < completed.pre_tokens
        assert manager.compact_for_payload_error() is True
        assert manager.get_cache_stats()["raw_messages"] == 10


def test_a_knowledge_graph(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as client, scripted_model() as model:
        manager = MemoryManager(memory_type="kg", model=model.chat_model(), description="You are helpful", client=client)
        manager.add_fact("user", "Ada", "Works at", "Acme")
        manager.add_fact("user", "Ada", "works at", "Acme")
        model.answers = [{"triples": [{"subject": "Acme", "predicate": "located in", "object": "Lisbon"}, {"subject": "x"}, 7]}]
        assert manager.extract_and_update_from_text("Acme is in Lisbon", role="user") == 1
        assert manager.facts() == [("Ada", "works_at", "Acme"), ("Acme", "located_in", "Lisbon")]
        facts = "Known facts:\n(Ada, works_at, Acme)\n(Acme, located_in, Lisbon)"
        assert manager.get_messages() == [SYSTEM, {"role": "system", "content": facts}]
        assert bus.conformance("records", "--namespace", "graph", "--agent", agent).endswith("Every record is valid.\n")
        with pytest.raises(ValueError, match="KGMemory needs a model"):
            KGMemory(client=client).extract_and_update_from_text("x")
        manager.reset_memory()
        assert manager.facts() == []
