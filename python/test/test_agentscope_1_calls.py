"""Tests calls of earlier and later AgentScope 1.0 versions: selection by index, states, memory types and ReMe."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("agentscope.memory", reason="needs AgentScope 1.0, which is not installed with the extra `test`")

from agentscope.memory import InMemoryMemory
from agentscope.message import Msg
from running_bus import RunningBus

from membus import aio
from membus.agentscope import (
    MembusLongTermMemory,
    MembusMemory,
    ReMePersonalLongTermMemory,
    ReMeTaskLongTermMemory,
    ReMeToolLongTermMemory,
)


def texts(messages: list[Msg]) -> list[Any]:
    return [message.content for message in messages]


def call(tool: str, success: bool, seconds: float) -> str:
    report = {"create_time": "2026-05-01 09:30:00", "tool_name": tool, "input": {"q": seconds}, "output": "found" if success else "busy"}
    return json.dumps({**report, "token_cost": 10, "success": success, "time_cost": seconds})


async def test_messages_are_deleted_by_index_or_id(bus: RunningBus, agent: str) -> None:
    said = [Msg("ada", f"message {n}", "user") for n in range(6)]
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add(said)
        assert await memory.delete(1) == 1
        assert texts(await memory.get_memory()) == ["message 0", "message 2", "message 3", "message 4", "message 5"]
        assert await memory.delete(iter([0, 3])) == 2
        assert await memory.delete([said[5].id]) == 1
        assert texts(await memory.get_memory()) == ["message 2", "message 3"]
        with pytest.raises(IndexError, match="no message at index 2: the memory has 2 messages"):
            await memory.delete([0, 2])
        assert await memory.size() == 2


async def test_messages_are_retrieved_by_relevance(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add([Msg("ada", text, "user") for text in ("The cat sleeps", "The night train leaves at nine", "Rice is boiling")])
        assert texts(await memory.retrieve("night train", limit=1)) == ["The night train leaves at nine"]
        assert texts(await memory.retrieve(Msg("ada", "Which train leaves?", "user"), limit=1)) == ["The night train leaves at nine"]
        assert await memory.retrieve(None) == []


async def test_the_state_of_an_in_memory_memory_is_kept(bus: RunningBus, agent: str) -> None:
    said = [Msg("ada", "Hello", "user"), Msg("bot", "Good day", "assistant")]
    other = InMemoryMemory()
    await other.add(said, marks="seen")
    await other.add(said[:1], allow_duplicates=True)
    await other.update_compressed_summary("Ada greeted")
    state = json.loads(json.dumps(other.state_dict()))
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        memory.load_state_dict(state)
        assert [item[0]["content"] for item in memory.state_dict()["content"]] == ["Hello", "Good day", "Hello"]
        assert texts(await memory.get_memory()) == ["Ada greeted", "Hello", "Good day", "Hello"]
        assert await memory.delete_by_mark("seen") == 2
        assert "content" not in memory.state_dict()
    async with await aio.connect(bus.url, agent=agent) as client:
        assert texts(await MembusMemory(client, "c-1").get_memory()) == ["Ada greeted", "Hello"]
        again = MembusMemory(client, "c-2")
        await again.add(said[0])
        again.load_state_dict(state)
        again.load_state_dict(state)
        assert texts(await again.get_memory(prepend_summary=False)) == ["Hello", "Good day"]


async def test_a_state_that_would_lose_messages_is_rejected(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add(Msg("ada", "Hello", "user"))
        await memory.update_compressed_summary("Ada greeted")
        state = memory.state_dict()
        assert state == {"_compressed_summary": "Ada greeted", "conversation": "c-1"}
        with pytest.raises(KeyError, match="content"):
            InMemoryMemory().load_state_dict(state)
        resumed = MembusMemory(client, "c-1")
        resumed.load_state_dict(state)
        assert texts(await resumed.get_memory()) == ["Ada greeted", "Hello"]
        with pytest.raises(ValueError, match="belongs to the conversation 'c-1', this memory to 'c-2'"):
            MembusMemory(client, "c-2").load_state_dict(state)
        with pytest.raises(KeyError, match="neither `content`"):
            memory.load_state_dict({})
        with pytest.raises(ValueError, match="an item that is not a message: 7"):
            memory.load_state_dict({"content": [7]})
        memory.load_state_dict({}, strict=False)
        assert texts(await memory.get_memory()) == ["Ada greeted", "Hello"]


async def test_procedural_memories_are_experiences(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusLongTermMemory(client, agent_name="planner")
        added = await memory.record([Msg("bot", "Add an index to speed up queries", "assistant")], memory_type="procedural_memory")
        assert [item["memory"] for item in added["results"]] == ["Add an index to speed up queries"]
        assert await memory.retrieve(Msg("ada", "How to speed up queries?", "user")) == "Add an index to speed up queries"
        page = await client.retrieve(namespace="about/agent:planner")
        assert [entry.get("metadata", {})["kind"] for entry in page["entries"]] == ["experience"]
        with pytest.raises(ValueError, match="memory_type must be None or"):
            await memory.record([], memory_type="episodic_memory")
        always = MembusLongTermMemory(client, agent_name="other", default_memory_type="procedural_memory")
        await always.record([Msg("bot", "Cache slow replies", "assistant")])
        assert (await client.retrieve(namespace="about/agent:other"))["entries"][0].get("metadata", {})["kind"] == "experience"
        assert bus.conformance("records", "--namespace", "about/**", "--agent", agent).endswith("Every record is valid.\n")


async def test_reme_remembers_a_person(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client, ReMePersonalLongTermMemory(client, user_name="ada") as memory:
        added = await memory.record_to_memory("a preference", ["Ada prefers homestays in Hangzhou"])
        assert added.content[0]["text"] == "Recorded 1 memories."
        await memory.record([Msg("ada", "I start work at nine", "user"), None])
        found = await memory.retrieve_from_memory(["homestays", "when does work start"])
        assert found.content[0]["text"].split("\n") == ["Ada prefers homestays in Hangzhou", "I start work at nine"]
        assert await memory.retrieve(Msg("ada", "When do I start work?", "user"), limit=1) == "I start work at nine"
        assert await memory.retrieve(None) == ""
        nothing = await ReMePersonalLongTermMemory(client, user_name="bob").retrieve_from_memory(["homestays"])
        assert nothing.content[0]["text"] == "No memories found."


async def test_reme_learns_from_tasks(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client, ReMeTaskLongTermMemory(client, agent_name="dba") as memory:
        await memory.record_to_memory("worked", ["Use EXPLAIN to find missing indexes"], score=0.75)
        found = await memory.retrieve_from_memory(["missing indexes"], top_k=1)
        assert found.content[0]["text"] == "Use EXPLAIN to find missing indexes"
        task = [Msg("ada", "The report query is slow", "user"), Msg("bot", "I added an index. It takes 2 ms now", "assistant")]
        await memory.record(task, score=1.0)
        recalled = await memory.retrieve(Msg("ada", "Another report query is slow", "user"), limit=1)
        assert recalled == "The report query is slow I added an index. It takes 2 ms now"
        entries = (await client.retrieve(namespace="about/agent:dba"))["entries"]
        assert sorted(float(str(entry.get("metadata", {})["value"])) for entry in entries) == [0.75, 1]
        failed = await memory.record_to_memory("", ["x"], score=7)
        assert failed.content[0]["text"] == "Error recording memory: value must be 0..1, got 7"


async def test_reme_learns_from_tool_calls(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client, ReMeToolLongTermMemory(client, agent_name="finder") as memory:
        added = await memory.record_to_memory("useful", [call("search", True, 1), call("search", False, 2)])
        assert added.content[0]["text"] == "Recorded 2 memories."
        await memory.record([Msg("bot", f"[{call('search', True, 3)}, {call('lookup', True, 1)}]", "assistant")])
        await memory.record_to_memory("again", [call("search", True, 1)])
        advice = (
            'search: the last failed call had the input {"q": 2} and the result busy. '
            "3 calls, 66.67 % successful, 10 tokens on average, 2 s on average."
        )
        assert (await memory.retrieve_from_memory(["search"], limit=1)).content[0]["text"] == advice
        assert await memory.retrieve(Msg("ada", "search", "user"), limit=1) == advice
        assert bus.conformance("records", "--namespace", "about/**", "--agent", agent).endswith("Every record is valid.\n")
        failed = await memory.record_to_memory("", ["no JSON"])
        assert failed.content[0]["text"].startswith("Error recording memory: a report of a tool call is not valid JSON")
