"""Runs the calls of A2E's page on memory with one changed import, and the same calls of the client."""

from __future__ import annotations

from running_bus import RunningBus

import membus
from membus.a2e import MemoryAPI, MemoryEntry


def test_the_calls_of_the_page_run(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent, tenant=agent) as client:
        memory = MemoryAPI(client)
        stored, errors = memory.store([
            MemoryEntry(key={"id": "fact1"}, content={"text": "Earth orbits the Sun"}, tier="semantic"),
            MemoryEntry(key={"id": "task1"}, content={"step": 3}, tier="working"),
        ])
        assert (stored, errors) == ([{"id": "fact1"}, {"id": "task1"}], [])
        entries = memory.retrieve(query="what orbits the Sun", tier="semantic", limit=5, min_score=0.1)
        assert [(entry.key, entry.content, entry.tier) for entry in entries] == [
            ({"id": "fact1"}, {"text": "Earth orbits the Sun"}, "semantic")
        ]
        memory.remember("user_name", "Alice", tier="working", tags=["identity"])
        assert memory.recall("user_name") == "Alice"
        assert memory.recall("nothing", "default") == "default"
        assert memory.forget(tier="working") == 0
        deleted = memory.forget(tags=["identity"], tier="working")
        assert deleted == 1


def test_a_store_of_the_client_unpacks(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as memory:
        stored, errors = memory.store([{"key": "a", "content": 1}, {"key": "b", "content": "x" * 300_000}], partial=True)
        assert stored == [{"name": "a"}]
        assert [(error["index"], error["code"]) for error in errors] == [(1, "too_large")]


def test_an_entry_with_a_score_keeps_it_as_importance(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as client:
        MemoryAPI(client).store([{"key": {"id": "a"}, "content": "x", "score": 0.25, "tier": "working"}])
        assert client.retrieve(keys=[{"id": "a"}])["entries"][0]["importance"] == 0.25
