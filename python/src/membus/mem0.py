"""membus behind mem0's interface: for programs and frameworks that take a `mem0.AsyncMemory`.

    memory = await membus.aio.connect(agent="assistant")
    middleware = Mem0Middleware(user_id="alice", client=Mem0Memory(memory))  # of AgentScope 2

Memories are facts (protocol/spec/07-records.md) about a user, an agent or a run, in the episodic tier: what is stored here, a program
in JavaScript finds, and the other way round.
"""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from datetime import datetime, timezone
from typing import Any, Awaitable, Callable, Iterable, Mapping, Sequence, Union

from ._mem0_filters import ENTITIES, about_of, entities_of, namespace_of, where_of
from ._schema import LIMITS, MemoryEntry, MemoryTier
from .aio import AsyncMemory
from .errors import error_of

Messages = Union[str, Mapping[str, Any], Sequence[Mapping[str, Any]]]
#: Finds the facts in messages: what is to be remembered, a sentence each.
Extract = Callable[[Sequence[Mapping[str, Any]]], Awaitable[Iterable[str]]]

_TIER: MemoryTier = "episodic"
_IDS_MAX = 20
#: Fields of a fact's metadata that are not the caller's.
_RESERVED = {"kind", "about", "trust", "category", "valid_from", "valid_until", "superseded_by", "confidence", "parts", *ENTITIES}


class Mem0Memory:
    """The calls of `mem0.AsyncMemory`, over the memory of one agent of membus.

    `extract` finds the facts in messages when `infer` asks for it; without it each message is remembered as it is. A text that is
    known already is not remembered twice.
    """

    def __init__(self, memory: AsyncMemory, *, extract: Extract | None = None) -> None:
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
        """Remembers what messages say. `{"results": [{"id", "memory", "event"}]}`: `ADD`, or `NONE` for what is known already.

        Whose it is says the first that is given of `user_id`, of at most 59 characters, `agent_id`, 58, and `run_id`, 60. Raises
        `ValueError` where that is longer, without any of the three or with `*` as one, `MembusError` where one memory is refused."""
        entities = entities_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        namespace_of(about_of(entities))
        _check_own(metadata or {})
        said = _said(messages)
        results = []
        for text, role in await self._facts(said) if infer and self._extract else said:
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
        """The memories that answer `query`, the best first, each with its `score`. `filters` has at least one of `user_id`,
        `agent_id` and `run_id`, and what else mem0 takes there; `*` as one of the three is a `ValueError`. `threshold` is the least
        score, 0..1."""
        criteria = _criteria(filters)
        page = await self._memory.retrieve(query=query, limit=_checked(top_k), min_score=threshold, **criteria)
        return {"results": [_item(entry, is_found=True) for entry in page["entries"]]}

    async def get_all(self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20) -> dict[str, Any]:
        """The newest memories that the filters select."""
        page = await self._memory.retrieve(order="newest", limit=_checked(top_k), **_criteria(filters))
        return {"results": [_item(entry) for entry in page["entries"]]}

    async def get(self, memory_id: str) -> dict[str, Any] | None:
        """One memory; None where there is none."""
        entry = await self._entry(memory_id)
        return None if entry is None else _item(entry)

    async def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Another text, or other metadata, under the same id. Raises `ValueError` where there is no such memory, or for metadata that
        `add` refuses, `ConflictError` where another has changed it meanwhile."""
        _check_own(metadata or {})
        entry = await self._require(memory_id)
        known = entry["content"]
        content = {**known, "text": _canonical(text) if text is not None else known["text"]}
        fields = dict(entry.get("metadata", {}))
        if metadata is not None:
            kept = {name: value for name, value in fields.items() if name in _RESERVED}
            content, fields = {**content, "metadata": dict(metadata)}, {**kept, **_flat(metadata)}
        changed = {**entry, "content": content, "metadata": fields, "if_revision": entry["revision"]}
        await self._store(changed, entry["namespace"])
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Raises `ValueError` where there is no such memory."""
        namespace, key = _place(memory_id)
        if (await self._memory.forget(namespace=namespace, tier=_TIER, keys=[key]))["deleted"] == 0:
            raise ValueError(f"Memory with id {memory_id} not found")
        return {"message": "Memory deleted successfully!"}

    async def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """All memories of a user, an agent, a run, or of what all that are given have in common. `*` is a `ValueError`."""
        filters = entities_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        await self._memory.forget(**_criteria(filters, is_current=False))
        return {"message": "Memories deleted successfully!"}

    async def users(self) -> dict[str, Any]:
        """Of whom there are memories: `{"results": [{"name", "type", "total_memories"}]}`."""
        results = []
        async for item in self._memory.items(namespace="about/**", depth=1, tier=_TIER):
            kind, _, name = _name_of(str(item["value"]).partition("/")[2]).partition(":")
            results.append({"name": name, "type": kind, "total_memories": item["count"]})
        return {"results": results}

    async def _facts(self, said: list[tuple[str, str]]) -> list[tuple[str, str]]:
        assert self._extract is not None
        facts = await self._extract([{"role": role, "content": text} for text, role in said])
        is_users = all(role == "user" for _, role in said)
        return [(text, "user" if is_users else "assistant") for text in map(_canonical, facts) if text]

    async def _add(self, text: str, role: str, entities: dict[str, str], metadata: Mapping[str, Any]) -> dict[str, Any]:
        about = about_of(entities)
        trust = {"user": "user", "tool": "tool"}.get(role, "agent")
        fields = {"kind": "fact", "about": about, "trust": trust, **entities, **_flat(metadata)}
        content: dict[str, Any] = {"text": text, "role": role, **({"metadata": dict(metadata)} if metadata else {})}
        for key in _keys(text, entities):
            entry = {"key": {"fact": key}, "content": content, "tier": _TIER, "metadata": fields, "if_revision": 0}
            memory_id = f"{about}/{key}"
            result = await self._memory.in_namespace(namespace_of(about)).store(entry)
            if not result["errors"]:
                return {"id": memory_id, "memory": text, "event": "ADD", "role": role}
            if result["errors"][0]["code"] != "conflict":
                raise error_of(result["errors"][0])
            known = await self._entry(memory_id)
            if known is not None and known["content"]["text"] == text and _is_current(known):
                return {"id": memory_id, "memory": text, "event": "NONE", "role": role}
        raise error_of(result["errors"][0])

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
        result = await self._memory.in_namespace(namespace).store(entry)
        if result["errors"]:
            raise error_of(result["errors"][0])


