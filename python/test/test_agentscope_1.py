"""Tests the AgentScope 1.0 memories against its own memory, and with the tools of its agent."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("agentscope.memory", reason="needs AgentScope 1.0, which is not installed with the extra `test`")

from agentscope.memory import InMemoryMemory
from agentscope.message import Msg, TextBlock
from running_bus import RunningBus

from membus import aio
from membus._exchange import Exchange
from membus.agentscope import MembusLongTermMemory, MembusMemory
from membus.aio import AsyncAgentMemory

MARKS: list[str | None] = ["hint", "done", None]


def shown(messages: list[Msg]) -> list[Any]:
    return [message.to_dict() for message in messages]


async def step(chance: random.Random, memory: Any, messages: list[Msg]) -> Any:
    """Create the same message for each memory."""
    some = chance.sample(messages, 3)
    mark, other = chance.choice(MARKS), chance.choice(MARKS)
    match chance.randrange(7):
        case 0 | 1:
            return await memory.add(some, marks=mark, allow_duplicates=chance.random() < 0.2)
        case 2:
            return await memory.delete([message.id for message in some[:1]])
        case 3:
            return await memory.update_messages_mark(mark, other, chance.choice([None, [message.id for message in some], []]))
        case 4:
            return await memory.delete_by_mark("done") if chance.random() < 0.3 else await memory.size()
        case _:
            return shown(await memory.get_memory(mark=mark, exclude_mark=other if other != mark else None))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_behaves_like_the_in_memory_memory(bus: RunningBus, agent: str, seed: int) -> None:
    messages = [Msg(f"n{n % 2}", f"message {n}", "user" if n % 2 else "assistant", {"n": n}) for n in range(8)]
    oracle, chance = InMemoryMemory(), random.Random(seed)
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        for n in range(120):
            state = chance.getstate()
            expected = await step(chance, oracle, messages)
            chance.setstate(state)
            assert await step(chance, memory, messages) == expected, n
        await memory.clear()
        assert await memory.size() == 0


async def test_another_process_continues_a_conversation(bus: RunningBus, agent: str) -> None:
    blocks = [TextBlock(type="text", text="Which train?"), {"type": "tool_use", "id": "t", "name": "look", "input": {"a": [1]}}]
    long = Msg("tool", "x" * 600_000, "system")
    said: Any = [Msg("alice", "Hello", "user"), Msg("bot", blocks, "assistant"), long]
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add(said, marks=["a", "b"])
        await memory.add(None)
        await memory.update_compressed_summary("Alice asked for a train")
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        first, *others = await memory.get_memory()
        assert (first.role, first.content) == ("user", "Alice asked for a train")
        assert shown(others) == shown(said)
        assert await MembusMemory(client, "c-2").size() == 0
        output = bus.conformance("records", "--namespace", "conversations", "--agent", agent)
        assert output.endswith("Every record is valid.\n")
        assert await memory.update_messages_mark("seen", "a") == 3
        assert await memory.delete([long.id]) == 1
        assert (await client.retrieve(namespace="conversations", limit=0))["total"] == 3
        await memory.update_compressed_summary("")
        assert [message.role for message in await memory.get_memory()] == ["user", "assistant"]
        await memory.update_compressed_summary("Alice asked for two")
        assert (await MembusMemory(client, "c-1").get_memory())[0].content == "Alice asked for two"
        assert await memory.delete_by_mark(["seen", "b"]) == 2
        with pytest.raises(TypeError, match="The mark should be a string"):
            await memory.delete_by_mark([1])  # type: ignore[list-item]


async def test_long_term_memory_spans_conversations(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusLongTermMemory(client, user_name="alice")
        await memory.record([Msg("alice", "I prefer the night train", "user"), None])
        assert await memory.retrieve(Msg("alice", "Which train?", "user")) == "I prefer the night train"
        added = await memory.record_to_memory("a preference", ["Allergic to nuts"])
        assert added.content == [{"type": "text", "text": "Remembered: Allergic to nuts"}]
        found = await memory.retrieve_from_memory(["nuts", "allergic to nuts", "train"])
        assert found.content[0]["text"].split("\n") == ["Allergic to nuts", "I prefer the night train"]
        assert await MembusLongTermMemory(client, user_name="bob").retrieve([Msg("bob", "Which train?", "user")]) == ""
        assert await memory.retrieve(None) == ""
        with pytest.raises(ValueError, match="at least one of agent_name"):
            MembusLongTermMemory(client)
        with pytest.raises(ValueError, match="user_id must be a non-empty name"):
            MembusLongTermMemory(client, user_name="*")
        with pytest.raises(ValueError, match="user_id must be at most 59 characters"):
            MembusLongTermMemory(client, user_name="a" * 60)
        for conversation in (None, "", 7):
            with pytest.raises(ValueError, match="conversation must be a non-empty string"):
                MembusMemory(client, conversation)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="tier must be one of working, episodic, semantic, got 'x'"):
            MembusMemory(client, "c-1", tier="x")  # type: ignore[arg-type]


async def test_duplicates_are_added_if_allowed(bus: RunningBus, agent: str) -> None:
    message = Msg("alice", "Hello", "user")
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add([message, message], allow_duplicates=True)
        assert shown(await memory.get_memory()) == shown([message, message])
        await memory.add([message, message])
        assert await memory.size() == 2
        assert await memory.delete([message.id]) == 2


async def test_concurrent_summaries_leave_one(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second writer replaces the summary before the first forgets the replaced ones."""
    async with await aio.connect(bus.url, agent=agent) as client:
        first, second = MembusMemory(client, "c-1"), MembusMemory(client, "c-1")
        await first.add(Msg("alice", "Hello", "user"))
        await first.update_compressed_summary("greeted")
        await first.add(Msg("alice", "Well", "user"))
        forget = AsyncAgentMemory.forget

        async def late(view: AsyncAgentMemory, **criteria: Any) -> Any:
            monkeypatch.setattr(AsyncAgentMemory, "forget", forget)
            await second.add(Msg("alice", "Bye", "user"))
            await second.update_compressed_summary("greeted and gone")
            return await forget(view, **criteria)

        monkeypatch.setattr(AsyncAgentMemory, "forget", late)
        await first.update_compressed_summary("greeted well")
        assert AsyncAgentMemory.forget is forget
        assert (await MembusMemory(client, "c-1").get_memory())[0].content == "greeted and gone"
        summaries = {"field": "metadata.kind", "op": "eq", "value": "summary"}
        request: Any = {"namespace": "conversations", "where": summaries, "limit": 0}
        assert (await client.retrieve(**request))["total"] == 1


