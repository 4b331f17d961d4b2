"""An agent of the Synadia Agent Protocol for NATS that remembers earlier prompts, also after its restart.

Run `python synadia_agent.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import asyncio
import os
import uuid
from typing import Any

import nats
from synadia_ai.agent_service import AgentService
from synadia_ai.agents import Agents, ResponseChunk

from membus import AsyncMemory, aio
from membus.synadia import SubjectMemory, name_of

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")


async def answer(envelope: Any, stream: Any) -> None:
    """Answer without a model, from the text of the prompt."""
    if not envelope.prompt.endswith("?"):
        await stream.send("Noted.")
    else:
        await stream.send("The night train." if "the night train" in envelope.prompt else "I do not know.")


async def ask(nc: Any, memory: SubjectMemory | None, owner: str, text: str) -> str:
    """Start the agent, prompt it as another program would, and stop it."""
    service = AgentService(agent="travel", owner=owner, session_name="trips", nc=nc)
    service.on_prompt(answer)
    await service.start()
    agents = Agents(nc=nc)
    try:
        found = next(agent for agent in await agents.discover() if agent.owner == owner)
        agent = found if memory is None else memory.agent(found)
        return "".join([chunk.text async for chunk in agent.prompt(text) if isinstance(chunk, ResponseChunk)])
    finally:
        await agents.close()
        await service.stop()


async def main() -> None:
    # A unique owner, so that the data of this run can be deleted at the end.
    owner = f"ada-{uuid.uuid4().hex[:12]}"
    nc = await nats.connect(SERVERS)
    async with await aio.connect(SERVERS, agent="assistant") as client:
        users = AsyncMemory(client)
        memory = SubjectMemory(users)
        print("without a memory:", await ask(nc, None, owner, "Which train do I prefer?"))
        print("first prompt:", await ask(nc, memory, owner, "I prefer the night train to Lisbon."))
        print("after a restart:", await ask(nc, memory, owner, "Which train do I prefer?"))
        other = f"{owner}-2"
        print("another subject:", await ask(nc, memory, other, "Which train do I prefer?"))
        for one in (owner, other):
            await users.forget(name_of(f"agents.prompt.travel.{one}.trips"))
    await nc.close()


if __name__ == "__main__":
    asyncio.run(main())
