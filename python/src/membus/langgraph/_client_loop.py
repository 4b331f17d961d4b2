"""Runs the coroutines of a client in the event loop in which it was created, from any thread."""

from __future__ import annotations

import asyncio
from typing import Any, Coroutine, TypeVar, Union

from ..aio import AsyncAgentMemory
from .._loop_thread import LoopThread
from ..sync import AgentMemory

T = TypeVar("T")
AnyMemory = Union[AsyncAgentMemory, AgentMemory]


class ClientLoop:
    """Event loop of a client: the thread of an `AgentMemory`, or the current loop for an `AsyncAgentMemory`."""

    def __init__(self, memory: AnyMemory, namespace: str) -> None:
        self._thread: LoopThread | None = None
        if isinstance(memory, AgentMemory):
            self._thread = memory._thread
            self._loop = memory._thread.loop
            self.memory = memory._memory.in_namespace(namespace)
        else:
            self._loop = asyncio.get_running_loop()
            self.memory = memory.in_namespace(namespace)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine from a thread without an event loop, and return its result.

        Raises:
            RuntimeError: In the event loop of the client, which would be blocked.
            UnavailableError: If the `AgentMemory` is closed.
        """
        if self._is_own_loop():
            coroutine.close()
            raise RuntimeError("this call would block the event loop of the client: use the async method, or a membus.AgentMemory")
        if self._thread is not None:
            return self._thread.run(coroutine)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine from any event loop, and return its result."""
        if self._is_own_loop():
            return await coroutine
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop) if self._thread is None else self._thread.submit(coroutine)
        return await asyncio.wrap_future(future)

    def _is_own_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False
