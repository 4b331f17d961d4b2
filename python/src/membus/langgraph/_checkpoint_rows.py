"""Checkpoints as entries: each checkpoint, each channel value of a version, and each write of a task is one entry."""

from __future__ import annotations

import base64
import uuid
from dataclasses import dataclass
from typing import Any, AsyncIterator, Iterable, Mapping, Sequence

from langchain_core.runnables import RunnableConfig

from .._batches import chunks, entries_of, forget_cascading
from .._parts import read_whole, store_whole
from .._schema import LIMITS, MemoryEntry, MemoryTier
from ..aio import AsyncAgentMemory
from ..errors import error_of

Typed = tuple[str, bytes]
#: Seconds from the start of the Gregorian calendar, the epoch of UUIDs, to 1970.
_GREGORIAN_S = 12_219_292_800
_COPY_BATCH_SIZE = 50


def thread_of(thread_id: Any) -> str:
    """Return a thread id as text.

    Raises:
        TypeError: For None and other types.
        ValueError: For an empty string. Otherwise callers without a thread would share one.
    """
    if isinstance(thread_id, (str, int, uuid.UUID)) and not isinstance(thread_id, bool) and thread_id != "":
        return str(thread_id)
    error = ValueError if isinstance(thread_id, str) else TypeError
    raise error(f"thread_id must be a non-empty string, got {thread_id!r}")


