"""The memory API of A2E's Python SDK, over NATS instead of the gateway.

    memory = MemoryAPI(membus.connect(agent="alice"))
    stored, errors = memory.store([MemoryEntry(key={"id": "fact1"}, content={"text": "Night trains are quiet"})])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence, cast

from ._schema import MemoryEntry as Entry
from ._schema import MemoryKey, MemoryTier
from .sync import AgentMemory


@dataclass
class MemoryEntry:
    """An entry in the form of A2E. `score` is the importance of a stored entry, and the relevance of a retrieved one.

    `ttl` is the time to live in seconds, where 0 and None mean never.
    """

    key: Any
    content: Any
    tier: MemoryTier = "working"
    tags: list[str] = field(default_factory=list)
    source: str = ""
    score: float | None = None
    ttl: float | None = None
    timestamps: dict[str, float] = field(default_factory=dict)


class MemoryAPI:
    """The calls of A2E for the memory of one agent. Every method raises `MembusError` for an error of the bus or host."""

    def __init__(self, client: AgentMemory) -> None:
        self._memory = client

    def store(self, entries: Sequence[MemoryEntry | Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
        """Store entries. Return the keys of the stored entries, and the errors of the others."""
        stored, errors = self._memory.store([_written(entry) for entry in entries], partial=True)
        return stored, errors

    def retrieve(
        self,
        keys: Sequence[Any] | None = None,
        query: str | None = None,
        tags: Sequence[str] | None = None,
        tier: MemoryTier | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[MemoryEntry]:
        """Return at most `limit` entries that match all given criteria, best or newest first. Empty values are ignored."""
        criteria: Any = {"keys": keys, "query": query, "tags": tags, "tier": tier, "min_score": min_score}
        page = self._memory.retrieve(limit=limit, **{name: value for name, value in criteria.items() if value})
        return [_read(entry) for entry in page["entries"]]

    def forget(
        self, keys: Sequence[Any] | None = None, tags: Sequence[str] | None = None, tier: MemoryTier | None = None
    ) -> int:
        """Delete the entries that match all given criteria, and return their number. Without keys and tags nothing is
        deleted.
        """
        if not keys and not tags:
            return 0
        criteria: Any = {"keys": keys, "tags": tags, "tier": tier}
        return self._memory.forget(**{name: value for name, value in criteria.items() if value})["deleted"]

    def remember(
        self,
        key: MemoryKey,
        value: Any,
        tier: MemoryTier = "working",
        tags: Sequence[str] | None = None,
        ttl: float | None = None,
        score: float | None = None,
    ) -> None:
        """Store one value under a key."""
        self._memory.remember(key, value, tier=tier, tags=tags, ttl=ttl, score=score)

    def recall(self, key: Any, default: Any = None) -> Any:
        """Return the content under a key, or `default` if the key does not exist."""
        return self._memory.recall(key, default)


def _written(entry: MemoryEntry | Mapping[str, Any]) -> dict[str, Any]:
    fields = vars(entry) if isinstance(entry, MemoryEntry) else entry
    given = {name: value for name, value in fields.items() if value is not None and name not in ("score", "timestamps")}
    score = fields.get("score")
    return given if score is None else {**given, "importance": score}


def _read(entry: Entry) -> MemoryEntry:
    fields: Any = entry
    names = ("key", "content", "tier", "tags", "source", "score", "ttl")
    known = {name: fields[name] for name in names if fields.get(name) is not None}
    return MemoryEntry(**known, timestamps=cast("dict[str, float]", dict(fields["timestamps"])))
