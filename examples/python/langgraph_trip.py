"""A LangGraph graph that waits for its user.

Run `python langgraph_trip.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import os
import uuid
from typing import Any, TypedDict

import membus
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt
from membus.langgraph import MembusSaver, MembusStore

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")
# Unique names, so that the data of this run can be deleted at the end.
RUN = str(uuid.uuid4())
USER = ("users", RUN)


class Trip(TypedDict, total=False):
    city: str
    wish: str


def ask(trip: Trip, *, store: BaseStore) -> Trip:
    known = store.search(USER, query="how does the user travel?", limit=1)
    if known:
        return {"wish": known[0].value["text"]}
    wish = interrupt(f"How do you want to travel to {trip['city']}?")
    store.put(USER, "travel", {"text": wish})
    return {"wish": wish}


def turn(thread: str, given: Any) -> Any:
    """Simulate a new process whose only state is on the bus."""
    graph = StateGraph(Trip)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    with membus.connect(SERVERS, agent="travel") as memory:
        app = graph.compile(checkpointer=MembusSaver(memory), store=MembusStore(memory))
        return app.invoke(given, {"configurable": {"thread_id": f"{RUN}-{thread}"}})


def main() -> None:
    print("asks:", turn("rome", {"city": "Rome"})["__interrupt__"][0].value)
    print("continues:", turn("rome", Command(resume="By the night train")))
    print("the next thread knows:", turn("oslo", {"city": "Oslo"}))

    with membus.connect(SERVERS, agent="travel") as memory:
        saver, store = MembusSaver(memory), MembusStore(memory)
        for thread in ("rome", "oslo"):
            saver.delete_thread(f"{RUN}-{thread}")
        store.delete(USER, "travel")


if __name__ == "__main__":
    main()
