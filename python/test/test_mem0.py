"""Tests the mem0 interface, used directly and by AgentScope's middleware."""

from __future__ import annotations

import inspect
from typing import Any, Awaitable, Iterator, Mapping, Sequence

import pytest
from running_bus import RunningBus

from membus import UnsupportedError, aio
from membus.mem0 import Mem0Memory

ALICE: Any = {"user_id": "alice"}


def each_call(memory: Mem0Memory, ids: Any) -> Iterator[Awaitable[Any]]:
    """Return the memories found for these ids."""
    yield memory.add("coffee", **ids)
    yield memory.search("tea", filters=ids)
    yield memory.get_all(filters=ids)
    yield memory.delete_all(**ids)


def texts(found: dict[str, Any]) -> list[str]:
    return [item["memory"] for item in found["results"]]


async def test_memories_are_found_only_for_their_user(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        messages: Any = [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "I prefer   the night train"},
            {"role": "assistant", "content": [{"type": "text", "text": "Noted: trains by night"}]},
        ]
        added = await memory.add(messages, user_id="alice", metadata={"trip": "Zürich", "legs": [1, {"to": "Basel"}]})
        assert [(item["memory"], item["event"]) for item in added["results"]] == [
            ("I prefer the night train", "ADD"),
            ("Noted: trains by night", "ADD"),
        ]
        await memory.add("I prefer the night bus", user_id="bob")
        found = await memory.search("which train at night?", filters=ALICE, top_k=1, threshold=0.1)
        assert texts(found) == ["I prefer the night train"]
        item = found["results"][0]
        assert 0.1 <= item["score"] <= 1
        assert (item["user_id"], item["metadata"]) == ("alice", {"trip": "Zürich", "legs": [1, {"to": "Basel"}]})
        assert texts(await memory.get_all(filters={"user_id": "bob"})) == ["I prefer the night bus"]
        assert (await memory.users())["results"] == [
            {"name": "alice", "type": "user", "total_memories": 2},
            {"name": "bob", "type": "user", "total_memories": 1},
        ]
        with pytest.raises(ValueError, match="at least one of user_id"):
            await memory.search("train", filters={"trip": "Zürich"})
        for reserved in ("trust", "parts"):
            with pytest.raises(ValueError, match=f"metadata must not contain {reserved}"):
                await memory.add("x", user_id="alice", metadata={reserved: "user"})


