"""A graph of LangGraph's that waits for its user: python langgraph_trip.py, with NATS_URL or on nats://127.0.0.1:4222."""

import os
import uuid
from typing import Any, TypedDict

import membus
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt
from membus.langgraph import MembusSaver, MembusStore

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")
# What is stored here is gone at the end: the user and the threads are of this run alone.
RUN = str(uuid.uuid4())
USER = ("users", RUN)


class Trip(TypedDict, total=False):
    city: str
    wish: str


def ask(trip: Trip, *, store: BaseStore) -> Trip:
    known = store.search(USER, query="how does the user travel?", limit=1)
    if known:
        return {"wish": known[0].value["text"]}
    wish = interrupt(f"How shall it be, to {trip['city']}?")
    store.put(USER, "travel", {"text": wish})
    return {"wish": wish}


def turn(thread: str, given: Any) -> Any:
    """What a process does that has just begun: all it has is the bus."""
    graph = StateGraph(Trip)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    with membus.connect(SERVERS, agent="travel") as memory:
        app = graph.compile(checkpointer=MembusSaver(memory), store=MembusStore(memory))
        return app.invoke(given, {"configurable": {"thread_id": f"{RUN}-{thread}"}})


def main() -> None:
    print("asks:", turn("rome", {"city": "Rome"})["__interrupt__"][0].value)
    print("goes on:", turn("rome", Command(resume="By the night train")))
    print("the next thread knows:", turn("oslo", {"city": "Oslo"}))

    with membus.connect(SERVERS, agent="travel") as memory:
        saver, store = MembusSaver(memory), MembusStore(memory)
        for thread in ("rome", "oslo"):
            saver.delete_thread(f"{RUN}-{thread}")
        store.delete(USER, "travel")


if __name__ == "__main__":
    main()
