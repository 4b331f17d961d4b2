"""The memory of an agent, for programs with threads: the methods of `membus.aio`, which run in a thread of their own.

    with membus.connect(agent="alice") as memory:
        memory.remember("user_name", "Alice", tags=["identity"])
        print(memory.recall("user_name"))
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, AsyncIterator, Coroutine, Iterable, Iterator, Literal, Mapping, Sequence, TypeVar

from . import aio
from ._schema import (
    Ack,
    ForgetRequest,
    ForgetResponse,
    KeyReference,
    ListItem,
    ListRequest,
    ListResponse,
    MemoryEntry,
    MemoryEvent,
    MemoryKey,
    MemoryTier,
    Pong,
    RetrieveRequest,
    RetrieveResponse,
    StatusResponse,
    StoreReceipt,
)
from ._store import StoreResult
from ._watch import AsyncWatch
from .errors import UnavailableError

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
_SETTLE_S = 5


class LoopThread:
    """An event loop in a thread of its own. Any thread may run coroutines in it, but not its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self.loop.run_forever, name="membus", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What `coroutine` returns. An exception of the waiting thread, such as KeyboardInterrupt, cancels it."""
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Begins `coroutine`. Raises `UnavailableError` once it is stopped."""
        with self._lock:
            if self._stopped:
                coroutine.close()
                raise UnavailableError("the client is closed", {"reason": "closed"})
            return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def iterate(self, iterator: AsyncIterator[T]) -> Iterator[T]:
        """What an async iterator gives, as it is asked for."""
        while True:
            try:
                yield self.run(_next(iterator))
            except StopAsyncIteration:
                return

    def stop(self) -> None:
        """When all that has begun is over; later calls are refused."""
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
    """Events as they come: `for event in memory.watch()`. Blocks until there is one; ends with `stop`, from another thread too."""

    def __init__(self, thread: LoopThread, watch: AsyncWatch) -> None:
        self._thread = thread
        self._watch = watch

    @property
    def missed(self) -> int:
        """Events that found no room, because 10,000 waited here."""
        return self._watch.missed

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> MemoryEvent:
        try:
            return self._thread.run(_next(self._watch))
        except StopAsyncIteration:
            raise StopIteration from None

    def stop(self) -> None:
        self._thread.run(self._watch.stop())

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Memory:
    """The memory of one agent, in one session and one namespace. Made by `connect`; any thread may use it.

    Each method does what that of `membus.aio.AsyncMemory` does, and blocks until it is done.
    """

    def __init__(self, thread: LoopThread, memory: aio.AsyncMemory) -> None:
        self._thread = thread
        self._memory = memory

    @property
    def agent(self) -> str:
        return self._memory.agent

    @property
    def tenant(self) -> str:
        return self._memory.tenant

    @property
    def session(self) -> str:
        return self._memory.session

    @property
    def namespace(self) -> str:
        return self._memory.namespace

    def for_agent(self, agent: str) -> Memory:
        """The memory of another agent. Shares the connection."""
        return Memory(self._thread, self._memory.for_agent(agent))

    def for_session(self, session: str) -> Memory:
        """The same with the working tier of another session. Shares the connection."""
        return Memory(self._thread, self._memory.for_session(session))

    def in_namespace(self, namespace: str) -> Memory:
        """The same in another namespace, `a/b/c`. Shares the connection."""
        return Memory(self._thread, self._memory.in_namespace(namespace))

    def store(
        self,
        entries: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        id: str | None = None,
        ack: Ack | None = None,
        requires: Sequence[str] | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> StoreResult:
        """Stores entries. One that is refused is in `errors` of the result."""
        times = {"timeout_s": timeout_s, "retry_timeout_s": retry_timeout_s}
        return self._thread.run(self._memory.store(entries, id=id, ack=ack, requires=requires, **times))

    def retrieve(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[RetrieveRequest]
    ) -> RetrieveResponse:
        """One page of the entries that meet all criteria, the best or newest first."""
        return self._thread.run(self._memory.retrieve(timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **request))

    def entries(
        self,
        *,
        page_size: int = 100,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[RetrieveRequest],
    ) -> Iterator[MemoryEntry]:
        """All entries that meet the criteria, page by page as they are read."""
        return self._thread.iterate(
            self._memory.entries(page_size=page_size, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **request)
        )

    def list(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[ListRequest]
    ) -> ListResponse:
        """One page of what there is: namespaces, or the values of `field`."""
        return self._thread.run(self._memory.list(timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **request))

    def items(
        self,
        *,
        page_size: int = 100,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[ListRequest],
    ) -> Iterator[ListItem]:
        """All items of a list, page by page as they are read."""
        return self._thread.iterate(
            self._memory.items(page_size=page_size, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **request)
        )

    def forget(
        self,
        *,
        id: str | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **criteria: Unpack[ForgetRequest],
    ) -> ForgetResponse:
        """Deletes all entries that meet all criteria; with `dry_run=True` it only counts them."""
        times = {"timeout_s": timeout_s, "retry_timeout_s": retry_timeout_s}
        return self._thread.run(self._memory.forget(id=id, **times, **criteria))

    def remember(
        self,
        key: MemoryKey,
        value: Any,
        *,
        tier: MemoryTier | None = None,
        tags: Sequence[str] | None = None,
        ttl: float | None = None,
        score: float | None = None,
        id: str | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> StoreReceipt:
        """Stores one value under a key, in the working tier unless told otherwise. Raises also the error of the entry."""
        times = {"timeout_s": timeout_s, "retry_timeout_s": retry_timeout_s}
        return self._thread.run(self._memory.remember(key, value, tier=tier, tags=tags, ttl=ttl, score=score, id=id, **times))

    def recall(
        self,
        key: KeyReference,
        default: Any = None,
        *,
        tier: MemoryTier | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> Any:
        """The content under a key; `default` where there is none."""
        times = {"timeout_s": timeout_s, "retry_timeout_s": retry_timeout_s}
        return self._thread.run(self._memory.recall(key, default, tier=tier, **times))

    def status(self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None) -> StatusResponse:
        """What became of an earlier store of this agent."""
        return self._thread.run(self._memory.status(request_id, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s))

    def forget_status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """Whether the bytes that an earlier forget of this agent took are gone from disk."""
        times = {"timeout_s": timeout_s, "retry_timeout_s": retry_timeout_s}
        return self._thread.run(self._memory.forget_status(request_id, **times))

    def watch(
        self,
        *,
        tier: MemoryTier | None = None,
        action: Literal["stored", "forgotten", "expired", "evicted"] | None = None,
        namespace: str | None = None,
        agents: Literal["own", "all"] = "own",
    ) -> Watch:
        """What happens from now on to the agent's own entries, and to those of the shared tier."""
        watch = self._memory.watch(tier=tier, action=action, namespace=namespace, agents=agents)
        return Watch(self._thread, self._thread.run(watch))

    def ping(self, *, timeout_s: float | None = None, retry_timeout_s: float = 0) -> Pong:
        """Which host answers now, and the tiers that it serves."""
        return self._thread.run(self._memory.ping(timeout_s=timeout_s, retry_timeout_s=retry_timeout_s))


class MemoryClient(Memory):
    """An agent's memory together with the connection to its host: `with connect(...) as memory`."""

    def __init__(self, thread: LoopThread, client: aio.AsyncMemoryClient) -> None:
        super().__init__(thread, client)
        self._client = client

    def close(self) -> None:
        """Waits until every request in flight is answered or has failed, without further retries, and closes the connection.
        Views and watches end with it."""
        try:
            self._thread.run(self._client.close())
        except UnavailableError:
            return
        self._thread.stop()

    def __enter__(self) -> MemoryClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(servers: str | Sequence[str] = "nats://127.0.0.1:4222", *, agent: str, **options: Any) -> MemoryClient:
    """Connects to a host over NATS: options, and what it raises, as of `membus.aio.connect`."""
    thread = LoopThread()
    try:
        return MemoryClient(thread, thread.run(aio.connect(servers, agent=agent, **options)))
    except BaseException:
        thread.stop()
        raise
