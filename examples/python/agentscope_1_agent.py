"""An AgentScope 1.0 agent with short-term and long-term memory.

Run `python agentscope_1_agent.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import asyncio
import os
import uuid
from typing import Any

from agentscope.agent import ReActAgent
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import Msg, TextBlock, ToolUseBlock
from agentscope.model import ChatModelBase, ChatResponse
from membus import aio
from membus.agentscope import MembusLongTermMemory, MembusMemory
from membus.mem0 import Mem0Memory

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")
# Unique names, so that the data of this run can be deleted at the end.
RUN = str(uuid.uuid4())
NUTS = {"thinking": "an allergy", "content": ["Allergic to nuts"]}


class ScriptedModel(ChatModelBase):  # type: ignore[misc]
    """Scripted replacement for a model, which prints the facts it receives."""

    def __init__(self, *script: Any) -> None:
        super().__init__("scripted", stream=False)
        self._script = list(script)

    async def __call__(self, messages: list[dict[str, Any]], *args: Any, **options: Any) -> ChatResponse:
        known = [fact for fact in ("the night train to Lisbon", "Allergic to nuts") if fact in str(messages)]
        print("  the model receives:", ", ".join(known) or "nothing")
        return ChatResponse(content=[self._script.pop(0)])


def text(words: str) -> TextBlock:
    return TextBlock(type="text", text=words)


async def turn(conversation: str, said: str, *script: Any) -> None:
    """Simulate a new process whose only state is on the bus."""
    async with await aio.connect(SERVERS, agent="assistant") as client:
        agent = ReActAgent(
            "planner",
            "You plan journeys.",
            ScriptedModel(*script),
            OpenAIChatFormatter(),
            memory=MembusMemory(client, f"{RUN}-{conversation}"),
            long_term_memory=MembusLongTermMemory(client, user_name=f"ada-{RUN}"),
        )
        agent.set_console_output_enabled(False)
        print("user:", said)
        reply = await agent(Msg("ada", said, "user"))
        print("agent:", reply.get_text_content())


async def main() -> None:
    call = ToolUseBlock(type="tool_use", id="c", name="record_to_memory", input=NUTS)
    await turn("first", "I prefer the night train to Lisbon.", call, text("I will remember."))
    await turn("first", "Where was it to?", text("To Lisbon."))
    await turn("second", "What do nuts do to me?", text("You are allergic to them."))

    async with await aio.connect(SERVERS, agent="assistant") as client:
        for conversation in ("first", "second"):
            await MembusMemory(client, f"{RUN}-{conversation}").clear()
        await Mem0Memory(client).delete_all(user_id=f"ada-{RUN}")


if __name__ == "__main__":
    asyncio.run(main())
