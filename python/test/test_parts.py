"""Tests concurrent and rejected writes of large values: only the final value and its parts may remain."""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable

import pytest
from langgraph.store.base import PutOp
from running_bus import RunningBus

import membus
from membus import aio
from membus._parts import read_whole, store_whole
from membus.aio import AsyncAgentMemory
from membus.langgraph import MembusStore

Step = Callable[[], Awaitable[Any]]
#: Three parts each.
FIRST, SECOND = {"text": "a" * 400_000}, {"text": "b" * 400_000}
SHORT = {"text": "short"}
IS_HEAD: Any = {"field": "metadata.parts", "op": "exists", "value": True}
IS_PART: Any = {"field": "metadata.kind", "op": "eq", "value": "part"}


def after_stores(monkeypatch: pytest.MonkeyPatch, *steps: Step | None) -> None:
    """Run a step after each store, including those of the steps."""
    stored, left = AsyncAgentMemory.store, [*steps]

    async def store(view: AsyncAgentMemory, entries: Any, **how: Any) -> Any:
        result = await stored(view, entries, **how)
        step = left.pop(0) if left else None
        if step is not None:
            await step()
        return result

    monkeypatch.setattr(AsyncAgentMemory, "store", store)


async def total(memory: AsyncAgentMemory) -> int:
    return (await memory.retrieve(namespace="langgraph/store", limit=0))["total"]


async def head_of(memory: AsyncAgentMemory) -> Any:
    """Expect exactly one complete value."""
    (whole,) = await read_whole(memory, [entry async for entry in memory.entries(where=IS_HEAD)])
    return whole


async def revisions(memory: AsyncAgentMemory) -> list[int]:
    return [part["revision"] async for part in memory.entries(where=IS_PART)]


