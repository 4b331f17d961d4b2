"""Tests AgentScope 2 with its own mem0 middleware."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, AsyncIterator

import pytest

pytest.importorskip("agentscope.middleware", reason="needs AgentScope 2, which is not installed with the extra `test`")

from agentscope.event import ReplyStartEvent
from agentscope.message import AssistantMsg, UserMsg
from agentscope.middleware import Mem0Middleware
from running_bus import RunningBus

from membus import aio
from membus.mem0 import Mem0Memory


async def reply(middleware: Any, asked: str, answered: str) -> str:
    """Run one turn of an agent whose model answers with `answered`. Return the memories that the model received."""
    agent: Any = SimpleNamespace(state=SimpleNamespace(context=[]))

    async def model(**_: Any) -> AsyncIterator[Any]:
        yield ReplyStartEvent(reply_id="r", session_id="s", name="assistant")
        yield AssistantMsg(name="assistant", content=answered)

    inputs = {"inputs": UserMsg(name="user", content=asked)}
    async for _ in middleware.on_reply(agent, inputs, model):
        pass
    return "\n".join(str(message.content) for message in agent.state.context)


@pytest.mark.parametrize("agent_id", [None, "planner"])
async def test_messages_are_recalled_in_the_next_conversation(bus: RunningBus, agent: str, agent_id: str | None) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory: Any = Mem0Memory(client)
        first, later, other = (
            Mem0Middleware(user_id=user, client=memory, agent_id=agent_id) for user in ("alice", "alice", "bob")
        )
        assert await reply(first, "I prefer the night train to Lisbon", "Noted") == ""
        assert "- I prefer the night train to Lisbon" in await reply(later, "Which train do I prefer?", "The night train")
        assert await reply(other, "Which train do I prefer?", "You did not say") == ""


async def test_tools_add_and_search_memories(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory: Any = Mem0Memory(client)
        tools = {tool.name: tool for tool in await Mem0Middleware(user_id="alice", client=memory).list_tools()}
        added = await tools["add_memory"](thinking="a preference", content=["Allergic to nuts"])
        assert "Error" not in str(added)
        found = await tools["search_memory"](keywords=["nuts allergy", "train"])
        assert "Allergic to nuts" in str(found)


async def test_the_user_star_cannot_read_other_users(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory: Any = Mem0Memory(client)
        await memory.add("I prefer the night train", user_id="alice")
        everybody = Mem0Middleware(user_id="*", client=memory)
        tools = {tool.name: tool for tool in await everybody.list_tools()}
        found = str(await tools["search_memory"](keywords=["train"]))
        assert "user_id must be a non-empty name" in found and "night" not in found
        assert "night" not in await reply(everybody, "Which train do I prefer?", "You did not say")
