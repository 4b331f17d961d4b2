"""The mem0 interface on membus, for programs and frameworks that use `mem0.AsyncMemory`.

    memory = await membus.aio.connect(agent="assistant")
    middleware = Mem0Middleware(user_id="alice", client=Mem0Memory(memory))  # of AgentScope 2

Memories are facts (protocol/spec/07-records.md) about a user, an agent or a run, in the episodic tier. JavaScript
programs share them.
"""

from __future__ import annotations

import re
import time
from datetime import datetime, timezone
from typing import Any, Awaitable, Callable, Iterable, Mapping, Sequence, Union

from ._facts import add_fact, canonical_text, current_at
from ._mem0_filters import ENTITIES, subject_of, entities_of, namespace_of, where_of
from ._schema import LIMITS, MemoryEntry, MemoryTier
from .aio import AsyncAgentMemory
from .errors import UnsupportedError

Messages = Union[str, Mapping[str, Any], Sequence[Mapping[str, Any]]]
#: Function that returns the facts of messages, one sentence each.
Extract = Callable[[Sequence[Mapping[str, Any]]], Awaitable[Iterable[str]]]

_TIER: MemoryTier = "episodic"
_IS_FACT: Any = {"field": "metadata.kind", "op": "eq", "value": "fact"}
#: Metadata fields that callers cannot set.
_RESERVED = {"kind", "about", "trust", "valid_from", "valid_until", "superseded_by", "confidence", "parts", *ENTITIES}


