"""Facts and experiences as a long-term memory of AgentScope 1."""

from __future__ import annotations

import asyncio
from typing import Any, Iterable

from agentscope.memory import LongTermMemoryBase
from agentscope.message import Msg
from agentscope.tool import ToolResponse

from .._mem0_filters import subject_of
from ..aio import AsyncAgentMemory
from ..errors import MembusError
from ..long_term import AsyncLongTermMemory
from ..mem0 import Extract, Mem0Memory
from ._messages import Messages, ids_of, messages_of, tool_response


class MembusLongTermMemory(LongTermMemoryBase):
    """Facts and experiences about a user, an agent or a run across conversations, stored with `membus.mem0`.

    At least one name is required, and none may be `*`. The first one given of user, agent and run has the length limit
    of `Mem0Memory`. `extract` finds the facts in messages. Without it, messages are stored unchanged.
    """

    def __init__(
        self,
        memory: AsyncAgentMemory,
        *,
        agent_name: str | None = None,
        user_name: str | None = None,
        run_name: str | None = None,
        extract: Extract | None = None,
        default_memory_type: str | None = None,
    ) -> None:
        super().__init__()
        self._ids = ids_of(agent_name, user_name, run_name)
        self._memory_type = _memory_type(default_memory_type)
        self._facts = Mem0Memory(memory, extract=extract)
        self._experiences = AsyncLongTermMemory(memory, subject_of(self._ids))

    async def record(
        self, msgs: list[Msg | None], memory_type: str | None = None, infer: bool = True, **_: Any
    ) -> dict[str, Any]:
        """Store the facts of messages. With `memory_type="procedural_memory"`, store the messages as one experience.

        Raises:
            ValueError: For another memory type.
        """
        texts = messages_of(msgs)
        if (_memory_type(memory_type) or self._memory_type) is None:
            return await self._facts.add(texts, infer=infer, **self._ids)
        whole = {"role": "assistant", "content": "\n".join(text["content"] for text in texts)}
        outcomes = await self._experiences.record_experiences([whole])
        return {"results": [{"id": each.id, "memory": each.text, "event": "ADD"} for each in outcomes]}

    async def retrieve(self, msg: Messages, limit: int = 5, **_: Any) -> str:
        """Return memories relevant to the messages, one per line, at most `limit` for each message."""
        messages = [msg] if isinstance(msg, Msg) else msg or []
        return "\n".join(await self._search([message.get_text_content() or "" for message in messages], limit))

    async def record_to_memory(self, thinking: str, content: list[str], **_: Any) -> ToolResponse:
        """Use this function to record important information that you may need later. The target content should be specific and
        concise, e.g. who, when, where, do what, why, how, etc.

        Args:
            thinking (`str`):
                Your thinking and reasoning about what to record.
            content (`list[str]`):
                The content to remember, which is a list of strings.
        """
        try:
            texts = [{"role": "assistant", "content": text} for text in content]
            added = await self._facts.add(texts, infer=False, **self._ids)
            return tool_response("\n".join(f"Remembered: {each['memory']}" for each in added["results"]))
        except MembusError as error:
            return tool_response(f"Error recording memory: {error}")

    async def retrieve_from_memory(self, keywords: list[str], limit: int = 5, **_: Any) -> ToolResponse:
        """Retrieve the memory based on the given keywords.

        Args:
            keywords (`list[str]`):
                The keywords to search for in the memory, which should be specific and concise, e.g. the person's name, the date,
                the location, etc.
            limit (`int`, optional):
                The maximum number of memories to retrieve per keyword. Defaults to 5.
        """
        try:
            return tool_response("\n".join(await self._search(keywords, limit)))
        except MembusError as error:
            return tool_response(f"Error retrieving memory: {error}")

    async def _search(self, queries: Iterable[str], limit: int) -> list[str]:
        """Return distinct memories, those of the first query first. Facts come before experiences."""
        return list(dict.fromkeys([text for query in queries if query for text in await self._found(query, limit)]))

    async def _found(self, query: str, limit: int) -> list[str]:
        facts, experiences = await asyncio.gather(
            self._facts.search(query, filters=self._ids, top_k=limit),
            self._experiences.recall(query, limit=limit, min_score=0.1, kinds=["experience"]),
        )
        scored = [(item["score"], item["memory"]) for item in facts["results"]]
        scored += [(item.score, item.text) for item in experiences.memories]
        return [text for _, text in sorted(scored, key=lambda each: -each[0])[:limit]]


def _memory_type(given: str | None) -> str | None:
    if given not in (None, "procedural_memory"):
        raise ValueError(f'memory_type must be None or "procedural_memory", got {given!r}')
    return given
