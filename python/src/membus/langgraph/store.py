"""LangGraph long-term store: memories across threads, found by words and meaning."""

from __future__ import annotations

import json
import time
from datetime import datetime, timezone
from typing import Any, Iterable, Mapping

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from .._batches import entries_of, forget_cascading
from .._identity import require_tier
from .._parts import read_whole, store_whole
from .._schema import LIMITS, MemoryEntry, MemoryTier
from .._values import require_number
from ..errors import error_of
from ._client_loop import AnyMemory, ClientLoop
from ._match import check_filter, is_match, is_selected, mirrored, where_of

_MINUTE_S = 60


class MembusStore(BaseStore):
    """A store for the memory of one agent: `graph.compile(store=MembusStore(memory))`.

    With a `membus.AgentMemory` all methods can be used, with an `AsyncAgentMemory` only the async ones. The host embeds items.
    Items put with `index=False` are not found by a `query`.

    Args:
        namespace: Namespace of the items.
        tier: Tier of the items, "episodic" by default.
        min_score: Minimum score of search results, 0..1.
        ttl: Time to live in minutes since the last read or write: `{"default_ttl": ..., "refresh_on_read": ...}`. None
            means forever, 0 is a `ValueError`.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: AnyMemory,
        *,
        namespace: str = "langgraph/store",
        tier: MemoryTier = "episodic",
        min_score: float = 0.1,
        ttl: TTLConfig | None = None,
    ) -> None:
        require_tier(tier)
        require_number("min_score", min_score, "0..1", lambda score: 0 <= score <= 1)
        _check_ttl_config(ttl)
        self.ttl_config = ttl
        self._client_loop = ClientLoop(memory, namespace)
        self._memory = self._client_loop.memory
        self._tier: MemoryTier = tier
        self._min_score = min_score

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._client_loop.run(self._batch([*ops]))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._client_loop.arun(self._batch([*ops]))

    async def _batch(self, ops: list[Op]) -> list[Result]:
        """Run a batch. Reads return the state before the batch, and the last of several puts under one key wins. If one
        operation is invalid, nothing is written.
        """
        for op in ops:
            _check_op(op)
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        entries = [self._entry(op, op.value) for op in puts.values() if op.value is not None]
        items = await self._get([op for op in ops if isinstance(op, GetOp)])
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                results.append(items.get((op.namespace, op.key)))
            elif isinstance(op, SearchOp):
                results.append(await self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(await self._namespaces(op))
            else:
                results.append(None)
        await self._write(entries)
        await self._forget([_key(op) for op in puts.values() if op.value is None])
        return results

    async def _get(self, ops: list[GetOp]) -> dict[tuple[tuple[str, ...], str], Item]:
        keys = [_key(op) for op in ops]
        entries = await read_whole(self._memory, [entry async for entry in entries_of(self._memory, self._tier, keys)])
        kept = {(op.namespace, op.key) for op in ops if op.refresh_ttl}
        await self._refresh([entry for entry in entries if _place(entry) in kept])
        return {_place(entry): Item(**_fields(entry)) for entry in entries}

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        """Search by relevance if there is a query, otherwise return the oldest first. Filters are checked again here,
        because the host has other semantics.
        """
        check_filter(op.filter)
        how: Any = {"query": op.query, "min_score": self._min_score} if op.query else {"order": "oldest"}
        where: Any = {"all": [{"field": "key.item", "op": "exists", "value": True}, *where_of(op.namespace_prefix, op.filter)]}
        found: list[MemoryEntry] = []
        skipped = 0
        if op.limit <= 0:
            return []
        page_size = max(1, min(op.offset + op.limit, LIMITS["retrieveLimit"]))
        async for entry in self._memory.entries(
            tier=self._tier, where=where, page_size=page_size, allow_approximate=True, **how
        ):
            for whole in await read_whole(self._memory, [entry]):
                if not is_match(whole["content"], op.filter):
                    continue
                if skipped < op.offset:
                    skipped += 1
                else:
                    found.append(whole)
            if len(found) == op.limit:
                break
        if op.refresh_ttl:
            await self._refresh(found)
        return [SearchItem(**_fields(entry), score=entry["score"] if op.query else None) for entry in found]

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        items = self._memory.items(tier=self._tier, field="key.path", page_size=LIMITS["listLimit"])
        all_of_them = [tuple(str(item["value"]).removesuffix(".").split(".")) async for item in items]
        selected = {path[: op.max_depth] for path in all_of_them if is_selected(path, op.match_conditions)}
        return sorted(selected)[op.offset : op.offset + op.limit]

    async def _write(self, entries: list[dict[str, Any]]) -> None:
        for error in await store_whole(self._memory, entries, replacing=True):
            raise error_of(error)

    async def _refresh(self, entries: list[MemoryEntry]) -> None:
        """Store entries again to extend their time to live, unless they were changed concurrently."""
        again = [
            {**{name: value for name, value in entry.items() if name != "expires_at"}, "if_revision": entry["revision"]}
            for entry in entries
            if entry["ttl"] is not None
        ]
        for error in await store_whole(self._memory, again) if again else ():
            if error["code"] != "conflict":
                raise error_of(error)

    async def _forget(self, keys: list[Any]) -> None:
        await forget_cascading(self._memory, keys, LIMITS["criteriaKeys"], lambda some: {"tier": self._tier, "keys": some})

    def _entry(self, op: PutOp, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entry of a put. Field names become strings. Raise `TypeError` for a value that is not JSON."""
        value = json.loads(json.dumps(dict(given), allow_nan=False))
        ttl = {} if op.ttl is None else {"ttl": op.ttl * _MINUTE_S}
        metadata = {"langgraph": "item", "put_at": time.time(), **mirrored(value)}
        return {"key": _key(op), "content": value, "tier": self._tier, "metadata": metadata, "text": _text(op, value), **ttl}


