"""The memory service and tools of Gaia, for asyncio.

    memory_service = MemoryService(client)
    add_memory, search_memory = memory_service.add_memory, memory_service.search_memory
    await add_memory({"metadata": {"user_id": "ada"}}, content="User prefers afternoon meetings")

Memories are facts about `user:<id>` or `agent:<name>`, as with `membus.mem0`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from .aio import AsyncAgentMemory
from .mem0 import Extract, Mem0Memory

_NO_USER = "Error: the configuration has no user id in `metadata.user_id`"


@dataclass(frozen=True)
class Memory:
    """A stored or found memory. `relevance_score` is 0..1, and None for a memory that was not searched."""

    id: str
    content: str
    relevance_score: float | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MemorySearchResult:
    memories: list[Memory]


class SearchText(str):
    """Found memories as a text for a model, and as `memories`."""

    memories: list[Memory]

    def __new__(cls, memories: list[Memory]) -> SearchText:
        lines = [f"{n}. {each.content}{_score(each)}" for n, each in enumerate(memories, 1)]
        text = "Found the following memories:\n\n" + "\n\n".join(lines) if lines else "No matching memories found"
        made = super().__new__(cls, text)
        made.memories = memories
        return made


class MemoryService:
    """Memories of users and skills of agents. A `user_id` is "user:<id>", "agent:<name>", or the id of a user.

    `extract` finds the facts in a message. Without it, a message is stored unchanged. Methods raise `MembusError` for an
    error of the bus or the host. The tools return texts for a model instead.
    """

    def __init__(self, client: AsyncAgentMemory, *, extract: Extract | None = None) -> None:
        self._facts = Mem0Memory(client, extract=extract)

    async def store_memory(
        self, message: str, user_id: str, metadata: Mapping[str, Any] | None = None, async_mode: bool = True
    ) -> Memory | None:
        """Store a memory. It is durable when this returns, in both modes.

        With `async_mode`, the metadata contain the `event_id` and the `status` "done". None means that the message
        contains no fact.
        """
        added = (await self._facts.add(message, metadata=metadata, **_entity(user_id)))["results"]
        if not added:
            return None
        event = {"event_id": added[0]["id"], "status": "done"} if async_mode else {}
        return Memory(added[0]["id"], added[0]["memory"], None, {**(metadata or {}), **event})

    async def search_memories(self, query: str, user_id: str, limit: int = 5) -> MemorySearchResult:
        """Return memories of one user or agent, best first."""
        found = await self._facts.search(query, filters=_entity(user_id), top_k=limit)
        memories = [Memory(each["id"], each["memory"], each["score"], each["metadata"] or {}) for each in found["results"]]
        return MemorySearchResult(memories)

    async def add_memory(
        self,
        config: Mapping[str, Any],
        content: str,
        metadata: Mapping[str, Any] | None = None,
        async_mode: bool = True,
    ) -> str:
        """Store a memory for the user in `config["metadata"]["user_id"]`. Return a confirmation for the model."""
        user_id = _user_of(config)
        if not user_id:
            return _NO_USER
        memory = await self.store_memory(content, user_id, metadata, async_mode)
        return "Failed to store memory" if memory is None else f"Memory stored successfully with ID: {memory.id}"

    async def search_memory(self, config: Mapping[str, Any], query: str, limit: int = 5) -> SearchText | str:
        """Search the memories of the user in `config`. Return a text for the model, with the found `memories`."""
        user_id = _user_of(config)
        return SearchText((await self.search_memories(query, user_id, limit)).memories) if user_id else _NO_USER


def _user_of(config: Mapping[str, Any]) -> str:
    return str((config.get("metadata") or {}).get("user_id") or "")


def _entity(user_id: str) -> dict[str, Any]:
    kind, colon, name = user_id.partition(":")
    return {f"{kind}_id": name} if colon and kind in ("user", "agent") else {"user_id": user_id}


def _score(memory: Memory) -> str:
    return "" if memory.relevance_score is None else f" (score: {memory.relevance_score:.2f})"
