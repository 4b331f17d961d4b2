"""An AgentScope 2 agent with memory.

Run `python agentscope_2_agent.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import asyncio
import json
import logging
import os
import uuid
from typing import Any

from agentscope.agent import Agent
from agentscope.credential import CredentialBase
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import TextBlock, ToolCallBlock, UserMsg
from agentscope.middleware import Mem0Middleware
from agentscope.model import ChatModelBase, ChatResponse
from agentscope.tool import Toolkit
from membus import aio
from membus.mem0 import Mem0Memory

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")
# A unique user, so that the data of this run can be deleted at the end.
USER = f"ada-{uuid.uuid4()}"
NUTS = json.dumps({"thinking": "an allergy", "content": ["Allergic to nuts"]})


class ScriptedModel(ChatModelBase):  # type: ignore[misc]
    """Scripted replacement for a model, which prints the facts it receives."""

    def __init__(self, *script: Any) -> None:
        super().__init__(CredentialBase(), "scripted", self.Parameters(), stream=False)
        self.formatter = OpenAIChatFormatter()
        self._script = list(script)

    async def _call_api(self, _: str, messages: list[Any], *args: Any, **options: Any) -> ChatResponse:
        told = "\n".join(str(message.content) for message in messages)
        known = [fact for fact in ("the night train to Lisbon", "Allergic to nuts") if fact in told]
        print("  the model receives:", ", ".join(known) or "nothing")
        return ChatResponse(content=[self._script.pop(0)], is_last=True)


async def conversation(memory: Mem0Memory, said: str, *script: Any) -> None:
    middleware: Any = Mem0Middleware(user_id=USER, client=memory)
    toolkit = Toolkit(tools=await middleware.list_tools())
    agent = Agent("planner", "You plan journeys.", ScriptedModel(*script), toolkit=toolkit, middlewares=[middleware])
    print("user:", said)
    reply = await agent.reply(UserMsg("ada", said))
    print("agent:", reply.get_text_content())


async def main() -> None:
    logging.disable(logging.INFO)
    async with await aio.connect(SERVERS, agent="assistant") as client:
        memory = Mem0Memory(client)
        call = ToolCallBlock(id="c", name="add_memory", input=NUTS)
        await conversation(memory, "I prefer the night train to Lisbon.", call, TextBlock(text="I will remember."))
        await conversation(memory, "What do nuts do to me?", TextBlock(text="You are allergic to them."))
        await memory.delete_all(user_id=USER)


if __name__ == "__main__":
    asyncio.run(main())
