"""Tests the clients against a real host."""

from __future__ import annotations

import asyncio
import math
import threading
import traceback
from datetime import datetime
from typing import Any

import pytest
from running_bus import RunningBus

import membus
from membus import aio
from membus._pages import require_complete, require_whole


async def test_stores_retrieves_and_forgets(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        result = await memory.store(
            [
                {"key": {"id": "fact1"}, "content": {"text": "Earth orbits the Sun"}, "tier": "episodic", "tags": ["sky"]},
                {"key": "user_name", "content": "Alice", "tags": ["temp"]},
                {"key": {}, "content": 1},
            ],
            partial=True,
        )
        assert result["stored"] == [{"id": "fact1"}, {"name": "user_name"}]
        assert [receipt["outcome"] for receipt in result["receipts"]] == ["created", "created"]
        assert [(error["index"], error["code"]) for error in result["errors"]] == [(2, "schema_violation")]
        page = await memory.retrieve(query="solar orbit of earth", tier="episodic", limit=5, min_score=0.1)
        assert [(entry["key"], entry["author"]) for entry in page["entries"]] == [({"id": "fact1"}, agent)]
        assert (await memory.forget(tags=["temp"], tier="working", dry_run=True))["deleted"] == 1
        assert await memory.recall("user_name") == "Alice"
        assert (await memory.forget(tags=["temp"], tier="working"))["deleted"] == 1
        assert await memory.recall("user_name", "nobody") == "nobody"


async def test_returns_the_best_passage_of_a_long_text(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, namespace="passages") as memory:
        paragraphs = [f"Paragraph {n}: " + "nothing to see. " * 20 for n in range(40)]
        paragraphs[30] = "At dawn an egret stood in the reeds."
        text = "\n\n".join(paragraphs)
        await memory.store({"key": "long", "content": {"text": text, "about": "birds"}, "tier": "episodic"})
        page = await memory.retrieve(query="egret in the reeds", include=["snippet"], explain=True)
        entry = page["entries"][0]
        start, passage = entry["snippet"]["start"], entry["snippet"]["text"]
        assert "an egret stood" in passage
        assert text[start : start + len(passage)] == passage
        assert entry["explain"]["passage"] == {"start": start, "end": start + len(passage)}
        assert "snippet" not in (await memory.retrieve(query="egret"))["entries"][0]


async def test_recall_prefers_earlier_tiers(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        receipt = await memory.remember("mood", None, tier="episodic", tags=["x"], score=0.5)
        assert receipt["key_hash"] == membus.key_hash("mood")
        assert await memory.recall("mood", "missing") is None
        await memory.remember({"name": "mood"}, {"is": [1.5, "góod"]}, ttl=600)
        assert await memory.recall("mood") == {"is": [1.5, "góod"]}
        assert await memory.recall("mood", "missing", tier="episodic") is None
        assert await memory.recall({"$hash": receipt["key_hash"]}, tier="episodic") is None
        entry = (await memory.retrieve(keys=["mood"], tier="episodic"))["entries"][0]
        assert (entry["importance"], entry["tags"]) == (0.5, ["x"])


async def test_iterates_over_all_pages(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, namespace="pages") as memory:
        result = await memory.store([{"key": {"n": n}, "content": n, "metadata": {"even": n % 2 == 0}} for n in range(1_205)])
        assert len(result["request_ids"]) == 2
        assert [receipt["index"] for receipt in result["receipts"]] == [*range(1_205)]
        read = [entry["content"] async for entry in memory.entries(order="oldest", page_size=500)]
        assert read == [*range(1_205)]
        assert [each["content"] async for each in memory.entries(order="newest", limit=3, page_size=2)] == [1204, 1203, 1202]
        even = memory.entries(where={"field": "metadata.even", "op": "eq", "value": True})
        assert len([entry async for entry in even]) == 603
        values = [item["value"] async for item in memory.items(field="key.n", page_size=700)]
        assert values == [*range(1_205)]
        assert [item["value"] for item in (await memory.list())["items"]] == ["pages"]


async def test_an_iteration_stops_at_an_approximate_page(bus: RunningBus, agent: str) -> None:
    with pytest.raises(membus.UnsupportedError, match=r"^the semantic tier chose entries with an index"):
        require_complete({"entries": [], "approximate": ["semantic"]})
    require_whole({"entries": [], "approximate": ["semantic"]})
    async with await aio.connect(bus.url, agent=agent) as memory:
        await memory.store({"key": "tea", "content": "green tea", "tier": "episodic"})
        assert "approximate" not in await memory.retrieve(query="tea", exact=True)
        assert [entry["content"] async for entry in memory.entries(query="tea", exact=True)] == ["green tea"]


async def test_agents_sessions_and_namespaces_are_separate(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        await memory.remember("secret", 1, tier="episodic")
        await memory.remember("note", 2)
        for other in (f"{agent}2", "zoë ✓", "a.b *>"):
            assert await memory.for_agent(other).recall("secret", "none") == "none"
            await memory.for_agent(other).remember("secret", other, tier="episodic")
            assert await memory.for_agent(other).recall("secret") == other
        assert await memory.recall("secret") == 1
        assert await memory.for_session("s").recall("note", "none") == "none"
        assert await memory.in_namespace("a/b").recall("note", "none") == "none"
        await memory.in_namespace("a/b").remember("note", 3)
        assert [each["namespace"] async for each in memory.entries(namespace="a/**")] == ["a/b"]
        assert (await memory.forget(namespace="a/**", tier="working"))["deleted"] == 1
        assert await memory.recall("note") == 2


async def test_an_id_has_one_effect(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        entry = {"key": "counted", "content": 1, "tier": "episodic"}
        first = await memory.store(entry, id="once")
        await memory.store({**entry, "content": 2})
        assert await memory.store(entry, id="once") == first
        assert await memory.recall("counted") == 2
        with pytest.raises(membus.ConflictError):
            await memory.store({**entry, "content": 3}, id="once")
        assert (await memory.status("once"))["receipts"] == first["receipts"]
        with pytest.raises(membus.MemoryNotFoundError):
            await memory.status("never")
        forgotten = await memory.forget(keys=["counted"], tier="episodic", id="gone")
        assert forgotten["deleted"] == 1
        assert (await memory.forget(keys=["counted"], tier="episodic", id="gone"))["receipt"] == forgotten["receipt"]
        assert (await memory.forget_status("gone"))["purge"] in ("scheduled", "done")


async def test_compare_and_set(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        attempts = [memory.store({"key": "lock", "content": n, "if_revision": 0}, partial=True) for n in range(4)]
        results = await asyncio.gather(*attempts)
        assert sorted(len(result["receipts"]) for result in results) == [0, 0, 0, 1]
        won = next(result["receipts"][0]["revision"] for result in results if result["receipts"])
        codes = {(error["code"], error["detail"]["revision"]) for result in results for error in result["errors"]}
        assert codes == {("conflict", won)}


async def test_watch_receives_events(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        async with await memory.watch(namespace="seen/**") as watch:
            await memory.remember("hidden", 1)
            await memory.in_namespace("seen/deep").remember("shown", 1)
            await memory.in_namespace("seen").forget(namespace="seen/**", tier="working")
            events = [await asyncio.wait_for(anext(watch), 60) for _ in range(2)]
        assert [(event["action"], event["key"]) for event in events] == [
            ("stored", {"name": "shown"}),
            ("forgotten", {"name": "shown"}),
        ]
        assert [event async for event in watch] == []
        with pytest.raises(ValueError, match="action must be one of"):
            await memory.watch(action="store")  # type: ignore[arg-type]


async def test_dropped_events_are_counted(bus: RunningBus, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("membus._watch.WAITING_MAX", 2)
    async with await aio.connect(bus.url, agent=agent) as memory:
        async with await memory.watch() as watch:
            await memory.store([{"key": {"n": n}, "content": n} for n in range(5)])
            await until(lambda: watch.missed == 3)
            assert [(await anext(watch))["key"] for _ in range(2)] == [{"n": 0}, {"n": 1}]


async def until(condition: Any) -> None:
    for _ in range(3_000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the condition was not met in time")


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"tag": ["x"]}, TypeError, r"unknown field `tag` \(did you mean `tags`\?\)"),
        ({"deadline_ms": 3}, TypeError, "`deadline_ms` is set by the client"),
        ({"match": {"when": datetime(2026, 1, 1)}}, TypeError, "match.when is not JSON: datetime"),
        ({"match": {1: 2}}, TypeError, "match has a field name that is not a string: 1"),
        ({"min_score": math.nan}, ValueError, "min_score is NaN"),
        ({"timeout_s": 0}, ValueError, "timeout_s must be 0.001..600.0 seconds, got 0"),
        ({"limit": -1}, membus.SchemaViolationError, "limit"),
    ],
)
async def test_invalid_calls_are_rejected(bus: RunningBus, agent: str, fields: Any, error: Any, words: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        with pytest.raises(error, match=words):
            await memory.retrieve(**fields)


async def test_invalid_entries_are_rejected(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        for entry, words in (
            ({"key": "a"}, r"entries\[0\] has no `content`"),
            ({"key": "a", "content": 1, "tierr": "working"}, r"unknown field `tierr` \(did you mean `tier`\?\)"),
            ({"key": "a", "content": {1: 2}}, "content has a field name that is not a string: 1"),
            ({"key": "a", "content": {"at": b"x"}}, "content.at is not JSON: bytes"),
        ):
            with pytest.raises(TypeError, match=words):
                await memory.store(entry)
        with pytest.raises(ValueError, match="content is NaN"):
            await memory.remember("a", math.nan)
        refused: Any = [2**53, "\ud800", {"__proto__": 1}, "x" * 300_000, [[]], 2.0**80]
        with pytest.raises(membus.SchemaViolationError, match=r"^entries\[0\]: .* \(2 of 6 entries are stored\)$") as raised:
            await memory.store([{"key": {"n": n}, "content": content} for n, content in enumerate(refused)])
        result: Any = raised.value.result
        codes = ["schema_violation", "schema_violation", "schema_violation", "too_large"]
        assert [error["code"] for error in result["errors"]] == codes
        assert [receipt["index"] for receipt in result["receipts"]] == [4, 5]
        assert await memory.recall({"n": 5}) == 2.0**80
        with pytest.raises(membus.TooLargeError):
            await memory.remember("a", "x" * 300_000)


def test_invalid_names_are_rejected() -> None:
    for options, words in (
        ({"agent": ""}, "an agent name must be 1..192 bytes"),
        ({"agent": "é" * 97}, "an agent name must be 1..192 bytes"),
        ({"agent": "a", "tenant": "a.b"}, "tenant must be"),
        ({"agent": "a", "namespace": "a//b"}, "namespace must be a path"),
        ({"agent": "a", "prefix": "a..b"}, "prefix must be tokens"),
        ({"agent": "a", "session": "s" * 129}, "session must be at most 128"),
        ({"agent": "a", "retry_timeout_s": -1}, "retry_timeout_s must be"),
    ):
        with pytest.raises(ValueError, match=words):
            membus.connect(**options)
    with pytest.raises(TypeError, match="max_reconnect_attempts: set by the client"):
        membus.connect(agent="a", max_reconnect_attempts=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'pasword'"):
        membus.connect(agent="a", pasword="secret")


@pytest.mark.parametrize(
    "servers, words",
    [
        ("nats://127.0.0.1:99999", "got nats://127.0.0.1:99999"),
        ("http://127.0.0.1:4222", "got http://127.0.0.1:4222"),
        (["nats://127.0.0.1:4222", "nats://alice:s3cret@[::1:4222"], r"got \[::1:4222"),
        ("nats://alice:s3cret@:4222", "got :4222"),
        ("127.0.0.1:port", "got 127.0.0.1:port"),
        ("", "got ''"),
        ([], "no server given"),
    ],
)
def test_invalid_server_urls_are_rejected(servers: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        membus.connect(servers, agent="a")
    shown = "".join(traceback.format_exception(refused.value))
    assert "s3cret" not in str(refused.value) and shown.count("Error: ") == 1
    if servers:
        assert "a NATS server must be nats://host:port, tls://host:port or host:port" in str(refused.value)


def test_a_server_url_needs_no_scheme(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url.removeprefix("nats://"), agent=agent) as memory:
        assert memory.ping()["type"] == "pong"


@pytest.mark.parametrize("score, error", [(7, ValueError), (-0.1, ValueError), (math.nan, ValueError), ("1", TypeError), (True, TypeError)])
async def test_score_errors_name_the_argument(bus: RunningBus, agent: str, score: Any, error: type[Exception]) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        with pytest.raises(error, match="score must be"):
            await memory.remember("k", 1, score=score)
        assert await memory.recall("k", "none") == "none"


def test_the_synchronous_client(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent, namespace="sync") as memory:
        with memory.watch(action="stored") as watch:
            assert memory.remember("user_name", "Alice", tags=["identity"])["outcome"] == "created"
            assert next(watch)["key"] == {"name": "user_name"}
        assert memory.recall("user_name") == "Alice"
        memory.store([{"key": {"n": n}, "content": n} for n in range(5)])
        read = memory.entries(where={"field": "key.n", "op": "exists", "value": True}, order="oldest", page_size=2)
        assert [entry["content"] for entry in read] == [0, 1, 2, 3, 4]
        assert memory.retrieve(tags=["identity"])["total"] == 1
        assert [item["value"] for item in memory.items(field="tags")] == ["identity"]
        assert memory.list(field="tags")["total"] == 1
        assert memory.ping()["tiers"] == ["working", "episodic", "semantic"]
        assert memory.for_session("other").recall("user_name") is None
        assert memory.forget(tier="working")["deleted"] == 6
    with pytest.raises(membus.UnavailableError, match="closed"):
        memory.recall("user_name")
    memory.close()


def test_close_ends_watches_and_rejects_calls(bus: RunningBus, agent: str) -> None:
    memory = membus.connect(bus.url, agent=agent)
    watch = memory.watch()
    refused: list[Exception] = []

    def call() -> None:
        try:
            while True:
                memory.remember("again", 1)
        except membus.UnavailableError as error:
            refused.append(error)

    seen: list[Any] = []
    threads = [threading.Thread(target=call) for _ in range(3)]
    threads.append(threading.Thread(target=lambda: seen.extend(watch)))
    for thread in threads:
        thread.start()
    memory.recall("again")
    memory.close()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert [error.detail["reason"] for error in refused if isinstance(error, membus.UnavailableError)] == ["closed"] * 3


def test_a_watch_of_a_closed_client_has_ended(bus: RunningBus, agent: str) -> None:
    memory = membus.connect(bus.url, agent=agent)
    watch = memory.watch()
    memory.close()
    assert list(watch) == []


async def test_close_completes_despite_concurrent_calls(bus: RunningBus, agent: str) -> None:
    memory = await aio.connect(bus.url, agent=agent)
    answered: list[int] = []

    async def call(n: int) -> str:
        while True:
            try:
                await memory.remember({"n": n}, n)
                answered.append(n)
            except membus.UnavailableError as error:
                return str(error.detail["reason"])

    callers = [asyncio.ensure_future(call(n)) for n in range(50)]
    await until(lambda: len(set(answered)) == 50)
    try:
        await asyncio.wait_for(memory.close(), 60)
        assert await asyncio.gather(*callers) == ["closed"] * 50
    finally:
        for caller in callers:
            caller.cancel()


async def test_a_none_criterion_forgets_nothing(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        await memory.remember("kept", 1)
        mistaken: list[Any] = [{"keys": None}, {"tags": None}, {"where": None}, {"group": None}]
        for criterion in mistaken:
            with pytest.raises(TypeError, match="is None, which would forget more"):
                await memory.forget(tier="working", **criterion)
        assert await memory.recall("kept") == 1
        assert (await memory.forget(tier="working", keys=["kept"], namespace=None))["deleted"] == 1


def test_typescript_and_python_share_a_memory(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as memory:
        bus.cli("remember", "from_typescript", "Größe 5", "--agent", agent, "--tier", "episodic")
        assert memory.recall("from_typescript") == "Größe 5"
        memory.remember("from_python", "naïve ✓", tier="episodic")
        assert bus.cli("recall", "from_python", "--agent", agent) == "naïve ✓\n"
    with membus.connect(bus.url, agent=f"zoë {agent}") as memory:
        bus.cli("remember", "hers", "yes", "--agent", f"zoë {agent}", "--tier", "episodic")
        assert memory.recall("hers") == "yes"