async def test_a_rewritten_summary_is_not_deleted(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        first, second = MembusMemory(client, "c-1"), MembusMemory(client, "c-1")
        await first.add(Msg("alice", "Hello", "user"))
        await first.update_compressed_summary("greeted")
        last = Msg("alice", "Well", "user")
        await first.add(last)
        forget = AsyncAgentMemory.forget

        async def late(view: AsyncAgentMemory, **criteria: Any) -> Any:
            """The second summary covers the same messages as the one to be deleted."""
            monkeypatch.setattr(AsyncAgentMemory, "forget", forget)
            await second.delete([last.id])
            await second.update_compressed_summary("greeted once")
            return await forget(view, **criteria)

        monkeypatch.setattr(AsyncAgentMemory, "forget", late)
        await first.update_compressed_summary("greeted well")
        assert (await MembusMemory(client, "c-1").get_memory())[0].content == "greeted once"


async def test_messages_are_deleted_without_reading_them(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts are deleted with their messages, and not counted."""
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add([Msg("tool", "x" * 600_000, "system"), Msg("alice", "Hello", "user")], marks="a")
        await memory.add(Msg("alice", "Bye", "user"))
        sent: list[str] = []
        send = Exchange.send

        async def counted(exchange: Exchange, request: Any, *how: Any) -> Any:
            sent.append(request.type)
            return await send(exchange, request, *how)

        monkeypatch.setattr(Exchange, "send", counted)
        assert await memory.delete_by_mark("a") == 2
        await memory.clear()
        assert sent == ["memory/forget/req"] * 2
        assert (await client.retrieve(namespace="conversations", limit=0))["total"] == 0


async def test_any_number_of_messages_can_be_marked_and_deleted(bus: RunningBus, agent: str) -> None:
    """Exceeds the limits of a request and of a cascade."""
    messages = [Msg("alice", f"message {n}", "user") for n in range(10_100)]
    ids = [message.id for message in messages]
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = MembusMemory(client, "c-1")
        await memory.add(messages, marks="a")
        await memory.add(messages[:1_100])
        assert await memory.size() == 10_100
        assert await memory.update_messages_mark("b", "a", ids[:1_500]) == 1_500
        assert await memory.delete(ids[:1_100]) == 1_100
        assert await memory.delete_by_mark("b") == 400
        await memory.add(messages[:1_500])
        await memory.clear()
        assert await memory.size() == 0
