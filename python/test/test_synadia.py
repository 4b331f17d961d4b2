"""Tests memories of agents on the Synadia Agent Protocol, with its client and its host."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable

import nats
import pytest

pytest.importorskip("synadia_ai.agent_service", reason="needs synadia-ai-agents 0.8.1 and synadia-ai-agent-service 0.5.0")

from documents import run_example, shown_of
from running_bus import RunningBus
from synadia_ai.agent_service import AgentService
from synadia_ai.agents import Agents, Envelope, Query, ResponseChunk

from membus import AsyncMemory, UnavailableError, aio
from membus.synadia import SubjectMemory, name_of

STATEMENT = "I prefer the night train to Lisbon."
QUESTION = "Which train do I prefer?"


async def repeat(envelope: Any, stream: Any) -> None:
    await stream.send(f"received: {envelope.prompt}")


async def replies(messages: AsyncIterator[Any]) -> str:
    """Return the text of a reply. A question of the agent is answered with yes."""
    texts = []
    async for message in messages:
        if isinstance(message, Query):
            await message.reply("yes")
        elif isinstance(message, ResponseChunk):
            texts.append(message.text)
    return "".join(texts)


class Running:
    """A connection, a host with one agent, and the agent as a client discovers it."""

    def __init__(self, url: str, owner: str, wrap: Callable[[Any], Any] = lambda handler: handler, handler: Any = repeat):
        self._url, self._owner, self._handler = url, owner, wrap(handler)

    async def __aenter__(self) -> Any:
        self._nc = await nats.connect(self._url)
        self._service = AgentService(agent="travel", owner=self._owner, session_name="trips", nc=self._nc)
        self._service.on_prompt(self._handler)
        await self._service.start()
        self._agents = Agents(nc=self._nc)
        return next(one for one in await self._agents.discover() if one.owner == self._owner)

    async def __aexit__(self, *_: object) -> None:
        await self._agents.close()
        await self._service.stop()
        await self._nc.close()


async def test_a_client_gives_any_agent_a_memory(bus: RunningBus, agent: str) -> None:
    async with Running(bus.url, agent) as found, await aio.connect(bus.url, agent=agent) as client:
        users = AsyncMemory(client)
        remembering = SubjectMemory(users).agent(found)
        assert remembering.prompt_subject == f"agents.prompt.travel.{agent}.trips"
        assert await replies(remembering.prompt(STATEMENT)) == f"received: {STATEMENT}"
        reply = await replies(remembering.prompt(Envelope(prompt=QUESTION), timeout=20))
        assert reply.startswith("received: <recalled-memories>")
        assert reply.count(STATEMENT) == 1
        assert reply.endswith(f"\n\n{QUESTION}")
        kept = await users.history(f"travel.{agent}.trips")
        assert [one.message["content"] for one in kept][::2] == [STATEMENT, QUESTION]
        assert await users.search(QUESTION, user=f"travel.{agent}.other") == []


async def test_a_host_gives_its_agent_a_memory_and_may_ask(bus: RunningBus, agent: str) -> None:
    async def asks(envelope: Any, stream: Any) -> None:
        answer = await stream.ask("Really?", timeout=10)
        await stream.send(ResponseChunk(text=f"{answer.prompt}: {envelope.prompt}"))

    async with await aio.connect(bus.url, agent=agent) as client:
        memory = SubjectMemory(AsyncMemory(client))
        subject = f"agents.prompt.travel.{agent}.trips"
        async with Running(bus.url, agent, lambda handler: memory.handler(handler, subject), asks) as found:
            assert await replies(found.prompt(STATEMENT)) == f"yes: {STATEMENT}"
            assert STATEMENT in await replies(found.prompt(QUESTION))


async def test_a_failure_of_the_memory_is_raised_or_reported(bus: RunningBus, agent: str) -> None:
    errors: list[Exception] = []
    async with Running(bus.url, agent) as found:
        # No host serves these subjects.
        async with await aio.connect(bus.url, agent=agent, prefix="nowhere", retry_timeout_s=0) as client:
            reporting = SubjectMemory(AsyncMemory(client), on_error=errors.append).agent(found)
            assert await replies(reporting.prompt(QUESTION)) == f"received: {QUESTION}"
            assert [type(error) for error in errors] == [UnavailableError, UnavailableError]
            with pytest.raises(UnavailableError):
                await replies(SubjectMemory(AsyncMemory(client)).agent(found).prompt(QUESTION))


def test_a_long_subject_has_a_short_unique_name() -> None:
    assert name_of("agents.prompt.codex.ada.shop") == "codex.ada.shop"
    assert name_of(f"agents.prompt.codex.ada.{'x' * 80}") == f"codex.ada.{'x' * 40}-e1468826"
    assert len(name_of(f"agents.prompt.codex.ada.{'x' * 80}")) == 59


def test_the_example_prints_the_output_of_the_readme(bus: RunningBus) -> None:
    assert run_example(bus, "synadia_agent.py") == shown_of("synadia_agent.py")