def _check_ttl_config(ttl: TTLConfig | None) -> None:
    if ttl is None:
        return
    if not isinstance(ttl, Mapping):
        raise TypeError(f"ttl must be a mapping such as {{'default_ttl': 60}}, got {ttl!r}")
    unknown = ttl.keys() - TTLConfig.__annotations__.keys()
    if unknown:
        raise TypeError(f"unknown field in ttl: {min(unknown, key=str)}")
    _check_minutes("default_ttl", ttl.get("default_ttl"))


def _check_minutes(name: str, minutes: object) -> None:
    if minutes is not None:
        require_number(name, minutes, "minutes above 0", lambda number: number > 0)


def _check_op(op: Op) -> None:
    """Validate an operation, including cases that LangGraph accepts: a string as namespace, which would be a path of
    its letters, and a time to live of 0, which the host treats as unlimited.
    """
    for path in _paths(op):
        if isinstance(path, str):
            raise TypeError(f'a namespace must be a tuple such as ("users", "alice"), got {path!r}')
    validate_op_namespace(op)
    if isinstance(op, PutOp):
        if not op.namespace:
            raise InvalidNamespaceError("Namespace cannot be empty.")
        _check_minutes("ttl", op.ttl)


def _paths(op: Op) -> list[Any]:
    if isinstance(op, ListNamespacesOp):
        return [condition.path for condition in op.match_conditions or ()]
    return [op.namespace_prefix if isinstance(op, SearchOp) else op.namespace]


def _key(op: GetOp | PutOp) -> dict[str, str]:
    """Return the key of an item, as in the JavaScript store. A namespace ends with its separator, so that no prefix
    ends within a label.
    """
    return {"path": ".".join(op.namespace) + ".", "item": op.key}


def _place(entry: MemoryEntry) -> tuple[tuple[str, ...], str]:
    return tuple(entry["key"]["path"].removesuffix(".").split(".")), entry["key"]["item"]


def _fields(entry: MemoryEntry) -> dict[str, Any]:
    namespace, key = _place(entry)
    put_at: Any = entry.get("metadata", {}).get("put_at", entry["timestamps"]["updated"])
    return {
        "namespace": namespace,
        "key": key,
        "value": entry["content"],
        "created_at": datetime.fromtimestamp(entry["timestamps"]["created"], timezone.utc),
        "updated_at": datetime.fromtimestamp(max(put_at, entry["timestamps"]["created"]), timezone.utc),
    }


def _text(op: PutOp, value: Mapping[str, Any]) -> str:
    """Return the searchable text: none, the named paths, or everything."""
    if op.index is False:
        return ""
    paths = ["$"] if op.index is None else op.index
    texts = [text for path in paths for text in (_leaves(value) if path == "$" else get_text_at_path(value, tokenize_path(path)))]
    return "\n".join(texts)[: LIMITS["derivedTextLength"]]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _leaves(each)]
    if isinstance(value, list):
        return [text for each in value for text in _leaves(each)]
    return [] if value is None or isinstance(value, bool) else [str(value)]
