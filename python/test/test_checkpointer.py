"""Runs LangGraph's conformance suite for checkpointers, and additional tests."""

from __future__ import annotations

import asyncio
import math
import operator
from typing import Annotated, Any, AsyncGenerator, TypedDict

import pytest
from documents import run_example, shown_of
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from running_bus import RunningBus

import membus
from membus import aio
from membus.langgraph import MembusSaver


async def test_langgraph_conformance_suite(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:

        @checkpointer_test(name="membus")
        async def saver() -> AsyncGenerator[BaseCheckpointSaver[Any], None]:
            yield MembusSaver(memory)

        report = await validate(saver)
        failures = [failure for result in report.results.values() for failure in result.failures or []]
        assert failures == []
        assert sum(result.tests_passed for result in report.results.values()) == 81
        assert report.passed_all()


class State(TypedDict):
    said: Annotated[list[str], operator.add]


def graph_with(saver: BaseCheckpointSaver[Any]) -> Any:
    """Build a graph that interrupts to ask a person."""
    graph = StateGraph(State)
    graph.add_node("ask", lambda state: {"said": ["asked"]})
    graph.add_node("wait", lambda state: {"said": [interrupt("which train?")]})
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "wait")
    graph.add_edge("wait", END)
    return graph.compile(checkpointer=saver)


def test_the_example_prints_the_output_of_the_readme(bus: RunningBus) -> None:
    assert run_example(bus, "langgraph_trip.py") == shown_of("langgraph_trip.py")


def test_another_process_continues_a_graph(bus: RunningBus, agent: str) -> None:
    config: Any = {"configurable": {"thread_id": "t"}}
    with membus.connect(bus.url, agent=agent) as memory:
        told = graph_with(MembusSaver(memory)).invoke({"said": ["hello"]}, config)
        assert told["__interrupt__"][0].value == "which train?"
    with membus.connect(bus.url, agent=agent) as memory:
        assert graph_with(MembusSaver(memory)).invoke(Command(resume="at nine"), config) == {"said": ["hello", "asked", "at nine"]}
    with membus.connect(bus.url, agent=f"{agent}-other") as memory:
        assert MembusSaver(memory).get_tuple(config) is None