@dataclass(frozen=True)
class Place:
    """A thread and a checkpoint namespace. None means any namespace."""

    thread: str
    ns: str | None

    @staticmethod
    def of(config: RunnableConfig, is_any: bool = False) -> Place:
        """Return the place named by a config. Raise `TypeError` or `ValueError` if it names no thread."""
        configurable = config.get("configurable", {})
        ns = configurable.get("checkpoint_ns") or ""
        if not isinstance(ns, str):
            raise TypeError(f"configurable.checkpoint_ns must be a string, got {ns!r}")
        return Place(thread_of(configurable.get("thread_id")), None if is_any else ns)

    def config(self, checkpoint_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": self.thread, "checkpoint_ns": self.ns or "", "checkpoint_id": checkpoint_id}}

    @property
    def where(self) -> list[Any]:
        ns = [] if self.ns is None else [_is("key.ns", self.ns)]
        return [_is("key.thread", self.thread), *ns]

    def key(self, **fields: Any) -> dict[str, Any]:
        return {"thread": self.thread, "ns": self.ns, **fields}


@dataclass(frozen=True)
class Row:
    place: Place
    id: str
    parent: str | None
    checkpoint: Typed
    metadata: Typed


@dataclass(frozen=True)
class Write:
    task: str
    index: int
    path: str
    channel: str
    value: Typed


class CheckpointRows:
    """Writes and reads the entries of one namespace. The group of an entry is its thread, so that a thread can be
    forgotten with one request.
    """

    def __init__(self, memory: AsyncAgentMemory, tier: MemoryTier, ttl_s: float | None) -> None:
        self._memory = memory
        self._tier: MemoryTier = tier
        self._ttl = {} if ttl_s is None else {"ttl": ttl_s}

    async def put(self, row: Row, blobs: Mapping[str, tuple[Any, Typed]], run_id: Any) -> None:
        """Store the values, then the checkpoint, so that a stored checkpoint is complete."""
        values = [
            self._entry("value", row.place, {"channel": name, "version": version}, _written(value))
            for name, (version, value) in blobs.items()
        ]
        content = {"checkpoint": _written(row.checkpoint), "metadata": _written(row.metadata), "parent": row.parent}
        checkpoint = self._entry("checkpoint", row.place, {"checkpoint": row.id}, content)
        if isinstance(run_id, str):
            checkpoint["metadata"]["run"] = run_id
        at = _time_of(row.id)
        for entries in (values, [{**checkpoint, **({} if at is None else {"occurred_at": at})}]):
            for error in await store_whole(self._memory, entries) if entries else ():
                raise error_of(error)

    async def put_writes(
        self, place: Place, checkpoint_id: str, writes: Iterable[tuple[int, str, Typed]], task: str, path: str
    ) -> None:
        """Store writes. The first write of an index wins, for negative indexes the last."""
        entries = []
        for index, channel, value in writes:
            content = {"channel": channel, "value": _written(value), "path": path}
            entry = self._entry("write", place, {"checkpoint": checkpoint_id, "task": task, "index": index}, content)
            entries.append(entry if index < 0 else {**entry, "if_revision": 0})
        for error in await store_whole(self._memory, entries, replacing=True):
            if error["code"] != "conflict":
                raise error_of(error)

    async def checkpoint(self, place: Place, checkpoint_id: str | None) -> Row | None:
        """Return a checkpoint by id, or the latest."""
        async for row in self.checkpoints(place, only=checkpoint_id):
            return row
        return None

    async def checkpoints(
        self, place: Place | None, *, only: str | None = None, before: str | None = None, run_id: str | None = None
    ) -> AsyncIterator[Row]:
        """Yield checkpoints, latest first, by the time in their ids."""
        where = [*([] if place is None else place.where), _is("metadata.langgraph", "checkpoint")]
        if only is not None:
            where.append(_is("key.checkpoint", only))
        if before is not None:
            where.append({"field": "key.checkpoint", "op": "lt", "value": before})
        if run_id is not None:
            where.append(_is("metadata.run", run_id))
        async for entry in self._memory.entries(tier=self._tier, where={"all": where}, order="newest", page_size=20):
            for whole in await read_whole(self._memory, [entry]):
                key, content = whole["key"], whole["content"]
                own = Place(key["thread"], key["ns"])
                yield Row(own, key["checkpoint"], content["parent"], _read(content["checkpoint"]), _read(content["metadata"]))

    async def values(self, place: Place, versions: Mapping[str, Any]) -> dict[str, Typed]:
        """Return the values by channel. Channels without a value at their version are omitted."""
        keys = [place.key(channel=name, version=version) for name, version in versions.items()]
        found = [entry async for entry in entries_of(self._memory, self._tier, keys, order="oldest")]
        return {entry["key"]["channel"]: _read(entry["content"]) for entry in await read_whole(self._memory, found)}

    async def writes(self, place: Place, checkpoint_id: str) -> list[Write]:
        where: Any = {"all": [*place.where, _is("key.checkpoint", checkpoint_id), _is("metadata.langgraph", "write")]}
        found = [entry async for entry in self._memory.entries(tier=self._tier, where=where)]
        whole = [(entry["key"], entry["content"]) for entry in await read_whole(self._memory, found)]
        return [
            Write(key["task"], key["index"], content["path"], content["channel"], _read(content["value"])) for key, content in whole
        ]

    async def forget_thread(self, thread: str) -> None:
        await self._memory.forget(tier=self._tier, group=_group(thread))

    async def forget_checkpoints(self, place: Place, ids: Sequence[str]) -> None:
        """Forget checkpoints with their writes and parts."""

        def criteria(some: list[str]) -> dict[str, Any]:
            return {"tier": self._tier, "where": {"all": [*place.where, {"field": "key.checkpoint", "op": "in", "value": some}]}}

        await forget_cascading(self._memory, ids, LIMITS["listElements"], criteria)

    async def forget_values(self, place: Place, blobs: Iterable[tuple[str, Any]]) -> None:
        keys = [place.key(channel=name, version=version) for name, version in blobs]
        await forget_cascading(self._memory, keys, LIMITS["criteriaKeys"], lambda some: {"tier": self._tier, "keys": some})

    async def copy_thread(self, source: str, target: str) -> None:
        """Copy values and writes, then the checkpoints in order."""
        for kind in ("value", "write", "checkpoint"):
            where: Any = _is("metadata.langgraph", kind)
            entries = self._memory.entries(tier=self._tier, group=_group(source), where=where, order="oldest")
            stored = sorted([entry async for entry in entries], key=lambda entry: entry["seq"])
            for some in chunks(stored, _COPY_BATCH_SIZE):
                await self._copy(await read_whole(self._memory, some), target)

    async def _copy(self, entries: list[MemoryEntry], target: str) -> None:
        changed = {"group": _group(target), "text": ""}
        moved = [{**entry, "key": {**entry["key"], "thread": target}, **changed} for entry in entries]
        for error in await store_whole(self._memory, moved):
            raise error_of(error)

    def _entry(self, kind: str, place: Place, key: dict[str, Any], content: Any) -> dict[str, Any]:
        """Return an entry that is not found by words."""
        shared = {"tier": self._tier, "group": _group(place.thread), "text": "", **self._ttl}
        return {"key": place.key(**key), "content": content, "metadata": {"langgraph": kind}, **shared}


def _is(field: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": "eq", "value": value}


def _group(thread: str) -> str:
    return f"thread {thread}"


def _written(value: Typed) -> list[str]:
    return [value[0], base64.b64encode(value[1]).decode()]


def _read(written: Sequence[str]) -> Typed:
    return written[0], base64.b64decode(written[1])


def _time_of(checkpoint_id: str) -> float | None:
    """Return the Unix seconds of a UUID of version 6, as used by LangGraph. They increase with the ids. Return None for
    other ids.
    """
    try:
        value = uuid.UUID(checkpoint_id)
    except ValueError:
        return None
    if value.version != 6:
        return None
    high, low = value.int >> 80, value.int >> 64 & 0xFFF
    at = (high << 12 | low) / 10_000_000 - _GREGORIAN_S
    return at if at >= 0 else None
