"""An agent of AgentScope 1.0 whose model is scripted, and which begins anew with what it left."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agentscope.memory", reason="needs AgentScope 1.0, which the packages of `test` leave out")

from agentscope.agent import ReActAgent
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import Msg, TextBlock, ToolUseBlock
from agentscope.model import ChatModelBase, ChatResponse
from running_bus import RunningBus

from membus import aio
from membus.agentscope import MembusLongTermMemory, MembusMemory


class ScriptedModel(ChatModelBase):  # type: ignore[misc]
    """Says what comes next in its script, and keeps what it was asked."""

    def __init__(self, *script: Any) -> None:
        super().__init__("scripted", stream=False)
        self.script = list(script)
        self.asked: list[str] = []

    async def __call__(self, messages: list[dict[str, Any]], *args: Any, **options: Any) -> ChatResponse:
        self.asked.append(str(messages))
        return ChatResponse(content=[self.script.pop(0)])


def agent_with(client: aio.AsyncMemory, conversation: str, user: str, *script: Any) -> tuple[ReActAgent, ScriptedModel]:
    model = ScriptedModel(*script)
    agent = ReActAgent(
        "planner",
        "You plan journeys.",
        model,
        OpenAIChatFormatter(),
        memory=MembusMemory(client, conversation),
        long_term_memory=MembusLongTermMemory(client, user_name=user),
    )
    agent.set_console_output_enabled(False)
    return agent, model


async def test_an_agent_goes_on_and_knows_what_it_was_told(bus: RunningBus, agent: str) -> None:
    allergy = {"thinking": "an allergy", "content": ["Allergic to nuts"]}
    call = ToolUseBlock(type="tool_use", id="c", name="record_to_memory", input=allergy)
    async with await aio.connect(bus.url, agent=agent) as client:
        first, _ = agent_with(client, "c-1", "alice", call, TextBlock(type="text", text="Noted"))
        reply = await first(Msg("alice", "I prefer the night train to Lisbon", "user"))
        assert reply.get_text_content() == "Noted"
    async with await aio.connect(bus.url, agent=agent) as client:
        same, model = agent_with(client, "c-1", "alice", TextBlock(type="text", text="To Lisbon"))
        await same(Msg("alice", "Where was it to?", "user"))
        assert "record_to_memory" in model.asked[0]
        later, model = agent_with(client, "c-2", "alice", TextBlock(type="text", text="The night train"))
        await later(Msg("alice", "Which train do I prefer, and what do nuts do to me?", "user"))
        assert "I prefer the night train to Lisbon" in model.asked[0]
        assert "Allergic to nuts" in model.asked[0]
        other, model = agent_with(client, "c-3", "bob", TextBlock(type="text", text="You did not say"))
        await other(Msg("bob", "Which train do I prefer?", "user"))
        assert "Lisbon" not in model.asked[0]
