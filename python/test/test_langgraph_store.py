"""Tests the LangGraph store against the in-memory store, and additional features."""

from __future__ import annotations

import asyncio
import random
import time
from datetime import datetime
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from running_bus import RunningBus

import membus
from membus import aio
from membus._exchange import Exchange
from membus._parts import read_whole, store_whole
from membus.aio import AsyncAgentMemory
from membus.langgraph import MembusStore

NAMESPACES = [("acme",), ("acme", "x"), ("acme-corp",), ("acme", "x", "y:1"), ("b", "x")]
VALUES: list[dict[str, Any]] = [
    {"kind": "a", "n": 1},
    {"kind": "b", "n": 2.5, "deep": {"x": [1, "two"]}},
    {"kind": "a", "n": "10", "é": None},
    {"list": ["kind"], "on": True},
]
FILTERS: list[Any] = [
    None,
    {"kind": "a"},
    {"kind": "a", "n": 1},
    {"kind": {"$ne": "a"}},
    {"deep": {"x": [1, "two"]}},
    {"deep": {"x": [1]}},
    {"on": 1},
    {"é": None},
]


def operation(chance: random.Random) -> Any:
    namespace, key = chance.choice(NAMESPACES), chance.choice("abc")
    match chance.randrange(6):
        case 0 | 1 | 2:
            return PutOp(namespace, key, chance.choice([*VALUES, None]))
        case 3:
            return GetOp(namespace, key)
        case 4:
            return SearchOp(namespace[: chance.randrange(3)], filter=chance.choice(FILTERS), limit=100)
        case _:
            kind: Any = chance.choice(["prefix", "suffix"])
            path = chance.choice([("acme",), ("*", "x"), ("x",), ("acme", "*")])
            conditions = chance.choice([None, (MatchCondition(kind, path),)])
            return ListNamespacesOp(conditions, max_depth=chance.choice([None, 1, 2]))


def shown(result: Any, there: set[tuple[str, ...]]) -> Any:
    """Return results without times and without the order across namespaces. The in-memory store also lists empty namespaces."""
    if isinstance(result, list):
        if result and isinstance(result[0], tuple):
            return [path for path in result if any(each[: len(path)] == path for each in there)]
        return sorted((item.namespace, item.key, str(item.value)) for item in result)
    return result and (result.namespace, result.key, result.value)


@pytest.mark.parametrize("seed", [1, 2])
async def test_behaves_like_the_in_memory_store(bus: RunningBus, agent: str, seed: int) -> None:
    chance = random.Random(seed)
    oracle = InMemoryStore()
    async with await aio.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        for n in range(150):
            there = {namespace for namespace, items in oracle._data.items() if items}
            batch = [operation(chance) for _ in range(chance.randrange(1, 6))]
            expected = [shown(result, there) for result in oracle.batch(batch)]
            assert [shown(result, there) for result in await store.abatch(batch)] == expected, (n, batch)