def test_branches_of_a_thread_have_separate_values(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as memory:
        graph = graph_with(MembusSaver(memory))
        config: Any = {"configurable": {"thread_id": "t"}}
        graph.invoke({"said": ["hello"]}, config)
        before = graph.get_state(config).config
        assert graph.invoke(Command(resume="nine"), before)["said"] == ["hello", "asked", "nine"]
        first = graph.get_state(config).config
        graph.update_state(before, {"said": ["ten"]}, as_node="wait")
        assert graph.get_state(config).values["said"] == ["hello", "asked", "ten"]
        assert graph.get_state(first).values["said"] == ["hello", "asked", "nine"]
        states = [state.values.get("said") for state in graph.get_state_history(config)]
        assert states[:2] == [["hello", "asked", "ten"], ["hello", "asked", "nine"]]


async def put(saver: MembusSaver, values: dict[str, Any], parent: Any = None, metadata: Any = None, **versions: Any) -> Any:
    checkpoint = {**empty_checkpoint(), "channel_values": values, "channel_versions": versions}
    config: Any = parent or {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    new: Any = {name: version for name, version in versions.items() if name in values}
    return await saver.aput(config, checkpoint, metadata or {}, new)  # type: ignore[arg-type]


async def test_large_values_are_deleted_completely(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        saver = MembusSaver(memory)
        values = {"image": b"\x00\xff" * 1_500_000, "text": "é" * 300_000, "small": 1}
        first = await put(saver, values, image=1, text=1, small=1)
        await saver.aput_writes(first, [("image", "x" * 400_000)], "task")
        found = await saver.aget_tuple(first)
        assert found is not None
        assert found.checkpoint["channel_values"] == values
        assert found.pending_writes == [("task", "image", "x" * 400_000)]
        await saver.acopy_thread("t", "copy")
        await put(saver, {"image": b"y" * 600_000}, first, image=2, text=1, small=1)
        await saver.aprune(["t"])
        latest = await saver.aget_tuple({"configurable": {"thread_id": "t"}})
        assert latest is not None
        assert latest.checkpoint["channel_values"] == {**values, "image": b"y" * 600_000}
        parts = {"field": "metadata.kind", "op": "eq", "value": "part"}
        view = memory.in_namespace("langgraph/checkpoints")
        # 600,000 bytes of the latest image, the text of both threads, and the copied image and
        # write.
        group: Any = {"group": "thread t", "where": parts}
        assert (await view.retrieve(**group, limit=0))["total"] == len(range(0, 800_000, 180_000)) + len(range(0, 800_000, 180_000))
        await saver.adelete_thread("t")
        assert (await view.retrieve(group="thread t", limit=0))["total"] == 0
        copied = await saver.aget_tuple({"configurable": {"thread_id": "copy"}})
        assert copied is not None
        assert copied.checkpoint["channel_values"] == values
        await saver.aprune(["copy"], strategy="delete")
        assert (await view.retrieve(limit=0))["total"] == 0


async def test_pruning_keeps_the_base_of_delta_channels(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        saver = MembusSaver(memory)
        counted = {"counters_since_delta_snapshot": {"log": (1, 1)}}
        oldest = await put(saver, {"log": ["a"]}, log=1)
        snapshot = await put(saver, {"log": ["a", "b"]}, oldest, log=2)
        between = await put(saver, {}, snapshot, counted, log=3)
        await saver.aput_writes(between, [("log", ["c"])], "task")
        latest = await put(saver, {}, between, counted, log=4)
        await saver.aprune(["t"])
        left = [found.config async for found in saver.alist({"configurable": {"thread_id": "t"}})]
        assert left == [latest, between, snapshot]
        history = await saver.aget_delta_channel_history(config=latest, channels=["log"])
        assert history == {"log": {"writes": [("task", "log", ["c"])], "seed": ["a", "b"]}}


async def test_a_checkpoint_is_stored_after_its_values(bus: RunningBus, agent: str) -> None:
    """The checkpoint must never be visible before its values, even if the process dies."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        async with await memory.watch(namespace="langgraph/checkpoints") as events:
            with pytest.raises(membus.TooLargeError):
                await put(MembusSaver(memory), {"good": 1, "x" * 5_000: 2}, **{"good": 1, "x" * 5_000: 1})
            latest = await put(MembusSaver(memory), {"last": 1}, last=1)
            seen = [(await asyncio.wait_for(anext(events), 60))["key"] for _ in range(3)]
        assert [key.get("channel", "checkpoint") for key in seen] == ["good", "last", "checkpoint"]
        assert seen[2]["checkpoint"] == latest["configurable"]["checkpoint_id"]


async def test_copying_a_thread_starts_with_values(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        saver = MembusSaver(memory)
        first = await put(saver, {"a": 1}, a=1)
        await saver.aput_writes(first, [("w", 1)], "task")
        await put(saver, {"b": 1}, first, a=1, b=1)
        async with await memory.watch(namespace="langgraph/checkpoints") as events:
            await saver.acopy_thread("t", "copy")
            seen = [(await asyncio.wait_for(anext(events), 60))["key"] for _ in range(5)]
        assert {key["thread"] for key in seen} == {"copy"}
        assert [key.get("channel") or ("write" if "task" in key else "checkpoint") for key in seen] == [
            "a",
            "b",
            "write",
            "checkpoint",
            "checkpoint",
        ]


async def test_a_checkpoint_expires(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        await put(MembusSaver(memory, ttl_s=600), {"x": "y" * 300_000}, x=1)
        ends = {entry["ttl"] async for entry in memory.entries(namespace="langgraph/checkpoints")}
        assert ends == {600}


async def test_blocking_the_own_event_loop_is_rejected(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        saver = MembusSaver(memory)
        with pytest.raises(RuntimeError, match="would block the event loop of the client"):
            saver.get_tuple({"configurable": {"thread_id": "t"}})
        with pytest.raises(ValueError, match="strategy must be"):
            await saver.aprune(["t"], strategy="keep_all")
        with pytest.raises(ValueError, match="checkpoint_id is missing"):
            await saver.aput_writes({"configurable": {"thread_id": "t"}}, [("x", 1)], "task")


@pytest.mark.parametrize("thread_id, error", [(None, TypeError), (True, TypeError), ("", ValueError)])
async def test_a_thread_id_is_required(bus: RunningBus, agent: str, thread_id: Any, error: type[Exception]) -> None:
    """Otherwise all callers without a thread id would share one thread."""
    async with await aio.connect(bus.url, agent=agent) as memory:
        saver = MembusSaver(memory)
        config: Any = {"configurable": {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": "1"}}
        for refused in (
            put(saver, {"x": 1}, config, x=1),
            saver.aput_writes(config, [("x", 1)], "task"),
            saver.aget_tuple(config),
            anext(saver.alist(config)),
            saver.adelete_thread(thread_id),
            saver.acopy_thread("t", thread_id),
            saver.acopy_thread(thread_id, "t"),
            saver.aprune(["t", thread_id]),
            saver.aprune([thread_id], strategy="delete"),
        ):
            with pytest.raises(error, match="thread_id must be a non-empty string, got"):
                await refused
        assert (await memory.retrieve(namespace="langgraph/**", limit=0))["total"] == 0


async def test_checkpoint_ns_must_be_a_string(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        saver = MembusSaver(memory)
        for ns in ("", "child"):
            await put(saver, {"x": ns}, {"configurable": {"thread_id": "t", "checkpoint_ns": ns}}, x=1)
        root = await saver.aget_tuple({"configurable": {"thread_id": "t", "checkpoint_ns": None}})
        assert root is not None and root.checkpoint["channel_values"] == {"x": ""}
        listed = saver.alist({"configurable": {"thread_id": "t", "checkpoint_ns": None}})
        assert len([each async for each in listed]) == 2
        with pytest.raises(TypeError, match="checkpoint_ns must be a string, got 7"):
            await saver.aget_tuple({"configurable": {"thread_id": "t", "checkpoint_ns": 7}})


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"tier": "x"}, ValueError, "tier must be one of working, episodic, semantic, got 'x'"),
        ({"ttl_s": -1}, ValueError, "ttl_s must be seconds above 0, got -1"),
        ({"ttl_s": 0}, ValueError, "ttl_s must be seconds above 0, got 0"),
        ({"ttl_s": math.inf}, ValueError, "ttl_s must be seconds above 0, got inf"),
        ({"ttl_s": "60"}, TypeError, "ttl_s must be a number, got '60'"),
    ],
)
async def test_invalid_checkpointer_options_are_rejected(
    bus: RunningBus, agent: str, options: Any, error: type[Exception], words: str
) -> None:
    async with await aio.connect(bus.url, agent=agent) as memory:
        with pytest.raises(error, match=words):
            MembusSaver(memory, **options)
