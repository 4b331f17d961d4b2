"""Tests that a user is forgotten, and renamed, as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from running_bus import RunningBus

import membus
from membus import AsyncConversation, AsyncLongTermMemory, AsyncMemory, aio, key_hash


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def texts(items: Any) -> list[str]:
    return [item.text for item in items]


async def test_a_forgotten_user_is_gone(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, tenant=agent) as client:
        memory, shared = AsyncMemory(client), AsyncMemory(client, tier="semantic")
        await memory.add(["I prefer the night train", user("I live in Zaragoza"), assistant("x" * 600_000)], user="ada")
        await shared.add("I like tea", user="ada")
        facts = AsyncLongTermMemory(client, "user:ada")
        await facts.record_tool_calls([{"tool_name": "search", "input": {}, "output": "", "success": True}])
        await memory.add("I prefer buses", user="bob")
        triple = {"subject": "Ada L.", "predicate": "likes", "object": "tea"}
        await client.in_namespace("graph").store({"key": triple, "content": {}, "tier": "episodic", "metadata": {"kind": "triple", **triple, "trust": "user"}})
        await client.in_namespace("notes/user:ada/a").store({"key": "note", "content": "x"})
        await AsyncConversation(client, "c-7").add(user("Only Ada is here"))
        gone = await memory.forget("ada", names=["Ada L."], conversations=["c-7"], purge=True)
        counts = {name: count for name, count in gone.deleted.items() if name != "part"}
        assert counts == {"fact": 3, "message": 3, "tool_call": 1, "guideline": 1, "triple": 1, "other": 1}
        assert [each.partition(":")[0] for each in gone.remains] == [
            "names of emptied namespaces, with the id of the user",
            "memories of other agents",
            "working memory of other sessions",
            "backups, exports and logs",
        ]
        assert [item["value"] async for item in client.items(namespace="**")] == ["about/user:bob"]
        assert b"Zaragoza" not in b"".join(each.read_bytes() for each in bus.folder.rglob("*") if each.is_file())
        assert (await memory.forget("ada")).deleted == {}
        await memory.forget("bob")
        assert await memory.search("buses", user="bob") == []
        assert [item["value"] async for item in client.items(namespace="about/user:bob", field="metadata.kind")] == ["forgotten"]


async def test_a_purge_deletes_the_marker_and_the_parts_of_a_conversation(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, tenant=agent) as client:
        memory = AsyncMemory(client)
        await memory.add("I prefer buses", user="ada")
        await AsyncConversation(client, "user:ada/trip").add(user("Off to Rome"))
        await memory.forget("ada")
        assert [item["value"] async for item in client.items(namespace="**", field="metadata.kind")] == ["forgotten"]
        assert (await memory.forget("ada", purge=True)).deleted == {}
        assert [item["value"] async for item in client.items(namespace="**")] == []


async def test_a_renamed_user_keeps_everything(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, tenant=agent) as client:
        memory, shared = AsyncMemory(client), AsyncMemory(client, tier="semantic")
        added = await memory.add(["I prefer the night train", user("I live in Zaragoza"), assistant("x" * 600_000)], user="ada")
        await shared.add("I like tea", user="ada")
        await memory.add("I prefer buses", user="bob")
        await AsyncConversation(client, "user:ada/trip").add(user("Off to Rome"))
        triple = {"subject": "ada", "predicate": "likes", "object": "tea"}
        await client.in_namespace("graph").store({"key": triple, "content": {}, "tier": "episodic", "metadata": {"kind": "triple", **triple, "trust": "user"}})
        await client.in_namespace("notes/user:ada/a").store({"key": "note", "content": "x"})
        source = key_hash({"conversation": "user:ada", "message": added.message_ids[0]})
        await AsyncLongTermMemory(client, "project:x").record("one member lives in Zaragoza", infer=False, sources=[source])
        before = [each.message for each in await memory.history("ada")]
        assert await memory.rename("ada", "ann") == 12  # 4 are parts of the long message
        assert [each.message for each in await memory.history("ann")] == before
        assert texts(await memory.search("which train?", user="ann")) == ["I prefer the night train"]
        assert texts(await AsyncLongTermMemory(client, "user:ann", tier="semantic").items()) == ["I like tea"]
        assert [each.message["content"] for each in await AsyncConversation(client, "user:ann/trip").get()] == ["Off to Rome"]
        assert (await client.in_namespace("graph").retrieve(keys=[{**triple, "subject": "ann"}]))["total"] == 1
        assert await memory.history("ada") == []
        assert not [item async for item in client.items(namespace="**") if "user:ada" in str(item["value"])]
        assert len(await memory.history("bob")) == 0 and len(await memory.search("buses", user="bob")) == 1
        assert bus.conformance("records", "--namespace", "about/user:ann", "--agent", agent, "--tenant", agent).endswith("Every record is valid.\n")
        # The derived fact of another subject goes with its source.
        assert (await memory.forget("ann")).deleted["derived"] == 1
        assert await AsyncLongTermMemory(client, "project:x").items() == []


async def test_a_rename_moves_what_others_store_at_the_same_time(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:

        class Interrupted(aio.AsyncAgentMemory):
            """Stores a late entry before the first deletion."""

            is_stored = False

            async def forget(self, **request: Any) -> Any:
                if not request.get("dry_run") and not Interrupted.is_stored:
                    Interrupted.is_stored = True
                    await client.in_namespace("users/ada").store({"key": "late", "content": "late", "tier": "episodic"})
                return await super().forget(**request)

        await AsyncMemory(client).add("I prefer tea", user="ada")
        interrupted = Interrupted(client._exchange, client._identity, client._policy)
        assert await AsyncMemory(interrupted).rename("ada", "ann") == 2
        assert await client.in_namespace("users/ann").recall("late") == "late"
        assert (await AsyncMemory(client).forget("ada")).deleted == {}


def test_a_rename_refuses_a_name_with_memories(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as client:
        memory = membus.Memory(client)
        for name in ("ada", "bob", "a~b"):
            memory.add("I prefer tea", user=name)
        with pytest.raises(membus.ConflictError, match="there are memories of the user bob: forget them or choose another name"):
            memory.rename("ada", "bob")
        assert len(memory.search("tea", user="ada")) == len(memory.search("tea", user="bob")) == 1
        assert (memory.rename("eve", "mallory"), memory.rename("ada", "ada")) == (0, 0)
        client.in_namespace("about/a%7eb").store({"key": "own", "content": "tea", "tier": "episodic"})
        assert memory.rename("a~b", "c~d") == 2
        assert [item["value"] for item in client.items(namespace="**") if "%7e" in str(item["value"])] == ["about/c%7ed"]
        with pytest.raises(ValueError, match="user must be 1..59 characters"):
            memory.rename("ada", "")


async def test_users_are_case_sensitive(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, tenant=agent) as client:
        memory = AsyncMemory(client)

        async def store(name: str, node: str) -> None:
            await memory.add(["I prefer tea", user("Good morning")], user=name)
            triple = {"subject": node, "predicate": "likes", "object": "tea"}
            entry = {"key": triple, "content": {}, "tier": "episodic", "metadata": {"kind": "triple", **triple, "trust": "user"}}
            await client.in_namespace("graph").store(entry)

        for name in ("Ada", "ada", "Bob"):
            await store(name, name.lower() if name == "Bob" else name)
        assert (await memory.forget("Ada")).deleted == {"fact": 2, "message": 1, "triple": 1}
        await store("Ada", "Ada")
        assert await memory.rename("Ada", "Ann") == 4
        assert texts(await memory.search("tea", user="ada", limit=1)) == ["I prefer tea"]
        assert len(await memory.history("ada")) == 1
        assert (await memory.forget("Bob")).deleted == {"fact": 2, "message": 1, "triple": 1}
        graph = await client.retrieve(namespace="graph", tier="episodic")
        assert sorted(entry["key"]["subject"] for entry in graph["entries"]) == ["Ann", "ada"]


async def test_nodes_in_lower_case_are_forgotten_with_and_without_the_prefix_of_users(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, tenant=agent) as client:
        for node in ("ada", "user:ada"):
            triple = {"subject": node, "predicate": "likes", "object": "tea"}
            entry = {"key": triple, "content": {}, "tier": "episodic", "group": node, "metadata": {"kind": "triple", **triple, "trust": "user"}}
            await client.in_namespace("graph").store(entry)
        assert (await AsyncMemory(client).forget("Ada")).deleted == {"triple": 2}