async def test_items_are_found_by_words(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        await store.aput(("users", "alice"), "1", {"memory": "Prefers the night train", "n": 1})
        await store.aput(("users", "alice"), "2", {"memory": "Allergic to nuts", "n": 2})
        await store.aput(("users", "alice"), "3", {"memory": "A train that nobody finds"}, index=False)
        await store.aput(("users", "alice"), "4", {"title": "Train timetable", "body": "nuts"}, index=["title"])
        await store.aput(("users", "alice2"), "5", {"memory": "A train of another"})
        await store.aput(("users", "alice"), "6", {"memory": "Something else altogether"})
        found = await store.asearch(("users", "alice"), query="train")
        assert {item.key for item in found} == {"1", "4"}
        assert all(item.score is not None and 0 < item.score <= 1 for item in found)
        assert [item.key for item in await store.asearch(("users",), query="nuts", filter={"n": {"$gt": 1}})] == ["2"]
        everything = [item.key for item in await store.asearch(("users", "alice"))]
        assert everything == ["1", "2", "3", "4", "6"]
        paged = await store.asearch(("users", "alice"), limit=2, offset=1)
        assert [(item.key, item.score) for item in paged] == [("2", None), ("3", None)]
        assert await store.asearch(("users",), limit=0) == []


async def test_times_reflect_the_first_and_last_put(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        await store.aput(("a",), "k", {"n": 1})
        first = await store.aget(("a",), "k")
        await store.aput(("a",), "k", {"n": 2})
        second = await store.aget(("a",), "k")
        assert first is not None and second is not None
        assert isinstance(first.created_at, datetime) and first.created_at.tzinfo is not None
        assert second.created_at == first.created_at
        assert second.updated_at > first.updated_at


async def test_ttl_counts_minutes_since_the_last_read(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory, ttl={"default_ttl": 2.5})
        await store.aput(("a",), "k", {"text": "for a while"}, index=False)
        await store.aput(("a",), "long", {"text": "y" * 300_000}, ttl=5)
        await store.aput(("a",), "always", {"n": 1}, ttl=None)

        async def ends() -> dict[str, float | None]:
            entries = memory.entries(namespace="langgraph/store")
            return {entry["key"].get("item", "part"): entry.get("expires_at") async for entry in entries}

        before = await ends()
        assert before["always"] is None
        assert 120 < (before["k"] or 0) - time.time() < 180
        first = await store.aget(("a",), "k", refresh_ttl=False)
        assert (await ends()) == before
        assert await store.aget(("a",), "k") == first
        assert (await store.aget(("a",), "long")) is not None
        after = await ends()
        for name in ("k", "long", "part"):
            assert (after[name] or 0) > (before[name] or 0), name
        assert await store.asearch(("a",), query="while") == []


async def test_values_can_have_any_size(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)

        async def entries() -> int:
            return (await memory.retrieve(namespace="langgraph/store", limit=0))["total"]

        for size, count in ((400_000, 4), (900_000, 7), (10, 1), (300_000, 3)):
            await store.aput(("a",), "k", {"title": "long report", "text": "é" * (size // 2)})
            item = await store.aget(("a",), "k")
            assert item is not None and item.value["text"] == "é" * (size // 2)
            assert await entries() == count
        assert [found.key for found in await store.asearch(("a",), query="report")] == ["k"]
        await store.adelete(("a",), "k")
        assert await entries() == 0


async def test_an_invalid_batch_writes_nothing(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        good = PutOp(("a",), "k", {"n": 1})
        for bad, error in (
            (PutOp(("a.b",), "k", {}), InvalidNamespaceError),
            (PutOp((), "k", {}), InvalidNamespaceError),
            (PutOp("people", "k", {}), TypeError),  # type: ignore[arg-type]
            (GetOp("people", "k"), TypeError),  # type: ignore[arg-type]
            (SearchOp("people"), TypeError),  # type: ignore[arg-type]
            (ListNamespacesOp((MatchCondition("prefix", "people"),)), TypeError),  # type: ignore[arg-type]
            (PutOp(("a",), "x", {}, ttl=0), ValueError),
            (PutOp(("a",), "x", {}, ttl=-1), ValueError),
            (PutOp(("a",), "x", {}, ttl="5"), TypeError),  # type: ignore[arg-type]
            (SearchOp(("a",), filter={"n": {"$or": 1}}), ValueError),
            (PutOp(("a",), "x", {"at": datetime.now()}), TypeError),
            (PutOp(("a",), "x", {"n": float("nan")}), ValueError),
        ):
            with pytest.raises(error):
                await store.abatch([good, bad])
        assert await store.aget(("a",), "k") is None
        await store.aput(("a",), "k", {1: (2, 3)})  # type: ignore[dict-item]
        item = await store.aget(("a",), "k")
        assert item is not None and item.value == {"1": [2, 3]}


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"tier": "x"}, ValueError, "tier must be one of working, episodic, semantic, got 'x'"),
        ({"min_score": 7}, ValueError, "min_score must be 0..1, got 7"),
        ({"min_score": "0.5"}, TypeError, "min_score must be a number, got '0.5'"),
        ({"ttl": 60}, TypeError, "ttl must be a mapping such as"),
        ({"ttl": {"default_ttl": 0}}, ValueError, "default_ttl must be minutes above 0, got 0"),
        ({"ttl": {"default_ttl": -1}}, ValueError, "default_ttl must be minutes above 0, got -1"),
        ({"ttl": {"default": 5}}, TypeError, "unknown field in ttl: default"),
    ],
)
async def test_invalid_store_options_are_rejected(
    bus: RunningBus, agent: str, options: Any, error: type[Exception], words: str
) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        with pytest.raises(error, match=words):
            MembusStore(memory, **options)


def test_a_string_is_rejected_as_a_namespace(bus: RunningBus, agent: str) -> None:
    """A string would be treated as a path of its letters."""
    with membus.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        with pytest.raises(TypeError, match=r'a namespace must be a tuple such as \("users", "alice"\), got \'people\''):
            store.put("people", "k", {})  # type: ignore[arg-type]
        assert store.list_namespaces() == []
        with pytest.raises(ValueError, match="ttl must be minutes above 0, got 0"):
            store.put(("people",), "k", {}, ttl=0)


def test_the_synchronous_client(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        store.put(("users", "alice"), "tea", {"text": "Likes green tea"})
        assert [item.value for item in store.search(("users",), query="tea")] == [{"text": "Likes green tea"}]
        assert store.list_namespaces(prefix=("users",)) == [("users", "alice")]
        store.delete(("users", "alice"), "tea")
        assert store.get(("users", "alice"), "tea") is None


async def test_two_writers_of_a_large_value_keep_the_later(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other writer restores the parts that the first is about to forget."""
    first, second = {"text": "a" * 400_000}, {"text": "b" * 400_000}
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, other = MembusStore(memory), MembusStore(memory)
        await store.aput(("a",), "k", first)
        forget = AsyncAgentMemory.forget
        restored: list[bool] = []

        async def late(view: AsyncAgentMemory, **criteria: Any) -> Any:
            if not restored:
                restored.append(True)
                await other.aput(("a",), "k", first)
            return await forget(view, **criteria)

        monkeypatch.setattr(AsyncAgentMemory, "forget", late)
        await store.aput(("a",), "k", second)
        assert restored == [True]
        item = await store.aget(("a",), "k")
        assert item is not None and item.value == first
        monkeypatch.setattr(AsyncAgentMemory, "forget", forget)
        await store.adelete(("a",), "k")
        assert (await memory.retrieve(namespace="langgraph/store", limit=0))["total"] == 0


async def test_a_put_during_a_delete_leaves_a_complete_value(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other writer reuses existing parts, which name their head."""
    value = {"text": "b" * 400_000}
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, other = MembusStore(memory), MembusStore(memory)
        await store.aput(("a",), "k", {"text": "a" * 400_000})
        stored = AsyncAgentMemory.store
        deleted: list[bool] = []

        async def late(view: AsyncAgentMemory, entries: Any, **how: Any) -> Any:
            result = await stored(view, entries, **how)
            if not deleted:
                deleted.append(True)
                await other.adelete(("a",), "k")
            return result

        monkeypatch.setattr(AsyncAgentMemory, "store", late)
        await store.aput(("a",), "k", value)
        assert deleted == [True]
        item = await store.aget(("a",), "k")
        assert item is not None and item.value == value
        assert (await memory.retrieve(namespace="langgraph/store", limit=0))["total"] == 4


async def test_heads_of_several_tiers_are_read_together(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        tiers: list[Any] = ["working", "episodic"]
        for tier in tiers:
            entry = {"key": {"of": tier}, "content": {"text": tier * 50_000}, "tier": tier, "metadata": {"own": 1}}
            assert await store_whole(memory, [entry]) == []
        is_head: Any = {"field": "metadata.parts", "op": "exists", "value": True}
        whole = await read_whole(memory, [entry async for entry in memory.entries(where=is_head)])
        assert sorted(entry["content"]["text"][:8] for entry in whole) == ["episodic", "workingw"]
        assert [entry["metadata"] for entry in whole] == [{"own": 1}, {"own": 1}]


async def test_parts_of_replaced_values_are_deleted(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, view = MembusStore(memory), memory.in_namespace("langgraph/store")
        await store.aput(("a",), "k", {"text": "a" * 400_000})
        await store.aput(("a",), "k", {"text": "b" * 300_000})
        assert (await view.retrieve(limit=0))["total"] == 3


async def test_a_value_replaced_between_two_reads_is_read(
    bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, view = MembusStore(memory), memory.in_namespace("langgraph/store")
        await store.aput(("a",), "k", {"text": "a" * 400_000})
        is_head: Any = {"field": "metadata.parts", "op": "exists", "value": True}
        head = [entry async for entry in view.entries(where=is_head)]
        for value in ({"text": "b" * 300_000}, {"text": "short"}):
            await store.aput(("a",), "k", value)
            whole = await read_whole(view, head)
            assert [entry["content"] for entry in whole] == [value]
            assert "parts" not in whole[0]["metadata"]
        await store.aput(("a",), "k", {"text": "a" * 400_000})
        await view.forget(tier="episodic", where={"field": "metadata.kind", "op": "eq", "value": "part"})
        sent: list[str] = []
        send = Exchange.send

        async def counted(exchange: Exchange, request: Any, *how: Any) -> Any:
            sent.append(request.type)
            return await send(exchange, request, *how)

        monkeypatch.setattr(Exchange, "send", counted)
        assert await store.aget(("a",), "k") is None
        # Reads the head, its parts, and the unchanged head again.
        assert sent == ["memory/retrieve/req"] * 3


async def test_deletes_more_than_one_cascade_allows(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        store, view = MembusStore(memory), memory.in_namespace("langgraph/store")
        await store.abatch([PutOp(("a",), f"{n}", {"n": n}) for n in range(12)])
        heads = [entry["key_hash"] async for entry in view.entries()]
        derived = [{"key": {"of": head, "n": n}, "content": 1, "tier": "episodic", "sources": [head]} for head in heads for n in range(900)]
        assert (await view.store(derived))["errors"] == []
        assert (await view.retrieve(limit=0))["total"] == 12 * 901
        await store.abatch([PutOp(("a",), f"{n}", None) for n in range(12)])
        assert (await view.retrieve(limit=0))["total"] == 0


def test_a_closed_memory_is_unavailable(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as memory:
        store = MembusStore(memory)
        store.put(("a",), "k", {"n": 1})
    with pytest.raises(membus.UnavailableError, match="closed"):
        store.get(("a",), "k")
    with pytest.raises(membus.UnavailableError, match="closed"):
        asyncio.run(store.aget(("a",), "k"))
