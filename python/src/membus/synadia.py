"""A memory for agents of the Synadia Agent Protocol for NATS, one for each prompt subject. Requires synadia-ai-agents 0.8.1.

    memory = SubjectMemory(AsyncMemory(client))
    agent = memory.agent((await agents.discover())[0])  # any agent, unchanged
    async for message in agent.prompt("Which train do I take?"):
        ...

A host gives its agent a memory with `service.on_prompt(memory.handler(handle, subject))`.
"""

from __future__ import annotations

import hashlib
from contextlib import aclosing
from typing import Any, AsyncIterator, Awaitable, Callable, Union

from synadia_ai.agents import Agent, Envelope, ResponseChunk, StreamMessage

from ._facts import segment_length
from ._memories import Recall
from ._schema import LIMITS
from ._user_data import USER_PREFIX
from .errors import MembusError
from .memory import AsyncMemory

#: Handler of prompts, as `AgentService.on_prompt` takes it.
Handler = Callable[[Envelope, Any], Awaitable[None]]

_PROMPT_SUBJECTS = "agents.prompt."
_NAME_MAX = LIMITS["namespaceSegmentLength"] - len(USER_PREFIX)
_HASH_LENGTH = 8


class SubjectMemory:
    """What agents remember of their prompts, by the subject of the agent.

    A prompt is sent with the memories that fit it. A completed turn is kept: its messages as a conversation, and the
    statements of the prompt as facts. All callers of one subject share its memory.
    """

    def __init__(
        self,
        memory: AsyncMemory,
        *,
        tokens_max: int = 1_000,
        facts_max: int = 10,
        on_error: Callable[[MembusError], None] | None = None,
    ) -> None:
        """Args:
        tokens_max: Maximum number of tokens that memories add to a prompt.
        facts_max: Maximum number of facts that a prompt gets, 1 or more.
        on_error: Receives failures of the memory. The prompt continues without memories, or its turn is not kept. Without
            it, a failure is raised.
        """
        self._memory = memory
        self._tokens_max = tokens_max
        self._facts_max = facts_max
        self._on_error = on_error

    def agent(self, agent: Agent) -> RememberingAgent:
        """Return a discovered agent with a memory."""
        return RememberingAgent(agent, self)

    def handler(self, handler: Handler, subject: str) -> Handler:
        """Return a handler of prompts with a memory, for the agent of a prompt subject."""

        async def handle(envelope: Envelope, stream: Any) -> None:
            recording = _RecordingStream(stream)
            await handler(await self.with_memories(envelope, subject), recording)
            await self.keep(envelope.prompt, "".join(recording.texts), subject)

        return handle

    async def with_memories(self, envelope: Envelope, subject: str) -> Envelope:
        """Return a prompt with the memories of a subject that fit it, before its text."""
        try:
            found = await self._memory.search(envelope.prompt, user=name_of(subject), limit=self._facts_max)
        except MembusError as error:
            self._report(error)
            return envelope
        recalled = Recall(found).text(self._tokens_max)
        return envelope.model_copy(update={"prompt": f"{recalled}\n\n{envelope.prompt}"}) if recalled else envelope

    async def keep(self, prompt: str, reply: str, subject: str) -> None:
        """Keep a completed turn of a subject."""
        messages = [{"role": "user", "content": prompt}, *([{"role": "assistant", "content": reply}] if reply else [])]
        try:
            await self._memory.add(messages, user=name_of(subject))
        except MembusError as error:
            self._report(error)

    def _report(self, error: MembusError) -> None:
        if self._on_error is None:
            raise error
        self._on_error(error)


class RememberingAgent:
    """An agent with a memory. Other attributes are those of the agent."""

    def __init__(self, agent: Agent, memory: SubjectMemory) -> None:
        self._agent = agent
        self._memory = memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    async def prompt(self, text: Union[str, Envelope], **options: Any) -> AsyncIterator[StreamMessage]:
        """Prompt the agent, with the options of its `prompt`. A turn that fails or is abandoned is not kept."""
        envelope = Envelope(prompt=text) if isinstance(text, str) else text
        subject = self._agent.prompt_subject
        texts: list[str] = []
        sent = await self._memory.with_memories(envelope, subject)
        async with aclosing(self._agent.prompt(sent, **options)) as messages:
            async for message in messages:
                if isinstance(message, ResponseChunk):
                    texts.append(message.text)
                yield message
        await self._memory.keep(envelope.prompt, "".join(texts), subject)


class _RecordingStream:
    """A stream of a host that records the texts of the reply."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def send(self, chunk: Any) -> None:
        await self._stream.send(chunk)
        if isinstance(chunk, (str, ResponseChunk)):
            self.texts.append(chunk if isinstance(chunk, str) else chunk.text)


def name_of(subject: str) -> str:
    """Return the user of `AsyncMemory` for a prompt subject: its tokens after `agents.prompt.`, or a part and a hash."""
    name = subject.removeprefix(_PROMPT_SUBJECTS)
    if segment_length(name) <= _NAME_MAX:
        return name
    digest = hashlib.sha256(subject.encode()).hexdigest()[:_HASH_LENGTH]
    return f"{name[: _NAME_MAX - _HASH_LENGTH - 1]}-{digest}"