def _criteria(filters: Mapping[str, Any] | None, is_current: bool = True) -> Any:
    """Which facts the filters select. What is about a user is in that user's namespace, whoever else it names."""
    entities = entities_of(filters or {})
    others = {name: value for name, value in (filters or {}).items() if name not in ENTITIES}
    is_whole = "user_id" in entities
    ids = {} if is_whole and len(entities) == 1 else entities
    where: list[Any] = [{"field": "metadata.kind", "op": "eq", "value": "fact"}, *where_of({**ids, **others})]
    if is_current:
        where.append({"field": "metadata.superseded_by", "op": "exists", "value": False})
        where.append({"not": {"field": "metadata.valid_until", "op": "lte", "value": time.time()}})
    return {"namespace": namespace_of(about_of(entities)) if is_whole else "about/**", "tier": _TIER, "where": {"all": where}}


def _name_of(segment: str) -> str:
    return re.sub("%([0-9a-f]{2})", lambda code: chr(int(code.group(1), 16)), segment)


def _place(memory_id: str) -> tuple[str, dict[str, str]]:
    about, slash, key = memory_id.rpartition("/")
    if not slash or not key:
        raise ValueError(f"Memory with id {memory_id} not found")
    return namespace_of(about), {"fact": key}


def _keys(text: str, entities: Mapping[str, str]) -> Iterable[str]:
    """The ids under which a text may stand: the second where the first has got another text since."""
    whose = "".join(f"\0{name}={entities[name]}" for name in ENTITIES if name in entities) if len(entities) > 1 else ""
    first = hashlib.sha256(f"{text}{whose}".encode()).hexdigest()[:32]
    return [first, *(f"{first}.{n}" for n in range(2, _IDS_MAX + 1))]


def _canonical(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _said(messages: Messages) -> list[tuple[str, str]]:
    """What messages say, and who: no instructions of the system, and nothing empty."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    said = []
    for message in [messages] if isinstance(messages, Mapping) else messages:
        content, role = message.get("content") or "", str(message.get("role", "user"))
        parts = content if isinstance(content, list) else [{"text": content}]
        text = _canonical("\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping)))
        if text and role not in ("system", "developer"):
            said.append((text, role))
    return said


def _check_own(metadata: Mapping[str, Any]) -> None:
    reserved = _RESERVED & metadata.keys()
    if reserved:
        raise ValueError(f"metadata cannot have {', '.join(sorted(reserved))}")


def _flat(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What of metadata can be filtered by; all of it is in the content."""
    is_flat = {name: isinstance(value, (str, int, float, bool)) for name, value in metadata.items()}
    return {name: value for name, value in metadata.items() if is_flat[name] and re.fullmatch("[A-Za-z0-9_-]{1,64}", name)}


def _is_current(entry: MemoryEntry) -> bool:
    metadata = entry.get("metadata", {})
    until = metadata.get("valid_until")
    return "superseded_by" not in metadata and (not isinstance(until, (int, float)) or until > time.time())


def _checked(top_k: int) -> int:
    if not 1 <= top_k <= LIMITS["retrieveLimit"]:
        raise ValueError(f"top_k must be 1..{LIMITS['retrieveLimit']}")
    return top_k


def _item(entry: MemoryEntry, is_found: bool = False) -> dict[str, Any]:
    """An entry as mem0 shows a memory."""
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