async def test_reset_deletes_all_memories_of_the_agent_alone(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client, await aio.connect(bus.url, agent=f"{agent}2") as other:
        memory, others = Mem0Memory(client), Mem0Memory(other)
        for owner in (memory, others):
            await owner.add("tea", user_id="alice")
            await owner.add("coffee", run_id="r1")
        await memory.reset()
        assert (await memory.users())["results"] == []
        assert texts(await others.get_all(filters=ALICE)) == ["tea"]
        with pytest.raises(UnsupportedError, match="history is not available"):
            await memory.history("user:alice/1")


async def test_a_known_text_is_stored_once(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        first = (await memory.add("Lives in Lisbon", **ALICE))["results"][0]
        again = (await memory.add("Lives in  Lisbon", **ALICE, infer=False))["results"][0]
        assert (again["id"], again["event"]) == (first["id"], "NONE")
        before = await memory.get(first["id"])
        with pytest.raises(ValueError, match="metadata must not contain superseded_by"):
            await memory.update(first["id"], metadata={"superseded_by": "nothing"})
        await memory.update(first["id"], "Lives in Porto", metadata={"since": 2026})
        changed = await memory.get(first["id"])
        assert before is not None and changed is not None
        assert changed["updated_at"] > before["updated_at"]
        shown = {name: value for name, value in changed.items() if not name.endswith("_at")}
        assert shown == {
            "id": first["id"],
            "memory": "Lives in Porto",
            "user_id": "alice",
            "role": "user",
            "metadata": {"since": 2026},
        }
        assert changed["created_at"] == before["created_at"]
        assert (await memory.add("Lives in Lisbon", **ALICE))["results"][0]["event"] == "ADD"
        assert sorted(texts(await memory.get_all(filters={**ALICE}))) == ["Lives in Lisbon", "Lives in Porto"]
        assert texts(await memory.get_all(filters={**ALICE, "since": {"gte": 2026}})) == ["Lives in Porto"]
        await memory.delete(first["id"])
        assert await memory.get(first["id"]) is None
        for missing in (memory.delete(first["id"]), memory.update(first["id"], "x"), memory.delete("nothing")):
            with pytest.raises(ValueError, match="not found"):
                await missing


async def test_agent_and_run_ids_filter_results(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        await memory.add("tea", user_id="alice", agent_id="planner")
        await memory.add("tea", user_id="alice", agent_id="writer", run_id="r/1")
        await memory.add("coffee", agent_id="writer")
        whose = {"planner": {**ALICE, "agent_id": "planner"}, "writer": {"agent_id": "writer"}, "run": {"run_id": "r/1"}}
        found = {name: sorted(texts(await memory.get_all(filters=filters))) for name, filters in whose.items()}
        assert found == {"planner": ["tea"], "writer": ["coffee", "tea"], "run": ["tea"]}
        assert len((await memory.get_all(filters=ALICE))["results"]) == 2
        await memory.delete_all(agent_id="writer")
        assert texts(await memory.get_all(filters={**ALICE, "agent_id": "planner"})) == ["tea"]
        assert texts(await memory.get_all(filters=ALICE)) == ["tea"]
        assert texts(await memory.get_all(filters={"agent_id": "writer"})) == []


@pytest.mark.parametrize("ids", [{"user_id": "*"}, {"user_id": " * "}, {"user_id": "alice", "agent_id": "*"}])
async def test_star_is_rejected_as_an_id(bus: RunningBus, agent: str, ids: Any) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        await memory.add("tea", user_id="alice")
        for refused in each_call(memory, ids):
            with pytest.raises(ValueError, match="_id must be a non-empty name"):
                await refused
        assert (await memory.users())["results"] == [{"name": "alice", "type": "user", "total_memories": 1}]


@pytest.mark.parametrize("name", ["user_id", "agent_id", "run_id"])
@pytest.mark.parametrize("value", ["*", " * ", ""])
async def test_star_is_rejected_in_nested_filters(bus: RunningBus, agent: str, name: str, value: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        for branch in ({"AND": [{name: value}]}, {"NOT": [{"n": 1}, {"OR": [{"n": 2}, {name: value}]}]}):
            for refused in (memory.search("tea", filters={**ALICE, **branch}), memory.get_all(filters={**ALICE, **branch})):
                with pytest.raises(ValueError, match=f"{name} must be a non-empty name"):
                    await refused


@pytest.mark.parametrize(
    "longest, longer",
    [
        ({"user_id": "a" * 59}, {"user_id": "a" * 60}),
        ({"user_id": "é/" * 14}, {"user_id": "/" * 20}),
        ({"user_id": "\U0001f600" * 29}, {"user_id": "\U0001f600" * 30}),
        ({"agent_id": "a" * 58}, {"agent_id": "a" * 59}),
        ({"run_id": "a" * 60}, {"run_id": "a" * 61}),
        ({"user_id": "a", "agent_id": "a" * 200}, {"user_id": "a" * 200, "agent_id": "a"}),
    ],
)
async def test_ids_are_limited_by_the_namespace_segment(bus: RunningBus, agent: str, longest: Any, longer: Any) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        await memory.add("tea", **longest)
        found = await memory.get_all(filters=longest)
        assert texts(found) == texts(await memory.search("tea", filters=longest)) == ["tea"]
        assert (await memory.get(found["results"][0]["id"])) == found["results"][0]
        name = next(iter(longer))
        at_most = {"user_id": 59, "agent_id": 58, "run_id": 60}[name]
        for refused in each_call(memory, longer) if name == "user_id" else [memory.add("", **longer)]:
            with pytest.raises(ValueError, match=f"{name} must be at most {at_most} characters, got"):
                await refused
        await memory.delete_all(**longest)
        assert texts(await memory.get_all(filters=longest)) == []


async def test_filters_have_the_semantics_of_mem0(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        for n, kind in enumerate(["work", "home", "home"]):
            await memory.add(f"memory {n}", **ALICE, metadata={"place": kind, "n": n})
        for filters, expected in (
            ({"place": "home"}, [1, 2]),
            ({"n": {"gt": 0, "lt": 2}}, [1]),
            ({"place": {"in": ["work", "x"]}}, [0]),
            ({"OR": [{"n": 0}, {"n": 2, "place": "home"}]}, [0, 2]),
            ({"NOT": [{"n": 0}, {"n": 1}]}, [2]),
            ({"AND": [{"place": {"ne": "work"}}, {"n": {"nin": [1]}}]}, [2]),
            ({"place": "*", "n": {"gte": 3}}, []),
        ):
            found = texts(await memory.get_all(filters={**ALICE, **filters}))
            assert sorted(found) == [f"memory {n}" for n in expected], filters
        with pytest.raises(ValueError, match="icontains"):
            await memory.get_all(filters={**ALICE, "place": {"icontains": "HOME"}})


async def test_extract_finds_the_facts(bus: RunningBus, agent: str) -> None:
    asked: list[Any] = []

    async def extract(messages: Sequence[Mapping[str, Any]]) -> list[str]:
        asked.append(messages)
        return ["Likes green tea"] if "tea" in messages[0]["content"] else []

    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client, extract=extract)
        assert texts(await memory.add("Well, tea, the green one", **ALICE)) == ["Likes green tea"]
        assert await memory.add("Hello", **ALICE) == {"results": []}
        assert texts(await memory.add("Hello", **ALICE, infer=False)) == ["Hello"]
        assert asked == [[{"role": "user", "content": "Well, tea, the green one"}], [{"role": "user", "content": "Hello"}]]


async def test_memories_are_fact_records(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        await Mem0Memory(client).add([{"role": "assistant", "content": "Answered in French"}], user_id="zoë/*")
        entry = [each async for each in client.entries(namespace="about/**")][0]
        assert entry["namespace"] == "about/user:zoë%2f%2a"
        # The first half of the SHA-256 of the text, as in JavaScript.
        assert entry["key"] == {"fact": "b6a08c1e36ae11f94e5f5a971b54c21e"}
        assert (entry["metadata"]["kind"], entry["metadata"]["about"], entry["metadata"]["trust"]) == ("fact", "user:zoë/*", "agent")
        shown = bus.conformance("records", "--namespace", "about/**", "--agent", agent)
        assert shown == "records: fact 1; parts: 0; entries of other kinds: 0\nEvery record is valid.\n"
        found = await Mem0Memory(client).get_all(filters={"user_id": "zoë/*"})
        assert await Mem0Memory(client).get(found["results"][0]["id"]) == found["results"][0]


def test_agentscope_accepts_it_as_an_async_client() -> None:
    """`Mem0Middleware` checks for coroutine functions with these names."""
    assert inspect.iscoroutinefunction(Mem0Memory.search)
    assert inspect.iscoroutinefunction(Mem0Memory.add)


async def test_a_category_is_metadata_of_the_fact(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        for text, category in (("I like tea", "drinks"), ("I like buses", ""), ("I like trains", 7)):
            await memory.add(text, user_id="alice", metadata={"category": category})
        drinks = await memory.get_all(filters={"user_id": "alice", "category": "drinks"})
        assert [(item["memory"], item["metadata"]) for item in drinks["results"]] == [("I like tea", {"category": "drinks"})]
        await memory.update(drinks["results"][0]["id"], metadata={"category": "food"})
        assert len((await memory.get_all(filters={"user_id": "alice", "category": "food"}))["results"]) == 1
        assert bus.conformance("records", "--namespace", "about/**", "--agent", agent).endswith("Every record is valid.\n")
