"""Events of memories, for the event bus of MARSYS."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import Any, Callable

#: Emissions in progress, so that they are not collected as garbage.
_running: set[Any] = set()


@dataclass(frozen=True)
class MemoryResetEvent:
    """A memory was cleared."""

    agent_name: str
    session_id: str | None = None


@dataclass(frozen=True)
class CompactionEvent:
    """The progress of a compaction: `status` is "started", "completed" or "failed". `duration` is in seconds."""

    session_id: str
    agent_name: str
    status: str
    pre_tokens: int = 0
    post_tokens: int = 0
    pre_messages: int = 0
    post_messages: int = 0
    duration: float | None = None
    stages_run: list[str] | None = None


class EventBus:
    """Calls each listener for each event. The event bus of MARSYS can be used instead."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Any], object]] = []

    def subscribe(self, listener: Callable[[Any], object]) -> None:
        self._listeners.append(listener)

    def emit(self, event: Any) -> None:
        for listener in self._listeners:
            listener(event)


@dataclass(frozen=True)
class EventContext:
    """The agent and session of the events of a memory, and the bus that receives them."""

    agent_name: str
    event_bus: Any
    session_id: str | None

    def emit(self, event: Any) -> None:
        """Emit an event. A coroutine of the bus runs in the current event loop, or until it ends without one."""
        emission = self.event_bus.emit(event)
        if not inspect.iscoroutine(emission):
            return
        try:
            task = asyncio.get_running_loop().create_task(emission)
        except RuntimeError:
            asyncio.run(emission)
            return
        _running.add(task)
        task.add_done_callback(_running.discard)
