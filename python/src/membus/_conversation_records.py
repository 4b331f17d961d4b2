"""The stored records of one conversation: messages and summaries of any size (protocol/spec/07-records.md)."""

from __future__ import annotations

import uuid
from typing import Any, AsyncIterator, Callable, Literal, Mapping, Sequence

from ._batches import chunks, forget_cascading, forget_derived
from ._identity import require_tier
from ._parts import read_whole, store_whole
from ._schema import LIMITS, MemoryEntry, MemoryTier, StoreError
from .aio import AsyncAgentMemory
from .errors import TooLargeError, error_of

NAMESPACE = "conversations"
_IS_SUMMARY = {"field": "metadata.kind", "op": "eq", "value": "summary"}


class ConversationRecords:
    """The messages and summaries of one conversation in one tier.

    Raises:
        ValueError: If the conversation is not a non-empty string, or the tier is unknown.
    """

    def __init__(self, memory: AsyncAgentMemory, conversation: str, tier: MemoryTier) -> None:
        if not isinstance(conversation, str) or not conversation:
            raise ValueError(f"conversation must be a non-empty string, got {conversation!r}")
        require_tier(tier)
        self.memory = memory.in_namespace(NAMESPACE)
        self.conversation = conversation
        self.place: dict[str, Any] = {"tier": tier, "group": conversation}

    def entry(self, id: str, content: Mapping[str, Any], marks: Sequence[str] = ()) -> dict[str, Any]:
        """Return the entry of a new message. It is stored only if the id does not exist."""
        name = {"name": content["name"]} if content.get("name") else {}
        return {
            "key": {"conversation": self.conversation, "message": id},
            "content": dict(content),
            "metadata": {"kind": "message", "role": content["role"], **name, **({"marks": [*marks]} if marks else {})},
            **self.place,
            "text": indexed_text(content["content"]),
            "if_revision": 0,
        }

    async def store(self, entries: Sequence[Mapping[str, Any]]) -> list[StoreError]:
        """Store entries, and return the conflicts. Raise other errors of an entry."""
        errors = await store_whole(self.memory, entries) if entries else []
        for error in errors:
            if error["code"] != "conflict":
                raise error_of(error)
        return errors

    async def messages(self, where: Sequence[Any] = ()) -> list[MemoryEntry]:
        """Return matching messages in order."""
        request: Any = {**self.place, "where": all_of(where), "order": "oldest"}
        return await read_whole(self.memory, [entry async for entry in self.memory.entries(**request)])

    async def newest(self, limit: int | None = None) -> AsyncIterator[MemoryEntry]:
        """Yield messages, newest first."""
        request: Any = {**self.place, "where": all_of([]), "order": "newest", **({} if limit is None else {"limit": limit})}
        async for entry in self.memory.entries(**request):
            for whole in await read_whole(self.memory, [entry]):
                yield whole

    async def of_ids(self, ids: Sequence[str], where: Sequence[Any] = ()) -> list[MemoryEntry]:
        """Return messages by any number of ids, including duplicates of an id."""
        distinct = [*dict.fromkeys(ids)]
        return [entry for some in chunks(distinct, LIMITS["listElements"]) for entry in await self.messages([_has_id(some), *where])]

    async def search(self, query: str, limit: int) -> list[MemoryEntry]:
        """Return messages by relevance to a query, best first."""
        request: Any = {**self.place, "where": all_of([]), "query": query[: LIMITS["queryLength"]], "limit": limit}
        page = await self.memory.retrieve(**request)
        return await read_whole(self.memory, page["entries"])

    async def first(self) -> MemoryEntry | None:
        """Return the first message."""
        request: Any = {**self.place, "where": all_of([]), "order": "oldest", "limit": 1}
        entries = await read_whole(self.memory, (await self.memory.retrieve(**request))["entries"])
        return entries[0] if entries else None

    async def size(self) -> int:
        request: Any = {**self.place, "where": all_of([]), "limit": 0}
        return (await self.memory.retrieve(**request))["total"]

    async def summary(self) -> MemoryEntry | None:
        """Return the newest summary."""
        request: Any = {**self.place, "where": _IS_SUMMARY, "order": "newest", "limit": 1}
        found = await read_whole(self.memory, (await self.memory.retrieve(**request))["entries"])
        return found[0] if found else None

    async def store_summary(
        self, text: str, covers: Mapping[str, int] | None = None, sources: Sequence[str] = (), level: int = 1
    ) -> None:
        """Store a summary, by default of all messages, and forget the earlier ones. `sources` are the key hashes of its
        messages.
        """
        covered = covers or {"from": await self._sequence("oldest"), "to": await self._sequence("newest")}
        content = {"text": text, "key_facts": [], "open_threads": [], "covers": {**covered}}
        key = {"conversation": self.conversation, "summary": str(covered["to"])}
        entry = {"key": key, "content": content, "metadata": {"kind": "summary", "level": level, **covered}, **self.place}
        if sources:
            entry["sources"] = [*sources[-LIMITS["sources"] :]]
        request: Any = {**self.place, "where": _IS_SUMMARY}
        known = [other async for other in self.memory.entries(**request)]
        for error in await store_whole(self.memory, [entry], replacing=True):
            raise error_of(error)
        await self._forget_as_read([other for other in known if other["key"] != key])

    async def forget_where(self, where: Sequence[Any]) -> int:
        """Forget matching messages with what was derived from them. If the cascade exceeds its limit, forget them by key."""
        request: Any = {**self.place, "where": all_of(where)}
        try:
            return await forget_derived(self.memory, request)
        except TooLargeError:
            pass
        keys = [entry["key"]["message"] async for entry in self.memory.entries(**request)]
        return await self._forget(keys, lambda some: [{"field": "key.message", "op": "in", "value": some}, *where])

    async def forget_covering(self, sequences: Sequence[int]) -> int:
        """Forget summaries that cover a message in the range of these."""
        if not sequences:
            return 0
        where: Any = {
            "all": [
                _IS_SUMMARY,
                {"field": "metadata.from", "op": "lte", "value": max(sequences)},
                {"field": "metadata.to", "op": "gte", "value": min(sequences)},
            ]
        }
        return await forget_derived(self.memory, {**self.place, "where": where})

    async def forget_all(self) -> int:
        """Forget all messages, summaries and offloaded texts with their parts, in one request."""
        kinds: Any = {"field": "metadata.kind", "op": "in", "value": ["message", "summary", "offload", "history", "part"]}
        return (await self.memory.forget(**self.place, where=kinds))["deleted"]

    async def forget_ids(self, ids: Sequence[str]) -> int:
        """Forget messages by id, with their duplicates. Parts are not counted."""
        return await self._forget(ids, lambda some: [_has_id(some)])

    async def _forget(self, ids: Sequence[str], where: Callable[[list[str]], list[Any]]) -> int:
        return await forget_cascading(
            self.memory, ids, LIMITS["listElements"], lambda some: {**self.place, "where": all_of(where(some))}
        )

    async def _forget_as_read(self, entries: list[MemoryEntry]) -> None:
        """Forget entries unless they were changed since they were read. Otherwise two processes could forget each
        other's summaries.
        """
        latest = max((entry["timestamps"]["updated"] for entry in entries), default=0)
        criteria = {"tier": self.place["tier"], "where": {"field": "updated", "op": "lte", "value": latest}}
        keys = [entry["key"] for entry in entries]
        await forget_cascading(self.memory, keys, LIMITS["criteriaKeys"], lambda some: {**criteria, "keys": some})

    async def _sequence(self, order: Literal["oldest", "newest"]) -> int:
        """Return the sequence number of the first or last message, 0 if there are none."""
        request: Any = {**self.place, "where": all_of([]), "order": order, "limit": 1}
        entries = [entry async for entry in self.memory.entries(**request)]
        return entries[0]["seq"] if entries else 0


def all_of(where: Sequence[Any]) -> Any:
    """Return the condition of messages that match all of `where`."""
    return {"all": [{"field": "metadata.kind", "op": "eq", "value": "message"}, *where]}


def _has_id(ids: list[str]) -> dict[str, Any]:
    return {"any": [{"field": field, "op": "in", "value": ids} for field in ("key.message", "metadata.same_as")]}


def id_of(entry: MemoryEntry) -> str:
    """Return the id that a message was added with."""
    return str(entry.get("metadata", {}).get("same_as", entry["key"]["message"]))


def duplicate_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message with a new key and a reference to its id."""
    id = entry["key"]["message"]
    key = {**entry["key"], "message": f"{id}.{uuid.uuid4()}"}
    return {**entry, "key": key, "metadata": {**entry["metadata"], "same_as": id}}


def text_of(content: Any) -> str:
    """Return the words of the content of a message, each part on a new line."""
    return content if isinstance(content, str) else "\n".join(str(part["text"]) for part in content or () if "text" in part)


def indexed_text(content: Any) -> str | None:
    """Return the searchable text of a message. With None, the host derives it."""
    return text_of(content)[: LIMITS["derivedTextLength"]] or None
