"""Checkpoints and the long-term store of LangGraph, kept in membus. Needs `membus[langgraph]`."""

from .checkpointer import MembusSaver
from .store import MembusStore

__all__ = ["MembusSaver", "MembusStore"]
