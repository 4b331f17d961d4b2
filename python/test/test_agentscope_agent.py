"""An agent of AgentScope 2 whose model is scripted, in two conversations."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("agentscope.middleware", reason="needs AgentScope 2, which the packages of `test` leave out")

from agentscope.agent import Agent
from agentscope.credential import CredentialBase
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import TextBlock, ToolCallBlock, UserMsg
from agentscope.middleware import Mem0Middleware
from agentscope.model import ChatModelBase, ChatResponse
from agentscope.tool import Toolkit
from running_bus import RunningBus

from membus import aio
from membus.mem0 import Mem0Memory


class ScriptedModel(ChatModelBase):  # type: ignore[misc]
    """Says what comes next in its script, and keeps what it was asked."""

    def __init__(self, *script: Any) -> None:
        super().__init__(CredentialBase(), "scripted", self.Parameters(), stream=False)
        self.formatter = OpenAIChatFormatter()
        self.script = list(script)
        self.asked: list[str] = []

    async def _call_api(self, _: str, messages: list[Any], *args: Any, **options: Any) -> ChatResponse:
        self.asked.append("\n".join(str(message.content) for message in messages))
        return ChatResponse(content=[self.script.pop(0)], is_last=True)


async def agent_with(memory: Any, user: str, *script: Any) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(*script)
    middleware = Mem0Middleware(user_id=user, client=memory)
    toolkit = Toolkit(tools=await middleware.list_tools())
    return Agent("planner", "You plan journeys.", model, toolkit=toolkit, middlewares=[middleware]), model


async def test_an_agent_knows_in_the_next_conversation_what_it_was_told(bus: RunningBus, agent: str) -> None:
    call = ToolCallBlock(id="c", name="add_memory", input=json.dumps({"thinking": "an allergy", "content": ["Allergic to nuts"]}))
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        first, _ = await agent_with(memory, "alice", call, TextBlock(text="Noted"))
        assert "Noted" in str((await first.reply(UserMsg("alice", "I prefer the night train to Lisbon"))).content)
        later, model = await agent_with(memory, "alice", TextBlock(text="The night train"))
        await later.reply(UserMsg("alice", "Which train do I prefer, and what do nuts do to me?"))
        assert "I prefer the night train to Lisbon" in model.asked[0]
        assert "Allergic to nuts" in model.asked[0]
        other, model = await agent_with(memory, "bob", TextBlock(text="You did not say"))
        await other.reply(UserMsg("bob", "Which train do I prefer?"))
        assert "Lisbon" not in model.asked[0]