class Mem0Memory:
    """Methods of `mem0.AsyncMemory` for the memory of one agent.

    `extract` finds the facts in messages if `infer` is set. Without it, each message is stored unchanged. A known text
    is not stored twice.
    """

    def __init__(self, memory: AsyncAgentMemory, *, extract: Extract | None = None) -> None:
        self._memory = memory
        self._extract = extract

    async def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
    ) -> dict[str, Any]:
        """Store the facts of messages.

        The subject is the first one given of `user_id` (at most 59 characters), `agent_id` (58) and `run_id` (60).

        Returns:
            `{"results": [{"id", "memory", "event"}]}`, where `event` is `ADD`, or `NONE` for a known memory.

        Raises:
            ValueError: If the id is too long, no id is given, or an id is `*`.
            MembusError: If a memory cannot be stored.
        """
        entities = entities_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        namespace_of(subject_of(entities))
        _check_metadata(metadata or {})
        texts = _messages_of(messages)
        results = []
        for text, role in await self._facts(texts) if infer and self._extract else texts:
            results.append(await self._add(text, role, entities, metadata or {}))
        return {"results": results}

    async def search(
        self,
        query: str,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        threshold: float = 0.1,
    ) -> dict[str, Any]:
        """Search the memories, best first, each with its `score`.

        Args:
            filters: At least one of `user_id`, `agent_id` and `run_id`, and other mem0 filters. `*` as one of these ids
                is a `ValueError`.
            threshold: Minimum score, 0..1.
        """
        criteria = _criteria(filters)
        page = await self._memory.retrieve(query=query, limit=_check_top_k(top_k), min_score=threshold, **criteria)
        return {"results": [_item(entry, is_found=True) for entry in page["entries"]]}

    async def get_all(self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20) -> dict[str, Any]:
        """Return the newest memories that match the filters."""
        page = await self._memory.retrieve(order="newest", limit=_check_top_k(top_k), **_criteria(filters))
        return {"results": [_item(entry) for entry in page["entries"]]}

    async def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return one memory, or None if it does not exist."""
        entry = await self._entry(memory_id)
        return None if entry is None else _item(entry)

    async def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Change the text or the metadata of a memory.

        Raises:
            ValueError: If the memory does not exist, or for metadata that `add` rejects.
            ConflictError: If it was changed concurrently.
        """
        _check_metadata(metadata or {})
        entry = await self._require(memory_id)
        known = entry["content"]
        content = {**known, "text": canonical_text(text) if text is not None else known["text"]}
        fields = dict(entry.get("metadata", {}))
        if metadata is not None:
            kept = {name: value for name, value in fields.items() if name in _RESERVED}
            content, fields = {**content, "metadata": dict(metadata)}, {**kept, **_flat(metadata)}
        changed = {**entry, "content": content, "metadata": fields, "if_revision": entry["revision"]}
        await self._store(changed, entry["namespace"])
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory. Raise `ValueError` if it does not exist."""
        namespace, key = _place(memory_id)
        if (await self._memory.forget(namespace=namespace, tier=_TIER, keys=[key]))["deleted"] == 0:
            raise ValueError(f"Memory with id {memory_id} not found")
        return {"message": "Memory deleted successfully!"}

    async def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Delete all memories that match all given ids. `*` is a `ValueError`."""
        filters = entities_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        await self._memory.forget(**_criteria(filters, is_current=False))
        return {"message": "Memories deleted successfully!"}

    async def reset(self) -> None:
        """Delete all memories of the agent, about every user, agent and run."""
        await self._memory.forget(namespace="about/**", tier=_TIER, where=_IS_FACT)

    async def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Raise `UnsupportedError`: an earlier text is gone after an update, and a deleted one after a delete."""
        raise UnsupportedError("history is not available: the earlier texts of a memory are not kept")

    async def users(self) -> dict[str, Any]:
        """Return the subjects of all memories: `{"results": [{"name", "type", "total_memories"}]}`."""
        results = []
        async for item in self._memory.items(namespace="about/**", depth=1, tier=_TIER):
            kind, _, name = _name_of(str(item["value"]).partition("/")[2]).partition(":")
            results.append({"name": name, "type": kind, "total_memories": item["count"]})
        return {"results": results}

    async def _facts(self, texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
        assert self._extract is not None
        facts = await self._extract([{"role": role, "content": text} for text, role in texts])
        is_users = all(role == "user" for _, role in texts)
        return [(text, "user" if is_users else "assistant") for text in map(canonical_text, facts) if text]

    async def _add(self, text: str, role: str, entities: dict[str, str], metadata: Mapping[str, Any]) -> dict[str, Any]:
        subject = subject_of(entities)
        trust = {"user": "user", "tool": "tool"}.get(role, "agent")
        fields = {"kind": "fact", "about": subject, "trust": trust, **entities, **_flat(metadata)}
        content: dict[str, Any] = {"text": text, "role": role, **({"metadata": dict(metadata)} if metadata else {})}
        entry = {"content": content, "tier": _TIER, "metadata": fields}
        # Memories of several ids do not share the fact of one of them.
        ids = "".join(f"\0{name}={entities[name]}" for name in ENTITIES if name in entities) if len(entities) > 1 else ""
        key, is_new = await add_fact(self._memory.in_namespace(namespace_of(subject)), text, entry, salt=ids)
        return {"id": f"{subject}/{key}", "memory": text, "event": "ADD" if is_new else "NONE", "role": role}

    async def _entry(self, memory_id: str) -> MemoryEntry | None:
        namespace, key = _place(memory_id)
        page = await self._memory.retrieve(namespace=namespace, tier=_TIER, keys=[key])
        entries = [entry for entry in page["entries"] if entry.get("metadata", {}).get("kind") == "fact"]
        return entries[0] if entries else None

    async def _require(self, memory_id: str) -> MemoryEntry:
        entry = await self._entry(memory_id)
        if entry is None:
            raise ValueError(f"Memory with id {memory_id} not found")
        return entry

    async def _store(self, entry: Mapping[str, Any], namespace: str) -> None:
        await self._memory.in_namespace(namespace).store(entry)


def _criteria(filters: Mapping[str, Any] | None, is_current: bool = True) -> Any:
    """Return the criteria of the filters. Memories about a user are in the namespace of that user, even if they have
    other ids.
    """
    entities = entities_of(filters or {})
    others = {name: value for name, value in (filters or {}).items() if name not in ENTITIES}
    is_whole = "user_id" in entities
    ids = {} if is_whole and len(entities) == 1 else entities
    where: list[Any] = [_IS_FACT, *where_of({**ids, **others})]
    if is_current:
        where.extend(current_at(time.time()))
    return {"namespace": namespace_of(subject_of(entities)) if is_whole else "about/**", "tier": _TIER, "where": {"all": where}}


def _name_of(segment: str) -> str:
    return re.sub("%([0-9a-f]{2})", lambda code: chr(int(code.group(1), 16)), segment)


def _place(memory_id: str) -> tuple[str, dict[str, str]]:
    subject, slash, key = memory_id.rpartition("/")
    if not slash or not key:
        raise ValueError(f"Memory with id {memory_id} not found")
    return namespace_of(subject), {"fact": key}


def _messages_of(messages: Messages) -> list[tuple[str, str]]:
    """Return text and role of messages, without system instructions and empty messages."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    texts = []
    for message in [messages] if isinstance(messages, Mapping) else messages:
        content, role = message.get("content") or "", str(message.get("role", "user"))
        parts = content if isinstance(content, list) else [{"text": content}]
        text = canonical_text("\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping)))
        if text and role not in ("system", "developer"):
            texts.append((text, role))
    return texts


def _check_metadata(metadata: Mapping[str, Any]) -> None:
    reserved = _RESERVED & metadata.keys()
    if reserved:
        raise ValueError(f"metadata must not contain {', '.join(sorted(reserved))}")


def _flat(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that can be filtered. The complete metadata is stored in the content."""
    is_flat = {name: isinstance(value, (str, int, float, bool)) for name, value in metadata.items()}
    # The category of a fact is a non-empty text.
    is_flat["category"] = isinstance(metadata.get("category"), str) and metadata["category"] != ""
    return {name: value for name, value in metadata.items() if is_flat[name] and re.fullmatch("[A-Za-z0-9_-]{1,64}", name)}


def _check_top_k(top_k: int) -> int:
    if not 1 <= top_k <= LIMITS["retrieveLimit"]:
        raise ValueError(f"top_k must be 1..{LIMITS['retrieveLimit']}")
    return top_k


def _item(entry: MemoryEntry, is_found: bool = False) -> dict[str, Any]:
    """Return an entry in the format of mem0."""
    metadata = entry.get("metadata", {})
    times = {
        f"{name}_at": datetime.fromtimestamp(at, timezone.utc).isoformat()
        for name, at in (("created", entry["timestamps"]["created"]), ("updated", entry["timestamps"]["updated"]))
    }
    item = {
        "id": f"{_name_of(entry['namespace'].partition('/')[2])}/{entry['key']['fact']}",
        "memory": entry["content"]["text"],
        **times,
        **{name: metadata[name] for name in ENTITIES if name in metadata},
        "role": entry["content"].get("role"),
        "metadata": entry["content"].get("metadata"),
    }
    return {**item, "score": entry["score"]} if is_found else item
