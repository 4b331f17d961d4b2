"""An event loop in a thread, and a watch that blocks: the parts of the synchronous client that are not generated."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import Any, AsyncIterator, Coroutine, Iterator, TypeVar

from ._schema import MemoryEvent
from ._watch import AsyncWatch
from .errors import UnavailableError

T = TypeVar("T")
#: Seconds to wait for running coroutines when the loop stops.
_SETTLE_S = 5


class LoopThread:
    """An event loop in a separate thread. Any other thread can run coroutines in it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self.loop.run_forever, name="membus", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result. An exception in the waiting thread, such as KeyboardInterrupt, cancels it."""
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine. Raise `UnavailableError` if the loop is stopped."""
        with self._lock:
            if self._stopped:
                coroutine.close()
                raise UnavailableError("the client is closed", {"reason": "closed"})
            return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def iterate(self, iterator: AsyncIterator[T]) -> Iterator[T]:
        """Iterate over an async iterator, fetching items on demand."""
        while True:
            try:
                yield self.run(_next(iterator))
            except StopAsyncIteration:
                return

    def stop(self) -> None:
        """Wait for running coroutines, cancel those that take too long, and stop the loop."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
        asyncio.run_coroutine_threadsafe(_settle(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _settle() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=_SETTLE_S)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _next(iterator: AsyncIterator[T]) -> T:
    return await iterator.__anext__()


class Watch:
    """A blocking iterator over events: `for event in memory.watch()`. Any thread may call `stop` to end it."""

    def __init__(self, thread: LoopThread, watch: AsyncWatch) -> None:
        self._thread = thread
        self._watch = watch

    @property
    def missed(self) -> int:
        """Number of dropped events, because 10,000 were waiting."""
        return self._watch.missed

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> MemoryEvent:
        try:
            return self._thread.run(_next(self._watch))
        except StopAsyncIteration:
            raise StopIteration from None
        except UnavailableError as error:
            # Closing the client ends its watches, also between two events.
            if error.detail.get("reason") != "closed":
                raise
            raise StopIteration from None

    def stop(self) -> None:
        self._thread.run(self._watch.stop())

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
