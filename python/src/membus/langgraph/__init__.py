"""LangGraph checkpointer and long-term store on membus. Requires `membus[langgraph]`."""

from .checkpointer import MembusSaver
from .store import MembusStore

__all__ = ["MembusSaver", "MembusStore"]
