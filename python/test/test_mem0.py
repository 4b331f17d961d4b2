"""The interface of mem0, as a program and as AgentScope's middleware use it."""

from __future__ import annotations

import inspect
from typing import Any, Mapping, Sequence

import pytest
from running_bus import RunningBus

from membus import aio
from membus.mem0 import Mem0Memory

ALICE: Any = {"user_id": "alice"}


def texts(found: dict[str, Any]) -> list[str]:
    return [item["memory"] for item in found["results"]]


async def test_what_is_added_is_found_of_its_user_alone(bus: RunningBus, agent: str) -> None:
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
        for reserved in ("trust", "part_write"):
            with pytest.raises(ValueError, match=f"metadata cannot have {reserved}"):
                await memory.add("x", user_id="alice", metadata={reserved: "user"})


async def test_the_same_text_is_remembered_once(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        first = (await memory.add("Lives in Lisbon", **ALICE))["results"][0]
        again = (await memory.add("Lives in  Lisbon", **ALICE, infer=False))["results"][0]
        assert (again["id"], again["event"]) == (first["id"], "NONE")
        before = await memory.get(first["id"])
        with pytest.raises(ValueError, match="metadata cannot have superseded_by"):
            await memory.update(first["id"], metadata={"superseded_by": "nothing"})
        await memory.update(first["id"], "Lives in Porto", metadata={"since": 2026})
        changed = await memory.get(first["id"])
        assert before is not None and changed is not None
        assert changed["updated_at"] > before["updated_at"]
        told = {name: value for name, value in changed.items() if not name.endswith("_at")}
        assert told == {
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


async def test_agents_and_runs_narrow_what_is_found(bus: RunningBus, agent: str) -> None:
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
        assert texts(await memory.get_all(filters={**ALICE, "agent_id": "*"})) == ["tea"]
        assert texts(await memory.get_all(filters=ALICE)) == ["tea"]
        assert texts(await memory.get_all(filters={"agent_id": "writer"})) == []
        assert texts(await memory.get_all(filters={"user_id": "*"})) == ["tea"]


@pytest.mark.parametrize("ids", [{"user_id": "*"}, {"user_id": " * "}, {"user_id": "alice", "agent_id": "*"}])
async def test_everybody_is_nobody_to_remember_or_forget_of(bus: RunningBus, agent: str, ids: Any) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = Mem0Memory(client)
        await memory.add("tea", user_id="alice")
        with pytest.raises(ValueError, match="_id must be a name, got"):
            await memory.add("coffee", **ids)
        with pytest.raises(ValueError, match="_id must be a name, got"):
            await memory.delete_all(**ids)
        assert texts(await memory.get_all(filters={"user_id": "*"})) == ["tea"]


async def test_filters_hold_as_mem0_has_them(bus: RunningBus, agent: str) -> None:
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
        with pytest.raises(ValueError, match="unknown operator icontains"):
            await memory.get_all(filters={**ALICE, "place": {"icontains": "HOME"}})


async def test_facts_are_what_a_model_finds_where_there_is_one(bus: RunningBus, agent: str) -> None:
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


async def test_what_it_stores_are_facts_of_the_protocol(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        await Mem0Memory(client).add([{"role": "assistant", "content": "Answered in French"}], user_id="zoë/*")
        entry = [each async for each in client.entries(namespace="about/**")][0]
        assert entry["namespace"] == "about/user:zoë%2f%2a"
        # The first half of the SHA-256 of its text, as agents in JavaScript have it.
        assert entry["key"] == {"fact": "b6a08c1e36ae11f94e5f5a971b54c21e"}
        assert (entry["metadata"]["kind"], entry["metadata"]["about"], entry["metadata"]["trust"]) == ("fact", "user:zoë/*", "agent")
        told = bus.conformance("records", "--namespace", "about/**", "--agent", agent)
        assert told == "records: fact 1; parts: 0; entries of other kinds: 0\nEvery record is what it says.\n"
        found = await Mem0Memory(client).get_all(filters={"user_id": "zoë/*"})
        assert await Mem0Memory(client).get(found["results"][0]["id"]) == found["results"][0]


def test_agentscope_takes_it_for_an_async_client() -> None:
    """`Mem0Middleware` looks for coroutine functions of these names."""
    assert inspect.iscoroutinefunction(Mem0Memory.search)
    assert inspect.iscoroutinefunction(Mem0Memory.add)
