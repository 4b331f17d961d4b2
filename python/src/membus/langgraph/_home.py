"""Where the coroutines of a client run: in the loop that it was made in, whoever asks."""

from __future__ import annotations

import asyncio
from typing import Any, Coroutine, TypeVar, Union

from ..aio import AsyncMemory
from ..sync import LoopThread, Memory

T = TypeVar("T")
AnyMemory = Union[AsyncMemory, Memory]


class Home:
    """Of a `Memory` its own thread's loop, of an `AsyncMemory` the loop that runs now."""

    def __init__(self, memory: AnyMemory, namespace: str) -> None:
        self._thread: LoopThread | None = None
        if isinstance(memory, Memory):
            self._thread = memory._thread
            self._loop = memory._thread.loop
            self.memory = memory._memory.in_namespace(namespace)
        else:
            self._loop = asyncio.get_running_loop()
            self.memory = memory.in_namespace(namespace)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What `coroutine` returns, for a thread without a loop. Raises `RuntimeError` in the loop itself, which it would block;
        of a `Memory` that is closed `UnavailableError`."""
        if self._is_here():
            coroutine.close()
            raise RuntimeError("this would block its own event loop: use the method for asyncio, or a membus.Memory")
        if self._thread is not None:
            return self._thread.run(coroutine)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What `coroutine` returns, for a coroutine of any loop."""
        if self._is_here():
            return await coroutine
        begun = asyncio.run_coroutine_threadsafe(coroutine, self._loop) if self._thread is None else self._thread.submit(coroutine)
        return await asyncio.wrap_future(begun)

    def _is_here(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False