async def test_concurrently_stored_parts_are_deleted_when_replaced(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One writer stored the head, the other the parts."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, other = MembusStore(memory), MembusStore(memory)
        after_stores(monkeypatch, lambda: other.aput(("a",), "k", FIRST))
        await store.aput(("a",), "k", FIRST)
        assert await total(memory) == 4
        await store.aput(("a",), "k", SHORT)
        assert await total(memory) == 1


async def test_an_unchanged_value_keeps_its_parts(bus: RunningBus, agent: str) -> None:
    """Applies also if the entry is rejected."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, view = MembusStore(memory), memory.in_namespace("langgraph/store")
        await store.aput(("a",), "k", FIRST)
        head, parts = await head_of(view), await revisions(view)
        again = {**head, "metadata": {**head["metadata"], "again": True}, "if_revision": head["revision"]}
        assert [await store_whole(view, [again]), await revisions(view)] == [[], parts]
        (error,) = await store_whole(view, [again])
        assert error["code"] == "conflict"
        assert await revisions(view) == parts
        assert (await head_of(view))["content"] == FIRST
        await store.aput(("a",), "k", SHORT)
        assert await total(memory) == 1


async def test_replacing_a_head_deletes_its_parts(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": {"id": "k"}, "content": FIRST, "tier": "episodic", "ttl": 1_000}
        assert await store_whole(memory, [entry]) == []
        head = await head_of(memory)
        assert await store_whole(memory, [{**entry, "ttl": 9_000, "if_revision": head["revision"]}]) == []
        assert [each["ttl"] async for each in memory.entries(tier="episodic")] == [9_000] * 4
        assert await store_whole(memory, [{**entry, "content": SHORT}]) == []


async def test_a_rejected_entry_leaves_no_parts(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}
        assert await store_whole(memory, [entry]) == []
        for condition in (0, 7):
            (error,) = await store_whole(memory, [{**entry, "content": SECOND, "if_revision": condition}])
            assert error["code"] == "conflict"
        (error,) = await store_whole(memory, [{**entry, "key": {"id": "other"}, "if_revision": 7}])
        assert error["code"] == "conflict"
        assert (await memory.retrieve(tier="episodic", limit=0))["total"] == 4
        assert (await head_of(memory))["content"] == FIRST


async def test_a_conflict_with_a_concurrent_store_leaves_no_parts(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}
        after_stores(monkeypatch, None, None, lambda: memory.store({**entry, "content": SHORT}))
        assert await store_whole(memory, [entry]) == []
        head = await head_of(memory)
        (error,) = await store_whole(memory, [{**entry, "content": SECOND, "if_revision": head["revision"]}])
        assert error["code"] == "conflict"
        # The other writer does not search for the parts of the first.
        writes = [each["key"].get("write") async for each in memory.entries(tier="episodic")]
        assert (len(writes), len({*writes})) == (4, 2)
        assert (await head_of(memory))["content"] == SHORT


async def test_a_rejected_entry_keeps_the_parts_of_others(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head of the other value is about to be stored."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}
        left: list[int] = []

        async def refused() -> None:
            (error,) = await store_whole(memory, [{**entry, "if_revision": 7}])
            assert error["code"] == "conflict"
            left.append(len(await revisions(memory)))

        after_stores(monkeypatch, refused)
        assert await store_whole(memory, [entry]) == []
        assert left == [3]
        assert (await head_of(memory))["content"] == FIRST


async def test_rejected_parts_leave_nothing(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        stored = AsyncAgentMemory.store

        async def store(view: AsyncAgentMemory, entries: Any, **how: Any) -> Any:
            return await stored(view, [*entries[:-1], {**entries[-1], "score": 7}], **how)

        monkeypatch.setattr(AsyncAgentMemory, "store", store)
        with pytest.raises(membus.SchemaViolationError):
            await store_whole(memory, [{"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}])
        assert (await memory.retrieve(tier="episodic", limit=0))["total"] == 0


@pytest.mark.parametrize(("value", "left"), [(None, 0), (SHORT, 1)])
async def test_concurrently_deleted_values_do_not_reappear(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any] | None, left: int
) -> None:
    """Runs between the store of the head and the check for its parts."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, other = MembusStore(memory), MembusStore(memory)
        after_stores(monkeypatch, None, lambda: other.abatch([PutOp(("a",), "k", value)]))
        await store.aput(("a",), "k", FIRST)
        assert await total(memory) == left
        item = await store.aget(("a",), "k")
        assert (item and item.value) == value


async def test_three_concurrent_writers_leave_a_complete_value(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replacing writer has read the second head. The first head is stored before it forgets."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        first, second, third = (MembusStore(memory) for _ in range(3))
        is_replaced, is_put = asyncio.Event(), asyncio.Event()
        replacing: list[asyncio.Task[None]] = []

        async def put_and_replace() -> None:
            await second.aput(("a",), "k", FIRST)
            replacing.append(asyncio.create_task(third.aput(("a",), "k", SHORT)))
            await is_replaced.wait()

        async def wait() -> None:
            is_replaced.set()
            await is_put.wait()

        after_stores(monkeypatch, put_and_replace, None, None, wait)
        await first.aput(("a",), "k", FIRST)
        is_put.set()
        await replacing[0]
        item = await first.aget(("a",), "k")
        assert item is not None and item.value == FIRST


async def test_two_concurrent_writers_leave_a_complete_value(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head is stored when the other writer has replaced the value, before it forgets the earlier parts."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, other = MembusStore(memory), MembusStore(memory)
        await store.aput(("a",), "k", FIRST)
        is_about, is_put = asyncio.Event(), asyncio.Event()
        replacing: list[asyncio.Task[None]] = []
        stored, forget = AsyncAgentMemory.store, AsyncAgentMemory.forget

        async def replaced_before_a_head(view: AsyncAgentMemory, entries: Any, **how: Any) -> Any:
            if not replacing and any("parts" in entry["metadata"] for entry in entries):
                replacing.append(asyncio.create_task(other.aput(("a",), "k", SHORT)))
                await is_about.wait()
            return await stored(view, entries, **how)

        async def late(view: AsyncAgentMemory, **how: Any) -> Any:
            if not is_about.is_set():
                is_about.set()
                await is_put.wait()
            return await forget(view, **how)

        monkeypatch.setattr(AsyncAgentMemory, "store", replaced_before_a_head)
        monkeypatch.setattr(AsyncAgentMemory, "forget", late)
        await store.aput(("a",), "k", FIRST)
        is_put.set()
        await replacing[0]
        item = await store.aget(("a",), "k")
        assert item is not None and item.value == FIRST
        assert await total(memory) == 4


async def test_parts_are_sent_once_despite_concurrent_writers(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}
        stored, sent, left = AsyncAgentMemory.store, [], [1, 2, 3]

        async def beaten(view: AsyncAgentMemory, entries: Any, **how: Any) -> Any:
            sent.extend(entries)
            if left and "parts" in entries[0].get("metadata", {}):
                await stored(view, [{**entry, "content": {"text": f"short {left.pop()}"}}])
            return await stored(view, entries, **how)

        monkeypatch.setattr(AsyncAgentMemory, "store", beaten)
        assert await store_whole(memory, [entry]) == []
        assert (await head_of(memory))["content"] == FIRST
        assert sum(each["metadata"].get("kind") == "part" for each in sent) == 3
        assert (await memory.retrieve(tier="episodic", limit=0))["total"] == 4


@pytest.mark.parametrize(("code", "left"), [("memory_full", 0), ("timeout", 3)])
async def test_parts_are_deleted_if_their_head_is_rejected(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch, code: str, left: int
) -> None:
    """Parts are kept if the head may still be stored."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        stored = AsyncAgentMemory.store

        async def refused(view: AsyncAgentMemory, entries: Any, **how: Any) -> Any:
            if "parts" not in entries[0]["metadata"]:
                return await stored(view, entries, **how)
            return {"stored": [], "receipts": [], "errors": [{"index": 0, "code": code, "message": "no"}]}

        monkeypatch.setattr(AsyncAgentMemory, "store", refused)
        (error,) = await store_whole(memory, [{"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}])
        assert error["code"] == code
        assert (await memory.retrieve(tier="episodic", limit=0))["total"] == left


async def test_parts_have_the_group_and_time_of_their_head(bus: RunningBus, agent: str) -> None:
    """Parts have the group and time of their head, even if these were kept. An entry without metadata keeps the existing metadata."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": {"id": "k"}, "content": FIRST, "tier": "episodic"}
        assert await store_whole(memory, [{**entry, "group": "g", "occurred_at": 1_000, "metadata": {"a": 1}}]) == []
        for content in (SECOND, FIRST):
            assert await store_whole(memory, [{**entry, "content": content}]) == []
            assert (await memory.retrieve(tier="episodic", group="g", until=1_001, limit=0))["total"] == 4
        assert await store_whole(memory, [{**entry, "occurred_at": 2_000}]) == []
        assert (await memory.retrieve(tier="episodic", group="g", since=1_999, limit=0))["total"] == 4
        assert (await head_of(memory))["metadata"] == {"a": 1}
        assert await store_whole(memory, [{**entry, "content": SHORT}], replacing=True) == []
        (short,) = [each async for each in memory.entries(tier="episodic")]
        assert (short["content"], short["metadata"]) == (SHORT, {"a": 1})
